//! Splitting of a message into clauses: before a new request, and before a reason.

use crate::llm::rules::lex::frames::{CHORES, COMMANDS, SURE_COMMANDS};
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::continuing::{
    adds_for, files, goes_on_list, misspelt, names_it, notes, points_back, slipped,
};
use crate::llm::rules::read::courtesy::{close, strip};
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::{
    days, fields, placed, placing, qualities, reading, replacing, said, scope, several, status, tails,
};

/// Maximum words of a clause that is parsed as a request.
pub(in crate::llm::rules) const LONGEST: usize = 120;
/// Number of words around a boundary that decide if it separates two requests.
const NEAR: usize = 20;
/// Maximum words of a clause that are parsed to find out if it adds tasks. Parsing the rest of the message at each boundary would
/// be too slow.
const OPENING: usize = 40;
/// Maximum words of a date.
const LONGEST_DATE: usize = 12;
/// Abbreviations that end with a full stop.
const SHORT: Set = set(
    "a.m|p.m|prof|rev|dr|mr|mrs|ms|st|no|nr|e.g|i.e|vs|approx|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|etc",
);

/// Splits a message where a new request or a reason begins.
pub(in crate::llm::rules) fn clauses<'a>(body: &'a [Word], context: Context) -> Vec<&'a [Word]> {
    let conditional = body.len() <= LONGEST && body.iter().any(|word| matches!(word.key.as_str(), "if" | "unless"));
    if conditional && matches!(reading::read(body, context), Some(Part::Add { unless_there: true, .. })) {
        return vec![body];
    }
    // "everything, finished and unfinished" is no statement.
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

/// Returns the start of the next clause if one ends before `at`.
fn boundary(body: &[Word], from: usize, at: usize, context: Context) -> Option<usize> {
    let word = &body[at];
    let mark = word.is_mark();
    let speaks = |next: &Word| set!("i|im|ive|we|weve|its|it|they|theyre|theres|hes|shes|he|she|that").has(&next.key);
    let reason = !mark
        && (set!("because|cause|cos|cuz|coz").has(&word.key)
            || matches!(word.key.as_str(), "as" | "since") && body.get(at + 1).is_some_and(speaks));
    let now = !mark && word.key == "now" && explains(body, at);
    if runs_on(body, from, at, context) || excused(body, from, at, context) {
        return Some(at);
    }
    // In "take it off again, wrong list" or "it's done, my mistake", the excuse may retract the request.
    let deletes = || matches!(reading::read(strip(near(&body[from..at])).0, context), Some(Part::Delete { .. }));
    if stop_or_comma(word) && said::excuses(&body[at..]) && deletes() {
        return Some(at + 1);
    }
    if !(mark || joins(word) || reason || now) || word.key == "." && SHORT.has(&body[at - 1].key) {
        return None;
    }
    let next = at + body[at..].iter().position(|word| !(word.is_mark() || joins(word)))?;
    if set!("now|so").has(&word.key) && explains(body, at) && settled(&body[from..at], context) {
        return Some(next);
    }
    let (rest, asked) = strip(near(&body[next..]));
    let joint = Joint { body, from, at, next, rest, asked, reason, context };
    (joint.begins() || !joint.continues() && joint.divides()).then_some(next)
}

/// A possible boundary and the words around it.
struct Joint<'a> {
    body: &'a [Word],
    /// Start of the clause.
    from: usize,
    at: usize,
    next: usize,
    /// The first sentence after it, without courtesies.
    rest: &'a [Word],
    /// True if it is introduced by "can you" or similar.
    asked: bool,
    /// True if a word such as "because" follows.
    reason: bool,
    context: Context<'a>,
}

