//! Rejections that say more than no: of all pending approvals, of all but the newest, or of one by its task. A rejection changes
//! nothing, so it may be looser than a yes.

use super::answer::asks;
use super::led;
use crate::domain::approval::Approval;
use crate::domain::text::plain_words as plain;
use crate::domain::tool::ToolName;

/// Approvals that one message rejects together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Several {
    /// All pending ones of the conversation.
    All,
    /// All but the one that was asked about last.
    Others,
}

/// Answers that reject every pending approval, or all but the newest.
const DECLINE_ALL: &str = "decline all";
const DECLINE_OTHERS: &str = "decline the others";

/// Words around a rejection.
const LEADS: &str = "no|nope|nah|please|pls|ok|okay|oh|actually|just|then|so|well|hmm|wait|sorry|hey|stop|i said|can you|could you|lets|and|but";
const ENDS: &str = "please|pls|thanks|thank you|now|for now|then|instead|ok|at all|after all|for me|yet|today";

/// Verbs said of approvals only, and verbs said of tasks as well.
const DECLINES: &str = "decline|reject|deny|dismiss|refuse|turn down|say no to|no to|withdraw";
const CANCELS: &str = "cancel|forget|drop|stop|scrap";
const ALL: &str = "all|all of them|them all|all of those|all of these|them|those|these|everything|both|both of them|them both|both of those|\
     the lot|the whole lot|all requests|all the requests|all of the requests|all open requests|all the open requests|every request|\
     every one|every one of them|every single one|the requests|these requests|those requests|all questions|all approvals|both requests|all of it";
const OTHERS: &str = "the others|others|all others|all the others|all of the others|the other|the other one|the other ones|the other two|\
     the rest|the rest of them|all the rest|the older|the older one|the older ones|older ones|the old ones|the earlier one|the earlier ones|\
     the previous one|the previous ones|the other request|the other requests|all other requests|all the other requests|everything else|\
     all but the last|all but this|all but this one|all but the last one|all but the newest";
const KEEP_ALL: &str = "keep both|leave both|keep them both|leave them both|keep them all|leave them all|keep both of them|leave both of them";
/// Rejections without a verb.
const NONE: &str = "none of them|none of those|none of these|neither of them|neither of those|not any of them";

/// Words after a rejection that limit it.
const LIMITS: &str = "but|except|besides|apart|only|keep|leave|not|unless|then|and|yes|without|other";

/// Parses a rejection of several approvals. `asked` is true if an approval's question was the last message. Otherwise verbs that
/// are also said of tasks do not count.
pub fn declines_several(text: &str, asked: bool) -> Option<Several> {
    if asks(text) || text.len() > 120 {
        return None;
    }
    // A reason may follow: "decline all of them, I got in a muddle".
    let limits = |word: &String| LIMITS.split('|').any(|limit| limit == word);
    let ends =
        text.match_indices([',', '.', ';', '!']).map(|(at, _)| at).filter(|at| !plain(&text[*at..]).iter().any(limits));
    [text.len()].into_iter().chain(ends).find_map(|end| several(&text[..end], asked))
}

fn several(order: &str, asked: bool) -> Option<Several> {
    let words = plain(order);
    let words = without_ends(&words);
    let is = |words: &[String], phrases: &str| led(words, phrases) == Some(words.len());
    let object = |words: &[String]| {
        let all = is(words, ALL).then_some(Several::All);
        all.or_else(|| is(words, OTHERS).then_some(Several::Others))
    };
    // "No to all" begins with a word that may also be filler.
    for from in 0..=leading(words) {
        let words = &words[from..];
        if asked && is(words, KEEP_ALL) {
            return Some(Several::All);
        }
        if asked && is(words, NONE) {
            return Some(Several::All);
        }
        if let Some(found) = led(words, DECLINES).and_then(|verb| object(&words[verb..])) {
            return Some(found);
        }
        // "Cancel everything" may mean the tasks.
        let cancelled =
            led(words, CANCELS).filter(|verb| asked && words.get(*verb).is_none_or(|it| it != "everything"));
        if let Some(found) = cancelled.and_then(|verb| object(&words[verb..])) {
            return Some(found);
        }
    }
    None
}

/// Negations before an action, the actions of each tool, and words that ask to keep a task.
const DENIALS: &str = "dont|do not|never|must not|you must not|please dont|please do not|not|no need to|dont you|i dont want to|\
     i do not want to|i dont want you to|i do not want you to|i didnt want to|i never wanted to|i wont|we shouldnt|lets not|better not|\
     id rather not|i would rather not|dont ever|i didnt ask you to|i did not ask you to|i never asked you to";
const DELETES: &str =
    "delete|remove|erase|bin|trash|get rid of|drop|scrap|throw away|throw out|wipe|clear|cancel|take off|lose|bin off";
