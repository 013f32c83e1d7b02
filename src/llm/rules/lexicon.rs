//! The words of the grammar: sets of phrases by name, in lower case and without apostrophes as the cut words are.

use super::set::{Beginnings, Set};

/// The classes of the grammar, by name.
const CLASSES: &[(&str, Set)] = &[
    ("a", Set("a|an|the|another|one more|my|me a|me an|this|one|some|any|this as a|it as a")),
    (
        "new",
        Set("new|repeating|recurring|little|small|simple|friendly|urgent|important|low priority|medium priority|\
             quick|fresh|brand new|high priority|single"),
    ),
    (
        "add",
        Set("pencil in|add in|add|put down|put|write down|write in|write|jot down|jot|note down|include|insert|\
             stick|pop|append|throw|chuck|place|enter|log|record|save|capture|slap"),
    ),
    ("plainadd", Set("pencil in|add in|add|jot down|jot|append|insert|note down|write down|put down|include")),
    (
        "make",
        Set("plan|create|make|add|set up|set|schedule|start|generate|build|give me|give|put in|put|enter|log|\
             record|save|note"),
    ),
    (
        "intro",
        Set("so i dont forget to|so i dont forget about|so that i dont forget to|so i dont forget|\
             so that i dont forget|so i remember to|so that i remember to|for me that i need to|\
             for me that i have to|for me to|for me about|for me|that i need to|that i have to|that i should|\
             that i must|so i can|to remind me to|to remind me about|reminding me to|telling me to|that says to|\
             that says|which says|saying to|saying|called|named|titled|entitled|with the title|with title|labelled|\
             labeled|namely|to say|that reads|which reads|that i|that|about|regarding|to|for|of"),
    ),
    (
        "rintro",
        Set("of|that i need to|that i have to|that i should|that i must|that ive got to|i need to|i have to|\
             i should|later to|again to|please to|also to|about|that|to"),
    ),
    (
        "in",
        Set("to|on|onto|in|into|within|at the top of|at the end of|at the bottom of|to the top of|to the end of|\
             under|for"),
    ),
    ("from", Set("from|off of|off|out of|on|in|out from|from off|of")),
    (
        "complete",
        Set("complete|finish off|finish up|finish|check off|tick off|mark off|close out|close off|close|finalise|\
             finalize|conclude|wrap up|tick|mark done|mark completed|mark complete|mark as done|mark as completed|\
             mark as complete|mark as finished|check as done|cross off|scratch off|strike off|cross out|strike out|\
             resolve|set as done|set done|check the box for|check the box|tick the box for|tick the box"),
    ),
    ("crossed", Set("check|tick|cross|scratch|strike|mark")),
    (
        "mark",
        Set("mark|set|flag|tag|check|tick|put|log|record|count|consider|note|make|list|label|change|update|turn|\
             move|show|register|treat"),
    ),
    ("as", Set("as being|as|to|status to|off as|off|status as|down as|to be|into")),
    (
        "done",
        Set("all done|done|finished|completed|complete|checked off|ticked off|sorted|dealt with|closed|checked|\
             ticked|bought|accomplished|resolved|over and done with|over with|handled|taken care of|wrapped up|\
             crossed off|purchased|paid|fixed|finalised|finalized|achieved|out of the way|over"),
    ),
    (
        "finished",
        Set("just completed|just finished|just did|already finished|already did|already completed|already done|\
             finally finished|finally did|finally completed|have finished|have completed|have done|\
             have already finished|have already done|have already completed|have just finished|have just done|\
             have just completed|ive finished|ive completed|ive done|ive already finished|ive already done|\
             ive already completed|ive just finished|ive just done|ive just completed|ive finally finished|\
             ive finally done|finished with|finished up|finished|completed|did|got done with|have sorted|\
             ive sorted|sorted|managed to finish|managed to complete|managed|am done with|im done with|\
             am finished with|im finished with|was able to finish|was able to complete|took care of|\
             have taken care of|ive taken care of|dealt with|ive dealt with|have dealt with|wrapped up|got through|\
             just wrapped up"),
    ),
    (
        "donewith",
        Set("all done with|im finished|i am finished|im done|i am done|im all done with|im done with|\
             i am done with|done with|finished with|im finished with|i am finished with|all finished with|\
             done and dusted with|done"),
    ),
    (
        "reopen",
        Set("reopen|uncheck|untick|unmark|uncomplete|unfinish|undo completing|undo that completion of|\
             undo the completion of|undo the completing of|undo completion of|undo|reactivate|restore|un-complete|\
             un-tick|bring back|mark as not done|mark as pending|mark as incomplete|mark as undone"),
    ),
    (
        "undone",
        Set("not done yet|not done|not finished|not completed|not complete|undone|incomplete|pending|open again|\
             open|unfinished|uncompleted|unchecked|still pending|still open|still todo|todo|to do|active|\
             outstanding|not started|in progress"),
    ),
    (
        "delete",
        Set("delete off|remove off|erase off|empty out|delete|remove|erase|get rid of|get rid off|trash|bin|scrap|\
             discard|drop|clear out|clear off|clear away|clear|dump|cancel|omit|eliminate|throw out|throw away|\
             lose|ditch|purge|wipe out|wipe off|wipe|kill|forget about|forget|nix|exclude|chuck out|rub out|\
             dismiss|delete out|axe|toss out|take away|expunge|strip|empty"),
    ),
    ("plaindelete", Set("delete|remove|erase|get rid of|trash|bin|scrap|discard|purge")),
    ("takeoff", Set("take off|take out|pull off|take down")),
    ("take", Set("take|pull|get|knock|leave|wipe|strip|clear|keep|want|drop|move")),
    ("away", Set("off of|off|out of|out from|from|out")),
    (
        "noneed",
        Set("i dont need to be reminded to|i dont need to be reminded about|i no longer need to be reminded to|\
             i no longer need to be reminded about|i no longer need a reminder to|i no longer need a reminder for|\
             i dont need a reminder to|i dont need a reminder for|never mind the|nevermind the|scratch that i need|\
             i dont need|i dont want|i do not need|i do not want|i no longer need|i no longer want|we dont need|\
             we no longer need|we no longer want|we do not need|we dont want|i dont need to do|\
             i no longer have to do|dont need|no longer need|no need for|no need to|i dont have to|i dont need to|\
             i no longer have to|i no longer need to|i wont need|we wont need|i changed my mind about|\
             ive changed my mind about|i have changed my mind about|never mind about|nevermind about|forget about|\
             i decided against|i dont want to|i dont plan to|i wont be|im not going to|i am not going to|we are not"),
    ),
    ("rename", Set("rename|retitle|reword|rephrase|call|name")),
    (
        "change",
        Set("change|update|edit|modify|alter|switch|amend|revise|adjust|correct|replace|fix|set|make|turn|adapt"),
    ),
    ("title", Set("title|name|text|wording|label|heading|description text")),
    (
        "into",
        Set("so it reads|so it says|so that it reads|so that it says|to say|to read|to be|into|to|from now on to|\
             should be|instead to"),
    ),
    ("due", Set("due date|due time|deadline|date|due|time|due day|due on|schedule|reminder")),
    (
        "move",
        Set("move back|move up|move|reschedule|postpone|push back|push out|push|bring forward|delay|defer|shift|\
             bump|put off|set|change|update|schedule|make|snooze|extend"),
    ),
    ("resched", Set("reschedule|postpone|push back|push out|push|delay|defer|put off|snooze|bring forward|shift")),
    (
        "until",
        Set("to|until|till|by|for|on|due|to be due|due on|due by|as due|so it is due|so its due|back to|forward to|\
             up to|over to|at|ahead to|out to|is due"),
    ),
    (
        "isdue",
        Set("is due by|is due on|is due at|is due|is now due on|is now due|needs to be done by|has to be done by|\
             must be done by|should be done by|should be due|needs doing by|has to be finished by|is for|are due|\
             isnt due until|is not due until|now due|due|needs to be done on|should be done on|should be on|is on"),
    ),
    ("priority", Set("priority|importance|urgency|priority level")),
    ("note", Set("note|comment|description|detail|details|notes|info|remark")),
    (
        "show",
        Set("show me|show|open up|open|view|fetch me|fetch|read me|read out|read|display|pull up|bring up|get me|\
             see|look at|look up|find me|find|give me|tell me about|tell me more about|tell me|check on|check out|\
             check|describe|explain|details for|details of|details on|details about|details|info on|info about|\
             information on|information about|more about|more on|more info on|get|expand|inspect|what about|\
             how about|whats|what is|what are|what was|hear|let me see|retrieve|print|go to|locate|search for|\
             the details of|the details for|what do you know about|whats up with|status of|what were|where is|\
             wheres"),
    ),
    (
        "details",
        Set("all the details|the details|details|full details|all details|more details|information|\
             more information|info|more info|more|everything|particulars|the specifics|the full text|\
             the description|the notes|a summary|the full details|the info|all info"),
    ),
    ("of", Set("of|for|on|about|regarding|in|from")),
    (
        "reads",
        Set("should say|should read|needs to say|must say|ought to say|should be called|should be named|\
             should now say|should now read|needs to read|is now called|should be titled|should really say|\
             ought to be|is now"),
    ),
    ("again", Set("again|once more|back|please|now|for me|too|as well|instead|yet")),
    (
        "willyou",
        Set("can you please|could you please|will you please|would you please|can you|could you|will you|would you|\
             please|so|you can|go ahead and|then|just|kindly|lets|i need to|i want to|i should|we should|\
             i want you to|i need you to|can we|could we|i would like to|id like to"),
    ),
    ("it", Set("they|it|that|this|them|those|these|that one|this one|those ones|some|one")),
    (
        "be",
        Set("is|are|was|were|has been|have been|is now|are now|has now been|is already|are already|is all|are all|\
             got|is finally|has already been|s|is actually"),
    ),
    (
        "existing",
        Set("are not there already|are not already there|arent there already|arent already there|are not there|\
             arent there|are not|arent|is not there already|isnt there already|isnt on it|is not on it|\
             isnt in there|its not in there|is not already there|isnt already there|is not there|isnt there|\
             is not already|isnt already|isnt on there|is not on there|isnt|is not|its not|its not there|\
             its not already there|its not on there|not|not already there|not there|there is not|there isnt one|\
             there isnt any|they arent|they are not|theyre not|they arent there|they arent already there|\
             i dont have it|i havent already|i havent|its missing|it is missing|missing|its absent|not already"),
    ),
    (
        "because",
        Set("i just|i|im|ive|we|its|were|because|cause|cos|cuz|coz|since|as i|as im|as we|as were|so that i|\
             so i dont"),
    ),
];

