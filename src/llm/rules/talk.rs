//! Small talk, questions about Docket and remarks that ask for nothing: answered without any tool.

use super::abilities::how_to;
use super::about;
use super::asking::lapses;
use super::assent::assents;
use super::ease;
use super::frames::COMMANDS;
use super::intent::Part;
use super::looking;
use super::said;
use super::scope::{ABILITY, foreign_noun};
use super::set::{Index, Set, set};
use super::sparing;
use super::waiting;
use super::words::Word;

const GREETINGS: Set = set(
    "hi|hello|hey|hiya|howdy|yo|hi there|hello there|hey there|greetings|good morning|good afternoon|good evening|\
             morning|evening|its good to see you|good to see you|nice to see you|nice to meet you|hello again|\
             hi again|wassup|sup|whats up|whats new|whats good|good day",
);
const THANKS: Set =
    set("thanks|thank you|ta|cheers|thx|ta very much|thanks a lot|thank you very much|thank you so much|\
         thanks so much|much appreciated|many thanks|ty|ty so much|ty very much|ty mate|tyvm|tvm|ta for that|\
         thanku|much obliged|cheers then|ta muchly|appreciate it|i appreciate it|sounds good thanks|great thanks|\
         ok thanks|thats all thanks|thanks for your help|thank you for your help|thanks a bunch|no thanks");
const FAREWELLS: Set = set(
    "bye|goodbye|good bye|good night|see you|see you later|later|have a good day|have a nice day|cya|\
         talk to you later|bye bye|night|see ya|farewell|have a good one|gn|gnight|nite|nite nite|night night|ttyl|ttfn|gtg|g2g|\
         got to go|have to go|i have to go|must dash|must go|toodles|tata|ta ta|adios|cheerio|toodle pip|so long",
);
const PRAISE: Set =
    set("you rock|sorry|my bad|oops|lol|haha|cool|great|nice|awesome|perfect|well done|good job|good bot|wow|amazing|\
         excellent|brilliant|great job|nice one|good work|i love this app|i love you|i like you|love it|interesting|\
         fine|all good|sounds good|good|very good|great work|that was fast|fantastic|nice work|youre welcome|ha|\
         thats great");
const NOTHING: Set =
    set("cancel|stop|scrap|nevermind|never mind|nothing|forget it|forget that|scrap that|cancel that|stop that|\
         not all of them|not all|not everything|doesnt matter|it does not matter|it doesnt matter|\
         does not matter|not now|leave it|no|nope|nah|yes|yep|yeah|\
         sure|go ahead|sure go ahead|ok|okay|do it|maybe|hmm|confirm|no thank you|that is all|thats all|thats it|\
         that will be all|nothing else|go on|go on then|go for it|drop it|abort|y");
const HELP: Set =
    set("help|help me|i need help|i need some help|i need assistance|i need some assistance|what can you do|\
         what can you help me with|what can i say|what can i ask|what can i do here|what do you do|commands|\
         what can i do|how does this work|what are my options|what are you able to do|how do i use this|\
         can you help me|assist me");

/// Small talk and questions about Docket: an answer without any tool.
pub(super) fn small_talk(message: &[Word]) -> Option<Part> {
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
        || starts(&keys, &["thanks"]) && keys.len() <= 6 && !goes_on(message)
        || starts(&keys, &["thank", "you"]) && keys.len() <= 7 && !goes_on(message)
    {
        "You're welcome.".to_owned()
    } else if is(FAREWELLS)
        || parts_with(&keys)
        || about::finishes(&keys)
        || starts(&keys, &["see", "you"]) && keys.len() <= 4
    {
        "Goodbye! Your list will be here.".to_owned()
    } else if greets(&keys) || calls(&said) {
        "Hello! Tell me what to put on your list, or say “show my tasks”.".to_owned()
    } else if is(PRAISE) || praise(&keys) || chats(&keys) {
        "Thank you! Say “show my tasks” whenever you want to see your list.".to_owned()
    } else if ease::eases(&keys) {
        "All right. Say “show my tasks” whenever you want to see your list.".to_owned()
    } else if about::confirming(&keys) {
        about::ASKS_FIRST.to_owned()
    } else if is(HELP) || (how_to(&keys) || how_to(&said)) && !looking::looks(&keys) {
        help()
    } else if is(NOTHING) || agrees(&keys) {
        "Nothing is waiting for an answer, so nothing was changed. Say “show my tasks” to see your list.".to_owned()
    } else if waiting::asks_way_back(&keys) {
        waiting::WAY_BACK.to_owned()
    } else if waiting::hesitates(&keys) {
        "Take your time; nothing was changed. Say “show my tasks” to see your list.".to_owned()
    } else if (negated(&keys) && !lapses(message)
        || spared(&keys)
        || spared(&said::before_reason(message))
        || waiting::remains(message))
        && !goes_on(message)
        || taken_back(message)
    {
        "All right, nothing was changed. Say “show my tasks” to see your list.".to_owned()
    } else if complains(&keys) {
        "Sorry about that. Say what you want in other words, for example “complete task 3”; whatever I changed can be \
         undone from its receipt."
            .to_owned()
    } else if about_docket(&keys) {
        format!(
            "I am Docket, the assistant of this task list. {ABILITY} Try “add buy milk tomorrow” or “show my tasks”."
        )
    } else {
        return None;
    };
    Some(Part::Say(reply))
}

