//! Small talk, questions about Docket and remarks without a request, answered without a tool.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Index, Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::abilities::how_to;
use crate::llm::rules::read::asking::lapses;
use crate::llm::rules::read::assent::assents;
use crate::llm::rules::read::intent::Part;
use crate::llm::rules::read::scope::{ABILITY, foreign_noun};
use crate::llm::rules::read::{about, ease, looking, said, sparing, waiting};

const GREETINGS: Set = file_set!("talk_greetings");
const THANKS: Set = file_set!("talk_thanks");
const FAREWELLS: Set = file_set!("talk_farewells");
const PRAISE: Set = file_set!("talk_praise");
const NOTHING: Set = file_set!("talk_nothing");
const HELP: Set = file_set!("talk_help");

/// Returns the answer to small talk and questions about Docket.
pub(in crate::llm::rules) fn small_talk(message: &[Word]) -> Option<Part> {
    let said: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let keys: Vec<&str> = unaddressed(&said)
        .iter()
        .copied()
        .filter(|key| {
            said.len() < 2
                || !set!(
                    "docket|olly|ai|alexa|pda|assistant|please|there|then|siri|google|mate|buddy|friend|everyone|\
         bot|oh|well"
                )
                .has(key)
        })
        .collect();
    if message.iter().all(Word::is_mark) {
        return Some(Part::Ask {
            question: "What would you like to do? For example: “add buy milk tomorrow”.".into(),
            options: vec!["show my tasks".into()],
        });
    }
    replied(message, &said, &keys).map(Part::Say)
}

/// Returns the reply to small talk of only these words; `None` for anything more.
fn replied(message: &[Word], said: &[&str], keys: &[&str]) -> Option<String> {
    let text = keys.join(" ");
    let is = |set: Set| set.has(&text);
    let reply = if is(GREETINGS) {
        "Hello! Tell me what to put on your list, or say “show my tasks”.".to_owned()
    } else if is(THANKS)
        || thanked(keys)
        || starts(keys, &["thanks"]) && keys.len() <= 6 && !goes_on(message)
        || starts(keys, &["thank", "you"]) && keys.len() <= 7 && !goes_on(message)
    {
        "You're welcome.".to_owned()
    } else if is(FAREWELLS)
        || parts_with(keys)
        || about::finishes(keys)
        || starts(keys, &["see", "you"]) && keys.len() <= 4
    {
        "Goodbye! Your list will be here.".to_owned()
    } else if greets(keys) || calls(said) {
        "Hello! Tell me what to put on your list, or say “show my tasks”.".to_owned()
    } else if is(PRAISE) || praise(keys) || chats(keys) {
        "Thank you! Say “show my tasks” whenever you want to see your list.".to_owned()
    } else if ease::eases(keys) {
        "All right. Say “show my tasks” whenever you want to see your list.".to_owned()
    } else if about::confirming(keys) {
        about::ASKS_FIRST.to_owned()
    } else if is(HELP) || (how_to(keys) || how_to(said)) && !looking::looks(keys) {
        help()
    } else if is(NOTHING) || agrees(keys) {
        NOTHING_WAITS.to_owned()
    } else if waiting::asks_way_back(keys) {
        waiting::WAY_BACK.to_owned()
    } else if waiting::hesitates(keys) {
        "Take your time; nothing was changed. Say “show my tasks” to see your list.".to_owned()
    } else if (negated(keys) && !lapses(message)
        || spared(keys)
        || spared(&said::before_reason(message))
        || waiting::remains(message))
        && !goes_on(message)
        || taken_back(message)
    {
        "All right, nothing was changed. Say “show my tasks” to see your list.".to_owned()
    } else if complains(keys) {
        "Sorry about that. Say what you want in other words, for example “complete task 3”; whatever I changed can be \
         undone from its receipt."
            .to_owned()
    } else if about_docket(keys) {
        format!(
            "I am Docket, the assistant of this task list. {ABILITY} Try “add buy milk tomorrow” or “show my tasks”."
        )
    } else {
        return None;
    };
    Some(reply)
}

