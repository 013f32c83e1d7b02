//! Server functions of the browser and the API. Form-encoded input, JSON output, fixed paths under `/api/v1`.

/// Implements `Deserialize` by way of a JSON value for a struct whose first field is flattened. serde's own flattening would add
/// a second copy of every deserialiser to the page's download.
macro_rules! read_flat {
    ($name:ident { $whole:ident: $type:ty, $($field:ident: $of:ty),+ $(,)? }) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                struct Rest {
                    $($field: $of),+
                }
                let value = serde_json::Value::deserialize(deserializer)?;
                let value = $crate::api::compact_de::CompactDeserializer(&value);
                let Rest { $($field),+ } = Rest::deserialize(value).map_err(serde::de::Error::custom)?;
                let $whole = <$type>::deserialize(value).map_err(serde::de::Error::custom)?;
                Ok(Self { $whole, $($field),+ })
            }
        }
    };
}

pub mod admin;
pub mod approvals;
pub mod as_of;
pub mod audit;
#[cfg(feature = "ssr")]
mod audit_export;
pub mod chat;
pub mod compact_de;
#[cfg(feature = "ssr")]
pub mod context;
pub mod error;
pub mod flash;
#[cfg(feature = "ssr")]
mod fragments;
pub mod import;
pub mod integer_field;
pub mod memories;
#[cfg(feature = "ssr")]
pub mod packed;
#[cfg(feature = "ssr")]
pub mod reauthentication;
#[cfg(feature = "ssr")]
pub mod reference;
pub mod reminders;
pub mod repeated_field;
#[cfg(feature = "ssr")]
pub mod responses;
pub mod session;
pub mod settings;
pub mod tasks;
pub mod telegram;
#[cfg(feature = "ssr")]
pub mod views;

pub use error::ApiError;
