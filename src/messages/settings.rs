//! An account's own settings.

pub const SIGNED_IN_AS: &str = "Signed in as ";
pub const SIGN_OUT: &str = "Sign out";
pub const MANAGE_USERS: &str = "Manage users";
pub const TIME_ZONE: &str = "Time zone";
pub const ZONE: &str = "Zone";
pub const ZONE_HINT: &str = "For example, Europe/London. Used for “today” and due times.";
pub const SAVE_TIME_ZONE: &str = "Save time zone";
pub const PASSWORD: &str = "Password";
pub const CURRENT_PASSWORD: &str = "Current password";
pub const NEW_PASSWORD: &str = "New password";
pub const PASSWORD_HINT: &str = "At least 10 characters.";
pub const CHANGE_PASSWORD: &str = "Change password";
pub const APPEARANCE: &str = "Appearance";
pub const AS_THE_DEVICE: &str = "System";
pub const LIGHT: &str = "Light";
pub const DARK: &str = "Dark";
pub const KEYS: &str = "Keyboard shortcuts, such as q to add a task (? shows all)";
pub const ON: &str = "On";
pub const OFF: &str = "Off";
pub const SAVE_APPEARANCE: &str = "Save appearance";
pub const ASSISTANT: &str = "Assistant";
pub const WHAT_DOCKET_REMEMBERS: &str = "Memories";
pub const TEST_THE_MODEL: &str = "Test the model";
pub const ANSWER_ME_WITHOUT_IT: &str = "Use the built-in rules";
pub const ANSWER_ME_WITH_THE_MODEL: &str = "Use the model";
pub const YOUR_DATA: &str = "Your data";
pub const WHAT_IS_EXPORTED: &str = "Export everything as JSON (tasks, conversations, approvals, changes, memories, settings), or \
     your tasks as CSV. You can import tasks from files of other apps.";
pub const EVERYTHING_JSON: &str = "Everything (JSON)";
pub const TASKS_CSV: &str = "Tasks (CSV)";
pub const IMPORT_TASKS: &str = "Import tasks";
pub const SETTINGS: &str = "Settings";
pub const TOOL_POLICY: &str = "Tool policy";
pub const WHAT_THE_POLICY_IS: &str =
    "Choose when tools need your approval. Rules can be stricter than the default, never weaker.";
pub const NOTIFICATIONS_SHOW: &str = "Reminders are shown as notifications while a Docket tab is open.";
pub const NOTIFICATIONS_NOT_ALLOWED: &str =
    "Notifications are blocked in this browser. Reminders are shown on the page.";
pub const TELEGRAM_AND_REMINDERS: &str = "Telegram and reminders";
pub const SHOW_NOTIFICATIONS: &str = "Show reminders as notifications";
