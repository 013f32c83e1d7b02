//! Documentation checks: the tests, files and links that documents name exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

mod links;

/// The level 1 requirements of OWASP's ASVS 5.0.0, by chapter and section with ranges of numbers.
const LEVEL_1: &str = "1.2.1-5 1.3.1-2 1.5.1 2.1.1 2.2.1-2 2.3.1 3.2.1-2 3.3.1 3.4.1-2 3.5.1-3 4.1.1 4.4.1 5.2.1-2 5.3.1-2 6.1.1 \
    6.2.1-8 6.3.1-2 6.4.1-2 7.2.1-4 7.4.1-2 8.1.1 8.2.1-2 8.3.1 9.1.1-3 9.2.1 10.4.1-5 11.3.1-2 11.4.1 12.1.1 12.2.1-2 13.4.1 14.2.1 \
    14.3.1 15.1.1 15.2.1 15.3.1";

/// The risks of OWASP's Top 10 for Agentic Applications, as of December 2025.
const RISKS: [&str; 10] = [
    "ASI01 Agent Goal Hijack",
    "ASI02 Tool Misuse and Exploitation",
    "ASI03 Identity and Privilege Abuse",
    "ASI04 Agentic Supply Chain Vulnerabilities",
    "ASI05 Unexpected Code Execution (RCE)",
    "ASI06 Memory and Context Poisoning",
    "ASI07 Insecure Inter-Agent Communication",
    "ASI08 Cascading Failures",
    "ASI09 Human-Agent Trust Exploitation",
    "ASI10 Rogue Agents",
];
/// The heading of their table.
const AGENTIC: &str = "OWASP Top 10 for Agentic Applications";

/// Collects the names of all functions in Rust files below `folder`.
fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let source = std::fs::read_to_string(&path).expect("source is UTF-8");
            let names = source.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
            found.extend(names.map(str::to_owned));
        }
    }
}

/// Returns every Markdown file below `docs/` and in the root.
fn pages() -> Vec<PathBuf> {
    fn below(folder: &Path, deep: bool, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && deep {
                below(&path, deep, found);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path.strip_prefix(".").unwrap_or(&path).to_owned());
            }
        }
    }
    let mut found = vec![];
    below(Path::new("docs"), true, &mut found);
    below(Path::new("."), false, &mut found);
    found
}

/// Returns the rows of the tables below a heading, each as its cells.
fn rows<'a>(text: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading is there");
    let lines = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| id") && !line.starts_with("| ---"));
    lines.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    let text = std::fs::read_to_string("docs/security-asvs.md").expect("the page");
    let mut known = BTreeSet::new();
    functions(Path::new("src"), &mut known);
    functions(Path::new("end2end"), &mut known);
    let asvs = rows(&text, "Met, shown by tests");
    assert!(asvs.len() > 20, "the table is read");
    for row in asvs.into_iter().chain(rows(&text, AGENTIC)) {
        let named: Vec<&str> = row[2].split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "{row:?} names a test");
        for name in named {
            assert!(known.contains(name), "{name}, which shows {}, is no test", row[0]);
        }
    }
}

#[test]
fn every_agentic_risk_is_answered_once() {
    let text = std::fs::read_to_string("docs/security-asvs.md").expect("the page");
    let answered: Vec<&str> = rows(&text, AGENTIC).into_iter().map(|row| row[0]).collect();
    assert_eq!(answered, RISKS);
}

#[test]
fn every_test_that_any_page_names_exists() {
    let mut known = BTreeSet::new();
    functions(Path::new("src"), &mut known);
    functions(Path::new("end2end"), &mut known);
    let mut named = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("the page");
        for name in text.split('`').skip(1).step_by(2) {
            // Names of tests are sentences; no other identifier in the pages has that many words.
            let words = name.split('_');
            let sentence = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            if sentence && words.count() >= 5 {
                assert!(known.contains(name), "{} names {name}, which is no test", page.display());
                named += 1;
            }
        }
    }
    assert!(named > 30, "the pages are read: {named}");
}

#[test]
fn every_requirement_of_level_1_is_answered_once() {
    let mut asked = vec![];
    for group in LEVEL_1.split_whitespace() {
        let (section, last) = group.rsplit_once('.').expect("a number has parts");
        let (from, to) = last.split_once('-').unwrap_or((last, last));
        let (from, to): (u32, u32) = (from.parse().expect("a number"), to.parse().expect("a number"));
        asked.extend((from..=to).map(|last| format!("{section}.{last}")));
    }
    assert_eq!(asked.len(), 70);
    let text = std::fs::read_to_string("docs/security-asvs.md").expect("the page");
    let headings = ["Met, shown by tests", "Met, shown by other means", "Up to the operator", "Not applicable"];
    let mut answered: Vec<String> = headings
        .iter()
        .flat_map(|heading| rows(&text, heading))
        .flat_map(|row| row[0].split(", ").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    asked.sort();
    answered.sort();
    assert_eq!(answered, asked);
}
