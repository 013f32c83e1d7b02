//! Finds the store's functions that take an owner.

use std::path::{Path, PathBuf};

/// Returns all public functions of the store with an owner parameter, parsed from the source.
pub(super) fn taking_an_owner() -> Vec<String> {
    let mut found = vec![];
    for (module, path) in modules() {
        let source = std::fs::read_to_string(&path).unwrap();
        let public = ["\npub async fn ", "\npub fn "];
        let starts = public.iter().flat_map(|start| source.match_indices(start));
        // Skip functions that exist in tests only.
        let shipped = starts.filter(|(at, _)| !source[..*at].ends_with("#[cfg(test)]"));
        for function in shipped.map(|(at, start)| &source[at + start.len()..]) {
            let name = function.split(['(', '<']).next().unwrap();
            let parameters = function.split_once(") ->").map_or(function, |(parameters, _)| parameters);
            if name.chars().all(|c| c.is_alphanumeric() || c == '_') && parameters.contains("UserId") {
                found.push(format!("{module}::{name}"));
            }
        }
    }
    found.sort();
    found
}

/// Returns the store's files with the module that exposes their functions. Files in a module's folder belong to that module.
fn modules() -> Vec<(String, PathBuf)> {
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
    };
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut found = vec![];
    for path in files(&Path::new(crate::domain::testing::REPOSITORY).join("src/store")) {
        let folder = path.with_extension("");
        let parts = if folder.is_dir() { files(&folder) } else { vec![] };
        found.extend(parts.into_iter().chain([path.clone()]).map(|part| (name(&path), part)));
    }
    found
}