const COMPLETES: &str = "complete|finish|tick off|tick|mark|check off|close|cross off|check";
const CHANGES: &str = "rename|change|move|edit|update|retitle|call|postpone|push|reschedule|touch|alter|set|tag|make";
const ADDS: &str = "add|create|make|put";
const KEEPS: &str = "keep|leave|hang on to|hold on to|not|nothing for|no change to|no changes to";
/// Words that identify no task.
const PLAIN: &str = "the|my|a|an|that|this|these|those|task|tasks|thing|things|one|ones|item|items|number|todo|for|of|about|to|list|from|off|\
     on|in|it|its|them|they|as|is|are|was|were|exactly|just|be|done|alone|there|here|where|away|out|stuff|all|both|please|and";

/// Returns true if the message asks not to carry out the approval and names one of its tasks: "don't delete the rent", "keep task
/// 3".
pub fn spares(text: &str, approval: &Approval) -> bool {
    if asks(text) || text.len() > 200 {
        return false;
    }
    let words = plain(text);
    let words = without_ends(&words);
    (0..=leading(words)).any(|from| spared(&words[from..], approval))
}

fn spared(words: &[String], approval: &Approval) -> bool {
    let has = |tool: ToolName| approval.calls.iter().any(|call| call.tool == tool);
    let completes = || {
        let done = |call: &crate::domain::approval::ApprovalCall| call.arguments["status"] == "completed";
        has(ToolName::CompleteTask) || approval.calls.iter().any(done)
    };
    if led(words, KEEPS).is_some_and(|verb| !has(ToolName::AddTask) && names_task(&words[verb..], approval)) {
        return true;
    }
    let Some(denied) = led(words, DENIALS) else { return false };
    let acts = [
        (DELETES, has(ToolName::DeleteTask)),
        (COMPLETES, completes()),
        (CHANGES, has(ToolName::UpdateTask)),
        (ADDS, has(ToolName::AddTask)),
    ];
    let rest = &words[denied..];
    let verbs = acts.iter().filter(|(_, fits)| *fits).filter_map(|(verbs, _)| led(rest, verbs));
    verbs.into_iter().any(|verb| names_task(&rest[verb..], approval))
}

/// Verdicts around the name of an approval: "yes to the milk", "the rent can stay".
const AGREES: &str = "yes to|yes|yep|yeah|ok to|go ahead with|just|only|do";
const OBJECTS: &str = "no to|no|nope";
const AGREED: &str = "yes|yep|yeah|can go|should go|is fine|is ok|is right|please";
const OBJECTED: &str = "no|nope|stays|can stay|should stay|is wrong";
/// Ordinals of the pending approvals, oldest first.
const PLACES: [&str; 3] = ["the first|first", "the second|second", "the third|third"];

/// Returns the indices of the approvals that a message rejects while it decides others by name: "delete the milk one, keep the other". The
/// others are only asked about again. `None` if any word decides nothing.
pub fn set_apart(text: &str, approvals: &[&Approval]) -> Option<Vec<usize>> {
    if asks(text) || text.len() > 200 || approvals.len() < 2 {
        return None;
    }
    let (mut verdicts, mut last, mut only) = (vec![None; approvals.len()], None, false);
    for clause in clauses(text) {
        let (verdict, object) = stated(&clause);
        let verdict = verdict.or(last)?;
        last = Some(verdict);
        only |= verdict && clause.iter().any(|word| matches!(word.as_str(), "only" | "just"));
        let is_other = !object.is_empty() && led(object, OTHERS) == Some(object.len());
        let newest = approvals.len() - 1;
        let named: Vec<usize> = match is_other {
            true if verdicts.iter().all(Option::is_none) => (0..newest).collect(),
            true => (0..approvals.len()).filter(|at| verdicts[*at].is_none()).collect(),
            // "Yes, but leave the other one"
            false if object.is_empty() && clause.len() == 1 => vec![newest],
            false => (0..approvals.len()).filter(|at| concerns(object, *at, approvals[*at])).collect(),
        };
        let fits = named.len() == 1 || is_other && named.len() < approvals.len() && !named.is_empty();
        if !fits || named.iter().any(|at| verdicts[*at].is_some_and(|known| known != verdict)) {
            return None;
        }
        named.into_iter().for_each(|at| verdicts[at] = Some(verdict));
    }
    let agreed = verdicts.contains(&Some(true));
    let rejects = |verdict: &Option<bool>| *verdict == Some(false) || verdict.is_none() && only && agreed;
    let rejected: Vec<usize> = (0..approvals.len()).filter(|at| rejects(&verdicts[*at])).collect();
    (!rejected.is_empty()).then_some(rejected)
}

