//! Docket from outside: the real binary, over HTTP and by its commands, on SQLite and on PostgreSQL.
//!
//! No test sleeps for a while and hopes: each waits for what it expects.

/// The real binary on a database of its own, and clients of it.
mod app;
/// A stand-in for Telegram.
mod botapi;
/// Requests and cookies.
mod browsing;
/// A stand-in for a collector of spans.
mod collector;
/// Databases of their own.
mod database;
/// What holds after every test.
mod invariants;
/// A stand-in for a provider.
mod mock;
/// Servers that stand in for others.
mod stand_in;

/// Signing in and out, tokens, scopes, limits.
mod accounts;
/// Other people's accounts.
mod admins;
/// Asking, answering, expiring.
mod approvals;
/// Copies of the database.
mod backup;
/// What lies in the bin too long.
mod bin;
/// From a message to a task.
mod chat;
mod clocks;
/// From SQLite to PostgreSQL and back.
mod copy;
/// Servers killed at every point and at any moment.
mod crashes;
/// What docs/ says, held against the source.
mod documents;
/// A provider's vectors.
mod embeddings;
/// What was said, erased.
mod erasure;
/// Wrong input of every kind.
mod errors;
/// The evaluation beside the server.
mod evaluation;
/// The event stream.
mod events;
/// Models that fail.
mod failures;
/// Databases of earlier releases.
mod fixtures;
/// Other people's rows.
mod foreign;
/// A model that is out to do harm.
mod hostile;
/// Tasks from files, on a page.
mod imports;
/// Limits on what a request consists of.
mod inputs;
/// One task's page, projects and tags, several tasks at once.
mod lists;
/// The record in figures and as files, and the list as it was.
mod looking_back;
/// Strings that are out to become markup.
mod markup;
/// Outside agents.
mod mcp;
/// What is remembered.
mod memories;
/// Models: what they are sent and what they may.
mod models;
/// What operators watch.
mod observed;
/// The API's description, held against the API.
mod openapi;
/// The order by hand, samples, and what was done last.
mod order;
/// What comes from one address.
mod paces;
/// Headers, files, pages.
mod pages;
/// Files that only their owner can use.
#[cfg(unix)]
mod private_files;
/// What is asked before something is done, in every channel.
mod questions;
/// Lines of quick add.
mod quick_add;
/// Actions that need the password again, and what a new password ends.
mod reauthentication;
/// The record, verified.
mod record;
/// Tasks whose time comes.
mod reminders;
/// Several processes on one database, and restarts.
mod replicas;
/// Scopes of tokens, by every door.
mod scopes;
/// Answers to questions that were not seen, and options that confirm.
mod seen;
/// What uses up a user's share of the model.
mod shares;
/// Connections that send little.
#[cfg(unix)]
mod slow_clients;
/// Starting, refusing to start, stopping.
mod start;
/// SIGTERM while turns run.
mod stopping;
/// A turn told from beginning to end.
mod story;
/// The record, spoilt and signed, and as a file.
mod tamper;
/// The second door.
mod telegram;
/// What people bring and take along.
mod transfer;
/// Taking back what was done.
mod undo;
/// Records whose signatures cannot be checked.
mod unsigned;
