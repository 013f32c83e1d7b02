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

/// Requests that wait for a yes, and the verdict.
pub mod approvals;
/// The record: decisions and calls.
pub mod audit;
/// Talking to the agent.
pub mod chat;
/// Who is calling, and the cookies of a request.
#[cfg(feature = "ssr")]
pub mod context;
/// The one error that crosses the wire.
pub mod error;
/// What a page says once after something was done by a plain form.
pub mod flash;
/// A field that may be sent once or several times.
pub mod listed;
/// Structs out of JSON values.
pub mod read;
/// Signing in and out, the first account, and what every page needs to know.
pub mod session;
/// An account's own preferences and tokens.
pub mod settings;
/// The task list.
pub mod tasks;
/// Instants, dates and calls in words: the browser has no calendar.
#[cfg(feature = "ssr")]
pub mod wording;

pub use error::ApiError;
