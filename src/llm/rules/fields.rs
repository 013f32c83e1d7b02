//! New tasks out of the words for them: items of a list, titles, dates, priorities, notes.

use super::frames::COMMANDS;
use super::intent::NewItem;
use super::levels::priority;
use super::pairs::two_days;
use super::particles;
use super::qualities;
use super::reading::Context;
use super::set::{Set, set};
use super::words::{Kind, Word, words};
use crate::domain::task::Priority;
use crate::domain::when;

/// What a note on a task is called.
pub(super) const NOTES: Set = set("description|note|notes|details|detail|comment|info|memo|remark");

/// Words that a cut may leave hanging at the end of a title.
const HANGING: Set =
    set("over|on|by|at|for|in|before|b4|during|of|from|since|until|till|is|are|after|due|scheduled|and|every|the|\
         starting|around|within|about");
/// Words that only led to a project which was taken out of the end of a title.
const INTO: [&str; 3] = [" to", " into", " under"];
/// Words that a cut may leave hanging at the start of a title.
const LEADING: Set = set("towards|regarding|called|titled|saying|to|that|for|about|i need to|i have to|and|there is a");

/// The tasks that a stretch names. `listed`: said to go on a list, where short items joined by "and" are several. `count`: how
/// many they were said to be.
pub(super) fn items(stretch: &[Word], context: Context, listed: bool, count: Option<usize>) -> Vec<NewItem> {
    let pieces = counted(stretch, count).unwrap_or_else(|| split(stretch, context, listed));
    pieces.into_iter().map(|piece| item(piece, context)).collect()
}

/// A title to be set: quotes around it go, its own dates and its closing bracket stay.
pub(super) fn new_title(stretch: &[Word], context: Context) -> String {
    // "call it “x” from now on"
    if let [quoted, rest @ ..] = stretch
        && quoted.kind == Kind::Quoted
        && rest.iter().all(|word| {
            word.is_mark()
                || set!("from|now|on|instead|please|thanks|then|again|correct|fix|change|update|that|it|ok|okay")
                    .has(&word.key)
        })
    {
        return context.text[quoted.start..quoted.end].trim().to_owned();
    }
    let raw = context.raw(stretch).trim();
    if raw.is_empty() {
        return String::new();
    }
    let after = &context.text[raw.as_ptr() as usize - context.text.as_ptr() as usize + raw.len()..];
    let closed = raw.contains('(') && !raw.contains(')') && after.starts_with(')');
    let title = raw.trim_end_matches(['.', '!', ',']);
    if closed { format!("{title})") } else { title.to_owned() }
}

/// Things that are one although "and" joins them.
const PAIRS: Set = set(
    "half and half|mac and cheese|macaroni and cheese|fish and chips|salt and vinegar|bed and breakfast|sweet and sour|\
         gin and tonic|head and shoulders|bits and bobs|odds and ends|pork and beans|lost and found|arts and crafts|\
         ham and cheese|salt and pepper|nuts and bolts|pick and mix|cookies and cream|bread and butter|mum and dad|\
         mom and dad|bacon and egg|ins and outs|trial and error|terms and conditions|research and development|p and l",
);

/// Whether the "and" at `at` joins two words into one thing.
fn paired(stretch: &[Word], at: usize) -> bool {
    let near = |at: Option<usize>| at.and_then(|at| stretch.get(at)).map_or("", |word| word.key.as_str());
    stretch[at].key == "and" && PAIRS.has(&format!("{} and {}", near(at.checked_sub(1)), near(Some(at + 1))))
}

/// Exactly as many pieces as were announced, if the stretch has so many.
fn counted(stretch: &[Word], count: Option<usize>) -> Option<Vec<&[Word]>> {
    let cut = |word: &Word| word.is_mark() && matches!(word.key.as_str(), "," | ";" | "\n") || word.key == "and";
    let pieces: Vec<&[Word]> = stretch.split(cut).filter(|piece| has_words(piece)).collect();
    (pieces.len() > 1 && Some(pieces.len()) == count).then_some(pieces)
}

