//! What is no request for a tool: small talk, questions about Docket, things it will not do, and things it cannot tell.

use super::intent::{Part, Target};
use super::lexicon::{COMMANDS, FOREIGN, PRIVATE};
use super::set::Set;
use super::words::{Kind, Word};

/// What Docket can do, in one sentence that every refusal ends with.
const ABILITY: &str = "I keep your task list: I can add, show, complete, reopen, change and delete tasks. Try “add buy milk tomorrow” or “show my tasks”.";

const GREETINGS: Set =
    Set("hi|hello|hey|hiya|howdy|yo|hi there|hello there|hey there|greetings|good morning|good afternoon|\
     good evening|morning|evening|its good to see you|good to see you|nice to see you|nice to meet you|\
     hello again|hi again|wassup|sup|whats up|whats new|whats good|good day");
const THANKS: Set =
    Set("thanks|thank you|ta|cheers|thx|ta very much|thanks a lot|thank you very much|thank you so much|\
     thanks so much|much appreciated|many thanks|appreciate it|i appreciate it|sounds good thanks|\
     great thanks|ok thanks|thats all thanks|thanks for your help|thank you for your help|thanks a bunch|\
     no thanks");
const FAREWELLS: Set =
    Set("bye|goodbye|good bye|good night|see you|see you later|later|have a good day|have a nice day|cya|\
     talk to you later|bye bye|night|see ya|farewell|have a good one");
const PRAISE: Set = Set(
    "you rock|sorry|my bad|oops|lol|haha|cool|great|nice|awesome|perfect|well done|good job|good bot|wow|amazing|excellent|brilliant|\
     great job|nice one|good work|i love this app|i love you|i like you|love it|interesting|fine|all good|\
     sounds good|good|very good|great work|that was fast|fantastic|nice work|youre welcome|ha|thats great",
);
const NOTHING: Set =
    Set("cancel|stop|scrap|nevermind|never mind|nothing|forget it|forget that|scrap that|cancel that|stop that|\
     does not matter|doesnt matter|it does not matter|it doesnt matter|not now|leave it|no|nope|nah|yes|yep|\
     yeah|sure|go ahead|sure go ahead|ok|okay|do it|maybe|hmm|confirm|no thank you|that is all|thats all|\
     thats it|that will be all|nothing else|drop it|abort|y");
const HELP: Set =
    Set("help|help me|i need help|i need some help|i need assistance|i need some assistance|what can you do|\
     what can you help me with|what can i say|what can i ask|what can i do here|what do you do|commands|\
     what can i do|how does this work|what are my options|what are you able to do|how do i use this|\
     can you help me|assist me");

/// Small talk and questions about Docket: an answer without any tool.
pub(super) fn small_talk(message: &[Word]) -> Option<Part> {
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let keys: Vec<&str> =
        keys.iter()
            .copied()
            .filter(|key| {
                keys.len() < 2 || !Set(
            "docket|olly|ai|alexa|pda|assistant|please|there|then|siri|google|mate|buddy|friend|everyone|bot|\
             oh|well",
        ).has(key)
            })
            .collect();
    let text = keys.join(" ");
    let is = |set: Set| set.has(&text);
    if message.iter().all(Word::is_mark) {
        return Some(Part::Ask {
            question: "What would you like to do? For example: “add buy milk tomorrow”.".into(),
            options: vec!["show my tasks".into()],
        });
    }
    let reply = if is(GREETINGS) {
        "Hello! Tell me what to put on your list, or say “show my tasks”.".to_owned()
    } else if is(THANKS)
        || thanked(&keys)
        || starts(&keys, &["thanks"]) && keys.len() <= 6
        || starts(&keys, &["thank", "you"]) && keys.len() <= 7
    {
        "You're welcome.".to_owned()
    } else if is(FAREWELLS) || starts(&keys, &["see", "you"]) && keys.len() <= 4 {
        "Goodbye! Your list will be here.".to_owned()
    } else if is(PRAISE) || praise(&keys) {
        "Thank you! Say “show my tasks” whenever you want to see your list.".to_owned()
    } else if is(HELP) || how_to(&keys) {
        help()
    } else if is(NOTHING) {
        "Nothing is waiting for an answer, so nothing was changed. Say “show my tasks” to see your list.".to_owned()
    } else if negated(&keys) {
        "All right, nothing was changed. Say “show my tasks” to see your list.".to_owned()
    } else if complains(&keys) {
        "Sorry about that. Say what you want in other words, for example “complete task 3”; whatever I changed can be undone from its receipt.".to_owned()
    } else if about_docket(&keys) {
        format!("I am Docket, the assistant of this task list. {ABILITY}")
    } else {
        return None;
    };
    Some(Part::Say(reply))
}