impl<'a> Joint<'a> {
    fn left(&self) -> &'a [Word] {
        &self.body[self.from..self.at]
    }

    fn word(&self) -> &'a Word {
        &self.body[self.at]
    }

    fn first(&self) -> &'a str {
        self.rest.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str())
    }

    /// Returns true if the clause as a whole adds tasks.
    fn adds_all(&self) -> bool {
        let clause = &self.body[self.from..];
        matches!(reading::read(&clause[..clause.len().min(OPENING)], self.context), Some(Part::Add { .. }))
    }

    /// Returns true if a new request certainly begins.
    fn begins(&self) -> bool {
        let (body, rest, context) = (self.body, self.rest, self.context);
        let lead = |first: &Word| until(&body[self.at..], first);
        rest.first().is_some_and(|first| several::one_more(self.left(), lead(first), rest, context))
            || stop_or_comma(self.word())
                && (reminds(rest) && context.date(self.left()).is_none() || grades_one(rest, context))
            || (stop_or_comma(self.word()) || joins(self.word())) && says_note(rest)
            || joins(self.word()) && replacing::taken_off(self.left(), near(&body[self.next..])).is_some()
            || joins(self.word()) && ends_done(self.left(), context) && CHORES.has(self.first())
            // "I sold the van so I no longer need …"
            || self.word().key == "so" && matches!(reading::read(rest, context), Some(Part::Delete { unneeded: true, .. }))
    }

    /// Returns true if the following words continue the clause.
    fn continues(&self) -> bool {
        let (whole, left, rest, context) = (&self.body[self.from..], self.left(), self.rest, self.context);
        let (mark, at) = (self.word().is_mark(), self.at - self.from);
        let kinds = status::kinds(rest) || status::kinds(near(&self.body[self.next..]));
        let within = || {
            placed::awaits_place(whole, at, rest)
                || placing::to_self(whole)
                || addressed(whole, at, context)
                || mark && (notes(rest) || files(left) || placed::placed_last(whole, at))
        };
        tails::newly(rest, context)
            || kinds
            || !ends(self.word()) && within()
            || (tails::follows(rest, context) || adds_for(rest)) && self.adds_all()
            || slipped(left, rest)
            || mark && (misspelt(left, rest) || announced(left, self.first(), context) || qualities::among(left, rest))
            || mark && qualities::follows(whole, at)
    }

    /// Returns true if the boundary separates two requests, or a request and its reason.
    fn divides(&self) -> bool {
        let (word, left, rest, context) = (self.word(), self.left(), self.rest, self.context);
        let (first, mark, stop) = (self.first(), word.is_mark(), ends(word));
        let points = points_back(rest);
        let sure = SURE_COMMANDS.has(first)
            || matches!(first, "put" | "take" | "cross" | "check" | "remember" | "scrap")
                && rest.iter().any(|word| word.key == "LIST")
            || self.asked;
        let does = stop_or_comma(word) && said::does(rest) && settled(left, context);
        let speaks = set!("i|we|its|im|ive|because|they").has(first);
        let excuse = stop_or_comma(word) && (speaks || said::states(rest) || does) || self.reason;
        let goes = goes_on_list(rest);
        let wraps = matches!(first, "thats" | "its") && joins(word) || goes;
        let dated = || stop_or_comma(word) && left.len() <= LONGEST_DATE && context.date(left).is_some();
        if !(sure || points || COMMANDS.has(first) || wraps || excuse || stop) || dated() {
            return false;
        }
        let dashes = mark && matches!(word.key.as_str(), ":" | "-");
        if excuse && !dashes {
            return true;
        }
        let before = reading::read(strip(near(left)).0, context);
        let drops = excuse && matches!(before, Some(Part::Delete { .. } | Part::Complete(_)));
        if dashes && !drops && before.as_ref().is_some_and(|part| !matches!(part, Part::Happened(_))) {
            return false;
        }
        // "add a high priority one, finish the tax return" names the task only after the comma.
        let announces = || before == Some(scope::ask_what()) && (mark && !stop || names_it(rest));
        if excuse || announces() {
            return excuse;
        }
        let adds = matches!(before, Some(Part::Add { .. }));
        let more = || placed::closed(left, rest) && settled(rest, context);
        if adds && !sure && !goes && (!stop || word.key == "\n") && !more() && !tells_more(rest, context) {
            return false;
        }
        let command = COMMANDS.has(first) || points || goes || wraps && !adds;
        (sure || command) && self.requests(before.as_ref()) || stop && !adds && left.len() >= 2
    }

    /// Returns true if the following words are a complete request.
    fn requests(&self, before: Option<&Part>) -> bool {
        let (rest, context) = (self.rest, self.context);
        let replaces = || {
            replacing::replaces(before)
                && (days::instead(rest, context) || replacing::swaps(before, close(rest), context))
                && replacing::in_place(rest, context).is_some()
        };
        reading::asks(rest, context) || joined(rest, context) || replaces()
    }
}

/// Returns true for a completion that is said in full: "mark the laundry as done".
fn ends_done(left: &[Word], context: Context) -> bool {
    let done = left.last().is_some_and(|word| set!("done|completed|complete|finished").has(&word.key));
    done && left.len() <= NEAR && matches!(reading::read(strip(left).0, context), Some(Part::Complete(_)))
}

/// Returns true if a stretch begins a new task: "…, don't forget the badge".
fn reminds(stretch: &[Word]) -> bool {
    const LEADS: Set = set("dont forget to|remember to|remind me to|dont let me forget");
    let keys: Vec<&str> = stretch.iter().take(6).map(|word| word.key.as_str()).collect();
    LEADS.leads(&keys) > 0
}

