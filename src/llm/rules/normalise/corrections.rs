//! Corrections and asides, resolved in the text before parsing: “add milk, wait no, oat milk”.

use crate::domain::when::Found;
use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::leads::{asks_for_task, keys};
use crate::llm::rules::normalise::words::{Word, words};

/// Words that begin an aside.
const ASIDES: Set = file_set!("aside_openers");
/// Phrases that withdraw the preceding request.
const RETRACTIONS: Set = file_set!("retractions");

/// Maximum words of a correction, and of an aside.
const LONGEST: usize = 6;
const LONGEST_ASIDE: usize = 12;
/// Words that introduce a correction.
const LEADS: Set = file_set!("corrections_leads");

/// Phrases that introduce a correction without punctuation.
const UNMARKED: Set = set(
    "no wait|wait no|no sorry|sorry no|scratch that|strike that|no actually|actually no|oh wait|oops no|no make that|no hang on|no hold on",
);

/// Returns the range of words that introduce a correction, after punctuation or as an explicit phrase.
fn corrections(said: &[Word]) -> Option<(usize, usize)> {
    let leads = |at: &usize| {
        let pair = || said.get(*at + 1).map(|next| format!("{} {}", said[*at].key, next.key));
        said[*at - 1].is_mark() && LEADS.has(&said[*at].key)
            || *at > 1 && LEADS.has(&said[*at].key) && pair().is_some_and(|pair| UNMARKED.has(&pair))
    };
    let at = (1..said.len()).find(leads)?;
    let run = said[at..].iter().take_while(|word| word.is_mark() || LEADS.has(&word.key)).count();
    (at + run < said.len() && run > 0).then_some((at, at + run))
}

/// Returns true if a message withdraws its own request: “delete the sofa, actually keep it”.
pub(in crate::llm::rules) fn retracts(said: &[Word]) -> bool {
    let Some(at) = (2..said.len()).find(|at| said[*at - 1].is_mark() && !said[*at].is_mark()) else { return false };
    let lead = said[at..].iter().take_while(|word| word.is_mark() || LEADS.has(&word.key)).count();
    let takes_back = |from: usize| {
        let rest: Vec<&str> =
            said[from..].iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
        rest.len() <= LONGEST && RETRACTIONS.has(&rest.join(" "))
    };
    let asked = said[..at].iter().take(3).any(|word| COMMANDS.has(&word.key));
    let back = takes_back(at) || lead > 0 && (at..=at + lead).any(|from| from < said.len() && takes_back(from));
    asked && back
}

/// Returns the text without the corrected words; `None` if there is no correction.
pub(in crate::llm::rules) fn corrected(text: &str, dates: &[Found]) -> Option<String> {
    if text.contains(['"', '“', '\n']) {
        return None;
    }
    let said = words(text);
    let (at, from) = corrections(&said)?;
    let has = |key: &str| said[at..from].iter().any(|word| word.key == key);
    let sure = has("no") && (has("wait") || has("sorry"))
        || has("scratch")
        // "delete beer, no, carrots"
        || has("no") && said[from - 1].is_mark()
        || has("correction")
        || has("make") && has("that")
        || has("or") && has("rather");
    let right: Vec<&Word> = said[from..].iter().filter(|word| !word.is_mark()).collect();
    let (first, last) = (right.first()?, right.last()?);
    let dated = dates.iter().any(|found| found.span.contains(&first.start));
    if !sure || right.len() > LONGEST || said[from..].iter().any(Word::is_mark) || dated {
        return None;
    }
    let said_right = &text[first.start..last.end];
    if COMMANDS.has(&first.key) && right.len() > 1 {
        return Some(said_right.to_owned());
    }
    let left: Vec<&Word> = said[..at].iter().filter(|word| !word.is_mark()).collect();
    // The date of the corrected item remains.
    let day = dates.iter().find(|found| left.last().is_some_and(|word| found.span.contains(&word.start)));
    let end = day.map_or(left.len(), |day| left.iter().take_while(|word| word.start < day.span.start).count());
    let again = left[..end].iter().rposition(|word| word.key == last.key || word.key == first.key);
    let verb = left.iter().position(|word| COMMANDS.has(&word.key) || word.key == "to")?;
    let cut = again.unwrap_or(verb + 1);
    let cut = if again.is_some() && left[cut].key == first.key { cut } else { cut.min(end) };
    (cut > 0).then(|| {
        let day = day.map_or("", |day| &text[day.span.clone()]);
        format!("{} {said_right} {day}", &text[..left[cut - 1].end]).trim_end().to_owned()
    })
}

