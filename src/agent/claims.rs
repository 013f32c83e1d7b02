//! Whether a reply says that something was changed. Code asks this of a model's words where no call has changed anything, and
//! then says so. It reads sentences, since a model may say it in any of many ways; quoted titles are no sentences.

/// What is done to tasks, as a participle.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "added", "created", "deleted", "removed", "completed", "marked", "updated", "renamed", "changed", "finished", "ticked", "checked",
    "crossed", "cleared", "moved", "rescheduled", "postponed", "scheduled", "set", "edited", "modified", "saved", "noted", "recorded",
    "reopened", "restored", "closed", "dropped", "erased", "wiped", "cancelled", "canceled", "adjusted", "assigned", "tagged", "put",
    "made", "entered", "logged", "archived", "undone", "bumped", "pushed", "shifted", "prioritized", "prioritised", "inserted",
    "registered", "flagged", "discarded", "swapped", "replaced", "applied", "retitled", "labelled", "labeled", "stored", "struck",
    "taken", "scrapped", "jotted", "popped", "lowered", "raised", "turned", "switched", "trashed", "purged", "unchecked", "fixed",
    "corrected", "placed", "filed", "attached", "appended", "converted", "handled", "binned", "extended", "delayed", "carried", "cleaned",
    "merged", "combined", "reordered", "booked", "done", "executed", "performed", "emptied", "duplicated", "copied", "processed", "tidied",
];
/// Participles that also tell of a state: "task 3 is completed" may be true of old.
#[rustfmt::skip]
const STATES: &[&str] = &[
    "completed", "finished", "done", "scheduled", "set", "closed", "made", "put", "tagged", "assigned", "filed", "handled", "flagged",
    "cancelled", "canceled", "archived", "noted", "taken", "booked", "labelled", "labeled", "stored", "turned", "extended", "delayed", "prioritised",
    "prioritized", "attached", "placed", "recorded", "changed", "marked",
];
/// Verbs in the past that the first person may use of what changes nothing.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "need", "expired", "checked", "looked", "searched", "asked", "noticed", "reviewed", "needed", "wanted", "listed", "tried", "called", "treated", "assumed",
    "mentioned", "liked", "loved", "hoped", "failed", "stopped", "skipped", "counted", "considered", "compared", "expected", "worked", "learned",
    "wondered", "received", "scanned", "verified", "opened", "displayed", "showed", "sorted", "filtered", "grouped", "attempted", "missed",
    "guessed", "offered", "suggested", "ignored", "refused", "declined", "waited", "paused", "limited", "figured", "fetched", "retrieved",
    "pulled", "summarised", "summarized", "confused", "interested", "designed", "supposed", "allowed", "pleased", "delighted", "excited", "focused",
    "inspected", "browsed", "explained", "proposed", "interpreted", "stayed", "prepared", "answered", "replied", "matched", "identified", "located",
];
/// The same where the participle is irregular, and what must not be taken for "did not".
#[rustfmt::skip]
const IRREGULAR: &[&str] = &[
    "took", "wrote", "written", "got", "gotten", "threw", "thrown", "made", "put", "struck", "set", "undid", "undone", "done", "stuck", "split", "cut",
    "taken", "begun", "swept", "shut", "hid", "hidden", "rid", "brought", "redone", "dealt",
];
/// Words that may stand between a subject, its verb and the deed.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "just", "now", "also", "successfully", "already", "been", "gone", "ahead", "and", "all", "both", "then", "officially", "safely", "quickly",
    "permanently", "so", "properly", "duly", "happily", "simply", "since", "each", "being", "finally", "immediately", "even", "have", "had", "went",
    "gladly", "indeed",
];
/// Words that make what follows them speak of something that is not so, or of a possibility.
#[rustfmt::skip]
const DENIALS: &[&str] = &[
    "not", "no", "never", "nothing", "cannot", "can't", "couldn't", "didn't", "don't", "doesn't", "won't", "wasn't", "weren't", "isn't", "aren't",
    "haven't", "hasn't", "hadn't", "unable", "failed", "if", "unless", "until", "would", "could", "can", "once", "before", "whether", "should",
    "might", "may", "none", "when", "neither", "without", "wouldn't", "will", "i'll", "whenever", "cant", "didnt", "havent", "wont", "nor",
    "let's", "shall", "want", "yet", "whichever", "which", "any", "sorry", "i'd", "you'd", "what", "must", "be", "says",
];
/// Whole sentences that say that it is done.
#[rustfmt::skip]
const SAYINGS: &[&str] = &[
    "set", "sorted", "it's done", "that's done", "it is done", "that is done", "consider it done", "you're all set", "you are all set", "taken care of",
    "mission accomplished", "job done", "gone", "it's in", "it's sorted", "that's sorted", "success", "there you go", "noted", "consider it handled",
    "done for you", "done as you asked", "is done", "there we go",
];
/// Parts of a sentence that say it.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "no longer on your list", "one less thing", "care of it", "care of that", "taken care of", "went through", "is gone", "are gone", "it's gone",
    "off your list", "off the list", "was successful", "deletion is complete", "update is complete", "operation complete", "request is complete",
    "is up to date", "sorted that out", "got rid of", "it on your list", "that on your list", "it on the list", "that on the list", "that's that",
    "checked it off", "checked that off", "ticked it off", "is history", "in place", "back on your list", "done and dusted", "officially complete",
];

