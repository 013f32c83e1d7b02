//! Reads a JSON string per line and writes its tokens in the classifier's form, for `train.py`:
//! `[[name, first byte, byte after the last], …]`.

use std::io::BufRead as _;

use docket::domain::time::Timestamp;
use docket::llm::rules::classifier::tokens_of;
use serde_json::{Value, json};

fn main() {
    let now = Timestamp::parse("2026-03-11T09:30:00Z").expect("a time");
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line.expect("text")).expect("a JSON string");
        let tokens = tokens_of(&text, &now, "Europe/London").into_iter();
        println!("{}", tokens.map(|(token, start, end)| json!([token.name, start, end])).collect::<Value>());
    }
}
