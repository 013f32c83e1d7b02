//! Conversations and their messages, with the tool calls of their turns.

use super::approvals::is_shown;
use super::{Ctx, Error, redacted, require, undo};
use crate::domain::Invalid;
use crate::domain::audit::Page;
use crate::domain::conversation::{Conversation, ConversationTitle, LISTED, Message, Speaker, Standing};
use crate::domain::decision::{DecisionKind, SPENT};
use crate::domain::decision_inputs::EndReason;
use crate::domain::erasure::ERASED;
use crate::domain::id::{ConversationId, TaskNumber, TurnId};
use crate::domain::live::EventKind;
use crate::domain::task::Task;
use crate::domain::task_mention;
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::{Invocation, Running, ToolCall, Turn, TurnStatus};
use crate::domain::user::{Caller, Scope};
use crate::store::conversations::Said;
use crate::store::{self, Tx};

/// Maximum length of a search text, in characters.
const LONGEST: usize = 100;
/// Maximum number of messages on a page.
const MAX_PAGE: i64 = 100;
/// Number of newest events searched for a running turn's own. A turn lasts a minute at most and emits a few events a second.
const TOLD: i64 = 2_000;
/// Maximum number of tasks shown with a message.
const MOST_LISTED: usize = 50;

/// Filter of a list of conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Which {
    /// Matches conversations whose title or messages contain this text.
    pub words: Option<String>,
    /// Lists hidden conversations instead of visible ones.
    pub hidden: bool,
    /// Lists conversations updated before this one.
    pub before: Option<ConversationId>,
}

/// Lists the caller's non-empty conversations, last updated first, at most [`LISTED`].
pub async fn list(ctx: &Ctx, caller: &Caller, which: &Which) -> Result<Vec<Conversation>, Error> {
    require(caller, Scope::Chat)?;
    if which.words.as_ref().is_some_and(|words| words.chars().count() > LONGEST) {
        return Err(Invalid::because(format!("A search can have at most {LONGEST} characters.")).into());
    }
    let (words, limit) = (which.words.as_deref(), i64::try_from(LISTED).unwrap_or(i64::MAX));
    let list = async {
        let mut tx = ctx.read().await?;
        Ok(store::conversations::list(&mut tx, caller.id(), words, which.hidden, which.before, limit).await?)
    };
    ctx.lists.run(caller.id(), list).await
}

/// Returns one of the caller's conversations, hidden or not; without an id the last updated one.
pub async fn one(ctx: &Ctx, caller: &Caller, id: Option<ConversationId>) -> Result<Option<Conversation>, Error> {
    require(caller, Scope::Chat)?;
    let mut tx = ctx.read().await?;
    match id {
        Some(id) => Ok(Some(store::conversations::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?)),
        None => Ok(store::conversations::list(&mut tx, caller.id(), None, false, None, 1).await?.pop()),
    }
}

pub async fn rename(
    tx: &mut Tx,
    caller: &Caller,
    id: ConversationId,
    title: &ConversationTitle,
) -> Result<Conversation, Error> {
    require(caller, Scope::Chat)?;
    store::conversations::rename(tx, caller.id(), id, title.as_str()).await?;
    store::conversations::get(tx, caller.id(), id).await?.ok_or_else(absent)
}

/// Hides one of the caller's conversations from the list, or shows it again.
pub async fn hide(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    id: ConversationId,
    hidden: bool,
) -> Result<Conversation, Error> {
    require(caller, Scope::Chat)?;
    let at = hidden.then(|| ctx.now());
    store::conversations::hide(tx, caller.id(), id, at.as_ref()).await?;
    store::conversations::get(tx, caller.id(), id).await?.ok_or_else(absent)
}

fn absent() -> Error {
    Error::NotFound("There is no such conversation.".into())
}

/// Returns the last `limit` (1–100) messages before the cursor, oldest first; `next` is the cursor of the page before.
pub async fn messages(
    ctx: &Ctx,
    caller: &Caller,
    conversation: ConversationId,
    before: Option<&str>,
    limit: i64,
) -> Result<Page<Message>, Error> {
    require(caller, Scope::Chat)?;
    let unknown = |_| Invalid::because("This cursor is not valid for this list. Start again without one.");
    let before = before.map(|cursor| cursor.parse::<i64>().map_err(unknown)).transpose()?;
    let limit = limit.clamp(1, MAX_PAGE);
    let mut tx = ctx.read().await?;
    if !store::conversations::exists(&mut tx, caller.id(), conversation).await? {
        return Err(absent());
    }
    // One more row than `limit` reveals whether there is an earlier page.
    let mut said = store::conversations::messages(&mut tx, caller.id(), conversation, before, limit + 1).await?;
    let more = i64::try_from(said.len()).is_ok_and(|count| count > limit);
    if more {
        said.pop();
    }
    let next = said.last().filter(|_| more).map(|oldest| oldest.seq.to_string());
    let mut items = Vec::with_capacity(said.len());
    for said in said.into_iter().rev() {
        items.push(message(&mut tx, caller, said).await?);
    }
    let calls = items.iter_mut().flat_map(|message| message.tool_calls.iter_mut());
    undo::mark(&mut tx, Some(caller.id()), calls).await?;
    Ok(Page { items, next })
}

