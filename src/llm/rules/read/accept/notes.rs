//! Validation of captured notes: of an existing task, and not of another.

use super::Candidate;
use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::set;
use crate::llm::rules::read::intent::Target;
use crate::llm::rules::read::pattern::take;

impl Candidate<'_> {
    /// Returns true if the note names no other task.
    pub(super) fn notes_alone(&self) -> bool {
        let pointing = matches!(self.context.target(self.stretch('y')), Target::It | Target::Them | Target::Missing);
        let task = take(self.captures, 't', self.clause).is_some();
        let more = self.keys('y').iter().any(|key| set!("TASK|TASKS|LIST|with").has(key));
        task || !(pointing || more)
    }

    /// Returns true if a number after a number ends a range or a time and names no task: "add read pages 4 to 6", "at ten to nine".
    pub(super) fn ranges(&self) -> bool {
        let spelled = set!("one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|quarter|minutes");
        let counts =
            |key: Option<&&str>| key.is_some_and(|key| key.bytes().all(|b| b.is_ascii_digit()) || spelled.has(key));
        counts(self.keys('y').last()) && counts(self.keys('t').first())
    }

    /// Returns true if the words before the command only name a task: "for task 3 put …".
    pub(super) fn addressed(&self) -> bool {
        let led = set!("for|on|in|under|to").has(&self.clause[0].key);
        let dated = self.context.date(self.stretch('x')).is_some();
        !led || !dated && self.x.len() <= 7 && !self.x.iter().any(|key| COMMANDS.has(key) || *key == "LIST")
    }
}
