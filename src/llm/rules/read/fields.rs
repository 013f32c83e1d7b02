//! Parsing of new tasks: items of a list, titles, dates, priorities, notes.

use crate::domain::task::Priority;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::spoken_fields::{self, Fields};
use crate::llm::rules::normalise::words::{Kind, Word, words};
use crate::llm::rules::read::chores::{has_words, opens_chore, plain_verb};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::NewItem;
use crate::llm::rules::read::levels::priority;
use crate::llm::rules::read::pairs::two_days;
use crate::llm::rules::read::{particles, qualities};

/// Words for the notes of a task.
pub(in crate::llm::rules) const NOTES: Set = set("description|note|notes|details|detail|comment|info|memo|remark");

/// Words to strip from the end of a title after a cut.
const HANGING: Set = file_set!("fields_hanging");
/// Prepositions to strip after a project was removed from the end of a title.
const INTO: [&str; 3] = [" to", " into", " under"];
/// Words to strip from the start of a title after a cut.
const LEADING: Set = set("towards|regarding|called|titled|saying|to|that|for|about|i need to|i have to|and|there is a");

/// Returns the tasks that a stretch names. `listed` says that a list is explicit, so that "and" separates short items.
/// `count` is the announced number.
pub(in crate::llm::rules) fn items(
    stretch: &[Word],
    context: Context,
    listed: bool,
    count: Option<usize>,
) -> Vec<NewItem> {
    let pieces = counted(stretch, count).unwrap_or_else(|| split(stretch, context, listed));
    let mut items: Vec<NewItem> = pieces.into_iter().map(|piece| item(piece, context)).collect();
    let lines = stretch.iter().any(|word| word.is_mark() && matches!(word.key.as_str(), "\n" | ";"));
    let last = stretch.iter().rfind(|word| !word.is_mark());
    let ends_with_day = last.is_some_and(|last| context.dates().iter().any(|found| found.span.end == last.end));
    if ends_with_day && !lines {
        share_last_day(&mut items);
    }
    share_last_label(&mut items, !lines);
    items
}

/// Copies a project or tags of the last item only to all: "milk, eggs and bread #Shopping".
pub(in crate::llm::rules) fn share_last_label(items: &mut [NewItem], shares: bool) {
    let [others @ .., last] = items else { return };
    let labelled = |item: &NewItem| item.project.is_some() || !item.tags.is_empty();
    if shares && labelled(last) && !others.iter().any(labelled) {
        for item in others {
            item.project.clone_from(&last.project);
            item.tags.clone_from(&last.tags);
        }
    }
}

/// Copies a date of the last item only to all: "milk, eggs and bread tomorrow".
fn share_last_day(items: &mut [NewItem]) {
    let [others @ .., last] = items else { return };
    if last.due.is_none() || others.iter().any(|item| item.due.is_some() || item.recurrence.is_some()) {
        return;
    }
    for item in others {
        item.due.clone_from(&last.due);
        item.recurrence.clone_from(&last.recurrence);
    }
}

/// Returns a new title without quotes; its dates and closing bracket remain.
pub(in crate::llm::rules) fn new_title(stretch: &[Word], context: Context) -> String {
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

/// Returns true if the "and" at `at` belongs to a compound.
fn paired(stretch: &[Word], at: usize) -> bool {
    let near = |at: Option<usize>| at.and_then(|at| stretch.get(at)).map_or("", |word| word.key.as_str());
    stretch[at].key == "and"
        && crate::llm::rules::clauses::inseparable::PAIRS.has(&format!(
            "{} and {}",
            near(at.checked_sub(1)),
            near(Some(at + 1))
        ))
}

/// Splits a stretch if it has exactly as many pieces as announced.
fn counted(stretch: &[Word], count: Option<usize>) -> Option<Vec<&[Word]>> {
    let cut = |word: &Word| word.is_mark() && matches!(word.key.as_str(), "," | ";" | "\n") || word.key == "and";
    let pieces: Vec<&[Word]> = stretch.split(cut).filter(|piece| has_words(piece)).collect();
    (pieces.len() > 1 && Some(pieces.len()) == count).then_some(pieces)
}

/// Splits a stretch at lines, semicolons, commas, and "and" between short nouns.
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
    // “dinner with Tom, Sue and Priya”: the people belong to the event.
    let written = |piece: &&[Word]| piece.iter().find(|word| !word.is_mark()).is_some_and(|word| large(word, context));
    let with = pieces.first().is_some_and(|piece| piece.iter().skip(1).any(|word| word.key == "with"));
    if with && !listed && pieces[1..].iter().all(written) {
        return vec![stretch];
    }
    let many = pieces.len() >= if listed || kinds { 2 } else { 3 };
    let verbal = pieces
        .first()
        .and_then(|piece| piece.iter().find(|word| !word.is_mark()))
        .is_some_and(|word| opens_chore(&word.key) || word.key.ends_with("ing"));
    if many && pieces.iter().all(short) && !pieces.iter().any(dated) && !verbal { pieces } else { vec![stretch] }
}

