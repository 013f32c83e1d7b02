//! Questions about the list: what is on it, what is left, whether something is there.

use super::asking::{asked, opens_nothing, sure};
use super::intent::{Labels, ListQuery};
use super::labels;
use super::lateness;
use super::levels::priority;
use super::pattern::{Patterns, fit};
use super::reading::Context;
use super::scope::is_question;
use super::set::{Index, Set, set};
use super::status::{self, FINISHED, status};
use super::words::{Kind, Word};
use crate::domain::task::{Priority, Status};
use crate::domain::when;

/// Words that a question about the whole list may be made of.
const LISTING: Index = Index::of(set(
    "LIST|TASK|TASKS|also|as|april|august|afternoon|after|achieved|agenda|actually|awaits|await|\
         arent|assigned|attention|ahead|additional|around|along|at|access|are|a|an|any|anything|all|active|already|\
         again|added|asked|ask|about|anymore|and|am|accomplished|aloud|bits|before|between|breakdown|both|busy|behind|bought|\
         biggest|bring|be|been|by|buy|back|caught|chores|cross|crossed|checked|closed|collect|check|called|cards|contain|contains|current|currently|\
         completed|can|could|complete|created|count|coming|december|days|day|dated|date|dates|deadline|deadlines|during|down|dont|didnt|deal|dealt|doable|\
         different|deck|display|do|does|did|done|due|don|doing|em|errands|even|evening|exactly|every|ever|extra|everything|\
         else|entire|february|friday|first|focus|free|finish|find|for|finished|far|full|forgot|food|from|fetch|gist|\
         getting|gotten|grab|get|give|go|got|going|groceries|happening|here|hasnt|handled|handle|hear|horizon|have|has|had|how|\
         havent|includes|item|isnt|including|include|incl|is|i|ive|in|incomplete|it|im|id|jobs|january|june|july|\
         jotted|just|knocked|kind|knock|know|last|later|looking|like|lot|late|logged|list|look|left|let|load|loud|\
         lined|meant|managed|march|may|monday|months|morning|mind|missed|moment|manage|most|more|month|me|my|must|made|many|mine|\
         november|night|noted|need|needs|needed|now|new|number|not|next|obliged|only|october|ought|outline|one|other|\
         open|over|our|of|on|outstanding|out|overview|overdue|or|ones|off|past|polished|progress|plans|plan|pick|plus|\
         pull|print|pending|pipeline|please|put|purchase|planned|plate|quick|quickly|really|roundup|recap|running|rest|refresh|\
         radar|read|review|run|remaining|remains|remain|rundown|reminded|remind|remember|recall|say|said|september|saturday|sunday|since|soon|\
         shall|side|slate|sorted|status|sort|single|slipped|stock|scheduled|show|see|should|supposed|still|so|summary|set|stuff|\
         saved|stored|store|shop|shops|supermarket|told|them|tick|too|those|tuesday|thursday|tonight|tomorrow|till|tackle|\
         tackled|tasked|talk|take|tell|through|the|to|there|that|this|these|total|then|things|thing|today|ticked|us|\
         until|update|unfinished|undone|undated|unticked|up|upcoming|various|view|well|wednesday|weekend|weekends|within|will|wrapped|\
         weeks|were|work|worry|written|wrote|walk|week|what|whats|which|was|we|weve|whole|with|works|without|want|would|where|waiting|\
         yesterday|you|yet",
));

/// Words with which such a question begins.
const OPENING: Index =
    Index::of(set("LIST|TASKS|am|access|are|any|anything|all|brief|bring|check|count|can|could|completed|\
         current|display|do|does|did|done|describe|everything|flash|find|finished|fetch|give|gimme|get|got|go|how|high|\
         hear|have|has|is|important|i|incomplete|know|lets|lay|low|list|look|let|load|ls|may|medium|might|mind|my|name|\
         outstanding|open|overdue|pull|print|pending|quickly|run|recap|refresh|read|review|remaining|recall|recite|so|\
         see|summary|show|summarise|summarize|talk|tell|the|todays|urgent|unfinished|view|whatre|walk|what|whats|which|\
         where|whens|when"));

/// Ways to lead a question about whether something is there.
const LEAD: Patterns<19> = Patterns::of([
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
    "remember if|whether *x",
]);
/// Questions about whether something is there.
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
/// Questions about one thing that need no list to be named.
const WHETHER: Patterns<12> = Patterns::of([
    "is|are|was|were *x in|on there|it|here|down already|yet|now?",
    "did|have i|we already? put|add|get|got|stick|write|jot|pop *x down|on|in there|it|already|yet? already|yet?",
    "have i|we already? got *x down|noted|written|listed down?",
    "is|are *x still to do|go|buy|get",
    "is|are *x still there|pending|open|left|outstanding|waiting|due|todo",
    "do|have i|we still need|have|got to? *x",
    "am i|we still? supposed|meant|due|down to *x",
    "is there|are something|anything|any|a TASK|TASKS|thing|things|one|ones|stuff? about|for|with|involving|mentioning|regarding|concerning *x @in? LIST?",
    "anything|something|any|do have i|we? have|got? TASK|TASKS|thing|things|stuff|anything|something? about|involving|mentioning|regarding|concerning *x @in? LIST?",
    "anything|something about|involving|mentioning|regarding|concerning *x @in? LIST?",
    "is|are there something|anything about|on|regarding *x on|in there|it|here",
    "do|have i|we have|got anything|something|any|a TASK|TASKS|thing|things|stuff|one? about|involving|mentioning|regarding|concerning *x @in? LIST?",
]);
/// Statements that are questions after a lead: "tell me if I have milk on my list".
const STATE: Patterns<3> = Patterns::of([
    "i|we already? have|need|got|had|put|added|included *x @in LIST already?",
    "there is|are *x @in LIST",
    "*x is|are @in LIST already?",
]);