/// Returns the tasks that the messages list or mention, in their present state and without purged ones. Empty without `tasks:read`, because
/// a message that contains numbers would otherwise reveal them.
pub async fn spoken_of(ctx: &Ctx, caller: &Caller, messages: &[Message]) -> Result<Vec<Task>, Error> {
    require(caller, Scope::Chat)?;
    if !caller.may(Scope::TasksRead) {
        return Ok(vec![]);
    }
    let named = |message: &Message| task_mention::numbers(&message.text);
    let mut numbers: Vec<TaskNumber> = messages.iter().flat_map(answer).collect();
    numbers.extend(messages.iter().flat_map(named));
    numbers.sort_unstable();
    numbers.dedup();
    let mut tx = ctx.read().await?;
    let found = store::tasks::of_numbers(&mut tx, caller.id(), &numbers).await?;
    Ok(found.into_iter().map(|stored| stored.task).collect())
}

/// Returns the tasks that a message answers with, in order: those that its turn listed last. Tasks that were read for a change, an approval
/// or a refusal are no answer.
pub fn answer(message: &Message) -> Vec<TaskNumber> {
    let answers = message.decision.is_some_and(|decision| {
        matches!(decision.kind, DecisionKind::RespondOnly | DecisionKind::InvokeTool) && message.approval.is_none()
    });
    let lists = |call: &ToolCall| call.tool == ToolName::ListTasks.as_str() && call.status == CallStatus::Ok;
    let last = message.tool_calls.iter().rposition(|call| !lists(call)).map_or(0, |at| at + 1);
    // Lists of earlier steps were intermediate results.
    let step = message.tool_calls[last..].last().map(|call| call.invocation_id.step);
    let answers_it = |call: &&ToolCall| Some(call.invocation_id.step) == step;
    let tasks = message.tool_calls[last..]
        .iter()
        .filter(answers_it)
        .filter_map(|call| call.result.as_ref()?.get("tasks")?.as_array());
    let mut numbers: Vec<TaskNumber> = vec![];
    for number in tasks.flatten().filter_map(|task| task.get("task_id")?.as_i64().map(TaskNumber)) {
        if answers && !numbers.contains(&number) && numbers.len() < MOST_LISTED {
            numbers.push(number);
        }
    }
    numbers
}

/// Returns the first running turn of one of the caller's conversations, with its streamed text so far.
pub async fn running(ctx: &Ctx, caller: &Caller, conversation: ConversationId) -> Result<Option<Running>, Error> {
    require(caller, Scope::Chat)?;
    let mut tx = ctx.read().await?;
    let open = store::turns::open_of(&mut tx, caller.id(), conversation).await?;
    let Some(&turn_id) = open.first() else { return Ok(None) };
    let turn = store::turns::get(&mut tx, caller.id(), turn_id).await?.ok_or_else(no_turn)?;
    // Read first: later events are left out here, and arrive through the stream.
    let seq = store::events::head(&mut tx, caller.id()).await?;
    let events = store::events::of_turns(&mut tx, caller.id(), &turn.accepted_at, TOLD).await?;
    let id = turn_id.to_string();
    let mut running =
        Running { turn_id, conversation_id: conversation, tool: None, step: 0, steps: 0, said: String::new(), seq };
    for event in events.iter().filter(|event| event.seq <= seq && event.data["turn_id"] == id.as_str()) {
        let number = |field: &str| event.data[field].as_i64().unwrap_or_default();
        match (event.kind, event.data["text"].as_str()) {
            (EventKind::TextDelta, Some(text)) => running.said.push_str(text),
            (EventKind::ToolStarted, _) => {
                running.tool = event.data["tool"].as_str().map(str::to_owned);
                (running.step, running.steps) = (number("step"), number("steps"));
                running.said.clear();
            }
            _ => running.said.clear(),
        }
    }
    Ok(Some(running))
}

