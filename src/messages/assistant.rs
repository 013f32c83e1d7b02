//! The engine, and the data that it is sent.

pub const NOTES_ARE_SENT: &str = " Relevant memories are sent too, and older messages of long conversations, to be \
     summarised into memories.";
pub const PASSES_TELEGRAM: &str = "Telegram messages, including reminders, pass through Telegram’s servers. Telegram can read them, \
     because bot chats are not end-to-end encrypted.";
pub const NOTHING_LEAVES: &str = "Your messages stay on this machine.";

/// Description of the rules as engine; `leaves` says which data leaves the machine.
pub fn rules_answer(leaves: &str) -> String {
    format!("Docket answers with the built-in rules. {leaves}")
}

/// A model as engine.
pub struct Engine<'a> {
    pub model: &'a str,
    pub host: &'a str,
    /// True if memories are sent too.
    pub remembers: bool,
    /// True if a Telegram chat is linked.
    pub linked: bool,
    /// Tokens used today.
    pub tokens: &'a str,
    /// The daily quota of tokens, if there is one.
    pub share: Option<&'a str>,
    /// Cost of today's tokens, if known.
    pub cost: Option<&'a str>,
}

/// Description of a model as engine, and of the data that it is sent.
pub fn model_answers(engine: &Engine<'_>) -> String {
    let Engine { model, host, tokens, .. } = engine;
    let (notes, rest) = if engine.remembers { (NOTES_ARE_SENT, "the rest of other") } else { ("", "other") };
    let telegram = if engine.linked { format!(" {PASSES_TELEGRAM}") } else { String::new() };
    let cost = engine.cost.unwrap_or("– (unknown price)");
    let share = engine.share.map(|share| format!(" of your {share}")).unwrap_or_default();
    format!(
        "Docket uses the model {model} at {host}. The model receives the latest messages of a conversation, the tasks that it \
         reads, the time and your time zone.{notes} Your account name, your password and {rest} conversations are never sent. \
         If the model is unavailable, the built-in rules answer.{telegram} Today: {tokens}{share} tokens. \
         Cost:\u{a0}{cost}. Missing token counts are estimated at four bytes per token."
    )
}

/// Addition for the embedding model that finds memories.
pub fn notes_are_found_by(model: &str) -> String {
    format!(" To find memories, your messages and memories are also sent there, to the model {model}.")
}
