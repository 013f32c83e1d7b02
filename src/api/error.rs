//! The API's only error type: a code for programs, a sentence for people.

use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};

use crate::domain::Invalid;
use crate::domain::text::shortened;

/// Longest message, in characters.
const LONGEST: usize = 1_000;

/// The kind of error, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A field is missing or has the wrong type, or an id is invalid.
    Malformed,
    Unauthenticated,
    Forbidden,
    NotFound,
    Conflict,
    /// The page was made for another account than the one that is signed in now.
    SessionChanged,
    TooLarge,
    /// The request was understood, but a value breaks a rule.
    Invalid,
    RateLimited,
    Unavailable,
}

impl Code {
    /// Returns the HTTP status of the code.
    pub fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict | Self::SessionChanged => 409,
            Self::TooLarge => 413,
            Self::Invalid => 422,
            Self::RateLimited => 429,
            Self::Unavailable => 503,
        }
    }
}

/// An error on the wire: `{"error":{"code":"not_found","message":"…"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(from = "Wire", into = "Wire")]
#[error("{message}")]
pub struct ApiError {
    pub code: Code,
    /// One sentence that a person can act on.
    pub message: String,
    /// Seconds until the same request may succeed.
    pub retry_after: Option<i64>,
    /// True if an undo with `rest=true` could undo the remaining changes.
    pub rest: bool,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    error: Body,
}

#[derive(Serialize, Deserialize)]
struct Body {
    code: Code,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after: Option<i64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rest: bool,
}

impl From<Wire> for ApiError {
    fn from(Wire { error: Body { code, message, retry_after, rest } }: Wire) -> Self {
        Self { code, message, retry_after, rest }
    }
}

impl From<ApiError> for Wire {
    fn from(ApiError { code, message, retry_after, rest }: ApiError) -> Self {
        Self { error: Body { code, message, retry_after, rest } }
    }
}

impl ApiError {
    /// Shortens an overlong message: it may quote input of any length.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: shortened(message.into(), LONGEST), retry_after: None, rest: false }
    }

    pub fn status(&self) -> u16 {
        self.code.status()
    }

    /// Creates the error for an id or a choice that cannot be parsed.
    pub fn malformed(Invalid(sentence): Invalid) -> Self {
        Self::new(Code::Malformed, sentence)
    }
}

impl From<Invalid> for ApiError {
    fn from(Invalid(sentence): Invalid) -> Self {
        Self::new(Code::Invalid, sentence)
    }
}

#[cfg(feature = "ssr")]
impl From<crate::usecases::Error> for ApiError {
    fn from(error: crate::usecases::Error) -> Self {
        use crate::usecases::Error as E;
        let code = match &error {
            E::Invalid(_) => Code::Invalid,
            E::NotFound(_) => Code::NotFound,
            E::Conflict(_) | E::Partly(_) => Code::Conflict,
            E::Forbidden(_) => Code::Forbidden,
            E::Unauthenticated(_) => Code::Unauthenticated,
            E::RateLimited { .. } => Code::RateLimited,
            E::Fenced => Code::Conflict,
            E::Store(cause) => {
                tracing::error!(error = %error, ?cause, "the store failed");
                Code::Unavailable
            }
        };
        let rest = matches!(error, E::Partly(_));
        let retry_after = if let E::RateLimited { retry_after_s } = error { Some(retry_after_s) } else { None };
        Self { retry_after, rest, ..Self::new(code, error.to_string()) }
    }
}

impl FromServerFnError for ApiError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        use crate::messages::errors as messages;
        use ServerFnErrorErr as E;
        match error {
            E::MissingArg(field) => Self::new(Code::Malformed, messages::field_missing(&field)),
            E::Args(what) | E::Serialization(what) => Self::new(Code::Malformed, messages::request_unread(&what)),
            E::Request(_) => Self::new(Code::Unavailable, messages::UNREACHABLE),
            E::Registration(_)
            | E::UnsupportedRequestMethod(_)
            | E::ServerError(_)
            | E::MiddlewareError(_)
            | E::Deserialization(_)
            | E::Response(_) => Self::new(Code::Unavailable, messages::COULD_NOT_ANSWER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_back_from_its_wire_form() {
        let error = ApiError::new(Code::NotFound, "There is no task #9.");
        let wire = serde_json::to_string(&error).unwrap();
        assert_eq!(wire, r#"{"error":{"code":"not_found","message":"There is no task #9."}}"#);
        assert_eq!(serde_json::from_str::<ApiError>(&wire).unwrap(), error);
    }
}
