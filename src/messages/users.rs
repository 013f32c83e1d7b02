//! User administration.

pub const ACCOUNTS: &str = "Accounts";
pub const TOOL_POLICY_FOR_EVERYONE: &str = "Tool policy for everyone";
pub const WHAT_THE_POLICY_IS: &str = "Applies to every account. Users can tighten it, not loosen it.";
pub const INVITE_SOMEBODY: &str = "Invite a user";
pub const HOW_AN_INVITATION_WORKS: &str = "Creates an invitation link. The invited user sets a password with it. The link works \
     once and expires in seven days.";
pub const NAME: &str = "Name";
pub const ROLE: &str = "Role";
pub const USER: &str = "User";
pub const ADMIN: &str = "Admin";
pub const MAKE_THE_LINK: &str = "Create link";
pub const INVITED: &str = "Invited";
pub const DISABLED: &str = "Disabled";
pub const YOU: &str = "You";
pub const NEW_INVITATION: &str = "New invitation";
pub const NEW_PASSWORD_LINK: &str = "New password link";
pub const ENABLE: &str = "Enable";
pub const MAKE_A_USER: &str = "Change role to user";
pub const MAKE_AN_ADMIN: &str = "Change role to admin";

pub fn disable_account(name: &str) -> String {
    format!("Disable {name}…")
}

pub const DISABLE: &str = "Disable…";
pub const WHAT_DISABLING_MEANS: &str = "Sessions, tokens and running turns end immediately. The data is kept.";
pub const DISABLE_THE_ACCOUNT: &str = "Disable account";

pub fn erase_texts_of(name: &str) -> String {
    format!("Erase conversations of {name}…")
}

pub const ERASE: &str = "Erase…";
pub const WHAT_IS_ERASED: &str = "Permanently erases their messages, the replies, tool calls, changes and memories. Tasks are kept. \
     The audit log keeps a hash of each text and records the erasure.";
pub const ONLY_WHAT_IS_OLDER: &str = "Only older than (empty = all)";

pub fn type_name(name: &str) -> String {
    format!("Type {name} to confirm")
}

pub const ERASE_FOR_GOOD: &str = "Erase permanently";
pub const USERS: &str = "Users";

pub fn last_here(at: &str) -> String {
    format!("Last seen {at}")
}

pub const NEVER_HERE: &str = "Never signed in";

pub fn since(at: &str) -> String {
    format!("since {at}")
}
