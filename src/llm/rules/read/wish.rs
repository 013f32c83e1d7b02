//! Chores without “add”: “pay rent every 1st of the month”, “I have to return the books by Thursday”.

use crate::domain::task::Priority;
use crate::domain::time::Timestamp;
use crate::domain::when::Found;
use crate::llm::rules::lex::frames::{CHORES, COMMANDS};
use crate::llm::rules::lex::matching;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::spoken_fields::{self, Fields};
use crate::llm::rules::normalise::words::{self, Word};
use crate::llm::rules::read::classifier::{self, Kind};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, NewItem, Part, Target, target_of};
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::{courtesy, dating, fields, scope, vague};

/// Phrases of duty.
const DUTIES: Set = file_set!("duty_leads");

/// Participles of a new date.
const MOVED: Set = set("moved|changed|postponed|rescheduled|shifted|pushed|cancelled|canceled|delayed|supposed");

/// Verbs that another assistant would carry out.
const OTHERS: Set = file_set!("assistant_verbs");

/// Verbs that without a date may request something at once.
const VAGUE: Set = set("check|do|find|go|look|see|update");
/// Words that request something else for the wish.
const ASKS: Set = set("add|put|note|remind|reminded|reminder|LIST|TASK|TASKS");

/// Words that begin a remark on the wish, and words of urgency.
const TAILS: Set = set(
    "it|its|thats|that|i|im|ive|because|cos|since|hes|shes|theyre|they|he|she|her|his|their|or|otherwise|else|weve|youre",
);
const URGENT: Set = set("urgent|important|critical|asap|priority");

/// Minimum words of a thing with a day alone that is certainly new.
const TELLING: usize = 4;
/// Maximum words of a thing with its date, and the maximum probability of a refusal for one.
const LONGEST_THING: usize = 16;
const REFUSED: f64 = 0.8;
/// Bytes of a due date without a time.
const DAY: usize = 10;

/// Maximum words of a wish.
const LONGEST: usize = 24;
/// Maximum probability of a refusal, and minimum probability of adding.
const FOREIGN: f64 = 0.45;
const MEANT: f64 = 0.2;
/// Maximum probability of a refusal for a chore without a date.
const OWN: f64 = 0.3;
/// Minimum probability of adding that outweighs a verb of other programs.
const TASK: f64 = 0.75;
/// Maximum probability of a refusal for a chore with a date.
const DATED: f64 = 0.9;

/// Returns a new task for a chore with a date or a phrase of duty; anything less may be only a remark. A date outweighs the classifier.
pub(in crate::llm::rules) fn wished(whole: &[Word], context: Context) -> Option<Part> {
    let body = reasonless(whole);
    let plain: Vec<&Word> = body.iter().filter(|word| !word.is_mark()).collect();
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    if asks || plain.len() < 3 || plain.len() > LONGEST {
        return None;
    }
    let dated = |word: &Word| context.dates().iter().find(|found| found.span.contains(&word.start));
    let first = plain[0];
    // “every weekday at 8am take vitamins”
    let after_day = dated(first).map_or(0, |found| plain.iter().take_while(|word| word.start < found.span.end).count());
    let keys: Vec<&str> = plain[after_day..].iter().map(|word| word.key.as_str()).collect();
    let duty = DUTIES.leads(&keys);
    let verb = keys.get(duty)?;
    let has_day = plain.iter().any(|word| dated(word).is_some());
    let asked = || keys[duty + 1..].iter().any(|key| ASKS.has(key));
    let graded = || spoken_fields::trailing(context.raw(body), context.now, context.zone).1 != Fields::default();
    let is_wish = has_day || CHORES.has(verb) && graded() || duty > 0 && !VAGUE.has(verb) && !asked();
    let chore = (CHORES.has(verb) || puts_away(body))
        && (duty > 0 || !OTHERS.has(verb))
        && keys.len() >= duty + 2
        && !is_pointing(&keys[duty + 1..]);
    if !(is_wish && chore) || scope::foreign_container(body) {
        return None;
    }
    let odds = classifier::odds(body, context);
    let most = if has_day { DATED } else { FOREIGN };
    if odds.of(Kind::Refuse) > most || odds.of(Kind::Add) < MEANT && !(has_day || graded()) {
        return None;
    }
    let from = if after_day == 0 { plain[duty].start } else { first.start };
    let stretch: Vec<Word> = body.iter().filter(|word| word.start >= from).cloned().collect();
    let mut items = fields::items(&stretch, context, false, None);
    if whole[body.len()..].iter().any(|word| URGENT.has(&word.key)) {
        items.iter_mut().for_each(|item| item.priority = Some(Priority::High));
    }
    let says =
        items.iter().all(|item| (duty > 0 || item.due.is_some() || graded()) && !vague::says_nothing(&item.title));
    (says && !items.is_empty()).then_some(Part::Add { items, unless_there: false })
}

