//! Where a message is cut into clauses: before a new request, and before a reason.

use super::courtesy::{close, strip};
use super::fields;
use super::frames::{COMMANDS, SURE_COMMANDS};
use super::intent::{Part, Target};
use super::parts::LONGEST;
use super::placed;
use super::placing;
use super::pressing;
use super::qualities;
use super::reading::{self, Context};
use super::replacing;
use super::said;
use super::set::{Set, set};
use super::several;
use super::status;
use super::tails;
use super::words::Word;

/// How much of what stands around a mark is read to tell whether it divides two requests, in words.
const NEAR: usize = 20;
/// The longest stretch that may be a date, in words.
const LONGEST_DATE: usize = 12;
/// Abbreviations that a full stop belongs to.
const SHORT: Set =
    set("a.m|p.m|dr|mr|mrs|ms|st|no|nr|e.g|i.e|vs|approx|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|etc");

/// Cuts a message where a new request, or a reason, begins.
pub(super) fn clauses<'a>(body: &'a [Word], context: Context) -> Vec<&'a [Word]> {
    let conditional = body.len() <= LONGEST && body.iter().any(|word| matches!(word.key.as_str(), "if" | "unless"));
    if conditional && matches!(reading::read(body, context), Some(Part::Add { unless_there: true, .. })) {
        return vec![body];
    }
    // "everything, finished and unfinished" states nothing.
    let keys: Vec<&str> = body.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).take(NEAR).collect();
    if body.len() <= NEAR && status::all(&keys) {
        return vec![body];
    }
    let mut cuts = vec![];
    let mut from = 0;
    let mut at = 1;
    while at < body.len() {
        if let Some(next) = boundary(body, from, at, context) {
            cuts.push(&body[from..at]);
            from = next;
            at = next;
        }
        at += 1;
    }
    cuts.push(&body[from..]);
    cuts
}

/// Where the next clause begins if one ends before `at`.
fn boundary(body: &[Word], from: usize, at: usize, context: Context) -> Option<usize> {
    let word = &body[at];
    let mark = word.is_mark();
    let joins = joins(word) && !mark;
    let speaks = |next: &Word| set!("i|im|ive|we|weve|its|it|they|theyre|theres|hes|shes|he|she|that").has(&next.key);
    let reason = !mark
        && (set!("because|cause|cos|cuz|coz").has(&word.key)
            || matches!(word.key.as_str(), "as" | "since") && body.get(at + 1).is_some_and(speaks));
    let now = !mark && word.key == "now" && explains(body, at);
    if runs_on(body, from, at, context) || excused(body, from, at, context) {
        return Some(at);
    }
    // "take it off again, wrong list"; "it's done, my mistake" may take back what it says.
    let deletes = || matches!(reading::read(strip(near(&body[from..at])).0, context), Some(Part::Delete { .. }));
    if stop_or_comma(word) && said::excuses(&body[at..]) && deletes() {
        return Some(at + 1);
    }
    if !(mark || joins || reason || now) || word.key == "." && SHORT.has(&body[at - 1].key) {
        return None;
    }
    let next = at + body[at..].iter().position(|word| !(word.is_mark() || self::joins(word)))?;
    if set!("now|so").has(&word.key) && explains(body, at) && settled(&body[from..at], context) {
        return Some(next);
    }
    let (rest, asked) = strip(near(&body[next..]));
    let first = rest.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    if rest.first().is_some_and(|first| several::one_more(&body[from..at], until(&body[at..], first), rest, context)) {
        return Some(next);
    }
    // "I sold the van so I no longer need …"
    if word.key == "so" && matches!(reading::read(rest, context), Some(Part::Delete { unneeded: true, .. })) {
        return Some(next);
    }
    if calls_task(rest) || pressing::newly(rest, context) || status::kinds(rest) || status::kinds(near(&body[next..])) {
        return None;
    }
    if !ends(word) && placed::awaits_place(&body[from..], at - from, rest) {
        return None;
    }
    if !ends(word) && (placing::to_self(&body[from..]) || addressed(&body[from..], at - from, context)) {
        return None;
    }
    if mark && !ends(word) && (notes(rest) || files(&body[from..at]) || placed::placed_last(&body[from..], at - from))
        || tails::follows(rest, context) && matches!(reading::read(&body[from..], context), Some(Part::Add { .. }))
    {
        return None;
    }
    let stop = ends(word);
    let points = points_back(rest);
    let sure = SURE_COMMANDS.has(first)
        || matches!(first, "put" | "take" | "cross" | "check" | "remember" | "scrap")
            && rest.iter().any(|word| word.key == "LIST")
        || asked;
    let does = stop_or_comma(word) && said::does(rest) && settled(&body[from..at], context);
    let excuse = stop_or_comma(word) && (set!("i|we|its|im|ive|because|they").has(first) || said::states(rest) || does)
        || reason;
    if adds_for(rest) && matches!(reading::read(&body[from..], context), Some(Part::Add { .. })) {
        return None;
    }
    let left = &body[from..at];
    if slipped(left, rest)
        || mark && (misspelt(left, rest) || announced(left, first, context) || qualities::among(left, rest))
        || mark && qualities::follows(&body[from..], at - from)
    {
        return None;
    }
    let goes = goes_on_list(rest);
    let wraps = matches!(first, "thats" | "its") && joins || goes;
    if !(sure || points || COMMANDS.has(first) || wraps || excuse || stop) {
        return None;
    }
    if stop_or_comma(word) && left.len() <= LONGEST_DATE && context.date(left).is_some() {
        return None;
    }
    let dashes = mark && matches!(word.key.as_str(), ":" | "-");
    if excuse && !dashes {
        return Some(next);
    }
    let left_part = reading::read(strip(near(left)).0, context);
    let drops = excuse && matches!(left_part, Some(Part::Delete { .. } | Part::Complete(_)));
    if dashes && !drops && left_part.as_ref().is_some_and(|part| !matches!(part, Part::Happened(_))) {
        return None;
    }
    if excuse {
        return Some(next);
    }
    // "add a high priority one, finish the tax return" says what only after the comma.
    if left_part == Some(reading::ask_what()) && (mark && !stop || names_it(rest)) {
        return None;
    }
    let left_adds = matches!(left_part, Some(Part::Add { .. }));
    let closed = left_adds && placed::closed(left, rest) && settled(rest, context);
    if left_adds
        && !sure
        && !closed
        && !about_it(rest)
        && !records(rest)
        && !goes
        && !tells_more(rest, context)
        && (!stop || word.key == "\n")
    {
        return None;
    }
    let command = COMMANDS.has(first) || points || goes || wraps && !left_adds;
    let lead = stop && !left_adds && left.len() >= 2;
    let replaces = || {
        replacing::replaces(left_part.as_ref())
            && (replacing::instead(rest, context) || replacing::swaps(left_part.as_ref(), close(rest), context))
            && replacing::in_place(rest, context).is_some()
    };
    let request = || reading::asks(rest, context) || joined(rest, context) || replaces();
    ((sure || command) && request() || lead).then_some(next)
}

