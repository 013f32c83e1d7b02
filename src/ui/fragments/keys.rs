//! The palette and the sheet of shortcuts. The script opens them, but they are not part of its download.

use crate::messages::keys as messages;
use leptos::prelude::*;

/// Destinations of the palette: name, other search words, address.
const PLACES: [(&str, &str, &str); 15] = [
    (messages::CHAT, messages::CHAT_WORDS, "/"),
    (messages::NEW_CONVERSATION, messages::NEW_CONVERSATION_WORDS, "/?c=new"),
    (messages::ALL_CONVERSATIONS, messages::ALL_CONVERSATIONS_WORDS, "/conversations"),
    (messages::TODAY, messages::TODAY_WORDS, "/tasks?view=today"),
    (messages::UPCOMING, messages::UPCOMING_WORDS, "/tasks?view=upcoming"),
    (messages::ALL_TASKS, messages::ALL_TASKS_WORDS, "/tasks?view=all"),
    (messages::DONE, messages::DONE_WORDS, "/tasks?view=done"),
    (messages::BIN, messages::BIN_WORDS, "/tasks?view=bin"),
    (messages::IMPORT_TASKS, messages::IMPORT_TASKS_WORDS, "/tasks/import"),
    (messages::THE_LIST_AS_IT_WAS, messages::THE_LIST_AS_IT_WAS_WORDS, "/tasks/as-of"),
    (messages::APPROVALS, messages::APPROVALS_WORDS, "/approvals"),
    (messages::AUDIT, messages::AUDIT_WORDS, "/audit"),
    (messages::SETTINGS, messages::SETTINGS_WORDS, "/settings"),
    (messages::MEMORY, messages::MEMORY_WORDS, "/settings/memory"),
    ("API", messages::API_WORDS, "/api"),
];

/// Shortcuts: the keys and their effect.
const KEYS: [(&str, &str); 20] = [
    (messages::CTRL_K, messages::GO_ANYWHERE),
    ("?", messages::THIS_SHEET),
    ("g c, g t, g a, g l", messages::CHAT_TASKS_APPROVALS_AUDIT),
    ("/", messages::SEARCH),
    ("q", messages::QUICK_ADD),
    ("j, k", messages::NEXT_OR_PREVIOUS_ROW),
    (messages::ENTER, messages::OPEN_THE_ROW),
    ("e", messages::COMPLETE_OR_REOPEN),
    ("x", messages::SELECT),
    ("1 2 3 4", messages::PRIORITY_HIGH_MEDIUM_LOW_NONE),
    ("d", messages::DUE),
    (messages::SHIFT_K_SHIFT_J, messages::MOVE_THE_ROW),
    (messages::DELETE, messages::INTO_THE_BIN),
    (messages::CTRL_Z, messages::UNDO_WHAT_WAS_JUST_DONE),
    (messages::ENTER, messages::SEND_A_MESSAGE),
    (messages::SHIFT_ENTER, messages::A_NEW_LINE_IN_IT),
    (messages::CTRL_ENTER, messages::SAY_YES),
    (messages::ESC, messages::CLOSE_OR_STOP),
    ("↑ ↓", messages::MOVE_AMONG_CHOICES),
    (messages::TAB, messages::EVERYTHING_ELSE),
];

/// Both dialogs, closed.
pub fn dialogs() -> impl IntoView {
    let places = PLACES.map(|(name, words, href)| {
        // The API page is outside the script's navigation.
        let rel = (href == "/api").then_some("external");
        view! { <li><a href=href rel=rel>{name} <span class="palette__words">{words}</span></a></li> }
    });
    view! {
        <dialog id="palette" class="palette" data-keys="mod+k" aria-label=messages::GO_ANYWHERE>
            <form method="get" action="/tasks" role="search">
                <input type="hidden" name="view" value="all"/>
                <label class="visually-hidden" for="palette-words">{messages::WHERE_TO}</label>
                <input id="palette-words" type="search" name="q" placeholder=messages::WHERE_TO autocomplete="off" autofocus/>
                <ul class="palette__places">{places}</ul>
                <button class="button palette__search">{messages::SEARCH_TASKS_FOR_THESE_WORDS}</button>
            </form>
        </dialog>
        <dialog id="keys" class="keys" data-keys="?" aria-labelledby="keys-title">
            <header class="keys__head">
                <h2 id="keys-title">{messages::KEYS}</h2>
                <button type="button" class="button button--quiet">{messages::CLOSE}</button>
            </header>
            <p class="page__lead">{messages::WHEN_KEYS_WORK}</p>
            {sheet()}
        </dialog>
    }
}

fn sheet() -> impl IntoView {
    let rows =
        KEYS.map(|(keys, what)| view! { <div class="keys__row"><dt><kbd>{keys}</kbd></dt><dd>{what}</dd></div> });
    view! { <dl class="keys__list">{rows}</dl> }
}
