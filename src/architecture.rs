//! Tests of the layer map in `lib.rs`: allowed dependencies, fenced crates, and the form of files.

use std::path::Path;

use tokens::{Token, tokens};

mod generated;
mod language;
mod markup;
mod requirements;
mod tokens;
mod words;

/// Layers, and the layers that each may name besides itself. `*` allows all except those after `!`.
#[rustfmt::skip]
const LAYERS: &[(&str, &str)] = &[
    ("messages", ""),
    ("domain", "messages"),
    ("clock", "domain"),
    ("live", "domain"),
    ("store", "domain"),
    ("llm", "domain"),
    ("fault", "domain"),
    ("telemetry", "domain"),
    ("raw_text", "domain"),
    ("config", "domain fault"),
    ("usecases", "domain clock live store fault"),
    ("tools", "domain usecases"),
    ("agent", "domain llm"),
    ("memory", "domain llm store"),
    ("channels", "domain live"),
    ("state", "store clock live llm tools memory channels usecases config telemetry fault domain"),
    ("workflow", "agent tools memory channels usecases store clock live config state telemetry fault domain"),
    ("api", "usecases workflow state domain messages raw_text"),
    ("ui", "api domain messages raw_text"),
    ("app", "ui messages raw_text"),
    ("server", "* ! store agent llm memory"),
    ("cli", "* ! store agent llm memory"),
];

/// Layers that a layer's own tests (`tests.rs` and `tests/`) may also name: the test double of a model is a real engine, and
/// tests plan faults.
const TESTS: &str = "llm fault config";

/// Re-exports that a layer's own signatures need: `&mut Tx` in the use cases.
const HANDED_ON: &[(&str, &str, &str)] = &[("usecases", "store", "Tx")];

/// Crates, modules and types that only these files and folders may name.
#[rustfmt::skip]
const FENCES: &[(&str, &str)] = &[
    ("sqlx", "store/"),
    ("jiff_sqlx", "store/"),
    ("sqlx_core", "store/"),
    ("rusqlite", "store/"),
    ("libsqlite3_sys", "store/"),
    ("ring", "store/checkpoints/"),
    ("libc", "cli/"),
    ("rustix", "store/private_files/ server/listening/os.rs cli/ fault/crash.rs"),
    ("async_openai", "llm/openai.rs"),
    ("reqwest", "llm/openai.rs channels/telegram/ telemetry/export.rs"),
    ("rustls", "llm/openai.rs channels/telegram/ telemetry/export.rs"),
    ("qrcode", "api/telegram.rs"),
    ("rmcp", "tools/ agent/toolbox.rs server/mcp cli/"),
    ("opentelemetry", "telemetry/"),
    ("opentelemetry_sdk", "telemetry/"),
    ("opentelemetry_otlp", "telemetry/export.rs"),
    ("opentelemetry_http", "telemetry/export.rs"),
    ("prometheus_client", "telemetry/"),
    ("web_sys", "ui/"),
    ("js_sys", "ui/"),
    ("axum", "server/"),
    ("tower", "server/ llm/openai.rs"),
    ("tower_http", "server/"),
    ("leptos_axum", "server/ api/"),
    ("clap", "cli/ main.rs"),
    ("Memo", "ui/derived.rs"),
    ("env", "config.rs store/testing.rs"),
];

/// Folders in which nothing may outlive a turn.
const STATELESS: &[&str] = &["agent/", "llm/rules/", "tools/", "usecases/", "memory/", "workflow/"];

/// Names that could keep state between turns.
const CACHES: &[&str] = &[
    "static",
    "Mutex",
    "RwLock",
    "OnceLock",
    "OnceCell",
    "LazyLock",
    "LazyCell",
    "thread_local",
    "lazy_static",
    "DashMap",
];

/// Names that do not describe the content of a file.
const VAGUE: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "shared", "stuff"];

/// Maximum number of lines in a file.
const LINES: usize = 400;

