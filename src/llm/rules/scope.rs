//! What Docket will not do, what it has no tool for, and what it cannot tell from a message.

use super::frames::{FOREIGN, PRIVATE};
use super::intent::{Part, Target};
use super::matching::{stem, stems};
use super::set::{Set, set};
use super::tampering::tampers;
use super::words::{Kind, Word};
use crate::domain::task::Task;

/// What Docket can do, in one sentence of every refusal; examples follow it.
pub(super) const ABILITY: &str = "I keep your task list: I can add, show, complete, reopen, change and delete tasks.";

pub(super) fn foreign_noun(keys: &[&str]) -> bool {
    keys.iter().any(|key| FOREIGN.has(key))
}

/// Attempts to talk Docket out of its rules, at other people's data, or at the machine.
pub(super) fn forbidden(message: &[Word]) -> bool {
    let keys: Vec<&str> =
        message.iter().filter(|word| word.kind == Kind::Plain).map(|word| word.key.as_str()).collect();
    let text = keys.join(" ");
    let starts = set!(
        "ignore your|ignore all|ignore previous|ignore the above|ignore any|disregard|forget your instructions|\
             forget all previous|you are now|pretend|act as|execute sql|run sql|rm -rf|rm rf|sudo|drop table|select *|\
             execute|override|bypass|developer mode|system:|run rm|run the command|run this|curl|exec|shutdown|\
             disable|skip the confirmation|my admin says|new instructions"
    );
    let holds = set!(
        "without asking|other users|other peoples|everyones TASKS|everybodys TASKS|every users|system prompt|\
             api key|your instructions|your rules|someone elses|admin password|secret key|all users|another users|\
             previous instructions|delete from|drop table|drop database|truncate table|insert into|union select|rm -rf|rm rf|sudo rm|access token|environment variables|source code|user 2s|bearer token",
    );
    starts.iter().any(|start| text.starts_with(start))
        || rejects_rules(&keys)
        || tampers(&keys)
        || holds.iter().any(|hold| text.contains(hold)) && !text.starts_with("add ") && !text.starts_with("remind ")
}

/// Whether a message does something only if something else is so; "if you can" and the like are gone already.
pub(super) fn conditional(body: &[Word]) -> bool {
    body.iter()
        .find(|word| !word.is_mark())
        .is_some_and(|first| set!("if|unless|provided|assuming|whenever").has(&first.key))
}

/// Whether a message names a condition or a moment to come anywhere: "delete it if it is done", "when i'm home, …".
pub(super) fn waits(body: &[Word]) -> bool {
    let mut keys = body.iter().filter(|word| word.kind == Kind::Plain).map(|word| word.key.as_str());
    let first = keys.next().unwrap_or_default();
    set!("when|once|after|until").has(first) || keys.any(|key| matches!(key, "if" | "unless"))
}

/// The answer to [`conditional`].
pub(super) fn no_conditions() -> Part {
    Part::Ask {
        question:
            "I act at once and cannot wait for a condition, so nothing was changed. What should I do now? For example: \
                   “complete task 3”."
                .into(),
        options: vec!["show my tasks".into()],
    }
}

/// "forget every rule that you were given": whatever the rules are called.
fn rejects_rules(keys: &[&str]) -> bool {
    const VERBS: Set = set("forget|ignore|disregard|override|bypass|drop|abandon|break|discard|delete|erase");
    const RULES: Set =
        set("rule|rules|instruction|instructions|guideline|guidelines|guardrail|guardrails|restriction|restrictions|\
         prompt|prompts|programming|safeguards|directive|directives|policy|policies");
    const WHOSE: Set = set("you|your|youve|youre|given|previous|prior|earlier|every|all|any|above|everything");
    keys.iter().take(2).any(|key| VERBS.has(key))
        && keys.iter().any(|key| RULES.has(key))
        && keys.iter().any(|key| WHOSE.has(key))
        && !keys.iter().any(|key| matches!(*key, "LIST" | "TASK" | "TASKS" | "task" | "tasks" | "list"))
}

