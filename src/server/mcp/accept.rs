//! Wildcards in the `Accept` header (RFC 9110, 12.5.1), which rmcp does not support.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use super::{LISTEN, METHOD};

/// Both media types of an answer; rmcp requires that they are listed literally.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const TYPES: [(&str, &str); 2] = [("application", "json"), ("text", "event-stream")];

/// Lists both media types for a client that accepts both by a wildcard, or that sends no `Accept` header. Every answer except a
/// long-lived stream is JSON, so a client without streams needs no other type.
pub async fn spell_out(mut request: Request, next: Next) -> Response {
    let [json, events] = TYPES.map(|kind| accepts(request.headers(), kind));
    let streams = request.headers().get(METHOD).is_some_and(|method| method == LISTEN);
    if json && (events || !streams) {
        request.headers_mut().insert(header::ACCEPT, BOTH);
    }
    next.run(request).await
}

/// Returns true unless the most specific range that matches the media type has weight 0.
fn accepts(headers: &HeaderMap, (kind, subkind): (&str, &str)) -> bool {
    let given = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<_> = given.flat_map(|value| value.split(',')).filter(|range| !range.trim().is_empty()).collect();
    let matching = ranges.iter().filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let (main, sub) = parts.next()?.split_once('/')?;
        let specific = match (main, sub) {
            ("*", "*") => 0,
            (main, "*") if main.eq_ignore_ascii_case(kind) => 1,
            (main, sub) if main.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subkind) => 2,
            _ => return None,
        };
        let weight =
            parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        Some((
            specific,
            weight.and_then(|(_, weight)| weight.trim().parse::<f32>().ok()).is_none_or(|weight| weight > 0.0),
        ))
    });
    ranges.is_empty() || matching.max_by_key(|(specific, _)| *specific).is_some_and(|(_, wanted)| wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_accept_what_they_match() {
        for (given, json, events) in [
            ("", true, true),
            ("*/*", true, true),
            ("application/json, text/event-stream", true, true),
            ("application/*, text/*", true, true),
            ("*/*;q=0.1", true, true),
            ("text/html, */*;q=0.8", true, true),
            ("Application/JSON, */*", true, true),
            ("*/*, text/event-stream;q=0", true, false),
            ("application/*;q=0.000, */*", false, true),
            ("application/json", true, false),
            ("text/event-stream", false, true),
            ("text/html", false, false),
            ("*/*;q=0", false, false),
            ("json", false, false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, given.parse().unwrap())]);
            assert_eq!(TYPES.map(|kind| accepts(&headers, kind)), [json, events], "{given}");
        }
        assert!(TYPES.into_iter().all(|kind| accepts(&HeaderMap::new(), kind)));
    }
}
