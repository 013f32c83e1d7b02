//! Questions of approvals as text: a sentence, then the fields that fit.

use crate::channels::telegram;
use crate::domain::approval::Approval;
use crate::domain::decision_inputs::DecisionInputs;
use crate::domain::proposal::{self, CHAT, MARKDOWN, NUMBERS, Room};

/// Maximum length of each side of a field, in characters.
const SIDE: usize = 200;
/// Limits of a question in a reply.
const REPLY: Room = Room { most: 3_000, measure: characters, lines: 50, side: SIDE };
/// Limits of a Telegram message with buttons.
const MESSAGE: Room = Room { most: telegram::LENGTH, measure: telegram::length, lines: 50, side: SIDE };

/// Context of a question.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// IANA zone of the reader.
    pub zone: &'a str,
    /// Base URL of the approvals' pages.
    pub base: &'a str,
}

/// Amount of detail in the question of a reply.
#[derive(Debug, Clone, Copy)]
pub enum Wording<'a> {
    /// The stored sentence, as in replies of versions before questions listed fields.
    Sentence,
    /// The sentence and the new values, with task numbers instead of titles: for turns without `tasks:read` (R-1103).
    Numbers(Asking<'a>),
    /// The sentence and all fields.
    Full(Asking<'a>),
}

impl<'a> Wording<'a> {
    /// Returns the wording for a turn with these decision inputs; `base` is the server's URL.
    pub fn of(basis: &'a DecisionInputs, base: &'a str) -> Self {
        let asking = Asking { zone: &basis.zone, base };
        match basis {
            DecisionInputs { wording: 0, .. } => Self::Sentence,
            basis if basis.may_read() => Self::Full(asking),
            _ => Self::Numbers(asking),
        }
    }
}

pub fn in_reply(approval: &Approval, wording: Wording<'_>) -> String {
    let text =
        |style, asking: Asking<'_>| proposal::text(approval, asking.zone, &approval.page(asking.base), style, &REPLY);
    match wording {
        Wording::Sentence => approval.question.clone(),
        Wording::Numbers(asking) => text(&NUMBERS, asking),
        Wording::Full(asking) => text(&CHAT, asking),
    }
}

pub fn on_telegram(approval: &Approval, asking: Asking<'_>) -> String {
    proposal::text(approval, asking.zone, &approval.page(asking.base), &CHAT, &MESSAGE)
}

/// Renders the question for the person behind an agent, as Markdown; `page` is the approval's URL.
pub fn for_agent(approval: &Approval, zone: &str, page: &str) -> String {
    proposal::text(approval, zone, page, &MARKDOWN, &REPLY)
}

fn characters(text: &str) -> usize {
    text.chars().count()
}
