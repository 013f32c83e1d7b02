//! Leptos does not escape the content of raw-text elements, so one file renders them, and few files write HTML by hand.

use super::first_names;
use super::tokens::{Token, tokens_and_texts};
use super::words::end_of_tests;

/// The file that renders raw-text elements.
const HOME: &str = "raw_text.rs";

/// Layers that make HTML.
const PLACES: &[&str] = &["ui/", "api/", "server/", "app.rs", "messages/"];

/// Elements whose content an HTML parser does not read as markup.
const RAW: &[&str] =
    &["textarea", "title", "script", "style", "noscript", "iframe", "xmp", "noembed", "noframes", "plaintext"];

/// Files that build HTML by hand. Each of them escapes its values.
const BY_HAND: &[&str] = &["api/telegram.rs", "api/views/said.rs", "api/views/said/markdown.rs", "ui/browser/mod.rs"];

/// Files that are compiled only for tests.
const FOR_TESTS: &[&str] = &["server/rendering.rs"];

/// Items of `leptos_meta` that render nothing, or no text.
const META: &[&str] = &["MetaTags", "provide_meta_context"];

/// Returns a sentence for each raw-text element and each literal with HTML that the file at `path` may not have.
pub fn unescaped(path: &str, source: &str) -> Vec<String> {
    let exempt = path == HOME || FOR_TESTS.contains(&path) || super::is_test(path);
    if exempt || !PLACES.iter().any(|place| path.starts_with(place)) {
        return Vec::new();
    }
    let tokens = tokens_and_texts(source);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(end) = end_of_tests(&tokens, at) {
            at = end;
            continue;
        }
        let fault = if tokens[at].text_after.is_some() { literal(path, &tokens, at) } else { element(&tokens, at) };
        found.extend(fault.map(|fault| format!("line {}: {fault}", tokens[at].line)));
        at += 1;
    }
    found
}

/// Returns the raw-text element of a view or builder call at `at`.
fn element(tokens: &[Token], at: usize) -> Option<String> {
    let text = |at: usize| tokens.get(at).filter(|token| token.text_after.is_none()).map_or("", |it| it.text.as_str());
    let before = |back: usize| at.checked_sub(back).map_or("", text);
    let raw = |name: &str| RAW.contains(&name);
    let name = text(at);
    let named = match name {
        // A comparison has a space or a mark behind the name, which is no attribute.
        "<" if raw(text(at + 1)) && in_a_view(text(at + 2)) => text(at + 1),
        "html" | "svg" if text(at + 1) == "::" => {
            return first_names(tokens, at + 2).into_iter().find(|name| raw(name)).map(|name| refused(&name));
        }
        "leptos_meta" if !META.contains(&text(at + 2)) => return Some("leptos_meta does not escape".to_owned()),
        _ if raw(name) && text(at + 1) == "(" && text(at + 2) == ")" && ![".", "fn"].contains(&before(1)) => name,
        _ => return None,
    };
    Some(refused(named))
}

/// Returns true if the token can follow the name of an element.
fn in_a_view(next: &str) -> bool {
    [">", "/", "{"].contains(&next) || next.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn refused(name: &str) -> String {
    format!("<{name}> is rendered by {HOME} alone")
}

/// Returns the HTML in the literal at `at`, or the element that a call there creates.
fn literal(path: &str, tokens: &[Token], at: usize) -> Option<String> {
    let text = tokens[at].text.as_str();
    let called = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].text.as_str());
    if called(1) == "(" && ["custom", "create_element"].contains(&called(2)) && RAW.contains(&text) {
        return Some(refused(text));
    }
    let mut opened = text.match_indices('<').map(|(at, _)| text[at + 1..].trim_start_matches('/'));
    let name = |rest: &str| rest.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    if let Some(raw) = opened.clone().map(name).find(|name| RAW.contains(&name.as_str())) {
        return Some(refused(&raw));
    }
    let markup = opened.any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '{'));
    (markup && !BY_HAND.contains(&path)).then(|| "HTML is put together by hand".to_owned())
}
