//! Sign-in, the first account, invitations and password resets.

pub const LINK_IS_VOID: &str = "This link was already used or has expired";
pub const ASK_FOR_ANOTHER_LINK: &str = "Ask an admin for a new link.";
pub const SIGN_IN: &str = "Sign in";
pub const WELCOME_TO_DOCKET: &str = "Welcome to Docket";
pub const A_NEW_PASSWORD: &str = "New password";
pub const CHOOSE_A_PASSWORD_FOR: &str = "Choose a password for ";
pub const YOU_SIGN_IN_WITH_IT: &str = ". You sign in with that name.";
pub const PASSWORD: &str = "Password";
pub const PASSWORD_HINT: &str = "At least 10 characters. Longer is better than complex.";
pub const TIME_ZONE: &str = "Time zone";
pub const ZONE_HINT: &str = "For example, Europe/London. Used for “today” and due times.";
pub const JOIN: &str = "Join";
pub const SAVE_AND_SIGN_IN: &str = "Save and sign in";
pub const WELCOME: &str = "Welcome";
pub const NAME: &str = "Name";
pub const FIRST_START: &str = "First start? Open the set-up link from the server log.";
pub const SET_UP: &str = "Set up";
pub const MAKE_THE_FIRST_ACCOUNT: &str = "Create the first account. It is an admin and can read every audit log.";
pub const NAME_HINT: &str = "Letters, digits, dots and dashes. You sign in with this name.";
pub const CREATE_ACCOUNT: &str = "Create account";
pub const A_NEW_LINK_IS_PRINTED: &str = "Docket prints a new link at each start until an admin exists.";