/// How the phrases of each class begin, computed by the compiler: most classes are ruled out by it without being read.
const BEGINNINGS: [Beginnings; CLASSES.len()] = {
    let mut all = [Beginnings::of(Set("")); CLASSES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = Beginnings::of(CLASSES[at].1);
        at += 1;
    }
    all
};

/// The phrases of a class that may begin with `word`. An unknown name is a class without phrases, which a test forbids.
pub(super) fn class(name: &str, word: &str) -> Set {
    let at = CLASSES.iter().position(|(known, _)| *known == name);
    at.filter(|at| BEGINNINGS[*at].allow(word)).map_or(Set(""), |at| CLASSES[at].1)
}

/// How the phrases of a class begin, by its name after an `@`.
pub(super) const fn beginnings(name: &[u8]) -> Beginnings {
    let mut at = 0;
    while at < CLASSES.len() {
        let known = CLASSES[at].0.as_bytes();
        let mut same = 0;
        while same < known.len() && same + 1 < name.len() && known[same] == name[same + 1] {
            same += 1;
        }
        if same == known.len() && same + 1 == name.len() {
            return BEGINNINGS[at];
        }
        at += 1;
    }
    Beginnings::ANY
}

/// Whether there is a class of that name.
#[cfg(test)]
pub(super) fn is_class(name: &str) -> bool {
    CLASSES.iter().any(|(known, set)| *known == name && set.iter().next().is_some())
}

