//! Whether the date that a pattern captured is one, whole, and what is asked for.

use super::Candidate;
use crate::llm::rules::dating;
use crate::llm::rules::intent::Target;
use crate::llm::rules::set::{Set, set};
use crate::llm::rules::shift;
use crate::llm::rules::words::Kind;

impl Candidate<'_> {
    /// "can the fair be on friday instead": of one task, and not of me.
    pub(super) fn asked_for(&self) -> bool {
        let others = matches!(self.target(), Target::Missing | Target::All(_) | Target::Them);
        let people = self.opens_with(set!("can|could|may|might|i|we|you|he|she|they|to|get|if|there|this"));
        dating::settles(self.clause, self.context) && !(others || people || self.by_amount())
    }

    /// "for the 5th of april call mum": no date may reach from `d` into `x`.
    pub(super) fn torn_date(&self) -> bool {
        let day = self.stretch('d');
        let (Some(last), Some(first)) = (day.last(), self.stretch('x').first()) else { return false };
        self.context.dates().iter().any(|found| found.span.start < last.end && found.span.end > first.start)
            && last.end <= first.start
    }

    /// "make the fair thursday at 5": the date begins in the words for the task, and all of it counts.
    pub(super) fn torn_off(&self) -> bool {
        let named = self.captures.iter().find(|(name, _, _)| matches!(name, 'x' | 't'));
        // "move 5 to 6pm" is no five to six.
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

    /// Whether a date is led by "by" and only an amount: from where it would count, the task tells.
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

    /// "the fair is now coming on friday": said of its day, and no title.
    pub(super) fn happens(&self) -> bool {
        const HAPPENS: Set = set("coming|happening|arriving|visiting|starting|opening|taking|moved|due|on|at|from");
        let title = self.stretch('y');
        let stated = self.captures.first().is_some_and(|(_, start, _)| *start == 0);
        let day = || (1..title.len()).any(|at| self.context.date(&title[at..]).is_some());
        stated && title.first().is_some_and(|first| first.kind == Kind::Plain && HAPPENS.has(&first.key)) && day()
    }
}
