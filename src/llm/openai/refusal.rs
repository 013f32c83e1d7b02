//! Classification of provider errors: about the provider or about this one request. Status and error names decide,
//! never the message, which may quote the person. The message can at most cause one retry in another form.

use std::time::Duration;

use http::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use jiff::fmt::rfc2822;
use serde_json::Value;

use super::super::LlmError;

/// Error names about the request, whatever the status.
const UNFIT: &[&str] =
    &["context_length_exceeded", "exceed_context_size_error", "content_filter", "content_policy_violation"];
/// Error names about the key, the model or the account, whatever the status.
const NOBODY: &[&str] = &["API_KEY_INVALID", "invalid_api_key", "model_not_found", "insufficient_quota"];

/// Fields that some models and servers accept only in certain forms.
const TEMPERATURE: &str = "temperature";
const CONTENT: &str = "content";

/// Maximum bytes of an error name shown to people.
const LONGEST_WORD: usize = 64;

/// Returns the delay of `Retry-After`: seconds, or a date relative to the `Date` header (RFC 9110, 10.2.3).
pub fn after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    let said = text(RETRY_AFTER)?.trim();
    let date = |text: &str| rfc2822::parse(text).ok().map(|date| date.timestamp());
    let until = || Duration::try_from(date(said)?.duration_since(date(text(DATE)?)?)).ok();
    // A date in the past gives no delay.
    said.parse().map(Duration::from_secs).ok().or_else(until)
}

/// Classifies an error by its status, its `Retry-After` and its body.
pub fn read(status: u16, after: Option<Duration>, body: &Value) -> LlmError {
    // Gemini wraps errors in a list.
    let error = if body.is_array() { &body[0]["error"] } else { &body["error"] };
    let word = |field: &&str| error[*field].as_str().filter(|word| word.len() <= LONGEST_WORD);
    let mut named: Vec<&str> = ["code", "type", "param"].iter().filter_map(word).collect();
    let reasons = error["details"].as_array().into_iter().flatten().filter_map(|detail| detail["reason"].as_str());
    let names: Vec<&str> = named.iter().copied().chain(reasons).collect();
    let one_of = |known: &[&str]| names.iter().any(|name| known.contains(name));
    // OpenRouter's field for input that an upstream filter blocked.
    let filtered = status == 403 && error["metadata"]["flagged_input"].is_string();
    let what = match status {
        _ if filtered || one_of(UNFIT) => "the provider does not accept the request",
        401 | 403 => "the provider does not accept the API key",
        400 if one_of(&["API_KEY_INVALID", "invalid_api_key"]) => "the provider does not accept the API key",
        402 => "the provider wants to be paid first",
        300..=399 | 404 | 405 | 410 => "the provider does not know the model, or the address is wrong",
        429 if one_of(NOBODY) => "the provider's quota is used up",
        429 => "the provider is asked too often",
        400..=499 if one_of(NOBODY) => "the provider does not know the model, or the address is wrong",
        400..=499 => "the provider does not accept the request",
        _ => "the provider has a fault",
    };
    // These rejections may be avoided by another form of the request.
    let said = if matches!(status, 400 | 422 | 500) && !one_of(UNFIT) { body.to_string() } else { String::new() };
    for word in [TEMPERATURE, CONTENT] {
        // For status 500, the message must also name a value type, to exclude unrelated faults.
        let of_kind = status != 500 || ["string", "null", "nil"].iter().any(|kind| said.contains(kind));
        if said.contains(word) && of_kind && !named.contains(&word) {
            named.push(word);
        }
    }
    let why = format!("{what} (status {status}{}{})", if named.is_empty() { "" } else { ", " }, named.join(", "));
    match (status, after) {
        _ if filtered || one_of(UNFIT) => LlmError::Unfit(why),
        _ if one_of(NOBODY) => LlmError::Refused(why),
        (429 | 503, Some(after)) => LlmError::Busy { why, after },
        (408 | 409 | 425 | 429 | 500.., _) => LlmError::Unavailable(why),
        (300..=399 | 401..=405 | 407 | 410, _) => LlmError::Refused(why),
        _ => LlmError::Unfit(why),
    }
}

pub fn is_about_temperature(error: &LlmError) -> bool {
    matches!(error, LlmError::Unfit(why) if why.contains(TEMPERATURE))
}

/// Returns true if the error concerns a message's content. Some servers report it as status 500.
pub fn is_about_content(error: &LlmError) -> bool {
    matches!(error, LlmError::Unfit(why) | LlmError::Unavailable(why) if why.ends_with(&format!(", {CONTENT})")))
}

