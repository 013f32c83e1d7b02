//! Messages whose form lists new tasks: lines, bullets, numbers, commas after a colon, and consecutive chores. The form
//! alone determines the boundaries; each item is then parsed separately.

use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::clauses::heads::{self, Head};
use crate::llm::rules::clauses::inseparable::is_pair;
use crate::llm::rules::clauses::joints::{COMMANDS, joints};
use crate::llm::rules::lex::frames::CHORES;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::leads::{keys, led};

/// Maximum words of a line that counts as an item without a bullet or heading.
const LONGEST_LINE: usize = 8;

/// The items of a message, with the fields that apply to all.
#[derive(Debug, Default)]
pub(in crate::llm::rules) struct Listing<'a> {
    pub head: Head,
    pub wishes: Vec<&'a str>,
    /// True if a date of the last item only applies to all.
    pub shares_last_day: bool,
}

/// Returns the items that a message lists by its form; `None` if it is no list.
pub(in crate::llm::rules) fn listing<'a>(text: &'a str, now: &Timestamp, zone: &str) -> Option<Listing<'a>> {
    const CORRECTS: &[&str] =
        &["wait no", "no wait", "scratch that", "i mean", "i meant", "sorry", "actually", "correction"];
    let corrects = CORRECTS.iter().any(|words| keys(text).join(" ").contains(words));
    if text.len() > 4_000 || corrects && !text.contains('\n') {
        return None;
    }
    lines(text, now, zone).or_else(|| behind_colon(text, now, zone)).or_else(|| chores(text, now, zone))
}

/// Returns the line without its bullet, number or checkbox, and true if it had one.
fn unbulleted(line: &str) -> (&str, bool) {
    let line = line.trim();
    for bullet in ["- [ ]", "* [ ]", "[ ]", "[]", "☐", "•", "◦", "·", "‣", "–", "—", "-", "*", "+"] {
        if let Some(rest) = line.strip_prefix(bullet)
            && (rest.starts_with(char::is_whitespace) || matches!(bullet, "•" | "☐" | "◦" | "·" | "‣"))
        {
            return (rest.trim(), true);
        }
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if (1..=2).contains(&digits)
        && let Some(rest) = line[digits..].strip_prefix(['.', ')'])
        && rest.starts_with(char::is_whitespace)
    {
        return (rest.trim(), true);
    }
    (line, false)
}

/// Returns true if a text may be a list item: no question, remark or command.
fn plausible(line: &str) -> bool {
    const REMARKS: Set = set(
        "i|im|ive|it|its|thats|this|please|thanks|thank|also|set|mark|due|note|notes|details|detail|description|priority|tags|tag|project|when|title|what|whats|how|why|who|is|are|can|could|would|will|hi|hello|hey|no|yes|and|you|repeat|status|date|then|so|but|or",
    );
    let said = keys(line);
    let Some(first) = said.first() else { return false };
    let sets_up = first == "set" && said.get(1).is_some_and(|next| next == "up");
    !line.ends_with('?') && !COMMANDS.has(first) && (sets_up || !REMARKS.has(first))
}

/// Returns true if a text may be an item of an announced list: no question, and no command about an existing task.
fn listable(line: &str) -> bool {
    let said = keys(line);
    let Some(first) = said.first() else { return false };
    let next = said.get(1).map_or("", String::as_str);
    let existing = matches!(next, "task" | "tasks" | "it" | "them" | "all" | "everything" | "that" | "number")
        || next.starts_with(|c: char| c.is_ascii_digit());
    !(line.ends_with('?') || existing && (COMMANDS.has(first) || first == "add"))
}

/// Parses items on separate lines.
fn lines<'a>(text: &'a str, now: &Timestamp, zone: &str) -> Option<Listing<'a>> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < 2 {
        return None;
    }
    let (end, closing) = closed(&lines, now, zone);
    let [first, rest @ ..] = &lines[..end] else { return None };
    let bare: Vec<(&str, bool)> = lines[..end].iter().map(|line| unbulleted(line)).collect();
    let all = |from: usize| end > from && bare[from..].iter().all(|(_, bulleted)| *bulleted);
    let wishes = |from: usize| bare[from..].iter().map(|(line, _)| *line).filter(|line| !line.is_empty()).collect();
    let commands =
        |from: usize| bare[from..].iter().any(|(line, _)| keys(line).first().is_some_and(|word| COMMANDS.has(word)));
    let plain = |from: usize| end > from && bare[from..].iter().all(|(line, _)| plausible(line));
    if let Some(head) = heads::introduction(first, now, zone).filter(|_| !bare[0].1 && !rest.is_empty()) {
        let announced = all(1) || first.ends_with(':');
        let listed = announced && bare[1..].iter().all(|(line, _)| listable(line)) || head.is_strict && plain(1);
        let listed = listed && (announced && !head.is_strict || !commands(1));
        if listed && (head.is_strict || announced) {
            return Some(Listing { head: head.with(closing), wishes: wishes(1), shares_last_day: false });
        }
    }
    if all(0) && !commands(0) {
        return Some(Listing { head: closing, wishes: wishes(0), shares_last_day: false });
    }
    let (lead, title) = led(first);
    if lead > 0 && !title.is_empty() && plain(1) && !first.ends_with(['.', '!', '?', ':']) {
        let wishes = std::iter::once(title).chain(bare[1..].iter().map(|(line, _)| *line)).collect();
        return Some(Listing { head: closing, wishes, shares_last_day: false });
    }
    let pasted = plain(0) && lines[..end].iter().all(|line| short(line, end, now, zone));
    pasted.then(|| Listing { head: closing, wishes: wishes(0), shares_last_day: false })
}

