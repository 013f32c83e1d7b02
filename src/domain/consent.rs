//! What counts as a yes, a no, and a confirmation inside a request. Anything less than clear counts
//! as neither.

use super::text::plain_words as plain;

/// Orders that leave no word unread.
mod order;

pub use order::{fits, is_spelled_out};

/// A clear answer to a question that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// "No, delete book flights instead": a no, and what was said besides it.
    NoBut(String),
}

/// A confirmation that came with the request itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// The confirming words as written.
    pub words: String,
    /// The message without them.
    pub rest: String,
}

const YES: &str = "yes|y|yep|yeah|yup|yea|aye|affirmative|absolutely|definitely|certainly|confirm|confirmed|\
     i confirm|go ahead|go for it|do it|please do|proceed|im sure|i am sure|of course|thats right|correct|\
     approved|approve|by all means|yes please|sure go ahead|sure do it|please proceed|ok go ahead|go on then|yh|yas|yess|\
     yeah go on|fire away|make it so|ok do it|okay do it|okay go ahead|im certain|i am certain|im positive|sure thing|\
     lets do it|too right|damn right|thats correct|thats the one|exactly|indeed|ok yes|okay yes|ok yeah|oh yes|oh yeah|\
     kindly proceed|kindly do|kindly go ahead|crack on|carry on|please go ahead|be my guest|do so|please do so|\
     right yes|right yeah|well yes|ah yes|alright yes|so yes|ok yep|right yep|ya|then yes|then yeah|in that case yes";
const NO: &str = "definitely not|absolutely not|certainly not|of course not|no way|not really|hell no|\
     not at all|please no|dont do that|dont do it|not that one|wrong one|no|nope|nah|n|cancel|stop|dont|do not|\
     never mind|nevermind|wait no|actually no|oh no|scratch that|forget it|forget that|forget about it|leave it|\
     keep it|keep them|abort|not now|rather not|i changed my mind|ive changed my mind|please dont|hold on no|\
     hold fire|dont bother|leave that|leave them|leave this|leave those|leave both|leave that one|keep that|keep this|keep those|keep both|\
     keep that one|let it stay|let it be|let them stay|let them be|it stays|they stay|it can stay|they can stay|that can stay|\
     no wait|wait stop|id rather not|better not|negative|reject|rejected|hmm no|on second thought no";
/// What a yes may carry along.
const WITH_YES: &str = "please|do|it|that|them|one|both|all|thanks|thank|you|delete|remove|erase|rename|\
     complete|trash|go|ahead|for|sure|im|i|am|confirm|confirmed|now|the|this|those|very|really|absolutely|\
     definitely|of|course|ok|okay|yes|yeah|yep|proceed|and|so|just|certain|get|rid|bin|drop|scrap|off|then|mate|grand|great|perfect|brilliant|\
     good|nice|cool|sweet|awesome|super|wonderful|excellent|fab|\
     pls|plz|cheers|ta|lovely|positive|whole|lot|thats|right|correct|fine|gone|away|take|lose|clear|wipe|pair|\
     completely|totally|id|like|want|to|by|means|kindly|on|dear|love|pal|sounds|works|me";
/// What may lead a yes and is none by itself.
const PLEASED: &str =
    "lovely|great|grand|perfect|good|nice|brilliant|excellent|super|fine|ok|okay|alright|cool|wonderful|fab|well|ah|oh";
/// What may lead a no.
const MUSES: &str = "actually|oh|hmm|sorry|ah|um|well|ok|okay|right|hang|hold|on|wait";
/// What a no may carry along.
const WITH_NO: &str = "thanks|thank|you|please|it|that|them|wait|actually|sorry|way|dont|do|delete|remove|\
     rename|erase|keep|leave|never|mind|the|stop|cancel|i|changed|my|ive|not|now|yet|no|this|alone|want|to|\
     complete|one|those|ok|nevermind|forget|about|scratch|as|is|ta|cheers|mate|can|should|may|stay|stays|there|where|\
     on|here|list|be|let|lets|was|how|untouched|exactly|right|though|tho|then|still|ty|thx|pls|plz|in|place|dear|love|pal|need|after|all";
/// A "no" that is none.
const NO_ANSWER: &str = "no idea|no clue|no problem|no worries|no doubt|no one|no need|no date|no not sure|no im not sure|\
     no i dont know|no dont know|no let me think|no wait let me think|no hang on let me think|no i need to think";

