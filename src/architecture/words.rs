//! The catalogue (`src/messages`) holds all texts for people. In the layers that make pages and messages, an English literal outside
//! of it is a fault.

use super::tokens::{Token, tokens_and_texts};

/// Layers that make pages and messages.
const PLACES: &[&str] = &["ui/", "api/", "server/", "app.rs"];

/// Files whose texts no person reads on a page.
#[rustfmt::skip]
const ELSEWHERE: &[(&str, &str)] = &[
    ("api/reference/", "the API's own documentation, which programs read as OpenAPI"),
    ("server/mcp", "what agents read"),
    ("server/lock.rs", "what an operator reads who starts the server"),
    ("server/health.rs", "what a probe reads"),
    ("server/metrics.rs", "what an operator reads who sets up the scraping"),
    ("server/visitor.rs", "names of browsers and systems"),
    ("ui/browser/mod.rs", "names that the browser gives its own things"),
    ("ui/browser/keys.rs", "names that the browser gives keys"),
];

/// Beginnings of texts that look like English and are none: header values, link relations, a document type.
const NOT_ENGLISH: &[&str] = &["default-src ", "; Secure", "noopener ", "<!DOCTYPE html>"];

/// Attributes and component properties with texts for people.
const SPOKEN: &[&str] = &["label", "title", "hint", "placeholder", "aria-label", "aria-description", "content", "alt"];

/// Calls and macros with texts for operators and developers. `#` means an attribute.
const UNSPOKEN: &[&str] = &[
    "#",
    "println!",
    "eprintln!",
    "expect",
    "panic!",
    "unreachable!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
    "debug_assert!",
    "error!",
    "warn!",
    "info!",
    "debug!",
    "trace!",
];

/// Returns a sentence for each text of the file that belongs in the catalogue.
pub fn spoken(path: &str, source: &str) -> Vec<String> {
    let elsewhere = ELSEWHERE.iter().any(|(place, _)| path.starts_with(place));
    if !PLACES.iter().any(|place| path.starts_with(place)) || elsewhere || super::is_test(path) {
        return Vec::new();
    }
    let tokens = tokens_and_texts(source);
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some(end) = end_of_tests(&tokens, at) {
            at = end;
            continue;
        }
        match token.text.as_str() {
            _ if token.text_after.is_some() => found.extend(fault(&tokens, at, &open)),
            "(" | "[" | "{" => open.push(name_before(&tokens, at)),
            ")" | "]" | "}" => drop(open.pop()),
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns the fault of the literal at `at` within the open brackets.
fn fault(tokens: &[Token], at: usize, open: &[String]) -> Option<String> {
    let (token, silent) = (&tokens[at], open.iter().any(|name| UNSPOKEN.contains(&name.as_str())));
    let spoken = !silent && reads_as_english(tokens, at);
    spoken.then(|| format!("line {}: “{}” is said to people: put it into src/messages", token.line, token.text))
}

/// Returns the name before a bracket: `expect`, `error!`, `#`, or an empty text.
fn name_before(tokens: &[Token], at: usize) -> String {
    let text = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].text.as_str());
    match text(1) {
        "!" if text(2) != "#" => format!("{}!", text(2)),
        "!" => "#".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the end of the test module or function that begins at `at`.
pub fn end_of_tests(tokens: &[Token], at: usize) -> Option<usize> {
    let words: Vec<&str> = tokens[at..].iter().take(7).map(|token| token.text.as_str()).collect();
    let gate =
        words.starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) || words.starts_with(&["#", "[", "test", "]"]);
    let first = gate.then(|| tokens[at..].iter().position(|token| token.text == "{" || token.text == ";"))??;
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(at + first).filter(|(_, token)| token.text_after.is_none()) {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(place + 1);
        }
    }
    None
}

/// Returns true if the literal at `at` is English: a sentence, a capitalised name, some words, or text between tags.
fn reads_as_english(tokens: &[Token], at: usize) -> bool {
    let text = without_holes(&tokens[at].text);
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters == 0 || NOT_ENGLISH.iter().any(|known| text.starts_with(known)) {
        return false;
    }
    if let Some(name) = attribute(tokens, at) {
        let technical = name == "content" && (text.contains('=') || text.starts_with('#'));
        return SPOKEN.contains(&name.as_str()) && !technical;
    }
    let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].text.as_str());
    // A key name: `event.key() == "Backspace"`.
    if [5, 4, 3, 2, 1].map(before) == ["key", "(", ")", "=", "="] {
        return false;
    }
    let between_tags = before(1) == ">" && !["=", "-"].contains(&before(2));
    between_tags || !is_code(&text) && (has_capital(&text) || has_words(&text))
}

