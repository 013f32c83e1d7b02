//! Docket from outside: the real binary, over HTTP and by its commands, on SQLite and on PostgreSQL.
//!
//! No test sleeps for a while and hopes: each waits for what it expects.

/// The real binary on a database of its own, and clients of it.
mod app;
/// What holds after every test.
mod invariants;
/// A stand-in for a provider.
mod mock;

/// Signing in and out, tokens, scopes, limits.
mod accounts;
/// Asking, answering, expiring.
mod approvals;
/// What lies in the bin too long.
mod bin;
/// From a message to a task.
mod chat;
/// Servers killed at every point and at any moment.
mod crashes;
/// Wrong input of every kind.
mod errors;
/// The evaluation beside the server.
mod evaluation;
/// The event stream.
mod events;
/// Models that fail.
mod failures;
/// Other people's rows.
mod foreign;
/// A model that is out to do harm.
mod hostile;
/// Models: what they are sent and what they may.
mod models;
/// Headers, files, pages.
mod pages;
/// Lines of quick add.
mod quick_add;
/// Several processes on one database, and restarts.
mod replicas;
/// What uses up a user's share of the model.
mod shares;
/// Starting, refusing to start, stopping.
mod start;
/// SIGTERM while turns run.
mod stopping;
/// Taking back what was done.
mod undo;
