//! Statements that a request points back to: what of "we've run out of bread again, stick it on the list" is the task.

use super::fields::opens_chore;
use super::intent::{NewItem, Target};
use super::matching::is_past;
use super::pattern::phrase_at;
use super::reading::Context;
use super::set::{Index, Set, set};
use super::target::number;
use super::words::Word;

/// Who speaks.
const WHO: Index = Index::of(set("i|ive|im|id|ill|i am|i have|i will|ive just|i just|we|weve|were|wed|well|we are|\
             we have|we will"));
/// What says how much or how surely.
const HOW: Index = Index::of(set("also|almost|all|always|actually|already|absolutely|apparently|both|badly|\
             completely|clean|clearly|definitely|do|desperately|finally|fresh|getting|gotten|got|have|just|kind of|\
             literally|now|nearly|only|obviously|probably|pretty|really|running|run|still|seriously|soon|sort of|so|\
             totally|urgently|very"));
/// What makes a wish or a lack of the words after it.
const WISH: Index = Index::of(set("am supposed to|about to run out of|agreed to|a|an|better|been meaning to|\
             been told to|been asked to|booked a|booked an|booked in for|could do with some|could do with|\
             could use some|could use|cant forget to|cant forget|dont have any|dont have|do not have any|\
             down to my last|down to our last|down to the last|due to|finished the last of|finished off|forgot to|\
             forgot about|forgot|got to|going to need|going to|gone to need|got a|got an|got some|got the|got my|\
             have got to|have to get|have to|had better|havent any|havent got any|have no more|have no|\
             have not got any|have a|have an|have the|have my|have some|having a|having an|having|in for a|in for|\
             keep forgetting to|keep forgetting|keep meaning to|kept forgetting to|know i need to|like to|low on|\
             must get|must|meant to|missing|mustnt forget to|mustnt forget|need to get|need to buy more|need more|\
             need some|need to|need|no more|need of|need for|ought to|out of|planning to|promised to|ran out of|\
             should probably|should|supposed to|shall need to|shall have to|shall need|shall|short on|short of|shy of|said id|said i would|to|thinking of|told to|\
             think i need to|think i need|think we need|think|used the last of|used up the last of|used up all|\
             used up|used all|want some|want to|want|will need to|will have to|would like to|would like"));
/// What says that there is something.
const THERE: Index = Index::of(set(
    "almost out of|as|and|also|apparently|because|better|dont forget to|gotta|got to|have to|its|it is|ive got|\
         i think|its time to|i was told to|ive been told to|like|low on|looks like i need to|looks like we need|\
         looks like were out of|looks like|must|need to|need some|need|no more|nearly out of|out of|oh|ok|ought to|\
         please|running low on|running out of|ran out of|run out of|remember to|should|so|since|seems like|theres a|\
         theres an|theres the|theres my|theres our|theres some|theres|there is a|there is an|there is the|there is|\
         there are some|there are|therere|there will be a|therell be a|that|then|the fact that|turns out|time to|\
         weve got",
));
/// What may hang at the end of a statement.
const HANGING: Set = set(
    "so|and|again|too|though|tho|already|now|please|then|but|also|actually|as well|soon|at the moment|right now|\
         is running low|are running low|is low|are low|is getting low|are getting low|is almost out|are almost out|\
         is nearly out|is almost gone|are almost gone|is nearly gone|is all gone|are all gone|is gone|are gone|\
         is empty|is almost empty|is nearly empty|is finished|is out|are out|has run out|have run out|ran out|\
         is running out|are running out|just ran out|needs doing|needs to be done|need doing|need to be done|apparently|\
         is needed|are needed|needs buying|need buying|is missing|are missing|is on its last legs|is nearly finished|\
         is almost finished|is almost done|are nearly finished|are almost finished|i reckon|i think|i suppose",
);

