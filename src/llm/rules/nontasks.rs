//! Clauses that look like a new task, or like a change of one, and are none.

use super::accept::Candidate;
use super::fields::NOTES;
use super::intent::Target;
use super::levels::priority;
use super::matching;
use super::set::{Set, set};
use super::words::{Kind, Word};

impl Candidate<'_> {
    /// "put the bins back", but not "remind me to call jo back".
    pub fn back(&self) -> bool {
        const VERBS: Set = set(
            "send|give|call|ring|phone|text|email|write|pay|take|bring|get|hand|go|come|drive|win|message|report|buy|claim|post|\
             return|talk|cut|fold|ship|mail|reply|sell|carry|lend|earn|plug|fly|walk|cycle|invite",
        );
        const PUTS: Set = set("put|stick|pop|bung|chuck|throw|move|bring|switch|slap|whack|set|get|make");
        let chore = self.x.len() >= 3 && self.opens_with(VERBS);
        let task = self.clause.iter().take(5).any(|word| word.key == "TASK");
        let put = PUTS.has(&self.clause[0].key) && !task || self.clause.iter().any(|word| word.key == "LIST");
        self.x.last() == Some(&"back") && (!chore || put)
    }

    /// "shopping list: remove the bread": what is on it is to go.
    pub fn taken_off(&self) -> bool {
        let list = &self.clause[0];
        let said = self.context.text[list.start..list.end].to_lowercase();
        list.key == "LIST"
            && (said.contains("shop") || said.contains("grocer"))
            && self.opens_with(set!("remove|delete|erase"))
            && self.clause.get(1).is_some_and(Word::is_mark)
    }

    /// "set the reminder to water the ferns as completed": it is there, and done.
    pub fn marks_done(&self) -> bool {
        const MARKS: Set = set("set|mark|put|flag|record|log|note|file|change|make|save|register|enter|update|switch");
        const DONE: Set = set("done|completed|complete|finished|sorted|bought|purchased|paid|ticked|closed|fixed");
        let [.., led, last] = self.x.as_slice() else { return false };
        // "set a reminder to mark the order as paid" is a chore.
        let chore = self.x.first().is_some_and(|first| MARKS.has(first));
        let called = self.stretch('x').iter().any(|word| word.kind == Kind::Quoted) && self.x.len() < 3;
        *led == "as" && DONE.has(last) && MARKS.has(&self.clause[0].key) && !chore && !called && !self.called()
    }

    /// "i sold no 9": a thing of that number, since no task is done so.
    pub fn house_number(&self) -> bool {
        const ENDS: Set = set(
            "did|done|finished|completed|ticked|crossed|checked|marked|sorted|closed|handled|nailed|managed|smashed|off|with|up|to|out",
        );
        let before =
            self.captures.first().and_then(|(_, start, _)| start.checked_sub(1)).map(|at| self.clause[at].key.as_str());
        matches!(self.x.as_slice(), ["no" | "nr" | "number", _])
            && before.is_some_and(|verb| matching::is_past(verb) && !ENDS.has(verb))
    }

    /// "set the meeting notes to high priority", "move the meeting notes to friday": the notes are the task.
    pub fn titled_notes(&self) -> bool {
        let value = self.stretch('y');
        let Some((_, _, end)) = self.captures.iter().find(|(name, _, _)| *name == 'x') else { return false };
        let owned = !matches!(self.context.target(self.stretch('x')), Target::Words { .. });
        let behind = self.clause.get(*end).is_some_and(|word| NOTES.has(&word.key));
        let plain = value.iter().all(|word| word.kind == Kind::Plain);
        behind && !owned && plain && (priority(value).is_some() || self.context.date(value).is_some())
    }

    /// "put down jury forms due friday": a new task.
    pub fn puts_down(&self) -> bool {
        const VERBS: Set = set("put|note|jot|write|pop|pencil|stick|scribble|bung|mark");
        let stated = self.captures.first().is_some_and(|(name, start, _)| *name == 'x' && *start == 0);
        stated && matches!(self.x.as_slice(), [verb, "down" | "in", _, ..] if VERBS.has(verb))
    }
}
