//! Target task of a reply in a chat: “it”, “this” and “that” refer to the task of the message that it replies to.

use crate::channels::telegram::Text;
use crate::domain::channel::{Card, ChatId};
use crate::domain::consent;
use crate::domain::id::TaskNumber;
use crate::domain::receipt;
use crate::domain::task_mention;
use crate::domain::text::unix_lines;
use crate::domain::turn::Turn;
use crate::domain::when;
use crate::state::AppState;
use crate::store;
use crate::usecases::{Error, conversations};

use super::Heard;

/// Response to a reply that refers to a task, if its message is about none or about several.
pub const UNCLEAR: &str = "I do not know which task you mean, because the message that you replied to is not about \
     exactly one. Please give the task’s number, such as #3.";

/// Pronouns for tasks, alone and before a noun.
const POINTERS: [&str; 3] = ["it", "this", "that"];
const POINTERS_AT_SEVERAL: [&str; 4] = ["them", "these", "those", "both"];
const NOUNS: [&str; 5] = ["one", "task", "item", "thing", "reminder"];
/// Words after a “this” or “that” without a noun.
const FOLLOWERS: &str = " to on by at for until till as with from in into off now today tomorrow tonight and then please again is was be \
     a next high low medium normal urgent important done complete completed finished every daily weekly monthly back up out \
     two three one after before over instead due ";
/// Most numbers of a message that are looked up.
const MENTIONS: usize = 100;
/// Words of requests about a task.
const REQUESTS: &str = " complete finish finished close tick check done mark delete remove drop bin trash move postpone push shift \
     reschedule defer delay snooze rename change set make update edit tag label prioritise prioritize reopen uncomplete put bring schedule \
     bump skip repeat remind archive due priority did call show what when where which ";
/// Words that start a new task, whose title may contain any word.
const NEW: &str = " add create new note remember buy ";
/// Fields that “add” gives to an existing task.
const FIELDS: &str = " note notes tag tags label labels priority due deadline date reminder description ";
/// Replies of one word that complete, delete or reopen the task.
const COMPLETES: &str = " done complete completed finish finished close tick check ✅ ✔ ✓ ☑ ";
const DELETES: &str = " delete remove drop bin trash ";
const REOPENS: &str = " reopen uncomplete undone ";
/// Verbs whose object may be omitted before a preposition.
const VERBS: &str = " move postpone push shift reschedule defer delay snooze rename mark bump ";
const PREPOSITIONS: &str = " to until till for by as off back ";

/// A reply with its target task inserted.
#[derive(Debug, PartialEq, Eq)]
pub enum Named {
    /// The text refers to no task, or names it.
    Unchanged,
    Text(String),
    Unclear,
}

impl Heard<'_> {
    /// Returns a message's text with its target task inserted.
    pub async fn named(&self, said: &Text) -> Result<Named, Error> {
        let Some(message) = said.answers.filter(|_| said.is_own) else { return Ok(Named::Unchanged) };
        let ctx = &self.state.ctx;
        let tasks = tasks_of(self.state, self, message, &said.answered).await?;
        let is_date = when::parse(&said.text, &ctx.now(), &self.caller.user.zone).is_some();
        Ok(named(&said.text, &tasks, is_date))
    }
}

/// Returns the tasks of a message in the chat.
async fn tasks_of(state: &AppState, heard: &Heard<'_>, message: i64, answered: &str) -> Result<Vec<TaskNumber>, Error> {
    let shown = shown(state, heard, answered).await?;
    let tasks = match card_of(state, heard, heard.chat, message).await? {
        Some(Card::Reminder { task }) => vec![task],
        Some(Card::Turn { turn }) => of_calls(&conversations::turn(&state.ctx, &heard.caller, turn).await?),
        // A message may be answered before its delivery is stored.
        Some(Card::Tasks) | None => return Ok(shown),
        Some(_) => return Ok(vec![]),
    };
    // A quoted part of the message narrows the choice.
    let both: Vec<_> = tasks.iter().copied().filter(|task| shown.contains(task)).collect();
    Ok(if both.is_empty() { tasks } else { both })
}

/// Returns the tasks that the text shows as code writes them, since a title or a model may contain any number.
async fn shown(state: &AppState, heard: &Heard<'_>, text: &str) -> Result<Vec<TaskNumber>, Error> {
    let text = unix_lines(text);
    let mut tx = state.ctx.peek().await?;
    let mut shown = vec![];
    for (number, before) in mentions(&text) {
        let task = store::tasks::get(&mut tx, heard.caller.id(), number).await?;
        let is_its_title = |title: &str| before.is_empty() || before.trim_end().ends_with(title);
        if task.is_some_and(|stored| is_its_title(stored.task.title.as_str())) && !shown.contains(&number) {
            shown.push(number);
        }
    }
    Ok(shown)
}