/// "it's helpful, thank you", "cheers, that's great".
fn thanked(keys: &[&str]) -> bool {
    let ends = keys.ends_with(&["thank", "you"]) || keys.ends_with(&["thanks"]);
    (ends && !keys.iter().any(|key| COMMANDS.has(key)) || starts(keys, &["cheers"])) && keys.len() <= 8
}

fn help() -> String {
    "I look after your task list. You can say: “add buy milk tomorrow at 5pm”, “show my tasks”, “mark buy milk as done”, “move task 3 to friday”, “rename task 3 to …” or “delete task 3” (I ask before I delete or rename).".into()
}

fn starts(keys: &[&str], phrase: &[&str]) -> bool {
    keys.starts_with(phrase)
}

/// "you're brilliant", "i love this", "this is great".
fn praise(keys: &[&str]) -> bool {
    const GOOD: Set =
        Set("brilliant|great|awesome|amazing|the|best|smart|good|helpful|wonderful|funny|clever|fantastic|nice|\
         useful|cool|perfect|excellent|lovely|star|sweet|incredible|superb|app");
    let led = Set("youre|you are|this is|that is|thats|i love|i like|love|good|great|what a|well done");
    keys.len() <= 6 && led.begins(&keys.join(" ")) && keys.last().is_some_and(|last| GOOD.has(last))
}

/// Questions about how Docket does things.
fn how_to(keys: &[&str]) -> bool {
    let text = keys.join(" ");
    let able = Set(
        "what i can do|what can i do|what can you do|what you can do|commands do you|which commands|what commands|what can i say",
    );
    if able.iter().any(|asks| text.contains(asks)) && keys.len() <= 8 {
        return true;
    }
    let how = Set("how do i|how can i|how does|how do you|how to|how should i|how would i|whats the way to|\
         is there a way to|how many TASKS can|can i have more than|what happens if|what happens when");
    let may = matches!(keys, ["can" | "could" | "may", "i", "add" | "create" | "make" | "delete" | "edit" | "change" | "complete" | "set" | "use", rest @ ..] if matches!(rest, ["TASKS", ..] | ["a", "TASK", ..] | ["multiple" | "several" | "many" | "more", ..]));
    if may {
        return true;
    }
    let about_tasks = keys
        .iter()
        .any(|key| Set("TASK|TASKS|LIST|this|work|you|it|docket|due|date|add|delete|complete|undo").has(key));
    how.begins(&keys.join(" ")) && about_tasks && !foreign_noun(keys)
}

/// Questions and remarks about the assistant itself.
fn about_docket(keys: &[&str]) -> bool {
    let direct = Set("who are you|what are you|are you|do you|did you|what do you|why do you|why did you|how are you|\
         hows it going|whats up|whats your|what is your|who made you|who built you|who created you|\
         how old are you|where are you|where do you|tell me about yourself|can you hear|can you understand|\
         can you speak|will you remember|how was your|have you");
    direct.begins(&keys.join(" "))
        && !keys.iter().any(|key| matches!(*key, "LIST" | "add" | "delete" | "remove" | "complete"))
        && !foreign_noun(keys)
        || Set("do you|did you").begins(&keys.join(" ")) && !keys.contains(&"me") && !foreign_noun(keys)
}