/// Returns true if a line of a list without bullets and heading is an item: a few words, a chore, or a line with a marker.
fn short(line: &str, lines: usize, now: &Timestamp, zone: &str) -> bool {
    let quick = when::quick_add(line, now, zone);
    let said = keys(&quick.title);
    let marked = quick.project.is_some() || !quick.tags.is_empty() || quick.priority.is_some();
    let chore = said.first().is_some_and(|first| CHORES.has(first)) && said.len() >= 2;
    match lines {
        0..=2 => said.len() <= LONGEST_LINE && (chore || marked),
        _ => said.len() <= 3 || said.len() <= LONGEST_LINE && (chore || marked),
    }
}

/// Returns the end of the items, and the fields of the lines after them: “All in project X please”, “Tag all of them #home”.
fn closed(lines: &[&str], now: &Timestamp, zone: &str) -> (usize, Head) {
    let (mut end, mut closing) = (lines.len(), Head::default());
    while end > 2 {
        let last = lines[end - 1];
        let bulleted = |line: &&str| unbulleted(line).1;
        if bulleted(&last) {
            break;
        }
        match heads::closing(last, now, zone) {
            Some(found) => closing = closing.with(found),
            // A line without a bullet after bulleted lines is no item.
            None if end > 3 && lines[1..end - 1].iter().all(bulleted) => closing.unused.push(last.to_owned()),
            None => break,
        }
        end -= 1;
    }
    (end, closing)
}

/// Parses items separated by commas after a colon: “tomorrow: milk, eggs”, “New client: Harris. Stuff to do for them: …. Tag all #harris”.
fn behind_colon<'a>(text: &'a str, now: &Timestamp, zone: &str) -> Option<Listing<'a>> {
    if text.trim().contains('\n') {
        return None;
    }
    let colons = text.match_indices(':').map(|(at, _)| at);
    let spaced = colons.filter(|at| text[at + 1..].starts_with(char::is_whitespace));
    spaced.take(4).find_map(|colon| after_colon(&text[..colon], text[colon + 1..].trim(), now, zone))
}