/// Returns the new task of a dated thing without a verb: “dentist for lena on tuesday 14:30”, “gymnastics every thursday 16:15”. With a day
/// alone it is only offered, since it may be a question.
pub(in crate::llm::rules) fn appointment(body: &[Word], context: Context) -> Option<Part> {
    const OPENERS: Set = file_set!("appointment_openers");
    const STATES: Set = set(
        "is|are|was|were|will|be|been|has|have|had|isnt|arent|comes|coming|wont|cant|dont|not|LIST|TASK|TASKS|it|its|them|that|thats|if|unless|\
         because|so|which|who|what|instead|put|move|change|make|same|one|ones|i|im|ive|moved|\
         needs|need|wants|want|they|he|she|we|me|us|those|these|do|does|did|tho|though|changed|postponed|rescheduled|shifted|pushed|cancelled",
    );
    // "note that choir meets every thursday"
    let body = reasonless(body);
    let noted = body.iter().take(3).take_while(|word| matches!(word.key.as_str(), "note" | "down" | "that")).count();
    let body = if body.first().is_some_and(|word| word.key == "note") { &body[noted..] } else { body };
    // “need two elbows before thursday”
    let needs = body.iter().take(2).position(|word| word.key == "need").map_or(0, |at| at + 1);
    let body = if body.get(needs).is_some_and(|word| word.key != "to") { &body[needs..] } else { body };
    let plain: Vec<&Word> = body.iter().filter(|word| !word.is_mark()).collect();
    let (first, last) = (*plain.first()?, *plain.last()?);
    let keys: Vec<&str> = plain.iter().map(|word| word.key.as_str()).collect();
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    let verb = COMMANDS.has(keys[0]) || OTHERS.has(keys[0]) || OPENERS.has(keys[0]) || matching::is_past(keys[0]);
    let named = plain.iter().all(|word| word.kind == words::Kind::Plain);
    if asks || verb || !named || plain.len() > LONGEST_THING || keys.iter().any(|key| STATES.has(key)) {
        return None;
    }
    let inside = |found: &&Found| found.span.start >= first.start && found.span.end <= last.end;
    let dates: Vec<&Found> = context.dates().iter().filter(inside).collect();
    let thing = plain.iter().any(|word| !dates.iter().any(|found| found.span.contains(&word.start)));
    if !thing || dates.is_empty() {
        return None;
    }
    let items = fields::items(body, context, false, None);
    let [item] = items.as_slice() else { return None };
    if vague::says_nothing(&item.title) || item.due.is_none() {
        return None;
    }
    let ends = dates.iter().any(|found| is_deadline(found, first.start, context));
    let timed = item.due.as_ref().is_some_and(|due| due.len() > DAY) || item.recurrence.is_some() || ends;
    // A time, a deadline or a repetition makes an appointment of anything but a subject of other programs.
    if !ends && (!timed || scope::foreign_noun(&keys)) && classifier::odds(body, context).of(Kind::Refuse) > REFUSED {
        return None;
    }
    let labelled = item.project.is_some() || !item.tags.is_empty() || item.priority.is_some();
    // “van mot 18 jan”
    let exact = dates.iter().any(|found| context.text[found.span.clone()].contains(|c: char| c.is_ascii_digit()));
    let told = item.title.split(' ').count() >= if exact { 2 } else { TELLING };
    Some(match timed || labelled || told {
        true => Part::Add { items, unless_there: false },
        false => scope::add_or_find(context.raw(body)),
    })
}

