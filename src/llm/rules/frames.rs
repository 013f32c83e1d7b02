//! What stands around requests, and what they are not about: openers, closers, commands, foreign things.

use super::set::{Index, Set, set};

/// Words that open a request to Docket: what may follow "and" as a part of its own.
pub(super) const COMMANDS: Index = Index::of(set("axe|append|add|bung|bump|bring|bin|chuck|call|capture|complete|\
             create|cross|check|change|cancel|clear|close|ditch|dump|discard|delay|defer|del|delete|display|drop|\
             eliminate|erase|edit|flag|forget|finish|get|gimme|give|how|include|insert|jot|junk|kill|keep|log|lose|\
             look|let|leave|label|list|mark|move|make|note|nuke|nudge|nix|open|pop|pencil|purge|push|prioritise|prioritize|\
             plonk|put|postpone|record|restore|raise|relabel|retitle|remove|rename|remind|reopen|reschedule|read|reword|rephrase|\
             stick|shove|slap|save|strike|scratch|snooze|shift|show|set|scrap|throw|toss|tick|tag|tack|take|tell|trash|then|\
             undo|unmark|uncomplete|unstrike|uncross|untick|uncheck|update|write|whack|wipe|whats|which|what|yank|yeet|zap"));

/// Commands that cannot be the first word of a title that goes on after "and".
pub(super) const SURE_COMMANDS: Set =
    set("add|delete|remove|complete|mark|show|list|rename|remind|reopen|untick|uncheck|erase|create|reschedule|\
             postpone|tick");

/// What may stand before a request without meaning anything.
pub(super) const OPENERS: Index = Index::of(set("alright so|alrighty|anyway|anyways|anyhow|as soon as you can|\
             any chance you could|any chance you can|any chance of|as a favour|additionally|as well as that|also then|\
             ah|ahh|aah|and then|and also|and|also|actually|alright|afterwards|alexa|assistant|ai|after that|\
             before that|before you do that|before we do that|before you do|before i decide|before i answer|beforehand|\
             basically|by the way|btw|bro|bruv|be a love and|be a pal and|be an angel and|be a star and|be a gem and|\
             be so good as to|besides|bugger|be a dear and|bot|buddy|but|be so kind as to|come on|come to think of it|\
             could you be a dear and|cheers|could you kindly|can you kindly|cortana|computer|do you think you could|\
             do us a favour and|do us a favor and|do me a solid and|do us a solid and|dang|darn|damn|dear docket|\
             dear assistant|docket|dude|do me a favor and|do me a favour and|do you mind|furthermore|for me|finally|\
             first|feel free to|forgot to say|forgot to say that|forgot to mention|forgot to mention that|forgot to tell you|\
             forgot to tell you that|go on then|go on|good afternoon|gosh|guess we can|google|go ahead and|good morning|\
             good evening|hang on|hang on a sec|hold up|hiya|heya|howdy|honestly|hm|hey there|hi there|hello there|\
             heads up|how about you|hey|hi|hello|hmm|hold on|hows about|if its not too much trouble|\
             if it isnt too much trouble|if you dont mind|if thats ok|if thats okay|if possible|in the meantime|\
             i forgot to say|i forgot to say that|i forgot to mention|i forgot to mention that|i forgot to tell you|\
             i forgot to tell you that|i meant to say|i meant to tell you|i should have said|i shouldve said|\
             i was wondering if you could|i was hoping you could|i wonder if you could|i was wondering if you can|\
             is it ok to|is it okay if you|in that case|i need your help to|i need help to|\
             id appreciate it if you could|id appreciate it if you would|i would be grateful if you could|\
             id be grateful if you could|id be grateful if you would|i would be grateful if you would|\
             id be so grateful if you could|id be delighted if you could|id be obliged if you would|id be obliged if you could|\
             id be very grateful if you could|id be very grateful if you would|id be happy if you could|it would be lovely if you could|itd be great if you could|\
             itd be good if you could|id love for you to|id love it if you could|i need for you to|i require you to|\
             i beg you to|ill need you to|i will need you to|im gonna need you to|im going to need you to|its time to|\
             i guess you can|i think you can|i suppose you can|i reckon you can|i think you should|if you could|\
             if you can|if you would|i would appreciate it if you could|it would be great if you could|i want you to|\
             it turns out that|it turns out|i need you to|i would like you to|id like you to|i would like for you to|im asking you to|just|kindly|\
             lastly|look|listen|lets|let us|meanwhile|moreover|meant to say|meant to tell you|mate|now|next|no|no matter what|nope|nah|okay so|ok so|one sec|oh and|\
             on second thought|on second thoughts|on reflection|\
             only|on top of that|oh yeah|oh yes|oh wait|oh hey|oh right|ooh|okay|ok|oh|oops|olly|ps|please|pls|plz|pda|\
             plus|quick|quickly|right then|right so|righto|right ok|real quick|real talk|right|robot|\
             secondly|so then|suppose you|so|sorry|siri|think you could|thanks|thank you|ta|thirdly|then also|time to|\
             then|turns out that|turns out|um|uh|whatever you do|whatever happens|when you get a chance|when you have a moment|when you get a moment|when you can|\
             whenever you can|wonder if you could|would it be okay to|would it be ok to|would it be all right to|\
             would you mind awfully|would be great if you could|would you be so kind as to|would you be so kind and|\
             why dont you|why not|would you kindly|well|whoops|wait|would you mind|we can|we could|we should|\
             you know what|yo|yeah|yep|yup|your job is to|your task is to|you better|youd better|you might|you must|\
             you have to|you gotta|you are to|youre to|you can|you could|you should|you may|you need to|yes"));

