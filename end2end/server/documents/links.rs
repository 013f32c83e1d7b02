//! Links between pages, files named by pages, and the length of the README.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::pages;

/// Folders of the repository whose files a document may name.
const FOLDERS: [&str; 8] = ["src", "end2end", "docs", "deploy", "migrations", "style", "public", ".ci"];

const README_LINES: usize = 150;

/// Returns a page without its fenced code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut lines = vec![];
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Returns the targets of a page's links and images.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let ends = prose.split("](").skip(1);
    ends.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// Returns the anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the anchors of a page's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    prose.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// Joins a link to the folder of its page.
fn resolve(page: &Path, target: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in page.parent().expect("a page has a folder").join(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{target} leaves the repository"),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

/// Returns the error of a page's link, if any.
fn fault(page: &Path, text: &str, link: &str) -> Option<String> {
    if link.starts_with("http://") || link.starts_with("https://") {
        return None;
    }
    let (target, wanted) = link.split_once('#').map_or((link, None), |(target, wanted)| (target, Some(wanted)));
    let path = if target.is_empty() { page.to_owned() } else { resolve(page, target) };
    if !path.exists() {
        return Some(format!("{} links to {link}, which does not exist", page.display()));
    }
    let other = if target.is_empty() { text.to_owned() } else { std::fs::read_to_string(&path).unwrap_or_default() };
    let missing = wanted.filter(|wanted| !anchors(&other).contains(*wanted));
    missing.map(|_| format!("{} links to {link}, but {} has no such heading", page.display(), path.display()))
}

#[test]
fn every_link_of_a_page_has_a_target() {
    let (mut checked, mut faults) = (0, vec![]);
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("the page");
        for link in links(&text) {
            checked += 1;
            faults.extend(fault(&page, &text, &link));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 100, "only {checked} links were found");
}

#[test]
fn broken_link_is_reported() {
    let text = "# One\n\n## Two words\n\n[a](#two-words) [b](#three) [c](missing.md)\n```\n[d](code.md)\n```\n";
    assert_eq!(links(text), ["#two-words", "#three", "missing.md"]);
    let page = Path::new("docs/trust.md");
    assert_eq!(fault(page, text, "#two-words"), None);
    assert!(fault(page, text, "#three").is_some_and(|fault| fault.contains("no such heading")));
    assert!(fault(page, text, "missing.md").is_some_and(|fault| fault.contains("does not exist")));
    assert_eq!(fault(page, text, "../README.md"), None);
}

#[test]
fn every_file_that_a_page_names_exists() {
    let mut checked = 0;
    for page in pages() {
        if page == Path::new("CHANGELOG.md") {
            // Entries of earlier releases name files that no longer exist.
            continue;
        }
        let text = prose(&std::fs::read_to_string(&page).expect("the page"));
        for name in text.split('`').skip(1).step_by(2) {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            if plain && name.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder)) {
                checked += 1;
                assert!(Path::new(name).exists(), "{} names {name}, which does not exist", page.display());
            }
        }
    }
    assert!(checked > 60, "only {checked} names were found");
}

#[test]
fn readme_leads_to_every_page_and_is_short() {
    let readme = std::fs::read_to_string("README.md").expect("the README");
    let lines = readme.lines().count();
    assert!(
        lines <= README_LINES,
        "the README has {lines} lines, at most {README_LINES} are allowed: move detail into docs/"
    );
    let mut reached: BTreeSet<PathBuf> = ["README.md".into()].into();
    let mut open = vec![PathBuf::from("README.md")];
    while let Some(page) = open.pop() {
        let text = std::fs::read_to_string(&page).expect("the page");
        for link in links(&text).iter().filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
            let target = resolve(&page, link.split('#').next().unwrap_or_default());
            // A link to a folder covers the pages in it.
            for other in pages().into_iter().filter(|other| *other == target || other.parent() == Some(&target)) {
                if reached.insert(other.clone()) {
                    open.push(other);
                }
            }
        }
    }
    let lost: Vec<PathBuf> = pages().into_iter().filter(|page| !reached.contains(page)).collect();
    assert!(lost.is_empty(), "no link leads from the README to {lost:?}");
}
