//! The way in: signing in, the first account, invitations, new passwords.

pub const LINK_IS_VOID: &str = "This link was used or has ended";
pub const ASK_FOR_ANOTHER_LINK: &str = "Ask an admin of this Docket for a new one.";
pub const SIGN_IN: &str = "Sign in";
pub const WELCOME_TO_DOCKET: &str = "Welcome to Docket";
pub const A_NEW_PASSWORD: &str = "A new password";
pub const CHOOSE_A_PASSWORD_FOR: &str = "Choose a password for ";
pub const YOU_SIGN_IN_WITH_IT: &str = ". You sign in with that name.";
pub const PASSWORD: &str = "Password";
pub const PASSWORD_HINT: &str = "At least 10 characters. Long beats complicated.";
pub const TIME_ZONE: &str = "Time zone";
pub const ZONE_HINT: &str = "A name such as Europe/London. It decides what “today” means.";
pub const JOIN: &str = "Join";
pub const SAVE_AND_SIGN_IN: &str = "Save and sign in";
pub const WELCOME: &str = "Welcome";
pub const NAME: &str = "Name";
pub const FIRST_START: &str = "First start? Open the set-up link that the server printed.";
pub const SET_UP: &str = "Set up";
pub const MAKE_THE_FIRST_ACCOUNT: &str = "Make the first account. It is an admin: it may read everyone’s record.";
pub const NAME_HINT: &str = "Letters, digits, dots and dashes. You sign in with it.";
pub const CREATE_ACCOUNT: &str = "Create account";
pub const A_NEW_LINK_IS_PRINTED: &str = "Docket prints a new one at each start until there is an admin.";
