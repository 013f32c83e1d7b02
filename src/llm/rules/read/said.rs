//! Statements that a request refers to: "we've run out of bread again, stick it on the list".

use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Index, Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::chores::opens_chore;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{NewItem, Target};
use crate::llm::rules::read::pattern::phrase_at;
use crate::llm::rules::read::target::number;

/// Subjects in the first person.
const WHO: Index = Index::of(set("i|ive|im|id|ill|i am|i have|i will|ive just|i just|we|weve|were|wed|well|we are|\
             we have|we will"));
/// Adverbs of degree and certainty.
const HOW: Index = Index::of(file_set!("said_how"));
/// Verbs that make the following words a wish or a lack.
const WISH: Index = Index::of(file_set!("said_wish"));
/// Phrases that state existence.
const THERE: Index = Index::of(file_set!("said_there"));
/// Words to strip from the end of a statement.
const HANGING: Set = file_set!("said_hanging");

/// Returns the item of a statement or wish: "kleenex" for "i'm out of kleenex". With `stated`, nobody said "add", so a
/// bare "i" is stripped too.
pub(in crate::llm::rules) fn content(stretch: &[Word], stated: bool) -> &[Word] {
    let mut rest = stretch;
    loop {
        let before = rest.len();
        while rest.first().is_some_and(Word::is_mark) {
            rest = &rest[1..];
        }
        if let Some(end) =
            wished(rest, stated).or_else(|| leading(&THERE, rest).filter(|end| stated || bare(rest, *end)))
        {
            rest = &rest[end..];
        }
        while rest.last().is_some_and(Word::is_mark) {
            rest = &rest[..rest.len() - 1];
        }
        // "add me getting bread"
        if let [me, chore, _, ..] = rest
            && me.key == "me"
            && chore.key.ends_with("ing")
        {
            rest = &rest[1..];
        }
        if stated && let Some(from) = hanging(rest) {
            rest = &rest[..from];
        }
        if stated {
            rest = none_left(rest).unwrap_or(rest);
            rest = others_wish(rest).map_or(rest, |from| &rest[from..]);
        }
        if rest.len() == before {
            return rest;
        }
    }
}

/// Returns true if a statement reports how something was used up; its date is not a due date.
pub(in crate::llm::rules) fn spent(said: &[Word]) -> bool {
    const PAST: Set =
        set("ran|used|finished|ate|drank|broke|emptied|spilt|spilled|smashed|threw|lost|eaten|drunk|broken");
    said.iter().take(5).any(|word| PAST.has(&word.key))
}

/// Clears the dates of new tasks if they belong to the past.
pub(in crate::llm::rules) fn undated(mut items: Vec<NewItem>, past: bool) -> Vec<NewItem> {
    items.iter_mut().filter(|_| past).for_each(|item| item.due = None);
    items
}

/// Returns the start of the thing that somebody else wants: "the kids would like …", "my husband needs …".
fn others_wish(words: &[Word]) -> Option<usize> {
    const WISHES: Set = set("want|wants|wanted|fancy|fancies|needs|need|like|for|after");
    const LEADS: Set = set("would|is|are|has|have|asked|asking|been|will|really|also");
    const PEOPLE: Set = file_set!("said_people");
    let who = words.iter().take(4).position(|word| PEOPLE.has(&word.key))?;
    let owned =
        words[..who].iter().all(|word| set!("my|our|the|his|her|little|old|youngest|eldest|oldest").has(&word.key));
    // "my aunt says we need salt"
    let reports = words.get(who + 1).is_some_and(|word| set!("says|said|reckons|thinks|mentioned").has(&word.key));
    if owned && reports {
        let that = usize::from(words.get(who + 2).is_some_and(|word| word.key == "that"));
        let at = who + 2 + that;
        let own = words.get(at).is_some_and(|word| set!("we|i|were|im|ive|weve|theres|no").has(&word.key));
        return (own && at + 1 < words.len()).then_some(at);
    }
    let lead = words[who + 1..].iter().take(3).take_while(|word| LEADS.has(&word.key)).count();
    let at = who + 1 + lead;
    let wish = words.get(at).filter(|word| WISHES.has(&word.key))?;
    let led = |set: Set| lead > 0 && words[who + 1..at].iter().any(|word| set.has(&word.key));
    let meant = match wish.key.as_str() {
        "like" => led(set!("would")),
        "for" => led(set!("asked|asking")),
        "after" => led(set!("is|are")),
        _ => true,
    };
    let more = words[at + 1..].iter().take_while(|word| set!("some|more|another").has(&word.key)).count();
    let thing = words.get(at + 1 + more)?;
    let chore =
        thing.key == "to" || thing.key.ends_with("ing") || set!("me|us|it|that|them|you|him|her").has(&thing.key);
    (owned && meant && !chore).then_some(at + 1 + more)
}

