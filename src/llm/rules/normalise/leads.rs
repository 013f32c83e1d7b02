//! Phrases that introduce a new task.

use crate::llm::rules::lex::set::{Set, file_set, set};

/// Phrases that request a new task.
const LEADS: Set = file_set!("add_leads");

/// Returns the words of a text in lower case, without punctuation and apostrophes.
pub(in crate::llm::rules) fn keys(text: &str) -> Vec<String> {
    let plain = text.to_lowercase().replace(['\'', '’'], "");
    let pieces = plain.split(|c: char| !(c.is_alphanumeric() || c == '-'));
    pieces.map(|piece| piece.trim_matches('-').to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// Returns the number of words that request a new task, and the rest of the text.
pub(in crate::llm::rules) fn led(text: &str) -> (usize, &str) {
    let trimmed = text.trim_start();
    let pieces: Vec<&str> = trimmed.split_whitespace().collect();
    let plain: Vec<String> = pieces
        .iter()
        .map(|piece| piece.to_lowercase().replace(['\'', '’'], "").trim_end_matches([':', ',']).to_owned())
        .collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    const POLITE: &[&str] = &[
        "please", "pls", "plz", "can", "could", "would", "you", "ok", "okay", "so", "hey", "hi", "also", "and", "oh",
        "just",
    ];
    let polite = plain.iter().take_while(|word| POLITE.contains(word)).count();
    let count = LEADS.leads(&plain[polite..]);
    // “put the bins out” adds nothing called “the bins out”.
    let away = plain[polite..].first() == Some(&"put") && plain.iter().any(|word| set!("back|away|out").has(word));
    if count == 0 || away && count == 1 {
        return (0, trimmed);
    }
    let mut rest = trimmed;
    for piece in &pieces[..polite + count] {
        rest = rest.trim_start().strip_prefix(piece).unwrap_or(rest);
    }
    (polite + count, rest.trim())
}

/// Returns true if a message begins with a phrase that requests a new task.
pub(in crate::llm::rules) fn asks_for_task(text: &str) -> bool {
    let said = keys(text);
    led(text).0 > 0 || said.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(" ").contains("remind me")
}
