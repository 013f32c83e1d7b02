//! Orders that leave no word unread: what a message confirms by itself has to be said in it plainly.

use serde_json::Value;

use crate::domain::approval::ApprovalCall;
use crate::domain::task::Task;
use crate::domain::text::plain_words;
use crate::domain::time::Timestamp;
use crate::domain::tool::{Call, ToolName};
use crate::domain::when;

/// Words and phrases of courtesy in front of an order.
const LEADS: &str = "please|pls|plz|kindly|yes|yeah|yep|ok|okay|hey|hi|hello|docket|now|just|also|then|and|go ahead and|lets|\
     can you|could you|would you|will you|you can|you may|i want to|i want you to|id like to|id like you to|\
     i would like to|i would like you to";
/// Verbs that an order begins with.
const VERBS: &str = "delete|remove|erase|bin|scrap|drop|ditch|trash|junk|axe|clear|wipe|lose|chuck|throw|discard|dump|cancel|purge|\
     get|take|complete|finish|tick|mark|check|cross|close|rename|retitle|call|change|move|push|postpone|reschedule|set|make|put|tag|\
     snooze|delay|reopen|untick|uncheck|unmark|update|edit|give|raise|lower|bump";
/// Words that an order is made of beside its verbs, its tasks and their new values.
const REST: &str = "task|tasks|todo|todos|item|items|number|numbers|the|a|an|and|to|as|at|on|of|off|from|for|in|into|with|by|my|list|\
     both|please|pls|plz|now|thanks|thank|you|too|also|then|done|completed|finished|out|away|rid|it|them|due|date|deadline|\
     priority|prio|p1|p2|p3|p4|urgent|high|medium|low|title|name|project|tag|tags|note|notes|description";
/// The words for 1 to 10.
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

fn is_of(set: &str, word: &str) -> bool {
    set.split('|').any(|known| known == word)
}

/// Returns true if `order` begins with an imperative and every word of it belongs to one: to the tasks that `calls` are about, to the
/// values that they set, or to the words of which orders are made. "delete 5" is such an order; "never delete 5", "delete 5 if it
/// rains" and "Bob: delete 5" leave a word over.
pub fn is_spelled_out(order: &str, calls: &[Call], tasks: &[Task], now: &Timestamp, zone: &str) -> bool {
    let begins = order.chars().next().is_some_and(|first| first.is_alphanumeric() || matches!(first, '"' | '“'));
    if !begins || order.contains(['\n', '\r']) {
        return false;
    }
    let sets = |field: &str| calls.iter().any(|call| call.arguments.get(field).is_some());
    let mut undated = order.to_owned();
    if sets("due") || sets("recurrence") {
        for found in when::find(order, now, zone).iter().rev() {
            undated.replace_range(found.span.clone(), " ");
        }
    }
    let (words, mut known) = (plain_words(&undated), vec![]);
    calls.iter().for_each(|call| collect(&call.arguments, &mut known));
    // A task that is named by its number has no other name in the message.
    let number = |task: &Task| task.task_id.to_string();
    let titled = tasks.iter().filter(|task| known.contains(&number(task)) && !words.contains(&number(task)));
    let titles: Vec<_> = titled.flat_map(|task| plain_words(task.title.as_str())).collect();
    known.extend(titles);
    let spelled = NUMBERS.iter().zip(1..).filter(|(_, digit)| known.contains(&i32::to_string(digit)));
    let spelled: Vec<_> = spelled.map(|(word, _)| (*word).to_owned()).collect();
    known.extend(spelled);
    let order = &words[led_by_courtesy(&words)..];
    // Elsewhere a verb begins another order, or may be what is to be done with one: "cancel delete 5".
    let begins = |at: usize| at == 0 || is_of("and|then|please", &order[at - 1]);
    let ends = |at: usize| at + 1 == order.len() && order[at] == "complete";
    let is_read = |(at, word): (usize, &String)| {
        is_of(REST, word) || known.contains(word) || is_of(VERBS, word) && (begins(at) || ends(at))
    };
    order.first().is_some_and(|verb| is_of(VERBS, verb)) && order.iter().enumerate().all(is_read)
}

/// The words of every text and number in the value.
fn collect(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.extend(plain_words(text)),
        Value::Number(number) => words.push(number.to_string()),
        Value::Array(all) => all.iter().for_each(|value| collect(value, words)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, words)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// How many words of courtesy lead an order.
fn led_by_courtesy(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(count) = super::led(&words[at..], LEADS) {
        at += count;
    }
    at
}

/// Returns true if nothing that a yes says besides contradicts what it would approve: "yes, complete it" is no yes to a deletion, and
/// "yes, that one" none to two of them.
pub fn fits(yes: &str, calls: &[ApprovalCall]) -> bool {
    const DELETES: &str = "delete|remove|erase|trash|rid|bin|drop|scrap|gone|away|lose|wipe|take|clear";
    let words = plain_words(yes);
    let says = |set: &str| words.iter().any(|word| is_of(set, word));
    let does = |tool: ToolName| calls.iter().any(|call| call.tool == tool);
    let sets =
        |field: &str| calls.iter().any(|call| call.tool == ToolName::UpdateTask && !call.arguments[field].is_null());
    let count: usize = calls.iter().map(|call| call.arguments["task_ids"].as_array().map_or(1, Vec::len)).sum();
    let mends = words.first().is_some_and(|word| word == "correct") && says("it|that|them|this|those");
    !(mends
        || says(DELETES) && !does(ToolName::DeleteTask)
        || says("rename") && !sets("title")
        || says("complete") && !does(ToolName::CompleteTask) && !sets("status")
        || says("one") && count != 1
        || says("both|pair") && count != 2)
}

#[cfg(test)]
mod tests;
