//! Clear answers to a pending approval's question.

use super::tokens::{Token, tokens};
use super::{after_words, led};
use crate::domain::approval::ApprovalCall;
use crate::domain::text::plain_words as plain;
use crate::domain::tool::ToolName;

/// A clear answer to a pending question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// "No, delete book flights instead": a no, and the remaining text.
    NoBut(String),
}

const YES: &str = "yes|y|yep|yeah|yup|yea|aye|affirmative|absolutely|definitely|certainly|confirmed|\
     i confirm|go ahead|go for it|do it|please do|proceed|im sure|i am sure|of course|thats right|correct|\
     approved|approve|by all means|yes please|sure go ahead|sure do it|please proceed|ok go ahead|go on then|yh|yas|yess|\
     yeah go on|make it so|ok do it|okay do it|okay go ahead|im certain|i am certain|im positive|sure thing|\
     too right|damn right|thats correct|thats the one|exactly|indeed|ok yes|okay yes|ok yeah|oh yes|oh yeah|\
     kindly proceed|kindly go ahead|please go ahead|be my guest|do so|please do so|\
     right yes|right yeah|well yes|ah yes|alright yes|so yes|ok yep|right yep|then yes|then yeah|in that case yes";
const NO: &str = "definitely not|absolutely not|certainly not|of course not|no way|not really|hell no|\
     not at all|please no|dont do that|dont do it|not that one|wrong one|no|nope|nah|n|cancel|stop|dont|do not|\
     never mind|nevermind|wait no|actually no|oh no|scratch that|forget it|forget that|forget about it|leave it|\
     keep it|keep them|abort|not now|rather not|i changed my mind|ive changed my mind|please dont|hold on no|\
     hold fire|dont bother|leave that|leave them|leave this|leave those|leave both|leave that one|keep that|keep this|keep those|keep both|\
     keep that one|let it stay|let it be|let them stay|let them be|it stays|they stay|it can stay|they can stay|that can stay|\
     no wait|wait stop|id rather not|better not|negative|reject|rejected|decline|declined|hmm no|on second thought no";
/// Phrases allowed next to a yes.
const WITH_YES: &str = "please|pls|plz|kindly|thanks|thank you|thank you very much|thx|ty|cheers|ta|mate|pal|now|right now|then|so|\
     just|and|for sure|go on|that one|this one|the one|the two|both|both of them|all|all of it|all of them|the lot|the whole lot|the pair|\
     them both|them all|i am|i do|i am sure|very sure|im really sure|i really am|im absolutely sure|im very sure|im positive|completely|\
     totally|really|very much|sounds good|sounds good to me|do that|take it off|take them off|throw it away|throw them away|clear it|sounds great|sounds right|works for me|good to me|\
     id like you to|i want you to|i want it gone|i want it done|thats fine|its fine|that is fine|\
     that is right|thats the one i meant|the one i meant|thats it|thats what i want|off you go|that would be great";
/// Actions that a yes may repeat, and their objects.
const ACTS: &str = "delete|remove|erase|bin|trash|wipe|clear|rename|complete|get rid of|go ahead and delete|\
     go ahead and remove|go ahead and bin|go ahead and get rid of|go ahead and rename|go ahead and complete|go ahead and erase|\
     go ahead with";
const OBJECTS: &str = "it|that|this|them|those|these|both|all|that one|this one|both of them|all of them|all of it|the task|the tasks|\
     the lot|the whole lot|them all|them both|it all|the pair|this task|that task|the one|it off|it away|it out|them off|them away|it now|\
     it please|the thing|the two";
/// Words that may precede a yes but are none by themselves.
const PLEASED: &str =
    "lovely|great|grand|perfect|good|nice|brilliant|excellent|super|fine|ok|okay|alright|cool|wonderful|fab|well|ah|oh";
/// Words that may precede a no.
const MUSES: &str = "actually|oh|hmm|sorry|ah|um|well|ok|okay|right|hang|hold|on|wait";
/// Words allowed next to a no.
const WITH_NO: &str = "thanks|thank|you|please|it|that|them|wait|actually|sorry|way|dont|do|delete|remove|\
     rename|erase|keep|leave|never|mind|the|stop|cancel|i|changed|my|ive|not|now|yet|no|this|alone|want|to|\
     complete|one|those|ok|nevermind|forget|about|scratch|as|is|ta|cheers|mate|can|should|may|stay|stays|there|where|\
     on|here|list|be|let|lets|was|how|untouched|exactly|right|though|tho|then|still|ty|thx|pls|plz|in|place|dear|love|pal|need|after|all";