/// Returns the error within an answer of status 200, if there is one.
pub fn inside(answer: &Value) -> Option<LlmError> {
    let error =
        answer.get("error").filter(|error| error.is_object() || error.as_str().is_some_and(|text| !text.is_empty()))?;
    let status = error["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or_default();
    Some(match status {
        400..600 => read(status, None, answer),
        _ => read(500, None, answer),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(error: &LlmError) -> &'static str {
        match error {
            LlmError::Unavailable(_) => "away",
            LlmError::Busy { .. } => "busy",
            LlmError::Refused(_) => "refuses",
            LlmError::Unfit(_) => "unfit",
            LlmError::Empty(_) | LlmError::Late(_) | LlmError::Resting => "other",
        }
    }

    #[test]
    fn status_distinguishes_provider_failures_from_request_errors() {
        for (status, error, expected) in [
            (400, json!({ "message": "bad schema" }), "unfit"),
            (400, json!({ "message": "too long", "code": "context_length_exceeded" }), "unfit"),
            (413, json!({}), "unfit"),
            (422, json!({}), "unfit"),
            (500, json!({ "type": "exceed_context_size_error" }), "unfit"),
            (403, json!({ "metadata": { "flagged_input": "…" } }), "unfit"),
            (400, json!({ "message": "I say model_not_found and API_KEY_INVALID" }), "unfit"),
            (400, json!({ "code": "model_not_found" }), "refuses"),
            (400, json!({ "details": [{ "reason": "API_KEY_INVALID" }] }), "refuses"),
            (401, json!({}), "refuses"),
            (402, json!({}), "refuses"),
            (403, json!({}), "refuses"),
            (404, json!({}), "refuses"),
            (308, json!({}), "refuses"),
            (429, json!({ "code": "insufficient_quota" }), "refuses"),
            (429, json!({}), "away"),
            (408, json!({}), "away"),
            (500, json!({}), "away"),
            (503, json!({}), "away"),
        ] {
            for body in [json!({ "error": error }), json!([{ "error": error }])] {
                assert_eq!(kind(&read(status, None, &body)), expected, "{status} {body}");
            }
        }
        for status in [429, 503] {
            assert_eq!(kind(&read(status, Some(Duration::from_secs(1)), &Value::Null)), "busy");
        }
    }

    #[test]
    fn retry_after_header_accepts_seconds_or_an_http_date() {
        let sent = "Wed, 11 Mar 2026 09:30:00 GMT";
        for (said, date, seconds) in [
            ("7", None, Some(7)),
            (" 7 ", Some(sent), Some(7)),
            ("Wed, 11 Mar 2026 09:30:04 GMT", Some(sent), Some(4)),
            ("Thu, 12 Mar 2026 09:30:00 GMT", Some(sent), Some(86_400)),
            (sent, Some(sent), Some(0)),
            ("Wed, 11 Mar 2026 09:29:00 GMT", Some(sent), None),
            ("Wed, 11 Mar 2026 09:30:04 GMT", None, None),
            ("-1", Some(sent), None),
            ("soon", Some(sent), None),
        ] {
            let mut headers = HeaderMap::from_iter([(RETRY_AFTER, said.parse().unwrap())]);
            headers.extend(date.map(|date| (DATE, date.parse().unwrap())));
            assert_eq!(after(&headers), seconds.map(Duration::from_secs), "{said} {date:?}");
        }
        assert_eq!(after(&HeaderMap::new()), None);
    }

    #[test]
    fn unsupported_temperature_is_distinguished_from_other_refusals() {
        let why = |body: Value| read(400, None, &json!({ "error": body })).to_string();
        assert!(why(json!({ "message": "Unsupported value: 'temperature'" })).contains("temperature"));
        assert!(why(json!({ "param": "temperature" })).contains("temperature"));
        assert!(!why(json!({ "message": "no" })).contains("temperature"));
    }

    #[test]
    fn an_error_inside_an_answer_counts_by_its_code() {
        for (answer, expected) in [
            (json!({ "choices": [] }), None),
            (json!({ "error": null }), None),
            (json!({ "error": "" }), None),
            (json!({ "error": "overloaded" }), Some("away")),
            (json!({ "error": { "message": "overloaded" } }), Some("away")),
            (json!({ "error": { "code": 502 } }), Some("away")),
            (json!({ "error": { "code": 401 } }), Some("refuses")),
            (json!({ "error": { "code": 400 } }), Some("unfit")),
            (json!({ "error": { "code": "context_length_exceeded" } }), Some("unfit")),
        ] {
            assert_eq!(inside(&answer).as_ref().map(kind), expected, "{answer}");
        }
    }
}
