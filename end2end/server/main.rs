//! Tests of Docket from outside: the real binary, over HTTP and through its commands, on SQLite and PostgreSQL.
//!
//! No test sleeps for a fixed time: each waits for what it expects.

/// The real binary on its own database, and clients.
mod app;
/// A fake of Telegram's Bot API.
mod botapi;
mod browsing;
/// A fake span collector.
mod collector;
/// A separate database for each test.
mod database;
mod invariants;
/// A fake model provider.
mod mock;
/// HTTP servers of the fakes.
mod stand_in;

mod accounts;
mod admins;
mod approvals;
mod backup;
mod bin;
mod chat;
mod clocks;
mod copy;
mod crashes;
mod dates;
mod documents;
/// Real input of programs, models and chats, as tables.
mod doors;
mod embeddings;
mod erasure;
mod errors;
/// The evaluation compared with the server.
mod evaluation;
mod events;
mod failures;
/// Texts, batches and files of kinds reported about other programs.
mod field_files;
mod fixtures;
/// Isolation of users.
mod foreign;
/// A malicious model.
mod hostile;
mod imports;
mod inputs;
mod lists;
/// Statistics and exports of the audit log, and the list at a point in time.
mod looking_back;
mod markup;
mod mcp;
mod memories;
mod models;
/// Metrics and spans.
mod observed;
mod openapi;
mod order;
/// Rate limits by address and user.
mod paces;
mod pages;
#[cfg(unix)]
mod private_files;
/// Questions before an action, in every channel.
mod questions;
mod quick_add;
mod reauthentication;
mod record;
mod reminders;
mod replicas;
mod scopes;
/// Answers to unseen questions, and options that confirm.
mod seen;
/// Consumption of a user's token quota.
mod shares;
#[cfg(unix)]
mod slow_clients;
mod start;
mod stopping;
/// Turn detail.
mod story;
/// Tampering with the audit log and its bundles.
mod tamper;
mod telegram;
mod transfer;
mod undo;
/// Signatures that cannot be checked.
mod unsigned;