/// Returns the attribute that has the literal as its value.
fn attribute(tokens: &[Token], at: usize) -> Option<String> {
    let mut back = at.checked_sub(2).filter(|_| tokens[at].text_after == Some('='))?;
    let mut name = tokens[back].text.clone();
    while back > 1 && tokens[back - 1].text == "-" {
        back -= 2;
        name = format!("{}-{name}", tokens[back].text);
    }
    Some(name)
}

/// Returns the text without placeholders and escaped white space.
fn without_holes(text: &str) -> String {
    let mut depth = 0;
    let mut out = String::new();
    for c in text.replace("\\n", " ").replace("\\r", " ").replace("\\t", " ").chars() {
        depth += i32::from(c == '{');
        if depth == 0 {
            out.push(c);
        }
        depth -= i32::from(c == '}' && depth > 0);
    }
    out
}

/// Recognises header and cookie values, HTML with attributes, class lists and paths.
fn is_code(text: &str) -> bool {
    let class = |word: &str| {
        let mut known =
            word.bytes().map(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte));
        known.all(|known| known)
    };
    let classes = text.split(' ').all(class) && (text.contains("--") || text.contains("__"));
    classes || text.contains('=') || text.starts_with("__")
}

/// Recognises a capitalised word at the beginning or after a space.
fn has_capital(text: &str) -> bool {
    text.split([' ', '“', '(']).any(|word| {
        let mut chars = word.chars();
        chars.next().is_some_and(char::is_uppercase) && chars.next().is_some_and(char::is_lowercase)
    })
}

/// Recognises a word next to a space, and the punctuation of printed text.
fn has_words(text: &str) -> bool {
    let word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.chars().count() > 1 && word.chars().all(char::is_alphabetic)
    };
    text.contains(['“', '”', '’', '…']) && text.chars().any(char::is_alphabetic)
        || text.contains(' ') && text.split(' ').any(word)
}

#[test]
fn english_outside_the_catalogue_is_found() {
    for (path, body) in [
        ("ui/pages/a.rs", r#"view! { <h1>"Tasks"</h1> }"#),
        ("ui/pages/a.rs", r#"view! { <p>{x} <span class="a">"done"</span></p> }"#),
        ("ui/pages/a.rs", r#"view! { <input placeholder="tomorrow" aria-label="x"/> }"#),
        ("ui/pages/a.rs", r#"view! { <Field id="a" label="Name">x</Field> }"#),
        ("ui/pages/a.rs", r#"title("Audit");"#),
        ("ui/pages/a.rs", r#"view! { <p>{count} " selected"</p> }"#),
        ("ui/pages/a.rs", r#"view! { <button aria-label=format!("Revoke {name}")/> }"#),
        ("api/a.rs", r#"Err(Invalid::because(format!("“{name}” is not a view.")))"#),
        ("api/a.rs", r#"let text = format!("{count} tasks");"#),
        ("api/a.rs", r#"match it { It::Add => "Added", It::Done => "finished" }"#),
        ("server/errors.rs", r#"response(Code::TooLarge, "The request is too large.")"#),
        ("app.rs", r#"view! { <meta name="description" content="Docket keeps your tasks."/> }"#),
        ("ui/a.rs", "#[cfg(test)] mod tests { fn f() { g(\"Not this.\"); } } fn h() { g(\"But this.\"); }"),
    ] {
        assert_eq!(spoken(path, body).len(), 1 + usize::from(body.contains("placeholder")), "{path}: {body}");
    }
}

#[test]
fn what_nobody_reads_is_not_taken_for_english() {
    for (path, body) in [
        (
            "ui/pages/a.rs",
            r#"view! { <p class="sheet sheet--padded page" id="Main" autocomplete="off">{messages::TASKS}</p> }"#,
        ),
        (
            "ui/pages/a.rs",
            r##"let class = if on { "button button--danger" } else { "button" }; let a = "#"; let b = " · ";"##,
        ),
        (
            "ui/pages/a.rs",
            r#"let href = format!("/audit/{turn}?a={b}"); let name = "conversation_id"; let x = "SUCCESS";"#,
        ),
        ("api/a.rs", r#"#[server(prefix = "/api/v1", endpoint = "Some words here")] fn f() {}"#),
        ("api/a.rs", r#"tracing::error!(error = ?error, "the store failed"); x.expect("memory is there");"#),
        (
            "api/a.rs",
            r#"let cookie = format!("{NAME}={value}; Path=/; HttpOnly"); let kind = "text/csv; charset=utf-8";"#,
        ),
        ("api/a.rs", "#[cfg(test)]\nmod tests { #[test] fn f() { assert_eq!(g(), \"Added 2 tasks.\"); } }"),
        ("ui/a.rs", r#"if event.key() == "Enter" {}"#),
        ("domain/a.rs", r#"let it = "A title must not be empty.";"#),
        ("messages/tasks.rs", r#"pub const TASKS: &str = "Tasks";"#),
    ] {
        assert_eq!(spoken(path, body), Vec::<String>::new(), "{path}");
    }
}