/// Returns every fault of the file at `path` below `src/`, one sentence each.
fn faults(path: &str, source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let mut found = looks(path, source);
    if let Some(allowed) = layer_of(path).and_then(allowed_of) {
        found.extend(paths(path, &tokens, allowed));
    } else if layer_of(path).is_some() {
        found.push("a layer that the table does not know".to_owned());
    }
    found.extend(fences(path, &tokens));
    found.extend(lasting(path, &tokens));
    found.extend(words::spoken(path, source));
    found.extend(markup::unescaped(path, source));
    found.extend(language::odd(source));
    found.into_iter().map(|fault| format!("src/{path}: {fault}")).collect()
}

/// Returns the layer of a file; `None` for the roots (`lib.rs`, `main.rs`) and this scanner, which are unrestricted.
fn layer_of(path: &str) -> Option<&str> {
    let layer = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    (!["lib", "main", "kernel", "architecture"].contains(&layer)).then_some(layer)
}

fn allowed_of(layer: &str) -> Option<&'static str> {
    LAYERS.iter().find(|(name, _)| *name == layer).map(|(_, allowed)| *allowed)
}

fn may_name(own: &str, allowed: &str, other: &str) -> bool {
    own == other
        || match allowed.split_once('!') {
            Some((_, not)) => !not.split(' ').any(|name| name == other),
            None => allowed.split(' ').any(|name| name == other),
        }
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Checks line 1, length and name.
fn looks(path: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !source.lines().next().is_some_and(|line| line.starts_with("//! ")) {
        found.push("line 1 does not say in a //! comment what lives here".to_owned());
    }
    let lines = source.lines().count();
    if lines > LINES {
        found.push(format!("{lines} lines; a file has at most {LINES}"));
    }
    if let Some(name) = path.split(['/', '.']).find(|name| VAGUE.contains(name)) {
        found.push(format!("“{name}” says nothing of what it holds"));
    }
    found
}

/// Checks every `crate::…` path, every `super` that leaves the layer, and the ways to hide either.
fn paths(path: &str, tokens: &[Token], allowed: &str) -> Vec<String> {
    let own = layer_of(path).expect("only a layer's paths are checked");
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut found = Vec::new();
    let mut depth = Depth::of(path);
    for (at, token) in tokens.iter().enumerate() {
        let mut fault = |what: String| found.push(format!("line {}: {what}", token.line));
        depth.see(tokens, at);
        match token.text.as_str() {
            "crate" | "docket" if text(at + 1) == "::" => {
                let public = is_public_use(tokens, at);
                for name in first_names(tokens, at + 2) {
                    if !LAYERS.iter().any(|(layer, _)| *layer == name) {
                        fault(format!("crate::{name} is no layer; name things by their layer"));
                    } else if !(may_name(own, allowed, &name) || is_test(path) && may_name("", TESTS, &name)) {
                        fault(format!("{own} may not name {name}"));
                    } else if public && name != own && !HANDED_ON.contains(&(own, &name, text(at + 4))) {
                        fault(format!("{own} hands on what belongs to {name} (pub use)"));
                    }
                }
            }
            "crate" if text(at + 1) == "as" => fault("crate under another name".into()),
            "self" if text(at + 1) == "as" && at > 0 && text(at - 1) == "crate" => {
                fault("crate under another name".into());
            }
            "super" if at < 2 || text(at - 1) != "::" || text(at - 2) != "super" => {
                let mut chain = 1;
                while text(at + 2 * chain - 1) == "::" && text(at + 2 * chain) == "super" {
                    chain += 1;
                }
                if chain >= depth.modules() {
                    fault("super leaves the layer".into());
                }
            }
            "include" if text(at + 1) == "!" => fault("include! hides source from these rules".into()),
            "path" if at > 1 && text(at - 1) == "[" && text(at - 2) == "#" => {
                fault("#[path] hides source from these rules".into());
            }
            _ => {}
        }
    }
    found
}

/// Returns the first names of a path or a group: a for `a::b`, a and c for `{a::b, c}`.
fn first_names(tokens: &[Token], start: usize) -> Vec<String> {
    if tokens.get(start).is_none_or(|token| token.text != "{") {
        return tokens.get(start).map(|token| token.text.clone()).into_iter().collect();
    }
    let mut names = Vec::new();
    let mut braces = 0;
    for pair in tokens[start..].windows(2) {
        match pair[0].text.as_str() {
            "{" => braces += 1,
            "}" => braces -= 1,
            _ => {}
        }
        if braces == 0 {
            break;
        }
        if braces == 1 && (pair[0].text == "{" || pair[0].text == ",") && pair[1].text != "}" {
            names.push(pair[1].text.clone());
        }
    }
    names
}

/// Returns true if the path at `at` belongs to a public `use`.
fn is_public_use(tokens: &[Token], at: usize) -> bool {
    let statement = tokens[..at].iter().rposition(|token| token.text == ";").map_or(0, |end| end + 1);
    let Some(place) = tokens[statement..at].iter().rposition(|token| token.text == "use") else { return false };
    let before = tokens[..statement + place].last().map_or("", |token| token.text.as_str());
    before == "pub" || before == ")"
}

/// Module depth of a token; the layer itself has depth 1.
struct Depth {
    file: usize,
    braces: usize,
    /// Brace levels at which inline modules began.
    inline: Vec<usize>,
}

impl Depth {
    fn of(path: &str) -> Self {
        let parts = path.trim_end_matches(".rs").split('/').filter(|part| *part != "mod").count();
        Self { file: parts, braces: 0, inline: Vec::new() }
    }

    fn see(&mut self, tokens: &[Token], at: usize) {
        match tokens[at].text.as_str() {
            "{" => {
                self.braces += 1;
                if at > 1 && tokens[at - 2].text == "mod" {
                    self.inline.push(self.braces);
                }
            }
            "}" => {
                if self.inline.last() == Some(&self.braces) {
                    self.inline.pop();
                }
                self.braces = self.braces.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn modules(&self) -> usize {
        self.file + self.inline.len()
    }
}

/// Finds crates named outside their fence.
fn fences(path: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        let Some((name, places)) = FENCES.iter().find(|(name, _)| *name == token.text) else { continue };
        let before = if at > 0 { text(at - 1) } else { "" };
        let inside_another = before == "::" && !(*name == "env" && at > 1 && text(at - 2) == "std");
        let named = !inside_another && (text(at + 1) == "::" || before == "use" || before == "crate")
            || (*name == "env" && before == "::" && at > 1 && text(at - 2) == "std");
        if named && !places.split(' ').any(|place| path.starts_with(place)) && !path.starts_with("architecture") {
            found.push(format!("line {}: {name} is fenced into {places}", token.line));
        }
    }
    found
}

/// Finds names that could keep state between turns.
fn lasting(path: &str, tokens: &[Token]) -> Vec<String> {
    if !STATELESS.iter().any(|place| path.starts_with(place)) {
        return Vec::new();
    }
    let caches = tokens.iter().filter(|token| CACHES.contains(&token.text.as_str()));
    caches.map(|token| format!("line {}: {} could outlive a turn", token.line, token.text)).collect()
}

/// Collects every Rust file below `folder`: its path from `root`, with forward slashes, and its text.
fn files(root: &Path, folder: &Path, out: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("the source is there in tests") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            files(root, &path, out);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let name = path.strip_prefix(root).expect("it lies below").to_string_lossy().replace('\\', "/");
            out.push((name, std::fs::read_to_string(&path).expect("source is UTF-8")));
        }
    }
}

#[cfg(test)]
mod faulty;

#[test]
fn the_source_keeps_to_the_map() {
    // Cargo runs tests in the package's folder; a compile-time path could point to another clone.
    let root = Path::new("src");
    let mut all = Vec::new();
    files(root, root, &mut all);
    assert!(all.len() > 10, "the scan must see the source");
    let found: Vec<String> = all.iter().flat_map(|(path, source)| faults(path, source)).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}
