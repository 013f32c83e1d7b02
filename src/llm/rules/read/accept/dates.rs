//! Validation of captured dates: complete, and requested.

use super::Candidate;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Kind;
use crate::llm::rules::read::intent::Target;
use crate::llm::rules::read::{days, shift};

impl Candidate<'_> {
    /// Returns true if a question requests a date for one task: "can the fair be on friday instead".
    pub(super) fn asked_for(&self) -> bool {
        let others = matches!(self.target(), Target::Missing | Target::All(_) | Target::Them);
        let people = self.opens_with(set!("can|could|may|might|i|we|you|he|she|they|to|get|if|there|this"));
        days::settles(self.clause, self.context) && !(others || people || self.by_amount())
    }

    /// Returns true if a date extends from `d` into `x`: "for the 5th of april call mum".
    pub(super) fn torn_date(&self) -> bool {
        let day = self.stretch('d');
        let (Some(last), Some(first)) = (day.last(), self.stretch('x').first()) else { return false };
        self.context.dates().iter().any(|found| found.span.start < last.end && found.span.end > first.start)
            && last.end <= first.start
    }

    /// Returns true if the date begins within the task's words: "make the fair thursday at 5".
    pub(super) fn torn_off(&self) -> bool {
        let named = self.captures.iter().find(|(name, _, _)| matches!(name, 'x' | 't'));
        // "move 5 to 6pm" does not mean five to six.
        let Some((_, from, to)) = named.filter(|_| !matches!(self.target(), Target::Numbers(_))) else { return false };
        let (Some(last), Some(day)) = (self.clause[*from..*to].last(), self.stretch('d').first()) else { return false };
        let apart = self
            .clause
            .iter()
            .rfind(|word| word.end <= day.start)
            .is_none_or(|word| set!("to|until|till").has(&word.key));
        if last.end > day.start || apart {
            return false;
        }
        let end = self.captures.iter().find(|(name, _, _)| *name == 'd').map_or(*to, |(_, _, end)| *end);
        let whole = |back: usize| *to > from + back && self.context.date(&self.clause[to - back..end]).is_some();
        self.context.dates().iter().any(|found| found.span.start < last.end && found.span.end > day.start)
            || whole(1)
            || whole(2)
    }

    /// Returns true if "by" introduces an amount, which shifts the task's own date.
    pub(super) fn by_amount(&self) -> bool {
        let keys = self.keys('d');
        let led = keys.first() == Some(&"by")
            || self
                .captures
                .iter()
                .any(|(name, start, _)| *name == 'd' && *start > 0 && self.clause[*start - 1].key == "by");
        let day = self.stretch('d');
        let amount = if keys.first() == Some(&"by") { &day[1..] } else { day };
        led && shift::amount(amount).is_some()
    }

    /// Returns true if the supposed title states when something happens: "the fair is now coming on friday".
    pub(super) fn happens(&self) -> bool {
        const HAPPENS: Set = set("coming|happening|arriving|visiting|starting|opening|taking|moved|due|on|at|from");
        let title = self.stretch('y');
        let stated = self.captures.first().is_some_and(|(_, start, _)| *start == 0);
        let day = || (1..title.len()).any(|at| self.context.date(&title[at..]).is_some());
        let serves = title.first().is_some_and(|first| first.key == "for");
        stated && serves
            || stated
                && title.first().is_some_and(|first| first.kind == Kind::Plain && HAPPENS.has(&first.key))
                && day()
    }
}
