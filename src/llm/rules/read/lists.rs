//! Questions about the list: its contents, open tasks, presence of an item.

use crate::domain::task::{Priority, Status};
use crate::domain::when;
use crate::llm::rules::lex::set::{Index, Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::asking::{asked, opens_nothing, sure};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Labels, ListQuery};
use crate::llm::rules::read::levels::priority;
use crate::llm::rules::read::pattern::{Patterns, fit};
use crate::llm::rules::read::periods::{self, Period};
use crate::llm::rules::read::scope::is_question;
use crate::llm::rules::read::status::{self, FINISHED, status};
use crate::llm::rules::read::{finished, first, labels, lateness, topics};

/// Words allowed in a question about the whole list.
const LISTING: Index = Index::of(file_set!("lists_listing"));

/// Words that begin such a question.
const OPENING: Index = Index::of(file_set!("lists_opening"));

/// Introductions of a question about presence.
const LEAD: Patterns<20> = Patterns::of([
    "tell me|us if|whether *x",
    "tell if|whether *x",
    "let me know if|whether *x",
    "check if|whether|that *x",
    "see if|whether *x",
    "do you know if|whether *x",
    "check to see if|whether *x",
    "verify if|whether|that *x",
    "confirm if|whether|that *x",
    "know if|whether *x",
    "i need|want|like to know if|whether *x",
    "im|i am? wondering if|whether *x",
    "i wonder if|whether *x",
    "find out if|whether *x",
    "i forgot|forget if|whether *x",
    "i cant remember if|whether *x",
    "double check if|whether|that *x",
    "look to? see if|whether *x",
    "check|look|search|scan|go at|in|on|over|through? LIST to? see|check|know|tell|find? if|whether *x",
    "remember if|whether *x",
]);
/// Returns true for a word of questions about the list.
pub(in crate::llm::rules) fn knows(key: &str) -> bool {
    LISTING.has(key) || OPENING.has(key)
}

/// Questions about presence on the list.
const ASK: Patterns<18> = Patterns::of([
    "do|did|have i|we already? have|need|got|had|put|add|added|include|included|write *x @in LIST already?",
    "is|are there already? *x @in LIST already?",
    "is|are *x already|still? @in LIST already|still|yet|now?",
    "have i|we already? got|put|added|included *x @in LIST already?",
    "has *x been? added|put @in LIST already?",
    "have *x been added|put @in LIST already?",
    "does LIST have|contain|include|say|mention *x",
    "is *x in|on LIST or not",
    "what *x do i have @in LIST",
    "is|are *x one of TASKS",
    "did i|we already add|put|include|write *x",
    "did i|we add|put|include|write *x yet|already",
    "do|did|does i|we already? have|got|make|add a|any TASK @in LIST to|for|about|called|saying *x",
    "is|are there already? a|any TASK @in? LIST? to|for|about|called|saying *x",
    "do|did i|we already? have|make|add a|any TASK to|for|about|called *x",
    "did *x get|make|go|end added|put|up? @in LIST yet|already?",
    "was|were *x put|added|included? @in LIST already|yet?",
    "have i|we already? got|put|added|included *x @in LIST yet|already?",
]);
/// Questions about one item that need not mention the list.
const WHETHER: Patterns<15> = Patterns::of([
    "is|are|was|were *x in|on there|it|here|down already|yet|now?",
    "did|have i|we already? put|add|get|got|stick|write|jot|pop *x down|on|in there|it|already|yet? already|yet?",
    "have i|we already? got *x down|noted|written|listed down?",
    "is|are *x still to do|go|buy|get",
    "check|search|scan|view|inspect|consult LIST for|about *x",
    "is|are *x still there|pending|open|left|outstanding|waiting|due|todo",
    "do|have i|we still need|have|got to? *x",
    "am i|we still? supposed|meant|due|down to *x",
    "is there|are something|anything|any|a TASK|TASKS|thing|things|one|ones|stuff? about|for|with|involving|mentioning|regarding|concerning *x @in? LIST?",
    "anything|something|any|do have i|we? have|got? TASK|TASKS|thing|things|stuff|anything|something? about|involving|mentioning|regarding|concerning *x @in? LIST?",
    "anything|something about|involving|mentioning|regarding|concerning *x @in? LIST?",
    "is|are there something|anything about|on|regarding *x on|in there|it|here",
    "anything|something with *x @in? LIST?",
    "is|are|do|have|got there|i|we? have|got? anything|something|any|a TASK|TASKS|thing|things|stuff|one? with|for *x @in? LIST?",
    "do|have i|we have|got anything|something|any|a TASK|TASKS|thing|things|stuff|one? about|involving|mentioning|regarding|concerning *x @in? LIST?",
]);
/// Statements that become questions after an introduction: "tell me if I have milk on my list".
const STATE: Patterns<4> = Patterns::of([
    "i|we already? have|need|got|had|put|added|included *x @in LIST already?",
    "there is|are *x @in LIST",
    "*x is|are @in LIST already?",
    "*x is|are on|in|listed|there|noted|included on|in? it|there|here? already?",
]);