/// "hello, is anybody there": who calls wants to be heard.
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

/// Thanks and greetings without whom they are said to: "thank you so much sir".
fn unaddressed<'a, 'b>(keys: &'a [&'b str]) -> &'a [&'b str] {
    const NAMES: Set = set(
        "ji|sir|maam|madam|miss|bhai|bhaiya|yaar|didi|love|luv|dear|man|mate|bro|bruv|bruh|fam|pal|buddy|boss|chief|champ|hon|hun|\
         honey|babe|darling|sweetheart|sweetie|dude|duck|petal|lad|lads|guys|folks|team|friend|all|everyone|x|xx|xxx|sis|mum|dad",
    );
    const THANKS: Set = set(
        "thanks|thank|thankyou|thx|ta|cheers|hi|hello|hey|morning|evening|bye|goodbye|night|appreciate|appreciated",
    );
    let named = keys.iter().rev().take_while(|key| NAMES.has(key)).count();
    match keys.split_at(keys.len() - named) {
        (said, [_, ..]) if said.iter().any(|key| THANKS.has(key)) && said.len() <= 8 => said,
        _ => keys,
    }
}

/// "yeah go on then", where nothing was asked.
fn agrees(keys: &[&str]) -> bool {
    const YES: Set = set("yes|yeah|yep|yup|aye|sure|ok|okay|alright|fine|right|absolutely|certainly");
    const ON: Set = set("go|on|then|ahead|for|it|do|please|thing|that|sounds|good|thats|lets");
    keys.first().is_some_and(|first| YES.has(first)) && keys.iter().all(|key| YES.has(key) || ON.has(key))
        || assents(keys)
}

/// Words that pleasantries are made of.
const PLEASANT: Index = Index::of(set(
    "adios|afternoon|again|all|are|a|an|alright|awesome|amazing|am|appreciate|appreciated|\
         anything|angel|and|as|always|been|brilliant|bye|byee|being|be|birthday|best|bot|buddy|back|bit|bunch|but|bed|\
         brilliantly|cheers|cool|cheerio|cya|ciao|catch|care|christmas|champ|day|doing|dreams|do|done|docket|doin|evening|\
         evenin|everyone|excellent|everything|else|easter|enjoying|enjoyed|enjoy|fab|fabulous|fine|fantastic|for|\
         friday|friend|finally|good|great|grand|going|goodbye|gem|genius|got|gn|gnight|gtg|g2g|gotcha|gotta|go|glad|hi|hello|hey|hiya|\
         howdy|hope|hoping|had|have|having|how|hows|help|helping|helpful|happy|hero|haha|heading|head|is|it|its|im|i|\
         just|job|keeping|kind|keepin|lovely|later|laters|legend|lifesaver|love|loved|like|liked|lot|lots|loads|\
         logging|morning|mornin|much|more|monday|merry|mate|me|my|meet|million|night|nights|nighty|nice|nite|now|needed|need|\
         nothing|no|new|nicely|o|ok|okay|off|of|one|or|out|perfect|pal|pleased|pleasure|pretty|right|rest|really|\
         rested|so|super|sweet|sound|sorted|see|soon|speak|sleep|saying|say|star|sup|sure|signing|slept|top|to|the|\
         there|things|tmrw|tmr|tomoz|toodles|ttyl|ttfn|today|tonight|tomorrow|this|that|thats|thanks|thank|ta|then|talk|take|tight|too|treating|up|very|\
         well|was|were|wonderful|wicked|wanted|will|weekend|work|we|welcome|wow|with|what|whats|wassup|x|xx|xxx|xmas|yo|you|ya|\
         yall|youre|your|year|yay|youve",
));
/// Words of which a pleasantry has one, by what it is.
const HAILS: Set = set("hi|hello|hey|hiya|howdy|yo|morning|afternoon|evening|evenin|mornin|hope|hoping|hows|sup|\
         wassup|meet|pleased");
const LEAVES: Set = set(
    "bye|goodbye|byee|cya|ciao|later|laters|night|nights|nighty|bed|farewell|sleep|signing|gn|gnight|nite|ttyl|ttfn|gtg|\
         g2g|cheerio|toodles|adios|\
         logging|dreams|soon",
);
const LIKES: Set =
    set("thanks|thank|ta|cheers|awesome|perfect|brilliant|excellent|fab|fabulous|super|sweet|amazing|wonderful|\
         fantastic|wicked|great|lovely|appreciate|appreciated|helpful|star|legend|lifesaver|gem|hero|angel|genius|\
         champ|cool|nice|good|love|loved|wow|grand|sound|happy|merry|needed|pleasure|fine|sure");

