//! What pages and messages say to people, in English: every sentence, label and title of the web door, by area.
//!
//! Fixed texts are constants; texts with something in them are functions with a parameter for each thing, so that the compiler
//! finds a text that is missing or given the wrong things. Forms for one and many are told apart in [`counts`]; patterns of dates
//! and names of days stand in [`dates`].
//! The catalogue names no other layer: it is given words and numbers, and both the server and the browser's build use it.
//!
//! What stays where it is: the sentences of the domain's rules and of the use cases, which agents and programs read over MCP and
//! JSON as well; the tools' descriptions; what the rules engine says as the assistant; the reference of the API's fields
//! (`api/reference`); log lines and the command line.
//!
//! To translate it: copy the folder, say `words/de/`, write the same constants and functions there, with that language's plurals
//! and date patterns, and let this file choose between the two by a feature of the build (`#[cfg(feature = "de")] pub use de::*;`),
//! beside `lang` of the html shell. Nothing outside the folder names a language; a text that was forgotten does not compile.

/// What opens an account, and the form that erases what was said.
pub mod access;
/// Requests that wait for a yes.
pub mod approvals;
/// The list as it was.
pub mod as_of;
/// What answers, and what is sent where.
pub mod assistant;
/// The record.
pub mod audit;
/// Talking with the assistant.
pub mod chat;
/// One and many.
pub mod counts;
/// Days and times of day.
pub mod dates;
/// The way in.
pub mod door;
/// Why something was not done.
pub mod errors;
/// The record in figures.
pub mod figures;
/// What surrounds every page.
pub mod frame;
/// Tasks from files.
pub mod import;
/// The palette and the sheet of keys.
pub mod keys;
/// What is remembered.
pub mod memories;
/// What happened to a task.
pub mod past;
/// Which tools may run, and which ask.
pub mod policy;
/// What tool calls did.
pub mod receipts;
/// The page that describes the API.
pub mod reference;
/// How a task repeats.
pub mod repeats;
/// An account's own preferences.
pub mod settings;
/// One turn of the record, told.
pub mod story;
/// The list, and one task of it.
pub mod tasks;
/// Linking with a chat on Telegram.
pub mod telegram;
/// What was done, told once.
pub mod told;
/// Other people's accounts.
pub mod users;