/// How many words of the longest phrase that `words` begin with; phrases are divided by `|`.
fn led(words: &[String], phrases: &str) -> Option<usize> {
    let first = words.first()?;
    // Most words are in none of them, which looking at many places at once tells soonest.
    if !phrases.contains(first.as_str()) {
        return None;
    }
    phrases
        .split('|')
        .filter(|phrase| phrase.starts_with(first.as_str()))
        .filter(|phrase| phrase.split(' ').enumerate().all(|(at, part)| words.get(at).is_some_and(|word| word == part)))
        .map(|phrase| phrase.split(' ').count())
        .max()
}

/// Reads a message as the answer to the one question that waits; `None` for vague words, questions and other requests.
pub fn answer(text: &str) -> Option<Answer> {
    if text.len() > 500 || text.contains('?') {
        return None;
    }
    let words = plain(text);
    let tail =
        |from: usize, allowed: &str| words[from..].iter().all(|word| allowed.split('|').any(|known| known == word));
    // "lovely, go ahead": what only pleases is no answer, but it may lead one.
    let from = words.iter().position(|word| !PLEASED.split('|').any(|known| known == word)).unwrap_or_default();
    let yes = led(&words, YES).or_else(|| led(&words[from..], YES).map(|end| from + end));
    if let Some(end) = yes.filter(|end| led(&words, NO).is_none_or(|no| no <= *end)) {
        let doubtful = words.iter().any(|word| matches!(word.as_str(), "not" | "dont" | "no" | "but" | "never"));
        return (tail(end, WITH_YES) && !doubtful).then_some(Answer::Yes);
    }
    if let Some(end) = meant_else(&words).or_else(|| rather(&words)) {
        return Some(Answer::NoBut(after_words(text, end)));
    }
    // "actually leave that"
    let mused = words.iter().take_while(|word| MUSES.split('|').any(|known| known == *word)).count();
    let end = led(&words, NO).or_else(|| led(&words[mused..], NO).map(|end| mused + end))?;
    if led(&words[mused..], NO_ANSWER).is_some() {
        return None;
    }
    if tail(end, WITH_NO) {
        return Some(Answer::No);
    }
    let flat = matches!(words[end - 1].as_str(), "no" | "nope" | "nah" | "wait");
    let rest = after_words(text, end);
    // "leave that, delete 4": a mark ends the no.
    let before = text[..text.len() - rest.len()].trim_end();
    let ended = before.ends_with([',', '.', ';', '!']) && !rest.is_empty();
    (flat || ended).then_some(Answer::NoBut(rest))
}

/// "hang on, I meant task 3": how many words say that something else was meant.
fn meant_else(words: &[String]) -> Option<usize> {
    const LEADS: [&str; 14] =
        ["hang", "hold", "on", "no", "wait", "oops", "sorry", "whoops", "actually", "oh", "ah", "not", "that", "one"];
    let at = words.iter().position(|word| !LEADS.contains(&word.as_str()))?;
    let says = words.get(at).is_some_and(|word| word == "i")
        && words.get(at + 1).is_some_and(|word| matches!(word.as_str(), "meant" | "mean"));
    let other = words.get(at + 2).is_some_and(|word| {
        !matches!(
            word.as_str(),
            "yes"
                | "yeah"
                | "yep"
                | "yup"
                | "sure"
                | "ok"
                | "do"
                | "go"
                | "of"
                | "it"
                | "that"
                | "to"
                | "no"
                | "what"
                | "just"
                | "please"
                | "absolutely"
                | "definitely"
                | "certainly"
                | "exactly"
                | "right"
                | "correct"
        )
    });
    (says && other).then_some(at + 2)
}

/// "actually delete task 3 instead": how many words lead to an order that takes the place of what waits.
fn rather(words: &[String]) -> Option<usize> {
    const LEADS: &str = "actually|oh|hmm|sorry|ah|um|well|ok|okay|right|hang|hold|on|wait|second|thought|thoughts|reflection|please|just|\
         can|could|you|lets|rather|oops|whoops|er|erm|so|but|then|hey|make|that";
    const ORDERS: &str = "delete|remove|erase|bin|scrap|drop|ditch|trash|junk|axe|get|take|clear|wipe|complete|finish|tick|mark|close|\
         check|cross|rename|call|change|move|push|postpone|reschedule|reopen|untick|do|lose|cancel|chuck|throw|snooze|delay|put|set";
    const ENDS: &str = "please|then|thanks|thx|ta|cheers|pls|plz|mate";
    let within = |set: &str, word: &String| set.split('|').any(|known| known == word);
    let last = words.iter().rposition(|word| !within(ENDS, word))?;
    if !matches!(words[last].as_str(), "instead" | "rather") {
        return None;
    }
    let at = words.iter().position(|word| !within(LEADS, word))?;
    let denied = words.iter().any(|word| matches!(word.as_str(), "dont" | "not" | "never"));
    (at + 1 < last && within(ORDERS, &words[at]) && !denied).then_some(at)
}

