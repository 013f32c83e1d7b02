//! Error messages.

pub fn field_missing(field: &str) -> String {
    format!("The field {field} is missing.")
}

pub fn request_unread(what: &str) -> String {
    format!("The request could not be read: {what}.")
}

pub const UNREACHABLE: &str = "Docket cannot be reached. Check the connection and try again.";
pub const COULD_NOT_ANSWER: &str = "Docket could not answer. Please try again.";
pub const NOT_READY_YET: &str = "Docket is not ready yet. Please try again.";
pub fn signed_in_as(name: &str) -> String {
    format!(
        "You are now signed in as {name}, but this page belongs to another account. Nothing was changed. Reload the page."
    )
}

pub const SIGN_IN_FIRST: &str = "Sign in first, or send a valid token.";

pub fn token_lacks_scope(scope: &str) -> String {
    format!("This token lacks the scope {scope}.")
}

pub const ONLY_THE_BROWSER: &str = "This needs a browser session; a token is not enough.";
pub const ONLY_AN_ADMIN: &str = "Only an admin may do this.";
pub const NOTHING_HERE: &str = "There is nothing at this address.";
pub const NO_SUCH_USER: &str = "There is no such user.";
pub const TOKEN_LACKS_SCOPE_AUDIT: &str = "This token lacks the scope audit.";
pub const SEND_FORM_FIELDS: &str = "Send form fields, as application/x-www-form-urlencoded.";
pub fn no_whole_number(text: &str) -> String {
    format!("“{text}” is not a whole number; use a number such as 3.")
}

pub const FORM_NOT_UTF_8: &str = "The form is not UTF-8 text.";

pub const NUL_IN_TEXT: &str = "Text must not contain the control character NUL (U+0000).";

pub fn too_many_fields(most: usize) -> String {
    format!("A request may have at most {most} fields.")
}

pub fn name_too_long(most: usize) -> String {
    format!("A field name may have at most {most} bytes.")
}

pub fn list_too_long(most: usize) -> String {
    format!("A list in a request may have at most {most} items.")
}

pub fn request_too_large(limit: usize) -> String {
    format!("The request is too large; the limit is {limit} KB.")
}

pub const TOO_MANY_CONNECTIONS: &str = "Docket has too many open connections. Try again in a few seconds.";
pub const LONG_WORK_RUNS: &str = "A verification or other long work is already running. Try again when it is done.";
pub const REQUEST_NOT_WHOLE: &str = "The request was incomplete.";

pub fn does_not_take(path: &str, method: &str) -> String {
    format!("{path} does not support {method}.")
}

pub fn nothing_at(path: &str) -> String {
    format!("There is nothing at {path}.")
}

pub const REQUEST_TOO_LARGE: &str = "The request is too large.";
pub const REQUEST_UNREAD: &str = "The request could not be read.";
pub const SIGN_IN_OR_SEND_A_TOKEN: &str = "Sign in, or send a token.";
pub const DID_NOT_WORK: &str = "Something went wrong. Please try again.";
pub const TOKEN_MAY_NOT_READ_EVENTS: &str = "This token may not read events; it needs the scope chat or tasks:read.";

pub fn too_many_streams(most: usize) -> String {
    format!("This account already has {most} open event streams, the maximum. Close one and try again.")
}

pub const NOT_AN_EVENT: &str = "“after” and Last-Event-ID must be event numbers.";
pub const DATABASE_DID_NOT_ANSWER: &str = "The database did not answer. Try again in a moment.";
pub const FROM_ANOTHER_SITE: &str = "This request came from another site, so nothing was done.";
pub const TOKEN_NOT_VALID: &str = "This token is unknown or no longer valid.";
pub const FORM_NOT_WHOLE: &str = "The form was incomplete. Send it again.";
pub const FORM_UNREAD: &str = "The form cannot be read.";
pub const FILE_NOT_UTF_8: &str = "The file is not UTF-8 text. Save it as UTF-8 and select it again.";
pub const ANSWER_UNKNOWN_TO_THIS_PAGE: &str = "The server’s answer could not be read. Reload the page.";
pub const NOTHING_WAS_ASKED: &str = "Nothing was requested.";

/// Description of a value with an unexpected type.
pub const ANOTHER_KIND_OF_VALUE: &str = "a value of another type";

/// A notice on any page, with the place to dismiss it.
pub fn see_the_settings(notice: &str) -> String {
    format!("{notice} Dismiss this in Settings, under Telegram.")
}