/// "and put “ring first” in the description": a note on the task that was just named.
fn tells_more(stretch: &[Word], context: Context) -> bool {
    let noun = stretch.iter().rfind(|word| !word.is_mark()).is_some_and(|word| fields::NOTES.has(&word.key));
    let note = |part: Part| matches!(part, Part::Edit { target: Target::It, edit } if edit.description.is_some());
    noun && reading::read(stretch, context).is_some_and(note)
}

/// Whether what stands before the next joint is a request by itself: "…, push 7 to monday and show me what's left".
fn joined(rest: &[Word], context: Context) -> bool {
    let joint = |at: &usize| joins(&rest[*at]) || rest[*at].is_mark();
    let before = |at: usize| (at >= 2).then(|| close(&rest[..at])).is_some_and(|left| reading::asks(left, context));
    (1..rest.len()).filter(joint).take(3).any(before)
}

/// "i did the dishes check it off": a request that nothing divides from the statement before it.
fn runs_on(body: &[Word], from: usize, at: usize, context: Context) -> bool {
    const VERBS: Set = set("check|tick|mark|cross|complete|delete|remove|add|put|scratch|strike|bin|close|take|set");
    const PRONOUNS: Set = set("it|that|them|this|those");
    const OPEN: Set = set(
        "to|and|can|could|you|not|dont|ill|should|must|lets|will|would|never|cant|i|we|then|or|the|a|my|please|pls",
    );
    // "i did that one you can tick it", "the first one please bin it"
    let asks = body[at..].iter().take(3).take_while(|word| set!("you|can|could|please|pls").has(&word.key)).count();
    let verb = at + asks;
    let said = &body[from..at];
    let named = || matches!(super::target::target(said, context.text), Target::Places(_) | Target::Numbers(_));
    // "add a task called yes delete it" says what it is called.
    let titled = said.iter().any(|word| set!("called|named|titled|entitled|saying|says").has(&word.key))
        && said.iter().any(|word| set!("TASK|one|LIST|it").has(&word.key));
    at >= from + 2
        && !titled
        && body.get(verb).is_some_and(|word| VERBS.has(&word.key))
        && body.get(verb + 1).is_some_and(|next| PRONOUNS.has(&next.key))
        && body.len() - verb <= 7
        && !(body[at - 1].is_mark() || OPEN.has(&body[at - 1].key))
        && body[verb..].iter().all(|word| !word.is_mark())
        && (said.len() >= 3 && said::states(said) || named())
}