/// Parses a question about the list.
pub(in crate::llm::rules) fn list(clause: &[Word], context: Context) -> Option<ListQuery> {
    let clause = topics::unexcepted(asked(clause));
    if let Some(list) = topics::list(clause, context) {
        return Some(list);
    }
    if let Some(list) = recalled(clause).or_else(|| first::list(clause)).or_else(|| finished::list(clause, context)) {
        return Some(list);
    }
    let period = periods::cut(clause, context).and_then(|(Period { from, to }, rest)| {
        let list = of_days(&rest, context).filter(|list| list.due.is_some())?;
        Some(ListQuery { due: None, from: from.and_then(periods::wire), to: to.and_then(periods::wire), ..list })
    });
    period.or_else(|| of_days(clause, context))
}

/// Like [`list`], without periods of several days.
fn of_days(clause: &[Word], context: Context) -> Option<ListQuery> {
    lateness::list(clause)
        .or_else(|| narrowed(clause, context))
        .or_else(|| contains(clause, context))
        .or_else(|| whole(clause, context))
}

/// Parses a recall of existing tasks: "remind me of the things that I noted".
fn recalled(clause: &[Word]) -> Option<ListQuery> {
    const RECALLS: Patterns<1> = Patterns::of([
        "remind|tell|refresh me|us of|about|on? the|all|any|those|these? of|the? TASKS|TASK|things|thing|items|stuff|bits|everything|anything|whatever|LIST that|which|what? i|we|ive|weve|im|id *x",
    ]);
    RECALLS.fit(clause).map(|_| ListQuery { status: Some(Status::Pending), ..ListQuery::default() })
}

/// Parses a question with a project, tag or words, or a priority alone: "completed tasks in #Work", "tagged @home",
/// "search milk".
fn narrowed(clause: &[Word], context: Context) -> Option<ListQuery> {
    if let Some(captures) =
        fit("search|search through? for? *x", clause).filter(|_| !clause.iter().any(|word| word.key == "LIST"))
    {
        let (_, from, to) = captures.into_iter().next()?;
        let words = context.raw(&clause[from..to]).to_owned();
        return Some(ListQuery { status: Some(Status::Pending), words: Some(words), ..ListQuery::default() });
    }
    let (labels, rest) = labels::cut(clause, context);
    let labelled = labels != Labels::default();
    let keys: Vec<&str> = rest.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let level = keys.contains(&"priority") && keys.len() >= 2 || keys == ["urgent"];
    // "the task called soap is done" is a statement about one task.
    let one = matches!(keys.as_slice(), ["TASK"] | ["the" | "my" | "that" | "this" | "our", "TASK"]);
    if one && labels.words.is_some() || !labelled && !level || labels.tags.len() > 1 {
        return None;
    }
    let bare = keys.iter().all(|key| PLAIN.has(key));
    let query = if bare {
        let said = |at: usize| priority(&rest[at..=at]).filter(|_| keys.len() > 1 || rest[at].key == "urgent");
        let priority = (0..rest.len()).filter(|at| rest[*at].key != "priority").find_map(said);
        if level && priority.is_none() {
            return None;
        }
        let due = keys.contains(&"overdue").then(|| "overdue".to_owned());
        ListQuery { status: status(&keys), due, priority, ..ListQuery::default() }
    } else if labelled {
        whole(&rest, context)?
    } else {
        return None;
    };
    let tag = labels.tags.into_iter().next();
    Some(ListQuery { project: labels.project, tag, words: labels.words, ..query })
}