/// Words that open a request to Docket: what may follow "and" as a part of its own.
pub(super) const COMMANDS: Set =
    Set("add|delete|remove|complete|mark|show|list|rename|remind|reopen|untick|uncheck|tick|erase|create|put|cross|\
         check|set|change|move|reschedule|postpone|update|finish|take|get|make|read|display|tell|give|trash|cancel|\
         clear|bin|scrap|drop|edit|close|whats|what|then|bump");

/// Commands that cannot be the first word of a title that goes on after "and".
pub(super) const SURE_COMMANDS: Set =
    Set("add|delete|remove|complete|mark|show|list|rename|remind|reopen|untick|uncheck|erase|create|reschedule|\
         postpone|tick");

/// What may stand before a request without meaning anything.
pub(super) const OPENERS: Set =
    Set("if you could|if you can|if you would|i would appreciate it if you could|id appreciate it if you could|\
         it would be great if you could|be a dear and|would you kindly|could you kindly|can you kindly|please|pls|\
         plz|hey|hi|hello|okay|ok|so|and|then|also|now|well|oh|oops|whoops|actually|alright|right|um|uh|hmm|look|\
         listen|sorry|quick|quickly|kindly|just|next|finally|first|afterwards|olly|alexa|siri|google|cortana|pda|\
         docket|assistant|computer|bot|buddy|mate|dude|robot|ai|but|plus|wait|hold on|no|nope|nah|go ahead and|\
         do me a favor and|do me a favour and|be so kind as to|i want you to|i need you to|i would like you to|\
         id like you to|i would like for you to|im asking you to|would you mind|do you mind|you can|you could|\
         you should|you may|you need to|we can|we could|we should|lets|let us|feel free to|good morning|\
         good evening|hows about|after that|yes");