/// Splits a message at punctuation, at conjunctions, and after "yes" and "no" behind a name.
fn clauses(text: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = vec![];
    for piece in text.split([',', '.', ';', '!', '\n']) {
        let mut clause: Vec<String> = vec![];
        for word in plain(piece) {
            match word.as_str() {
                "and" | "but" | "then" => found.push(std::mem::take(&mut clause)),
                "yes" | "no" if !clause.is_empty() => {
                    clause.push(word);
                    found.push(std::mem::take(&mut clause));
                }
                _ => clause.push(word),
            }
        }
        found.push(clause);
    }
    found.retain(|clause| !clause.is_empty());
    found
}

/// Returns the verdict of a clause, and the words that name its approval.
fn stated(clause: &[String]) -> (Option<bool>, &[String]) {
    let mut words = &clause[led(clause, "please|ok|okay|oh|actually|so|well|sorry|can you|could you").unwrap_or(0)..];
    let mut verdict = None;
    if let Some(end) = led(words, AGREES) {
        (verdict, words) = (Some(true), &words[end..]);
    }
    let denials = [KEEPS, DENIALS, OBJECTS, DECLINES];
    if let Some(end) = denials.iter().filter_map(|phrases| led(words, phrases)).max() {
        (verdict, words) = (Some(false), &words[end..]);
    }
    for (said, phrases) in [(true, AGREED), (false, OBJECTED)] {
        let ends = |from: &usize| *from > 0 && led(&words[*from..], phrases) == Some(words.len() - from);
        if let Some(from) = (0..words.len()).find(ends) {
            verdict = verdict.filter(|known| !known).or(Some(said));
            words = &words[..from];
        }
    }
    let end = words.iter().rposition(|word| !matches!(word.as_str(), "alone" | "please" | "there" | "though" | "too"));
    let words = &words[..end.map_or(0, |last| last + 1)];
    let acts = [DELETES, COMPLETES, CHANGES, ADDS].iter().any(|verbs| led(words, verbs).is_some());
    (verdict.or(acts.then_some(true)), words)
}

/// Returns true if the words name this approval: by its action, its task or its place.
fn concerns(words: &[String], at: usize, approval: &Approval) -> bool {
    let acts = [
        (DELETES, ToolName::DeleteTask),
        (COMPLETES, ToolName::CompleteTask),
        (CHANGES, ToolName::UpdateTask),
        (ADDS, ToolName::AddTask),
    ];
    let has = |tool: &ToolName| approval.calls.iter().any(|call| call.tool == *tool);
    let words = &words[led(words, "the").unwrap_or_default()..];
    let verb = acts.iter().find_map(|(verbs, tool)| led(words, verbs).map(|end| (end, tool)));
    if verb.is_some_and(|(_, tool)| !has(tool)) {
        return false;
    }
    let object = &words[verb.map_or(0, |(end, _)| end)..];
    let telling: Vec<String> =
        object.iter().filter(|word| !matches!(word.as_str(), "one" | "request")).cloned().collect();
    let placed = PLACES.get(at).is_some_and(|place| led(&telling, place) == Some(telling.len()));
    let names_nothing = object.iter().all(|word| *word == "anything" || PLAIN.split('|').any(|plain| plain == word));
    names_nothing && verb.is_some() || placed || names_task(object, approval)
}

/// Returns true if the words name all tasks of the approval, by number or title words, and nothing else.
fn names_task(words: &[String], approval: &Approval) -> bool {
    let telling: Vec<&String> = words.iter().filter(|word| !PLAIN.split('|').any(|plain| plain == *word)).collect();
    let added =
        approval.calls.iter().filter_map(|call| call.arguments["title"].as_str()).map(|title| (None, plain(title)));
    let mut tasks = approval
        .preview
        .iter()
        .map(|target| (Some(target.task_id.to_string()), plain(target.before.title.as_str())))
        .chain(added);
    // Several tasks of one approval may be parted, which is another request.
    !telling.is_empty()
        && tasks.all(|(number, title)| {
            let is_title = |word: &String| title.iter().any(|part| is_same(part, word));
            telling.iter().all(|word| number.as_ref() == Some(word) || is_title(word))
        })
}

/// Returns true if two words differ at most in a plural ending.
fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short == long
        || short.len() >= 3 && (long.strip_prefix(short) == Some("s") || long.strip_prefix(short) == Some("es"))
}

/// Returns the number of filler words at the start.
fn leading(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(count) = words.get(at..).and_then(|rest| led(rest, LEADS)) {
        at += count;
    }
    at
}

/// Returns the words without filler at the end.
fn without_ends(words: &[String]) -> &[String] {
    let mut end = words.len();
    while let Some(from) = (0..end).rev().find(|from| led(&words[*from..end], ENDS) == Some(end - from)) {
        end = from;
    }
    &words[..end]
}

/// Returns the short answers to the newest of `open` approvals.
pub fn answers_to(open: usize) -> Vec<String> {
    let answers: &[&str] = if open > 1 { &["no", DECLINE_OTHERS, DECLINE_ALL] } else { &["yes", "no"] };
    answers.iter().map(|answer| (*answer).to_owned()).collect()
}

#[cfg(test)]
mod tests;
