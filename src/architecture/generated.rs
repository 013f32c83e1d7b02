//! Parts of `docs/` that are generated from the source, with the tests that keep them current.

use std::fmt::Write as _;

use crate::api::reference::{Answer, Entry, Field, Needs, TABLE, section};
use crate::config::{VARIABLES, Variable};

/// The page of the commands.
mod commands;

/// Markers around the generated part of a page; the text outside them is written by hand.
const BEGIN: &str = "<!-- generated: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

/// The environment variable that makes these tests rewrite the pages (`make docs`).
const WRITE: &str = "DOCKET_WRITE_DOCS";

/// Headings of the configuration page, each with the first variable below it.
const HEADINGS: &[(&str, &str)] = &[
    ("DOCKET_ADDR", "Server and database"),
    ("DOCKET_ENGINE", "Models"),
    ("DOCKET_HISTORY_MESSAGES", "Turns and spending"),
    ("DOCKET_SQLITE_SYNCHRONOUS", "Durability, approvals and workers"),
    ("DOCKET_RATE_LIMIT_PER_MINUTE", "Rate limits"),
    ("DOCKET_RETENTION_DAYS", "Retention and memory"),
    ("DOCKET_TELEGRAM_TOKEN", "Telegram"),
    ("DOCKET_CHECKPOINT_KEY", "Audit log"),
    ("DOCKET_SITE_DIR", "Development, logs and metrics"),
];

/// Splits a page into its text before, inside and after the markers.
fn parts(page: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (inside, after) = rest.split_once(END)?;
    Some((before, inside, after))
}

/// Returns the first line in which two texts differ, as it should be.
fn first_difference<'a>(current: &str, expected: &'a str) -> &'a str {
    let mut current = current.lines();
    expected.lines().find(|line| current.next() != Some(line)).unwrap_or("(lines to delete at the end)")
}

/// Fails if the generated part of the page is not `expected`; rewrites that part if [`WRITE`] is set.
#[track_caller]
fn check(path: &str, expected: &str) {
    let page = std::fs::read_to_string(path).expect("the page exists");
    let (before, current, after) = parts(&page).expect("the page has both markers");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{expected}{END}{after}")).expect("the page can be written");
        return;
    }
    let line = first_difference(current, expected);
    assert!(
        current == expected,
        "{path} is not current: run `make docs`. The first line that differs should be:\n{line}"
    );
}

/// Escapes a text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Returns the tables of all environment variables.
fn configuration() -> String {
    let mut text = String::new();
    for Variable { name, default, meaning } in VARIABLES {
        if let Some((_, heading)) = HEADINGS.iter().find(|(first, _)| first == name) {
            let line = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{line}## {heading}\n\n| variable | default | meaning |\n| --- | --- | --- |");
        }
        let default = default.map_or("–".to_owned(), |value| format!("`{value}`"));
        let _ = writeln!(text, "| `{name}` | {default} | {} |", cell(meaning));
    }
    text
}

/// Returns what a call needs, as a cell.
fn needs(entry: &Entry) -> String {
    match entry.needs {
        Needs::Nothing => "–".to_owned(),
        Needs::Anyone => "any token".to_owned(),
        Needs::Session => "browser session".to_owned(),
        Needs::Scopes(scopes) => {
            let names: Vec<String> = scopes.iter().map(|scope| format!("`{}`", scope.as_str())).collect();
            names.join(" ")
        }
    }
}

/// Returns true if programs can use the call: not if it returns a fragment of a page.
fn is_for_programs(entry: &Entry) -> bool {
    !matches!(entry.answer, Answer::Piece) && section(entry) != "rendered"
}

/// Returns the row of a call.
fn call(entry: &Entry) -> String {
    let path = entry.path.trim_start_matches("/api/v1/");
    let field = |field: &Field| format!("`{}`{}", field.name, if field.required { "" } else { "?" });
    let fields: Vec<String> = entry.fields.iter().map(field).collect();
    let response = match entry.answer {
        Answer::Done => "–".to_owned(),
        Answer::File => "a file".to_owned(),
        _ => format!("`{}`", cell(&entry.answers())),
    };
    let (method, tells) = (entry.method, cell(entry.tells));
    format!("| **{method} {path}**<br>{tells} | {} | {} | {response} |", fields.join(" "), needs(entry))
}

/// Returns the tables of the API's calls, one for each group.
fn api() -> String {
    let entries: Vec<&Entry> = TABLE.iter().filter(|entry| is_for_programs(entry)).collect();
    let mut groups: Vec<&str> = vec![];
    for entry in &entries {
        if !groups.contains(&section(entry)) {
            groups.push(section(entry));
        }
    }
    let mut text = String::new();
    for group in groups {
        let line = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{line}## {group}\n\n| call | fields | scope | response |\n| --- | --- | --- | --- |");
        for entry in entries.iter().filter(|entry| section(entry) == group) {
            let _ = writeln!(text, "{}", call(entry));
        }
    }
    text
}

#[test]
fn configuration_page_is_current() {
    check("docs/configuration.md", &configuration());
}

#[test]
fn command_page_is_current() {
    check("docs/cli.md", &commands::page());
}

#[test]
fn api_page_is_current() {
    check("docs/api.md", &api());
}

#[test]
fn every_heading_names_a_variable() {
    for (first, heading) in HEADINGS {
        assert!(VARIABLES.iter().any(|variable| variable.name == *first), "{heading} begins with {first}");
    }
}

#[test]
fn difference_is_the_first_changed_line() {
    assert_eq!(first_difference("a\nb\n", "a\nc\n"), "c");
    assert_eq!(first_difference("a\n", "a\nb\n"), "b");
    assert_eq!(first_difference("a\nb\n", "a\n"), "(lines to delete at the end)");
}