/// Returns true if a word is capitalised.
fn large(word: &Word, context: Context) -> bool {
    context.text[word.start..word.end].starts_with(char::is_uppercase)
}

/// Parses one task.
fn item(stretch: &[Word], context: Context) -> NewItem {
    let significant: Vec<&Word> = stretch.iter().filter(|word| !word.is_mark()).collect();
    if let [only] = significant.as_slice()
        && only.kind == Kind::Quoted
    {
        return NewItem { title: context.text[only.start..only.end].trim().to_owned(), ..NewItem::default() };
    }
    let (head, description) = described(stretch, context);
    let (line, level) = leveled(head, context.raw_with_signs(head));
    let (line, spoken) = spoken_fields::trailing(&line, context.now, context.zone);
    let quick = when::quick_add(&line, context.now, context.zone);
    // "call bob, urgent, monday 10am"
    let (title, inner) = spoken_fields::trailing(&quick.title, context.now, context.zone);
    let quick = when::QuickAdd { title, ..quick };
    let cut = quick.due.is_some()
        || quick.project.is_some()
        || !quick.tags.is_empty()
        || spoken != Fields::default()
        || inner != Fields::default();
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
        priority: quick.priority.or(level).or(spoken.priority).or(inner.priority),
        project: quick.project.or(spoken.project).or(inner.project),
        tags: [quick.tags, spoken.tags, inner.tags].concat(),
        recurrence: quick.recurrence,
        shop: None,
    }
}

/// Splits off notes: "… with description milk, eggs".
fn described<'a>(stretch: &'a [Word], context: Context) -> (&'a [Word], Option<String>) {
    let noun = |at: usize| {
        stretch
            .get(at)
            .is_some_and(|word| matches!(word.key.as_str(), "description" | "note" | "notes" | "details" | "comment"))
    };
    for (at, word) in stretch.iter().enumerate() {
        // After a sentence or line, only with a colon: "details: two of them".
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
        if noun(next) {
            let mut from = next + 1;
            while stretch.get(from).is_some_and(|word| {
                word.is_mark() || set!("of|saying|that|says|to|reading|is|should|must|be|say|read").has(&word.key)
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

/// Removes "with high priority", "as urgent" or a leading "urgent:" from a line with the words `said`.
fn leveled(said: &[Word], line: &str) -> (String, Option<Priority>) {
    // "pay the tax (urgent)"
    const LEVELS: Set = set("urgent|important|critical|high|medium|low|high prio|low prio");
    let bracket = line.strip_suffix(')').and_then(|open| open.rsplit_once(" ("));
    if let Some((rest, level)) = bracket.filter(|(_, inside)| LEVELS.has(&inside.to_lowercase()))
        && let Some(level) = priority(&words(level)[..1])
    {
        return (rest.to_owned(), Some(level));
    }
    let led = line.split_once(": ").filter(|(level, _)| LEVELS.has(&level.to_lowercase()));
    if let Some((level, rest)) = led
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

/// Returns an uncut title without punctuation at its edges.
fn trimmed(title: &str) -> String {
    let title = title.trim_matches([':', ',', ';', '-', '–', ' ', '!']);
    let title = if title.ends_with("..") { title } else { title.trim_end_matches('.') };
    let led = LEADING.iter().find_map(|word| title.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')));
    led.unwrap_or(title).to_owned()
}

/// Returns a title without the remains of a removed date.
pub(in crate::llm::rules) fn tidy(title: &str) -> String {
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
