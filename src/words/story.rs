//! One turn of the record, told.

use super::counts::{counted, plural};

pub const SECTIONS: &str = "Sections";
pub const STORY: &str = "Story";
pub const CALLS: &str = "Calls";
pub const CHANGES: &str = "Changes";
pub const RAW: &str = "Raw";
pub const TURNS_AROUND_THIS_ONE: &str = "Turns around this one";
pub const THE_TURN_THAT_ASKED: &str = "The turn that asked";
pub const THE_TURN_OF_THE_ANSWER: &str = "The turn of the answer";
pub const EARLIER: &str = "← Earlier";
pub const LATER: &str = "Later →";
pub const DECISION: &str = "Decision";
pub const UNDERSTOOD_AS: &str = "Understood as";
pub const BY: &str = "By";
pub const WHOSE: &str = "Whose";
pub const ACCEPTED: &str = "Accepted";
pub const TOOK: &str = "Took";
pub const TOKENS: &str = "Tokens";
pub const COST: &str = "Cost";
pub const TRACE: &str = "Trace";
pub const KNOWN_BUT_ERASED: &str = "What was known then was erased.";
pub const NOT_KNOWN_HERE: &str = "The agent decided this by itself: what it knew is not known here.";
pub const NOT_KEPT_YET: &str = "What was known then was not kept yet.";
pub const DOCKET: &str = "Docket";
pub const MEMORIES_THAT_CAME_TO_MIND: &str = "Memories that came to mind";
pub const CLOCK: &str = "Clock";
pub const LIMITS: &str = "Limits";
pub const ENDED_SINCE: &str = "Ended since";
pub const CONSTITUTION: &str = "Constitution";
pub const PROMPT: &str = "Prompt";
pub const DECIDE_AGAIN_FROM_THE_RECORD: &str = "Decide again from the record";
pub const WHAT_WOULD_THE_RULES_DO: &str = "What would the rules do?";
pub const THE_RECORDED_REPLIES: &str = "The recorded replies";
pub const THE_RULES: &str = "The rules";
pub const UNDO: &str = "Undo";
pub const UNDONE_SINCE: &str = ", undone since";
pub const ARGUMENTS: &str = "Arguments";
pub const RESULT: &str = "Result";
pub const UNDO_ALL_OF_THIS_TURN: &str = "Undo all of this turn";
pub const CALLS_ERASED: &str = "What was called was erased.";
pub const NO_TOOL_WAS_CALLED: &str = "No tool was called.";
pub const CHANGES_ERASED: &str = "What was changed was erased.";
pub const NOTHING_WAS_CHANGED: &str = "Nothing was changed.";
pub const TURN: &str = "Turn";
pub const SAYING_ERASED: &str = "What it said was erased.";

pub fn said(user: &str) -> String {
    format!("{user} said")
}

pub const DOCKET_ANSWERED: &str = "Docket answered";
pub const EXACTLY_WHAT_WAS_APPROVED: &str = "Exactly what was approved, with the arguments that were shown.";

pub fn asked_back(engine: &str) -> String {
    format!("{engine} asked back")
}

pub fn declined(engine: &str) -> String {
    format!("{engine} declined")
}

pub fn had_an_answer(engine: &str) -> String {
    format!("{engine} had an answer")
}

pub const NO_TOKENS: &str = "no tokens";

pub fn tokens_in_out(tokens_in: &str, tokens_out: &str) -> String {
    format!("{tokens_in} tokens in, {tokens_out} out")
}

pub const RAW_REPLY: &str = "Raw reply";
pub const RENAMED_ONLY_WITH_A_YES: &str = "A task gets another name only with a yes.";
pub const SEVERAL_ONLY_WITH_A_YES: &str = "Several tasks may be changed in the same way only with a yes.";
pub const BY_POLICY_WITH_A_YES: &str =
    "By the policies in force, or as the second of its kind in one turn, this needs a yes.";
pub const QUESTION_ERASED: &str = "What it asked about was erased.";
pub const THE_GATE_ASKED_FIRST: &str = "The gate asked first";
pub const THE_REQUEST_WAS_SETTLED: &str = "The request was settled";
pub const WAS_ADDED: &str = "was added";
pub const WAS_CHANGED: &str = "was changed";
pub const WAS_COMPLETED: &str = "was completed";
pub const WAS_REOPENED: &str = "was reopened";
pub const WENT_TO_THE_BIN: &str = "went to the bin";
pub const CAME_BACK_FROM_THE_BIN: &str = "came back from the bin";
pub const WAS_REMOVED_FOR_GOOD: &str = "was removed for good";

