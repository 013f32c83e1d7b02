//! The channels of gpt-oss (OpenAI, harmony response format): reasoning, calls and the reply.

use serde_json::Value;

use super::WrittenCall;
use super::notation::Cursor;

const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const TO: &str = "to=";
/// Markers that end a message.
const ENDS: [&str; 4] = ["<|start|>", "<|end|>", "<|return|>", "<|call|>"];
/// Ends of a message if a server drops the markers and keeps the words between them.
const FINAL: &str = "assistantfinal";
const COMMENTARY: &str = "assistantcommentary";

/// A reply extracted from its channels.
#[derive(Debug, Default, PartialEq)]
pub struct Channels {
    pub text: String,
    pub calls: Vec<WrittenCall>,
    /// True if it contains anything other than text and calls.
    pub is_odd: bool,
}

/// Parses a reply in channels; `None` if the text has none.
pub fn read(text: &str) -> Option<Channels> {
    if text.contains(CHANNEL) || text.contains(MESSAGE) {
        return Some(of_messages(text));
    }
    let text = text.trim_start();
    let begins = |word: &str| text.strip_prefix(word).is_some_and(|rest| !rest.starts_with([' ', ',', '.']));
    if let Some((before, last)) = text.rsplit_once(FINAL) {
        let thoughts = before.is_empty() || begins("analysis") || begins("commentary");
        return thoughts.then(|| Channels { text: last.to_owned(), ..Channels::default() });
    }
    let called = text.rsplit_once(COMMENTARY).map(|(_, called)| called).or_else(|| text.strip_prefix("commentary"))?;
    let mut found = Channels::default();
    found.call(called.trim_start().strip_prefix(TO)?);
    Some(found)
}

fn of_messages(text: &str) -> Channels {
    let mut found = Channels::default();
    let (mut last, mut commentary) = (vec![], vec![]);
    for message in messages(text) {
        let (head, body) = match message.split_once(MESSAGE) {
            Some((head, body)) => (head, Some(body)),
            None => (message, None),
        };
        let channel = head.split_once(CHANNEL).map(|(_, rest)| rest.trim_start());
        // Text before the channel belongs to no message.
        let lead = head.split(CHANNEL).next().unwrap_or_default().split(TO).next().unwrap_or_default().trim();
        if channel.is_some() && !["", "assistant"].contains(&lead) {
            last.push(lead);
        }
        if let Some((_, called)) = head.split_once(TO) {
            found.call(&format!("{called} {}", body.unwrap_or_default()));
            continue;
        }
        // Without a message marker, the text follows the channel's name.
        let named = |name: &str| channel.is_some_and(|channel| channel.starts_with(name));
        let name = ["analysis", "commentary", "final"].into_iter().find(|name| named(name));
        let body = body.or_else(|| channel?.strip_prefix(name?)).or(channel).unwrap_or(message);
        match name {
            Some("analysis") => {}
            Some("commentary") => commentary.push(body.trim()),
            _ => last.push(body.trim()),
        }
    }
    // Commentary is the reply if there is no other.
    let words = if last.iter().all(|text| text.is_empty()) { commentary } else { last };
    found.text = words.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    found
}

/// Returns the messages of a text, without the empty ones.
fn messages(text: &str) -> Vec<&str> {
    let mut pieces = vec![text];
    for end in ENDS {
        pieces = pieces.into_iter().flat_map(|piece| piece.split(end)).collect();
    }
    pieces.into_iter().filter(|piece| !["", "assistant"].contains(&piece.trim())).collect()
}

impl Channels {
    /// Adds the call `functions.NAME … {…}`. Any other recipient, such as a browser, makes the reply odd.
    fn call(&mut self, called: &str) {
        let mut cursor = Cursor::new(called);
        let name = cursor.name().map(str::to_owned);
        let arguments = cursor.find_json();
        match (name, arguments) {
            (Some(name), Some(arguments @ Value::Object(_))) if cursor.has_only_signs() => {
                self.calls.push((name, arguments));
            }
            _ => self.is_odd = true,
        }
    }
}