/// "delete 4 please jo brought some": a reason that only politeness, or the number of a task, divides from the request.
fn excused(body: &[Word], from: usize, at: usize, context: Context) -> bool {
    const POLITE: Set = set("please|pls|plz|thanks|thx|ta|cheers|done|completed|finished");
    let last = &body[at - 1];
    let number = last.key.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit());
    let left = &body[from..at];
    (POLITE.has(&last.key) || number)
        && (2..=NEAR).contains(&left.len())
        && body.len() - at >= 2
        && !body[at].is_mark()
        && !set!("to|and|as|on|by|is|are|was|for|till|until|at|in|off|with|or").has(&body[at].key)
        && said::states(near(&body[at..]))
        && told(reading::read(strip(near(&body[at..])).0, context).as_ref())
        && settled(left, context)
}

/// Whether what was read only tells of something, or of what was named before.
fn told(part: Option<&Part>) -> bool {
    part.is_none_or(|part| matches!(part, Part::Happened(_)) || super::intent::target_of(part) == Some(&Target::It))
}

/// Whether a stretch begins with "add that", so that what stands before it may be the task.
fn adds_it(stretch: &[Word]) -> bool {
    const VERBS: Set = set("add|put|note|log|stick|pop|jot|write|save|schedule|record");
    matches!(stretch, [first, it, _, ..] if VERBS.has(&first.key) && set!("it|that|this|them|those").has(&it.key))
}

/// "in the Garden project, …": where what follows belongs.
fn files(left: &[Word]) -> bool {
    let leads = |word: &Word| set!("in|into|under|to|onto|for").has(&word.key);
    (2..=6).contains(&left.len())
        && left.first().is_some_and(leads)
        && (left.last().is_some_and(|word| word.key == "project") || left[1].key == "project")
}

/// "…, note: the small one": what is noted of what stands before.
fn notes(stretch: &[Word]) -> bool {
    let says = |word: &Word| {
        word.is_mark() && word.key == ":" || set!("should|must|say|says|is|are|saying|reading").has(&word.key)
    };
    let from = stretch.iter().take_while(|word| set!("the|its|with|and").has(&word.key)).count();
    matches!(&stretch[from..], [first, next, ..] if fields::NOTES.has(&first.key) && says(next))
}

/// "add that for monday": what more is said of it.
fn adds_for(stretch: &[Word]) -> bool {
    adds_it(stretch)
        && stretch.get(2).is_some_and(|word| set!("for|on|by|as|with|due|at").has(&word.key))
        && !stretch.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS"))
}

/// Whether a stretch only says that what was named is to be kept: "please write it down".
fn records(stretch: &[Word]) -> bool {
    let words = stretch.iter().filter(|word| !word.is_mark()).count();
    let make =
        matches!(stretch, [make, a, note, ..] if make.key == "make" && a.key == "a" && note.key.starts_with("note"));
    words <= 8
        && (make
            || adds_it(stretch)
                && stretch.iter().any(|word| set!("down|LIST|note|in|on|up|there|for|me").has(&word.key)))
}

/// Whether a stretch begins with what is to become of something that was named before: "stick it on my list", "tick that".
fn points_back(stretch: &[Word]) -> bool {
    let keys = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str());
    let keys: Vec<&str> = keys.take(4).collect();
    let pronoun = |key: &&str| set!("it|that|this|them|those|these|one").has(key);
    // "ping me about it on friday"
    let prods = set!("nudge|ping|poke|prod|prompt|alert|notify|warn|bug|pester|nag|buzz");
    let prodded = matches!(keys.as_slice(), [first, "me" | "us", ..] if prods.has(first));
    prodded || keys.first().is_some_and(|first| COMMANDS.has(first)) && keys.iter().skip(1).any(pronoun)
}

/// Whether a reason follows: "now i've done it", "so i can see it".
fn explains(body: &[Word], at: usize) -> bool {
    const WHO: Set = set("i|im|ive|we|weve|its|he|she|they|theyve|someone|somebody|that|mum|dad");
    const CAN: Set = set("can|could|dont|wont|know|remember|see|have|will");
    let key = |ahead: usize| body.get(at + ahead).map_or("", |word| word.key.as_str());
    let after = if key(1) == "that" { 2 } else { 1 };
    match key(0) {
        "now" => WHO.has(key(1)),
        _ => matches!(key(after), "i" | "we") && CAN.has(key(after + 1)),
    }
}

/// "for task 3, write in the notes: …": whose notes they are.
fn addressed(stretch: &[Word], left: usize, context: Context) -> bool {
    let led = stretch.first().is_some_and(|word| set!("for|on|in|under|to").has(&word.key));
    let notes = |part: Part| matches!(part, Part::Edit { edit, .. } if edit.description.is_some());
    led && left <= NEAR && stretch.len() <= LONGEST && reading::read(stretch, context).is_some_and(notes)
}

