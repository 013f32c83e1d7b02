//! Requirement numbers: every one that the repository cites is explained in `docs/requirements.md`.

use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = "docs/requirements.md";

/// Folders whose files cite requirements.
const CITING: [&str; 4] = ["src", "end2end", "migrations", "docs"];

/// Endings of the files that are read.
const TEXTS: [&str; 9] = ["rs", "js", "mjs", "py", "sh", "sql", "md", "css", "txt"];

/// Returns every number such as `R-201` in a text.
fn cited(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("R-") {
        let digits: String = text[at + 2..].chars().take_while(char::is_ascii_digit).collect();
        let inside_a_word = text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '-');
        if !inside_a_word && (3..=4).contains(&digits.len()) {
            found.insert(format!("R-{digits}"));
        }
    }
    found
}

/// Returns the cells of each row of the page: number, requirement, test file.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter(|line| line.starts_with("| R-"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Returns the cited numbers that have no row on the page.
fn missing(text: &str, page: &str) -> Vec<String> {
    let known: BTreeSet<String> = rows(page).into_iter().map(|row| row[0].to_owned()).collect();
    cited(text).difference(&known).cloned().collect()
}

/// Calls `check` with the path and the text of every text file below `folder`.
fn each_text(folder: &Path, check: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("node_modules") {
                each_text(&path, check);
            }
        } else if path.extension().is_some_and(|end| TEXTS.iter().any(|text| end == *text)) {
            check(&path, &String::from_utf8_lossy(&std::fs::read(&path).expect("the file can be read")));
        }
    }
}

#[test]
fn every_cited_requirement_is_on_the_page() {
    let page = std::fs::read_to_string(PAGE).expect("the page exists");
    let mut texts = 0;
    for folder in CITING {
        each_text(Path::new(folder), &mut |path, text| {
            // This file cites numbers that do not exist.
            if path.ends_with("architecture/requirements.rs") {
                return;
            }
            texts += 1;
            let missing = missing(text, &page);
            assert!(missing.is_empty(), "{} cites {missing:?}: add a row to {PAGE}", path.display());
        });
    }
    assert!(texts > 500, "only {texts} files were read");
}

#[test]
fn every_requirement_has_one_sentence_and_one_test_file() {
    let page = std::fs::read_to_string(PAGE).expect("the page exists");
    let mut before = 0;
    for row in rows(&page) {
        let [number, sentence, file] = row[..] else { panic!("{row:?} does not have three cells") };
        let digits: u32 = number["R-".len()..].parse().expect("a number");
        assert!(digits > before, "{number} is out of order or there twice");
        before = digits;
        assert!(sentence.ends_with('.'), "{number}: “{sentence}” is no sentence");
        let file = file.trim_matches('`');
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{number} names {file}: {error}"));
        assert!(text.contains("test]") || text.contains("on_both!") || text.contains("test("), "{file} has no test");
    }
}

#[test]
fn number_without_a_row_is_reported() {
    let page = "| R-101 | One. | `a.rs` |\n| R-1102 | Two. | `b.rs` |\n";
    assert!(missing("as R-101 and R-1102 say", page).is_empty());
    assert_eq!(missing("(R-102, R-101)", page), ["R-102"]);
    assert_eq!(missing("R-110", page), ["R-110"], "a part of a number is another number");
    assert!(missing("XR-999, R-12, CVE-R-123 and R-12345", page).is_empty());
}