/// Words allowed in a question with labels.
const PLAIN: Set = file_set!("lists_plain");

/// Parses questions about presence: "is milk on my list", "did I add salt", "tell me if I have paper towels on my list".
fn contains(clause: &[Word], context: Context) -> Option<ListQuery> {
    // "we're out of foil" without its apostrophe is no question.
    if clause.first().is_some_and(|first| first.key == "were") && !is_question(clause) {
        return None;
    }
    let led = LEAD.fit(clause).and_then(|captures| Some(&clause[captures.first()?.1..]));
    let rest = sure(led.unwrap_or(clause));
    let states = || led.and_then(|_| STATE.fit(rest));
    // "eggs on the list?"
    let bare = || fit("*x on|in LIST", rest).filter(|_| context.text.trim_end().ends_with('?') && rest.len() <= 6);
    let captures = ASK.fit(rest).or_else(|| WHETHER.fit(rest)).or_else(states).or_else(bare)?;
    let (_, from, to) = captures.into_iter().find(|(name, _, _)| *name == 'x')?;
    let stretch = &rest[from..to];
    if stretch.iter().all(|word| word.kind == Kind::Plain && LISTING.has(&word.key)) {
        return None;
    }
    let telling = |word: &Word| !set!("any|the|a|an|some|TASK|my|still").has(&word.key);
    let from = stretch.iter().position(telling)?;
    let words = context.raw(&stretch[from..]).to_owned();
    Some(ListQuery { status: Some(Status::Pending), words: Some(words), asks: true, ..ListQuery::default() })
}

/// Parses a question about the whole list, optionally with a date, status or priority.
fn whole(clause: &[Word], context: Context) -> Option<ListQuery> {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let first = keys.first()?;
    // "when is it due" concerns one task.
    let one = matches!(keys.as_slice(), ["when", "is" | "was" | "does", it, ..] | ["whens", it, ..] if set!("it|that|this").has(it));
    if status::ticks(&keys) || one {
        return None;
    }
    let which = fit("which|what *x is|are|do|have i? have? @in LIST", clause).is_some()
        && clause
            .iter()
            .any(|word| word.key == "LIST" && context.text[word.start..].to_lowercase().starts_with(['m', 't', 'o']));
    if which {
        return Some(ListQuery { status: status(&keys), ..ListQuery::default() });
    }
    if status::bare(&keys) {
        return Some(ListQuery { status: status(&keys), ..ListQuery::default() });
    }
    let reminds = matches!(keys.as_slice(), ["remind", "me", "what" | "whats" | "of" | "which", ..]);
    if !(OPENING.has(first) || reminds) || clause.iter().any(|word| word.kind == Kind::Quoted) {
        return None;
    }
    if set!("ls|list|what now|what next|whats next|whatre next").has(&keys.join(" ")) {
        return Some(ListQuery { status: Some(Status::Pending), ..ListQuery::default() });
    }
    let Limits { mut due, level, rest } = limits(clause, first, context);
    let has = |set: &[&str]| keys.iter().any(|key| set.contains(key));
    let leveled = level.is_some()
        && has(&["stuff", "things", "thing", "ones", "anything", "everything", "plate", "jobs", "bits"]);
    if !(anchored(&keys) || leveled)
        || keys.starts_with(&["open", "TASK"])
        || opens_nothing(&keys)
        || foreign_subject(&keys)
    {
        return None;
    }
    let words = match rest.as_slice() {
        [] => None,
        rest => Some(subject(rest, clause, &keys, context)?),
    };
    let behind = has(&["am", "anything", "what", "whats", "which", "is"]) && has(&["late", "behind"]);
    if level.is_none() && (has(&["overdue"]) || behind && due.is_none()) {
        due = Some("overdue".to_owned());
    }
    let text = keys.join(" ");
    if keys.windows(2).any(|pair| matches!(pair, ["this" | "due", "week"] | ["this" | "the", "weeks"])) {
        due = Some("week".to_owned());
    }
    Some(ListQuery {
        status: status(&keys),
        due,
        priority: level,
        words,
        count: text.contains("how many") || keys.contains(&"count"),
        ..ListQuery::default()
    })
}