/// Wiping data or the account.
pub(super) fn wipes(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let wipe = keys.iter().take(2).any(|key| {
        set!("delete|wipe|erase|clear|remove|reset|close|destroy|purge|deactivate|format|cancel|nuke|drop").has(key)
    });
    let last = keys.last().is_some_and(|key| PRIVATE.has(key))
        || keys.iter().any(|key| matches!(*key, "account" | "database" | "settings"));
    let named = keys.iter().any(|key| matches!(*key, "LIST" | "TASK" | "TASKS"));
    wipe && last && !named && keys.len() <= 8
        || keys.join(" ").contains("factory reset")
        || wipe && keys.ends_with(&["about", "me"])
}

/// The answer to [`wipes`].
pub(super) fn settings() -> Part {
    Part::Refuse(
        "I have no tool for that, and nothing was changed. Your account and your data can be erased on \
     the Settings page (/settings). To clear tasks, say “delete all completed tasks”."
            .into(),
    )
}

/// The answer to everything else that is not Docket's.
pub(super) fn foreign() -> Part {
    Part::Refuse(format!("That is outside of what I can do, so nothing was changed. {ABILITY}"))
}

/// "remind me of the date of my last paycheck", "remind me what …": a question, not a reminder.
pub(super) fn recalls(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let fact = |key: &&str| {
        set!("date|name|time|number|password|amount|address|price|score|cost|birthday|lyrics|code|pin").has(key)
    };
    match keys.as_slice() {
        ["remind", "me", "of", rest @ ..] => rest.iter().take(3).any(fact) || rest.contains(&"LIST"),
        ["remind", "me", "what" | "who" | "where" | "how" | "why" | "which" | "whats" | "whos", ..] => true,
        _ => false,
    }
}

/// Docket has one list.
pub(super) fn one_list() -> Part {
    Part::Ask {
        question: "I keep one list for everything, so there is no new list to make. What should I put \
     on it? For example: “add pack sun cream”."
            .into(),
        options: vec!["show my tasks".into()],
    }
}

/// A change without what to change or to what.
pub(super) fn edit_what() -> Part {
    Part::Ask {
        question:
            "What should change, and to what? For example: “rename task 3 to buy oat milk” or “move task 3 to friday”."
                .into(),
        options: vec!["show my tasks".into()],
    }
}

/// Whether a stretch ends in a place that is not the task list: "to my playlist".
pub(super) fn foreign_container(stretch: &[Word]) -> bool {
    let leads = |at: &usize| set!("to|on|in|into|onto|from|off").has(&stretch[*at].key);
    (0..stretch.len()).filter(leads).any(|at| contained(&stretch[at + 1..]))
}

/// Whether what follows "to" or "on" is such a place, up to the end of its phrase.
fn contained(rest: &[Word]) -> bool {
    let end = rest.iter().take(8).position(|word| word.is_mark() || set!("for|with|so|and|please|on").has(&word.key));
    let last = end.is_none();
    let rest = &rest[..end.unwrap_or(rest.len())];
    let owned = rest.first().is_some_and(|word| matches!(word.key.as_str(), "my" | "the" | "our" | "your" | "this"));
    const SERVICES: Set = set("account|card|policy|plan|subscription");
    if last && rest.len() <= 4 && rest.iter().any(|word| SERVICES.has(&word.key)) {
        return true;
    }
    const PLACES: Set =
        set("playlist|playlists|calendar|contacts|cart|basket|inbox|library|favorites|favourites|queue|phone|address|\
             account|profile|wishlist|schedule|diary|order|alarms|bookmarks|collection");
    const NAMED: Set = set("playlist|playlists|calendar|contacts|basket|cart|wishlist|inbox");
    let long = rest.len() <= 7 && rest.last().is_some_and(|word| NAMED.has(&word.key));
    owned && (rest.len() <= 4 || long) && rest.last().is_some_and(|word| PLACES.has(&word.key))
}