/// Returns the tasks that the turn's calls changed, or else those that they returned. The reply's text is no source: a title or a
/// model may name any number in it.
fn of_calls(turn: &Turn) -> Vec<TaskNumber> {
    let of = |writes: bool| {
        let calls = turn.tool_calls.iter().filter(move |call| call.writes() == writes);
        let mut tasks = vec![];
        for task in calls.flat_map(receipt::numbers) {
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        tasks
    };
    let changed = of(true);
    if changed.is_empty() { of(false) } else { changed }
}

async fn card_of(state: &AppState, heard: &Heard<'_>, chat: ChatId, message: i64) -> Result<Option<Card>, Error> {
    Ok(store::outbox::in_message(&mut state.ctx.peek().await?, heard.caller.id(), chat, message).await?)
}

/// Returns each number of a text in the forms of lists: `#3 milk` at the start of a line, and `milk (#3)`, with the line before it.
fn mentions(text: &str) -> impl Iterator<Item = (TaskNumber, &str)> {
    let number = |text: &str| text.parse().ok().map(TaskNumber);
    let of_line = move |line| {
        let first = str::strip_prefix(line, "#").and_then(|rest| number(rest.split(' ').next()?));
        let in_brackets = line.match_indices("(#").filter_map(move |(at, _)| {
            let (digits, _) = line[at + 2..].split_once(')')?;
            Some((number(digits)?, &line[..at]))
        });
        let rest = first.is_none().then_some(in_brackets);
        first.map(|number| (number, "")).into_iter().chain(rest.into_iter().flatten())
    };
    text.lines().flat_map(of_line).take(MENTIONS)
}

/// Inserts the target tasks into a reply. `is_date` is true if the whole text is a date.
pub fn named(text: &str, tasks: &[TaskNumber], is_date: bool) -> Named {
    if !task_mention::numbers(text).is_empty() || consent::answer(text).is_some() {
        return Named::Unchanged;
    }
    let words = words(text);
    let keys: Vec<&str> = words
        .iter()
        .map(|word| word.key.as_str())
        .filter(|key| !matches!(*key, "" | "please" | "pls" | "now"))
        .collect();
    let one = || match tasks {
        [task] => Some(task.0),
        _ => None,
    };
    let whole = |text: String| one().map_or(Named::Unclear, |task| Named::Text(text.replace("#", &format!("#{task}"))));
    match keys.as_slice() {
        [] => return Named::Unchanged,
        [key] if is_in(COMPLETES, key) => return whole("complete #".into()),
        [key] if is_in(DELETES, key) => return whole("delete #".into()),
        [key] if is_in(REOPENS, key) => return whole("reopen #".into()),
        _ if is_date => return whole(format!("move # to {}", text.trim().replace('#', ""))),
        [verb, preposition, _, ..] if is_in(VERBS, verb) && is_in(PREPOSITIONS, preposition) => {
            let Some(word) = words.iter().find(|word| word.key == *verb) else { return Named::Unchanged };
            let Some(task) = one() else { return Named::Unclear };
            return Named::Text(format!("{} #{task}{}", &text[..word.end], &text[word.end..]));
        }
        _ => {}
    }
    let adds = is_in(NEW, keys[0]);
    if adds && !keys.iter().any(|key| is_in(FIELDS, key)) || !adds && !keys.iter().any(|key| is_in(REQUESTS, key)) {
        return Named::Unchanged;
    }
    replaced(text, &words, tasks, adds)
}

/// Replaces the first pronoun for tasks with numbers, and later pronouns for the same tasks.
fn replaced(text: &str, words: &[Word], tasks: &[TaskNumber], adds: bool) -> Named {
    let (mut whole, mut from) = (String::new(), 0);
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1);
        let noun = next.filter(|next| NOUNS.contains(&next.key.as_str()) && word.key != "it");
        let alone = word.key == "it" || word.ends || next.is_none_or(|next| is_in(FOLLOWERS, &next.key));
        let points = POINTERS.contains(&word.key.as_str()) && (noun.is_some() || alone);
        let several = POINTERS_AT_SEVERAL.contains(&word.key.as_str()) && alone_or_last(word, next);
        let reached = !adds || at > 0 && matches!(words[at - 1].key.as_str(), "to" | "on" | "of");
        if word.start < from || !(points || several) || !reached {
            continue;
        }
        if tasks.is_empty() || points && tasks.len() > 1 {
            return Named::Unclear;
        }
        let numbers: Vec<String> = tasks.iter().map(|task| format!("#{}", task.0)).collect();
        whole += &text[from..word.start];
        whole += &numbers.join(", ");
        from = noun.map_or(word.end, |noun| noun.end);
    }
    if from == 0 { Named::Unchanged } else { Named::Text(whole + &text[from..]) }
}

