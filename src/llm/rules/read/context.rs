//! Context of parsing a message.

use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::intent::Target;
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::target::target;

/// A message with the time and zone in which it is parsed.
#[derive(Clone, Copy)]
pub(in crate::llm::rules) struct Context<'a> {
    pub text: &'a str,
    pub now: &'a Timestamp,
    pub zone: &'a str,
    pub notes: &'a Notes,
}

impl<'a> Context<'a> {
    pub fn new(text: &'a str, now: &'a Timestamp, zone: &'a str, notes: &'a Notes) -> Self {
        Self { text, now, zone, notes }
    }

    /// Returns true if the classifier may parse what no rule does.
    pub fn may_guess(&self) -> bool {
        self.notes.guesses
    }

    /// Returns the dates in the message.
    pub fn dates(&self) -> &'a [when::Found] {
        &self.notes.dates
    }

    /// Returns the original text of a stretch, without punctuation at its edges.
    pub fn raw(&self, stretch: &[Word]) -> &'a str {
        let from = stretch.iter().position(|word| !word.is_mark());
        let to = stretch.iter().rposition(|word| !word.is_mark());
        from.zip(to).map_or("", |(from, to)| &self.text[stretch[from].start..stretch[to].end])
    }

    pub fn target(&self, stretch: &[Word]) -> Target {
        self.notes.targets.once(stretch, || target(stretch, self.text))
    }

    /// Returns the date if the whole stretch is one.
    pub fn date(&self, stretch: &[Word]) -> Option<when::When> {
        // "football is on fridays now" names no time.
        let stretch = match stretch {
            [day @ .., now] if now.key == "now" && !day.is_empty() => day,
            _ => stretch,
        };
        when::parse(self.raw(stretch), self.now, self.zone)
    }
}