/// Ways to ask for something politely; what follows is a request even where it is none that Docket knows.
pub(super) const ASKING: Index = Index::of(set("any way you could|any way you can|are you able to please|\
             are you able to|could i get you to|can i get you to|could i ask you to|can i ask you to|\
             can i trouble you to|could i trouble you to|can ya|could ya|can you please|could you please|can you|\
             could you|can u|could u|can we|could we|could you possibly|can you help me|could you help me|\
             can you just|could you just|do you think you can|help me to|help me|help|is there any way you could|\
             is there any way you can|is there a way you could|is there any chance you could|\
             is it possible for you to|i would like to have you|i want to be able to|is it possible to|might you|\
             may i ask you to|may you|reckon you could|reckon you can|think you can|would you be willing to|\
             would it be possible for you to|would you please|will you please|would you|will you|would you be able to|\
             would it be possible to|you think you could"));

/// Ways to say what one wants, which lead a request only if a command follows.
pub(super) const WISHING: Index = Index::of(set("be sure to|could we|can we|can you make sure to|can i|could i|\
             dont forget to|do not forget to|i mustnt forget to|i must not forget to|im trying to|i am trying to|\
             i am going to|id rather|id like you to|i feel like i should|i think i should|i think i need to|\
             i think ill|ill|i will|i had better|id better|i better|id prefer to|i ought to|i just want to|\
             i just need to|i just wanted to|i wanted to|i was going to|i was about to|i came here to|im here to|\
             im looking to|i am looking to|i need to|i want to|i would like to|id like to|i wanna|i gotta|i have to|\
             id love to|i wish to|i should|id need to|im going to|i would love to|i must|id want to|lets just|let me|\
             make certain to|make sure to|make sure you|make sure that you|may i|might i|need to|please make sure to|\
             remember to|trying to|we better|wed better|we have to|we must|we want to|wed like to|want to|we need to"));

