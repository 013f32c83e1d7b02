//! Questions about the list: what is on it, what is left, whether something is there.

use super::intent::{Labels, ListQuery};
use super::labels;
use super::matching::stems;
use super::pattern::fit;
use super::reading::{Context, priority};
use super::set::Set;
use super::words::{Kind, Word};
use crate::domain::task::{Priority, Status};

/// Words that a question about the whole list may be made of.
const LISTING: Set =
    Set("including|include|incl|plus|finish|most|biggest|ever|ahead|scheduled|walk|talk|take|various|different|\
         other|more|extra|additional|refresh|update|around|along|week|month|show|me|tell|give|display|list|read|\
         see|hear|view|open|pull|bring|look|at|check|get|find|print|access|go|over|through|review|run|what|whats|\
         which|is|are|was|were|do|does|did|have|has|had|i|ive|we|weve|got|my|the|our|a|an|any|anything|all|\
         everything|every|of|on|in|for|to|be|been|need|needs|needed|should|must|supposed|remaining|left|still|\
         pending|outstanding|incomplete|unfinished|undone|active|current|currently|now|completed|done|finished|so|\
         far|already|just|please|can|could|you|us|out|overview|summary|rundown|LIST|TASK|TASKS|there|else|new|\
         again|full|whole|entire|complete|by|due|overdue|that|this|these|put|added|asked|ask|reminded|remind|made|\
         set|created|about|remember|forgot|up|with|how|many|count|number|total|food|and|it|mine|then|im|am|id|like|\
         want|know|let|things|stuff|not|yet|or|from|saved|stored|going|recall|would|fetch|load|ones|one|thing|\
         today|ticked|off|accomplished|where|don|dont|havent|aloud|buy|store|shop|shops|supermarket|purchase|\
         groceries|loud|doing|planned|lined|coming|upcoming|plate|next|back|waiting");

/// Words with which such a question begins.
const OPENING: Set =
    Set("walk|talk|refresh|what|mind|show|tell|give|display|list|read|see|hear|view|open|pull|bring|look|check|get|\
         find|print|access|go|review|run|whats|which|do|does|did|have|has|is|are|any|anything|how|count|where|let|\
         i|can|my|the|all|everything|LIST|TASKS|completed|pending|overdue|outstanding|finished|remaining|done|\
         todays|incomplete|unfinished|current|fetch|load|recall|whens|when|know|recite|describe|summarise|\
         summarize|ls");

/// Ways to lead a question about whether something is there.
const LEAD: &[&str] = &[
    "tell me|us if|whether",
    "tell if|whether",
    "let me know if|whether",
    "check if|whether|that",
    "see if|whether",
    "do you know if|whether",
    "check to see if|whether",
    "verify if|whether|that",
    "confirm if|whether|that",
    "know if|whether",
    "i need|want|like to know if|whether",
    "im|i am? wondering if|whether",
    "i wonder if|whether",
    "find out if|whether",
    "i forgot|forget if|whether",
    "i cant remember if|whether",
    "double check if|whether|that",
    "look to? see if|whether",
    "remember if|whether",
];
/// Questions about whether something is there.
const ASK: &[&str] = &[
    "do|did|have i|we already? have|need|got|had|put|add|added|include|included|write *x @in LIST already?",
    "is|are there already? *x @in LIST already?",
    "is|are *x already? @in LIST already?",
    "have i|we already? got|put|added|included *x @in LIST already?",
    "has|have *x been? added|put @in LIST already?",
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
];
/// Statements that are questions after a lead: "tell me if I have milk on my list".
const STATE: &[&str] = &[
    "i|we already? have|need|got|had|put|added|included *x @in LIST already?",
    "there is|are *x @in LIST",
    "*x is|are @in LIST already?",
];

/// Reads a clause as a question about the list.
pub(super) fn list(clause: &[Word], context: Context) -> Option<ListQuery> {
    narrowed(clause, context).or_else(|| contains(clause, context)).or_else(|| whole(clause, context))
}