/// "that was not what I meant".
fn complains(keys: &[&str]) -> bool {
    let led = Set("that was not|that is not what|thats not what|not what i|that wasnt what|that isnt what|\
         you misunderstood|thats wrong|that is wrong|you got it wrong|thats not right");
    led.begins(&keys.join(" ")) && keys.len() <= 8
}

/// "don't delete …", "I do not want to add a task", "I haven't finished …": nothing is to be done.
fn negated(keys: &[&str]) -> bool {
    let forget = |at: usize| matches!(keys.get(at), Some(&"forget" | &"let"));
    if starts(keys, &["dont"]) || starts(keys, &["never"]) {
        return !forget(1) && !matches!(keys.get(1), Some(&"need" | &"want" | &"mind"));
    }
    if starts(keys, &["do", "not"]) {
        return !forget(2) && !matches!(keys.get(2), Some(&"need" | &"want" | &"mind"));
    }
    let text = keys.join(" ");
    const ACTS: Set =
        Set("add|delete|remove|complete|mark|rename|change|create|set|clear|erase|cancel|finish|see|show|make|\
         update|have");
    let wish = Set("i do not want to|i dont want to|i do not wish to|i dont wish to|i dont want you to|\
         i do not want you to|i didnt ask you to|i didnt say to|please dont|no dont|i no longer want to|\
         i no longer wish to|we should not|you should not");
    if wish.iter().any(|lead| {
        text.strip_prefix(lead).and_then(|rest| rest.split_whitespace().next()).is_some_and(|key| ACTS.has(key))
    }) {
        return true;
    }
    let later =
        Set("i havent|i have not|i still need to|i still have to|ill do|i will do|im still working|i am still|\
         im not done|i am not done|im not finished|ill get to|not yet|ill finish|im working on|\
         i didnt finish|i did not finish|im not sure|i am not sure|i dont know");
    later.begins(&keys.join(" ")) && !keys.contains(&"LIST")
}

pub(super) fn foreign_noun(keys: &[&str]) -> bool {
    keys.iter().any(|key| FOREIGN.has(key))
}

/// Attempts to talk Docket out of its rules, at other people's data, or at the machine.
pub(super) fn forbidden(message: &[Word]) -> bool {
    let keys: Vec<&str> =
        message.iter().filter(|word| word.kind == Kind::Plain).map(|word| word.key.as_str()).collect();
    let text = keys.join(" ");
    let starts = [
        "ignore your",
        "ignore all",
        "ignore previous",
        "ignore the above",
        "ignore any",
        "disregard",
        "forget your instructions",
        "forget all previous",
        "you are now",
        "pretend",
        "act as",
        "execute sql",
        "run sql",
        "rm -rf",
        "rm rf",
        "sudo",
        "drop table",
        "select *",
        "execute",
        "override",
        "bypass",
        "developer mode",
        "system:",
        "run rm",
        "run the command",
        "run this",
        "curl",
        "exec",
        "shutdown",
        "disable",
        "skip the confirmation",
        "my admin says",
        "new instructions",
    ];
    let holds = [
        "without asking",
        "other users",
        "other peoples",
        "everyones TASKS",
        "everybodys TASKS",
        "every users",
        "system prompt",
        "api key",
        "your instructions",
        "your rules",
        "someone elses",
        "admin password",
        "secret key",
        "all users",
        "another users",
        "previous instructions",
        "delete from",
        "access token",
        "environment variables",
        "source code",
        "user 2s",
        "bearer token",
    ];
    starts.iter().any(|start| text.starts_with(start))
        || holds.iter().any(|hold| text.contains(hold)) && !text.starts_with("add ") && !text.starts_with("remind ")
}