const NOTHING_WAITS: &str =
    "Nothing is waiting for an answer, so nothing was changed. Say “show my tasks” to see your list.";

/// Returns the reply to an answer if no question was asked.
pub(in crate::llm::rules) fn nothing_waits() -> Part {
    Part::Say(NOTHING_WAITS.to_owned())
}

/// Returns true for "hello, is anybody there".
fn calls(said: &[&str]) -> bool {
    const LEADS: Set = set("hello|hi|hey|ok|okay|um|er|so|oi|docket|and|hiya|yo|sorry|excuse|me");
    match said {
        [
            lead @ ..,
            "is" | "are",
            "anybody" | "anyone" | "someone" | "somebody" | "you" | "u",
            "there" | "here" | "home" | "around" | "listening" | "awake" | "online",
        ] => lead.iter().all(|word| LEADS.has(word)),
        _ => false,
    }
}

/// Returns thanks or greetings without the addressee: "thank you so much sir".
fn unaddressed<'a, 'b>(keys: &'a [&'b str]) -> &'a [&'b str] {
    const NAMES: Set = file_set!("talk_names");
    const THANKS: Set = set(
        "thanks|thank|thankyou|thx|ta|cheers|hi|hello|hey|morning|evening|bye|goodbye|night|appreciate|appreciated",
    );
    let named = keys.iter().rev().take_while(|key| NAMES.has(key)).count();
    match keys.split_at(keys.len() - named) {
        (said, [_, ..]) if said.iter().any(|key| THANKS.has(key)) && said.len() <= 8 => said,
        _ => keys,
    }
}

/// Returns true for agreement such as "yeah go on then".
fn agrees(keys: &[&str]) -> bool {
    const YES: Set = set("yes|yeah|yep|yup|aye|sure|ok|okay|alright|fine|right|absolutely|certainly");
    const ON: Set = set("go|on|then|ahead|for|it|do|please|thing|that|sounds|good|thats|lets");
    keys.first().is_some_and(|first| YES.has(first)) && keys.iter().all(|key| YES.has(key) || ON.has(key))
        || assents(keys)
}

/// Words of pleasantries.
const PLEASANT: Index = Index::of(file_set!("talk_pleasant"));
/// Words that determine the kind of a pleasantry.
const HAILS: Set = set("hi|hello|hey|hiya|howdy|yo|morning|afternoon|evening|evenin|mornin|hope|hoping|hows|sup|\
         wassup|meet|pleased");
const LEAVES: Set = file_set!("talk_leaves");
const LIKES: Set = file_set!("talk_likes");

/// Returns true if a message contains only pleasantries, with one of the kind.
fn pleasant(keys: &[&str], kind: Set) -> bool {
    keys.len() >= 2
        && keys.len() <= 14
        && keys.iter().all(|key| PLEASANT.has(key))
        && keys.iter().any(|key| kind.has(key))
        && !keys.iter().any(|key| key.chars().next().is_some_and(char::is_uppercase))
}

/// Matches "evening, hope you're well".
fn greets(keys: &[&str]) -> bool {
    let asks = keys.iter().any(|key| matches!(*key, "what" | "whats")) && keys.contains(&"i");
    pleasant(keys, HAILS) && !pleasant(keys, LEAVES) && !asks
}

/// Matches "right, i'm off to bed, night night".
fn parts_with(keys: &[&str]) -> bool {
    pleasant(keys, LEAVES) && !keys.iter().any(|key| set!("morning|need|what|whats|got").has(key))
}

/// Matches "awesome, that's all I needed".
fn chats(keys: &[&str]) -> bool {
    pleasant(keys, LIKES) && !keys.iter().any(|key| set!("what|whats|to").has(key))
}

/// Returns true if a request follows a remark: "i haven't done the laundry, put it back".
fn goes_on(message: &[Word]) -> bool {
    message.windows(2).any(|pair| {
        (pair[0].is_mark() || set!("so|and|but|then|please|now").has(&pair[0].key)) && COMMANDS.has(&pair[1].key)
    })
}

