//! One file per page; the table of them is in `app.rs`.

/// One request that waits for a yes.
mod approval;
/// Every request, newest first.
mod approvals;
/// The record.
mod audit;
/// The conversation beside the list.
mod chat;
/// What surrounds every page of a signed-in account.
mod frame;
/// An address with nothing behind it.
mod not_found;
/// The first account.
mod set_up;
/// Preferences, password and tokens.
mod settings;
/// The way in.
mod sign_in;
/// The list.
mod tasks;

pub use approval::ApprovalPage;
pub use approvals::ApprovalsPage;
pub use audit::AuditPage;
pub use chat::ChatPage;
pub use frame::Frame;
pub use not_found::NotFoundPage;
pub use set_up::SetUpPage;
pub use settings::SettingsPage;
pub use sign_in::SignInPage;
pub use tasks::TasksPage;