fn after_colon<'a>(before: &str, after: &'a str, now: &Timestamp, zone: &str) -> Option<Listing<'a>> {
    let sentence = before.rfind(['.', '!', '?']).map_or(0, |at| at + 1);
    let mut head = heads::head(&before[sentence..], now, zone)?;
    let preamble = before[..sentence].trim();
    if preamble.ends_with('?') || keys(preamble).first().is_some_and(|word| COMMANDS.has(word) || word == "add") {
        return None;
    }
    head.unused.extend((!preamble.is_empty()).then(|| preamble.trim_end_matches(['.', '!']).to_owned()));
    let mut items = after;
    while let Some(at) = items.trim_end_matches(['.', '!', ' ']).rfind(['.', '!']) {
        let Some(closing) = heads::closing(&items[at + 1..], now, zone).filter(|_| items[at + 1..].starts_with(' '))
        else {
            break;
        };
        head = head.with(closing);
        items = &items[..at];
    }
    let wishes = divided(items).or_else(|| head.project.is_some().then(|| vec![items.trim_end_matches(['.', '!'])]))?;
    let plausible = wishes.iter().all(|wish| plausible(wish) && when::parse(wish, now, zone).is_none());
    (plausible && (head.lists || head.day.is_some() || head.project.is_some())).then_some(Listing {
        shares_last_day: !wishes.iter().any(|wish| chore(wish)),
        head,
        wishes,
    })
}

/// Splits an enumeration at commas and at the last “and”.
fn divided(text: &str) -> Option<Vec<&str>> {
    let mut pieces: Vec<&str> =
        outer_commas(text).into_iter().map(unjoined).filter(|piece| !piece.is_empty()).collect();
    let last = pieces.pop()?;
    let short = |piece: &str| piece.split_whitespace().count() <= 3;
    let chore = |piece: &str| keys(piece).first().is_some_and(|word| CHORES.has(word));
    let joint = last.match_indices(" and ").chain(last.match_indices(" & ")).map(|(at, _)| at).find(|at| {
        let (left, right) = (last[..*at].trim(), unjoined(&last[*at..]));
        let things = short(left) && short(right) && pieces.iter().all(|piece| short(piece)) && !pieces.is_empty();
        !right.is_empty() && !is_pair(left, right) && (chore(left) && chore(right) && words_of(left) > 1 || things)
    });
    match joint {
        Some(at) => pieces.extend([last[..at].trim(), unjoined(&last[at..])]),
        None => pieces.push(last),
    }
    (pieces.len() >= 2).then_some(pieces)
}

