//! Things that are to go elsewhere than on the list: "add Jo to the group chat". A chore may read alike: "add go to the gym".

use super::fields::opens_chore;
use super::frames::{COMMANDS, FOREIGN};
use super::intent::Part;
use super::matching::is_past;
use super::reading::{self, Context};
use super::scope;
use super::set::{Set, set};
use super::words::{Kind, Word};

/// Verbs of chores that go on with "to".
const VERBS: Set = set(
    "apply|appeal|attach|attend|commute|complain|contribute|convert|copy|cycle|deliver|donate|drive|email|explain|export|fit|\
     fly|forward|give|glue|hand|head|help|hike|hitch|introduce|jog|listen|move|nail|offer|pass|pop|post|present|prove|\
     propose|reply|report|respond|ride|run|sail|say|sell|ship|show|sign|speak|staple|submit|subscribe|switch|swim|talk|teach|\
     travel|upload|wave|wire|write|nip|pin|sing|lend|suggest|transfer|connect|pledge|start|get|go|try|remember|pack",
);
/// Nouns for what goes to somebody or somewhere as a chore.
const ERRANDS: Set = set(
    "answer|apology|application|bouquet|bus|call|card|changes|complaint|delivery|donation|drive|email|errand|flight|flowers|\
     gift|invitation|invitations|invite|invites|invoice|journey|letter|letters|lift|message|move|note|outing|parcel|payment|\
     postcard|present|presents|presentation|quote|refund|repairs|reply|report|response|return|ride|run|speech|taxi|text|\
     thanks|tickets|toast|tour|train|transfer|trip|trips|updates|visit|visits|voicemail|walk|way|welcome",
);
/// Who can be put somewhere.
const PEOPLE: Set = set("me|him|her|them|us|you|everyone|everybody|myself|someone|somebody|anyone|yourself");
/// Places of people and of other programs.
const PLACES: Set = set(
    "album|app|band|board|book|broadcast|call|channel|chat|chatroom|circle|class|club|committee|conference|conversation|course|\
     crew|database|deck|directory|discord|discussion|doc|document|email|event|facebook|family|file|folder|form|forum|game|\
     group|instagram|invite|lobby|mailing|meeting|mix|newsletter|org|page|party|petition|poll|presentation|query|register|\
     repo|roster|rota|server|session|sheet|signal|site|slack|slide|spreadsheet|squad|story|tab|team|teams|telegram|thread|\
     website|whatsapp|workspace|zoom",
);

/// What "add …" says of something that goes to a place that is not the list; `None` if it is a task as any.
pub(super) fn elsewhere(stretch: &[Word], clause: &[Word], context: Context) -> Option<Part> {
    let orders = clause.first().is_some_and(|first| set!("add|append|include").has(&first.key));
    let ours = clause.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS"));
    let plain = stretch.iter().all(|word| word.kind == Kind::Plain);
    if !orders || ours || !plain {
        return None;
    }
    let leads = |at: &usize| match stretch[*at].key.as_str() {
        "to" | "into" | "onto" => true,
        "in" => clause[0].key == "include",
        _ => false,
    };
    let at = (1..stretch.len().saturating_sub(1)).rev().find(leads)?;
    let (thing, rest) = (&stretch[..at], &stretch[at + 1..]);
    if chore(thing) {
        return None;
    }
    const OWNED: Set = set("the|my|our|a|an|this|that|your|his|her|their|both|another|all");
    let dated = |word: &Word| context.dates().iter().any(|found| found.span.contains(&word.start));
    let place: Vec<&Word> = rest.iter().filter(|word| !dated(word)).collect();
    let named = place.first().is_some_and(|word| OWNED.has(&word.key));
    let person = thing.iter().all(|word| PEOPLE.has(&word.key) || word.key == "and" || capital(word, context));
    if place.is_empty() || place.len() > 5 || !(named || person) {
        return None;
    }
    let of_people = place.iter().any(|word| PLACES.has(&word.key));
    let pronoun = thing.iter().any(|word| PEOPLE.has(&word.key));
    Some(match of_people || pronoun && named {
        true => scope::foreign(),
        false => scope::add_or_find(context.raw(clause)),
    })
}

