//! Matching of tasks by a description: exactly, by all its words, or approximately.

use crate::llm::rules::lex::frames::CHORES;
use crate::llm::rules::lex::set::{Set, file_set, set};
use std::collections::BTreeSet;

use crate::domain::comparison::{folded, is_of_word, key};
use crate::domain::task::{Status, Task};

/// The result of matching.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::llm::rules) enum Fit {
    One(i64),
    /// Equally good matches, in list order.
    Several(Vec<i64>),
    None,
}

/// Stop words, which distinguish no tasks.
const STOP: Set = file_set!("matching_stop");

/// Returns letters and digits without case, accents and articles, for comparing titles.
pub(in crate::llm::rules) fn normal(text: &str) -> String {
    bare(&folded(text))
}

/// Returns letters and digits with accents, without case and articles.
fn spelled(text: &str) -> String {
    bare(&key(text))
}

fn bare(key: &str) -> String {
    let plain: String = key
        .chars()
        .filter(|c| !matches!(c, '\'' | '’' | '‘'))
        .map(|c| if is_of_word(c) || c == '#' { c } else { ' ' })
        .collect();
    plain
        .split_whitespace()
        .filter(|word| !matches!(*word, "a" | "an" | "the" | "my" | "our" | "your" | "some" | "teh" | "hte" | "tge"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Irregular forms and their stems.
const IRREGULAR: &[(&str, &str)] = &[
    ("paid", "pay"),
    ("bought", "buy"),
    ("sent", "send"),
    ("wrote", "write"),
    ("written", "write"),
    ("did", "do"),
    ("made", "make"),
    ("took", "take"),
    ("taken", "take"),
    ("went", "go"),
    ("got", "get"),
    ("rang", "ring"),
    ("rung", "ring"),
    ("sung", "sing"),
    ("spent", "spend"),
    ("kept", "keep"),
    ("taught", "teach"),
    ("caught", "catch"),
    ("bound", "bind"),
    ("wound", "wind"),
    ("lent", "lend"),
    ("thrown", "throw"),
    ("drawn", "draw"),
    ("driven", "drive"),
    ("chosen", "choose"),
    ("eaten", "eat"),
    ("given", "give"),
    ("spoken", "speak"),
    ("met", "meet"),
    ("found", "find"),
    ("fed", "feed"),
    ("swept", "sweep"),
    ("ran", "run"),
    ("built", "build"),
    ("brought", "bring"),
    ("told", "tell"),
    ("spoke", "speak"),
    ("swam", "swim"),
    ("hung", "hang"),
    ("gave", "give"),
    ("sold", "sell"),
    ("drew", "draw"),
    ("chose", "choose"),
    ("dug", "dig"),
    ("mown", "mow"),
    ("sewn", "sew"),
    ("drove", "drive"),
    ("ate", "eat"),
    ("children", "child"),
    ("people", "person"),
    ("done", "do"),
];

/// Returns the word without common endings, so that "buying" matches "buy" and "berries" matches "berry".
pub(in crate::llm::rules) fn stem(word: &str) -> String {
    let word = IRREGULAR.iter().find(|(past, _)| *past == word).map_or(word, |(_, base)| *base);
    let mut stem = word.to_owned();
    for end in ["ings", "ing", "ies", "ied", "es", "ed", "s", "er"] {
        if let Some(cut) = stem.strip_suffix(end)
            && cut.chars().count() >= 3
            && cut.contains(['a', 'e', 'i', 'o', 'u', 'y'])
            && !(end == "s" && cut.ends_with('s'))
        {
            stem = cut.to_owned();
            break;
        }
    }
    // "watered" matches "water".
    if let Some(cut) = stem.strip_suffix("er").filter(|cut| cut.chars().count() >= 3 && stem.len() < word.len()) {
        stem = cut.to_owned();
    }
    let last: Vec<char> = stem.chars().rev().take(2).collect();
    if last.len() == 2 && last[0] == last[1] && last[0].is_alphabetic() && stem.chars().count() > 3 {
        stem.pop();
    }
    if stem.chars().count() > 3 && stem.ends_with(['e', 'y', 'i']) {
        stem.pop();
    }
    stem
}

/// Returns true if a word looks like a past tense.
pub(in crate::llm::rules) fn is_past(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
        || IRREGULAR.iter().any(|(past, _)| *past == word && *past != "children" && *past != "people")
}

/// Stems of verbs of buying.
const BUYING: [&str; 5] = ["buy", "grab", "purchas", "pick", "get"];

/// Returns the pending tasks that a statement in the past tense repeats: one as a whole, or one per part ("walked the
/// dog and paid the rent").
pub(in crate::llm::rules) fn repeated_each(statement: &str, tasks: &[Task]) -> Option<Vec<i64>> {
    if let Some(id) = repeated(statement, tasks) {
        return Some(vec![id]);
    }
    let parts =
        statement.split(" and ").flat_map(|part| part.split(',')).map(str::trim).filter(|part| !part.is_empty());
    let ids: Vec<i64> = parts.map(|part| repeated(part, tasks)).collect::<Option<_>>()?;
    let distinct: BTreeSet<i64> = ids.iter().copied().collect();
    (distinct.len() == ids.len()).then_some(ids)
}

/// Returns the pending task that a statement in the past tense repeats word for word, except for verbs of buying.
fn repeated(statement: &str, tasks: &[Task]) -> Option<i64> {
    const WHEN: Set =
        set("finally|just|already|now|today|yesterday|tonight|ive|weve|we|have|had|all|got|has|been|was|were|last|ago");
    const LATELY: [&str; 7] = [
        " this morning",
        " this afternoon",
        " this evening",
        " last night",
        " earlier",
        " just now",
        " on my way home",
    ];
    let statement = LATELY.iter().find_map(|end| statement.strip_suffix(end)).unwrap_or(statement);
    let told: Vec<&str> = statement.split(' ').filter(|word| !WHEN.has(&word.to_lowercase())).collect();
    let mut wanted = stems(&told.join(" "));
    let pending = || tasks.iter().filter(|task| task.status == Status::Pending);
    let same = |wanted: &BTreeSet<String>| {
        let fits: Vec<i64> =
            pending().filter(|task| stems(task.title.as_str()) == *wanted).map(|task| task.task_id.0).collect();
        if let [only] = fits.as_slice() { Some(*only) } else { None }
    };
    same(&wanted)
        .or_else(|| {
            let got = statement.split(' ').any(|word| matches!(word.to_lowercase().as_str(), "got" | "gotten"));
            let bought = BUYING.iter().any(|verb| wanted.remove(*verb)) || got;
            let bare = |task: &&Task| {
                let mut has = stems(task.title.as_str());
                has.retain(|stem| !BUYING.contains(&stem.as_str()));
                has == wanted && !wanted.is_empty()
            };
            let fits: Vec<i64> = pending().filter(|task| bought && bare(task)).map(|task| task.task_id.0).collect();
            if let [only] = fits.as_slice() { Some(*only) } else { None }
        })
        .or_else(|| {
            // "the cat has had her drops" means that they were given.
            let given = |task: &&Task| {
                let mut has = stems(task.title.as_str());
                has.remove("giv") && has == wanted
            };
            let fits: Vec<i64> = pending().filter(given).map(|task| task.task_id.0).collect();
            if let [only] = fits.as_slice() { Some(*only) } else { None }
        })
}

/// Returns the stems without stop words; all stems if there are only stop words.
pub(in crate::llm::rules) fn stems(text: &str) -> BTreeSet<String> {
    let normal = normal(text);
    let all = || normal.split(' ').filter(|word| !word.is_empty());
    let telling: BTreeSet<String> = all().filter(|word| !STOP.has(word)).map(stem).collect();
    if telling.is_empty() { all().map(stem).collect() } else { telling }
}

/// Returns the description as a `list_tasks` query; stems match as prefixes.
pub(in crate::llm::rules) fn query(text: &str) -> String {
    stems(text).into_iter().take(8).collect::<Vec<_>>().join(" ")
}

/// Returns the score of a task: 100 for an exact title, 0 for no match. `wanted` is the [`normal`] form of `text`.
fn score(text: &str, wanted: &str, stems_wanted: &BTreeSet<String>, task: &Task) -> u32 {
    let title = task.title.as_str();
    let name = normal(title);
    if name == wanted {
        return if spelled(title) == spelled(text) { 100 } else { 95 };
    }
    let has = stems(title);
    if has == *stems_wanted {
        return 90;
    }
    if stems_wanted.is_subset(&has) {
        return match () {
            () if borrowed(wanted, &name) => LIKELY,
            () if !has_content(stems_wanted, &name) => VERB,
            () => 70,
        };
    }
    // “the presentation for Studio Nord” names a project.
    let project = task.project.as_ref().filter(|_| stems_wanted.iter().any(|stem| has.contains(stem)));
    let described = task.description.as_ref().map_or("", |text| beginning(text.as_str()));
    let described = &project.map_or(described.into(), |project| format!("{described} {}", project.as_str()));
    let missing = || stems_wanted.iter().filter(|stem| !has.contains(*stem));
    if missing().all(|stem| may_hold(described, stem)) {
        let described = stems(described);
        if missing().all(|stem| described.contains(stem)) {
            return 55;
        }
    }
    if has.len() >= 2 && has.is_subset(stems_wanted) {
        return 50;
    }
    if stems_wanted.iter().all(|stem| has.iter().any(|other| near(stem, other))) {
        return 45;
    }
    if has.len() == 1 && stems_wanted.len() <= 3 && has.is_subset(stems_wanted) {
        return 40;
    }
    0
}

/// Returns the characters of a description that are matched.
fn beginning(description: &str) -> &str {
    const MATCHED: usize = 500;
    description.char_indices().nth(MATCHED).map_or(description, |(end, _)| &description[..end])
}

/// Returns false if no word of the text can have that stem, without computing its stems.
fn may_hold(text: &str, wanted: &str) -> bool {
    let start = wanted.as_bytes().get(..2).unwrap_or(wanted.as_bytes());
    !(text.is_ascii() && wanted.is_ascii())
        || IRREGULAR.iter().any(|(_, base)| stem(base) == wanted)
        || text.as_bytes().windows(start.len().max(1)).any(|part| part.eq_ignore_ascii_case(start))
}

/// Returns true if the stems have one of a title besides its leading verb: "the washing" is not "wash the dog".
fn has_content(found: &BTreeSet<String>, title: &str) -> bool {
    let (first, rest) = title.split_once(' ').unwrap_or((title, ""));
    let verb = Some(stem(first)).filter(|_| CHORES.has(first) && rest.split(' ').any(|word| !STOP.has(word)));
    verb.is_none_or(|verb| found.iter().any(|stem| *stem != verb))
}

/// Returns true if the only word, in "-ing", shares just its root with a noun of the title: "booking" is not "read for book club".
fn borrowed(wanted: &str, name: &str) -> bool {
    let telling: Vec<&str> = wanted.split(' ').filter(|word| !STOP.has(word)).collect();
    let [only] = telling.as_slice() else { return false };
    let verb = name.split(' ').find(|word| !STOP.has(word)).is_some_and(|first| stem(first) == stem(only));
    only.ends_with("ing") && !verb && !name.split(' ').any(|word| word == *only)
}

/// Returns the task that shares most words with a statement. With `unsure`, one shared word suffices, for actions that do not run at once.
pub(in crate::llm::rules) fn told(statement: &str, tasks: &[Task], status: Status, unsure: bool) -> Fit {
    let said = stems(statement);
    let past: BTreeSet<String> = statement.split(' ').filter(|word| is_past(&word.to_lowercase())).map(stem).collect();
    let shared = |task: &Task| {
        let has = stems(task.title.as_str());
        let meets = |stem: &&String| has.iter().any(|other| *stem == other || near(stem, other));
        let met: BTreeSet<String> = said.iter().filter(meets).cloned().collect();
        let sure = has_content(&met, &normal(task.title.as_str()));
        let met = met.len();
        let open = said.iter().filter(|stem| !has.contains(*stem) && !past.contains(*stem)).count();
        // With equal matches, the title with fewer other words wins.
        (met > 0 && sure && (unsure || met > open && met * 3 >= has.len())).then_some((met, usize::MAX - has.len()))
    };
    let scored: Vec<((usize, usize), &Task)> =
        tasks.iter().filter(|task| task.status == status).filter_map(|task| Some((shared(task)?, task))).collect();
    let Some(best) = scored.iter().map(|(score, _)| *score).max() else { return Fit::None };
    let fitting: Vec<i64> = scored.iter().filter(|(score, _)| *score == best).map(|(_, task)| task.task_id.0).collect();
    match fitting.as_slice() {
        [one] => Fit::One(*one),
        _ => Fit::Several(fitting),
    }
}

/// Returns the only task of a status that shares a word with a statement, if enough of its words match.
pub(in crate::llm::rules) fn alone(statement: &str, tasks: &[Task], status: Status) -> Option<i64> {
    let said = stems(statement);
    let met = |task: &Task| {
        let has = stems(task.title.as_str());
        let met: BTreeSet<String> = said.intersection(&has).cloned().collect();
        let enough = met.len() * 3 >= has.len() && has_content(&met, &normal(task.title.as_str()));
        (!met.is_empty()).then_some((met.len(), enough))
    };
    let mut sharing =
        tasks.iter().filter(|task| task.status == status).filter_map(|task| Some((met(task)?, task.task_id.0)));
    let ((met, enough), id) = sharing.next().filter(|_| sharing.next().is_none())?;
    (enough && said.len() <= met + 1).then_some(id)
}

/// Returns true if the words differ by one typo, or one is a prefix of the other.
fn near(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if a == b || short.chars().count() >= 4 && long.starts_with(short) {
        return true;
    }
    // "tent" and "rent" are different things, "letter" and "leter" are not.
    short.chars().count() >= 5
        && a.chars().next() == b.chars().next()
        && long.len() - short.len() <= char::MAX.len_utf8()
        && strsim::osa_distance(a, b) <= 1
}

/// Minimum scores: for equal words, for actions that run at once, for the verb of a title, and for actions that ask or only show.
pub(in crate::llm::rules) const SAME: u32 = 90;
pub(in crate::llm::rules) const SURE: u32 = 45;
pub(in crate::llm::rules) const VERB: u32 = 42;
pub(in crate::llm::rules) const LIKELY: u32 = 40;

/// Returns the pending task with just this `title`, ignoring verbs of buying: "butter" matches "buy butter", not "peanut butter".
pub(in crate::llm::rules) fn present(title: &str, pending: &[Task]) -> Option<i64> {
    let bare = |text: &str| {
        let mut stems = stems(text);
        stems.retain(|stem| !BUYING.contains(&stem.as_str()));
        stems
    };
    let wanted = bare(title);
    let same = |task: &&Task| match bare(task.title.as_str()) {
        has if has == wanted => true,
        has => wanted.len() > 1 && wanted.is_subset(&has) || has.len() > 1 && has.is_subset(&wanted),
    };
    pending.iter().find(same).map(|task| task.task_id.0)
}

/// Returns the task that `text` describes with a score of at least `least`. Tasks of status `prefer` win ties.
pub(in crate::llm::rules) fn find(text: &str, tasks: &[Task], prefer: Status, least: u32) -> Fit {
    let wanted = normal(text);
    let stems_wanted = stems(text);
    if wanted.is_empty() {
        return Fit::None;
    }
    let scored: Vec<(u32, &Task)> = tasks
        .iter()
        .map(|task| (score(text, &wanted, &stems_wanted, task), task))
        .filter(|(score, _)| *score >= least)
        .collect();
    let Some(best) = scored.iter().map(|(score, _)| *score).max() else { return Fit::None };
    // An exact title beats one with other accents, and that beats one with equal stems. Weaker matches compete with all weak ones.
    let floor = match best {
        exact @ (100 | 95 | 90) => exact,
        _ => best.min(50),
    };
    let mut fitting: Vec<&Task> = scored.iter().filter(|(score, _)| *score >= floor).map(|(_, task)| *task).collect();
    if fitting.len() > 1 && fitting.iter().any(|task| task.status == prefer) {
        fitting.retain(|task| task.status == prefer);
    }
    match fitting.as_slice() {
        [] => Fit::None,
        [one] => Fit::One(one.task_id.0),
        several => Fit::Several(several.iter().map(|task| task.task_id.0).collect()),
    }
}