/// Phrases with "no" that are not a no.
const NO_ANSWER: &str = "no idea|no clue|no problem|no worries|no doubt|no one|no need|no date|no not sure|no im not sure|\
     no i dont know|no dont know|no let me think|no wait let me think|no hang on let me think|no i need to think";

/// Signs allowed in a yes. Others could negate, question or quote it.
const SIGNS: &str = ",.!:-–—👍✅👌🙂😊😀😄💯🎉❤\u{fe0f}\u{1f3fb}\u{1f3fc}\u{1f3fd}\u{1f3fe}\u{1f3ff}";
/// Question marks of all scripts.
const QUESTIONS: [char; 14] = ['?', '¿', '\u{37e}', '\u{55e}', '؟', '፧', '⁇', '⁈', '⁉', '❓', '❔', '⸮', '﹖', '？'];

/// Returns true if the text contains a question mark.
pub fn asks(text: &str) -> bool {
    text.contains(QUESTIONS)
}

/// Parses a message as the answer to the only pending question; `None` for vague words, questions and other requests.
pub fn answer(text: &str) -> Option<Answer> {
    if text.len() > 500 || asks(text) {
        return None;
    }
    let words = plain(text);
    if words == ["confirm"] && has_plain_signs(text, "") {
        return Some(Answer::Yes);
    }
    let tail =
        |from: usize, allowed: &str| words[from..].iter().all(|word| allowed.split('|').any(|known| known == word));
    // "lovely, go ahead": pleased words are no answer, but may precede one.
    let from = words.iter().position(|word| !PLEASED.split('|').any(|known| known == word)).unwrap_or_default();
    let yes = led(&words, YES).or_else(|| led(&words[from..], YES).map(|end| from + end));
    if yes.is_some_and(|end| led(&words, NO).is_none_or(|no| no <= end)) {
        let doubtful = words.iter().any(|word| matches!(word.as_str(), "not" | "dont" | "no" | "but" | "never"));
        return (is_yes(&words) && !doubtful && has_plain_signs(text, "")).then_some(Answer::Yes);
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
    // "leave that, delete 4": punctuation ends the no.
    let before = text[..text.len() - rest.len()].trim_end();
    let ended = before.ends_with([',', '.', ';', '!']) && !rest.is_empty();
    (flat || ended).then_some(Answer::NoBut(rest))
}

/// Returns true if all words belong to phrases that say yes, please or the action. Phrases may be in any order.
fn is_yes(words: &[String]) -> bool {
    // "yes, and then…" is incomplete, and "yes, well" hesitates.
    let goes_on = |word: &String| matches!(word.as_str(), "and" | "so" | "just" | "kindly" | "well" | "oh" | "ah");
    let is_yes = |word: &String| matches!(word.as_str(), "yes" | "yeah" | "yep" | "ok" | "okay");
    let last = words.iter().rposition(|word| *word != "then");
    if last.is_none_or(|last| goes_on(&words[last]) || last + 1 < words.len() && is_yes(&words[last])) {
        return false;
    }
    let mut reached = vec![false; words.len() + 1];
    reached[0] = true;
    for at in 0..words.len() {
        if !reached[at] {
            continue;
        }
        let rest = &words[at..];
        for phrases in [YES, PLEASED, WITH_YES] {
            phrases.split('|').filter_map(|phrase| begins(rest, phrase)).for_each(|count| reached[at + count] = true);
        }
        for act in ACTS.split('|').filter_map(|act| begins(rest, act)) {
            // "Go ahead with the task" may mean the task itself.
            let of_request = rest[act - 1] == "with";
            let objects = OBJECTS.split('|').filter(|object| !(of_request && object.contains("task")));
            let objects = objects.filter_map(|object| begins(&rest[act..], object));
            objects.for_each(|object| reached[at + act + object] = true);
        }
    }
    reached[words.len()]
}

/// Returns the number of words of the phrase if `words` begin with it.
fn begins(words: &[String], phrase: &str) -> Option<usize> {
    let count = phrase.split(' ').count();
    phrase.split(' ').enumerate().all(|(at, part)| words.get(at).is_some_and(|word| word == part)).then_some(count)
}

/// Returns true if the text has only sentence punctuation, signs of assent and those of `more`. Its end must not hesitate.
pub(super) fn has_plain_signs(text: &str, more: &str) -> bool {
    let tokens = tokens(text);
    let (first, last) = (tokens.iter().position(is_word), tokens.iter().rposition(is_word));
    let ends = |token: &Token| token.sign().is_none_or(|sign| !",:-–—".contains(sign));
    first == Some(0)
        && !text.contains("..")
        && tokens.iter().filter_map(Token::sign).all(|sign| SIGNS.contains(sign) || more.contains(sign))
        && tokens.iter().skip(last.unwrap_or_default()).all(ends)
}

fn is_word(token: &Token) -> bool {
    token.word().is_some()
}

/// Returns the number of words before the correction in "hang on, I meant task 3".
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

/// Returns the number of words before the replacing order in "actually delete task 3 instead".
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

/// Returns true if everything that a yes says fits every call. "Yes, complete it" does not fit a deletion, alone or among other
/// calls. "Yes, that one" does not fit two calls.
pub fn fits(yes: &str, calls: &[ApprovalCall]) -> bool {
    const DELETES: &str = "delete|remove|erase|trash|rid|bin|drop|scrap|gone|away|lose|wipe|take|clear";
    let words = plain(yes);
    let says = |set: &str| words.iter().any(|word| set.split('|').any(|known| known == word));
    let all_do = |tool: ToolName| calls.iter().all(|call| call.tool == tool);
    let all_set = |field: &str| calls.iter().all(|call| call.tool == ToolName::UpdateTask && sets_only(call, field));
    let count: usize = calls.iter().map(|call| call.arguments["task_ids"].as_array().map_or(1, Vec::len)).sum();
    let completes = all_set("status") && calls.iter().all(|call| call.arguments["status"] == "completed");
    !(mends(yes)
        || says(DELETES) && !all_do(ToolName::DeleteTask)
        || says("rename") && !all_set("title")
        || says("complete") && !all_do(ToolName::CompleteTask) && !completes
        || (says("one") || is_done_to_one(&words)) && count != 1
        || says("them|those|these|all|lot|tasks") && !says("it") && count == 1
        || says("both|pair|two") && count != 2)
}

/// Returns true if the call changes this field and no other. A null clears a field.
fn sets_only(call: &ApprovalCall, field: &str) -> bool {
    let set = |name: &&String| !matches!(name.as_str(), "task_id" | "task_ids");
    call.arguments.as_object().is_some_and(|all| all.keys().filter(set).eq([field]))
}

/// Returns true if the text asks for a correction, as "ok, correct just that one" does and "correct, that one" does not.
fn mends(yes: &str) -> bool {
    const SKIPPED: &str = "just|please|pls|plz|now|kindly|so|then";
    const OBJECTS: &str = "it|that|this|them|those|these|the|all|both";
    let tokens = tokens(yes);
    let is = |token: &Token, set: &str| token.word().is_some_and(|word| set.split('|').any(|known| known == word));
    tokens.iter().enumerate().any(|(at, token)| {
        let says_so = at > 0 && is(&tokens[at - 1], "thats|is|all");
        let mut rest = tokens[at + 1..].iter().skip_while(|token| is(token, SKIPPED));
        is(token, "correct") && !says_so && rest.next().is_some_and(|object| is(object, OBJECTS))
    })
}

/// Returns true if an action is said of a single task: "delete it", "clear it", but not "delete all of it".
fn is_done_to_one(words: &[String]) -> bool {
    const ONE: &str = "it|that|this|the task|this task|that task|the thing|the one";
    const MORE: &str = "it all|the tasks";
    const OTHERS: &str = "take|throw|clear|i want";
    let acts = || ACTS.split('|').chain(OTHERS.split('|'));
    (0..words.len()).any(|at| {
        acts().filter_map(|act| begins(&words[at..], act)).any(|act| {
            let rest = &words[at + act..];
            let begin = |objects: &str| objects.split('|').any(|object| begins(rest, object).is_some());
            // "Go ahead with it" means the request.
            let is_request = words[at..].starts_with(&["go", "ahead", "with"].map(str::to_owned)) && rest.len() == 1;
            begin(ONE) && !begin(MORE) && !is_request
        })
    })
}

#[cfg(test)]
mod tests;