/// Returns the new task for work with a deadline that another program could do: “print the form by friday”.
pub(in crate::llm::rules) fn due_work(body: &[Word], context: Context) -> Option<Part> {
    const VERBS: Set = file_set!("jotted_verbs");
    let from = body.first().filter(|first| VERBS.has(&first.key))?.start;
    let due = is_noted(body, context) && context.dates().iter().any(|found| is_deadline(found, from, context));
    due.then(|| wished(body, context).unwrap_or_else(|| scope::add_or_find(context.raw(body))))
}

/// Returns true for the verb of a chore that no other assistant carries out, and its object.
pub(in crate::llm::rules) fn opens_chore(body: &[Word]) -> bool {
    body.len() >= 2 && body.first().is_some_and(|first| CHORES.has(&first.key) && !OTHERS.has(&first.key))
}

/// Returns true for “put the bins out”, which adds nothing called “the bins out”.
pub(in crate::llm::rules) fn puts_away(clause: &[Word]) -> bool {
    clause.first().is_some_and(|first| first.key == "put")
        && clause.iter().any(|word| set!("back|away|out").has(&word.key))
        && !clause.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS"))
}

/// Returns true if “by”, “before” or “until” leads a date.
fn is_deadline(found: &Found, from: usize, context: Context) -> bool {
    const LEADS: [&str; 4] = ["by", "before", "until", "til"];
    let before = context.text[from.min(found.span.start)..found.span.start].to_lowercase();
    let inside = context.text[found.span.clone()].to_lowercase();
    let led = [before.split_whitespace().last(), inside.split_whitespace().next()];
    found.when.recurrence.is_none() && led.into_iter().flatten().any(|lead| LEADS.contains(&lead))
}

/// Returns the words before a remark: “return the books by friday, or I get fined”.
fn reasonless(body: &[Word]) -> &[Word] {
    let tail = body.windows(2).position(|pair| pair[0].is_mark() && TAILS.has(&pair[1].key));
    tail.filter(|tail| *tail > 0).map_or(body, |tail| &body[..tail])
}

/// Returns the new task that a message about an unknown task describes: “print the seat slip on 7 dec”. Commands that only Docket
/// carries out describe none.
pub(in crate::llm::rules) fn unknown(
    part: &Part,
    message: &str,
    now: &Timestamp,
    zone: &str,
    refused: bool,
) -> Option<Part> {
    const SETS: Set = set("set|put|make|schedule|pencil");
    const SELVES: Set = set("me|us|you|your|it|them|one|LIST|TASK|TASKS|off");
    let Some(Target::Words { text, quoted: false, named: false }) = target_of(part) else { return None };
    let (notes, said) = (Notes::of(message, now, zone), words::words(message));
    let (context, body) = (Context::new(message, now, zone, &notes), courtesy::strip(&said).0);
    let first = body.iter().find(|word| !word.is_mark())?;
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    if asks || body.iter().take(4).any(|word| SELVES.has(&word.key)) {
        return None;
    }
    let inside = |found: &&Found| body.iter().any(|word| found.span.contains(&word.start));
    let days: Vec<&str> =
        context.dates().iter().filter(inside).map(|found| &context.text[found.span.clone()]).collect();
    let dated = !days.is_empty();
    let chore = opens_chore(body) && (dated || !refused);
    let offer = || scope::add_or_find(context.raw(body));
    let unchanged = matches!(part, Part::Edit { edit, .. } if *edit == Edits::default());
    let moves = dated && matches!(part, Part::Edit { edit, .. } if edit.due.is_some());
    match part {
        Part::Get(_) | Part::Edit { .. } if chore && (moves || unchanged || matches!(part, Part::Get(_))) => {
            wished(body, context).or_else(|| Some(offer()))
        }
        Part::Edit { .. } if moves && SETS.has(&first.key) => {
            Some(scope::add_or_find(context.raw(&body[usize::from(!puts_away(body))..])))
        }
        Part::Edit { .. } if moves && !COMMANDS.has(&first.key) => {
            Some(scope::add_or_find(&format!("{text} {}", days.join(" "))))
        }
        Part::Delete { .. } if dated && first.key == "take" => wished(body, context),
        Part::Delete { .. } | Part::Complete(_) if dated && chore => Some(offer()),
        _ => None,
    }
}

