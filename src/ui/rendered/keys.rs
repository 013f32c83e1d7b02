//! The palette and the sheet of shortcuts. The script opens them, but they are not part of its download.

use crate::words::keys as words;
use leptos::prelude::*;

/// Destinations of the palette: name, other search words, address.
const PLACES: [(&str, &str, &str); 15] = [
    (words::CHAT, words::CHAT_WORDS, "/"),
    (words::NEW_CONVERSATION, words::NEW_CONVERSATION_WORDS, "/?c=new"),
    (words::ALL_CONVERSATIONS, words::ALL_CONVERSATIONS_WORDS, "/conversations"),
    (words::TODAY, words::TODAY_WORDS, "/tasks?view=today"),
    (words::UPCOMING, words::UPCOMING_WORDS, "/tasks?view=upcoming"),
    (words::ALL_TASKS, words::ALL_TASKS_WORDS, "/tasks?view=all"),
    (words::DONE, words::DONE_WORDS, "/tasks?view=done"),
    (words::BIN, words::BIN_WORDS, "/tasks?view=bin"),
    (words::IMPORT_TASKS, words::IMPORT_TASKS_WORDS, "/tasks/import"),
    (words::THE_LIST_AS_IT_WAS, words::THE_LIST_AS_IT_WAS_WORDS, "/tasks/as-of"),
    (words::APPROVALS, words::APPROVALS_WORDS, "/approvals"),
    (words::AUDIT, words::AUDIT_WORDS, "/audit"),
    (words::SETTINGS, words::SETTINGS_WORDS, "/settings"),
    (words::MEMORY, words::MEMORY_WORDS, "/settings/memory"),
    ("API", words::API_WORDS, "/api"),
];

/// Shortcuts: the keys and their effect.
const KEYS: [(&str, &str); 20] = [
    (words::CTRL_K, words::GO_ANYWHERE),
    ("?", words::THIS_SHEET),
    ("g c, g t, g a, g l", words::CHAT_TASKS_APPROVALS_AUDIT),
    ("/", words::SEARCH),
    ("q", words::QUICK_ADD),
    ("j, k", words::NEXT_OR_PREVIOUS_ROW),
    (words::ENTER, words::OPEN_THE_ROW),
    ("e", words::COMPLETE_OR_REOPEN),
    ("x", words::SELECT),
    ("1 2 3 4", words::PRIORITY_HIGH_MEDIUM_LOW_NONE),
    ("d", words::DUE),
    (words::SHIFT_K_SHIFT_J, words::MOVE_THE_ROW),
    (words::DELETE, words::INTO_THE_BIN),
    (words::CTRL_Z, words::UNDO_WHAT_WAS_JUST_DONE),
    (words::ENTER, words::SEND_A_MESSAGE),
    (words::SHIFT_ENTER, words::A_NEW_LINE_IN_IT),
    (words::CTRL_ENTER, words::SAY_YES),
    (words::ESC, words::CLOSE_OR_STOP),
    ("↑ ↓", words::MOVE_AMONG_CHOICES),
    (words::TAB, words::EVERYTHING_ELSE),
];

/// Both dialogs, closed.
pub fn dialogs() -> impl IntoView {
    let places = PLACES.map(|(name, words, href)| {
        // The API page is outside the script's navigation.
        let rel = (href == "/api").then_some("external");
        view! { <li><a href=href rel=rel>{name} <span class="palette__words">{words}</span></a></li> }
    });
    view! {
        <dialog id="palette" class="palette" data-keys="mod+k" aria-label=words::GO_ANYWHERE>
            <form method="get" action="/tasks" role="search">
                <input type="hidden" name="view" value="all"/>
                <label class="visually-hidden" for="palette-words">{words::WHERE_TO}</label>
                <input id="palette-words" type="search" name="q" placeholder=words::WHERE_TO autocomplete="off" autofocus/>
                <ul class="palette__places">{places}</ul>
                <button class="button palette__search">{words::SEARCH_TASKS_FOR_THESE_WORDS}</button>
            </form>
        </dialog>
        <dialog id="keys" class="keys" data-keys="?" aria-labelledby="keys-title">
            <header class="keys__head">
                <h2 id="keys-title">{words::KEYS}</h2>
                <button type="button" class="button button--quiet">{words::CLOSE}</button>
            </header>
            <p class="page__lead">{words::WHEN_KEYS_WORK}</p>
            {sheet()}
        </dialog>
    }
}

fn sheet() -> impl IntoView {
    let rows =
        KEYS.map(|(keys, what)| view! { <div class="keys__row"><dt><kbd>{keys}</kbd></dt><dd>{what}</dd></div> });
    view! { <dl class="keys__list">{rows}</dl> }
}
