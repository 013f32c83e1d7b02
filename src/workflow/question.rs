//! Questions of approvals, as the channels that show text show them: the sentence first, then every field, as far as there is room.

use crate::channels::telegram;
use crate::domain::approval::Approval;
use crate::domain::basis::Basis;
use crate::domain::proposal::{self, CHAT, MARKDOWN, NUMBERS, Room};

/// Characters of each side of a field.
const SIDE: usize = 200;
/// A part of a reply.
const REPLY: Room = Room { most: 3_000, measure: characters, lines: 50, side: SIDE };
/// One message on Telegram, with its buttons.
const MESSAGE: Room = Room { most: telegram::LENGTH, measure: telegram::length, lines: 50, side: SIDE };

/// What a question needs beside its approval.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The reader's IANA zone.
    pub zone: &'a str,
    /// Address of the server, where the pages of approvals are.
    pub base: &'a str,
}

/// How much of an approval the question at the end of a reply says.
#[derive(Debug, Clone, Copy)]
pub enum Wording<'a> {
    /// The sentence as it is stored, as replies said it before questions listed their fields.
    Sentence,
    /// The sentence and what would be set, with tasks named by their numbers: for a turn that may not read tasks (R-1103).
    Numbers(Asking<'a>),
    /// The sentence and every field.
    Full(Asking<'a>),
}

impl<'a> Wording<'a> {
    /// The wording for a turn with this basis, on a server whose address is `base`.
    pub fn of(basis: &'a Basis, base: &'a str) -> Self {
        let asking = Asking { zone: &basis.zone, base };
        match basis {
            Basis { wording: 0, .. } => Self::Sentence,
            basis if basis.may_read() => Self::Full(asking),
            _ => Self::Numbers(asking),
        }
    }
}

/// The question at the end of a reply.
pub fn in_reply(approval: &Approval, wording: Wording<'_>) -> String {
    let text =
        |style, asking: Asking<'_>| proposal::text(approval, asking.zone, &approval.page(asking.base), style, &REPLY);
    match wording {
        Wording::Sentence => approval.question.clone(),
        Wording::Numbers(asking) => text(&NUMBERS, asking),
        Wording::Full(asking) => text(&CHAT, asking),
    }
}

/// The question in a message on Telegram.
pub fn on_telegram(approval: &Approval, asking: Asking<'_>) -> String {
    proposal::text(approval, asking.zone, &approval.page(asking.base), &CHAT, &MESSAGE)
}

/// The question for the person behind an outside agent, whose client may read it as Markdown; `page` is that of the approval.
pub fn for_agent(approval: &Approval, zone: &str, page: &str) -> String {
    proposal::text(approval, zone, page, &MARKDOWN, &REPLY)
}

fn characters(text: &str) -> usize {
    text.chars().count()
}