/// Ways to ask for something politely; what follows is a request even where it is none that Docket knows.
pub(super) const ASKING: Set =
    Set("can you please|could you please|would you please|will you please|can you|could you|would you|will you|\
         can u|could u|can we|could we|i would like to have you|would you be able to|could you possibly|\
         can you help me|could you help me|help me to|help me|help|are you able to|i want to be able to|\
         is it possible to|would it be possible to|can you just|could you just|may you");

/// Ways to say what one wants, which lead a request only if a command follows.
pub(super) const WISHING: Set =
    Set("make sure to|be sure to|make sure you|make sure that you|please make sure to|can you make sure to|\
         i need to|i want to|i would like to|id like to|i wanna|i gotta|i have to|id love to|i wish to|can i|\
         could i|may i|let me|i should|id need to|im going to|dont forget to|do not forget to|remember to|\
         we need to|i would love to|i must|id want to|might i");

/// What may stand after a request without meaning anything.
pub(super) const CLOSERS: Set =
    Set("i would appreciate it|id appreciate it|that would be great|that would be helpful|that would be nice|\
         it would be appreciated|id be grateful|please|pls|plz|thanks|thank you|thx|ta|cheers|for me|for me please|\
         would you|will you|could you|can you|if you can|if you could|if possible|if you would|if you dont mind|ok|\
         okay|instead|as well|too|again|thanks a lot|thank you very much|many thanks|olly|alexa|pda|right away|\
         docket|then|real quick|asap please");

/// Things that are not Docket's, whatever is to be done with them.
pub(super) const FOREIGN: Set =
    Set("playlist|playlists|song|songs|music|album|albums|alarm|alarms|timer|timers|calendar|calendars|appointment|\
         appointments|event|events|contact|contacts|email|emails|mail|inbox|message|messages|sms|photo|photos|\
         picture|pictures|wifi|bluetooth|setting|settings|volume|light|lights|lamp|brightness|mode|reservation|\
         reservations|booking|bookings|cart|basket|subscription|password|passwords|meeting|meetings|phone|number|\
         language|accent|voice|speed|temperature|thermostat|podcast|podcasts|video|videos|movie|movies|file|files|\
         folder|address|card|bank|balance|pin|payment|payments|transaction|transactions|flight|flights|hotel|taxi|\
         uber|route|directions|weather|news|joke|recipe|recipes|station|channel|radio|credit|insurance|pto|\
         vacation|holiday|location|profile|username|luggage|account|order");

/// The user's own data as a whole: no tool reaches it.
pub(super) const PRIVATE: Set =
    Set("account|data|settings|history|database|profile|memory|memories|conversation|conversations|chat|chats|app|\
         system|server|user");
