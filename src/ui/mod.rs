//! The user interface: pages fetch, components render. The only code that touches the browser.

/// The current address.
pub mod address;
/// Type-erased views.
pub mod any_view;
/// Access to the document, focus, storage and notifications.
pub mod browser;
pub mod components;
/// Values derived from fetched data.
pub mod derived;
/// Unsent messages in the browser's storage.
pub mod drafts;
/// Fetched page data.
pub mod fetch;
/// Form actions of every page.
pub mod form_actions;
/// HTML fragments that only the server renders.
pub mod fragments;
/// HTTP calls from the browser.
pub mod http;
/// Live updates.
pub mod live;
/// Announcements for screen readers.
pub mod live_region;
/// Optimistic rows of quick add.
pub mod optimistic_add;
/// One file per page; only these fetch.
pub mod pages;
/// Messages that are not answered yet.
pub mod pending_message;
/// Reminders that await an answer.
pub mod reminders;
/// Changes made elsewhere.
pub mod remote_changes;
/// The queue of manual moves.
pub mod reorder_queue;
/// The send queue of the chat.
pub mod send_queue;
/// The signed-in account and the page's visit.
pub mod session;
/// Toasts.
pub mod toaster;
/// Running turns.
pub mod turns;
