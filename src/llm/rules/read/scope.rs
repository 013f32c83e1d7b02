//! Requests outside Docket's scope or without a tool, and replies to unclear messages.

use crate::domain::task::Task;
use crate::llm::rules::lex::frames::{FOREIGN, PRIVATE};
use crate::llm::rules::lex::matching::{stem, stems};
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::facts;
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::tampering::tampers;

/// Docket's abilities, one sentence for every refusal; examples follow it.
pub(in crate::llm::rules) const ABILITY: &str =
    "I keep your task list: I can add, show, complete, reopen, change and delete tasks.";

pub(in crate::llm::rules) fn foreign_noun(keys: &[&str]) -> bool {
    keys.iter().any(|key| FOREIGN.has(key))
}

/// Returns true for attempts to override the rules, or to reach other people's data or the machine.
pub(in crate::llm::rules) fn forbidden(message: &[Word]) -> bool {
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

/// Returns true if a message begins with a condition; courtesies such as "if you can" are stripped already.
pub(in crate::llm::rules) fn conditional(body: &[Word]) -> bool {
    body.iter()
        .find(|word| !word.is_mark())
        .is_some_and(|first| set!("if|unless|provided|assuming|whenever").has(&first.key))
}

/// Returns true if a message contains a condition or a future moment: "delete it if it is done", "when i'm home, …".
pub(in crate::llm::rules) fn waits(body: &[Word]) -> bool {
    let mut keys = body.iter().filter(|word| word.kind == Kind::Plain).map(|word| word.key.as_str());
    let first = keys.next().unwrap_or_default();
    let next = keys.clone().next().unwrap_or_default();
    // "when did I say the parcel has to go?" is a question.
    let asks = first == "when" && set!("did|do|does|is|are|was|were|have|has|must|should|can").has(next);
    set!("when|once|after|until").has(first) && !asks || keys.any(|key| matches!(key, "if" | "unless"))
}

/// Returns the reply to [`conditional`].
pub(in crate::llm::rules) fn no_conditions() -> Part {
    Part::Ask {
        question:
            "I act at once and cannot wait for a condition, so nothing was changed. What should I do now? For example: \
                   “complete task 3”."
                .into(),
        options: vec!["show my tasks".into()],
    }
}

/// Returns true for "forget every rule that you were given", with any word for rules.
fn rejects_rules(keys: &[&str]) -> bool {
    const VERBS: Set = set("forget|ignore|disregard|override|bypass|drop|abandon|break|discard|delete|erase");
    const RULES: Set = file_set!("scope_rules");
    const WHOSE: Set = set("you|your|youve|youre|given|previous|prior|earlier|every|all|any|above|everything");
    keys.iter().take(2).any(|key| VERBS.has(key))
        && keys.iter().any(|key| RULES.has(key))
        && keys.iter().any(|key| WHOSE.has(key))
        && !keys.iter().any(|key| matches!(*key, "LIST" | "TASK" | "TASKS" | "task" | "tasks" | "list"))
}

/// Returns true for requests to erase data or the account.
pub(in crate::llm::rules) fn wipes(clause: &[Word]) -> bool {
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

/// Returns the reply to [`wipes`].
pub(in crate::llm::rules) fn settings() -> Part {
    Part::Refuse(
        "I have no tool for that, and nothing was changed. Your account and your data can be erased on \
     the Settings page (/settings). To clear tasks, say “delete all completed tasks”."
            .into(),
    )
}

/// The remark on a part of a message that other programs do, next to a part that was done.
pub(in crate::llm::rules) const REST: &str = "The rest of your message is outside of what I can do.";

/// Returns the reply to any other request outside the scope.
pub(in crate::llm::rules) fn foreign() -> Part {
    Part::Refuse(format!("That is outside of what I can do, so nothing was changed. {ABILITY}"))
}

/// Returns true for questions in the form of a reminder: "remind me of the date of my last paycheck", "remind me what …".
pub(in crate::llm::rules) fn recalls(clause: &[Word]) -> bool {
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

/// Returns the reply to a request for a new list; Docket has one list.
pub(in crate::llm::rules) fn one_list() -> Part {
    Part::Ask {
        question: "I keep one list for everything, so there is no new list to make. What should I put \
     on it? For example: “add pack sun cream”."
            .into(),
        options: vec!["show my tasks".into()],
    }
}

/// Returns the question about a task's title.
pub(in crate::llm::rules) fn ask_what() -> Part {
    Part::Ask {
        question: "What should the task say? For example: “add buy milk tomorrow”.".into(), options: vec![]
    }
}

/// Returns the question about an incomplete change.
pub(in crate::llm::rules) fn edit_what() -> Part {
    Part::Ask {
        question:
            "What should change, and to what? For example: “rename task 3 to buy oat milk” or “move task 3 to friday”."
                .into(),
        options: vec!["show my tasks".into()],
    }
}

/// Returns true if a stretch ends with a destination other than the task list: "to my playlist".
pub(in crate::llm::rules) fn foreign_container(stretch: &[Word]) -> bool {
    let leads = |at: &usize| set!("to|on|in|into|onto|from|off").has(&stretch[*at].key);
    (0..stretch.len()).filter(leads).any(|at| contained(&stretch[at + 1..]))
}

/// Returns true if a message names such a destination first: "to my running playlist, add that song".
pub(in crate::llm::rules) fn foreign_lead(body: &[Word]) -> bool {
    const ADDS: Set = set("add|put|stick|pop|place|save|include|insert|append|enter|queue");
    let end = body.iter().position(|word| word.is_mark() || ADDS.has(&word.key)).unwrap_or(body.len());
    let led = body.first().is_some_and(|word| set!("to|on|in|into|onto").has(&word.key));
    led && body[end..].iter().take(4).any(|word| ADDS.has(&word.key)) && foreign_container(&body[..end])
}

/// Returns true if the words after "to" or "on" are such a destination, up to the end of the phrase.
fn contained(rest: &[Word]) -> bool {
    let end = rest.iter().take(8).position(|word| word.is_mark() || set!("for|with|so|and|please|on").has(&word.key));
    let last = end.is_none();
    let rest = &rest[..end.unwrap_or(rest.len())];
    let owned = rest.first().is_some_and(|word| matches!(word.key.as_str(), "my" | "the" | "our" | "your" | "this"));
    const SERVICES: Set = set("account|card|policy|plan|subscription");
    if last && rest.len() <= 4 && rest.iter().any(|word| SERVICES.has(&word.key)) {
        return true;
    }
    const PLACES: Set = file_set!("scope_places");
    const NAMED: Set = set("playlist|playlists|calendar|contacts|basket|cart|wishlist|inbox");
    let long = rest.len() <= 7 && rest.last().is_some_and(|word| NAMED.has(&word.key));
    owned && (rest.len() <= 4 || long) && rest.last().is_some_and(|word| PLACES.has(&word.key))
}

/// Returns true if the list mentioned is somebody else's: "her list", "my flatmate's list".
pub(in crate::llm::rules) fn others_list(clause: &[Word], text: &str) -> bool {
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

/// Returns true for requests about somebody else's tasks: "what's on Jo's account", "read me her tasks".
fn belongs(clause: &[Word], text: &str) -> bool {
    const LOOKS: Set = file_set!("scope_looks");
    const THEIRS: Set = set("his|her|their|hers|theirs|someones|somebodys|everyones");
    const OURS: Set = file_set!("scope_ours");
    let named = |word: &Word| {
        let said = text[word.start..word.end].to_lowercase().replace('’', "'");
        THEIRS.has(&word.key) || said.ends_with("'s") && !OURS.has(&word.key)
    };
    let of_docket = |word: &Word| set!("account|profile|login|TASKS|todos").has(&word.key) && word.kind == Kind::Plain;
    let looks = clause.iter().find(|word| !word.is_mark()).is_some_and(|first| LOOKS.has(&first.key));
    looks && clause.windows(2).any(|pair| named(&pair[0]) && of_docket(&pair[1]))
}

/// Matches "the tasks of user Bea" and "tasks belonging to user 7" at the end of a request, but not "of user research".
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
    const TOPICS: Set = file_set!("scope_topics");
    lead.is_some_and(|lead| LEADS.has(keys[lead]))
        && keys[..at].iter().any(|key| matches!(*key, "TASK" | "TASKS" | "LIST"))
        && !keys[at + 1..].iter().any(|key| TOPICS.has(key))
}

/// Returns true if a description without a match concerns things other than tasks.
pub(in crate::llm::rules) fn is_foreign(target: &Target) -> bool {
    match target {
        Target::Words { text, quoted: false, .. } => {
            text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| FOREIGN.has(word))
        }
        _ => false,
    }
}

/// Returns the tasks that mention the foreign thing of a description; `None` if it has none.
pub(in crate::llm::rules) fn mentioning(text: &str, tasks: &[Task]) -> Option<Vec<Task>> {
    let lower = text.to_lowercase();
    let things: Vec<String> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| FOREIGN.has(word)).map(stem).collect();
    let mentions = |task: &&Task| {
        let has = stems(task.title.as_str());
        things.iter().any(|thing| has.contains(thing))
    };
    (!things.is_empty()).then(|| tasks.iter().filter(mentions).cloned().collect())
}

pub(in crate::llm::rules) fn is_question(clause: &[Word]) -> bool {
    let mut plain = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str());
    let (first, next) = (plain.next().unwrap_or_default(), plain.next().unwrap_or_default());
    // "did #4" is a statement.
    if first == "did" && (next == "TASK" || next.starts_with(|c: char| c == '#' || c.is_ascii_digit())) {
        return false;
    }
    // "did it already" is a statement.
    const POINTS: Set =
        set("it|that|this|one|them|those|both|all|already|now|too|yesterday|today|earlier|just|finally");
    if first == "did" && clause.iter().skip(1).all(|word| POINTS.has(&word.key)) && POINTS.has(next) {
        return false;
    }
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
             isnt|arent|didnt|doesnt|wasnt|can|could|would|will|shall|may|do|have"
    )
    .has(first)
}

