//! The record: its list, its filters, whether it is as it was written.

use super::counts;

pub const USER: &str = "User";
pub const DECISION: &str = "Decision";
pub const ENGINE: &str = "Engine";
pub const TURN: &str = "Turn";
pub const CLOSE: &str = "Close";
pub const UNDONE_SINCE: &str = ", undone since";
pub const AUDIT: &str = "Audit";
pub const WHAT_IS_RECORDED: &str = "Every decision and every tool call, newest first.";
pub const NO_ENTRY_MATCHES: &str = "No entry matches";
pub const TAKE_A_FILTER_AWAY_OR: &str = "Take a filter away, or ";
pub const SEE_EVERY_ENTRY: &str = "see every entry";
pub const NOTHING_RECORDED_YET: &str = "Nothing recorded yet";
pub const HOW_TO_BE_RECORDED: &str = "Say something in the chat, and it is recorded here.";
pub const FIGURES: &str = "Figures";
pub const TURNS: &str = "Turns";
pub const NEW: &str = " new";
pub const LIVE_ON: &str = "Live: on";
pub const LIVE_OFF: &str = "Live: off";
pub const OLDER: &str = "Older";
pub const LOOK_FURTHER_BACK: &str = "Look further back";
pub const READING_IS_RECORDED: &str = "When you are shown somebody else’s turn, their record says so.";
pub const A_MESSAGE: &str = "A message";
pub const A_VERDICT: &str = "A verdict";
pub const AN_OUTSIDE_AGENT: &str = "An outside agent";
pub const SUCCESS: &str = "Success";
pub const QUESTION_ASKED: &str = "Question asked";
pub const REFUSED: &str = "Refused";
pub const ERROR: &str = "Error";
pub const LOW: &str = "Low";
pub const MEDIUM: &str = "Medium";
pub const HIGH: &str = "High";
pub const FILTER_THE_RECORD: &str = "Filter the record";
pub const WORDS: &str = "Words";
pub const OUTCOME: &str = "Outcome";
pub const FILTER: &str = "Filter";
pub const CLEAR: &str = "Clear";
pub const MORE_FILTERS: &str = "More filters";
pub const TOOL: &str = "Tool";
pub const RISK: &str = "Risk";
pub const SET_OFF_BY: &str = "Set off by";
pub const CONVERSATION: &str = "Conversation";
pub const FROM: &str = "From";
pub const TO: &str = "To";
pub const ANY: &str = "Any";
pub const MESSAGE_REMOVED: &str = "(message removed)";
pub const CALL_BY_AN_OUTSIDE_AGENT: &str = "Call by an outside agent";
pub const VERDICT_ON_A_REQUEST: &str = "Verdict on a request";
pub const YES_TO: &str = "Yes to";
pub const NO_TO: &str = "No to";
pub const NO_ANSWER_TO: &str = "No answer to";
pub const TOO_LATE_FOR: &str = "Too late for";

/// How far a look for words came; `some` if it found any.
pub fn searched_back_to(at: &str, some: bool) -> String {
    match some {
        true => format!("Looked back to {at} for these words. Older turns were not looked through yet."),
        false => format!("No turn back to {at} has these words. Older turns were not looked through yet."),
    }
}

pub fn sets_nothing_off(name: &str) -> String {
    format!("“{name}” sets nothing off; use message, approval or mcp.")
}

pub fn outside_the_calendar(text: &str) -> String {
    format!("“{text}” is outside the calendar.")
}

pub fn signed(grouped: &str, at: &str) -> String {
    format!("Signed by checkpoint {grouped} at {at}.")
}

pub fn signed_by_another(grouped: &str) -> String {
    format!("Checkpoint {grouped} is signed with a key that this server does not have.")
}

pub const NOT_SIGNED_YET: &str = "Not signed by a checkpoint yet.";
pub const VERIFY: &str = "Verify";

/// `grouped` is `count` as it is shown.
pub fn verified(at: &str, count: u64, grouped: &str) -> String {
    let are = counts::plural(count, "record is as it was written", "records are as they were written");
    format!("Verified through {at}: {grouped} {are}.")
}

/// Returns a sentence about amended records; `grouped` is `count` as it is shown.
pub fn amended(count: u64, grouped: &str) -> Option<String> {
    let were = counts::plural(count, "erased record was amended", "erased records were amended");
    (count > 0).then(|| format!("{grouped} {were}."))
}

pub const NOT_AS_WRITTEN: &str = "The record is not as it was written: ";

pub fn no_format_of_an_export(name: &str) -> String {
    format!("“{name}” is not a format of an export; use jsonl or csv.")
}

/// The same beside the sign that everything of a risk has.
pub const LOW_RISK_SIGN: &str = "● low risk";
pub const MEDIUM_RISK_SIGN: &str = "◆ medium risk";
pub const HIGH_RISK_SIGN: &str = "▲ high risk";

/// What was decided to do with a message.
pub const ONLY_ANSWERED: &str = "Only answered";
pub const CALLED_A_TOOL: &str = "Called a tool";
pub const ASKED_BACK: &str = "Asked back";
pub const DECLINED: &str = "Declined";

/// How a turn came out.
pub const DONE: &str = "done";
pub const ANSWERED: &str = "answered";
pub const APPROVAL_REQUESTED: &str = "approval requested";
pub const NOT_UNDERSTOOD: &str = "not understood";
pub const ASKED_WHICH: &str = "asked which task";
pub const OUT_OF_SCOPE: &str = "out of scope";
pub const TOO_FAST: &str = "too fast";
pub const NOT_APPROVED: &str = "not approved";
pub const REQUEST_EXPIRED: &str = "request expired";
pub const REQUEST_OUT_OF_DATE: &str = "request out of date";
pub const TOOL_FAILED: &str = "tool failed";
pub const MODEL_UNAVAILABLE: &str = "model unavailable";
pub const UNUSABLE_ANSWER: &str = "unusable answer";
pub const TOO_MANY_STEPS: &str = "too many steps";
pub const STOPPED: &str = "stopped";

/// Both, where there is room.
pub fn decision(kind: &str, outcome: &str) -> String {
    format!("{kind} · {outcome}")
}

#[test]
fn one_record_is_told_from_many() {
    assert_eq!(verified("10:31", 1, "1"), "Verified through 10:31: 1 record is as it was written.");
    assert_eq!(verified("10:31", 2000, "2,000"), "Verified through 10:31: 2,000 records are as they were written.");
}
