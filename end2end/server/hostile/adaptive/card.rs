//! Replies and cards as the script renders them in a browser.

use serde_json::Value;

use super::page::visible;

/// Returns a reply as rendered: the text with the card below.
pub fn shown(reply: &Value) -> String {
    let text = visible(reply["html"].as_str().unwrap_or_default());
    match &reply["card"] {
        Value::Null => text,
        card => format!("{text} {}", card_text(card)),
    }
}

/// Returns a card as rendered.
pub fn card_text(card: &Value) -> String {
    let mut texts = vec![card["question"].to_string(), card["heading"].to_string(), card["more"].to_string()];
    for line in card["lines"].as_array().into_iter().flatten() {
        texts.push(format!("{} #{}", line["title"], line["task_id"]));
        texts.extend(line["binned"].as_bool().filter(|binned| *binned).map(|_| "to the bin".to_owned()));
        for change in line["changes"].as_array().into_iter().flatten() {
            texts
                .push(format!("{}: {} → {} {}", change["field"], change["before"], change["after"], change["summary"]));
        }
    }
    // The card links to its page if it omits something.
    texts.extend(card["approval_id"].as_str().map(|id| format!("/approvals/{id}")));
    texts.join(" ")
}
