//! Fuzz target of the Markdown renderer: the HTML contains no script, no resource and no hidden link, and renders quickly.
#![no_main]

use docket::api::views::said::marked;
use docket::domain::task::Task;
use docket_fuzz::{soon, text};

const ELEMENTS: [&str; 14] =
    ["a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "span", "strong", "ul"];
/// Allowed prefixes of a link.
const LINKS: [&str; 4] = ["/tasks/", "http://", "https://", "mailto:"];

/// Allowed classes of a task mention.
const CLASSES: [&str; 3] = ["task-chip", "task-chip__title", "task-chip__state"];

/// Returns a mentioned task, whose title is no HTML either.
fn task() -> Task {
    let at = "2026-03-11T09:30:00Z";
    serde_json::from_value(serde_json::json!({
        "task_id": 7, "title": "<b onclick=\"x\">milk</b> & \"more\"", "description": null, "status": "completed",
        "priority": "none", "due": null, "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": at,
        "updated_at": at, "completed_at": at, "deleted_at": null,
    }))
    .expect("a task")
}

/// Returns true if the element may have the attribute.
fn allowed(element: &str, attribute: &str, value: &str) -> bool {
    match (element, attribute) {
        ("a", "href") => LINKS.iter().any(|it| value.to_lowercase().starts_with(it)),
        ("a", "rel") => true,
        ("a" | "span", "class") => CLASSES.contains(&value),
        ("ol", "start") => value.parse::<i64>().is_ok(),
        _ => false,
    }
}

docket_fuzz::target!(|data| {
    let text = text(data);
    let tasks = [task()];
    let html = soon(&text, || marked(&text, &tasks));
    for (at, _) in html.match_indices('<') {
        let tag = html[at + 1..].split('>').next().unwrap_or_default();
        let mut parts = tag.trim_start_matches('/').splitn(2, ' ');
        let name = parts.next().unwrap_or_default();
        assert!(ELEMENTS.contains(&name), "<{tag}> of {text:?}");
        let mut attributes = parts.next().unwrap_or_default();
        while let Some((attribute, rest)) = attributes.split_once("=\"") {
            let (value, rest) = rest.split_once('"').expect("a closing quote");
            assert!(allowed(name, attribute.trim_start(), value), "<{tag}> of {text:?}");
            attributes = rest;
        }
        assert!(attributes.trim().is_empty(), "<{tag}> of {text:?}");
    }
});