/// Returns the new task of a plain chore, unless the list has it: “water the plants”.
pub(in crate::llm::rules) fn plain_chore(body: &[Word], context: Context) -> Option<Part> {
    // “buy a present for mum, her birthday is on friday”
    let own = |rest: &[Word]| rest.get(1).is_some_and(|word| set!("her|his|their").has(&word.key));
    let body = Some(reasonless(body)).filter(|cut| own(&body[cut.len()..])).unwrap_or(body);
    let plain =
        opens_chore(body) && !VAGUE.has(&body[0].key) && body.iter().all(|word| word.kind == words::Kind::Plain);
    let keys: Vec<&str> = body.iter().map(|word| word.key.as_str()).collect();
    let other = scope::foreign_noun(&keys) || scope::foreign_container(body);
    // “call the dentist should be call the orthodontist” changes a task.
    const STATES: Set = set("should|must|be|is|are|was|were|isnt|has|have|not|instead|if|when|done");
    let other = other || keys.iter().any(|key| STATES.has(key));
    if !plain || other || body.iter().any(Word::is_mark) || !(body.len() == 2 || is_noted(body, context)) {
        return None;
    }
    let odds = classifier::odds(body, context);
    let items = fields::items(body, context, false, None);
    let refuse = odds.of(Kind::Refuse);
    let sure = refuse <= OWN && !COMMANDS.has(keys[0]) || refuse <= FOREIGN && odds.of(Kind::Add) >= MEANT;
    (sure && !items.iter().any(|item| vague::says_nothing(&item.title)))
        .then_some(Part::Add { items, unless_there: true })
}

/// Returns the new tasks of an event and its duty: “nativity is dec 15 at 2pm, need to book the afternoon off”.
pub(in crate::llm::rules) fn event_with_duty(body: &[Word], context: Context) -> Option<Part> {
    let at = body.iter().position(|word| word.is_mark() && word.key == ",")?;
    let (event, duty) = (&body[..at], &body[at + 1..]);
    let added = |part: Option<Part>| match part {
        Some(Part::Add { items, .. }) => Some(items),
        Some(Part::Edit { target: Target::Words { text, .. }, edit }) => {
            Some(vec![NewItem { title: text, due: edit.due?, recurrence: edit.recurrence, ..NewItem::default() }])
        }
        _ => None,
    };
    if event.iter().any(Word::is_mark) {
        return None;
    }
    let needs = duty.first().filter(|first| matches!(first.key.as_str(), "need" | "needs"));
    let thing = || needs.map(|_| fields::items(&duty[1..], context, false, None));
    let mut items = added(appointment(event, context).or_else(|| dating::told(event, context)))?;
    let dated = |found: &Found| duty.iter().any(|word| found.span.contains(&word.start));
    let more = added(wished(duty, context)).or_else(|| thing().filter(|_| !context.dates().iter().any(dated)))?;
    items.extend(more);
    Some(Part::Add { items, unless_there: false })
}