/// The text after its first `count` words.
fn after_words(text: &str, count: usize) -> String {
    let mut seen = 0;
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let word = c.is_alphanumeric() || matches!(c, '\'' | '’' | '‘');
        if word && !inside {
            if seen == count {
                return text[at..].to_owned();
            }
            seen += 1;
        }
        inside = word;
    }
    String::new()
}

/// Finds a confirmation in a request: "delete 3, yes I'm sure", "yes, delete task 1 - confirmed", "no need to ask".
/// A lone yes before a request is none: it may answer something else.
pub fn confirmation(text: &str) -> Option<Confirmation> {
    const STRONG: &str = "and yes im certain|yes im certain|yes i am certain|and yes i am sure|and yes i am certain|im positive|\
         yes im positive|and yes im positive|i am certain|im quite sure|im really sure|im very sure|im 100 sure|\
         and im sure|and i mean it|i mean it|yes i mean it|yes i really mean it|yes definitely|and yes definitely|\
         yes absolutely|and yes really|and dont ask|and dont ask me|dont bother asking|no need for confirmation|\
         no need to check|no need to double check|dont double check|no confirmation required|i am absolutely sure|\
         i am positive|im dead sure|im totally sure|im completely sure|and confirmed|consider it confirmed|\
         consider this my confirmation|you have my confirmation|and yes thats confirmed|yes thats right|yes for sure|\
         yes i want it gone|yes i do mean it|yes im absolutely sure|yes im totally sure|yes im really sure|\
         yes 100|and i confirm|yes sure|yes im definitely sure|and yes im absolutely sure|yes im very sure|yes im sure|yes i am sure|yes really|yes confirmed|yes i confirm|and yes im sure|\
         im sure|i am sure|im certain|i confirm|confirmed|no need to ask me|no need to ask|no need to confirm|\
         dont ask me|dont ask|no confirmation needed|without confirmation|definitely sure|im absolutely sure";
    if text.len() > 500 || text.contains(['"', '“']) && text.matches(['"', '“', '”']).count() % 2 == 1 {
        return None;
    }
    let spans = word_spans(text);
    let words: Vec<String> = spans.iter().map(|(start, end)| plain(&text[*start..*end]).concat()).collect();
    let quoted = |at: usize| text[..at].matches(['"', '“', '”']).count() % 2 == 1;
    let found = (0..words.len()).find_map(|at| led(&words[at..], STRONG).map(|count| (at, at + count)));
    let tail_yes =
        || words.len().checked_sub(1).filter(|last| *last > 0 && words[*last] == "yes").map(|last| (last, last + 1));
    let (from, to) = found.or_else(tail_yes).filter(|(from, _)| !quoted(spans[*from].0))?;
    // "…, I'm certain, yes": all that is left says so once more.
    const MORE: &str = "yes|yeah|yep|yup|definitely|absolutely|really|please|thanks|so|go|ahead|do|it";
    let more = words[to..].iter().all(|word| MORE.split('|').any(|known| known == word));
    let to = if more { words.len() } else { to };
    let denied =
        from > 0 && matches!(words[from - 1].as_str(), "not" | "if" | "until" | "unless" | "once" | "when" | "say");
    if denied || text.contains('?') {
        return None;
    }
    let start = spans[from].0;
    let end = spans[to - 1].1;
    // Amid other words it is one of theirs: "rename 1 to confirmed booking", "delete 3, I'm sure you will ask".
    if to < words.len() && from > usize::from(words[0] == "yes") {
        return None;
    }
    let mut rest =
        format!("{} {}", text[..start].trim_end_matches([' ', ',', '-', '–', '—', ';', ':', '(', '.']), &text[end..]);
    if words[0] == "yes" && from > 0 {
        rest = after_words(&rest, 1);
    }
    let rest = rest.trim_matches([' ', ',', '-', '.', '!', ')', ';']).to_owned();
    (!rest.is_empty()).then(|| Confirmation { words: text[start..end].to_owned(), rest })
}

