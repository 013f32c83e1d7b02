//! One file per page; the table of them is in `app.rs`.

mod approval;
mod approvals;
/// The list at a point in time.
mod as_of;
/// The audit log.
mod audit;
mod chat;
/// All conversations: search, rename, hide.
mod conversations;
/// The layout around every page.
mod frame;
mod import;
/// Invitations and password resets.
mod join;
mod memory;
mod not_found;
/// The first account.
mod set_up;
/// Preferences, password and tokens.
mod settings;
mod sign_in;
/// The task list.
mod tasks;
/// User administration.
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