/// Matches "it's helpful, thank you" and "cheers, that's great".
fn thanked(keys: &[&str]) -> bool {
    // "just the overdue ones, thanks" is a request.
    const ASKED: Set =
        set("LIST|TASK|TASKS|urgent|overdue|stuff|ones|due|priority|pending|outstanding|important|unfinished");
    let names = keys.iter().any(|key| ASKED.has(key));
    let ends = (keys.ends_with(&["thank", "you"]) || keys.ends_with(&["thanks"])) && !names;
    (ends && !keys.iter().any(|key| COMMANDS.has(key)) || starts(keys, &["cheers"])) && keys.len() <= 8
}

fn help() -> String {
    "I look after your task list. You can say: “add buy milk tomorrow at 5pm”, “show my tasks”, “mark buy milk \
     as done”, \
     “move task 3 to friday”, “tag task 3 @home”, “show my tasks in #Work”, “rename task 3 to …” or “delete task 3” \
     (I ask before I delete or rename)."
        .into()
}

fn starts(keys: &[&str], phrase: &[&str]) -> bool {
    keys.starts_with(phrase)
}

/// Matches "you're brilliant", "i love this" and "this is great".
fn praise(keys: &[&str]) -> bool {
    const GOOD: Set = file_set!("talk_good");
    let led = set!("youre|you are|this is|that is|thats|i love|i like|love|good|great|what a|well done");
    keys.len() <= 6 && led.begins(&keys.join(" ")) && keys.last().is_some_and(|last| GOOD.has(last))
}

/// Returns true for questions and remarks about the assistant itself.
fn about_docket(keys: &[&str]) -> bool {
    let being = set!("human|robot|person|machine|computer|bot|ai|real|alive|chatbot|llm|people|sentient|conscious");
    let asks = set!(
        "am i|is this|is that|is it|is there|r you|you a|you an|youre a|so you|so are you|who am i|\
         what am i"
    );
    if asks.begins(&keys.join(" "))
        && keys.last().is_some_and(|last| being.has(last) || *last == "to")
        && keys.len() <= 9
    {
        return true;
    }
    let direct = set!(
        "whos this|who is this|who am i talking|whom am i|who is there|tell me who you|what sort of|\
         what kind of|introduce yourself|are we|who are you|what are you|are you|do you|did you|what do you|why do you|\
         why did you|how are you|hows it going|whats up|whats your|what is your|who made you|who built you|\
         who created you|how old are you|where are you|where do you|tell me about yourself|can you hear|\
         can you understand|can you speak|will you remember|how was your|have you"
    );
    direct.begins(&keys.join(" "))
        && !keys.iter().any(|key| matches!(*key, "LIST" | "add" | "delete" | "remove" | "complete"))
        && !foreign_noun(keys)
        || set!("do you|did you").begins(&keys.join(" ")) && !keys.contains(&"me") && !foreign_noun(keys)
}

/// Matches "that was not what I meant".
fn complains(keys: &[&str]) -> bool {
    let led = set!(
        "that was not|that is not what|thats not what|not what i|that wasnt what|that isnt what|you misunderstood|\
         thats wrong|that is wrong|you got it wrong|thats not right",
    );
    led.begins(&keys.join(" ")) && keys.len() <= 8
}

/// Returns true if a message withdraws its own request: "delete 2 - actually no".
fn taken_back(message: &[Word]) -> bool {
    const BACK: Set = file_set!("talk_back");
    let end = message.iter().rposition(|word| !word.is_mark()).map_or(0, |at| at + 1);
    let Some(mark) = message[..end].iter().rposition(Word::is_mark) else { return false };
    let last: Vec<&str> = message[mark + 1..end].iter().map(|word| word.key.as_str()).collect();
    BACK.has(&last.join(" ")) && message[..mark].iter().filter(|word| !word.is_mark()).count() > 1
}

