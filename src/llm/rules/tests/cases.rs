//! Runs `cases/*.tsv`: a message, its calls, the end of the turn, and optionally a part of the reply.
//!
//! Messages of one conversation are separated by ` || `; the last one is checked. Calls are separated by ` + `. A turn
//! without calls ends with `says`, `asks` or `refuses`; one with calls may end with `asks` as well.

use super::{REPOSITORY, turn};
use crate::llm::Act;

/// A line of a file.
struct Case<'a> {
    messages: Vec<String>,
    outcome: &'a str,
    reply: &'a str,
}

impl<'a> Case<'a> {
    fn read(line: &'a str) -> Self {
        let mut cells = line.split('\t');
        let messages = cells.next().unwrap_or_default().split(" || ").map(|text| text.replace("\\n", "\n")).collect();
        Self { messages, outcome: cells.next().unwrap_or_default(), reply: cells.next().unwrap_or_default() }
    }

    /// Returns the difference between the expected and the actual result, if there is one.
    fn fault(&self) -> Option<String> {
        let (mut entries, mut last) = (vec![], None);
        for message in &self.messages {
            last = Some(turn(&mut entries, message));
        }
        let (mut made, act) = last?;
        let (end, said) = match act {
            Act::Say { text } => ("says", text),
            Act::Ask { question, .. } => ("asks", question),
            Act::Refuse { text } => ("refuses", text),
            Act::AskAgain { text, .. } => ("asks again", text),
            Act::Calls { .. } => return Some("the turn does not end".to_owned()),
        };
        if made.is_empty() || end != "says" {
            made.push(end.to_owned());
        }
        let outcome = made.join(" + ");
        let differs = outcome != self.outcome || !said.contains(self.reply);
        differs.then(|| format!("{:?}: {outcome} “{said}”, not {} {}", self.messages, self.outcome, self.reply))
    }
}

#[test]
fn messages_do_what_their_cases_say() {
    let folder = std::path::Path::new(REPOSITORY).join("src/llm/rules/tests/cases");
    let (mut faults, mut count) = (vec![], 0);
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let cases = text.lines().filter(|line| !(line.is_empty() || line.starts_with('#'))).map(Case::read);
        for case in cases {
            count += 1;
            faults.extend(case.fault());
        }
    }
    assert!(count > 500, "the cases are found");
    assert!(faults.is_empty(), "{} of {count}\n{}", faults.len(), faults.join("\n"));
}