fn alone_or_last(word: &Word, next: Option<&Word>) -> bool {
    word.key == "them" || word.ends || next.is_none_or(|next| is_in(FOLLOWERS, &next.key))
}

fn is_in(list: &str, key: &str) -> bool {
    !key.is_empty() && list.split_whitespace().any(|one| one == key)
}

/// A word without surrounding punctuation.
struct Word {
    key: String,
    start: usize,
    end: usize,
    /// True if punctuation follows that ends a clause.
    ends: bool,
}

fn words(text: &str) -> Vec<Word> {
    let pieces = text.split_whitespace().map(|piece| {
        let start = piece.as_ptr() as usize - text.as_ptr() as usize;
        let signs = |sign: char| sign.is_ascii_punctuation() || matches!(sign, '“' | '”' | '‘' | '…' | '\u{fe0f}');
        let bare = piece.trim_start_matches(signs);
        let start = start + piece.len() - bare.len();
        let inner = bare.trim_end_matches(signs);
        let ends = bare[inner.len()..].contains(['.', ',', '!', '?', ';', ':']);
        Word { key: inner.to_lowercase(), start, end: start + inner.len(), ends }
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_names_the_task_of_the_message_that_it_answers() {
        let unclear = "?";
        for (text, tasks, expected) in [
            ("complete it", &[219][..], "complete #219"),
            ("Move this to Monday, please", &[219], "Move #219 to Monday, please"),
            ("delete that.", &[219], "delete #219."),
            ("delete this task", &[219], "delete #219"),
            ("is it done? mark it done", &[219], "is #219 done? mark #219 done"),
            ("move this to this friday", &[219], "move #219 to this friday"),
            ("make that one urgent", &[219], "make #219 urgent"),
            ("complete these", &[1, 2], "complete #1, #2"),
            ("done", &[219], "complete #219"),
            ("✅", &[219], "complete #219"),
            ("Delete!", &[219], "delete #219"),
            ("postpone to friday", &[219], "postpone #219 to friday"),
            ("add a note to it: ask Ann", &[219], "add a note to #219: ask Ann"),
            ("complete it", &[1, 2], unclear),
            ("complete it", &[], unclear),
            ("done", &[], unclear),
            ("add buy it for me", &[219], ""),
            ("complete #3", &[219], ""),
            ("yes", &[219], ""),
            ("no", &[219], ""),
            ("thanks for that", &[219], ""),
            ("what is due this week", &[219], ""),
            ("move the milk to this friday", &[219], ""),
            ("add milk", &[219], ""),
            ("complete milk", &[219], ""),
            ("what's on that list", &[219], ""),
        ] {
            let tasks: Vec<_> = tasks.iter().map(|number| TaskNumber(*number)).collect();
            let expected = match expected {
                "" => Named::Unchanged,
                "?" => Named::Unclear,
                text => Named::Text(text.into()),
            };
            assert_eq!(named(text, &tasks, false), expected, "{text}");
        }
        assert_eq!(named("tomorrow", &[TaskNumber(3)], true), Named::Text("move #3 to tomorrow".into()));
    }

    #[test]
    fn message_shows_numbers_before_titles_and_after_them() {
        let shown = |text| mentions(text).map(|(number, before)| (number.0, before.to_owned())).collect::<Vec<_>>();
        let of = |number, before: &str| (number, before.to_owned());
        assert_eq!(shown("Created task: see #7 (#219)"), [of(219, "Created task: see #7 ")]);
        assert_eq!(shown("4. pay (#2) (#4)"), [of(2, "4. pay "), of(4, "4. pay (#2) ")]);
        assert_eq!(shown("#4 pay (#2) · today\nmilk (#1)"), [of(4, ""), of(1, "milk ")]);
        assert_eq!(shown("Reminder: #3 and #3 (#) (#x) ("), []);
    }
}
