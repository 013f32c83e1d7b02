//! The words of the grammar: sets of phrases by name, in lower case and without apostrophes as the cut words are.

use super::set::{Set, set};

/// The classes of the grammar, by name.
pub(super) const CLASSES: &[(&str, Set)] = &[
    (
        "a",
        set("a couple of|a few|a|an|another|any|it as a|myself a|my|me a|me an|one more|one|some|the|this|this as a|\
         us a|us an|yourself a"),
    ),
    (
        "new",
        set("additional|brand new|cheeky|daily|extra|friendly|fresh|gentle|high priority|important|little|\
         low priority|monthly|medium priority|new|quick|repeating|recurring|short|separate|small|simple|single|urgent|\
         wee|weekly|yearly"),
    ),
    (
        "add",
        set("add on|add in|add|append|bung|bung in|bung down|bung on|chuck in|chuck down|chuck on|chuck|capture|\
         drop in|drop|enter|file|fire in|include|insert|jot down|jot|key in|list down|log|lob on|lob|mark down|note|note down|pop in|\
         pop down|pop on|put in|put on|plonk|park|pencil in|put down|put|pop|place|register|record|shove|stuff|\
         scribble down|scribble|slip in|sling|slot in|squeeze in|stick in|stick down|stick on|stick|save|slap|type in|tack on|tack|throw in|\
         throw on|throw|whack|whack on|write down|write in|write"),
    ),
    (
        "plainadd",
        set("add on|add in|add|append|bung down|insert|include|jot me down|jot down|jot|mark down|\
         note that down|note down|put in|pop down|pop in|pencil in|put down|scribble down|stick down|write down"),
    ),
    (
        "make",
        set(
            "add|bung|build|chuck|create|draw up|enter|generate|give me|give|jot|log|make|note|pop in|pop|plan|put in|\
             put|record|stick in|stick|set up|set|schedule|start|save|throw",
        ),
    ),
    (
        "intro",
        set("about how i need to|about needing to|about|called|entitled|for me its to|for me its|for me it is to|\
         for me called|for me named|for me namely|for me titled|for me saying|for me that says|for me which says|\
         for me that i need to|for me that i have to|for me to|for me about|for me|for|its to|it is to|\
         in case i forget to|in order to|i need to|i have to|i should|i must|just|labelled|labeled|named|namely|of|\
         reading|reminding me to|regarding|so i wont forget to|so i wont forget about|so i wont forget|simply|\
         so i dont forget to|so i dont forget about|so that i dont forget to|so i dont forget|so that i dont forget|\
         so i remember to|so that i remember to|so i can|saying to|saying|thats to|telling me i need to|\
         telling me about|that tells me to|that i gotta|that i have got to|that ive got to|that i need to|\
         that i have to|that i should|that i must|to remind me to|to remind me about|telling me to|that says to|\
         that says|titled|to say|that reads|that i|that|to|which is|which is to|where i have to|where i need to|\
         which says|with the title|with title|which reads"),
    ),
    (
        "rintro",
        set("again to|also to|about|for me that i should|for me that i need to|for me that i have to|for me that|\
         for me to|for me|for|i must|ive got to|i am meant to|im meant to|im supposed to|its time to|i need to|\
         i have to|i should|later to|of|please to|so i|that i should really|that i must|that ive to|that im meant to|\
         that im supposed to|that i am supposed to|that it is time to|that its time to|that i need to|that i have to|\
         that i should|that ive got to|that|to|when its time to"),
    ),
    (
        "in",
        set("along to|alongside|at the top of|at the end of|at the bottom of|down on|down in|down onto|\
         down under|for|in to|in with|in|into|over to|on to|on|onto|right on|towards|to|to the top of|to the end of|\
         up on|under|with|within"),
    ),
    (
        "from",
        set("away from|from|from off|in|off from|outta|off of|outside of|off|out of|on|out from|of|right off|\
         straight off"),
    ),
    (
        "complete",
        set("check the box next to|check the box by|chalk off|cross through|checkmark|complete|check off|close out|\
         close off|close|conclude|check as done|cross off|cross out|check the box for|check the box|\
         draw a line through|draw a line under|finish off|finish up|finish|finalise|finalize|give a tick to|\
         mark off as done|mark off|mark done|mark completed|mark complete|mark as done|mark as completed|\
         mark as complete|mark as finished|put a tick next to|put a tick beside|put a tick by|put a tick against|\
         put a tick on|put a check next to|put a check by|put a check mark by|put a checkmark next to|\
         put a cross through|put a line through|pop a tick next to|resolve|stick a tick next to|sign off on|sign off|\
         scratch off|strike off|strike out|set as done|set done|tick the box by|tick the box next to|\
         tick the box beside|tick me off|tick us off|tick off|tick|tick the box for|tick the box|wrap up"),
    ),
    ("crossed", set("chalk|check me|check|cross|mark|strike through|scratch|strike|tick me|tick")),
    (
        "mark",
        set("chalk up|classify|check|count|consider|change|file|flag|jot down|log|list|label|mark|make|move|note|\
         put down|put|record|register|set|show|tick|tag|turn|treat|update"),
    ),
    (
        "as",
        set("as all|as now|as fully|as being|as|back as|back to|down as being|down as|into|over to|off as|off|\
         status to|status as|to|to be"),
    ),
    (
        "done",
        set("100 done|all sorted|all finished|all completed|all complete|all wrapped up|a done deal|all done|\
         accomplished|achieved|behind me|bought|cleared|completely done|completed|complete|checked off|closed|checked|\
         crossed off|done and dusted|dusted|done now|done already|done at last|done|dealt with|finito|fully done|\
         finally done|finished|fixed|finalised|finalized|handled|in the bag|knocked out|knocked off|nailed|now done|\
         over and done|out the way|over and done with|over with|out of the way|over|put to bed|purchased|paid|resolved|\
         squared away|sorted out|signed off|sorted|ticked|totally done|ticked off|taken care of|wrapped up"),
    ),
    (
        "finished",
        set("already finished|already did|already completed|already done|am done with|am finished with|blitzed|\
         cracked through|completed|did|dealt with|finally got round to|finally got around to|finally finished|\
         finally did|finally completed|finished with|finished up|finished|got round to|got around to|got through|\
         got done with|have got through|have polished off|have knocked out|have knocked off|have smashed|\
         have wrapped up|have just sorted|have sorted out|have now done|have gone and done|have knocked over|\
         have finished|have completed|have done|have already finished|have already done|have already completed|\
         have just finished|have just done|have just completed|have sorted|have taken care of|have dealt with|\
         ive polished off|ive knocked out|ive knocked off|ive smashed|ive got around to|ive got round to|\
         ive wrapped up|ive just sorted|ive sorted out|ive now done|ive now finished|ive gone and done|\
         ive been and done|ive ticked off|ive managed to finish|ive managed to do|ive already sorted|ive finished|\
         ive completed|ive done|ive already finished|ive already done|ive already completed|ive just finished|\
         ive just done|ive just completed|ive finally finished|ive finally done|ive sorted|im done with|\
         im finished with|ive taken care of|ive dealt with|just knocked out|just sorted|just completed|just finished|\
         just did|just wrapped up|knocked out|knocked off|managed to get through|managed to do|managed to finish|\
         managed to complete|managed|nailed|polished off|smashed out|sorted out|sorted|ticked off|took care of|went and did|\
         whipped through|was able to finish|was able to complete|wrapped up"),
    ),
    (
        "donewith",
        set("all through with|all done with|all finished with|completely done with|done and finished with|done with|\
         done and dusted with|done|finito with|finally done with|finished with|im finito with|im through with|\
         im finally done with|im now done with|im finished|i am finished|im done|i am done|im all done with|\
         im done with|i am done with|im finished with|i am finished with|over and done with|through with|\
         thats me done with|thats me finished with|well thats me done with"),
    ),
    (
        "reopen",
        set("bring back|mark as not done|mark as pending|mark as incomplete|mark as undone|put back on|revive|\
         resurrect|re-activate|re-do|reopen|reactivate|restore|unstrike|un-mark|un-cross|uncross|un-complete|un-check|\
         un-finish|unresolve|unclose|untick off|uncheck|untick|unmark|uncomplete|unfinish|undo completing|\
         undo that completion of|undo the completion of|undo the completing of|undo completion of|undo|un-tick"),
    ),
    (
        "undone",
        set(
            "active|incomplete|in progress|left to do|not done after all|not actually done|not yet done|needing doing|\
             not done yet|not done|not finished|not completed|not complete|not started|ongoing|open again|open|\
             outstanding|pending|still to do|still not done|still undone|still pending|still open|still todo|\
             to be done|todo|to do|undone|unfinished|uncompleted|unchecked",
        ),
    ),
    (
        "delete",
        set("annihilate|ax|axe|bin off|banish|bin out|bin|cull|clear out|clear off|clear away|clear|cancel|chuck out|\
         delist|do away with|dispense with|ditch off|delete off|del|delete|discard|drop|dump|ditch|dismiss|delete out|\
         eradicate|erase off|empty out|erase|eliminate|exclude|expunge|empty|forget about|forget|get rid of|\
         get rid off|get shot of|jettison|junk|knock on the head|kill|lose|nuke|nix|obliterate|omit|purge|rid me of|remove off|\
         remove|rub out|sack off|scratch out|strike from the record|scrap|strip|take off of|trash|throw out|throw away|\
         toss out|take away|vaporise|vaporize|wipe out|wipe off|wipe|yank out|yank|yeet|zap"),
    ),
    ("plaindelete", set("axe|bin|ditch|delete|discard|erase|get rid of|junk|nuke|purge|remove|scrap|trash|yeet|zap")),
    ("takeoff", set("drop off|knock off|lift off|pull down|pull off|take off|take out|take down|whip off")),
    (
        "take",
        set("boot|bump|chuck|cut|clear|drop|ditch|delete|get rid of|get|knock|kick|keep|lift|lose|leave|move|nuke|\
         pull|remove|rub|scratch|scrub|strip|toss|take|whip|wipe|want|yank|yeet|zap"),
    ),
    ("away", set("away from|clean off|from|off from|outta|off of|off|out of|out from|out|right off|straight off")),
    (
        "noneed",
        set("dont want|dont bother with|dont need to do|dont need|forget doing|forget about|i wont be needing|\
         i wont bother with|im not bothering with|i couldnt be bothered with|i cant be bothered with|i dont fancy|\
         ive gone off|i have gone off|ive gone off the idea of|im no longer doing|im no longer going to|im not doing|\
         i am not doing|im over|im skipping|i am skipping|ive decided against|i decided not to|ive decided not to|\
         im scrapping|i cancelled|ive cancelled|i called off|ive ditched|i dont have to do|i dont actually need|\
         i dont actually need to|i dont really need|i neednt|i dont need to be reminded to|\
         i dont need to be reminded about|i no longer need to be reminded to|i no longer need to be reminded about|\
         i no longer need a reminder to|i no longer need a reminder for|i dont need a reminder to|\
         i dont need a reminder for|i dont need|i dont want|i do not need|i do not want|i no longer need|\
         i no longer want|i dont need to do|i no longer have to do|i dont have to|i dont need to|i no longer have to|\
         i no longer need to|i wont need|i changed my mind about|ive changed my mind about|\
         i have changed my mind about|i decided against|i dont want to|i dont plan to|i wont be|im not going to|\
         i am not going to|not bothering with|no point in|no longer any need to|no longer any need for|no need to do|\
         no longer doing|not doing|no longer want|no longer wanting|never mind the|nevermind the|no longer need|\
         no need for|no need to|never mind about|nevermind about|scratch that i need|theres no point in|\
         theres no need to|theres no need for|theres no longer any need to|theres no longer a need to|\
         we wont be needing|we are no longer|we arent doing|were not doing|we are not doing|were no longer doing|\
         were skipping|we decided against|weve decided against|we decided not to|we cancelled|weve cancelled|\
         weve called off|we called off|we dont have to|we dont need to|we dont need|we no longer need|\
         we no longer want|we do not need|we dont want|we wont need|we are not"),
    ),
    ("rename", set("call|name|relabel|re-title|retype|re-name|rebrand|rechristen|rename|retitle|reword|rephrase")),
    (
        "change",
        set("alter|amend|adjust|adapt|change|correct|edit|fix|modify|make|reword|rephrase|rewrite|revise|replace|\
         switch|set|tweak|turn|update"),
    ),
    ("title", set("caption|description text|heading|label|name|phrasing|spelling|title|text|wording")),
    (
        "into",
        set("from now on to|instead of that to|into|instead to|so its|so it is|so that its|saying|so that it|\
         so it reads|so it says|so that it reads|so that it says|should be|to now say|to now read|to being|to just|\
         to simply|to something like|to instead say|to say|to read|to be|to"),
    ),
    (
        "due",
        set(
            "completion date|closing date|cutoff date|cutoff|cut-off|cut off|date its due|due by|date and time|due date|due time|deadline|date|due|due day|due on|\
         end date|finish date|final date|last date|last day|reminder|schedule|submission date|target date|timing|time|when its due",
        ),
    ),
    (
        "move",
        set("advance|bump back|bump out|bump up|bring up|bring back|bring forward|bump|carry over|carry|change|delay|\
         defer|extend|make|move back|move up|move|nudge|pull forward|pull up|pull in|postpone|push back|push out|push|\
         put off|roll over|rebook|reset|reschedule|shove|shove back|switch|switch over|shift|set|schedule|snooze|update"),
    ),
    (
        "resched",
        set("bump|bump back|bring forward|delay|defer|hold off on|hold off|knock back|kick back|move back|move out|\
         nudge|postpone|push back|push out|push|put off|rearrange|rejig|reschedule|snooze|shift"),
    ),
    (
        "until",
        set("as being due|along to|as late as|as due|at|ahead to|back until|back till|by|back to|due|due on|due by|\
         forward till|forward until|from then to|for about|for|forward to|it should be|is due|out until|on to|\
         over until|on|over to|out to|round to|so its on|so that its due|so its for|so its by|so it is due|so its due|\
         to have it due|through to|to happen on|to|till|to be due|until|up to"),
    ),
    (
        "isdue",
        set("are due|can wait until|can wait till|could wait until|could wait till|can be moved to|can move to|\
         can be pushed to|due|got moved to|got pushed to|gets due|got postponed to|has to go by|has to be in by|\
         has to be sorted by|has to be done before|has to be done on|has to happen by|has moved to|has been moved to|\
         has been pushed to|has been put back to|has been brought forward to|has been postponed to|\
         has been postponed until|has to be done by|has to be finished by|is now for|is now on|is now at|\
         is actually due|is actually due on|is actually due by|is really due|isnt due till|is not due till|\
         is to be done by|is wanted by|is needed by|is going to be due|is meant to be due|is postponed to|\
         is postponed until|is delayed until|is due by|is due on|is due at|is due|is now due on|is now due|is for|\
         isnt due until|is not due until|is on|must go by|moved to|must be done by|needs to go by|needs to go on|\
         needs to go out by|needs to be in by|needs to be finished by|needs to be sorted by|needs finishing by|\
         needs sorting by|needs doing on|needs doing before|needs to be done before|needs to be ready by|\
         needs to happen by|needs to happen on|needs to move to|needs moving to|needs to be moved to|needs pushing to|\
         needs to be done by|needs doing by|now due|needs to be done on|should be by|should now be|should be due on|\
         should be due by|should be moved to|should move to|should be done by|should be due|should be done on|\
         should be on|was moved to|was pushed to|was brought forward to|will be due|will be due on|wants doing by|\
         wants to be done by"),
    ),
    ("priority", set("importance|prio|priority setting|priority ranking|priority|priority level|urgency")),
    (
        "note",
        set("comment|description|detail|details|extra note|extra info|extra detail|info|little note|memo|note|notes|\
         quick note|remark|short note"),
    ),
    (
        "show",
        set("brief me on|bring up|can i see|check on|check out|check|display|describe|details for|details of|\
         details on|details about|details|explain|expand|flash up|fill me in on|fetch me|fetch|find me|find|give us|\
         gimme|get me|give me|get|go to|have a look at|how about|hear|i want to look at|i want to see|id like to see|\
         i need to see|info on|info about|information on|information about|inspect|let me look at|let me hear|\
         let me view|look at|look up|let me see|locate|more about|more on|more info on|open me up|open up|open|pull up|\
         print|refresh me on|refresh my memory on|refresh my memory about|run me through|run through|read me|read out|\
         read|retrieve|show me|show|see|search for|status of|talk me through|take a look at|the lowdown on|\
         tell me about|tell me more about|tell me|the details of|the details for|view|walk me through|\
         whats the story with|whats the story on|whats the deal with|whats the situation with|whats the status of|\
         what is the status of|whats happening with|whats going on with|what do we know about|whats involved in|\
         what was in|what about|whats|what is|what are|what was|what do you know about|whats up with|what were|\
         where is|wheres|zoom in on|zoom into"),
    ),
    (
        "details",
        set(
            "a rundown|all the info|all the information|all the details|all details|a summary|all info|complete details|complete info|complete information|details|\
         everything you know|everything you have|everything there is|everything|every detail|full info|full information|full details|information|\
         info|more details|more information|more info|more|particulars|specifics|the lowdown|the ins and outs|\
         the full story|the whole story|the rundown|the detail|the particulars|the works|the details|the specifics|\
         the full text|the description|the notes|the full details|the info|whatever you have|what you have|\
         what you know",
        ),
    ),
    ("of", set("about|concerning|from|for|in regard to|in|of|on|relating to|regarding|to do with|with regards to")),
    (
        "reads",
        set("is supposed to say|is meant to say|is meant to be|is supposed to be|is better as|is now called|\
         is really|is actually|is now|must say|needs to be changed to|needs to be called|needs renaming to|\
         needs to say|needs to read|ought to read|ought to say|ought to be|should be renamed to|\
         should be changed to|should be reworded to|should be named as|should be called as|should be titled as|\
         should be renamed as|should have said|should just say|should just be|should actually be|\
         should actually say|should instead be|should instead say|should be renamed|should be called|\
         should be named|should now say|should now read|should be titled|should really say|should say|should read|\
         was supposed to say|was meant to say|was meant to be|was supposed to be|would be better as|wants to say"),
    ),
    (
        "again",
        set("already|again|as well|back|for us|for now|for me|instead|mate|now|once more|please|right away|\
         straight away|somewhere|somehow|thanks|there|too|will you|would you|while youre at it|yet"),
    ),
    (
        "willyou",
        set("and|better|best|can you please|could you please|can you|could you|can we|could we|do|go ahead and|\
         i d like you to|if you could|i think you should|id love you to|ill need you to|i need to|i want to|i should|\
         i want you to|i need you to|i would like to|id like to|just|kindly|lets|may you|might as well|please|so just|\
         so please|so go ahead and|so you can|so can you|so could you|so lets|so we can|so ill|so maybe|so would you|\
         so|then|would you mind|well|will you please|would you please|will you|would you|we should|you could|you may|\
         you should|you can"),
    ),
    (
        "it",
        set("all that|all this|all of that|all of this|both|em|each|it all|it|one|some|them all|the lot|that lot|\
         this lot|those things|these things|the thing|that TASK|this TASK|that thing|they|that|this|them|those|these|\
         that one|this one|those ones"),
    ),
    (
        "be",
        set("are finally|are officially|are now all|are basically|are totally|all|are also|are|are now|are already|\
         are all|been all|been|can be considered|got all|got|has finally been|have finally been|have all been|\
         have now been|have already been|has just been|have just been|has been|have been|has now been|\
         has already been|is finally|is officially|is well and truly|is now all|is pretty much|is basically|\
         is totally|is fully|is completely|is good and|is most definitely|is sadly|is also|is actually now|is|is now|\
         is already|is all|is actually|s|was|were"),
    ),
    (
        "existing",
        set("already on there|already there|already on it|arent on there yet|arent on there already|arent on there|\
         arent already on there|arent already on it|arent on yet|arent on it|arent on it already|are not on there|\
         are not on it|are not on there already|are not on there yet|arent in it|arent in there|are not there already|\
         are not already there|arent there already|arent already there|are not there|arent there|are not|arent|\
         isnt on there yet|isnt on there already|isnt already on there|isnt already on it|isnt on it yet|isnt on yet|\
         is not on there|is not on there already|is not on there yet|isnt on it already|isnt in it|\
         its already on there|its already there|its not on it already|its not on it yet|its not already on there|\
         its not already on it|it isnt there|it isnt there already|it isnt on there|it isnt on it|\
         it isnt already there|it isnt already on it|it isnt|i havent got it|i havent got it already|\
         i havent got it on there|i havent already got it|i dont already have it|i dont already have it on there|\
         i havent put it on already|i havent added it already|i havent added it|i havent added it yet|\
         i havent already added it|it hasnt been added|it hasnt been added already|it hasnt already been added|\
         its not been added|i havent any|i dont have any|is not there already|isnt on it|is not on it|isnt in there|its not in there|\
         is not already there|isnt already there|is not there|isnt there|is not already|isnt already|isnt on there|\
         isnt|is not|its not|its not there|its not already there|its not on there|i dont have it|i havent already|\
         i havent|its missing|it is missing|its absent|missing|not on it|not on there|not already on there|\
         not already on it|not yet on there|no one has|nobody has|not|not already there|not there|not already|\
         theyre already on there|theyre on there already|theyre already there|theyre not on it|theyre not on there|\
         theyre not already there|theyre not already on it|there is not|there isnt one|they arent|they are not|\
         theyre not|they arent there|they arent already there|there arent any|there isnt|there arent|there isnt any|there are none|there is none|theres none|\
         there arent any already|there isnt any already|there arent any on there|there isnt any on there|theres none on there|\
         theres none already|there are none on there|there are none already|theres none there|there arent any there|\
         we dont have any|we havent any|we havent got any|we dont have it"),
    ),
    (
        "want",
        set("can i have|can i get|could i have|could i get|do me|drop me|do|drop in|fix me up with|fix|file|fix me|\
         give me|get me|get|i need|i want|i would like|id like|i could use|i could do with|id love|i would love|\
         i require|i should have|i should get|ill need|ill want|ill have|im after|i am after|im going to need|\
         i am going to need|i ought to have|let me have|leave me|let me get|lets have|lets get|may i have|might i have|\
         make me|need|ping me|ping|register|send me|set me|shoot me|set me up with|sort|send|sort me|throw me|we need|\
         we want|want|wed like|write me|write"),
    ),
    (
        "mistaken",
        set("accidentally ticked|accidentally completed|accidentally marked|completed|i accidentally ticked|\
         i accidentally completed|i accidentally marked|i accidentally finished|i accidentally crossed|\
         i accidentally checked|i mistakenly ticked|i mistakenly completed|i mistakenly marked|i wrongly ticked|\
         i wrongly marked|i ticked off|i ticked|i completed|i checked off|i checked|i crossed off|i crossed|i marked|\
         i closed|i finished|ive accidentally ticked|ive accidentally completed|ive accidentally marked|\
         ive ticked off|ive ticked|ive completed|ive checked off|ive crossed off|ive crossed|ive marked|ive closed|\
         ive finished|marked|ticked"),
    ),
    ("slip", set("accidentally|by mistake|by accident|in error|mistakenly|too early|too soon|wrongly")),
    (
        "back",
        set("bring it back|open it again|put it back on|put it back|put that back|reopen it|reopen that|restore it|\
         undo it|undo that|un-tick it|uncheck it|untick it|unmark it"),
    ),
    (
        "duty",
        set(
            "a TASK|a TASK to do|another TASK|another TASK to do|a job|a job to do|a chore|a thing to do|a thing i need to do|a thing i have to do|one to do|\
             one of TASKS|something to do|something i have to do|something i need to do|something i must do|\
             something i should do|something ive got to do|something i gotta do|something i want to do|something i got to do|\
             something for me to do|something we have to do|something we need to do|something that needs doing|\
             something that needs to be done|something to get done|something to remember|something i need to remember|\
             something to sort|something i need to get done",
        ),
    ),
    (
        "sure",
        set(
            "be sure that|be sure|be certain that|be certain|ensure that|ensure|make sure that|make sure|make certain that|\
         make certain|see to it that|see to it",
        ),
    ),
    ("ofday", set("fridays|mondays|saturdays|sundays|thursdays|todays|tomorrows|tonights|tuesdays|wednesdays")),
    ("an", set("a|an|another|a couple of|a few|any|me a|me an|one more|some|us a")),
    (
        "because",
        set("after|as they|as my|as i|as im|as we|as were|before|because i|because we|because its|because my|because|\
         cause|cos|cuz|coz|for when|hes|in time for|i just|i|im|ive|its|my|our|otherwise|ready for|so that|so we|so i|\
         since i|since we|shes|since|so that i|so i dont|theyre|there|theres|that way|when|we|were|youll"),
    ),
];