/// Returns true if a stretch gives a priority to one of several tasks: "the safari one is urgent".
fn grades_one(stretch: &[Word], context: Context) -> bool {
    let one = stretch.len() <= 8 && stretch.iter().any(|word| matches!(word.key.as_str(), "one" | "ones"));
    let graded = |part: Part| matches!(part, Part::Edit { edit, .. } if edit.priority.is_some());
    one && reading::read(stretch, context).is_some_and(graded)
}

/// Returns true if a stretch sets the note of the task just named: "the note should say it is late".
fn says_note(stretch: &[Word]) -> bool {
    let keys: Vec<&str> = stretch.iter().take(4).map(|word| word.key.as_str()).collect();
    matches!(
        keys.as_slice(),
        ["the" | "its", "note" | "notes" | "description", "should" | "must" | "is" | "says" | "needs", ..]
    )
}

/// Returns true for a note on the task just named: "and put “ring first” in the description".
fn tells_more(stretch: &[Word], context: Context) -> bool {
    let noun = stretch.iter().rfind(|word| !word.is_mark()).is_some_and(|word| fields::NOTES.has(&word.key));
    let note = |part: Part| matches!(part, Part::Edit { target: Target::It, edit } if edit.description.is_some());
    noun && reading::read(stretch, context).is_some_and(note)
}

/// Returns true if the words before the next boundary are a complete request: "…, push 7 to monday and show me what's left".
fn joined(rest: &[Word], context: Context) -> bool {
    let joint = |at: &usize| joins(&rest[*at]) || rest[*at].is_mark();
    let before = |at: usize| (at >= 2).then(|| close(&rest[..at])).is_some_and(|left| reading::asks(left, context));
    (1..rest.len()).filter(joint).take(3).any(before)
}

/// Returns true for a request directly after a statement: "i did the dishes check it off".
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
    let named = || {
        matches!(crate::llm::rules::read::target::target(said, context.text), Target::Places(_) | Target::Numbers(_))
    };
    // "add a task called yes delete it" contains a title.
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

/// Returns true for a reason that only a courtesy or a task number separates from the request: "delete 4 please jo brought some".
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

/// Returns true if the part only reports something, or concerns a task named before.
fn told(part: Option<&Part>) -> bool {
    part.is_none_or(|part| {
        matches!(part, Part::Happened(_)) || crate::llm::rules::read::intent::target_of(part) == Some(&Target::It)
    })
}

/// Returns true if a reason follows: "now i've done it", "so i can see it".
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

/// Returns true if the leading words name the task of a note: "for task 3, write in the notes: …".
fn addressed(stretch: &[Word], left: usize, context: Context) -> bool {
    let led = stretch.first().is_some_and(|word| set!("for|on|in|under|to").has(&word.key));
    let notes = |part: Part| matches!(part, Part::Edit { edit, .. } if edit.description.is_some());
    led && left <= NEAR && stretch.len() <= LONGEST && reading::read(stretch, context).is_some_and(notes)
}

/// Returns true if a stretch requests a change of existing tasks, so that no separate title follows.
fn settled(left: &[Word], context: Context) -> bool {
    let part = reading::read(strip(near(left)).0, context);
    part.as_ref().is_some_and(|part| crate::llm::rules::read::intent::target_of(part).is_some())
}

/// Returns the words of a stretch before `word`.
fn until<'a>(stretch: &'a [Word], word: &Word) -> &'a [Word] {
    &stretch[..stretch.iter().take_while(|other| other.start < word.start).count()]
}

/// Returns true if the task follows an announcement: "i have a new one for you, it's …".
fn announced(left: &[Word], first: &str, context: Context) -> bool {
    matches!(first, "its" | "it" | "thats")
        && left.len() <= NEAR
        && reading::read(strip(left).0, context) == Some(scope::ask_what())
}

/// Returns true for words that may join two requests.
fn joins(word: &Word) -> bool {
    matches!(word.key.as_str(), "and" | "then" | "also" | "plus" | "but" | "so")
}

/// Returns true if the token ends a sentence or line.
fn ends(word: &Word) -> bool {
    word.is_mark() && matches!(word.key.as_str(), "." | "!" | "?" | ";" | "\n")
}

/// Returns the first sentence of a stretch, cut to [`NEAR`] tokens. Parsing the whole stretch at each boundary would be
/// too slow.
fn near(stretch: &[Word]) -> &[Word] {
    let end = stretch.iter().position(ends).map_or(stretch.len(), |at| at + 1);
    &stretch[..end.min(NEAR)]
}

fn stop_or_comma(word: &Word) -> bool {
    word.is_mark() && matches!(word.key.as_str(), "," | "." | ";" | "!" | "-")
}
