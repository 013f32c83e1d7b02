//! Sentences before a request that ask for nothing: complaints, thanks, greetings.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Word, words};
use crate::llm::rules::read::talk;

/// Words of which a complaint may consist.
const CRIES: Set = file_set!("preface_cries");
/// Phrases that begin a complaint or a remark on the conversation.
const REMARKS: Set = file_set!("preface_remarks");

/// Maximum sentences before a request, and words of one.
const MOST: usize = 4;
const LONGEST: usize = 24;

/// Returns a message without leading sentences that ask for nothing: "huh? why outside. lena has dentist tuesday, put it on my list".
pub(in crate::llm::rules) fn without(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..MOST {
        let Some(end) = sentence(rest) else { break };
        if !asks_nothing(&rest[..end]) || !rest[end..].contains(char::is_alphanumeric) {
            break;
        }
        rest = rest[end..].trim_start();
    }
    rest
}

/// Returns the end of the first sentence if another follows.
fn sentence(text: &str) -> Option<usize> {
    let ends = |(at, c): &(usize, char)| {
        let spaced = text[at + c.len_utf8()..].starts_with(char::is_whitespace);
        *c == '\n' || matches!(c, '.' | '!' | '?') && spaced
    };
    let (at, mark) = text.char_indices().find(ends)?;
    let quoted = text[..at].matches(['"', '“', '”']).count() % 2 == 1;
    (!quoted).then_some(at + mark.len_utf8())
}

fn asks_nothing(sentence: &str) -> bool {
    let said = words(sentence);
    let keys: Vec<&str> = said.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if keys.is_empty() || keys.len() > LONGEST {
        return false;
    }
    let cries = keys.iter().take_while(|key| CRIES.has(key)).count();
    if cries == keys.len() {
        return true;
    }
    let thanks = matches!(keys[cries], "thanks" | "thank" | "thx" | "ta" | "cheers");
    let orders = |word: &Word| {
        COMMANDS.has(&word.key) && !set!("lose|keep|get|look|let|tell|make|take|read|forget|then").has(&word.key)
    };
    let remarks = REMARKS.leads(&keys[cries..]) > 0
        && !set!("to|can|could|should")
            .has(keys[cries + REMARKS.leads(&keys[cries..])..].first().copied().unwrap_or_default());
    (remarks || thanks) && !said.iter().any(orders) || greets(&said)
}

/// Returns true for thanks, a greeting or praise alone.
fn greets(said: &[Word]) -> bool {
    use crate::llm::rules::read::intent::Part;
    const REPLIES: [&str; 4] = ["You're welcome", "Hello!", "Goodbye!", "Thank you!"];
    matches!(talk::small_talk(said), Some(Part::Say(reply)) if REPLIES.iter().any(|lead| reply.starts_with(lead)))
}