/// Whether a message is made of pleasantries only, one of them of that kind.
fn pleasant(keys: &[&str], kind: Set) -> bool {
    keys.len() >= 2
        && keys.len() <= 14
        && keys.iter().all(|key| PLEASANT.has(key))
        && keys.iter().any(|key| kind.has(key))
        && !keys.iter().any(|key| key.chars().next().is_some_and(char::is_uppercase))
}

/// "evening, hope you're well".
fn greets(keys: &[&str]) -> bool {
    let asks = keys.iter().any(|key| matches!(*key, "what" | "whats")) && keys.contains(&"i");
    pleasant(keys, HAILS) && !pleasant(keys, LEAVES) && !asks
}

/// "right, i'm off to bed, night night".
fn parts_with(keys: &[&str]) -> bool {
    pleasant(keys, LEAVES) && !keys.iter().any(|key| set!("morning|need|what|whats|got").has(key))
}

/// "awesome, that's all I needed".
fn chats(keys: &[&str]) -> bool {
    pleasant(keys, LIKES) && !keys.iter().any(|key| set!("what|whats|to").has(key))
}

/// Whether a request comes after a remark: "i haven't done the laundry, put it back".
fn goes_on(message: &[Word]) -> bool {
    message.windows(2).any(|pair| {
        (pair[0].is_mark() || set!("so|and|but|then|please|now").has(&pair[0].key)) && COMMANDS.has(&pair[1].key)
    })
}

/// "it's helpful, thank you", "cheers, that's great".
fn thanked(keys: &[&str]) -> bool {
    // "just the overdue ones, thanks" asks for something.
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

/// "you're brilliant", "i love this", "this is great".
fn praise(keys: &[&str]) -> bool {
    const GOOD: Set = set(
        "brilliant|great|awesome|amazing|the|best|smart|good|helpful|wonderful|funny|clever|fantastic|nice|useful|\
             cool|perfect|excellent|lovely|star|sweet|incredible|superb|app",
    );
    let led = set!("youre|you are|this is|that is|thats|i love|i like|love|good|great|what a|well done");
    keys.len() <= 6 && led.begins(&keys.join(" ")) && keys.last().is_some_and(|last| GOOD.has(last))
}

/// Questions and remarks about the assistant itself.
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

/// "that was not what I meant".
fn complains(keys: &[&str]) -> bool {
    let led = set!(
        "that was not|that is not what|thats not what|not what i|that wasnt what|that isnt what|you misunderstood|\
         thats wrong|that is wrong|you got it wrong|thats not right",
    );
    led.begins(&keys.join(" ")) && keys.len() <= 8
}

/// "delete 2 - actually no": what was asked for is taken back in the same breath.
fn taken_back(message: &[Word]) -> bool {
    const BACK: Set = set(
        "no|actually no|wait no|no wait|no dont|actually dont|dont|never mind|nevermind|actually never mind|forget it|\
         forget that|forget i said that|scratch that|ignore that|ignore me|disregard that|actually leave it|\
         no leave it|on second thought no|on second thoughts no|as you were|no never mind|oh never mind|dont bother",
    );
    let end = message.iter().rposition(|word| !word.is_mark()).map_or(0, |at| at + 1);
    let Some(mark) = message[..end].iter().rposition(Word::is_mark) else { return false };
    let last: Vec<&str> = message[mark + 1..end].iter().map(|word| word.key.as_str()).collect();
    BACK.has(&last.join(" ")) && message[..mark].iter().filter(|word| !word.is_mark()).count() > 1
}

/// "don't take it off", "don't you dare tick that": an order that is denied, and no other.
fn denies(keys: &[&str]) -> bool {
    let rest = match keys {
        ["dont", rest @ ..] | ["do", "not", rest @ ..] => rest,
        _ => return false,
    };
    const POINTS: Set = set("it|that|this|them|those|off|out|away|done|from|on|LIST|there|yet|please|just|now");
    rest.iter().any(|key| COMMANDS.has(key) || *key == "touch")
        && rest.iter().all(|key| COMMANDS.has(key) || POINTS.has(key) || set!("touch|you|dare|go").has(key))
}

/// "hands off 3", "leave the rent alone", "keep 2 as it is": what there is stays.
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
    // "keep the rent on there, don't tick it" says so twice.
    let denial = (3..keys.len()).find(|at| denies(&keys[*at..]));
    const STAYS: [&str; 26] = [
        "on",
        "for now",
        "for the moment",
        "alone",
        "be",
        "as is",
        "as it is",
        "as they are",
        "how it is",
        "how they are",
        "the way it is",
        "untouched",
        "where it is",
        "where they are",
        "unchanged",
        "open",
        "pending",
        "on LIST",
        "as it was",
        "unticked",
        "unchecked",
        "undone",
        "unfinished",
        "incomplete",
        "on there",
        "not done",
    ];
    let stays = STAYS.iter().any(|end| text.strip_suffix(end).is_some_and(|before| before.ends_with(' ')));
    matches!(keys, ["leave" | "keep", _, _, ..]) && (stays || denial.is_some()) && !keys.contains(&"note")
}

/// "don't delete …", "I do not want to add a task", "I haven't finished …": nothing is to be done.
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