/// Reads a clause as a question about the list.
pub(super) fn list(clause: &[Word], context: Context) -> Option<ListQuery> {
    let clause = asked(clause);
    lateness::list(clause)
        .or_else(|| narrowed(clause, context))
        .or_else(|| contains(clause, context))
        .or_else(|| whole(clause, context))
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
    // "the task called soap is done" says something of one.
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

/// Words that a list narrowed by labels may be asked for with, and nothing else.
const PLAIN: Set = set(
    "completed|finished|done|pending|open|overdue|unfinished|outstanding|incomplete|high|low|medium|urgent|important|top|\
     priority|my|the|all|everything|TASKS|TASK|LIST|show|list|me|which|what|whats|are|is|and|have",
);

/// "is milk on my list", "did I add salt", "tell me if I have paper towels on my list".
fn contains(clause: &[Word], context: Context) -> Option<ListQuery> {
    // "we're out of foil" without its apostrophe asks nothing.
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

/// A question about the list as a whole, perhaps for a day, a status or a priority.
fn whole(clause: &[Word], context: Context) -> Option<ListQuery> {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let first = keys.first()?;
    // "when is it due" is about one.
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

/// What a question about the list holds besides words for lists.
struct Limits {
    due: Option<String>,
    level: Option<Priority>,
    /// Where other words stand.
    rest: Vec<usize>,
}

/// What tasks are to be about where a question about my tasks says so: "any chores to do with the car".
fn subject(rest: &[usize], clause: &[Word], keys: &[&str], context: Context) -> Option<String> {
    let (from, to) = (*rest.first()?, *rest.last()?);
    let led = clause[..from].iter().rev().find(|word| !set!("the|my|our|a|an|that|this|those").has(&word.key))?;
    let leads = set!("about|for|from|with|at|regarding|concerning|involving|mentioning|containing|around|to|in|on");
    let mine = keys.iter().any(|key| matches!(*key, "TASKS" | "LIST"))
        || keys.iter().any(|key| matches!(*key, "i" | "we" | "im" | "ive"))
            && keys.iter().any(|key| set!("need|meant|supposed|got|must|should|left|going|want|gotta").has(key));
    let asks = set!("what|whats|which|do|does|have|has|is|are|any|anything|how|did|am|was|were|got").has(keys.first()?);
    let orders = keys.iter().any(|key| set!("can|could|go|add|put|remove|delete|update|cancel|of").has(key));
    // "how much have i got in savings" counts no tasks.
    let money = keys.starts_with(&["how", "much"])
        && set!("in|on|at|with").has(&led.key)
        && !keys.iter().any(|key| set!("done|doing|left|LIST|TASKS|finish").has(key));
    let telling = !money && leads.has(&led.key) && mine && asks && !orders && to - from < 5;
    telling.then(|| context.raw(&clause[from..=to]).to_owned())
}

/// The day and the priority that a question limits the list to, and where other words stand.
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
        } else if level {
            limits.level = limits.level.or_else(|| priority(&clause[at..=at]));
        } else if !(LISTING.has(key) || key == first) {
            limits.rest.push(at);
        }
    }
    limits
}

/// "friday's tasks": that day.
fn owned_day(key: &str, context: Context) -> Option<String> {
    let day = key.strip_suffix("days").or_else(|| key.strip_suffix("tomorrows").map(|_| "tomorrow"))?;
    let day = if day == "tomorrow" { day.to_owned() } else { format!("{day}day") };
    Some(when::parse(&day, context.now, context.zone)?.due.day().to_owned())
}

/// Whether the words are about the user's list, and not about the world.
fn anchored(keys: &[&str]) -> bool {
    let has = |set: &[&str]| keys.iter().any(|key| set.contains(key));
    let first = keys.first().copied().unwrap_or_default();
    const STATES: Set = set(
        "completed|finished|done|overdue|pending|open|outstanding|unfinished|incomplete|late|upcoming|remaining|ticked|off|\
         undone|uncompleted|unticked",
    );
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

/// Whether a question begins like an order to show something.
fn shows(first: &str) -> bool {
    set!(
        "show|list|display|read|see|give|tell|pull|bring|run|go|walk|talk|let|name|lay|get|fetch|print|recite|review|\
         check"
    )
    .has(first)
}

/// "what do you have" and the like ask about Docket, not about the list.
fn foreign_subject(keys: &[&str]) -> bool {
    let you = keys.contains(&"you") && !keys.contains(&"LIST") && !keys.contains(&"TASKS");
    you || keys.starts_with(&["how", "many", "TASKS", "can"])
        || keys.starts_with(&["i", "have", "to"])
        || keys.starts_with(&["set"])
}