/// Returns the thing in "no coffee left".
fn none_left(words: &[Word]) -> Option<&[Word]> {
    let lead = match words {
        [no, _, .., left] if no.key == "no" && left.key == "left" => 1,
        [hardly, any, _, .., left]
            if set!("hardly|barely|not").has(&hardly.key)
                && set!("any|much|many|enough").has(&any.key)
                && left.key == "left" =>
        {
            2
        }
        _ => return None,
    };
    Some(&words[lead..words.len() - 1])
}

/// Returns true for openers that are stripped even after "add": "add i need salt", but not "add there is a light".
fn bare(rest: &[Word], end: usize) -> bool {
    let led: Vec<&str> = rest[..end].iter().map(|word| word.key.as_str()).collect();
    set!(
        "need to|need some|need|must|out of|low on|no more|running low on|running out of|ran out of|run out of|\
             almost out of|nearly out of|i think|have to|got to|gotta|that|dont forget to|remember to|ought to|please"
    )
    .has(&led.join(" "))
}

fn leading(phrases: &Index, words: &[Word]) -> Option<usize> {
    phrases
        .under(words.first().map_or("", |word| &word.key))
        .iter()
        .filter_map(|phrase| phrase_at(phrase, words, 0))
        .max()
        .filter(|end| *end < words.len())
}

/// Returns the end of an opener such as "we're nearly out of", "i've gotta" or "i".
fn wished(words: &[Word], stated: bool) -> Option<usize> {
    let who = leading(&WHO, words)?;
    let mut at = who;
    while let Some(how) = leading(&HOW, &words[at..]) {
        if let Some(wish) = leading(&WISH, &words[at..]) {
            return Some(at + wish);
        }
        at += how;
    }
    if let Some(wish) = leading(&WISH, &words[at..]) {
        // "i should really clean the oven"
        let from = at + wish;
        let how =
            words[from..].iter().take_while(|word| set!("really|probably|definitely|actually").has(&word.key)).count();
        return Some(if from + how < words.len() { from + how } else { from });
    }
    let chore = opens_chore(&words[at].key) || at > who;
    (stated && (chore || words[0].key != "were")).then_some(at)
}

fn hanging(words: &[Word]) -> Option<usize> {
    let last = words.last()?.key.as_str();
    let ends = HANGING.ending(last).filter_map(|phrase| {
        let from = words.len().checked_sub(phrase.split(' ').count()).filter(|from| *from > 0)?;
        phrase_at(phrase, words, from).map(|_| from)
    });
    ends.min()
}

/// Words of statements that name no task.
const NOISE: Index = Index::of(file_set!("said_noise"));

/// Returns the task that a statement names by number: "task 2 isn't that important".
pub(in crate::llm::rules) fn numbered(said: &[Word]) -> Option<Target> {
    let led = |at: usize| {
        said[at].key.starts_with('#') || at > 0 && matches!(said[at - 1].key.as_str(), "TASK" | "number" | "nr" | "no")
    };
    let mut found = (0..said.len()).filter(|at| led(*at)).filter_map(|at| number(&said[at].key, true));
    let only = found.next().filter(|_| found.next().is_none());
    only.map(|number| Target::Numbers(vec![number]))
}

/// Returns the things of a statement that names several: "bought the eggs and the flour".
pub(in crate::llm::rules) fn several(said: &[Word]) -> Option<&[Word]> {
    let lead = |word: &Word| {
        set!("i|we|ive|weve|have|just|already|finally|all|both").has(&word.key) || is_past(&word.key) || word.is_mark()
    };
    let from = said.iter().position(|word| !lead(word))?;
    let rest = &said[from..];
    let joined = (1..rest.len().saturating_sub(1)).any(|at| rest[at].key == "and");
    let says = rest.iter().any(|word| set!("is|are|was|were|have|has|not|i|we|so|but").has(&word.key));
    (joined && !says).then_some(rest)
}

/// Returns the significant words of a statement: "the dentist thing isn't happening anymore" is about a dentist.
pub(in crate::llm::rules) fn telling(said: &[Word], context: Context) -> String {
    if excuses(said) {
        return String::new();
    }
    // "can't make it at half 3" describes no task.
    let dated =
        |word: &Word| said[0].key == "cant" && context.dates().iter().any(|found| found.span.contains(&word.start));
    let kept: Vec<&str> = said
        .iter()
        .filter(|word| !(word.is_mark() || NOISE.has(&word.key) || dated(word)))
        .map(|word| &context.text[word.start..word.end])
        .collect();
    kept.join(" ")
}