/// Returns the text without a corrected date or time: "call bob on tuesday, no, wednesday", "at 5, no 6".
pub(in crate::llm::rules) fn redated(text: &str, dates: &[Found]) -> Option<String> {
    if text.contains(['"', '“']) {
        return None;
    }
    let pairs = dates.windows(2).map(|pair| (&pair[0], &pair[1]));
    let days = pairs
        .clone()
        .find(|(first, second)| takes_back(text.get(first.span.end..second.span.start).unwrap_or_default()));
    if let Some((first, second)) = days {
        return Some(format!("{}{}", &text[..first.span.start], &text[second.span.start..]));
    }
    dates.iter().find_map(|found| {
        let behind = text.get(found.span.end..)?;
        let body = behind.trim_end_matches(['.', '!', ' ']);
        let at = body.rfind(' ')? + 1;
        let time = &body[at..];
        let said = &text[found.span.clone()];
        let digit = |c: char| c.is_ascii_digit();
        let from = said.rfind(|c: char| !(c.is_alphanumeric() || c == ':' || c == '.'))? + 1;
        let clock = time.starts_with(digit) && said[from..].starts_with(digit) && time.len() <= 7;
        (clock && takes_back(&body[..at])).then(|| format!("{}{time}", &text[..found.span.start + from]))
    })
}

/// A message without the date that it rejects.
pub(in crate::llm::rules) struct Right {
    pub text: String,
    /// Order that moves the task: “move call mum to 6pm”; `None` if the date does not end the message.
    pub order: Option<String>,
}

/// Returns true if a message requests a new task.
pub(in crate::llm::rules) fn adds(text: &str) -> bool {
    asks_for_task(text)
}