/// Returns true for a prohibition without another request: "don't take it off", "don't you dare tick that".
fn denies(keys: &[&str]) -> bool {
    let rest = match keys {
        ["dont", rest @ ..] | ["do", "not", rest @ ..] => rest,
        _ => return false,
    };
    const POINTS: Set = set("it|that|this|them|those|off|out|away|done|from|on|LIST|there|yet|please|just|now");
    rest.iter().any(|key| COMMANDS.has(key) || *key == "touch")
        && rest.iter().all(|key| COMMANDS.has(key) || POINTS.has(key) || set!("touch|you|dare|go").has(key))
}

/// Returns true if a task is to remain unchanged: "hands off 3", "leave the rent alone", "keep 2 as it is".
fn spared(keys: &[&str]) -> bool {
    let keys = sparing::unwished(keys);
    let text = keys.join(" ");
    let led = set!(
        "hands off|keep your hands off|keep off|keep away from|paws off|stay away from|steer clear of|no touching|\
         not touching",
    );
    if led.begins(&text) && keys.len() > 2 {
        return true;
    }
    // "keep the rent on there, don't tick it" repeats itself.
    let denial = (3..keys.len()).find(|at| denies(&keys[*at..]));
    const STAYS: Set =
        set("on|for now|for the moment|alone|be|as is|as it is|as they are|how it is|how they are|the way it is|\
         untouched|where it is|where they are|unchanged|open|pending|on LIST|as it was|unticked|unchecked|undone|\
         unfinished|incomplete|on there|not done");
    let stays = STAYS.iter().any(|end| text.strip_suffix(end).is_some_and(|before| before.ends_with(' ')));
    matches!(keys, ["leave" | "keep", _, _, ..]) && (stays || denial.is_some()) && !keys.contains(&"note")
}

/// Returns true if nothing is to be done: "don't delete …", "I do not want to add a task", "I haven't finished …".
fn negated(keys: &[&str]) -> bool {
    let forget = |at: usize| matches!(keys.get(at), Some(&"forget" | &"let"));
    if starts(keys, &["dont"]) || starts(keys, &["never"]) || starts(keys, &["under", "no", "circumstances"]) {
        return !forget(1) && !matches!(keys.get(1), Some(&"need" | &"want" | &"mind"));
    }
    if starts(keys, &["do", "not"]) {
        return !forget(2) && !matches!(keys.get(2), Some(&"need" | &"want" | &"mind"));
    }
    if waiting::unfinished(keys) || waiting::undecided(keys) {
        return true;
    }
    let text = keys.join(" ");
    const ACTS: Set =
        set("add|delete|remove|complete|mark|rename|change|create|set|clear|erase|cancel|finish|see|show|make|update|\
         have");
    let wish = set!(
        "i do not want to|i dont want to|i do not wish to|i dont wish to|i dont want you to|i do not want you to|\
         i didnt ask you to|i didnt say to|i never said to|i never asked you to|i never asked to|i never told you to|\
         i never wanted to|i never wanted you to|i never meant to|i didnt tell you to|i didnt mean to|i didnt mean for you to|\
         i didnt want you to|i did not ask you to|i did not say to|i did not tell you to|nobody said to|nobody asked you to|\
         no one said to|no one asked you to|who said to|who told you to|\
         please dont|no dont|i no longer want to|i no longer wish to|we should not|\
         you should not",
    );
    if wish.iter().any(|lead| {
        text.strip_prefix(lead).and_then(|rest| rest.split_whitespace().next()).is_some_and(|key| ACTS.has(key))
    }) {
        return true;
    }
    let later = set!(
        "ive not|weve not|we havent|we have not|ive never|i havent|i have not|i still need to|i still have to|ill do|i will do|im still working|i am still|\
         im not done|i am not done|im not finished|ill get to|not yet|ill finish|im working on|i didnt finish|\
         i did not finish|im not sure|i am not sure|i dont know",
    );
    later.begins(&keys.join(" ")) && !keys.contains(&"LIST")
}