/// Cuts a stretch at list marks: lines, semicolons, commas, and "and" between short nouns.
fn split<'a>(stretch: &'a [Word], context: Context, listed: bool) -> Vec<&'a [Word]> {
    let lines: Vec<&[Word]> = stretch
        .split(|word| matches!(word.key.as_str(), "\n" | ";") && word.is_mark())
        .filter(|piece| has_words(piece))
        .collect();
    const NOTES: Set = set("description|note|notes|details|detail|comment");
    let noting = lines
        .iter()
        .skip(1)
        .any(|line| line.iter().find(|word| !word.is_mark()).is_some_and(|word| NOTES.has(&word.key)));
    if noting {
        return vec![stretch];
    }
    if lines.len() > 1 {
        return lines;
    }
    if stretch.iter().filter(|word| word.kind == Kind::Quoted).count() > 1 {
        let quoted: Vec<&[Word]> =
            stretch.split(|word| word.is_mark() || word.key == "and").filter(|piece| has_words(piece)).collect();
        if quoted.iter().all(|piece| piece.len() == 1 && piece[0].kind == Kind::Quoted) {
            return quoted;
        }
    }
    if let Some(at) = two_days(stretch, context) {
        return vec![&stretch[..at], &stretch[at + 1..]];
    }
    let commas = stretch.iter().any(|word| word.is_mark() && word.key == ",");
    let noted = stretch.iter().any(|word| matches!(word.key.as_str(), "description" | "note" | "notes" | "details"));
    if noted || !(listed || commas) {
        return vec![stretch];
    }
    let cut = |word: &Word| word.is_mark() && word.key == "," || word.key == "and" && word.kind == Kind::Plain;
    let ends: Vec<usize> = (0..stretch.len())
        .filter(|at| cut(&stretch[*at]) && !paired(stretch, *at) && !qualities::follows(stretch, *at))
        .collect();
    let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    let stops = ends.iter().copied().chain(std::iter::once(stretch.len()));
    let pieces: Vec<&[Word]> =
        starts.zip(stops).map(|(from, to)| &stretch[from..to]).filter(|piece| has_words(piece)).collect();
    let short = |piece: &&[Word]| piece.iter().filter(|word| !word.is_mark()).count() <= if commas { 3 } else { 2 };
    let dated = |piece: &&[Word]| context.date(piece).is_some();
    let chores = |piece: &&[Word]| piece.iter().find(|word| !word.is_mark()).is_some_and(|word| opens_chore(&word.key));
    if commas && pieces.len() >= 2 && pieces.iter().all(chores) {
        return pieces;
    }
    let kinds = (0..stretch.len()).any(|at| qualities::follows(stretch, at));
    let many = pieces.len() >= if listed || kinds { 2 } else { 3 };
    let verbal = pieces
        .first()
        .and_then(|piece| piece.iter().find(|word| !word.is_mark()))
        .is_some_and(|word| opens_chore(&word.key) || word.key.ends_with("ing"));
    if many && pieces.iter().all(short) && !pieces.iter().any(dated) && !verbal { pieces } else { vec![stretch] }
}

/// Verbs with which one chore of several objects begins: "call mum and dad" is one task.
pub(super) fn opens_chore(key: &str) -> bool {
    set!(
        "call|buy|get|email|ring|text|wash|clean|meet|visit|pick|feed|water|pack|cook|see|phone|order|book|invite|\
         send|go|do|make|take|fix|pay|study|read|write|check|bring|drop|walk|plan|collect|return|print|find|sort|\
         tidy|mow|vacuum|dust|sweep|mop|iron|fold|drink|eat|thank|ask|tell|purchase|grab|rest|stop|review|update|\
         wrap|rinse"
    )
    .has(key)
}

pub(super) fn has_words(piece: &[Word]) -> bool {
    piece.iter().any(|word| !word.is_mark())
}

/// "returning the books" as a chore: "return the books". Only before what is certainly its object.
fn plain_verb(title: &str) -> Option<String> {
    let (verb, rest) = title.split_once(' ')?;
    let object = rest.split(' ').next().is_some_and(|word| set!("the|my|our|a|an|his|her|their|these|those").has(word));
    let stem = verb.strip_suffix("ing").filter(|stem| object && stem.len() >= 2)?;
    let doubled = stem.len() > 2 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2];
    let forms =
        [stem.to_owned(), format!("{stem}e"), if doubled { stem[..stem.len() - 1].to_owned() } else { String::new() }];
    let base = forms.into_iter().find(|form| opens_chore(form) || COMMANDS.has(form))?;
    // "walking the dog and feeding the cat": both, or none.
    match rest.split_once(" and ").filter(|(_, more)| more.split(' ').next().is_some_and(|verb| verb.ends_with("ing")))
    {
        Some((object, more)) => Some(format!("{base} {object} and {}", plain_verb(more)?)),
        None => Some(format!("{base} {rest}")),
    }
}

