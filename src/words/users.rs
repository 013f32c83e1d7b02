//! Other people's accounts.

pub const ACCOUNTS: &str = "Accounts";
pub const TOOL_POLICY_FOR_EVERYONE: &str = "Tool policy for everyone";
pub const WHAT_THE_POLICY_IS: &str =
    "It holds for every account. People may be stricter with themselves, and never laxer.";
pub const INVITE_SOMEBODY: &str = "Invite somebody";
pub const HOW_AN_INVITATION_WORKS: &str =
    "You get a link to pass on. Whoever opens it chooses the password; it works once, and for seven days.";
pub const NAME: &str = "Name";
pub const ROLE: &str = "Role";
pub const USER: &str = "User";
pub const ADMIN: &str = "Admin";
pub const MAKE_THE_LINK: &str = "Make the link";
pub const INVITED: &str = "Invited";
pub const DISABLED: &str = "Disabled";
pub const YOU: &str = "You";
pub const NEW_INVITATION: &str = "New invitation";
pub const NEW_PASSWORD_LINK: &str = "New password link";
pub const ENABLE: &str = "Enable";
pub const MAKE_A_USER: &str = "Make a user";
pub const MAKE_AN_ADMIN: &str = "Make an admin";

pub fn disable_account(name: &str) -> String {
    format!("Disable {name}…")
}

pub const DISABLE: &str = "Disable…";
pub const WHAT_DISABLING_MEANS: &str =
    "Sessions and tokens end at once, and so does what is under way. The data stays.";
pub const DISABLE_THE_ACCOUNT: &str = "Disable the account";

pub fn erase_texts_of(name: &str) -> String {
    format!("Erase the texts of {name}…")
}

pub const ERASE: &str = "Erase…";
pub const WHAT_IS_ERASED: &str = "What they said, what was answered and done, and what is remembered of it goes for good. Their \
     tasks stay; the record keeps a digest of every text and says that you erased it.";
pub const ONLY_WHAT_IS_OLDER: &str = "Only what is older than (empty: all)";

pub fn type_name(name: &str) -> String {
    format!("Type {name} to erase it")
}

pub const ERASE_FOR_GOOD: &str = "Erase for good";
pub const USERS: &str = "Users";

pub fn last_here(at: &str) -> String {
    format!("Last here {at}")
}

pub const NEVER_HERE: &str = "Never here";

pub fn since(at: &str) -> String {
    format!("since {at}")
}
