//! What people see: pages fetch, components show. The only place that touches the browser.

/// What a person can do from any page, and what is said about it.
pub mod acts;
/// Lines of quick add on their way.
pub mod adding;
/// Where the reader is.
pub mod address;
/// The browser's own things: the document, fields, focus, timers.
pub mod browser;
/// Asking the server from the browser.
pub mod call;
/// Pieces of pages: a file, a component and a stylesheet each.
pub mod components;
/// What the browser keeps of messages that did not go out.
pub mod drafts;
/// Changes that were made elsewhere.
pub mod elsewhere;
/// Views without their types.
pub mod erase;
/// What a page shows, kept fresh.
pub mod fetch;
/// Values derived from what a page fetched.
pub mod kept;
/// A message that is not answered yet.
pub mod letter;
/// Hearing what happens elsewhere.
pub mod live;
/// Rows put elsewhere by hand, on their way.
pub mod moves;
/// What was written and is not answered yet.
pub mod outbox;
/// One file per page; only these fetch.
pub mod pages;
/// Reminders that wait for an answer.
pub mod reminders;
/// Pieces that the server alone draws.
pub mod rendered;
/// Who is signed in and what the page was opened with.
pub mod session;
/// Short messages that come and go.
pub mod toaster;
/// What a screen reader is told.
pub mod told;
/// The turns that run.
pub mod turns;
