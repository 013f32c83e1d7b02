//! Server functions: the browser's door and the API's. Form-encoded in, JSON out, at fixed paths under `/api/v1`.

/// Reads a struct whose first field is flattened, by way of a JSON value: serde's own flattening would put a second copy of
/// every reader into the page's download.
macro_rules! read_flat {
    ($name:ident { $whole:ident: $type:ty, $($field:ident: $of:ty),+ $(,)? }) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                struct Rest {
                    $($field: $of),+
                }
                let value = serde_json::Value::deserialize(deserializer)?;
                let value = $crate::api::read::Read(&value);
                let Rest { $($field),+ } = Rest::deserialize(value).map_err(serde::de::Error::custom)?;
                let $whole = <$type>::deserialize(value).map_err(serde::de::Error::custom)?;
                Ok(Self { $whole, $($field),+ })
            }
        }
    };
}

/// Other people's accounts, for admins.
pub mod admin;
/// Requests that wait for a yes, and the verdict.
pub mod approvals;
/// The list as it was at any moment.
pub mod as_of;
/// The record: decisions and calls.
pub mod audit;
/// Talking to the agent.
pub mod chat;
/// Who is calling, and the cookies of a request.
#[cfg(feature = "ssr")]
pub mod context;
/// The one error that crosses the wire.
pub mod error;
/// Turns of the record as files.
#[cfg(feature = "ssr")]
mod exported;
/// What a page says once after something was done by a plain form.
pub mod flash;
/// Tasks from files.
pub mod import;
/// A field that may be sent once or several times.
pub mod listed;
/// What is remembered.
pub mod memories;
/// Texts in hidden fields.
#[cfg(feature = "ssr")]
pub mod packed;
/// Structs out of JSON values.
pub mod read;
/// Actions that need the password again.
#[cfg(feature = "ssr")]
pub mod reauthentication;
/// The API described: one table of its functions.
#[cfg(feature = "ssr")]
pub mod reference;
/// Reminders that are put off.
pub mod reminders;
/// What is only read, as pieces of HTML.
#[cfg(feature = "ssr")]
mod rendered;
/// Signing in and out, the first account, and what every page needs to know.
pub mod session;
/// An account's own preferences and tokens.
pub mod settings;
/// The task list.
pub mod tasks;
/// Linking with a chat on Telegram.
pub mod telegram;
/// Instants, dates and calls in words: the browser has no calendar.
#[cfg(feature = "ssr")]
pub mod wording;

pub use error::ApiError;