pub fn task(number: &str, title: &str, what: &str) -> String {
    format!("Task #{number} “{title}” {what}")
}

pub const BEFORE_AND_AFTER: &str = "Before and after";
pub const FIELD: &str = "Field";
pub const BEFORE: &str = "Before";
pub const AFTER: &str = "After";

pub fn it_ended_since(reason: &str) -> String {
    format!("It ended since {reason}.")
}

pub fn a_record(kind: &str) -> String {
    format!("A {kind}")
}

pub fn record(number: i64) -> String {
    format!(" · record {number}")
}

pub fn raw_record(number: i64, kind: &str, at: &str) -> String {
    format!("Record {number}: {kind}, {at}")
}

pub fn approved_ran(calls: usize) -> String {
    format!("The approved {} ran", plural(calls, "call", "calls"))
}

pub fn asked_for_calls(engine: &str, calls: usize) -> String {
    let calls = if calls == 1 { "a call".to_owned() } else { format!("{calls} calls") };
    format!("{engine} asked for {calls}")
}

pub fn understood_and_took(intent: &str, took: &str) -> String {
    format!("Understood as “{intent}” · took {took}")
}

/// Behind the kind of a decision.
pub fn and_took(took: &str) -> String {
    format!(" · took {took}")
}

/// Why the gate asked before so many tasks went to the bin.
pub fn to_the_bin_only_with_a_yes(count: usize) -> String {
    let tasks = if count == 1 { "A task".to_owned() } else { format!("{count} tasks") };
    format!("{tasks} may go to the bin only with a yes.")
}

pub fn to_the_bin(number: &str, title: &str) -> String {
    format!("#{number} “{title}” → the bin")
}

pub fn after(span: &str) -> String {
    format!("After {span}")
}

pub fn open_until(at: &str) -> String {
    format!(" · open until {at}")
}

pub fn turn_ended(outcome: &str) -> String {
    format!("The turn ended: {outcome}")
}

/// Tokens of a turn.
pub fn in_and_out(tokens_in: &str, tokens_out: &str, estimated: bool) -> String {
    let estimated = if estimated { " (estimated)" } else { "" };
    format!("{tokens_in} in, {tokens_out} out{estimated}")
}

/// What was known: messages, memories and requests.
pub fn known(messages: usize, memories: usize, requests: usize) -> String {
    let messages = match messages {
        0 => "no earlier message".to_owned(),
        _ => counted(messages, "earlier message", "earlier messages"),
    };
    let memories = if memories == 0 { "no memory".to_owned() } else { counted(memories, "memory", "memories") };
    let requests = match requests {
        0 => "nothing was waiting for a yes".to_owned(),
        1 => "1 request was waiting for a yes".to_owned(),
        _ => format!("{requests} requests were waiting for a yes"),
    };
    format!("What was known: {messages}, {memories}, {requests}")
}

pub fn clock(at: &str, zone: &str) -> String {
    format!("{at} in {zone}")
}

pub fn limits(rounds: impl std::fmt::Display, calls: impl std::fmt::Display) -> String {
    format!("{rounds} rounds, {calls} calls")
}

pub const ERASED: &str = "(erased)";
pub const FORGOTTEN: &str = "(forgotten)";

pub fn read_by_an_admin(count: usize) -> String {
    format!("Read by an admin: {}", counted(count, "time", "times"))
}

pub fn same_decision(decider: &str) -> String {
    format!("✓ {decider} came to the same decision.")
}

pub fn another_decision(decider: &str) -> String {
    format!("≠ {decider} came to something else. Nothing was changed.")
}

pub const STARTED: &str = "Started";

pub fn by_token(token: &str) -> String {
    format!("by token “{token}”")
}

pub const BY_A_TOKEN: &str = "by a token";

pub fn by_an_agents_token(token: &str) -> String {
    format!("by the agent’s token “{token}”")
}

pub const BY_AN_AGENTS_TOKEN: &str = "by an agent’s token";

pub fn in_the_session_of(device: &str) -> String {
    format!("in the browser session of {device}")
}

pub const IN_A_SESSION: &str = "in a browser session";
pub const ON_TELEGRAM: &str = "on Telegram";
pub const ON_THE_COMMAND_LINE: &str = "on the command line";
