//! Asking the server from the browser: the addresses and fields of plain forms and of other programs, and one piece of code
//! for all of them, since every generated client would weigh some kilobytes.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::api::ApiError;
use crate::api::read::Read;
use crate::words::errors as words;

/// Fields as a form sends them.
pub fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// The account that the page was made for; empty where nobody was signed in. A request of the page says it, so that none is answered
/// for who has signed in since.
pub fn account() -> String {
    browser::account()
}

/// Reads from `path`; the answer is JSON.
pub async fn get(path: &str, query: &str) -> Result<String, ApiError> {
    browser::get(path, &format!("{query}{}account={}", if query.is_empty() { "" } else { "&" }, account())).await
}

/// Sends a form to `path`.
pub async fn post(path: &str, form: String) -> Result<Value, ApiError> {
    // A form on the page has the field itself.
    let form = if form.contains("account=") { form } else { format!("{form}&account={}", account()) };
    let text = browser::post(path, form).await?;
    serde_json::from_str(&text).map_err(|_| unreadable())
}

/// Reads an answer. By way of a value, so that there is one reader of each type.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    let value = serde_json::from_str::<Value>(text).map_err(|_| unreadable())?;
    read_value(&value).ok_or_else(unreadable)
}

/// Reads a part of an answer.
pub fn read_value<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(Read(value)).ok()
}

/// The answer was not what this page expects: it is older or newer than the server.
pub fn unreadable() -> ApiError {
    ApiError::new(crate::api::error::Code::Unavailable, words::ANSWER_UNKNOWN_TO_THIS_PAGE)
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
        // A message that came too fast is answered by a turn that says so.
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

#[cfg(test)]
mod tests {
    use super::form;

    #[test]
    fn fields_survive_the_way() {
        assert_eq!(
            form(&[("text", "call mum & dad, café"), ("n", "1")]),
            "text=call%20mum%20%26%20dad%2C%20caf%C3%A9&n=1"
        );
    }
}
