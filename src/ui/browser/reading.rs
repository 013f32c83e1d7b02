//! Unread questions and focused fields.

use leptos::prelude::document;

/// Returns true if a field other than the composer has the focus: a dialog that opened now would take the next key.
pub fn types_elsewhere() -> bool {
    const FIELDS: &str = "textarea:not(.composer__input), select, input:not([type=checkbox])";
    document().active_element().is_some_and(|element| element.matches(FIELDS) == Ok(true))
}

/// Returns true if part of a pending approval in the conversation was not visible long enough to be read (`press.js`).
pub fn has_unread_question() -> bool {
    const UNREAD: &str = ".chat-page__log .approval-card [data-keys='mod+enter']:not([data-read])";
    document().query_selector(UNREAD).ok().flatten().is_some()
}