fn words_of(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Splits a text at commas and semicolons outside quotes and brackets.
fn outer_commas(text: &str) -> Vec<&str> {
    let (mut pieces, mut from, mut depth, mut quoted) = (vec![], 0, 0_u32, false);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '"' | '“' | '”' => quoted = !quoted,
            ',' | ';' if depth == 0 && !quoted && !between_digits(text, at) => {
                pieces.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(text[from..].trim());
    pieces
}

/// Returns true for a comma as in “2,500 words”.
fn between_digits(text: &str, at: usize) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    digit(text[..at].chars().next_back()) && digit(text[at + 1..].chars().next())
}

/// Returns an item without leading conjunctions.
fn unjoined(piece: &str) -> &str {
    let mut rest = piece.trim().trim_end_matches(['.', '!']);
    while let Some(word) = rest.split_whitespace().next() {
        let joins =
            matches!(word.to_lowercase().as_str(), "and" | "&" | "then" | "also" | "plus" | "finally" | "lastly");
        if !joins || rest.len() == word.len() {
            break;
        }
        rest = rest[word.len()..].trim_start();
    }
    rest
}

/// Parses consecutive chores: “add wash the car, buy milk and call mum”, “… and also email Bo on friday”.
fn chores<'a>(text: &'a str, now: &Timestamp, zone: &str) -> Option<Listing<'a>> {
    if text.trim().contains('\n') || text.trim_end().ends_with('?') {
        return None;
    }
    let (lead, rest) = led(text);
    let rest = polite(rest);
    let sentences = || dated(rest.split(". ").collect(), lead, now, zone);
    if let Some(wishes) = dated(outer_commas(rest), lead, now, zone).or_else(sentences) {
        return Some(Listing { head: Head::default(), wishes, shares_last_day: false });
    }
    if let Some((head, wishes)) = appointments(rest, now, zone) {
        return Some(Listing { head, wishes, shares_last_day: false });
    }
    let mut wishes = vec![];
    let mut from = 0;
    let mut strong = false;
    let dates = when::find(rest, now, zone);
    for joint in joints(rest) {
        let left = rest[from..joint.start].trim();
        let right = rest[joint.end..].trim();
        if left.is_empty() || right.is_empty() || joint.start < from {
            continue;
        }
        if joint.divides(left, right, &dates) {
            wishes.push(left);
            strong |= joint.strong || joint.comma;
            from = joint.end;
        }
    }
    wishes.push(rest[from..].trim());
    // “… and write ‘ask for Sue’ in the notes” and “…, put that on my list” continue one request.
    const FIELDS: &[&str] =
        &["list", "lists", "task", "tasks", "note", "notes", "description", "details", "reminder", "title", "priority"];
    if wishes.iter().flat_map(|wish| keys(wish)).any(|word| FIELDS.contains(&word.as_str())) {
        return None;
    }
    // "add “A” and “B”, the second is urgent": a quotation is whole.
    if wishes.iter().any(|wish| wish.starts_with('"') && !wish.ends_with('"')) {
        return None;
    }
    let said = |wish: &&str| chore(wish) || lead > 0;
    // Without “add”, only clearly separated chores are several requests.
    let enough =
        if lead > 0 { wishes.len() >= 2 } else { wishes.len() >= 2 && strong && wishes.iter().all(|wish| chore(wish)) };
    if !(enough && wishes.iter().all(|wish| said(wish) && plausible(wish))) {
        return None;
    }
    Some(Listing { head: Head::default(), wishes, shares_last_day: !strong_only(rest) })
}

/// Returns a text without the courtesy at its end.
fn polite(text: &str) -> &str {
    let text = text.trim_end_matches(['.', '!', ' ']);
    let ends = [", please", ", thanks", " please", ", thank you", " thanks"];
    ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text).trim_end_matches(['.', '!', ' '])
}

/// Longest item with a date, in bytes.
const LONGEST_ITEM: usize = 300;

/// Splits an enumeration in which every item ends or begins with its own date: “water the ferns every day, feed the cat at 6 and put the
/// bins out on monday”, “10am dentist, 3pm school pickup”.
fn dated<'a>(pieces: Vec<&'a str>, lead: usize, now: &Timestamp, zone: &str) -> Option<Vec<&'a str>> {
    const CONDITIONS: Set = set("once|when|after|if|until|unless|before|as|whenever");
    const TELLS: Set = set(
        "i|we|is|are|was|has|have|they|he|she|not|no|or|comes|to|off|only|except|excepted|excl|excluded|included|free|too|again|please|maybe|\
         latest|sharp|instead|onwards",
    );
    let several = pieces.len() >= 3;
    let found =
        |piece: &str| Some(piece).filter(|piece| piece.len() <= LONGEST_ITEM).map(|piece| when::find(piece, now, zone));
    let timed = |piece: &&str| found(piece).iter().flatten().any(|found| found.when.due.time().is_some());
    let leads = |piece: &&str| match found(piece).as_deref() {
        Some([only]) if only.span.start == 0 => {
            let rest = keys(&piece[only.span.end..]);
            !rest.is_empty() && !COMMANDS.has(&rest[0]) && !rest.iter().any(|word| TELLS.has(word))
        }
        _ => false,
    };
    let ends = |piece: &str| match found(piece).as_deref() {
        Some([only]) if only.span.end >= piece.trim_end().len() => {
            let least = if several || lead > 0 || only.when.due.time().is_some() { 1 } else { 2 };
            plausible(piece) && keys(&piece[..only.span.start]).len() >= least
        }
        _ => false,
    };
    // The length is checked first: a long message has many pieces, and each is read for dates.
    let is_dated = |piece: &str| {
        piece.len() <= LONGEST_ITEM
            && !keys(piece).first().is_some_and(|first| CONDITIONS.has(first))
            && !keys(piece).iter().any(|word| matches!(word.as_str(), "it" | "them" | "cant" | "instead"))
            && (ends(piece) || leads(&piece))
    };
    let mut items = vec![];
    for piece in pieces.into_iter().map(unjoined).filter(|piece| !piece.is_empty()) {
        // “… and …” divides only two items that both end with a date.
        let joint = piece.match_indices(" and ").map(|(at, _)| at).find(|at| {
            let right = piece[at + 5..].trim();
            is_dated(&piece[..*at]) && is_dated(right) && (lead > 0 || chore(right) || puts(right))
        });
        match joint {
            Some(at) => items.extend([piece[..at].trim(), piece[at + 5..].trim()]),
            None => items.push(piece),
        }
    }
    let starts = lead > 0 || items.iter().any(|item| chore(item) || puts(item)) || items.iter().all(leads);
    let starts = starts || items.len() >= 3 && items.iter().any(timed);
    (items.len() >= 2 && starts && items.iter().all(|item| is_dated(item))).then_some(items)
}

