//! Toasts after an action. The caller appends the full stop.

use super::counts;

pub fn reminded_again(at: &str) -> String {
    format!("Snoozed until {at}")
}

pub fn renamed(title: &str) -> String {
    format!("Renamed to “{title}”")
}

pub fn hidden(title: &str) -> String {
    format!("Hidden: “{title}”. It reappears when you send a message in it")
}

pub fn shown_again(title: &str) -> String {
    format!("Shown again: “{title}”")
}

pub fn more_time(label: &str) -> String {
    format!("Extended. {label}")
}

pub const FORGOTTEN: &str = "Forgotten";
pub const EVERYTHING_IS_FORGOTTEN: &str = "All memories forgotten";
pub const YOUR_CHOICE_IS_SAVED: &str = "Choice saved";
pub const YOUR_PASSWORD_IS_CHANGED: &str = "Password changed";
pub const YOUR_APPEARANCE_IS_SAVED: &str = "Appearance saved";
pub const YOUR_TIME_ZONE_IS_SAVED: &str = "Time zone saved";
pub const THE_TOOL_POLICY_IS_SAVED: &str = "Tool policy saved";
pub const THAT_BROWSER_IS_SIGNED_OUT: &str = "Browser signed out";
pub const EVERY_OTHER_BROWSER_SIGNED_OUT: &str = "All other browsers signed out";

pub fn is_disabled(name: &str) -> String {
    format!("{name} is disabled")
}

pub fn is_let_in_again(name: &str) -> String {
    format!("{name} is enabled again")
}

pub fn send_to_the_bot(code: &str) -> String {
    format!("Send /start {code} to the bot")
}

pub const TELEGRAM_IS_UNLINKED: &str = "Telegram unlinked";
pub const THE_TOKEN_NO_LONGER_WORKS: &str = "Token revoked";

pub fn added(title: &str) -> String {
    format!("Added “{title}”")
}

pub fn saved(title: &str) -> String {
    format!("Saved “{title}”")
}

pub fn completed(title: &str) -> String {
    format!("Completed “{title}”")
}

pub fn reopened(title: &str) -> String {
    format!("Reopened “{title}”")
}

pub fn binned(title: &str) -> String {
    format!("Moved to the bin: “{title}”")
}

pub fn restored(title: &str) -> String {
    format!("Restored “{title}”")
}

pub fn added_lines(count: usize) -> String {
    format!("Added {}", counts::tasks(count))
}

/// Result of an import: tasks added, tasks already on the list, rows skipped and details skipped.
pub fn imported(added: u64, already: u64, left_out: u64, details: u64) -> String {
    let already = if already > 0 { format!("; {already} already on your list") } else { String::new() };
    let left_out = if left_out > 0 {
        format!("; {left_out} {} skipped", counts::plural(left_out, "row", "rows"))
    } else {
        String::new()
    };
    let details = if details > 0 {
        format!("; {details} {} skipped", counts::plural(details, "detail", "details"))
    } else {
        String::new()
    };
    format!("Added {}{already}{left_out}{details}", counts::tasks(added))
}

/// Position of a moved task: above or below the other one.
pub fn moved(title: &str, above: bool, other: &str) -> String {
    let side = if above { "above" } else { "below" };
    format!("Moved “{title}” {side} “{other}”")
}

pub fn added_samples(count: usize) -> String {
    format!("Added {}", counts::samples(count))
}

pub fn removed_samples(count: usize) -> String {
    format!("Removed {}", counts::samples(count))
}

pub fn is_admin_now(name: &str) -> String {
    format!("{name} is now an admin")
}

pub fn is_user_now(name: &str) -> String {
    format!("{name} is now a user")
}

/// Result of an undo: some titles, the number of others, and why changes were left.
pub fn undone(titles: &str, more: usize, left: &[&str]) -> String {
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let left = left.iter().map(|why| format!(" Left: {why}")).collect::<String>();
    format!("Undone: {titles}{more}.{left}")
}

#[test]
fn one_task_is_no_plural() {
    assert_eq!([0, 1, 2].map(added_lines), ["Added 0 tasks", "Added 1 task", "Added 2 tasks"]);
    assert_eq!(imported(1, 1, 0, 0), "Added 1 task; 1 already on your list");
    assert_eq!([added_samples(1), removed_samples(5)], ["Added 1 sample", "Removed 5 samples"]);
}