/// Whether a list that is spoken of is somebody else's: "her list", "my flatmate's list".
pub(super) fn others_list(clause: &[Word], text: &str) -> bool {
    let theirs = |word: &Word| {
        let said = text[word.start..word.end].to_lowercase().replace('’', "'");
        let owned = |part: &str| {
            let owner = part.strip_suffix("'s");
            owner.is_some_and(|owner| {
                !set!(
                    "today|tomorrow|week|month|year|tonight|weekend|day|it|that|what|here|to-do|todo|do|monday|tuesday|wednesday|\
                     thursday|friday|saturday|sunday",
                )
                .has(owner)
            }) || set!("his|her|their|someones|somebodys|everyones|everybodys|flatmates|husbands|wifes|partners|\
             roommates|housemates|boyfriends|girlfriends|moms|mums|dads|sisters|brothers|bosss|neighbours|neighbors|\
             hers|theirs")
            .has(part)
        };
        said.split(' ').any(owned)
    };
    let titled = clause.first().is_some_and(|first| set!("remind|note|remember").has(&first.key));
    let named = || clause.iter().filter(|word| word.key == "LIST" && word.kind == Kind::Plain).any(theirs);
    !titled && (of_user(clause) || named() || belongs(clause, text))
}

/// "what's on Jo's account", "read me her tasks": what is to be shown is somebody else's.
fn belongs(clause: &[Word], text: &str) -> bool {
    const LOOKS: Set =
        set("show|list|read|what|whats|see|open|view|tell|display|get|give|pull|bring|log|switch|access|use|look|\
         let|check|fetch|peek|go|sign");
    const THEIRS: Set = set("his|her|their|hers|theirs|someones|somebodys|everyones");
    const OURS: Set =
        set("todays|tomorrows|yesterdays|tonights|weeks|months|whats|thats|its|heres|wheres|whos|lets|mondays|\
         tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|years|weekends|days");
    let named = |word: &Word| {
        let said = text[word.start..word.end].to_lowercase().replace('’', "'");
        THEIRS.has(&word.key) || said.ends_with("'s") && !OURS.has(&word.key)
    };
    let of_docket = |word: &Word| set!("account|profile|login|TASKS|todos").has(&word.key) && word.kind == Kind::Plain;
    let looks = clause.iter().find(|word| !word.is_mark()).is_some_and(|first| LOOKS.has(&first.key));
    looks && clause.windows(2).any(|pair| named(&pair[0]) && of_docket(&pair[1]))
}

/// "the tasks of user Bea", "tasks belonging to user 7": at the end of a request, so that "of user research" is none.
fn of_user(clause: &[Word]) -> bool {
    const LEADS: Set = set("of|from|by|to|under");
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let at = keys.iter().position(|key| matches!(*key, "user" | "users" | "username" | "userid"));
    let Some(at) = at.filter(|at| *at > 0 && keys.len() - at <= 3) else { return false };
    let lead = if matches!(keys[at - 1], "the" | "another" | "other" | "different") {
        at.checked_sub(2)
    } else {
        Some(at - 1)
    };
    const TOPICS: Set =
        set("research|testing|tests|interviews|interview|manual|guide|stories|story|survey|group|groups|feedback|\
         onboarding|experience|interface|docs|documentation|study|studies|training|accounts|data");
    lead.is_some_and(|lead| LEADS.has(keys[lead]))
        && keys[..at].iter().any(|key| matches!(*key, "TASK" | "TASKS" | "LIST"))
        && !keys[at + 1..].iter().any(|key| TOPICS.has(key))
}

/// Whether a description that fits no task is about things that are not tasks.
pub(super) fn is_foreign(target: &Target) -> bool {
    match target {
        Target::Words { text, quoted: false, .. } => {
            text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| FOREIGN.has(word))
        }
        _ => false,
    }
}

/// The tasks that a description can mean which is about such things: those that mention them too. `None` if it is not.
pub(super) fn mentioning(text: &str, tasks: &[Task]) -> Option<Vec<Task>> {
    let lower = text.to_lowercase();
    let things: Vec<String> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| FOREIGN.has(word)).map(stem).collect();
    let mentions = |task: &&Task| {
        let has = stems(task.title.as_str());
        things.iter().any(|thing| has.contains(thing))
    };
    (!things.is_empty()).then(|| tasks.iter().filter(mentions).cloned().collect())
}

