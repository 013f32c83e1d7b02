//! Messages to people, in English: every sentence, label and title of the web interface, by area.
//!
//! Fixed texts are constants. Texts with arguments are functions with one parameter each, so that the compiler finds missing texts and
//! wrong arguments. Plural rules are in [`counts`], date patterns and names of days in [`dates`]. The catalogue depends on no other layer:
//! it takes text and numbers, and the builds of server and browser both use it.
//!
//! Other texts are elsewhere. Refusals are in `domain`, `tools`, `usecases` and `workflow`; agents and programs also read them over MCP and
//! JSON. Questions are in `domain/proposal`, replies in `workflow` and `llm/rules`. Tool descriptions are in `tools`, the reference of the
//! API's fields in `api/reference`. Log lines and the command line have their own texts.
//!
//! To translate it, copy the folder, for example to `messages/de/`. Write the same constants and functions there, with that language's plurals
//! and date patterns. Select it in this file by a build feature (`#[cfg(feature = "de")] pub use de::*;`). A missing text does not compile.
//! `docs/architecture.md`, under “Another language”, lists the places outside the folder. Texts that Docket parses stay English.

/// Sessions, tokens and erasure.
pub mod access;
pub mod approvals;
/// The list at a point in time.
pub mod as_of;
/// The engine, and the data that it is sent.
pub mod assistant;
/// The audit log.
pub mod audit;
pub mod chat;
/// Singular and plural.
pub mod counts;
pub mod dates;
pub mod errors;
/// The history of a task.
pub mod history;
pub mod import;
/// The palette and the sheet of shortcuts.
pub mod keys;
/// Texts around every page.
pub mod layout;
pub mod memories;
pub mod policy;
pub mod receipts;
/// The API page.
pub mod reference;
/// Recurrences in words.
pub mod repeats;
pub mod settings;
/// Sign-in, invitations and password resets.
pub mod sign_in;
/// Statistics of the audit log.
pub mod statistics;
pub mod tasks;
/// The link with a Telegram chat.
pub mod telegram_link;
/// Toasts after an action.
pub mod toasts;
/// The detail of a turn.
pub mod turn_detail;
/// User administration.
pub mod users;
