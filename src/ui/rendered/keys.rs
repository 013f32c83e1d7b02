//! The palette and the sheet of keys: the script opens them, and nothing of them is a part of its download.

use leptos::prelude::*;

/// Where the palette leads: the name, other words for it, the address.
const PLACES: [(&str, &str, &str); 15] = [
    ("Chat", "talk assistant message", "/"),
    ("New conversation", "chat talk begin", "/?c=new"),
    ("All conversations", "search history threads", "/conversations"),
    ("Today", "tasks overdue due", "/tasks?view=today"),
    ("Upcoming", "tasks week due", "/tasks?view=upcoming"),
    ("All tasks", "list open", "/tasks?view=all"),
    ("Done", "tasks completed", "/tasks?view=done"),
    ("Bin", "tasks deleted restore", "/tasks?view=bin"),
    ("Import tasks", "file csv todoist json", "/tasks/import"),
    ("The list as it was", "time travel past restore", "/tasks/as-of"),
    ("Approvals", "requests yes no waiting", "/approvals"),
    ("Audit", "record log history who", "/audit"),
    ("Settings", "appearance zone password telegram policy tokens export", "/settings"),
    ("Memory", "remember forget", "/settings/memory"),
    ("API", "program token reference", "/api"),
];

/// What keys do: the keys, and what happens.
const KEYS: [(&str, &str); 19] = [
    ("Ctrl K or ⌘ K", "Go anywhere"),
    ("?", "This sheet"),
    ("g c, g t, g a, g l", "Chat, tasks, approvals, audit"),
    ("/", "Search"),
    ("q", "Quick add"),
    ("j, k", "Next or previous row"),
    ("Enter", "Open the row"),
    ("e", "Complete or reopen"),
    ("x", "Select"),
    ("1 2 3 4", "Priority high, medium, low, none"),
    ("d", "Due"),
    ("Delete", "Into the bin"),
    ("Ctrl Z or ⌘ Z", "Undo what was just done"),
    ("Enter", "Send a message"),
    ("Shift Enter", "A new line in it"),
    ("Ctrl Enter or ⌘ Enter", "Say yes to the request in focus"),
    ("Esc", "Close what is on top, or stop the assistant"),
    ("↑ ↓", "Move in a list of choices"),
    ("Tab", "Everything else"),
];

/// Both, closed.
pub fn dialogs() -> impl IntoView {
    let places = PLACES.map(|(name, words, href)| {
        // The page of the API is none of the script's.
        let rel = (href == "/api").then_some("external");
        view! { <li><a href=href rel=rel>{name} <span class="palette__words">{words}</span></a></li> }
    });
    view! {
        <dialog id="palette" class="palette" data-keys="mod+k" aria-label="Go anywhere">
            <form method="get" action="/tasks" role="search">
                <input type="hidden" name="view" value="all"/>
                <label class="visually-hidden" for="palette-words">"Where to, or words of a task"</label>
                <input id="palette-words" type="search" name="q" placeholder="Where to, or words of a task" autocomplete="off" autofocus/>
                <ul class="palette__places">{places}</ul>
                <button class="button palette__search">"Search tasks for these words"</button>
            </form>
        </dialog>
        <dialog id="keys" class="keys" data-keys="?" aria-labelledby="keys-title">
            <header class="keys__head">
                <h2 id="keys-title">"Keys"</h2>
                <button type="button" class="button button--quiet">"Close"</button>
            </header>
            <p class="page__lead">"While no field has the focus. They can be switched off in the settings, under Appearance."</p>
            {sheet()}
        </dialog>
    }
}

/// What keys do, as a table of two columns.
fn sheet() -> impl IntoView {
    let rows =
        KEYS.map(|(keys, what)| view! { <div class="keys__row"><dt><kbd>{keys}</kbd></dt><dd>{what}</dd></div> });
    view! { <dl class="keys__list">{rows}</dl> }
}
