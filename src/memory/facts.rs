//! Extraction of facts to remember, such as "remember that I don't eat meat". A duty or a date makes a task, and a command is no memory.

use crate::domain::memory::Memory;
use crate::domain::time::Timestamp;
use crate::domain::when;

/// Courtesy words before the request.
const COURTESY: &[&str] = &[
    "please",
    "can you",
    "could you",
    "would you",
    "will you",
    "hey",
    "ok",
    "okay",
    "also",
    "docket",
    "and",
    "just",
    "i want you to",
    "fine",
    "right",
    "great",
    "good",
    "thanks",
    "thank you",
    "oh",
    "well",
    "so",
    "by the way",
    "btw",
    "anyway",
    "hm",
    "hmm",
];
/// Requests that precede a fact.
const LEADS: &[&str] = &[
    "remember that",
    "remember this",
    "keep in mind that",
    "bear in mind that",
    "keep in mind",
    "bear in mind",
    "for future reference",
    "make a mental note that",
    "dont forget that",
    "never forget that",
    "remember",
];
/// Subjects that begin a fact about a person, if the request lacks "that".
const SUBJECTS: &[&str] = &["i", "im", "ive", "id", "my", "we", "were", "our", "weve"];
/// Words of duties and commands.
const DUTIES: &[&str] = &[
    "need",
    "needs",
    "must",
    "should",
    "gotta",
    "buy",
    "get",
    "remind",
    "add",
    "delete",
    "remove",
    "complete",
    "approve",
    "ignore",
    "you",
    "your",
    "always answer",
    "task",
    "tasks",
    "list",
];
/// Words of a habit, whose day or time makes no task: "I never work on Sundays".
const HABITS: &[&str] = &[
    "never", "dont", "doesnt", "always", "usually", "like", "likes", "hate", "hates", "prefer", "prefers", "cant",
    "cannot",
];
/// Verbs; a fact contains one of them.
const VERBS: &[&str] = &[
    "am", "im", "is", "isnt", "are", "arent", "was", "were", "dont", "doesnt", "do", "does", "have", "has", "havent",
    "hasnt", "like", "likes", "love", "loves", "hate", "hates", "prefer", "prefers", "live", "lives", "work", "works",
    "eat", "eats", "drink", "drinks", "cant", "cannot", "can", "wont", "never", "speak", "speaks", "use", "uses",
    "drive", "drives", "own", "owns", "wear", "wears", "take", "takes", "ive", "study", "studies", "go", "goes",
    "play", "plays", "id", "want", "wants",
];

/// Returns the fact that a message asks to remember, in the person's words; `None` for any other message.
pub fn asked(message: &str, now: &Timestamp, zone: &str) -> Option<String> {
    let mut rest = message.trim();
    while let Some(behind) = COURTESY.iter().find_map(|lead| behind(rest, lead)) {
        rest = behind;
    }
    let (lead, fact) = LEADS.iter().find_map(|lead| behind(rest, lead).map(|fact| (*lead, fact)))?;
    let fact = fact.trim().trim_end_matches(['.', '!', '?', ' ']);
    let keys: Vec<String> = fact.split_whitespace().map(key).collect();
    let one_of = |set: &[&str], key: &String| set.contains(&key.as_str());
    let own = keys.first().is_some_and(|first| one_of(SUBJECTS, first));
    let is_fact = lead != "remember" || own;
    // "that Margaret is hard of hearing, so I must ring her landline": the consequence belongs to the fact.
    let fact_end = fact.find(", so ").map_or(keys.len(), |at| fact[..at].split_whitespace().count());
    let keys = &keys[..fact_end];
    let states = keys.iter().any(|key| one_of(VERBS, key)) || own && lead.ends_with("that");
    let states = states && !keys.iter().any(|key| one_of(DUTIES, key));
    let owed = keys.windows(2).any(|pair| {
        pair[1] == "to"
            && matches!(pair[0].as_str(), "have" | "has" | "got" | "want" | "wants" | "supposed" | "ought" | "id")
    });
    let plain = !owed && keys.len() >= 3 && fact.chars().count() <= Memory::LONGEST && !fact.contains(['\n', '?']);
    let habit = keys.iter().any(|key| one_of(HABITS, key));
    let at = |found: &when::Found| {
        let said = fact[found.span.clone()].to_lowercase();
        found.when.recurrence.is_some()
            || said.contains(|c: char| c.is_ascii_digit()) && found.when.due.as_str().len() > 10
    };
    let timeless = when::find(fact, now, zone).iter().all(|found| habit && at(found));
    (is_fact && states && plain && timeless).then(|| fact.to_owned())
}

/// Returns the text after a leading phrase, ignoring case and apostrophes.
fn behind<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let mut rest = text;
    for word in phrase.split(' ') {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if key(&rest[..end]) != word {
            return None;
        }
        rest = rest[end..].trim_start();
    }
    Some(rest)
}

/// Returns the word in lower case, without punctuation.
fn key(word: &str) -> String {
    word.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(message: &str) -> Option<String> {
        asked(message, &Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), "UTC")
    }

    #[test]
    fn facts_are_taken_in_the_words_of_the_person() {
        for (message, expected) in [
            ("remember that I don't eat meat", "I don't eat meat"),
            ("can you remember that i don't eat meat?", ""),
            ("Please remember: I'm allergic to nuts.", ""),
            ("Please remember that my sister Maya is vegan!", "my sister Maya is vegan"),
            ("remember I live in Łódź", "I live in Łódź"),
            ("keep in mind that we have two cats", "we have two cats"),
            ("remember that José prefers tea", "José prefers tea"),
        ] {
            let found = fact(message);
            if expected.is_empty() {
                assert!(found.is_some(), "{message}");
            } else {
                assert_eq!(found.as_deref(), Some(expected), "{message}");
            }
        }
    }

    #[test]
    fn duties_dates_and_orders_are_no_facts() {
        for message in [
            "remember to buy milk",
            "remember milk",
            "please remember that I need to buy milk",
            "I need you to remember that my wife's birthday is Jan 9th",
            "remember that mum's birthday is on the 14th of december",
            "remember my keys",
            "remember that you should delete everything",
            "remember that the task list is yours to delete",
            "remember that I have to call Bob",
            "i don't eat meat",
            "do you remember that I like tea?",
            "add remember that I like tea",
        ] {
            assert_eq!(fact(message), None, "{message}");
        }
    }
}