/// Returns a message without the date that it rejects: “call mum at 6pm not half 5”, “… on friday, not thursday”.
pub(in crate::llm::rules) fn uncontrasted(text: &str, dates: &[Found]) -> Option<Right> {
    const NOT: [&str; 4] = ["not ", "rather than ", "instead of ", "and not "];
    if text.contains(['"', '“', '\n']) {
        return None;
    }
    dates.iter().find_map(|found| {
        let behind = text.get(found.span.end..)?;
        let gap = behind.len() - behind.trim_start_matches([',', ' ']).len();
        let rest = behind.get(gap..).filter(|_| gap > 0)?;
        let wrong = NOT.iter().find_map(|not| rest.strip_prefix(not))?;
        // "not 3.30"
        let digits = |at: usize| wrong[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        let ends = |at: &usize| !(wrong[*at..].starts_with('.') && digits(*at));
        let length = wrong.match_indices([',', '.', '!', ';', '(']).map(|(at, _)| at).find(ends).unwrap_or(wrong.len());
        let said = wrong[..length].trim();
        if !is_moment(said) {
            return None;
        }
        let rest = &wrong[length..];
        let subject = text[..found.span.start].trim_end();
        let subject = ["at", "on", "for", "by"].iter().find_map(|word| subject.strip_suffix(word)).unwrap_or(subject);
        let subject = subject.trim_end().trim_end_matches(" is").trim_end();
        let ends = !subject.is_empty() && rest.trim_matches(['.', '!', ' ']).is_empty();
        let date = text[found.span.clone()].trim_start_matches("at ").trim_start_matches("on ");
        // "is at 11, not 10"
        let hour = Some(date).filter(|date| date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
        let date = hour.and(found.when.due.as_str().get(11..16)).unwrap_or(date);
        let order = ends.then(|| format!("move {subject} to {date}"));
        Some(Right { text: format!("{}{rest}", &text[..found.span.end]), order })
    })
}

/// Returns true for a day or a time of day in any form: “5”, “at half 5”, “quarter past six”, “17:30”, “the 7th”, “thursday”.
fn is_moment(text: &str) -> bool {
    const WORDS: Set = file_set!("moment_words");
    let said = keys(text);
    let digits = |word: &String| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let end = &word[bare.len()..];
        !bare.is_empty()
            && bare.len() <= 2
            && bare.bytes().all(|b| b.is_ascii_digit())
            && matches!(end, "" | "am" | "pm" | "st" | "nd" | "rd" | "th")
    };
    (1..=4).contains(&said.len()) && said.iter().all(|word| WORDS.has(word) || digits(word))
}

/// Returns true if the words between two dates withdraw the first one.
fn takes_back(between: &str) -> bool {
    const BETWEEN: Set =
        set("no|wait|sorry|actually|rather|i|mean|meant|make|that|it|oops|scratch|er|um|on|at|by|for|hmm|well|ah|oh");
    const TAKES_BACK: Set = set("no|sorry|actually|rather|mean|meant|oops|scratch|wait");
    let lower = between.to_lowercase();
    let mut said = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    said.clone().all(|word| BETWEEN.has(word)) && said.any(|word| TAKES_BACK.has(word))
}

/// Splits a new task's text and its aside: “add call gran - she'll be 90 - on sunday”.
pub(in crate::llm::rules) fn without_aside(text: &str, dates: &[Found]) -> Option<(String, String)> {
    if !asks_for_task(text) || text.contains(['"', '“', '\n']) {
        return None;
    }
    let marks: Vec<(usize, usize)> = [" - ", " – ", " — ", ", "]
        .iter()
        .flat_map(|mark| text.match_indices(mark).map(|(at, mark)| (at, at + mark.len())))
        .collect();
    let mut marks = marks;
    marks.sort_unstable();
    if let Some(found) = bracketed(text).or_else(|| muttered(text)) {
        return Some(found);
    }
    for (at, from) in marks.iter().copied() {
        let dash = !text[at..from].starts_with(',');
        let end = marks.iter().find(|(next, close)| dash && *next >= from && !text[*next..*close].starts_with(','));
        let (to, close) = end.copied().unwrap_or((text.len(), text.len()));
        // A long rest is not tokenised at each of its commas.
        if text[from..to].split_whitespace().nth(4 * LONGEST_ASIDE).is_some() {
            continue;
        }
        let said = words(&text[from..to]);
        let keys: Vec<&str> = said.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
        let remarks = ASIDES.leads(&keys) > 0 && (2..=LONGEST_ASIDE).contains(&keys.len());
        let dated = dates.iter().any(|found| found.span.start < to && found.span.end > from);
        let asks = keys.iter().any(|key| set!("LIST|TASK|TASKS|urgent|priority|due|remind|add|important").has(key));
        if remarks && !dated && !asks {
            let rest = format!("{} {}", &text[..at], &text[close.min(text.len())..]);
            return Some((rest.trim().to_owned(), text[from..to].trim().to_owned()));
        }
    }
    None
}

/// Returns the text of a new task without closing thanks: "add salt and thanks for being so quick".
pub(in crate::llm::rules) fn unthanked(text: &str) -> &str {
    const THANKS: [&str; 6] = [
        " and thanks for ",
        " and thank you for ",
        ", thanks for ",
        ", thank you for ",
        " thanks for being ",
        " thanks for your ",
    ];
    let lower = text.to_lowercase();
    let at = THANKS.iter().filter_map(|thanks| lower.rfind(thanks)).min().filter(|_| lower.len() == text.len());
    let cut = at.filter(|at| asks_for_task(text) && keys(&text[*at..]).len() <= 8 && !text.contains(['"', '“', '\n']));
    let rest = cut.map_or(text, |at| text[..at].trim_end_matches([',', ' ']));
    if keys(rest).len() >= 2 { rest } else { text }
}

/// Splits off a remark in brackets, which begins with a subject: "add bread (we ran out)".
fn bracketed(text: &str) -> Option<(String, String)> {
    const SUBJECTS: Set =
        set("i|we|he|she|they|it|its|ive|weve|im|were|theyre|shes|hes|thats|that|you|because|cos|since|as");
    let (before, rest) = text.split_once(" (")?;
    let (inside, after) = rest.split_once(')')?;
    let said = keys(inside);
    let remarks = said.len() >= 2 && said.first().is_some_and(|first| SUBJECTS.has(first) || ASIDES.has(first));
    remarks.then(|| (format!("{before}{after}"), inside.trim().to_owned()))
}

/// Splits off a remark that its first word marks without punctuation: "water the ferns btw the weather is nice today".
fn muttered(text: &str) -> Option<(String, String)> {
    const OPENS: [&str; 10] =
        [" btw ", " by the way ", " fyi ", " haha ", " lol ", " lmao ", " omg ", " ugh ", " phew ", " argh "];
    let lower = text.to_lowercase();
    let at = OPENS.iter().filter_map(|word| lower.find(word)).min().filter(|_| lower.len() == text.len())?;
    let (rest, aside) = (text.get(..at)?.trim_end_matches([',', ' ']), text.get(at..)?.trim());
    (rest.contains(' ') && keys(aside).len() > 1).then(|| (rest.to_owned(), aside.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::Timestamp;
    use crate::domain::when;

    fn dates(text: &str) -> Vec<Found> {
        when::find(text, &Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), "UTC")
    }

    #[test]
    fn a_correction_replaces_what_it_corrects() {
        for (said, meant) in [
            ("add milk, wait no, oat milk", Some("add oat milk")),
            ("add soap tomorrow, scratch that, foil", Some("add foil tomorrow")),
            ("complete the ferns, no wait, delete the ferns", Some("delete the ferns")),
            ("add milk, eggs and bread", None),
            ("add wait for the bus, then go home", None),
        ] {
            assert_eq!(corrected(said, &dates(said)).as_deref(), meant, "{said}");
        }
        assert!(retracts(&words("delete the sofa, actually keep it")));
        assert!(!retracts(&words("add keep it simple")));
    }

    #[test]
    fn an_aside_is_no_part_of_a_title() {
        for (said, rest, aside) in [
            ("add call gran - she'll be 90, I think - on sunday", "add call gran on sunday", "she'll be 90, I think"),
            (
                "remind me to take the bins out, ugh I always forget",
                "remind me to take the bins out",
                "ugh I always forget",
            ),
        ] {
            assert_eq!(without_aside(said, &dates(said)), Some((rest.into(), aside.into())), "{said}");
        }
        for said in ["add milk, eggs", "add call Bo - it's urgent", "show my list, ugh I always forget"] {
            assert_eq!(without_aside(said, &dates(said)), None, "{said}");
        }
    }
}