/// Filters of a question about the list.
struct Limits {
    due: Option<String>,
    level: Option<Priority>,
    /// Indices of other words.
    rest: Vec<usize>,
}

/// Returns the subject of a question about tasks: "any chores to do with the car".
fn subject(rest: &[usize], clause: &[Word], keys: &[&str], context: Context) -> Option<String> {
    let (from, to) = (*rest.first()?, *rest.last()?);
    let led = clause[..from].iter().rev().find(|word| !set!("the|my|our|a|an|that|this|those").has(&word.key))?;
    let leads = set!("about|for|from|with|at|regarding|concerning|involving|mentioning|containing|around|to|in|on");
    let mine = keys.iter().any(|key| matches!(*key, "TASKS" | "LIST"))
        || keys.iter().any(|key| matches!(*key, "i" | "we" | "im" | "ive"))
            && keys.iter().any(|key| set!("need|meant|supposed|got|must|should|left|going|want|gotta").has(key));
    let asks = set!("what|whats|which|do|does|have|has|is|are|any|anything|how|did|am|was|were|got").has(keys.first()?);
    let orders = keys.iter().any(|key| set!("can|could|go|add|put|remove|delete|update|cancel|of").has(key));
    // "how much have i got in savings" does not count tasks.
    let money = keys.starts_with(&["how", "much"])
        && set!("in|on|at|with").has(&led.key)
        && !keys.iter().any(|key| set!("done|doing|left|LIST|TASKS|finish").has(key));
    let telling = !money && leads.has(&led.key) && mine && asks && !orders && to - from < 5;
    telling.then(|| context.raw(&clause[from..=to]).to_owned())
}

/// Returns the date and the priority of a question, and the indices of other words.
fn limits(clause: &[Word], first: &str, context: Context) -> Limits {
    let dated = |word: &Word| context.dates().iter().find(|found| found.span.contains(&word.start));
    let mut limits = Limits { due: None, level: None, rest: vec![] };
    for (at, word) in clause.iter().enumerate() {
        let key = word.key.as_str();
        if word.is_mark() {
            continue;
        }
        let level = key == "priority" || matches!(key, "high" | "low" | "medium" | "urgent" | "important" | "top");
        if let Some(found) = dated(word) {
            limits.due = Some(found.when.due.day().to_owned());
        } else if key == "todays" {
            limits.due = Some("today".to_owned());
        } else if let Some(day) = owned_day(key, context) {
            limits.due = Some(day);
        } else if matches!(key, "or" | "and")
            && limits.level.is_some()
            && clause.get(at + 1).is_some_and(|next| priority(std::slice::from_ref(next)) == limits.level)
        {
            // "high priority or urgent"
        } else if level {
            limits.level = limits.level.or_else(|| priority(&clause[at..=at]));
        } else if !(LISTING.has(key) || key == first) {
            limits.rest.push(at);
        }
    }
    limits
}

/// Returns the date in "friday's tasks".
fn owned_day(key: &str, context: Context) -> Option<String> {
    let day = key.strip_suffix("days").or_else(|| key.strip_suffix("tomorrows").map(|_| "tomorrow"))?;
    let day = if day == "tomorrow" { day.to_owned() } else { format!("{day}day") };
    Some(when::parse(&day, context.now, context.zone)?.due.day().to_owned())
}