/// Byte offsets of the words of a text.
fn word_spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = vec![];
    let mut open = None;
    for (at, c) in text.char_indices() {
        let word = c.is_alphanumeric() || matches!(c, '\'' | '’' | '‘');
        match (open, word) {
            (None, true) => open = Some(at),
            (Some(start), false) => {
                spans.push((start, at));
                open = None;
            }
            _ => {}
        }
    }
    spans.extend(open.map(|start| (start, text.len())));
    spans.retain(|(start, end)| text[*start..*end].chars().any(char::is_alphanumeric));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_or_no_is_an_answer() {
        for yes in [
            "yes",
            "Yes!",
            "y",
            "yep",
            "yes please",
            "yes, erase it",
            "go for it",
            "I'm sure",
            "yes that one",
            "yes, remove them",
            "sure, go ahead",
            "great, go ahead",
            "correct, kindly proceed",
            "ok do it",
            "yep, go on",
            "yes great, remove it",
            "ok then yes",
            "in that case yes, do it",
            "yes, sounds good to me",
            "yeah works for me",
        ] {
            assert_eq!(answer(yes), Some(Answer::Yes), "{yes}");
        }
        for no in [
            "no",
            "No.",
            "wait, no!",
            "actually no",
            "cancel",
            "never mind",
            "no thanks",
            "scratch that, never mind",
            "don't",
            "please don't",
            "nah cheers, those can stay",
            "nope leave them on here",
            "keep it on the list then",
            "no, let it be",
            "oh they can stay",
        ] {
            assert_eq!(answer(no), Some(Answer::No), "{no}");
        }
        for vague in [
            "ok",
            "hmm",
            "maybe",
            "i'm not sure",
            "yes?",
            "which one?",
            "yes, delete task 1",
            "great",
            "fine, delete task 1",
            "well, maybe",
            "sure",
            "no idea",
            "no need to buy milk",
            "no, i'm not sure",
            "hmm no idea",
            "no wait, let me think",
            "keep the milk on the list",
            "yes but not now",
            "",
            "🙂",
            "show my tasks",
            "cancel the milk task",
            "sure, why not",
            "sounds good to me",
            "fine by me",
            "works for me",
        ] {
            assert_eq!(answer(vague), None, "{vague}");
        }
    }

    #[test]
    fn who_meant_something_else_names_it() {
        assert_eq!(answer("hang on, I meant task 3"), Some(Answer::NoBut("task 3".into())));
        for firm in ["I mean absolutely", "I meant what I said", "I mean please do"] {
            assert_eq!(answer(firm), None, "{firm}");
        }
    }

    #[test]
    fn a_no_may_carry_another_request() {
        assert_eq!(
            answer("no, delete book flights instead"),
            Some(Answer::NoBut("delete book flights instead".into()))
        );
        assert_eq!(answer("actually leave that, delete 4"), Some(Answer::NoBut("delete 4".into())));
        for (said, rest) in [
            ("actually delete photocopy scripts instead", "delete photocopy scripts instead"),
            ("oh wait, bin the second one instead please", "bin the second one instead please"),
            ("on second thoughts rename it to ring jo instead", "rename it to ring jo instead"),
            ("remove task 4 instead", "remove task 4 instead"),
            ("could you complete it instead", "complete it instead"),
        ] {
            assert_eq!(answer(said), Some(Answer::NoBut(rest.into())), "{said}");
        }
        for vague in [
            "instead",
            "do it instead",
            "actually maybe task 4 instead",
            "don't delete it instead",
            "delete photocopy scripts",
        ] {
            assert_eq!(answer(vague), None, "{vague}");
        }
        assert_eq!(answer("never mind. what's left"), Some(Answer::NoBut("what's left".into())));
        assert_eq!(answer("oh leave it for now"), None);
        assert_eq!(answer("actually leave it"), Some(Answer::No));
    }

    #[test]
    fn a_confirmation_may_come_with_its_request() {
        for (text, rest) in [
            ("delete 3, yes I'm sure", "delete 3"),
            ("bin task 4, I'm positive, yeah", "bin task 4"),
            ("yes, delete task 1 - confirmed", "delete task 1"),
            ("yes delete \"old notes\", no need to ask me", "delete \"old notes\""),
            ("delete 3, yes", "delete 3"),
            ("confirmed delete 3", "delete 3"),
            ("delete 3 confirmed", "delete 3"),
        ] {
            assert_eq!(confirmation(text).map(|found| found.rest).as_deref(), Some(rest), "{text}");
        }
        for none in [
            "delete 3",
            "yes delete 3",
            "delete 3 if I'm sure",
            "delete \"I am sure\"",
            "rename 3 to confirmed booking",
            "delete 3, confirmed and 4",
            "delete 3, I'm sure you will ask me",
            "are you sure? I'm sure",
            "I'm not sure",
        ] {
            assert_eq!(confirmation(none), None, "{none}");
        }
    }
}