/// Whether a clause asks.
pub(super) fn is_question(clause: &[Word]) -> bool {
    let mut plain = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str());
    let (first, next) = (plain.next().unwrap_or_default(), plain.next().unwrap_or_default());
    // "we're", without its apostrophe.
    // "did #4" says something.
    if first == "did" && (next == "TASK" || next.starts_with(|c: char| c == '#' || c.is_ascii_digit())) {
        return false;
    }
    // "did it already" as well.
    const POINTS: Set =
        set("it|that|this|one|them|those|both|all|already|now|too|yesterday|today|earlier|just|finally");
    if first == "did" && clause.iter().skip(1).all(|word| POINTS.has(&word.key)) && POINTS.has(next) {
        return false;
    }
    // "did the bins last night" does as well.
    const LATELY: Set = set("yesterday|already|earlier|night|morning|now|afternoon|today");
    let last = clause.iter().rfind(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    let told = first == "did" && set!("the|my|our|all").has(next) && LATELY.has(last);
    if told && clause.len() <= 8 && clause.last().is_none_or(|word| word.key != "?") {
        return false;
    }
    let ours = set!(
        "out|low|short|running|nearly|almost|all|having|going|getting|on|off|meeting|not|just|now|also|really|\
                    completely|still|about|down|missing|in|at|never|due|supposed|meant|moving|doing|no|totally|fresh"
    );
    if first == "were" && ours.has(next) {
        return false;
    }
    // "could do with a new mop" is a wish without its "we".
    if first == "could" && next == "do" && clause.iter().any(|word| word.key == "with") {
        return false;
    }
    // "should really ring jo" is a wish without its "I".
    const ASKED: Set =
        set("i|we|you|he|she|it|they|that|this|the|my|our|there|these|those|TASK|TASKS|LIST|number|a|an");
    if first == "should" && !ASKED.has(next) && !next.starts_with(|c: char| c == '#' || c.is_ascii_digit()) {
        return false;
    }
    // "have eggs added" is no question, "have eggs been added" is.
    let been = clause.iter().any(|word| word.key == "been");
    if first == "have" && !been && !set!("i|we|you|they|any|there|my|the|all").has(next) {
        return false;
    }
    set!(
        "what|whats|which|who|whos|when|whens|where|wheres|why|how|hows|is|are|was|were|does|did|am|has|should|whose|\
             isnt|arent|didnt|doesnt|wasnt|can|could|would|will|may|do|have"
    )
    .has(first)
}

/// "population of peru?": a fact is asked for without a verb.
fn asks_the_world(keys: &[&str], raw: &str) -> bool {
    const FACTS: Set = set(
        "capital|population|president|height|distance|meaning|definition|currency|language|temperature|weather|score|\
         price|time|area|age|author|director|king|queen|spelling|translation|synonym|opposite|square|root|formula",
    );
    raw.trim_end().ends_with('?')
        && keys.iter().any(|key| FACTS.has(key))
        && keys.iter().any(|key| matches!(*key, "of" | "in" | "for" | "to"))
        && !keys.iter().any(|key| matches!(*key, "LIST" | "TASK" | "TASKS" | "my" | "our"))
}

/// "we could do with more foil", "nearly out of foil": the question whether it is for the list.
pub(super) fn lacking(clause: &[Word], keys: &[&str], raw: &str) -> Option<Part> {
    const LACKS: Set = set(
        "out of|run out|ran out|low on|short on|short of|last of|running low|used up|no more|could do with|could use|can do with",
    );
    let lower = keys.join(" ");
    if !LACKS.iter().any(|lack| lower.contains(lack)) || is_question(clause) || foreign_noun(keys) {
        return None;
    }
    let base = clause.iter().find(|word| !word.is_mark()).map_or(0, |word| word.start);
    let content = super::said::content(clause, true);
    let stretch = content.first().zip(content.last()).map(|(first, last)| first.start - base..last.end - base);
    Some(add_or_find(stretch.and_then(|stretch| raw.get(stretch)).unwrap_or(raw)))
}