/// What may stand after a request without meaning anything.
pub(super) const CLOSERS: Set = set(
    "thanks a million|thanks a bunch|thanks so much|thank you so much|thanks a ton|thanks loads|thanks very much|\
             thanks heaps|thanks again|thanks a lot mate|thanks ever so much|\
             again|also|lol|haha|thank u|thanks in advance|thank you in advance|thanks mate|cheers mate|ta love|ta very much|\
             much appreciated|appreciate it|i appreciate it|when you get a chance|when you get a moment|\
             when you have a moment|when you have a sec|when you get a sec|when you have time|whenever you can|\
             whenever you get a chance|if thats ok|if thats okay|if thats alright|if its not too much trouble|\
             if it isnt too much trouble|if its no trouble|if you would be so kind|if you wouldnt mind|\
             while youre at it|while you are at it|for us|for me thanks|for me mate|would ya|will ya|could ya|\
             wont you|cant you|yeah|innit|tho|though|or whatever|and thats it|and thats all|thats all|thats it|\
             thats everything|i think|i guess|i suppose|i reckon|i believe|now please|right now|right now please|\
             straight away|this instant|real quick please|pretty please|please and thank you|please and thanks|kindly|\
             thats a good bot|theres a dear|theres a good chap|once more|one more time|before i forget|\
             so i dont forget|so i wont forget|so that i dont forget|lest i forget|just in case|by the way|btw|\
             honestly|actually|anyway|or else|yet again|that would be lovely|thatd be great|thatd be lovely|\
             that would be good|that would be fab|thatd be fab|would be great|is what i need|is what i want|\
             if it isnt too late|ok thanks|okay thanks|alright thanks|got it|you hear|hear me|understood|capisce|\
             i would appreciate it|id appreciate it|that would be great|that would be helpful|that would be nice|\
             it would be appreciated|id be grateful|please|pls|plz|thanks|thank you|thx|ta|cheers|for me|\
             for me please|would you|will you|could you|can you|if you can|if you could|if possible|if you would|\
             if you dont mind|ok|okay|instead|as well|too|thanks a lot|thank you very much|many thanks|olly|alexa|pda|\
             right away|docket|then|real quick|asap please",
);

/// Things that are not Docket's, whatever is to be done with them.
pub(super) const FOREIGN: Index = Index::of(set("album|albums|alarm|alarms|appointment|appointments|accent|address|\
             account|bluetooth|brightness|booking|bookings|basket|bank|balance|calendar|calendars|contact|contacts|\
             cart|card|channel|credit|directions|event|events|email|emails|file|files|folder|flight|flights|hotel|\
             holiday|inbox|insurance|joke|light|lights|lamp|language|location|luggage|music|mail|message|messages|\
             mode|meeting|meetings|movie|movies|number|news|order|playlist|playlists|photo|photos|picture|pictures|\
             password|passwords|phone|podcast|podcasts|pin|payment|payments|pto|profile|reservation|reservations|\
             route|recipe|recipes|radio|song|songs|sms|setting|settings|subscription|speed|station|timer|timers|\
             temperature|thermostat|transaction|transactions|taxi|uber|username|volume|voice|video|videos|vacation|\
             wifi|weather"));

/// The user's own data as a whole: no tool reaches it.
pub(super) const PRIVATE: Set =
    set("account|data|settings|history|database|profile|memory|memories|conversation|conversations|chat|chats|app|\
             system|server|user");

/// What a request is addressed to, where a mark divides it from the rest.
pub(super) const CALLED: Index = Index::of(set("assistant|alright|asap|at once|bro|buddy|boss|bot|bruv|chief|\
             computer|champ|dude|darling|dear|eh|friend|google|honey|immediately|love|lovely|man|mate|my friend|\
             or something|or so|ok|okay|pal|please|quick|quickly|robot|right|siri|sweetheart|sweetie|sweet|thanks|you know|you know the one|you know what i mean|\
             you know which|you know the ones|yknow|yeah"));

/// What else may open a request where a mark divides it from the rest.
pub(super) const DIVIDED: Index = Index::of(set("alright|at once|asap|afternoon|awesome|amazing|another thing|\
             apologies|bother|brilliant|bad news|cool|crap|eh|evening|excellent|excuse me|fab|fair enough|final thing|\
             fine|great|good lord|good|good news|goodness|good grief|geez|gee|god|heads up|hmm|immediately|jeez|\
             lovely|last thing|let me see|lets see|let me think|morning|my bad|my mistake|mea culpa|my goodness|nice|\
             no worries|no problem|or something|or so|ok then|one more thing|oh dear|oh no|oh my|oh god|perfect|\
             pardon|pardon me|quick|quickly|quick one|quick question|question|right|sure|see|say|super|sounds good|\
             sorry about that|silly me|thanks for that|thanks so much|thank you so much|well|wonderful|whatever|wow"));
