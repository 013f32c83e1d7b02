//! One file per page; the table of them is in `app.rs`.

/// One request that waits for a yes.
mod approval;
/// Every request, newest first.
mod approvals;
/// The list as it was.
mod as_of;
/// The record.
mod audit;
/// The conversation beside the list.
mod chat;
/// Every conversation: search, titles, hiding.
mod conversations;
/// What surrounds every page of a signed-in account.
mod frame;
/// Tasks from files.
mod import;
/// Behind an invitation.
mod join;
/// What is remembered.
mod memory;
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
/// Other people's accounts.
mod users;

pub use approval::ApprovalPage;
pub use approvals::ApprovalsPage;
pub use as_of::AsOfPage;
pub use audit::AuditPage;
pub use chat::ChatPage;
pub use conversations::ConversationsPage;
pub use frame::Frame;
pub use import::ImportPage;
pub use join::JoinPage;
pub use memory::MemoryPage;
pub use not_found::NotFoundPage;
pub use set_up::SetUpPage;
pub use settings::SettingsPage;
pub use sign_in::SignInPage;
pub use tasks::TasksPage;
pub use users::UsersPage;