/// A question that names a project, a tag or words: "completed tasks in #Work", "tagged @home", "search milk"; or a level
/// alone.
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
    if !labelled && !level || labels.tags.len() > 1 {
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

/// Words that a list narrowed by labels may be asked for with, and nothing else.
const PLAIN: Set = Set(
    "completed|finished|done|pending|open|overdue|unfinished|outstanding|incomplete|high|low|medium|urgent|important|top|\
     priority|my|the|all|everything|TASKS|TASK|LIST|show|list|me|which|what|whats|are|is|and|have",
);

/// "is milk on my list", "did I add salt", "tell me if I have paper towels on my list".
fn contains(clause: &[Word], context: Context) -> Option<ListQuery> {
    let after =
        |lead: &&str| fit(&format!("{lead} *x"), clause).and_then(|captures| Some(&clause[captures.first()?.1..]));
    let led = LEAD.iter().find_map(after);
    let statements = if led.is_some() { STATE } else { &[] };
    let rest = led.unwrap_or(clause);
    let captures = ASK.iter().chain(statements).find_map(|pattern| fit(pattern, rest))?;
    let (_, from, to) = captures.into_iter().find(|(name, _, _)| *name == 'x')?;
    let stretch = &rest[from..to];
    if stretch.iter().all(|word| word.kind == Kind::Plain && LISTING.has(&word.key)) {
        return None;
    }
    let telling = |word: &Word| !Set("any|the|a|an|some|TASK|my|still").has(&word.key);
    let from = stretch.iter().position(telling)?;
    let words = context.raw(&stretch[from..]).to_owned();
    Some(ListQuery { status: Some(Status::Pending), words: Some(words), asks: true, ..ListQuery::default() })
}

/// A question about the list as a whole, perhaps for a day, a status or a priority.
fn whole(clause: &[Word], context: Context) -> Option<ListQuery> {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let first = keys.first()?;
    if keys.windows(2).any(|pair| matches!(pair, ["check" | "tick" | "cross" | "mark", "off"])) {
        return None;
    }
    let which = fit("which|what *x is|are|do|have i? have? @in LIST", clause).is_some()
        && clause
            .iter()
            .any(|word| word.key == "LIST" && context.text[word.start..].to_lowercase().starts_with(['m', 't', 'o']));
    if which {
        return Some(ListQuery { status: status(&keys), ..ListQuery::default() });
    }
    let reminds = matches!(keys.as_slice(), ["remind", "me", "what" | "whats" | "of" | "which", ..]);
    if !(OPENING.has(first) || reminds) || clause.iter().any(|word| word.kind == Kind::Quoted) {
        return None;
    }
    if keys == ["ls"] || keys == ["list"] {
        return Some(ListQuery { status: Some(Status::Pending), ..ListQuery::default() });
    }
    let (mut due, level) = limits(clause, first, context)?;
    let has = |set: &[&str]| keys.iter().any(|key| set.contains(key));
    if !anchored(&keys) || keys.starts_with(&["open", "TASK"]) || opens_nothing(&keys) || foreign_subject(&keys) {
        return None;
    }
    if level.is_none() && has(&["overdue"]) {
        due = Some("overdue".to_owned());
    }
    let text = keys.join(" ");
    if text.contains("this week") || text.contains("due week") {
        due = Some("week".to_owned());
    }
    Some(ListQuery {
        status: status(&keys),
        due,
        priority: level,
        count: text.contains("how many") || keys.contains(&"count"),
        ..ListQuery::default()
    })
}

/// The day and the priority that a question limits the list to; `None` if it holds a word that is not about the list.
fn limits(clause: &[Word], first: &str, context: Context) -> Option<(Option<String>, Option<Priority>)> {
    let dated = |word: &Word| context.dates().iter().find(|found| found.span.contains(&word.start));
    let mut due = None;
    let mut level = None;
    for (at, word) in clause.iter().enumerate() {
        let key = word.key.as_str();
        if word.is_mark() || LISTING.has(key) && !matches!(key, "today") || key == first {
            continue;
        }
        if let Some(found) = dated(word) {
            due = Some(found.when.due.day().to_owned());
        } else if key == "todays" {
            due = Some("today".to_owned());
        } else if key == "priority" || matches!(key, "high" | "low" | "medium" | "urgent" | "important" | "top") {
            level = level.or_else(|| priority(&clause[at..=at]));
        } else {
            return None;
        }
    }
    Some((due, level))
}

/// Whether the words are about the user's list, and not about the world.
fn anchored(keys: &[&str]) -> bool {
    let has = |set: &[&str]| keys.iter().any(|key| set.contains(key));
    let first = keys.first().copied().unwrap_or_default();
    keys == ["list", "TASK"]
        || keys == ["show", "TASK"]
        || keys.ends_with(&["on", "it"]) && has(&["whats", "what"])
        || has(&["buy", "groceries", "purchase"]) && has(&["need", "get", "have"]) && has(&["what", "whats", "which"])
        || has(&["LIST", "TASKS", "todays", "overdue", "outstanding", "mine"])
        || has(&["left", "remaining", "due", "reminded", "todo"])
            && has(&["what", "whats", "anything", "do", "is", "any", "which"])
        || matches!(first, "show" | "list" | "display" | "read" | "see") && has(&["everything", "all"])
        || has(&["complete", "finish"]) && has(&["what", "whats", "which"]) && has(&["i", "we"])
        || has(&["do", "doing", "plate", "done", "finished", "completed", "forgot", "pending"])
            && has(&["what", "whats", "anything"])
            && has(&["i", "to", "we", "ive", "still", "pending"])
}

/// "what do you have" and the like ask about Docket, not about the list.
fn foreign_subject(keys: &[&str]) -> bool {
    let you = keys.contains(&"you") && !keys.contains(&"LIST") && !keys.contains(&"TASKS");
    you || keys.starts_with(&["how", "many", "TASKS", "can"])
        || keys.starts_with(&["i", "have", "to"])
        || keys.starts_with(&["set"])
}

/// A lone "my", "the", "i" with nothing that asks.
fn opens_nothing(keys: &[&str]) -> bool {
    match keys.first() {
        Some(&"i") if keys.contains(&"LIST") && keys.contains(&"have") && keys.contains(&"do") => false,
        Some(&"i") => !keys.iter().any(|key| matches!(*key, "see" | "hear" | "know" | "view" | "read" | "check")),
        Some(&("do" | "have" | "is" | "are" | "does" | "did" | "has")) => keys.len() < 3 && !keys.contains(&"LIST"),
        _ => false,
    }
}

/// The status that a question is about; pending unless it says otherwise.
fn status(keys: &[&str]) -> Option<Status> {
    let not = keys.iter().any(|key| {
        Set("not|incomplete|havent|left|still|need|needs|unfinished|undone|yet|dont|pending|open|remaining").has(key)
    });
    let at = keys.iter().position(|key| matches!(*key, "completed" | "finished" | "done" | "ticked" | "accomplished"));
    let finish = keys.windows(2).any(|pair| matches!(pair, ["i" | "we", "finish" | "complete"]));
    if (at.is_some() || finish) && !not {
        return Some(Status::Completed);
    }
    let everything =
        keys.windows(2).any(|pair| matches!(pair, ["all" | "every", "TASKS" | "TASK" | "my" | "the" | "of"])) && !not;
    let both = keys.contains(&"completed") && keys.contains(&"pending");
    if both || everything && keys.contains(&"everything") { None } else { Some(Status::Pending) }
}

/// The title that a "contains" question is about is there when all its telling stems are.
pub(super) fn mentions(title: &str, words: &str) -> bool {
    let has = stems(title);
    stems(words).iter().all(|stem| has.contains(stem))
}