/// A stretch without what makes a statement or a wish of it: "i'm out of kleenex" is about kleenex. `stated`: nobody said
/// "add", so that even a bare "i" goes.
pub(super) fn content(stretch: &[Word], stated: bool) -> &[Word] {
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

/// Whether a statement tells how something came to be missing: its day is no day on which to get more.
pub(super) fn spent(said: &[Word]) -> bool {
    const PAST: Set =
        set("ran|used|finished|ate|drank|broke|emptied|spilt|spilled|smashed|threw|lost|eaten|drunk|broken");
    said.iter().take(5).any(|word| PAST.has(&word.key))
}

/// New tasks, without their days where those tell of something past.
pub(super) fn undated(mut items: Vec<NewItem>, past: bool) -> Vec<NewItem> {
    items.iter_mut().filter(|_| past).for_each(|item| item.due = None);
    items
}

/// Where the thing begins that somebody else wants: "the kids would like …", "my husband needs …".
fn others_wish(words: &[Word]) -> Option<usize> {
    const WISHES: Set = set("want|wants|wanted|fancy|fancies|needs|need|like|for|after");
    const LEADS: Set = set("would|is|are|has|have|asked|asking|been|will|really|also");
    const PEOPLE: Set = set(
        "kids|children|child|son|daughter|boys|girls|twins|husband|wife|partner|boyfriend|girlfriend|mum|mom|mam|dad|nan|\
         gran|grandma|grandad|grandpa|sister|brother|flatmate|roommate|housemate|neighbour|neighbor|boss|baby|toddler|dog|\
         cat|cats|dogs|aunt|family|everyone|guests|team|class|teacher|he|she|they|lad|lads|boy|girl|wifey|hubby|auntie|uncle",
    );
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

/// "no coffee left": coffee.
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

/// What leads a new task even where it was said to be one: "add i need salt", not "add there is a light".
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

/// The end of "we're nearly out of", "i've gotta", "i".
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
const NOISE: Index = Index::of(set(
    "LIST|TASK|TASKS|accident|accidentally|added|already|am|about|are|arent|aint|arrived|arrives|arriving|anymore|at|again|afternoon|and|\
         as|all|a|an|also|actually|after|away|anyway|any|against|ago|apparently|by|be|been|being|because|business|barely|begun|\
         bit|before|back|bother|bothered|changed|cancelled|canceled|called|can|could|came|comes|come|coming|completed|complete|care|couple|\
         crossed|did|done|dont|doesnt|didnt|do|does|decided|days|error|evening|earlier|ended|else|finally|finished|\
         for|finish|few|far|got|get|getting|gets|gone|going|guess|have|had|has|happening|happen|happens|he|his|her|\
         havent|hasnt|here|hardly|hour|hours|hurry|i|ive|im|its|is|isnt|important|it|in|instead|idea|just|knocked|looks|like|longer|last|lot|mistake|my|\
         mind|morning|me|more|make|makes|made|managed|much|minute|minutes|miles|moved|myself|no|not|needed|need|nowhere|near|needs|now|\
         nailed|off|on|out|of|our|over|one|ones|oh|ok|only|ourselves|put|pressing|point|really|right|rush|seems|so|since|she|\
         should|sorted|sort|stuff|sorry|still|some|someone|started|starting|somebody|smashed|the|think|today|tonight|that|thats|this|\
         they|them|to|too|taken|thing|things|there|theres|turns|turned|ticked|up|urgency|urgent|us|very|weve|we|was|were|with|wasnt|\
         werent|want|wanted|wants|week|would|will|wont|whole|well|way|what|which|who|wrapped|yesterday|you|yeah|yet",
));

/// The task that a statement names by its number: "task 2 isn't that important".
pub(super) fn numbered(said: &[Word]) -> Option<Target> {
    let led = |at: usize| {
        said[at].key.starts_with('#') || at > 0 && matches!(said[at - 1].key.as_str(), "TASK" | "number" | "nr" | "no")
    };
    let mut found = (0..said.len()).filter(|at| led(*at)).filter_map(|at| number(&said[at].key, true));
    let only = found.next().filter(|_| found.next().is_none());
    only.map(|number| Target::Numbers(vec![number]))
}

/// The things that a statement names, if it names several: "bought the eggs and the flour".
pub(super) fn several(said: &[Word]) -> Option<&[Word]> {
    let lead = |word: &Word| {
        set!("i|we|ive|weve|have|just|already|finally|all|both").has(&word.key) || is_past(&word.key) || word.is_mark()
    };
    let from = said.iter().position(|word| !lead(word))?;
    let rest = &said[from..];
    let joined = (1..rest.len().saturating_sub(1)).any(|at| rest[at].key == "and");
    let says = rest.iter().any(|word| set!("is|are|was|were|have|has|not|i|we|so|but").has(&word.key));
    (joined && !says).then_some(rest)
}

/// The telling words of a statement: "the dentist thing isn't happening anymore" is about a dentist.
pub(super) fn telling(said: &[Word], context: Context) -> String {
    if excuses(said) {
        return String::new();
    }
    let kept: Vec<&str> = said
        .iter()
        .filter(|word| !(word.is_mark() || NOISE.has(&word.key)))
        .map(|word| &context.text[word.start..word.end])
        .collect();
    kept.join(" ")
}

/// Whether a stretch tells what is not to be: that is no title.
pub(super) fn denies(stretch: &[Word]) -> bool {
    let key = |at: usize| stretch.get(at).map_or("", |word| word.key.as_str());
    let from = usize::from(set!("i|we|it|theres").has(key(0)));
    set!("no|not").has(key(from)) && set!("longer|need|more|going|doing|any").has(key(from + 1))
        || set!("dont|doesnt|wont|neednt|cant|isnt|never").has(key(from)) && from < stretch.len()
}

/// The words of a message before a reason that only states something: "leave 3 open, i'm waiting on parts".
pub(super) fn before_reason(message: &[Word]) -> Vec<&str> {
    const MOST: usize = 40;
    const REASONS: Set = set("im|ive|ill|its|because|cos|cause|coz|since|theyre|hes|shes|were|until|till");
    let orders = |word: &Word| super::frames::SURE_COMMANDS.has(&word.key);
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

/// Whether a stretch says something instead of asking for it: "costco delivered", "its dark in here".
pub(super) fn states(stretch: &[Word]) -> bool {
    const SUBJECTS: Set =
        set("i|im|ive|ill|id|we|weve|were|wed|its|it|hes|shes|he|she|they|theyre|theyve|theres|there|thats|you|youve|\
             youre|because|cause|cos|cuz|coz|since|as|nobody|someone|somebody|everyone|everything|everythings|no|not|\
             apparently|turns|my|our|the|somebodys|someones|mum|dad|mom|wife|husband");
    const VERBS: Set = set(
        "is|are|was|were|has|have|had|did|does|doesnt|didnt|isnt|arent|wasnt|werent|cant|cannot|wont|dont|said|says|\
             got|gets|came|comes|called|beat|fell|broke|left|knows|wants|needs|happened|cancelled|sold|went|goes|will|\
             would|could|should|turned|looks|seems|sounds|feels|just|already|im|ive|weve|its|hasnt|havent|gave|took|\
             rang|caught|let|put|sent|bought",
    );
    const DOES: Set = set(
        "doing|getting|taking|sorting|handling|bringing|coming|buying|having|giving|picking|organising|organizing|dealing|\
             covering|booking|hosting|lending|sending|fetching|collecting",
    );
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

/// "jamie's driving me": somebody does something, where only an apostrophe says so.
pub(super) fn does(stretch: &[Word]) -> bool {
    const DOING: Set = set("got|gonna|taken|brought|bought|done|sorted|given|lent|found|made|on|already|now");
    let [who, what, ..] = stretch else { return false };
    let somebody = who.key.len() > 2 && who.key.ends_with('s') && !who.key.ends_with("ss");
    somebody && (what.key.len() > 4 && what.key.ends_with("ing") || DOING.has(&what.key))
}

/// Whether a stretch is an excuse without a verb of its own: "wrong list", "my mistake", "meant for jo".
pub(super) fn excuses(stretch: &[Word]) -> bool {
    const WORDS: Set = set(
        "wrong|list|LIST|one|TASK|TASKS|mistake|my|bad|by|accident|a|was|it|that|thats|its|sorry|oops|whoops|typo|duplicate|dupe|\
         changed|mind|i|ive|meant|for|another|other|app|person|chat|day|week|window|not|mine|needed|anymore|false|alarm|silly|me|\
         error|in|an|the|wasnt|isnt|supposed|to|be|on|here|there|this|belongs|elsewhere|place|dont|need|no|longer|already|got|have|\
         did|put|added|twice|double|of|after|all|misread|misheard|slip|finger|autocorrect|fault|goes|somewhere|else|account",
    );
    const WHY: Set = set(
        "wrong|mistake|bad|accident|typo|duplicate|dupe|mind|alarm|error|twice|mine|elsewhere|needed|meant|silly|misread|misheard|\
         slip|autocorrect|fault|somewhere|longer",
    );
    let words: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let has = |set: Set| words.iter().any(|key| set.has(key));
    // "meant the other one" names another task.
    let another = has(set!("other|another")) && !has(set!("list|LIST|app|person|chat|day|week|window|place|account"));
    words.len() <= 8 && words.iter().all(|key| WORDS.has(key)) && has(WHY) && !another
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

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
