//! The audit log: its list, its filters and its verification.

use super::counts;

pub const USER: &str = "User";
pub const DECISION: &str = "Decision";
pub const ENGINE: &str = "Engine";
pub const TURN: &str = "Turn";
pub const CLOSE: &str = "Close";
pub const UNDONE_SINCE: &str = ", since undone";
pub const AUDIT: &str = "Audit";
pub const WHAT_IS_RECORDED: &str = "Every decision and every tool call, newest first.";
pub const NO_ENTRY_MATCHES: &str = "No matching entries";
pub const TAKE_A_FILTER_AWAY_OR: &str = "Remove a filter, or ";
pub const SEE_EVERY_ENTRY: &str = "see all entries";
pub const NOTHING_RECORDED_YET: &str = "Nothing recorded yet";
pub const HOW_TO_BE_RECORDED: &str = "Send a message in the chat to create the first entry.";
pub const FIGURES: &str = "Statistics";
pub const TURNS: &str = "Turns";
pub const NEW: &str = " new";
pub const LIVE_ON: &str = "Live: on";
pub const LIVE_OFF: &str = "Live: off";
pub const OLDER: &str = "Older";
pub const LOOK_FURTHER_BACK: &str = "Search older turns";
pub const READING_IS_RECORDED: &str = "When you view another user’s turn, their audit log records it.";
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
pub const FILTER_THE_RECORD: &str = "Filter the audit log";
pub const WORDS: &str = "Search text";
pub const OUTCOME: &str = "Outcome";
pub const FILTER: &str = "Filter";
pub const CLEAR: &str = "Clear";
pub const MORE_FILTERS: &str = "More filters";
pub const TOOL: &str = "Tool";
pub const RISK: &str = "Risk";
pub const SET_OFF_BY: &str = "Trigger";
pub const CONVERSATION: &str = "Conversation";
pub const FROM: &str = "From";
pub const TO: &str = "To";
pub const ANY: &str = "Any";
pub const MESSAGE_REMOVED: &str = "(message removed)";
pub const CALL_BY_AN_OUTSIDE_AGENT: &str = "Call by an outside agent";
pub const VERDICT_ON_A_REQUEST: &str = "Verdict on an approval";
pub const YES_TO: &str = "Approved";
pub const NO_TO: &str = "Declined";
pub const NO_ANSWER_TO: &str = "Not answered";
pub const TOO_LATE_FOR: &str = "Out of date";

/// End of an incomplete text search; `some` is true if it found anything.
pub fn searched_back_to(at: &str, some: bool) -> String {
    match some {
        true => format!("Searched back to {at}. Older turns have not been searched yet."),
        false => format!("No matches back to {at}. Older turns have not been searched yet."),
    }
}

pub fn sets_nothing_off(name: &str) -> String {
    format!("“{name}” is not a trigger; use message, approval or mcp.")
}

pub fn outside_the_calendar(text: &str) -> String {
    format!("“{text}” is outside the supported date range.")
}

pub fn signed(grouped: &str, at: &str) -> String {
    format!("Signed by checkpoint {grouped} at {at}.")
}

pub fn signed_by_another(grouped: &str) -> String {
    format!("Checkpoint {grouped} is signed with a key that this server does not have.")
}

pub const NOT_SIGNED_YET: &str = "Not signed by a checkpoint yet.";
pub const VERIFY: &str = "Verify";

/// Result of a verification; `grouped` is `count` as it is shown.
pub fn verified(at: &str, count: u64, grouped: &str) -> String {
    let are = counts::plural(count, "record is intact", "records are intact");
    format!("Verified through {at}: {grouped} {are}.")
}

/// Returns a sentence about amended records; `grouped` is `count` as it is shown.
pub fn amended(count: u64, grouped: &str) -> Option<String> {
    let were = counts::plural(count, "erased record was amended", "erased records were amended");
    (count > 0).then(|| format!("{grouped} {were}."))
}

pub const NOT_AS_WRITTEN: &str = "Verification failed: ";

pub fn no_format_of_an_export(name: &str) -> String {
    format!("“{name}” is not an export format; use jsonl or csv.")
}

/// Risks with their symbols.
pub const LOW_RISK_SIGN: &str = "● low risk";
pub const MEDIUM_RISK_SIGN: &str = "◆ medium risk";
pub const HIGH_RISK_SIGN: &str = "▲ high risk";

/// Kinds of decisions.
pub const ONLY_ANSWERED: &str = "Reply only";
pub const CALLED_A_TOOL: &str = "Called a tool";
pub const ASKED_BACK: &str = "Asked a question";
pub const DECLINED: &str = "Declined";

/// Outcomes of turns.
pub const DONE: &str = "done";
pub const ANSWERED: &str = "answered";
pub const APPROVAL_REQUESTED: &str = "approval requested";
pub const NOT_UNDERSTOOD: &str = "not understood";
pub const ASKED_WHICH: &str = "asked which task";
pub const OUT_OF_SCOPE: &str = "out of scope";
pub const TOO_FAST: &str = "rate limited";
pub const NOT_APPROVED: &str = "not approved";
pub const REQUEST_EXPIRED: &str = "approval expired";
pub const REQUEST_OUT_OF_DATE: &str = "approval out of date";
pub const TOOL_FAILED: &str = "tool failed";
pub const MODEL_UNAVAILABLE: &str = "model unavailable";
pub const UNUSABLE_ANSWER: &str = "invalid model reply";
pub const TOO_MANY_STEPS: &str = "step limit reached";
pub const STOPPED: &str = "stopped";

/// Kind and outcome, if there is room for both.
pub fn decision(kind: &str, outcome: &str) -> String {
    format!("{kind} · {outcome}")
}

#[test]
fn one_record_is_told_from_many() {
    assert_eq!(verified("10:31", 1, "1"), "Verified through 10:31: 1 record is intact.");
    assert_eq!(verified("10:31", 2000, "2,000"), "Verified through 10:31: 2,000 records are intact.");
}
