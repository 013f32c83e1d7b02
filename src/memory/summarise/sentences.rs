//! Selection of sentences to keep: those that state a lasting fact. Excludes commands, questions, reports of finished
//! work and talk about the list. Evaluated with end2end/memory.

/// First words of commands, questions and replies to earlier messages.
const NOT_AT_FIRST: &str = "add append archive assign book bring bump buy call can cancel change check clear complete copy could create deadline \
    delete did do does done don dont drop duplicate email fetch find finish fix forget get give go great has have hello help hey hi how is are \
    was were include let lets list lovely make mark maybe message move need never new next no nope note ok okay open order pay pick \
    postpone prioritise prioritize push put remind remove rename reopen repeat replace reply reschedule restore revert schedule search send set \
    should show snooze sorry split start stop sure swap switch tag take tell text thank thanks that tick tomorrow today tonight uncheck undo unmark untick update \
    wait water wash clean what when where which who whose why will would yeah yep yes";
/// Openings of intentions, past actions and opinions, which are no facts about the person.
const NOT_OF_ME: &[&str] = &[
    "i need to",
    "i have to",
    "i've got to",
    "i must",
    "i should",
    "i will",
    "i'll",
    "i'd like",
    "i would like",
    "i want to add",
    "i want to delete",
    "i want to see",
    "i want to change",
    "i want to remove",
    "i just",
    "i did",
    "i have bought",
    "i've bought",
    "i bought the",
    "i bought some",
    "i finished",
    "i've finished",
    "i have finished",
    "i called",
    "i've called",
    "i sent",
    "i paid",
    "i have paid",
    "i've paid",
    "i'm done",
    "i am done",
    "i'm not sure",
    "i am not sure",
    "i mean",
    "i meant",
    "i think",
    "i forgot",
    "i guess",
    "i have three tasks",
    "i'm going to",
    "i am going to",
    "we need",
    "we have to",
    "we must",
    "we should",
    "we will",
    "we are out of",
    "we're out of",
    "everything is",
    "this is",
    "it is",
    "it's",
    "my mistake",
    "my next",
    "my list",
    "my tasks",
];
/// Words about the list or the present moment.
const NOT_ANYWHERE: &str = "task tasks todo todos list reminder #1 #2 #3 now right";

pub fn worth_keeping(text: &str) -> Vec<String> {
    let sentences = sentences(text);
    sentences.into_iter().filter(|sentence| states(sentence)).map(str::to_owned).collect()
}

/// Splits a text at line breaks and sentence ends; a point within a word or after an abbreviation ends none.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = vec![];
    for line in text.lines() {
        let mut start = 0;
        for (at, sign) in line.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?')) {
            let end = at + sign.len_utf8();
            let before = line[start..at].rsplit(' ').next().unwrap_or_default();
            let short = sign == '.' && matches!(before, "Dr" | "Mr" | "Mrs" | "Ms" | "St" | "Prof" | "e.g" | "i.e");
            if !short && line[end..].chars().next().is_none_or(char::is_whitespace) {
                found.push(line[start..end].trim());
                start = end;
            }
        }
        found.push(line[start..].trim());
    }
    found.into_iter().filter(|sentence| !sentence.is_empty()).collect()
}

/// Returns true if the sentence states a lasting fact.
fn states(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '#').filter(|it| !it.is_empty()).collect();
    let among = |list: &str, word: &str| list.split_whitespace().any(|it| it == word);
    let Some(first) = words.iter().find(|word| **word != "please") else { return false };
    // "Don't" and "let's" become "don" and "let".
    let first = first.split('\'').next().unwrap_or_default();
    words.len() >= 3
        && !sentence.ends_with('?')
        && !among(NOT_AT_FIRST, first)
        && !NOT_OF_ME.iter().any(|start| lower.starts_with(start))
        && !words.iter().any(|word| among(NOT_ANYWHERE, word))
        && (words.len() >= 4 || sentence.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: &str = include_str!("../../../end2end/memory/pairs.tsv");
    const TALK: &str = include_str!("../../../end2end/memory/talk.txt");

    #[test]
    fn facts_are_kept_and_talk_is_not() {
        let facts: Vec<&str> = PAIRS.lines().filter_map(|line| line.split('\t').nth(2)).skip(1).collect();
        let talk: Vec<&str> = TALK.lines().collect();
        let lost: Vec<_> = facts.iter().filter(|fact| worth_keeping(fact).is_empty()).collect();
        let kept: Vec<_> = talk.iter().filter(|line| !worth_keeping(line).is_empty()).collect();
        println!(
            "of {} facts {} are lost; of {} lines of talk {} are kept",
            facts.len(),
            lost.len(),
            talk.len(),
            kept.len()
        );
        assert!(facts.len() >= 149 && lost.len() * 20 <= facts.len(), "lost {lost:#?}");
        assert!(talk.len() >= 80 && kept.len() * 20 <= talk.len(), "kept {kept:#?}");
    }

    #[test]
    fn a_message_is_parted_into_sentences() {
        let text = "Dr. Okafor is nice. He moved to St. Gallen!\nI take 1.5 sugars, e.g. in tea";
        assert_eq!(
            sentences(text),
            ["Dr. Okafor is nice.", "He moved to St. Gallen!", "I take 1.5 sugars, e.g. in tea"]
        );
    }
}