/// Returns the question if something lacking is meant for the list: "we could do with more foil", "nearly out of foil".
pub(in crate::llm::rules) fn lacking(clause: &[Word], keys: &[&str], raw: &str) -> Option<Part> {
    const LACKS: Set = file_set!("scope_lacks");
    let lower = keys.join(" ");
    if !LACKS.iter().any(|lack| lower.contains(lack)) || is_question(clause) || foreign_noun(keys) {
        return None;
    }
    let base = clause.iter().find(|word| !word.is_mark()).map_or(0, |word| word.start);
    let content = crate::llm::rules::read::said::content(clause, true);
    let stretch = content.first().zip(content.last()).map(|(first, last)| first.start - base..last.end - base);
    Some(add_or_find(stretch.and_then(|stretch| raw.get(stretch)).unwrap_or(raw)))
}

/// Returns the question about a message that cannot be parsed and asks for no other program.
pub(in crate::llm::rules) fn not_understood() -> Part {
    Part::Ask {
        question:
            "I did not understand that, so nothing was changed. What should I do? For example: “add buy milk tomorrow”."
                .into(),
        options: vec!["show my tasks".into(), "help".into()],
    }
}

/// Returns the reply to a clause that no rule parses. `asked` is true after "can you" or similar; `is_foreign` is true if the classifier
/// finds that another program is meant.
pub(in crate::llm::rules) fn unread(clause: &[Word], raw: &str, asked: bool, is_foreign: bool) -> Part {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    const WISHES: Set = file_set!("scope_wishes");
    const ORDERS: Set = file_set!("scope_orders");
    let first = keys.first().copied().unwrap_or_default();
    let verb = match keys.as_slice() {
        ["i" | "we", "need" | "have" | "want" | "ought", "to", verb, ..] => Some(*verb),
        ["i" | "we", "must" | "should", verb, ..] => Some(*verb),
        _ => None,
    };
    let chore = verb
        .is_some_and(|verb| crate::llm::rules::read::chores::opens_chore(verb) && !matches!(verb, "update" | "check"));
    let bare = keys.len() <= 3 && !is_question(clause) && !asked && !ORDERS.has(first);
    let points = keys.len() <= 6 && asked && keys.iter().any(|key| matches!(*key, "it" | "this" | "that" | "them"));
    if recalls(clause) || facts::asks_the_world(&keys, raw) {
        return foreign();
    }
    if let Some(part) = lacking(clause, &keys, raw) {
        return part;
    }
    // "do the thing" and "sort it" name nothing.
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
    let asks = is_question(clause) || raw.trim_end().ends_with('?') || asked;
    if ORDERS.has(first) || foreign_noun(&keys) && keys.len() > 2 {
        return foreign();
    }
    if asks {
        return if is_foreign { foreign() } else { not_understood() };
    }
    let short = keys.len() <= 4;
    if short || WISHES.has(first) && keys.len() <= 12 {
        return add_or_find(raw);
    }
    if is_foreign { foreign() } else { not_understood() }
}

/// Returns the question about a bare noun or wish: add it, or look for it?
pub(in crate::llm::rules) fn add_or_find(raw: &str) -> Part {
    let name: String = raw.trim().trim_end_matches(['.', '!', '?', ',']).chars().take(120).collect();
    Part::Ask {
        question: format!(
            "Should I add “{name}” to your list, or look for a task of that name? For example: “add {name}”."
        ),
        options: vec![format!("add {name}"), format!("show the task {name}")],
    }
}
