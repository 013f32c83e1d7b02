//! What answers, and what is sent where.

pub const NOTES_ARE_SENT: &str = " So are notes of earlier conversations that fit your message, and the older messages of a long \
     conversation, to be summed up into such notes.";
pub const PASSES_TELEGRAM: &str = "What you and Docket write to each other on Telegram, reminders among it, passes Telegram's servers, \
     which can read it: messages of bots are not encrypted end to end.";
pub const NOTHING_LEAVES: &str = "Nothing that you write leaves this machine.";

/// Where the built-in rules answer; `leaves` says what leaves the machine.
pub fn rules_answer(leaves: &str) -> String {
    format!("Docket answers by its built-in rules. {leaves}")
}

/// A model that answers, and what it is sent.
pub struct Engine<'a> {
    pub model: &'a str,
    pub host: &'a str,
    /// Whether notes of earlier conversations are sent too.
    pub remembers: bool,
    /// Whether a chat on Telegram is linked.
    pub linked: bool,
    /// Tokens that today took.
    pub tokens: &'a str,
    /// Tokens that a day may take, where that is limited.
    pub share: Option<&'a str>,
    /// What they cost, where that is known.
    pub cost: Option<&'a str>,
}

/// Where a model answers.
pub fn model_answers(engine: &Engine<'_>) -> String {
    let Engine { model, host, tokens, .. } = engine;
    let (notes, rest) = if engine.remembers { (NOTES_ARE_SENT, "the rest of other") } else { ("", "other") };
    let telegram = if engine.linked { format!(" {PASSES_TELEGRAM}") } else { String::new() };
    let cost = engine.cost.unwrap_or("–, since the price is not known");
    let share = engine.share.map(|share| format!(" of your {share}")).unwrap_or_default();
    format!(
        "Docket answers with the model {model} at {host}. The latest messages of a conversation and the tasks that it looks at \
         are sent there, with the time and your time zone.{notes} Your account's name, your password and {rest} conversations \
         are not. While the model is away, Docket answers by its built-in rules.{telegram} Today: {tokens}{share} tokens. \
         Cost:\u{a0}{cost}. What it does not count is estimated, at four bytes a token."
    )
}

/// Where a model finds notes again.
pub fn notes_are_found_by(model: &str) -> String {
    format!(
        " So that notes of earlier conversations are found, they and your messages are sent there to the model {model}."
    )
}