/// Whether it says that something was changed just now.
pub fn speaks_of_a_change(text: &str) -> bool {
    sentences(text).iter().any(claims)
}

/// A sentence in lower-case words, and whether it asks.
struct Sentence {
    words: Vec<String>,
    asks: bool,
    /// It began with a tick.
    ticked: bool,
    /// It is a line of a list.
    listed: bool,
    /// A colon stands before it: the value of a field, perhaps.
    valued: bool,
}

/// Sentences without what stands in quotes.
fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = vec![];
    for line in unquoted(text).lines() {
        let bare = line.trim_start();
        let listed = bare.starts_with(['-', '•', '*', '#', '[']) && !bare.starts_with("**")
            || bare.starts_with(|first: char| first.is_ascii_digit());
        let ticked = bare.starts_with(['✅', '✔', '☑', '🗑', '✓', '🎉', '👍']);
        let mut from = 0;
        let ends = bare.char_indices().filter(|(_, sign)| matches!(sign, '.' | '!' | '?' | ';' | ':' | '—' | '–'));
        let mut cuts: Vec<(usize, char)> = ends.collect();
        cuts.push((bare.len(), '.'));
        for (at, sign) in cuts {
            let words = words(&bare[from.min(at)..at]);
            if !words.is_empty() {
                let (first, valued) = (from == 0, bare[..from].ends_with(':'));
                found.push(Sentence {
                    words,
                    asks: sign == '?',
                    ticked: ticked && first,
                    listed: listed && first,
                    valued,
                });
            }
            from = at + if at < bare.len() { sign.len_utf8() } else { 0 };
        }
    }
    found
}

/// The text with every quotation reduced to a mark.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', '“', '«', '`', '‘', '\'']) {
        let open = rest[start..].chars().next().unwrap_or('"');
        let close = match open {
            '“' => '”',
            '«' => '»',
            '‘' => '’',
            other => other,
        };
        let after = &rest[start + open.len_utf8()..];
        // An apostrophe inside a word opens nothing.
        let inside_word = open == '\'' && rest[..start].ends_with(char::is_alphanumeric);
        let line = after.split('\n').next().unwrap_or_default();
        let ends = if open == '\'' {
            line.match_indices('\'').map(|(at, _)| at).find(|at| !line[at + 1..].starts_with(char::is_alphanumeric))
        } else {
            line.find(close)
        };
        match ends {
            Some(end) if !inside_word => {
                out.push_str(&rest[..start]);
                out.push('☐');
                rest = &after[end + close.len_utf8()..];
            }
            _ => {
                out.push_str(&rest[..start + open.len_utf8()]);
                rest = after;
            }
        }
    }
    out + rest
}