/// One task from its words.
fn item(stretch: &[Word], context: Context) -> NewItem {
    let significant: Vec<&Word> = stretch.iter().filter(|word| !word.is_mark()).collect();
    if let [only] = significant.as_slice()
        && only.kind == Kind::Quoted
    {
        return NewItem { title: context.text[only.start..only.end].trim().to_owned(), ..NewItem::default() };
    }
    let (head, description) = described(stretch, context);
    let (line, level) = leveled(head, context.raw_with_quotes(head));
    let quick = when::quick_add(&line, context.now, context.zone);
    let cut = quick.due.is_some() || quick.project.is_some() || !quick.tags.is_empty();
    let dated = quick.spans.iter().rfind(|span| matches!(span.kind, when::SpanKind::Due | when::SpanKind::Recurrence));
    let behind = dated.filter(|span| span.end == line.trim_end().len()).map(|span| &line[span.start..span.end]);
    let particle = particles::kept(&quick.title, behind).filter(|_| cut);
    let title = match particle {
        Some(whole) => whole,
        None if cut => tidy(&quick.title),
        None => trimmed(&quick.title),
    };
    let led = INTO.iter().find_map(|word| title.strip_suffix(word)).filter(|_| quick.project.is_some());
    let title = led.unwrap_or(&title).to_owned();
    NewItem {
        title: plain_verb(&title).unwrap_or(title),
        description,
        due: quick.due.map(|due| due.as_str().to_owned()),
        priority: quick.priority.or(level),
        project: quick.project,
        tags: quick.tags,
        recurrence: quick.recurrence,
        shop: None,
    }
}

impl<'a> Context<'a> {
    /// Like [`Context::raw`], with the quotes around a quotation at its edges.
    fn raw_with_quotes(&self, stretch: &[Word]) -> &'a str {
        let raw = self.raw(stretch);
        let quoted = |word: Option<&Word>| word.is_some_and(|word| word.kind == Kind::Quoted);
        let from = raw.as_ptr() as usize - self.text.as_ptr() as usize;
        let to = from + raw.len();
        let before = self.text[..from]
            .chars()
            .next_back()
            .filter(|_| quoted(stretch.iter().find(|word| !word.is_mark())))
            .map_or(0, char::len_utf8);
        let after = self.text[to..]
            .chars()
            .next()
            .filter(|c| quoted(stretch.iter().rfind(|word| !word.is_mark())) || *c == ')' && raw.contains('('))
            .map_or(0, char::len_utf8);
        &self.text[from - before..to + after]
    }
}

/// "… with description milk, eggs": what stands before it, and the notes.
fn described<'a>(stretch: &'a [Word], context: Context) -> (&'a [Word], Option<String>) {
    let noun = |at: usize| {
        stretch
            .get(at)
            .is_some_and(|word| matches!(word.key.as_str(), "description" | "note" | "notes" | "details" | "comment"))
    };
    for (at, word) in stretch.iter().enumerate() {
        // After a sentence or a line only with its colon: "details: two of them".
        let colon = || stretch.get(at + 2).is_some_and(|word| word.is_mark() && word.key == ":");
        let led = matches!(word.key.as_str(), "with" | "and")
            || word.is_mark() && matches!(word.key.as_str(), "," | "-" | "–" | ";" | "(")
            || word.is_mark() && matches!(word.key.as_str(), "." | "\n") && noun(at + 1) && colon();
        if !led || at == 0 {
            continue;
        }
        let mut next = at + 1;
        while stretch.get(next).is_some_and(|word| matches!(word.key.as_str(), "a" | "the" | "with" | "its" | "as")) {
            next += 1;
        }
        if let Some(end) = noted_last(stretch, at, next) {
            return (&stretch[..at], Some(context.raw(&stretch[next..end]).to_owned()));
        }
        if noun(next) {
            let mut from = next + 1;
            while stretch.get(from).is_some_and(|word| {
                word.is_mark()
                    || matches!(
                        word.key.as_str(),
                        "of" | "saying"
                            | "that"
                            | "says"
                            | "to"
                            | "reading"
                            | "is"
                            | "should"
                            | "must"
                            | "be"
                            | "say"
                            | "read"
                    )
            }) {
                from += 1;
            }
            let notes = context.raw(&stretch[from.min(stretch.len())..]);
            if !notes.is_empty() {
                return (&stretch[..at], Some(notes.to_owned()));
            }
        }
    }
    (stretch, None)
}

/// "… with bring a torch as the note": where the note ends that is named only behind it.
fn noted_last(stretch: &[Word], at: usize, from: usize) -> Option<usize> {
    let end = stretch.iter().rposition(|word| !word.is_mark())?;
    let key = |at: usize| stretch[at].key.as_str();
    let led = key(at) == "with" && NOTES.has(key(end)) && end > from + 2;
    if !led {
        return None;
    }
    let article = set!("the|a|its").has(key(end - 1));
    let place = end - 1 - usize::from(article);
    (place > from && matches!(key(place), "as" | "in" | "under")).then_some(place)
}

