//! What a model may write, made into HTML for a page: nothing that runs, loads or leads elsewhere unseen, and soon.
#![no_main]

use docket::api::wording::said::marked;
use docket_fuzz::{soon, text};

/// The elements that may come of it.
const ELEMENTS: [&str; 13] =
    ["a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "strong", "ul"];
/// How a link may begin.
const LINKS: [&str; 4] = ["/tasks/", "http://", "https://", "mailto:"];

docket_fuzz::target!(|data| {
    let text = text(data);
    let html = soon(&text, || marked(&text));
    for (at, _) in html.match_indices('<') {
        let tag = html[at + 1..].split('>').next().unwrap_or_default();
        let mut parts = tag.trim_start_matches('/').splitn(2, ' ');
        let name = parts.next().unwrap_or_default();
        assert!(ELEMENTS.contains(&name), "<{tag}> of {text:?}");
        let attributes = parts.next().unwrap_or_default();
        let leads = attributes
            .strip_prefix("href=\"")
            .is_some_and(|to| LINKS.iter().any(|it| to.to_lowercase().starts_with(it)));
        let counts = attributes
            .strip_prefix("start=\"")
            .is_some_and(|from| name == "ol" && from.trim_end_matches('"').parse::<i64>().is_ok());
        let bare = attributes.is_empty() || name == "a" && attributes.starts_with("rel=\"");
        assert!(bare || leads || counts, "<{tag}> of {text:?}");
    }
});
