//! Access to an account: sessions, tokens, and the form that erases conversations.

pub const SIGNED_IN: &str = "Signed in";
pub const SIGN_OUT_EVERYWHERE_ELSE: &str = "Sign out of all other browsers";
pub const PERSONAL_TOKENS: &str = "Personal tokens";
pub const WHAT_TOKENS_ARE_FOR: &str =
    "For agents and scripts that use your list. A token has only the scopes that you select.";
pub const NO_TOKENS_YET: &str = "No tokens yet.";
pub const ERASE_WHAT_WAS_SAID: &str = "Erase conversations";
pub const WHAT_IS_ERASED: &str = "Erases your messages, the replies, tool calls, changes and memories. Tasks are kept.";
pub const ERASE: &str = "Erase…";
pub const ERASING_IS_FOR_GOOD: &str = "This cannot be undone, and erased changes can no longer be shown or undone. The audit log \
     keeps a hash of each text and records the erasure. Running turns are not affected.";
pub const ONLY_WHAT_IS_OLDER_THAN: &str = "Only older than";
pub const EMPTY_ERASES_EVERYTHING: &str = "Leave it empty to erase everything.";
pub const YOUR_PASSWORD: &str = "Your password";
pub const WHY_THE_PASSWORD_AGAIN: &str = "You last entered it more than ten minutes ago.";
pub const ENDS_WITH_THE_OLD_PASSWORD: &str = "All other browsers are signed out. Also:";
pub const REVOKE_ALL_TOKENS: &str = "Revoke all API tokens";
pub const UNLINK_TELEGRAM: &str = "Unlink Telegram";
pub const ERASE_FOR_GOOD: &str = "Erase permanently";

pub fn sign_out(device: &str) -> String {
    format!("Sign out {device}")
}

pub const SIGN_OUT: &str = "Sign out";
pub const THIS_BROWSER: &str = "This browser";

pub fn revoke(name: &str) -> String {
    format!("Revoke {name}")
}

pub const REVOKE: &str = "Revoke";
pub const REVOKED: &str = "Revoked";
pub const NEW_TOKEN: &str = "New token";
pub const NAME: &str = "Name";
pub const TOKEN_NAME_HINT: &str = "For example, “phone”.";
pub const IT_IS_FOR: &str = "Type";
pub const FOR_AN_AGENT: &str = "Agent over MCP: risky changes need your approval";
pub const FOR_YOUR_OWN_PROGRAM: &str = "Your own script: acts as you, without approval";
pub const PERSONAL: &str = "Personal";
pub const AGENTS: &str = "Agent";
pub const BUDGET: &str = "Changes per hour over MCP";
pub const BUDGET_HINT: &str = "0 = unlimited";

/// Budget of a token: changes per hour over MCP; 0 is unlimited.
pub fn budget(budget: i64) -> String {
    match budget {
        0 => "unlimited changes over MCP".into(),
        1 => "1 change per hour over MCP".into(),
        _ => format!("{budget} changes per hour over MCP"),
    }
}

pub const IT_MAY: &str = "Scopes";
pub const MAKE_THE_TOKEN: &str = "Create token";
pub const MAY_CHAT: &str = "Chat with the assistant and decide approvals, within the other scopes";
pub const MAY_READ_TASKS: &str = "Read tasks";
pub const MAY_WRITE_TASKS: &str = "Add and change tasks";
pub const MAY_DELETE_TASKS: &str = "Delete tasks";
pub const MAY_READ_THE_RECORD: &str = "Read your audit log";
pub const MAY_MANAGE_ACCOUNTS: &str = "Manage accounts";

pub const READ_TASKS: &str = "read tasks";
pub const WRITE_TASKS: &str = "add or change tasks";
pub const DELETE_TASKS: &str = "delete tasks";

/// Notice for a token that may chat but lacks scopes for tasks.
pub fn chat_lacks(powers: &[&str], scopes: &[&str]) -> String {
    let (powers, needed) = (listed(powers, "or"), listed(scopes, "and"));
    format!(
        "In a chat, this token can no longer {powers}, or approve this: a chat now has only the scopes of its token. To allow it, \
         create a new token that also has {needed}, and revoke this one."
    )
}

/// Joins items: `a, b or c`.
fn listed(items: &[&str], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

pub fn made(at: &str) -> String {
    format!("Created {at}")
}

/// Label of a session whose browser is unknown.
pub const A_BROWSER: &str = "A browser";

/// Times of the sign-in and, if known, of the last visit.
pub fn signed_in(seen: Option<&str>, at: &str) -> String {
    match seen {
        Some(seen) => format!("Last seen {seen} · signed in {at}"),
        None => format!("signed in {at}"),
    }
}

/// `Firefox on Linux`.
pub fn browser_on(browser: &str, system: &str) -> String {
    format!("{browser} on {system}")
}

/// Label of an unknown browser at sign-in.
pub const ANOTHER_BROWSER: &str = "Another browser";
