//! The language of comments and test names (`CONTRIBUTING.md`). A doc comment begins with a noun or a verb. Comments use the
//! standard term instead of the words in [`WORDS`]. The name of a test has at most ten words.

/// First words of a doc comment that say nothing about its item.
const OPENERS: &[&str] = &[
    "What", "Who", "Whose", "Where", "Which", "Whoever", "Whether", "How", "Whatever", "It", "They", "Those", "One's",
    "That",
];

/// Words for which a standard term exists. Words in backticks or quotation marks are exempt.
const WORDS: &[&str] = &[
    "anew",
    "afresh",
    "whoever",
    "whosoever",
    "unasked",
    "likewise",
    "thereof",
    "therein",
    "stood",
    "lay",
    "hears",
    "told",
];

/// Maximum number of words in the name of a test.
const NAME: usize = 10;

/// Returns every fault of the source, one sentence each.
pub fn odd(source: &str) -> Vec<String> {
    let mut found = vec![];
    let (mut was_doc, mut tested) = (false, false);
    for (at, line) in source.lines().enumerate() {
        let mut fault = |what: String| found.push(format!("line {}: {what}", at + 1));
        let line = line.trim_start();
        let doc = ["//! ", "/// "].iter().find_map(|start| line.strip_prefix(start));
        if let Some(opener) = doc.filter(|_| !was_doc).and_then(opener) {
            fault(format!("a doc comment begins with “{opener}”; begin with a noun or a verb"));
        }
        if let Some(word) = line.strip_prefix("//").and_then(listed) {
            fault(format!("a comment says “{word}”; use the standard term"));
        }
        if let Some(name) = test_name(line).filter(|name| tested && name.split('_').count() > NAME) {
            fault(format!("the name of the test {name} has more than {NAME} words"));
        }
        was_doc = line.starts_with("//!") || line.starts_with("///");
        tested = line.starts_with("#[test]") || line.starts_with("#[tokio::test") || tested && line.starts_with("#[");
    }
    found
}

fn opener(text: &str) -> Option<&str> {
    let first = text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).next()?;
    OPENERS.iter().copied().find(|opener| *opener == first)
}

/// Returns the first listed word of a comment outside backticks and quotation marks.
fn listed(comment: &str) -> Option<&'static str> {
    let plain: Vec<&str> = comment.split(['`', '"', '“', '”']).step_by(2).collect();
    let words = plain.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    words.into_iter().find_map(|word| WORDS.iter().copied().find(|listed| listed.eq_ignore_ascii_case(word)))
}

fn test_name(line: &str) -> Option<&str> {
    let name = ["fn ", "async fn "].iter().find_map(|start| line.strip_prefix(start))?;
    name.split('(').next()
}

#[test]
fn odd_language_is_found() {
    for (source, expected) in [
        ("/// What a task is.\nstruct A;", "begins with “What”"),
        ("//! It runs turns.", "begins with “It”"),
        ("// Whoever comes first wins.", "says “whoever”"),
        ("#[test]\nfn a_b_c_d_e_f_g_h_i_j_k() {}", "more than 10 words"),
        ("#[tokio::test]\n#[cfg(unix)]\nasync fn a_b_c_d_e_f_g_h_i_j_k() {}", "more than 10 words"),
    ] {
        let found = odd(source);
        assert!(found.len() == 1 && found[0].contains(expected), "{source}: {found:?}");
    }
    for source in [
        "/// Returns a task.\n/// What follows is a second line.",
        "// Sends `told` and “anew” to the sink.",
        "let text = \"whoever\"; // Text of a user.",
        "#[test]\nfn a_b_c_d_e_f_g_h_i_j() {}",
        "fn a_b_c_d_e_f_g_h_i_j_k() {}",
    ] {
        assert_eq!(odd(source), Vec::<String>::new(), "{source}");
    }
}
