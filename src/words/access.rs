//! What opens an account: browsers that are signed in, tokens of programs; and the form that erases what was said.

pub const SIGNED_IN: &str = "Signed in";
pub const SIGN_OUT_EVERYWHERE_ELSE: &str = "Sign out everywhere else";
pub const PERSONAL_TOKENS: &str = "Personal tokens";
pub const WHAT_TOKENS_ARE_FOR: &str =
    "For agents and programs that use your list. Each may do what is ticked, and nothing else.";
pub const NO_TOKENS_YET: &str = "No tokens yet.";
pub const ERASE_WHAT_WAS_SAID: &str = "Erase what was said";
pub const WHAT_IS_ERASED: &str =
    "Your messages, the answers, what was done and changed, and what is remembered of it. Your tasks stay.";
pub const ERASE: &str = "Erase…";
pub const ERASING_IS_FOR_GOOD: &str = "Nothing of it can be shown, undone or brought back afterwards. The record keeps a digest of \
     every text, and that you erased it. What is under way stays.";
pub const ONLY_WHAT_IS_OLDER_THAN: &str = "Only what is older than";
pub const EMPTY_ERASES_EVERYTHING: &str = "Leave it empty to erase everything.";
pub const YOUR_PASSWORD: &str = "Your password";
pub const WHY_THE_PASSWORD_AGAIN: &str = "You last entered it more than ten minutes ago.";
pub const ENDS_WITH_THE_OLD_PASSWORD: &str = "All other browsers are signed out. Also";
pub const REVOKE_ALL_TOKENS: &str = "Revoke all API tokens";
pub const UNLINK_TELEGRAM: &str = "Unlink Telegram";
pub const ERASE_FOR_GOOD: &str = "Erase for good";

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
pub const TOKEN_NAME_HINT: &str = "What it is for, such as “phone”.";
pub const IT_IS_FOR: &str = "It is for";
pub const FOR_AN_AGENT: &str = "An agent, over MCP: what is risky waits for your yes";
pub const FOR_YOUR_OWN_PROGRAM: &str = "A program of yours: it does what is ticked, unasked";
pub const PERSONAL: &str = "Personal";
pub const AGENTS: &str = "An agent’s";
pub const BUDGET: &str = "Changes in an hour over MCP";
pub const BUDGET_HINT: &str = "0 is any number.";

/// How much a token may change over MCP.
pub fn budget(budget: i64) -> String {
    match budget {
        0 => "any number of changes over MCP".into(),
        1 => "1 change an hour over MCP".into(),
        _ => format!("{budget} changes an hour over MCP"),
    }
}

pub const IT_MAY: &str = "It may";
pub const MAKE_THE_TOKEN: &str = "Make the token";
pub const MAY_CHAT: &str = "Talk to the assistant and answer its questions, within what else is ticked";
pub const MAY_READ_TASKS: &str = "Read tasks";
pub const MAY_WRITE_TASKS: &str = "Add and change tasks";
pub const MAY_DELETE_TASKS: &str = "Delete tasks";
pub const MAY_READ_THE_RECORD: &str = "Read your record";
pub const MAY_MANAGE_ACCOUNTS: &str = "Manage accounts";

pub const READ_TASKS: &str = "read tasks";
pub const WRITE_TASKS: &str = "add or change tasks";
pub const DELETE_TASKS: &str = "delete tasks";

/// Notice for a token that may chat but lacks scopes for tasks.
pub fn chat_lacks(powers: &[&str], scopes: &[&str]) -> String {
    let (powers, needed) = (listed(powers, "or"), listed(scopes, "and"));
    format!(
        "In a chat, this token can no longer {powers}, nor approve that: a chat now has only the scopes of its token. To allow it, \
         make a new token that also has {needed}, and revoke this one."
    )
}

/// `a, b or c`.
fn listed(items: &[&str], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// When a token was made.
pub fn made(at: &str) -> String {
    format!("Made {at}")
}

/// Where a browser did not say which it is.
pub const A_BROWSER: &str = "A browser";

/// When a browser signed in and, where that is known, was last here.
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

/// A browser that does not say which it is, when it signs in.
pub const ANOTHER_BROWSER: &str = "Another browser";
