//! Elements and labels that name a tool or belong to the protocol, such as `<x:invoke name="add_task">`, `<add_task>`,
//! `Action: add_task` and `**Tool:** add_task`.

use super::{Beginning, NAMESPACES, is_english, is_of_word, names};

/// Elements of the protocol, with or without a namespace.
const ELEMENTS: [&str; 26] = [
    "invoke",
    "function_calls",
    "function_call",
    "functioncall",
    "tool_call",
    "tool_calls",
    "toolcall",
    "tool_use",
    "tool_uses",
    "tool_code",
    "tool_result",
    "tool_results",
    "tool_response",
    "tool_responses",
    "tool_output",
    "tool_name",
    "tool_input",
    "tool_args",
    "use_mcp_tool",
    "use_tool",
    "call_tool",
    "arg_key",
    "arg_value",
    "action_input",
    "function_name",
    "function_results",
];
/// Elements that belong to the protocol only with a namespace or a tool's name.
const NAMESPACED: [&str; 8] = ["parameter", "parameters", "function", "call", "tool", "arguments", "action", "result"];
/// Maximum characters of an element's name, and of its attributes.
const LONGEST_NAME: usize = 48;
const LONGEST_ATTRIBUTES: usize = 160;
/// Labels before a tool's name.
const LABELS: [&str; 20] = [
    "tool call",
    "tool name",
    "tool used",
    "tool_call",
    "tool_name",
    "tool",
    "function call",
    "function name",
    "function_call",
    "function_name",
    "function",
    "action",
    "calling",
    "call",
    "invoke",
    "invoking",
    "using",
    "command",
    "method",
    "name",
];
/// Marks around a label or name.
const MARKS: [char; 12] = ['*', '_', '#', '>', '`', '✿', '"', '\'', '“', '”', '[', '<'];
/// Maximum bytes of consecutive marks and blanks.
const LONGEST_GAP: usize = 24;

/// Classifies an element by its beginning.
pub fn element(text: &str) -> Beginning {
    let Some(rest) = text.strip_prefix('<') else { return Beginning::Words };
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || "_-.:".contains(sign);
    let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
    let name = &rest[..end];
    if end == rest.len() {
        let may_be = end <= LONGEST_NAME && !name.starts_with(|sign: char| sign.is_ascii_digit());
        return if may_be { Beginning::Unclear } else { Beginning::Words };
    }
    if name.is_empty() {
        return Beginning::Words;
    }
    let lower = name.to_ascii_lowercase();
    let (namespace, local) = lower.rsplit_once(':').map_or(("", lower.as_str()), |(space, local)| (space, local));
    let spaced = !namespace.is_empty() && NAMESPACED.contains(&local);
    if spaced || ELEMENTS.contains(&local) || names().any(|name| name == local) {
        return Beginning::Machine;
    }
    let attributes = &rest[end..];
    let closed = attributes.find(['>', '<', '\n']);
    let attributes = &attributes[..closed.unwrap_or(attributes.len())];
    if names().any(|name| !is_english(name) && has_word(attributes, name)) {
        return Beginning::Machine;
    }
    let open = closed.is_none() && attributes.len() <= LONGEST_ATTRIBUTES;
    if open { Beginning::Unclear } else { Beginning::Words }
}

/// Returns true if `text` contains `name` as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let of_word = |sign: Option<char>| sign.is_some_and(is_of_word);
        !of_word(text[..at].chars().next_back()) && !of_word(text[at + name.len()..].chars().next())
    })
}

/// Classifies a label with a tool's name by its beginning.
pub fn label(text: &str) -> Beginning {
    let Some(body) = unmarked(text) else { return Beginning::Unclear };
    let mut found = Beginning::Words;
    for label in LABELS.into_iter().filter(|_| !body.is_empty()) {
        let length = label.len().min(body.len());
        if !body.as_bytes()[..length].eq_ignore_ascii_case(&label.as_bytes()[..length]) {
            continue;
        }
        let seen = if length < label.len() { Beginning::Unclear } else { labelled(&body[length..]) };
        if seen == Beginning::Machine {
            return seen;
        }
        if seen == Beginning::Unclear {
            found = seen;
        }
    }
    found
}

/// Classifies the text after a label: a colon and a tool's name.
fn labelled(rest: &str) -> Beginning {
    let Some(behind) = unmarked(rest) else { return Beginning::Unclear };
    let Some(value) = behind.strip_prefix([':', '=', '：']) else { return Beginning::Words };
    let Some(value) = unmarked(value) else { return Beginning::Unclear };
    if value.is_empty() {
        return Beginning::Words;
    }
    let bare = NAMESPACES.iter().find_map(|space| value.strip_prefix(space)).unwrap_or(value);
    let mut found = Beginning::Words;
    for name in names().filter(|name| !is_english(name)) {
        match bare.strip_prefix(name) {
            Some(rest) if !rest.starts_with(is_of_word) => return Beginning::Machine,
            None if name.starts_with(bare) => found = Beginning::Unclear,
            _ => {}
        }
    }
    if NAMESPACES.iter().any(|space| space.starts_with(value)) { Beginning::Unclear } else { found }
}

/// Skips blanks and marks; `None` if more may follow. Too many in a row are no part of a label and give an empty text.
fn unmarked(text: &str) -> Option<&str> {
    let head = &text[..text.floor_char_boundary(LONGEST_GAP)];
    let is_mark = |sign: char| sign.is_whitespace() || MARKS.contains(&sign);
    match head.find(|sign| !is_mark(sign)) {
        Some(at) => Some(&text[at..]),
        None if head.len() < text.len() => Some(""),
        None => None,
    }
}