/// Splits an enumeration of things with a day and a time each, behind a heading of a few words: “exams: maths 8 dec 9am, bio 14 dec 9am”.
fn appointments<'a>(text: &'a str, now: &Timestamp, zone: &str) -> Option<(Head, Vec<&'a str>)> {
    let short = |head: &str| keys(head).len() <= 3 && plausible(head) && when::find(head, now, zone).is_empty();
    let (head, rest) = match text.split_once(": ") {
        Some((head, rest)) if short(head) => (Some(head.trim()), rest.trim()),
        Some(_) => return None,
        None => (None, text),
    };
    let timed = |piece: &str| {
        let found = when::find(piece, now, zone);
        let [only] = found.as_slice() else { return false };
        let fixed = only.when.due.time().is_some() || only.when.recurrence.is_some();
        let named = keys(&piece[..only.span.start]);
        let pronoun = named.iter().any(|word| matches!(word.as_str(), "it" | "them" | "instead" | "or" | "is" | "are"));
        fixed && (1..=5).contains(&named.len()) && !pronoun && plausible(piece) && !COMMANDS.has(&named[0])
    };
    let pieces = outer_commas(rest).into_iter().map(unjoined).filter(|piece| !piece.is_empty());
    let pieces: Vec<&str> = pieces
        .flat_map(|piece| match piece.split_once(" and ") {
            // "interview with Kasia at 2pm and Ben at 3pm" leaves out a word.
            Some((left, right)) if timed(left) && timed(right) && words_of(right) >= words_of(left) => {
                vec![left.trim(), right.trim()]
            }
            _ => vec![piece],
        })
        .collect();
    let unused = head.map(str::to_owned).into_iter().collect();
    (pieces.len() >= 2 && pieces.iter().all(|piece| timed(piece))).then(|| (Head { unused, ..Head::default() }, pieces))
}

/// Returns true for a chore such as “put the bins out”.
fn puts(text: &str) -> bool {
    let said = keys(text);
    let particle = |word: &String| matches!(word.as_str(), "out" | "away" | "back" | "up" | "down");
    said.first().is_some_and(|first| matches!(first.as_str(), "put" | "take" | "bring" | "set" | "drop"))
        && said.iter().skip(2).take(4).any(particle)
}

/// Returns true if “also” or “then” separates the requests, so that each has its own date.
fn strong_only(text: &str) -> bool {
    joints(text).iter().any(|joint| joint.strong)
}

/// Returns true if a text is a chore verb with an object.
fn chore(text: &str) -> bool {
    let said = keys(text);
    said.len() >= 2 && CHORES.has(&said[0])
}