/// "note to self: …": what follows is to be remembered, whatever it orders.
pub(super) fn to_self(clause: &[Word]) -> bool {
    let from =
        clause.iter().take_while(|word| set!("a|an|another|quick|little|short|wee|mental|new").has(&word.key)).count();
    let key = |ahead: usize| clause.get(from + ahead).map_or("", |word| word.key.as_str());
    let mental = from > 0 && clause[from - 1].key == "mental" && key(0) == "note";
    let own = set!("self|myself").has(key(2)) || key(2) == "me" && key(0) != "TASK" && key(1) == "to";
    mental || set!("note|memo|TASK").has(key(0)) && set!("to|for").has(key(1)) && own
}

/// "add a letter to the council": a chore, whatever else its words are used for.
pub(super) fn errand(clause: &[Word]) -> bool {
    let lead =
        clause.iter().rposition(|word| word.key == "to").filter(|at| (2..=5).contains(at) && *at + 1 < clause.len());
    let orders = clause.first().is_some_and(|first| first.key == "add");
    lead.filter(|_| orders).is_some_and(|at| {
        let goes = |word: &Word| ERRANDS.has(&word.key) && !PLACES.has(&word.key);
        clause[1..at].iter().any(goes)
            && !clause[at..].iter().any(|word| PLACES.has(&word.key) || FOREIGN.has(&word.key))
    })
}

/// "soap onto the list", "soap on the list please": a thing and where it goes, without a verb.
pub(super) fn bare(clause: &[Word], context: Context) -> Option<Part> {
    const NOTHING: Set = set(
        "is|are|was|were|be|not|no|it|that|this|them|those|these|i|im|ive|we|you|there|theres|leave|keep|any|anything|some|\
         something|everything|nothing|all|stuff|what|whats|which|who|how|when|where|why|if|stays|stay|already|LIST|TASK|TASKS|\
         one|ones|see|look|go|goes|did|do|have|has|had|still|remain|remains",
    );
    let [thing @ .., lead, list] = clause else { return None };
    let polite = || {
        let said = context.text.to_lowercase();
        ["please", "pls", "plz", "thanks", "thank you", "cheers"].iter().any(|word| said.contains(word))
    };
    let placed = match lead.key.as_str() {
        "onto" | "to" | "into" => true,
        "on" => polite(),
        _ => false,
    };
    let first = thing.first()?;
    let named = thing.len() <= 5 && thing.iter().all(|word| !(word.is_mark() || NOTHING.has(&word.key)));
    // "bin bags onto the list"
    const NOUNS: Set = set("bin|trash|junk|scrap|label|tag|drop|close|cross|axe");
    let noun = NOUNS.has(&first.key) && thing.len() >= 2 && matches!(lead.key.as_str(), "onto" | "into");
    let states = thing.iter().any(|word| is_past(&word.key)) || COMMANDS.has(&first.key) && !noun;
    (placed && list.key == "LIST" && named && !states && !context.text.trim_end().ends_with('?'))
        .then(|| reading::add(thing, clause, &vec![], context, false))
}

/// Whether words begin like a chore, or name one.
fn chore(thing: &[Word]) -> bool {
    let first = thing.iter().find(|word| !set!("a|an|the|my|our|some|to").has(&word.key));
    let opens = |word: &Word| {
        let key = word.key.as_str();
        opens_chore(key) || COMMANDS.has(key) || VERBS.has(key) || key.ends_with("ing") || is_past(key)
    };
    first.is_some_and(opens) || thing.iter().any(|word| ERRANDS.has(&word.key))
}

/// Whether a word is written as a name is.
fn capital(word: &Word, context: Context) -> bool {
    context.text[word.start..word.end].starts_with(char::is_uppercase)
}