/// Wiping data or the account.
pub(super) fn wipes(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let wipe = keys.iter().take(2).any(|key| {
        Set("delete|wipe|erase|clear|remove|reset|close|destroy|purge|deactivate|format|cancel|nuke|drop").has(key)
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
    Part::Refuse("I have no tool for that, and nothing was changed. Your account and your data can be erased on the Settings page (/settings). To clear tasks, say “delete all completed tasks”.".into())
}

/// The answer to everything else that is not Docket's.
pub(super) fn foreign() -> Part {
    Part::Refuse(format!("That is outside of what I can do, so nothing was changed. {ABILITY}"))
}

/// "remind me of the date of my last paycheck", "remind me what …": a question, not a reminder.
pub(super) fn recalls(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let fact = |key: &&str| {
        Set("date|name|time|number|password|amount|address|price|score|cost|birthday|lyrics|code|pin").has(key)
    };
    match keys.as_slice() {
        ["remind", "me", "of", rest @ ..] => rest.iter().take(3).any(fact) || rest.contains(&"LIST"),
        ["remind", "me", "what" | "who" | "where" | "how" | "why" | "which" | "whats" | "whos", ..] => true,
        _ => false,
    }
}

/// Docket has one list.
pub(super) fn one_list() -> Part {
    Part::Ask { question: "I keep one list for everything, so there is no new list to make. What should I put on it? For example: “add pack sun cream”.".into(), options: vec!["show my tasks".into()] }
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
    let Some(at) =
        stretch.iter().rposition(|word| matches!(word.key.as_str(), "to" | "on" | "in" | "into" | "onto" | "from"))
    else {
        return false;
    };
    let rest = &stretch[at + 1..];
    let owned = rest.first().is_some_and(|word| matches!(word.key.as_str(), "my" | "the" | "our" | "your" | "this"));
    const SERVICES: Set = Set("account|card|policy|plan|subscription");
    if rest.len() <= 4 && rest.iter().any(|word| SERVICES.has(&word.key)) {
        return true;
    }
    const PLACES: Set =
        Set("playlist|playlists|calendar|contacts|cart|basket|inbox|library|favorites|favourites|queue|phone|\
         address|account|profile|wishlist|schedule|diary|order|alarms|bookmarks|collection");
    owned && rest.len() <= 4 && rest.last().is_some_and(|word| PLACES.has(&word.key))
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

/// Whether a clause asks.
pub(super) fn is_question(clause: &[Word]) -> bool {
    let first = clause.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    Set("what|whats|which|who|whos|when|whens|where|wheres|why|how|hows|is|are|was|were|does|did|am|has|\
             should|whose|isnt|arent|didnt|doesnt|wasnt|can|could|would|will|may|do|have")
    .has(first)
}

/// The answer to a clause that no rule reads. `asked`: it came with "can you" and the like.
pub(super) fn unread(clause: &[Word], raw: &str, asked: bool) -> Part {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    const WISHES: Set =
        Set("i|we|need|must|should|want|gotta|ill|im|well|lets|buy|call|email|pay|wash|clean|water|feed|pick|mow|\
         fix|ring|post|walk|return|phone|collect|visit|finish");
    const ORDERS: Set = Set(
        "answer|export|import|backup|sync|archive|sort|hang|mute|unmute|restart|reboot|scan|launch|install|adjust|email|print|play|send|text|book|order|turn|tell|find|flip|rate|execute|run|translate|write|log|contact|share|\
         search|start|pause|skip|sing|call me|increase|decrease|raise|roll|calculate|convert|define|spell|\
         transfer|sync|stream|shuffle|dial|navigate|switch|dim|lock|unlock|connect|download|upload|explain|\
         describe|teach|look|google|whisper|speak|talk|repeat|sell|invest|report|freeze|block|activate|\
         enable|recommend|suggest|change|reset|create|make|set",
    );
    let first = keys.first().copied().unwrap_or_default();
    let chore = matches!(keys.as_slice(), ["i" | "we", "need" | "have" | "want" | "ought", "to", verb, ..] | ["i" | "we", "must" | "should", verb, ..] if super::fields::opens_chore(verb))
        && !matches!(keys.get(3), Some(&"update" | &"check"));
    let bare = keys.len() <= 3 && !is_question(clause) && !asked && !ORDERS.has(first);
    let points = keys.len() <= 6 && asked && keys.iter().any(|key| matches!(*key, "it" | "this" | "that" | "them"));
    if recalls(clause) {
        return foreign();
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
    if short || WISHES.has(first) && keys.len() <= 12 {
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