/// Whether a stretch asks for something to be done with tasks that there are: what follows it is no title of its own.
fn settled(left: &[Word], context: Context) -> bool {
    let part = reading::read(strip(near(left)).0, context);
    part.as_ref().is_some_and(|part| super::intent::target_of(part).is_some())
}

/// "i ticked it by mistake, put it back" is one request.
fn slipped(left: &[Word], rest: &[Word]) -> bool {
    const SLIPS: Set = set("mistake|accident|accidentally|error|mistakenly|wrongly");
    const BACK: Set = set("put|bring|reopen|undo|restore|untick|uncheck|open|unmark");
    const ENDED: Set = set("ticked|completed|marked|finished|crossed|checked|closed");
    rest.first().is_some_and(|first| BACK.has(&first.key))
        && left.iter().any(|word| SLIPS.has(&word.key))
        && left.iter().take(5).any(|word| ENDED.has(&word.key))
}

/// "make a new task and call it …": the same.
fn names_it(stretch: &[Word]) -> bool {
    matches!(stretch, [verb, it, _, ..] if set!("call|name|title").has(&verb.key) && set!("it|this").has(&it.key))
}

/// The words of a stretch before `word`.
fn until<'a>(stretch: &'a [Word], word: &Word) -> &'a [Word] {
    &stretch[..stretch.iter().take_while(|other| other.start < word.start).count()]
}

/// "fix the spelling of 3, it should be …": the title only comes.
fn misspelt(left: &[Word], rest: &[Word]) -> bool {
    const CHANGES: Set = set("fix|correct|change|edit|amend|update|sort");
    const NOUNS: Set = set("typo|typos|spelling|wording|phrasing|name|title|heading|mistake|error");
    const SAYS: Set = set("should|must|ought|needs|is|was|reads|says|meant|supposed");
    left.first().is_some_and(|first| CHANGES.has(&first.key))
        && left.iter().take(4).any(|word| NOUNS.has(&word.key))
        && matches!(rest, [it, next, ..] if set!("it|that|its").has(&it.key) && SAYS.has(&next.key))
}

/// "i have a new one for you, it's …": the task only comes.
fn announced(left: &[Word], first: &str, context: Context) -> bool {
    matches!(first, "its" | "it" | "thats")
        && left.len() <= NEAR
        && reading::read(strip(left).0, context) == Some(reading::ask_what())
}

/// "so that needs to go on the list".
fn goes_on_list(stretch: &[Word]) -> bool {
    let keys: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).take(8).collect();
    const NEEDS: Set = set("needs|need|should|must|has|have|ought|wants|goes|go|can|could|better");
    match keys.as_slice() {
        ["that" | "it" | "they" | "those" | "them" | "this", next, rest @ ..] => {
            NEEDS.has(next) && rest.contains(&"LIST")
        }
        // "so i need that on the list"
        ["i" | "we" | "id" | "wed", verb, it, rest @ ..] => {
            set!("need|want|like").has(verb) && set!("that|it|them|those|some").has(it) && rest.contains(&"LIST")
        }
        _ => false,
    }
}

/// "…, that's a task for monday": the words before it are the task.
fn calls_task(stretch: &[Word]) -> bool {
    let keys: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).take(4).collect();
    matches!(keys.as_slice(), ["thats" | "its" | "is" | "as", "a" | "another" | "one" | "my", rest @ ..] if rest.contains(&"TASK"))
}

/// Whether a stretch says more of a task that was just named: "make it urgent", "it's due on friday".
fn about_it(stretch: &[Word]) -> bool {
    let keys: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).take(4).collect();
    match keys.as_slice() {
        ["it" | "its" | "thats" | "theyre" | "they", next, ..] => {
            set!("is|are|should|needs|must|has|due|high|low|urgent|important|top|medium").has(next)
        }
        ["make" | "mark" | "set" | "flag" | "give" | "tag" | "label" | "put", "it" | "that" | "them" | "this", ..] => {
            true
        }
        _ => false,
    }
}

/// Words that may join two requests.
fn joins(word: &Word) -> bool {
    matches!(word.key.as_str(), "and" | "then" | "also" | "plus" | "but" | "so")
}

/// Whether a sentence or a line ends with this mark.
fn ends(word: &Word) -> bool {
    word.is_mark() && matches!(word.key.as_str(), "." | "!" | "?" | ";" | "\n")
}

/// The first sentence of a stretch, or its beginning, which tells what it asks for: to read all of it at each mark would take
/// for ever.
fn near(stretch: &[Word]) -> &[Word] {
    let end = stretch.iter().position(ends).map_or(stretch.len(), |at| at + 1);
    &stretch[..end.min(NEAR)]
}

fn stop_or_comma(word: &Word) -> bool {
    word.is_mark() && matches!(word.key.as_str(), "," | "." | ";" | "!" | "-")
}
