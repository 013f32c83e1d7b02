//! Clauses that resemble a new task or a change of one.

use crate::llm::rules::lex::frames::CHORES;
use crate::llm::rules::lex::frames::FOREIGN;
use crate::llm::rules::lex::matching;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::accept::Candidate;
use crate::llm::rules::read::chores::opens_chore;
use crate::llm::rules::read::fields::NOTES;
use crate::llm::rules::read::intent::Target;
use crate::llm::rules::read::levels::priority;

impl Candidate<'_> {
    /// Returns true for "put the bins back", but not for "remind me to call jo back".
    pub fn back(&self) -> bool {
        const VERBS: Set = file_set!("nontasks_verbs");
        const PUTS: Set = set("put|stick|pop|bung|chuck|throw|move|bring|switch|slap|whack|set|get|make");
        let chore = self.x.len() >= 3 && self.opens_with(VERBS);
        let task = self.clause.iter().take(5).any(|word| word.key == "TASK");
        let put = PUTS.has(&self.clause[0].key) && !task || self.clause.iter().any(|word| word.key == "LIST");
        self.x.last() == Some(&"back") && (!chore || put)
    }

    /// Returns true if an item is removed from the list: "shopping list: remove the bread".
    pub fn taken_off(&self) -> bool {
        let list = &self.clause[0];
        let said = self.context.text[list.start..list.end].to_lowercase();
        list.key == "LIST"
            && (said.contains("shop") || said.contains("grocer"))
            && self.opens_with(set!("remove|delete|erase"))
            && self.clause.get(1).is_some_and(Word::is_mark)
    }

    /// Returns true if an existing task is marked as done: "set the reminder to water the ferns as completed".
    pub fn marks_done(&self) -> bool {
        const MARKS: Set = set("set|mark|put|flag|record|log|note|file|change|make|save|register|enter|update|switch");
        const DONE: Set = set("done|completed|complete|finished|sorted|bought|purchased|paid|ticked|closed|fixed");
        let [.., led, last] = self.x.as_slice() else { return false };
        // "set a reminder to mark the order as paid" is a chore.
        let chore = self.x.first().is_some_and(|first| MARKS.has(first));
        let called = self.stretch('x').iter().any(|word| word.kind == Kind::Quoted) && self.x.len() < 3;
        *led == "as" && DONE.has(last) && MARKS.has(&self.clause[0].key) && !chore && !called && !self.called()
    }

    /// Returns true if the number names a thing instead of a task: "i sold no 9".
    pub fn house_number(&self) -> bool {
        const ENDS: Set = file_set!("nontasks_ends");
        let before =
            self.captures.first().and_then(|(_, start, _)| start.checked_sub(1)).map(|at| self.clause[at].key.as_str());
        matches!(self.x.as_slice(), ["no" | "nr" | "number", _])
            && before.is_some_and(|verb| matching::is_past(verb) && !ENDS.has(verb))
    }

    /// Returns true if "notes" belongs to the task's title: "set the meeting notes to high priority", "move the meeting notes to friday".
    pub fn titled_notes(&self) -> bool {
        let value = self.stretch('y');
        let Some((_, _, end)) = self.captures.iter().find(|(name, _, _)| *name == 'x') else { return false };
        let owned = !matches!(self.context.target(self.stretch('x')), Target::Words { .. });
        let behind = self.clause.get(*end).is_some_and(|word| NOTES.has(&word.key));
        let plain = value.iter().all(|word| word.kind == Kind::Plain);
        behind && !owned && plain && (priority(value).is_some() || self.context.date(value).is_some())
    }

    /// Returns true for a new task such as "put down jury forms due friday".
    pub fn puts_down(&self) -> bool {
        const VERBS: Set = set("put|note|jot|write|pop|pencil|stick|scribble|bung|mark");
        let stated = self.captures.first().is_some_and(|(name, start, _)| *name == 'x' && *start == 0);
        stated && matches!(self.x.as_slice(), [verb, "down" | "in", _, ..] if VERBS.has(verb))
    }

    /// Returns true if a capture may be a project. Without the word "project", the target must certainly be a task.
    pub fn files(&self) -> bool {
        const OTHER: Set = set(
            "there|here|order|writing|place|calendar|notes|note|bin|trash|half|front|line|time|bed|danger|question|pieces|person|ink|english|now|cash",
        );
        let (name, named) = (self.stretch('k'), self.clause.iter().any(|word| word.key == "project"));
        let long = self.keys('y').len() > 4 || self.keys('y').contains(&"and");
        let plain = name.is_empty()
            || named
            || self.settled()
                && self.context.date(name).is_none()
                && !name.iter().any(|word| OTHER.has(&word.key) || FOREIGN.has(&word.key));
        !long && plain
    }

    /// Returns true for a question for all tasks of a kind: "everything that's high priority".
    pub fn lists_all(&self) -> bool {
        matches!(self.clause, [all, that, ..] if set!("everything|anything|all").has(&all.key) && set!("thats|that|which").has(&that.key))
    }

    /// Returns true if the new value is a day and no title: "the bulbs ought to be in by sunday".
    pub fn falls_on_day(&self) -> bool {
        const LEADS: Set = set("in|out|by|on|due|back|done|finished|ready|before|up");
        let y = self.stretch('y');
        let led = y.first().is_some_and(|first| LEADS.has(&first.key));
        led && y.len() > 1 && (1..y.len()).any(|at| self.context.date(&y[at..]).is_some())
    }

    /// Returns true if a new chore ends with its priority: "pay the fee every 1st of the month, prio high".
    pub fn new_chore(&self) -> bool {
        let Some((_, start, end)) = self.captures.iter().find(|(name, _, _)| *name == 'x') else { return false };
        let x = self.stretch('x');
        let marked = self.clause.get(*end).is_some_and(Word::is_mark) || x.last().is_some_and(Word::is_mark);
        let dated = self.context.dates().iter().any(|found| x.iter().any(|word| found.span.contains(&word.start)));
        *start == 0
            && marked
            && (dated || x.first().is_some_and(|word| opens_chore(&word.key) || CHORES.has(&word.key)))
    }
}
