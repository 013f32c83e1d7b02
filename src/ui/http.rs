//! HTTP calls from the browser, with the addresses and form fields of the public API. One implementation serves all,
//! since each generated client would add kilobytes.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::api::ApiError;
use crate::api::compact_de::CompactDeserializer;
use crate::messages::errors as messages;

/// Encodes fields as a form sends them.
pub fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Returns the id of the page's account; empty if nobody was signed in. Requests send it, so that none is answered for
/// an account that signed in later.
pub fn account() -> String {
    browser::account()
}

/// Sends a GET request to `path`; returns the answer's JSON.
pub async fn get(path: &str, query: &str) -> Result<String, ApiError> {
    browser::get(path, &format!("{query}{}account={}", if query.is_empty() { "" } else { "&" }, account())).await
}

pub async fn post(path: &str, form: String) -> Result<Value, ApiError> {
    // A form on the page already has the field.
    let form = if form.contains("account=") { form } else { format!("{form}&account={}", account()) };
    let text = browser::post(path, form).await?;
    serde_json::from_str(&text).map_err(|_| unreadable())
}

/// Parses an answer, through a [`Value`], so that each type has a single deserialiser.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    let value = serde_json::from_str::<Value>(text).map_err(|_| unreadable())?;
    read_value(&value).ok_or_else(unreadable)
}

pub fn read_value<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(CompactDeserializer(value)).ok()
}

/// Returns the error for an unexpected answer: the page is older or newer than the server.
pub fn unreadable() -> ApiError {
    ApiError::new(crate::api::error::Code::Unavailable, messages::ANSWER_UNKNOWN_TO_THIS_PAGE)
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::{document, window};
    use leptos::server_fn::client::Client;
    use leptos::server_fn::client::browser::BrowserClient;
    use leptos::server_fn::request::ClientReq;
    use leptos::server_fn::request::browser::BrowserRequest;
    use leptos::server_fn::response::ClientRes;
    use leptos::server_fn::response::browser::BrowserResponse;

    use super::{ApiError, read};
    use crate::api::error::Code;

    const FORM: &str = "application/x-www-form-urlencoded";
    const JSON: &str = "application/json";

    pub async fn get(path: &str, query: &str) -> Result<String, ApiError> {
        answer(<BrowserRequest as ClientReq<ApiError>>::try_new_get(path, FORM, JSON, query)?).await
    }

    pub async fn post(path: &str, form: String) -> Result<String, ApiError> {
        answer(<BrowserRequest as ClientReq<ApiError>>::try_new_post(path, FORM, JSON, form)?).await
    }

    async fn answer(request: BrowserRequest) -> Result<String, ApiError> {
        let response: BrowserResponse = <BrowserClient as Client<ApiError>>::send(request).await?;
        let failed = ClientRes::<ApiError>::status(&response) >= 400;
        let text = ClientRes::<ApiError>::try_into_string(response).await?;
        // A message over the rate limit is answered with a turn that says so.
        if !failed || text.contains("\"turn_id\"") {
            return Ok(text);
        }
        let error: ApiError = read(&text).unwrap_or_else(|unreadable| unreadable);
        if error.code == Code::SessionChanged {
            window().location().reload().ok();
        }
        Err(error)
    }

    pub fn account() -> String {
        let root = document().document_element();
        root.and_then(|root| root.get_attribute("data-account")).unwrap_or_default()
    }
}

#[cfg(not(feature = "hydrate"))]
mod browser {
    use super::{ApiError, unreadable};

    pub async fn get(_path: &str, _query: &str) -> Result<String, ApiError> {
        Err(unreadable())
    }

    pub async fn post(_path: &str, _form: String) -> Result<String, ApiError> {
        Err(unreadable())
    }

    #[cfg(feature = "ssr")]
    pub fn account() -> String {
        crate::api::session::page_account().unwrap_or_default()
    }

    #[cfg(not(feature = "ssr"))]
    pub fn account() -> String {
        String::new()
    }
}