pub async fn status(ctx: &Ctx, caller: &Caller, id: TurnId) -> Result<TurnStatus, Error> {
    require(caller, Scope::Chat)?;
    let row = store::turns::get(&mut ctx.peek().await?, caller.id(), id).await?;
    Ok(row.ok_or_else(no_turn)?.status)
}

fn no_turn() -> Error {
    Error::NotFound("There is no such turn.".into())
}

/// Returns one of the caller's turns in its present state.
pub async fn turn(ctx: &Ctx, caller: &Caller, id: TurnId) -> Result<Turn, Error> {
    require(caller, Scope::Chat)?;
    let mut tx = ctx.read().await?;
    let row = store::turns::get(&mut tx, caller.id(), id).await?.ok_or_else(no_turn)?;
    let decision = store::decisions::get(&mut tx, caller.id(), id).await?;
    let calls = store::invocations::of_turn(&mut tx, caller.id(), id).await?;
    let mut tool_calls: Vec<_> = calls.iter().map(Invocation::to_call).collect();
    undo::mark(&mut tx, Some(caller.id()), tool_calls.iter_mut()).await?;
    tool_calls.iter_mut().for_each(|call| redacted::call(caller, call));
    let by = match row.starter {
        Some(starter) => Some(store::credentials::named(&mut tx, caller.id(), starter).await?),
        None => None,
    };
    // The requested approval takes precedence over the carried-out one: a void approval is followed by a new one.
    let approval = match (store::approvals::of_turn(&mut tx, caller.id(), id).await?, row.approval) {
        (Some(asked), _) => Some(asked).filter(|asked| is_shown(asked, row.status)),
        (None, Some(carried_out)) => store::approvals::get(&mut tx, caller.id(), carried_out).await?,
        (None, None) => None,
    };
    Ok(Turn {
        turn_id: id,
        conversation_id: row.conversation,
        cause: row.cause,
        status: row.status,
        engine: decision.as_ref().map(|row| row.engine),
        reply: match &decision {
            Some(row) => Some(row.reply.clone()),
            None => (row.status == TurnStatus::Done).then(|| ERASED.to_owned()),
        },
        decision: decision.as_ref().map(|row| row.decision),
        options: decision.map(|row| row.options).unwrap_or_default(),
        tool_calls,
        approval: approval.map(|approval| redacted::approval(caller, approval)),
        by,
    })
}

/// Builds a message, for the assistant's with its turn's decision and tool calls.
async fn message(tx: &mut Tx, caller: &Caller, said: Said) -> Result<Message, Error> {
    let Said { message_id, turn_id, speaker, text, at, seq: _ } = said;
    let text = text.unwrap_or_else(|| ERASED.to_owned());
    let mut message = Message {
        message_id,
        turn_id,
        speaker,
        text,
        at,
        engine: None,
        decision: None,
        options: vec![],
        tool_calls: vec![],
        approval: None,
        question: None,
        is_by_code: false,
        standing: Standing::Whole,
        may_repeat: false,
    };
    if speaker == Speaker::Assistant {
        let user = caller.id();
        let calls = store::invocations::of_turn(tx, user, turn_id).await?;
        message.tool_calls = calls.iter().map(|call| call.to_call()).collect();
        message.tool_calls.iter_mut().for_each(|call| redacted::call(caller, call));
        if let Some(decided) = store::decisions::get(tx, user, turn_id).await? {
            let course = decided.basis.as_ref().map(|basis| basis.course);
            message.engine = Some(decided.engine);
            message.is_by_code =
                course.is_some_and(|course| !matches!(course, EndReason::Machine | EndReason::Stopped));
            message.standing = Standing::of(decided.decision, course);
            message.may_repeat = may_repeat(course, decided.engine_cause.as_deref(), &message.tool_calls);
            message.decision = Some(decided.decision);
            message.options = decided.options;
            message.question = decided.question.map(|question| question.text);
        }
        let approval = store::approvals::of_turn(tx, user, turn_id).await?;
        message.approval = approval.map(|approval| redacted::approval(caller, approval));
    }
    Ok(message)
}

/// True if the user may resend a message after its turn failed: the turn changed nothing and awaits no approval. False if the user's daily
/// tokens are used up, because a retry would fail too.
fn may_repeat(course: Option<EndReason>, cause: Option<&str>, calls: &[ToolCall]) -> bool {
    let failed = matches!(course, Some(EndReason::Unavailable | EndReason::GivenUp | EndReason::OptedOut))
        && cause != Some(SPENT);
    let took = |call: &ToolCall| matches!(call.status, CallStatus::Ok | CallStatus::AwaitingApproval);
    failed && !calls.iter().any(|call| call.writes() && took(call))
}
