//! Order of stages, of the modules of `read`, and of the grammar's tables.

use std::collections::BTreeMap;
use std::path::Path;

use super::REPOSITORY;
use crate::llm::rules::read::{classes, grammar};

#[test]
fn every_class_of_the_grammar_has_phrases() {
    for name in grammar::classes() {
        assert!(classes::is_class(name), "@{name}");
    }
}

/// The stages in order.
const STAGES: [&str; 6] = ["lex", "normalise", "clauses", "read", "resolve", "plan"];

#[test]
fn no_stage_names_a_later_one() {
    let root = Path::new(REPOSITORY).join("src/llm/rules");
    let mut folders: Vec<_> = STAGES.iter().enumerate().map(|(place, stage)| (place, root.join(stage))).collect();
    while let Some((place, folder)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push((place, path));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                for later in &STAGES[place + 1..] {
                    let name = format!("rules::{later}::");
                    assert!(!text.contains(&name), "{} names {name}", path.display());
                }
            }
        }
    }
}

/// Returns the modules of `read` that a source uses.
fn siblings(source: &str) -> Vec<String> {
    let first = |path: &str| path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let named = |rest: &str| match rest.strip_prefix('{') {
        Some(group) => group.split('}').next().unwrap_or_default().split(',').map(first).collect(),
        None => vec![first(rest)],
    };
    source.split("rules::read::").skip(1).flat_map(named).collect()
}

/// Returns the modules of a dependency cycle, if there is one.
fn cycle(mut names: Vec<(String, Vec<String>)>) -> Vec<String> {
    loop {
        let left: Vec<String> = names.iter().map(|(module, _)| module.clone()).collect();
        names.retain(|(module, others)| others.iter().any(|other| other != module && left.contains(other)));
        if names.len() == left.len() {
            return left;
        }
    }
}

#[test]
fn modules_of_read_name_each_other_in_one_direction() {
    let edge = |module: &str, source: &str| (module.to_owned(), siblings(source));
    let turns =
        [edge("a", "use crate::llm::rules::read::b;"), edge("b", "crate::llm::rules::read::{c, a::X}"), edge("c", "")];
    assert_eq!(cycle(turns.into()), ["a", "b"], "a cycle is found");
    let root = Path::new(REPOSITORY).join("src/llm/rules/read");
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    let mut paths: Vec<_> = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "rs") && path != root.join("mod.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(!text.contains("super::super"), "{} leaves its module by super", path.display());
            let module = path.strip_prefix(&root).unwrap().iter().next().unwrap().to_string_lossy();
            sources.entry(module.trim_end_matches(".rs").to_owned()).or_default().push_str(&text);
        }
    }
    assert!(sources.len() > 10, "the modules are found");
    let found = cycle(sources.iter().map(|(module, text)| (module.clone(), siblings(text))).collect());
    assert!(found.is_empty(), "these modules name each other, or one that does: {found:?}");
}
