//! The grammar: patterns of clauses, tried from top to bottom; the first that fits tells the intent.

use super::pattern::{Captures, fit};
use super::words::Word;

/// What a clause asks for. The captures of its pattern are `x` (a task, or a new title), `y` (a new value), `d` (a date).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Add,
    /// Add unless it is there already.
    AddIfAbsent,
    /// A reminder or task without anything to be reminded of.
    AddNothing,
    Complete,
    Reopen,
    Delete,
    /// A wish not to have something, which deletes only if a task fits.
    Unneeded,
    Rename,
    /// `x` to `y`, which may be a date, a priority or a title.
    Change,
    Due,
    NoDue,
    Priority,
    Describe,
    Get,
    NewList,
    /// A field of a task is to change, but not to what.
    EditWhat,
}

/// The table. Longer and more telling patterns first.
const GRAMMAR: &[(Rule, &[&str])] = &[
    (Rule::AddNothing, &[
        "remind me", "@make? @a? @new? TASK @again?", "@add @a? @new? TASK @in? LIST?", "@add @in LIST", "i need|want @a @new? TASK", "@add something|anything|stuff|things|it|this|that @again? @in? LIST? @intro?",
        "set|put|make|create @a TASK up", "i|you have @a TASK set up", "have @a TASK set up", "@add @it @a? TASK|one also? @in? LIST?", "@add something @in LIST", "@add @a? few TASKS @in LIST", "new TASK", "remind me of|about something|it|this|that|stuff", "@make @a TASK for me",
        "i would like|love @a @new? TASK", "@make @a TASK of|for something|this|that", "@make @a? TASK @intro @it", "@add @it @in LIST", "remind me later", "@add @a TASK also", "set @a TASK at|for|on *d", "TASK @again?",
    ]),
    (Rule::NewList, &[
        "create|make|start|begin|open|set|build|generate @a? @new? LIST", "create|make|start|begin|build|add @a? @new LIST @intro? *x", "create|make|start|build|generate LIST @intro *x", "i need|want a new LIST", "set up @a? @new? LIST", "new LIST",
    ]),
    (Rule::AddIfAbsent, &[
        "@add *x @in LIST if|unless @it? @existing", "@add *x if|unless @it? @existing @in? LIST?", "if *x is not|isnt @in LIST @again? @willyou? @add @it @in? LIST? there?", "im not sure if|whether *x is|are @in LIST but? if @it? @existing @willyou? @willyou? @add @it @in? there|LIST?",
        "if *x isnt|arent @in LIST @willyou? @willyou? @add @it @in? LIST?", "unless *x is|are already? @in LIST @willyou? @add @it", "make|be sure *x is|are @in LIST if|unless @it? @existing", "if @it? @existing @in? LIST? @add *x", "is *x @in LIST if @it? @existing @willyou? @willyou? @add @it @in? LIST?",
        "if i dont have *x @in LIST @willyou? @willyou? @add @it @in? LIST?", "if there is|are no *x @in LIST @willyou? @willyou? @add @it @in? LIST?",
    ]),
    (Rule::Describe, &[
        "add|attach|put|leave|write @a? @note to|on|for *x saying|that|which|to : *y", "add|attach|put|leave|write @a? @note saying|that|says|reading *y to|on|for *x", "set|change|update|edit|make the? @note of|for|on *x to|as *y", "set|change|update *x @note to *y", "add|attach|put|leave|write @a? @note to|on|for *x saying|that|which|reading *y",
        "add|attach|put|leave|write @a? @note to|on|for *x : *y", "add *y to the? @note of|for|on *x", "add *y as @a @note to|on|for *x", "describe *x as *y", "@note for|on|to *x : *y", "note on|for *x that|saying *y", "give *x the|a @note *y", "give *x the|a @note of|saying *y", "the @note of|for *x should be|say|read *y",
    ]),
    (Rule::NoDue, &[
        "@delete the? @due of|from|for|on *x", "@delete *x @due", "*x has no @due anymore?", "*x has no @due", "make|set *x no|without date|deadline", "set *x to no|none date|deadline?", "unschedule *x", "take the @due off *x",
    ]),
    (Rule::Priority, &[
        "set|change|update|make|raise|lower|increase|decrease|bump|put|drop|reduce|up the? @priority of|for|on *x to|as|at? @into? *y", "set|change|update|raise|lower|bump *x @priority to|as *y", "make *x a? *p @priority", "make *x *p", "mark|flag|set|tag|treat *x as? *p @priority?", "*x is|are|has *p @priority @again?", "*x is|are now *p", "*x is|are *p",
        "bump|raise|lower|move|drop|set|change|put|increase|push|elevate|mark|upgrade|downgrade *x up|down? to|at|as|on a? *p @priority?", "give *x a? *p @priority", "give *x @priority *y", "prioritise|prioritize *x", "deprioritise|deprioritize *x", "assign a? *p @priority to *x", "assign *p to *x", "put *p @priority on *x", "*x should be|have *p @priority?", "*x needs to be *p @priority?", "the? @priority of|for *x is|should be? *y", "@delete the? @priority of|from|for *x",
    ]),
    (Rule::Due, &[
        "set|change|update|move|make|put|push|edit the? @due of|for|on *x @until *d", "give *x a|the @due of|for|on *d", "give *x a|the @due *d", "set|put|add a|the? @due of|for *d for|on|to *x", "set|put|add a|the @due *d for|on|to *x", "set|change|update|make|mark *x @until *d", "@move *x @until *d", "*x @isdue *d", "set|change *x @due to? *d", "@resched *x *d", "change|move|update when *x is due to *d",
        "the? @due of|for *x is|should *d", "the? @due of|for *x should be *d", "set|add a|the @due to|on|for *x of|for|to|on? *d", "@move *x *d", "make *x due *d",
    ]),
    (Rule::Rename, &[
        "@change the? @title of|for|on *x @into *y", "give *x a|the new? @title of|: *y", "give *x a|the new? @title *y", "@change *x @title @into *y", "edit|change|update|correct|fix *x : it|that @reads *y", "edit|change|update|correct|fix *x so|and it|that? reads|says|read|say *y", "@change *x so it|that reads|says *y", "@change *x @into : *y", "rename|retitle|reword|rephrase *x @into *y", "rename|retitle *x : *y",
        "call|name *x *y instead", "*x @reads *y", "*x should be @title *y", "make *x say|read *y", "@rename the? @title of *x @into *y",
    ]),
    (Rule::Reopen, &[
        "mark|set|flag|put|change|move|turn|switch|make *x back? @as? back? @undone @again?", "set|put|move|change|switch|bring|turn|mark *x back @as? @undone?", "@reopen *x", "*x isnt|arent|is|are|was|wasnt @undone @again?", "*x isnt|arent|wasnt @done @again?", "*x isnt|arent|wasnt actually|really @done @again?", "@move *x back @in LIST", "put *x back @in LIST", "*x needs doing again", "*x is not actually? @done @again?",
        "i didnt *x", "i didnt actually|really *x", "i havent actually|really @done? *x", "open *x again|back", "open *x back up", "i need to do *x again|over",
    ]),
    (Rule::Complete, &[
        "@mark *x @as @done @again?", "@mark *x @done @again?", "@crossed *x off|out @from? LIST? @as? @done?", "@crossed *x @from LIST @as? @done?", "@crossed *x off|out", "@complete *x @from LIST @as? @done?", "@complete *x @as @done", "@complete *x", "@donewith *x @from LIST", "@donewith *x", "i|we|ive|weve @finished *x which is the? *l @from LIST", "i|we @finished *x @from LIST", "i|we @finished *x", "@finished *x",
        "*x @be @done @again?", "*x @done @again?", "finished : *x @be @done", "*x gets? checked|ticked off", "@mark @done *x", "thats *x @done", "thats|that *x done", "cross|scratch|strike|check|tick *x", "mark *x", "you can|may? @complete *x", "i @be @done with *x",
    ]),
    (Rule::Change, &["replace *x with *y", "swap *x for|with *y", "@change *x @into *y"]),
    (Rule::Delete, &[
        "@delete *x @from LIST @again?", "@take *x @away LIST @again?", "@takeoff *x @from LIST", "@delete *x anymore?", "@takeoff *x", "@take *x off|out", "*x can|should|could go|goes", "*x can|should|must|needs be|to @delete|deleted|removed|go|erased|binned", "*x needs deleting|removing", "@take *x @away @it", "i need|want|would|like *x deleted|removed|gone|erased|off @from? LIST?",
        "delete", "remove",
    ]),
    (Rule::Unneeded, &["@noneed *x @from LIST anymore?|again?", "@noneed *x on LIST anymore", "@noneed *x anymore", "@noneed *x", "*x is|are no longer needed|necessary|required", "*x isnt|arent needed anymore?"]),
    (Rule::Add, &[
        "remind me *d to|that *x", "remind me @rintro *x", "remind me @rintro? *x", "set|make|create|schedule|add @a? @new? TASK @in LIST @intro *x", "@make @a? @new? TASK *d @intro *x", "@make @a? @new? TASK @intro? : *x", "@make @a? @new? TASK @intro *x @in LIST", "@make @a? @new? TASK @intro *x", "@make @a? @new? TASK *x @in LIST", "@make @a? @new? TASK *x", "i need|want|would like|could use @a TASK @intro *x", "i need|want TASK @intro *x",
        "i need|have|want *x so @willyou? @add @it @in LIST", "i need|have|want to *x so @willyou? @add @it @in LIST", "im|we|i|were out of *x so @willyou? @add @it @in LIST", "@add @in LIST : *x", "@add @in LIST *x", "@add TASKS @in LIST : *x", "@add @a? new? TASKS : *x", "@add @a? TASKS *x @in LIST", "@add @a? @new? TASK *x @in LIST", "@add *x as @a? @new? TASK @in? LIST?", "@add *x @in LIST also|too?", "@add *x @in LIST @because *z", "@add *x to|on|in TASKS",
        "new|another TASK|TASKS @intro? : *x", "new|another TASK @intro? *x", "TASK|TASKS : *x", "need|must go|get? to? *x : add this TASK", "dont|never let me forget @rintro *x", "dont|never let me forget *x", "dont forget @rintro *x", "make a note @rintro|of *x", "remember @rintro *x", "i need you to remember @rintro? *x", "i need|have|want|must|should|ought to? remember @rintro *x", "make|be sure *x is|are|gets|get @in LIST", "make|be sure *x is|are|gets|get added|put @in LIST",
        "make|be sure i remember to *x", "make|be sure to remind me to *x", "make sure i *x", "i need|want|would like *x @in LIST", "i need|want *x added|put @in LIST", "*x needs to be|go @in LIST", "*x needs|need to? be? added|put @in LIST", "*x should|must be @in LIST", "LIST needs|should *x", "*x i need|want|have to be reminded of|about", "tell me later? to *x later?", "get me to *x", "nudge|ping|alert|notify me @rintro *x", "i want|need|would|like to be reminded @rintro|of *x", "*x @willyou? @add @it @in LIST", "*x @add @it @in LIST", "i am|im out of *x", "@plainadd *x", "@add *x @in LIST", "schedule *x", "create|make : *x",
    ]),
    (Rule::Get, &[
        "@show @details @of *x", "give|tell|show|get|send|fetch|read me? @details @of *x", "@details @of *x", "@show the? description|note|notes|priority|status|due|deadline|date|details @of *x", "show|display|open|view *x in full|detail|details", "when is|are|was|did|do *x due", "when is|are *x", "how urgent|important|big|late is *x", "when do|must|should i have? to? *x", "tell me? more? about *x", "what exactly? is|was|does|were|are *x about", "what exactly? is|was|does *x say", "what exactly? is|was *x",
        "has *x got a|the|any @due|@note", "has|does *x got|have a|any @due", "is *x done|finished|completed|complete|overdue|due", "have i done|finished|completed *x", "did i finish|complete|do *x", "whats|what in|is *x about", "whats in *x", "what is in *x", "what|which is|does *x say", "what date|day|time|priority is *x due?", "@show *x details", "@show *x", "*x details",
    ]),
    (Rule::EditWhat, &["@rename *x", "@change *x", "@resched *x", "@move *x", "edit", "rename", "change *x"]),
];

/// The first rule that fits a clause and passes `accept`, which may look at what was captured.
pub(super) fn read(clause: &[Word], accept: impl Fn(Rule, &Captures) -> bool) -> Option<(Rule, Captures)> {
    for (rule, patterns) in GRAMMAR {
        for pattern in *patterns {
            if let Some(captures) = fit(pattern, clause)
                && accept(*rule, &captures)
            {
                return Some((*rule, captures));
            }
        }
    }
    None
}