/// Takes "with high priority", "as urgent" or a leading "urgent:" out of a line, whose words are `said`.
fn leveled(said: &[Word], line: &str) -> (String, Option<Priority>) {
    // "pay the tax (urgent)"
    const LEVELS: Set = set("urgent|important|critical|high|medium|low|high prio|low prio");
    let bracket = line.strip_suffix(')').and_then(|open| open.rsplit_once(" ("));
    if let Some((rest, level)) = bracket.filter(|(_, inside)| LEVELS.has(&inside.to_lowercase()))
        && let Some(level) = priority(&words(level)[..1])
    {
        return (rest.to_owned(), Some(level));
    }
    if !said.iter().any(|word| word.key == "priority") {
        return (line.to_owned(), None);
    }
    let found = words(line);
    for (at, word) in found.iter().enumerate() {
        if word.key != "priority" || at == 0 {
            continue;
        }
        let before = priority(&found[at - 1..at]);
        // "priority: high"
        let next = at + 1 + usize::from(found.get(at + 1).is_some_and(|word| matches!(word.key.as_str(), ":" | "=")));
        let after = found.get(next..next + 1).and_then(priority).filter(|_| before.is_none());
        let Some(level) = before.or(after) else { continue };
        let last = if after.is_some() { next } else { at };
        let mut from = if after.is_some() { at } else { at - 1 };
        const LEADS: Set = set("with|as|at|a|and|it|is|,|-|(|mark|make|of|set|to");
        let led = |word: &Word| LEADS.has(&word.key) || word.is_mark() && matches!(word.key.as_str(), "|" | ";");
        while from > 0 && led(&found[from - 1]) {
            from -= 1;
        }
        let mut to = found[last].end;
        if let Some(next) = found.get(last + 1).filter(|next| matches!(next.key.as_str(), ")" | ":" | "," | "TASK")) {
            to = next.end;
        }
        return (format!("{} {}", &line[..found[from].start], &line[to..]), Some(level));
    }
    (line.to_owned(), None)
}

/// A title that nothing was cut out of: only marks at its edges go.
fn trimmed(title: &str) -> String {
    let title = title.trim_matches([':', ',', ';', '-', '–', ' ', '!']);
    let title = if title.ends_with("..") { title } else { title.trim_end_matches('.') };
    let led = LEADING.iter().find_map(|word| title.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')));
    led.unwrap_or(title).to_owned()
}

/// A title without what cutting a date out of it left behind.
pub(super) fn tidy(title: &str) -> String {
    let mut title = title.trim();
    loop {
        let before = title;
        title = title
            .trim_start_matches([':', ',', ';', '-', '–', '.', ' '])
            .trim_end_matches([':', ',', ';', '-', '–', ' ', '!', '(', '|']);
        if title.ends_with('.') && !title.ends_with("..") {
            title = title.trim_end_matches('.');
        }
        // "(due friday)" without its day.
        let emptied = title.strip_suffix(')').and_then(|open| open.trim_end().strip_suffix('('));
        title = emptied.unwrap_or(title);
        for word in HANGING.iter() {
            let cut = title.len().checked_sub(word.len() + 1);
            if let Some(cut) = cut
                && title.is_char_boundary(cut)
                && title[cut..].to_lowercase().strip_prefix(' ') == Some(word)
            {
                title = &title[..cut];
            }
        }
        for word in LEADING.iter() {
            if title.len() > word.len() + 1
                && title.is_char_boundary(word.len())
                && title[..word.len()].eq_ignore_ascii_case(word)
                && title[word.len()..].starts_with(' ')
            {
                title = &title[word.len() + 1..];
            }
        }
        if title == before {
            break;
        }
    }
    let inner = title.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|inner| !inner.contains('"'));
    inner.unwrap_or(title).to_owned()
}

/// Whether a title points at something unsaid instead of naming it.
/// "add seventeen and twenty six" is a sum and no task.
const NUMBERS: Set = set(
    "and|plus|minus|times|zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|\
         sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand",
);

pub(super) fn says_nothing(title: &str) -> bool {
    let lower = title.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    words.is_empty()
        || words.iter().all(|word| {
            set!(
                "it|this|that|thing|things|something|anything|stuff|do|later|in|a|bit|them|one|some|the|to|few|\
                 item|items|reminder|task|please|up|here|there|again|these|those|also|too|for|me|now|new|another|\
                 an|my|list|todo|of|on|at|set|nothing|none"
            )
            .has(word)
                || NUMBERS.has(word)
        })
}