/// Returns true if the words concern the user's list and not the world.
fn anchored(keys: &[&str]) -> bool {
    let has = |set: &[&str]| keys.iter().any(|key| set.contains(key));
    let first = keys.first().copied().unwrap_or_default();
    const STATES: Set = file_set!("lists_states");
    const LEAD: Set = set(
        "me|us|the|my|all|only|just|any|ones|stuff|things|what|whats|is|are|up|that|thats|which|been|have|i|ive|weve",
    );
    const DUTIES: Set =
        set("meant|supposed|forgetting|forget|missing|should|must|told|asked|ought|say|said|promised|planned");
    const CHORES: Set = set(
        "do|get|buy|doing|done|remember|bring|pick|grab|collect|forgetting|missing|go|start|work|focus|tackle|knock",
    );
    let stated = |keys: &[&str]| {
        keys.iter().all(|key| STATES.has(key) || LEAD.has(key)) && keys.iter().any(|key| STATES.has(key))
    };
    let sees = matches!(keys, ["can" | "could" | "may" | "might", "i" | "we", "see" | "view" | "hear", ..]);
    keys == ["list", "TASK"]
        || sees && keys.iter().any(|key| set!("everything|all|lot").has(key))
        || matches!(keys, ["whats", done] | ["what", "is", done] if FINISHED.has(done))
        || shows(first) && keys.len() <= 8 && stated(&keys[1..])
        || first == "got" && has(&["anything", "much"]) && has(&["on", "due", "planned", "left", "for", "coming", "up"])
        || has(&["coming"]) && has(&["up"]) && has(&["what", "whats", "anything"])
        || matches!(first, "am" | "are") && has(&["late", "behind"])
        || has(&["anything"]) && has(&["late", "urgent"]) && keys.len() <= 5
        || matches!(first, "which" | "what" | "whats") && has(&["late", "behind"]) && keys.len() <= 6
        || keys == ["show", "TASK"]
        || first == "which" && has(&["these", "those", "them"])
        || keys.ends_with(&["on", "it"]) && has(&["whats", "what"])
        || has(&["buy", "groceries", "purchase"]) && has(&["need", "get", "have"]) && has(&["what", "whats", "which"])
        || has(&["LIST", "TASKS", "todays", "overdue", "outstanding", "mine"])
        || has(&["left", "remaining", "due", "reminded", "todo", "open"])
            && has(&["what", "whats", "anything", "do", "is", "any", "which", "how", "much"])
        || has(&["plate", "caught", "behind", "deck", "radar", "cards", "slate", "horizon", "pipeline"])
            && has(&["what", "whats", "anything", "am", "is", "my", "how"])
        || has(&["needs", "need"])
            && has(&["what", "whats", "which", "anything"])
            && has(&["doing", "done", "sorting", "finishing", "tackling", "attention", "sorted"])
        || shows(first)
            && has(&["them", "groceries", "shopping", "chores", "errands", "jobs", "todos", "reminders", "lot", "rest"])
        || has(&["what", "whats", "everything", "anything"])
            && has(&["have", "got", "ive"])
            && has(&["i", "ive", "we", "weve"])
        || has(&["what", "whats", "which", "anything", "where"])
            && has(&["i", "we"])
            && keys.iter().any(|key| DUTIES.has(key))
            && keys.iter().any(|key| CHORES.has(key))
        || has(&["jotted", "noted", "written", "logged", "saved"]) && has(&["what", "whats", "anything", "i", "ive"])
        || matches!(first, "show" | "list" | "display" | "read" | "see") && has(&["everything", "all"])
        || has(&["complete", "finish"]) && has(&["what", "whats", "which", "anything"]) && has(&["i", "we"])
        || has(&["what", "whats", "which", "anything", "any"])
            && has(&["i", "ive", "we", "weve"])
            && keys.iter().any(|key| FINISHED.has(key))
        || has(&["which", "what"])
            && has(&["ones", "things", "stuff", "bits", "jobs"])
            && keys.iter().any(|key| FINISHED.has(key))
        || has(&["do", "doing", "plate", "done", "finished", "completed", "forgot", "pending"])
            && has(&["what", "whats", "anything"])
            && has(&["i", "to", "we", "ive", "still", "pending"])
}

/// Returns true if a question begins like a command to show something.
fn shows(first: &str) -> bool {
    set!(
        "show|list|display|read|see|give|tell|pull|bring|run|go|walk|talk|let|name|lay|get|fetch|print|recite|review|\
         check"
    )
    .has(first)
}

/// Returns true for questions about Docket instead of the list, such as "what do you have".
fn foreign_subject(keys: &[&str]) -> bool {
    let you = keys.contains(&"you") && !keys.contains(&"LIST") && !keys.contains(&"TASKS");
    you || keys.starts_with(&["how", "many", "TASKS", "can"])
        || keys.starts_with(&["i", "have", "to"])
        || keys.starts_with(&["set"])
}