fn words(sentence: &str) -> Vec<String> {
    let lower = sentence.to_lowercase().replace('’', "'");
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '\'' || sign == '☐' || sign == '#' || sign == '-';
    lower
        .split(|sign| !is_word(sign))
        .map(|word| word.trim_matches(['-', '\'']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn claims(sentence: &Sentence) -> bool {
    let all: Vec<&str> = sentence.words.iter().map(String::as_str).collect();
    if sentence.asks {
        // "Milk is on the list, anything else?" still says the first half; but most questions say nothing.
        return false;
    }
    if sentence.ticked && all.iter().any(|word| is_deed(word)) {
        return true;
    }
    let opening = all.iter().position(|word| !OPENINGS.contains(word)).unwrap_or(all.len());
    // "No problem" denies nothing.
    let polite = matches!(all[opening..], ["no" | "not", ..] if all[opening..].iter().take(3).any(|word| matches!(*word, "problem" | "worries" | "trouble")));
    let start = if polite {
        all.iter().position(|word| matches!(*word, "problem" | "worries" | "trouble")).map_or(opening, |at| at + 1)
    } else {
        opening
    };
    let rest = &all[start..];
    if rest.first() == Some(&"to") {
        return false;
    }
    // What comes after a denial is denied.
    let free = rest.iter().position(|word| DENIALS.contains(word)).unwrap_or(rest.len());
    let denied = free < rest.len();
    let words = &rest[..free];
    let said = words.join(" ");
    if !denied
        && !sentence.valued
        && (SAYINGS.contains(&said.as_str()) || matches!(words, [only] if is_deed(only)) && !sentence.listed)
    {
        return true;
    }
    // A lone "all set" or "done" may be all opening.
    if rest.is_empty()
        && !all.contains(&"well")
        && all.iter().any(|word| matches!(*word, "set" | "sorted" | "done"))
        && !sentence.valued
    {
        return true;
    }
    PHRASES.iter().any(|phrase| said.contains(phrase) || rest.join(" ").contains("no longer on your list"))
        || begins_with_deed(words, sentence)
        || first_person(words)
        || passive(words)
        || (!denied && !sentence.listed && curt(words))
        || newly(words)
}

fn is_deed(word: &str) -> bool {
    DEEDS.contains(&word)
}

/// Words before what a sentence says.
#[rustfmt::skip]
const OPENINGS: &[&str] = &[
    "ok", "okay", "sure", "great", "alright", "right", "perfect", "yes", "well", "good", "news", "absolutely", "certainly", "successfully", "and", "thing",
    "of", "course", "all", "nice", "excellent", "wonderful", "hi", "hey", "understood", "also", "then", "so", "boom", "poof", "voilà", "voila", "bam",
    "cool", "awesome", "fantastic", "just", "work", "there", "done", "ta-da", "easy", "splendid", "lovely", "super",
];

/// "Added milk to your list": a deed at the beginning, and something after it that makes it more than a heading.
fn begins_with_deed(words: &[&str], sentence: &Sentence) -> bool {
    let [first, rest @ ..] = words else { return false };
    if sentence.listed || sentence.valued && rest.is_empty() || !is_deed(first) {
        return false;
    }
    !matches!(rest.first(), None | Some(&"tasks" | &"items" | &"on" | &"ones")) && !long_ago(words)
}

/// "I've just added", "we went ahead and removed", "I found it and deleted it".
fn first_person(words: &[&str]) -> bool {
    const WHO: &[&str] = &["i", "i've", "we", "we've", "ive"];
    let Some(at) = words.iter().position(|word| WHO.contains(word)) else { return false };
    let acts = |word: &str| {
        (word.ends_with("ed") && word.len() > 3 || is_deed(word) || IRREGULAR.contains(&word))
            && !HARMLESS.contains(&word)
    };
    let after = &words[at + 1..];
    let mut next = after.iter().filter(|word| !BETWEEN.contains(word));
    let first = next.next().copied().unwrap_or_default();
    let did = first == "did" && next.next().is_some();
    let joined = after
        .windows(2)
        .any(|pair| matches!(pair[0], "and" | "then" | "also") && acts(pair[1]) && after.last() != Some(&pair[1]));
    let again = after
        .iter()
        .zip(after.iter().skip(1))
        .any(|(who, word)| WHO.contains(who) && (acts(word) || BETWEEN.contains(word)));
    acts(first) || did || joined || again && first_person(after)
}

/// "Task 3 has been deleted", "both were marked".
fn passive(words: &[&str]) -> bool {
    for (at, word) in words.iter().enumerate() {
        let perfect = matches!(
            *word,
            "has"
                | "have"
                | "been"
                | "it's"
                | "that's"
                | "they've"
                | "they're"
                | "task's"
                | "got"
                | "gets"
                | "everything's"
        );
        let past = matches!(*word, "was" | "were");
        let present = *word == "is";
        let who = words[..at].last().copied().unwrap_or_default();
        if !(perfect || past || present) || matches!(who, "you" | "you've" | "that" | "who" | "i" | "we") {
            continue;
        }
        let between: Vec<_> = words[at + 1..].iter().take_while(|word| BETWEEN.contains(word)).collect();
        let next = words.get(at + 1 + between.len());
        // Of the perfect any participle will do: there are more deeds than a list can hold.
        let any =
            |word: &&&str| word.ends_with("ed") && !HARMLESS.contains(word) && (perfect || past) && **word != "overdue";
        let Some(deed) = next.filter(|word| is_deed(word) || any(word)) else { continue };
        let already = words.contains(&"already");
        // "It's completed" tells of a state, "it's been completed" of a deed.
        let been =
            *word == "been" || between.iter().any(|word| matches!(**word, "been" | "now" | "successfully" | "just"));
        let tells = match *word {
            "was" | "were" => !long_ago(words),
            "is" | "it's" | "that's" | "they're" | "task's" => been || !STATES.contains(deed) || *deed == "marked",
            _ => true,
        };
        if tells && !already {
            return true;
        }
    }
    false
}

/// "Task 3 completed", "new task created", "task deleted successfully": a thing and a deed, and no verb.
fn curt(words: &[&str]) -> bool {
    const VERBS: &[&str] = &[
        "is", "are", "was", "were", "you", "have", "has", "do", "i", "we", "that", "they", "had", "stay", "status",
        "you've",
    ];
    words.split(|word| *word == "and").any(|clause| {
        let at = clause.iter().position(|word| is_deed(word));
        at.is_some_and(|at| {
            let number = clause[0].chars().all(|sign| sign.is_ascii_digit()) || NUMBERS.contains(&clause[0]);
            (1..=4).contains(&at)
                && !number
                && clause[0] != "of"
                && !clause.iter().any(|word| VERBS.contains(word))
                && (at + 1 == clause.len()
                    || matches!(
                        clause[at + 1],
                        "successfully"
                            | "for"
                            | "from"
                            | "to"
                            | "as"
                            | "off"
                            | "with"
                            | "task"
                            | "laundry"
                            | "☐"
                            | "now"
                    ))
        })
    })
}

const NUMBERS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "several", "many", "some"];

/// "Milk is now on your list": what it was not before.
fn newly(words: &[&str]) -> bool {
    let Some(now) = words.iter().position(|word| *word == "now") else { return false };
    if now == 0 || matches!(words[now - 1], "right" | "for" | "until" | "by" | "from") || words.contains(&"open") {
        return false;
    }
    words.iter().any(|word| {
        word.starts_with('#')
            || matches!(
                *word,
                "task"
                    | "tasks"
                    | "list"
                    | "it"
                    | "it's"
                    | "item"
                    | "items"
                    | "they"
                    | "they're"
                    | "them"
                    | "that's"
                    | "☐"
                    | "reminder"
                    | "both"
                    | "title"
                    | "date"
                    | "priority"
                    | "deadline"
                    | "name"
                    | "everything"
            )
    })
}

/// Words of a time that is over: then it is told what was, not what was just done.
fn long_ago(words: &[&str]) -> bool {
    const DAYS: &[&str] = &[
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "march",
        "april",
        "june",
        "july",
    ];
    words.iter().any(|word| matches!(*word, "yesterday" | "earlier" | "ago" | "last" | "previously"))
        || words.windows(2).any(|pair| {
            pair[0] == "on" && (DAYS.contains(&pair[1]) || pair[1].chars().all(|sign| sign.is_ascii_digit()))
        })
}

#[cfg(test)]
mod tests;
