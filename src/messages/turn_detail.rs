//! The detail of a turn.

use super::counts::{counted, plural};

pub const SECTIONS: &str = "Sections";
pub const STORY: &str = "Story";
pub const CALLS: &str = "Calls";
pub const CHANGES: &str = "Changes";
pub const RAW: &str = "Raw";
pub const TURNS_AROUND_THIS_ONE: &str = "Related turns";
pub const THE_TURN_THAT_ASKED: &str = "The turn that requested approval";
pub const THE_TURN_OF_THE_ANSWER: &str = "The turn of the verdict";
pub const EARLIER: &str = "← Earlier";
pub const LATER: &str = "Later →";
pub const DECISION: &str = "Decision";
pub const UNDERSTOOD_AS: &str = "Understood as";
pub const BY: &str = "Engine";
pub const WHOSE: &str = "User";
pub const ACCEPTED: &str = "Accepted";
pub const TOOK: &str = "Duration";
pub const TOKENS: &str = "Tokens";
pub const COST: &str = "Cost";
pub const TRACE: &str = "Trace";
pub const KNOWN_BUT_ERASED: &str = "The inputs of this decision were erased.";
pub const NOT_KNOWN_HERE: &str = "An agent made this decision. Its inputs are not recorded here.";
pub const NOT_KEPT_YET: &str =
    "An older version of Docket ran this turn and did not record the inputs of its decision.";
pub const DOCKET: &str = "Docket";
pub const MEMORIES_THAT_CAME_TO_MIND: &str = "Recalled memories";
pub const CLOCK: &str = "Clock";
pub const LIMITS: &str = "Limits";
pub const ENDED_SINCE: &str = "Ended because";
pub const CONSTITUTION: &str = "Constitution";
pub const PROMPT: &str = "Prompt";
pub const DECIDE_AGAIN_FROM_THE_RECORD: &str = "Replay from the audit log";
pub const WHAT_WOULD_THE_RULES_DO: &str = "Replay with the rules";
pub const THE_RECORDED_REPLIES: &str = "The recorded replies";
pub const THE_RULES: &str = "The rules";
pub const UNDO: &str = "Undo";
pub const UNDONE_SINCE: &str = ", since undone";
pub const ARGUMENTS: &str = "Arguments";
pub const RESULT: &str = "Result";
pub const UNDO_ALL_OF_THIS_TURN: &str = "Undo all of this turn";
pub const CALLS_ERASED: &str = "The tool calls were erased.";
pub const NO_TOOL_WAS_CALLED: &str = "No tool was called.";
pub const CHANGES_ERASED: &str = "The changes were erased.";
pub const NOTHING_WAS_CHANGED: &str = "Nothing was changed.";
pub const TURN: &str = "Turn";
pub const SAYING_ERASED: &str = "The text was erased.";

pub fn said(user: &str) -> String {
    format!("{user} said")
}

pub const DOCKET_ANSWERED: &str = "Docket answered";
pub const EXACTLY_WHAT_WAS_APPROVED: &str = "Exactly the approved calls, with the arguments that were shown.";

pub fn asked_back(engine: &str) -> String {
    format!("{engine} asked a question")
}

pub fn declined(engine: &str) -> String {
    format!("{engine} declined")
}

pub fn had_an_answer(engine: &str) -> String {
    format!("{engine} answered")
}

pub const NO_TOKENS: &str = "no tokens";

pub fn tokens_in_out(tokens_in: &str, tokens_out: &str) -> String {
    format!("{tokens_in} tokens in, {tokens_out} out")
}

pub const RAW_REPLY: &str = "Raw reply";
pub const RENAMED_ONLY_WITH_A_YES: &str = "Renaming a task needs approval.";
pub const SEVERAL_ONLY_WITH_A_YES: &str = "Changing several tasks needs approval.";
pub const BY_POLICY_WITH_A_YES: &str =
    "Approval is required by the tool policy, or because this is the second such call in the turn.";
pub const QUESTION_ERASED: &str = "The details of this approval were erased.";
pub const THE_GATE_ASKED_FIRST: &str = "Approval required";
pub const THE_REQUEST_WAS_SETTLED: &str = "Approval decided";
pub const WAS_ADDED: &str = "was added";
pub const WAS_CHANGED: &str = "was changed";
pub const WAS_COMPLETED: &str = "was completed";
pub const WAS_REOPENED: &str = "was reopened";
pub const WENT_TO_THE_BIN: &str = "was moved to the bin";
pub const CAME_BACK_FROM_THE_BIN: &str = "was restored from the bin";
pub const WAS_REMOVED_FOR_GOOD: &str = "was deleted permanently";

pub fn task(number: &str, title: &str, what: &str) -> String {
    format!("Task #{number} “{title}” {what}")
}

pub const BEFORE_AND_AFTER: &str = "Before and after";
pub const FIELD: &str = "Field";
pub const BEFORE: &str = "Before";
pub const AFTER: &str = "After";

pub fn it_ended_since(reason: &str) -> String {
    format!("Ended because {reason}.")
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

/// Suffix of a decision's kind.
pub fn and_took(took: &str) -> String {
    format!(" · took {took}")
}

/// Reason why the gate asked before `count` tasks went to the bin.
pub fn to_the_bin_only_with_a_yes(count: usize) -> String {
    let tasks = if count == 1 { "a task".to_owned() } else { format!("{count} tasks") };
    format!("Moving {tasks} to the bin needs approval.")
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

/// Heading of the decision inputs: messages, memories and pending approvals.
pub fn known(messages: usize, memories: usize, requests: usize) -> String {
    let messages = match messages {
        0 => "no earlier messages".to_owned(),
        _ => counted(messages, "earlier message", "earlier messages"),
    };
    let memories = if memories == 0 { "no memories".to_owned() } else { counted(memories, "memory", "memories") };
    let requests = match requests {
        0 => "no pending approvals".to_owned(),
        1 => "1 pending approval".to_owned(),
        _ => format!("{requests} pending approvals"),
    };
    format!("Decision inputs: {messages}, {memories}, {requests}")
}

pub fn clock(at: &str, zone: &str) -> String {
    format!("{at} in {zone}")
}

pub fn limits(rounds: usize, calls: usize) -> String {
    format!("{}, {}", counted(rounds, "round", "rounds"), counted(calls, "call", "calls"))
}

pub const ERASED: &str = "(erased)";
pub const FORGOTTEN: &str = "(forgotten)";

pub fn read_by_an_admin(count: usize) -> String {
    format!("Read by an admin: {}", counted(count, "time", "times"))
}

pub fn same_decision(decider: &str) -> String {
    format!("✓ {decider} reached the same decision.")
}

pub fn another_decision(decider: &str) -> String {
    format!("≠ {decider} reached a different decision. Nothing was changed.")
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