/// Returns true if a stretch is a negation, which is no title.
pub(in crate::llm::rules) fn denies(stretch: &[Word]) -> bool {
    let key = |at: usize| stretch.get(at).map_or("", |word| word.key.as_str());
    let from = usize::from(set!("i|we|it|theres").has(key(0)));
    set!("no|not").has(key(from)) && set!("longer|need|more|going|doing|any").has(key(from + 1))
        || set!("dont|doesnt|wont|neednt|cant|isnt|never").has(key(from)) && from < stretch.len()
}

/// Returns the words before a reason that is only a statement: "leave 3 open, i'm waiting on parts".
pub(in crate::llm::rules) fn before_reason(message: &[Word]) -> Vec<&str> {
    const MOST: usize = 40;
    const REASONS: Set = set("im|ive|ill|its|because|cos|cause|coz|since|theyre|hes|shes|were|until|till");
    let orders = |word: &Word| crate::llm::rules::lex::frames::SURE_COMMANDS.has(&word.key);
    let reason = |at: &usize| {
        let rest = &message[*at..];
        let led = message[*at - 1].is_mark() || REASONS.has(&message[*at].key);
        let stated = states(rest) || REASONS.has(&message[*at].key);
        led && stated && !rest.iter().any(orders)
    };
    let at = (3..message.len()).find(|at| message.len() <= MOST && reason(at));
    let Some(at) = at else { return vec![] };
    message[..at].iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect()
}

/// Returns true if a stretch is a statement instead of a request: "costco delivered", "its dark in here".
pub(in crate::llm::rules) fn states(stretch: &[Word]) -> bool {
    const SUBJECTS: Set = file_set!("said_subjects");
    const VERBS: Set = file_set!("said_verbs");
    const DOES: Set = file_set!("said_does");
    let words: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let [first, rest @ ..] = words.as_slice() else { return false };
    let strong = set!(
        "im|ive|ill|weve|its|hes|shes|theyre|theyve|theres|thats|youve|youre|because|cause|cos|cuz|coz|since|i|we|\
             it|they|he|she|nobody|someone|somebody|everyone|turns|apparently",
    )
    .has(first);
    let verb = |key: &&str| VERBS.has(key) || is_past(key);
    // "mum's doing it"
    let verbs = set!("needs|wants|was|is|has|gets|likes|keeps|starts|stops|involves|means");
    let does =
        first.ends_with('s') && !verbs.has(first) && rest.len() >= 2 && rest.first().is_some_and(|next| DOES.has(next));
    !rest.is_empty()
        && (strong
            || does
            || SUBJECTS.has(first) && rest.iter().any(verb)
            || !opens_chore(first) && rest.iter().take(3).any(verb))
}

/// Returns true if a contracted "is" makes a statement: "jamie's driving me".
pub(in crate::llm::rules) fn does(stretch: &[Word]) -> bool {
    const DOING: Set = set("got|gonna|taken|brought|bought|done|sorted|given|lent|found|made|on|already|now");
    let [who, what, ..] = stretch else { return false };
    let somebody = who.key.len() > 2 && who.key.ends_with('s') && !who.key.ends_with("ss");
    somebody && (what.key.len() > 4 && what.key.ends_with("ing") || DOING.has(&what.key))
}

/// Returns true for an excuse without a verb of action: "wrong list", "my mistake", "meant for jo".
pub(in crate::llm::rules) fn excuses(stretch: &[Word]) -> bool {
    const WORDS: Set = file_set!("said_words");
    const WHY: Set = file_set!("said_why");
    let words: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let has = |set: Set| words.iter().any(|key| set.has(key));
    // "meant the other one" names another task.
    let another = has(set!("other|another")) && !has(set!("list|LIST|app|person|chat|day|week|window|place|account"));
    words.len() <= 8 && words.iter().all(|key| WORDS.has(key)) && has(WHY) && !another
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn a_statement_is_about_what_it_names() {
        for (said, about) in [
            ("we've nearly run out of olive oil again", "olive oil"),
            ("I gotta return the drill so", "return the drill"),
            ("there's a fire drill on monday", "fire drill on monday"),
            ("the butter is running low", "the butter"),
            ("i feed the fish daily", "feed the fish daily"),
            ("I've got a haircut on the 4th", "haircut on the 4th"),
        ] {
            let message = words(said);
            let kept = content(&message, true);
            assert_eq!(&said[kept[0].start..kept[kept.len() - 1].end], about, "{said}");
        }
    }

    #[test]
    fn statements_are_told_from_things() {
        for said in ["the shop delivered", "aldi had some", "it's dark", "nobody wants it", "mum brought a spare"] {
            assert!(states(&words(said)), "{said}");
        }
        for thing in ["bread", "call mum", "two red peppers", "bread and jam", "wash the car"] {
            assert!(!states(&words(thing)), "{thing}");
        }
    }
}