/// Returns the offer for a message that no rule parses. The message has a date, or the classifier is sure that it states a task.
pub(in crate::llm::rules) fn stated(body: &[Word], read: &Part, context: Context) -> Option<Part> {
    const OTHER: Set = set("it|that|this|them|those|not|no|too|LIST|TASK|TASKS");
    // “write blog post about sourdough” is a note; with an article, a program is addressed.
    let jots = || {
        let article = set!("a|an|the|my|our|all|any|some|what|every|each|his|her|their|number");
        let writes = set!("write|print|read|draft|revise|type|proofread|edit");
        let note = matches!(body, [verb, next, ..] if writes.has(&verb.key) && !article.has(&next.key));
        note && is_noted(body, context)
    };
    // “fix tap at number 12”
    let counts = || {
        opens_chore(body)
            && is_noted(body, context)
            && body.iter().any(|word| word.key.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let add = || classifier::odds(&words::words(context.text), context).of(Kind::Add) > TASK;
    let lists =
        || opens_chore(body) || body.iter().any(|word| word.key == ":" || word.key == ",") && body.len() <= LONGEST;
    let new = *read == scope::not_understood() && (is_dated(body, context) || lists())
        || *read == scope::foreign() && (add() || jots() || counts());
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    // “Christmas cards: Jean, the Hendersons, Aunt Pat”
    let head = body.iter().position(|word| word.key == ":").filter(|at| (1..=3).contains(at));
    let head = head.filter(|at| body[*at..].iter().any(|word| word.key == ","));
    let said = || match head {
        Some(at) => format!("to project {}: {}", context.raw(&body[..at]), context.raw(&body[at + 1..])),
        None => context.raw(reasonless(body)).to_owned(),
    };
    // “price up a charger, she wants it before friday”
    let points = body.iter().take_while(|word| !word.is_mark()).any(|word| OTHER.has(&word.key));
    (new && !asks && !points).then(|| scope::add_or_find(&said()))
}

/// Returns true if a stretch contains a date.
pub(in crate::llm::rules) fn is_dated(body: &[Word], context: Context) -> bool {
    context.dates().iter().any(|found| body.iter().any(|word| found.span.contains(&word.start)))
}

/// Returns true for an order of a few words about nothing that was mentioned before.
fn is_noted(body: &[Word], context: Context) -> bool {
    const SELVES: Set = set("me|us|you|your|it|them|this|that|these|those|LIST|TASK|TASKS|back|aloud|out");
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    let told = body.iter().any(|word| SELVES.has(&word.key) || word.key.starts_with('#'));
    (3..=LONGEST_THING).contains(&body.len()) && !asks && !told
}

/// Returns the offer to add what somebody or something needs: “lukas needs new gym shoes, sometime next week”.
pub(in crate::llm::rules) fn needed(body: &[Word], context: Context) -> Option<Part> {
    const SELVES: Set = set("i|we|you|it|they|that|this|what|who|which|nobody|everyone|no|there|he|she");
    let keys: Vec<&str> = body.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let at = keys.iter().position(|key| matches!(*key, "needs" | "need")).filter(|at| (1..=4).contains(at))?;
    let asks = scope::is_question(body) || context.text.trim_end().ends_with('?');
    let foreign = || classifier::odds(body, context).of(Kind::Refuse) > REFUSED;
    let plain = keys.len() <= LONGEST_THING && at + 1 < keys.len() && !SELVES.has(keys[0]) && !COMMANDS.has(keys[0]);
    if !plain || asks || foreign() {
        return None;
    }
    // “the form needs signing by friday”
    let items = Some(fields::items(body, context, false, None)).filter(|_| keys[at + 1].ends_with("ing"));
    let items = items.filter(|items| items.iter().any(|item| item.due.is_some()));
    Some(items.map_or_else(|| scope::add_or_find(context.raw(body)), |items| Part::Add { items, unless_there: false }))
}

/// Returns the part of a message that says what somebody has finished: "form signed!", "numbers sent to priya".
pub(in crate::llm::rules) fn done<'a>(body: &'a [Word], context: Context) -> Option<&'a [Word]> {
    const BEHIND: Set = set("to|by|from|with|off|up|it|them|at|already|today|yesterday|now|earlier|one|some|both|all");
    const MOST: usize = 8;
    let end = body.iter().position(Word::is_mark).unwrap_or(body.len());
    // “I've spoken to Susan”
    let keys: Vec<&str> = body[..end].iter().map(|word| word.key.as_str()).collect();
    let led = set!("ive|weve|i have|we have|ive just|ive now|ive already").leads(&keys);
    let clause = &body[led..end];
    let first = clause.first()?;
    let at = clause.iter().rposition(|word| matching::is_past(&word.key)).filter(|at| *at + led > 0 && end <= MOST)?;
    let ends = clause.get(at + 1).is_none_or(|next| BEHIND.has(&next.key));
    // “water bill paid yesterday” is done, “get the bill paid” and “car serviced on friday” are not.
    let acts = COMMANDS.has(&first.key) || set!("have|buy|order|find|see|want|collect|bring").has(&first.key);
    let ahead = is_dated(clause, context) && !clause.iter().any(|word| set!("today|yesterday|earlier").has(&word.key));
    let plain = !(acts || ahead || scope::is_question(clause));
    let other = |word: &Word| {
        set!("not|never|i|im|ive|we|weve|you|be|if|to|was|were|get|needs|need|isnt|havent|hasnt").has(&word.key)
            || MOVED.has(&word.key)
    };
    (ends && plain && !clause[..=at].iter().any(other)).then_some(clause)
}

/// Returns true if a verb's only object is a pronoun: “do it tomorrow”.
fn is_pointing(rest: &[&str]) -> bool {
    rest.first().is_some_and(|word| {
        matches!(*word, "it" | "that" | "this" | "them" | "those" | "one" | "LIST" | "TASK" | "TASKS")
    })
}