/// The answer to a clause that no rule reads. `asked`: it came with "can you" and the like.
pub(super) fn unread(clause: &[Word], raw: &str, asked: bool) -> Part {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    const WISHES: Set =
        set("i|we|need|must|should|want|gotta|ill|im|well|lets|buy|call|email|pay|wash|clean|water|feed|pick|mow|fix|\
             ring|post|walk|return|phone|collect|visit|finish");
    const ORDERS: Set = set(
        "answer|export|import|backup|sync|archive|sort|hang|mute|unmute|restart|reboot|scan|launch|install|adjust|\
         email|print|play|send|text|book|order|turn|tell|find|flip|rate|execute|run|translate|write|log|contact|\
         share|search|start|pause|skip|sing|call me|increase|decrease|raise|roll|calculate|convert|define|spell|\
         transfer|stream|shuffle|dial|navigate|switch|dim|lock|unlock|connect|download|upload|explain|describe|\
         teach|look|google|whisper|speak|talk|repeat|sell|invest|report|freeze|block|activate|enable|recommend|\
         suggest|change|reset|create|make|set",
    );
    let first = keys.first().copied().unwrap_or_default();
    let verb = match keys.as_slice() {
        ["i" | "we", "need" | "have" | "want" | "ought", "to", verb, ..] => Some(*verb),
        ["i" | "we", "must" | "should", verb, ..] => Some(*verb),
        _ => None,
    };
    let chore = verb.is_some_and(|verb| super::fields::opens_chore(verb) && !matches!(verb, "update" | "check"));
    let bare = keys.len() <= 3 && !is_question(clause) && !asked && !ORDERS.has(first);
    let points = keys.len() <= 6 && asked && keys.iter().any(|key| matches!(*key, "it" | "this" | "that" | "them"));
    if recalls(clause) || asks_the_world(&keys, raw) {
        return foreign();
    }
    if let Some(part) = lacking(clause, &keys, raw) {
        return part;
    }
    // "do the thing", "sort it": nothing says which.
    const HANDLES: Set = set("do|sort|handle|fix|finish|deal|change|update");
    const VAGUE: Set = set("it|that|this|them|those|thing|things|one|out|the|with|stuff|please|now");
    if HANDLES.has(first) && keys.len() >= 2 && keys.len() <= 4 && keys[1..].iter().all(|key| VAGUE.has(key)) {
        return edit_what();
    }
    if chore || bare || points {
        return add_or_find(raw);
    }
    let owned = clause.iter().any(|word| {
        matches!(word.key.as_str(), "TASK" | "TASKS")
            || word.key == "LIST"
                && !keys.windows(2).any(|pair| pair == ["LIST", "of"])
                && !raw.to_lowercase().contains("a list")
    });
    if owned && !ORDERS.has(first) && !is_question(clause) && keys.len() <= 12 {
        return edit_what();
    }
    if is_question(clause)
        || raw.trim_end().ends_with('?')
        || asked
        || ORDERS.has(first)
        || foreign_noun(&keys) && keys.len() > 2
    {
        return foreign();
    }
    let short = keys.len() <= 4;
    // "the flights need to be booked by sunday" is a chore of some kind.
    let needs = keys.iter().any(|key| matches!(*key, "need" | "needs"))
        && keys
            .windows(2)
            .any(|pair| matches!(pair, ["to", "be"]) || pair[0].starts_with("need") && pair[1].ends_with("ing"));
    if short || needs && keys.len() <= 12 || WISHES.has(first) && keys.len() <= 12 {
        return add_or_find(raw);
    }
    foreign()
}

/// The question about a bare noun or wish: add it, or look for it?
pub(super) fn add_or_find(raw: &str) -> Part {
    let name: String = raw.trim().trim_end_matches(['.', '!', '?', ',']).chars().take(120).collect();
    Part::Ask {
        question: format!(
            "Should I add “{name}” to your list, or look for a task of that name? For example: “add {name}”."
        ),
        options: vec![format!("add {name}"), format!("show the task {name}")],
    }
}
