//! Conversations, read back with what was done in them.

use super::{Ctx, Error, redacted, require, undo};
use crate::domain::Invalid;
use crate::domain::audit::Page;
use crate::domain::basis::Course;
use crate::domain::conversation::{Conversation, ConversationTitle, LISTED, Message, Speaker, Standing};
use crate::domain::decision::{DecisionKind, SPENT};
use crate::domain::erasure::ERASED;
use crate::domain::id::{ConversationId, TaskNumber, TurnId};
use crate::domain::live::EventKind;
use crate::domain::mention;
use crate::domain::task::Task;
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::{Invocation, Running, ToolCall, Turn, TurnStatus};
use crate::domain::user::{Caller, Scope};
use crate::store::conversations::Said;
use crate::store::{self, Tx};

/// Most characters of words that a list is searched for.
const LONGEST: usize = 500;
/// Most messages of one page.
const MAX_PAGE: i64 = 100;
/// Among how many of the newest events a running turn's own are looked for: it has a minute at most, and is told a few times a
/// second.
const TOLD: i64 = 2_000;
/// Most tasks that a message shows with itself.
const MOST_LISTED: usize = 50;

/// Which conversations a list is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Which {
    /// Only those whose title or a message of theirs contains these words.
    pub words: Option<String>,
    /// Those that were hidden, in place of the others.
    pub hidden: bool,
    /// Only those that were touched before this one.
    pub before: Option<ConversationId>,
}

/// The caller's conversations in which something was said, the last touched first, at most [`LISTED`].
pub async fn list(ctx: &Ctx, caller: &Caller, which: &Which) -> Result<Vec<Conversation>, Error> {
    require(caller, Scope::Chat)?;
    if which.words.as_ref().is_some_and(|words| words.chars().count() > LONGEST) {
        return Err(Invalid::because(format!("A search has at most {LONGEST} characters.")).into());
    }
    let mut tx = ctx.read().await?;
    let (words, limit) = (which.words.as_deref(), i64::try_from(LISTED).unwrap_or(i64::MAX));
    Ok(store::conversations::list(&mut tx, caller.id(), words, which.hidden, which.before, limit).await?)
}

/// One of the caller's conversations, hidden or not; without an id the one that was touched last.
pub async fn one(ctx: &Ctx, caller: &Caller, id: Option<ConversationId>) -> Result<Option<Conversation>, Error> {
    require(caller, Scope::Chat)?;
    let mut tx = ctx.read().await?;
    match id {
        Some(id) => Ok(Some(store::conversations::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?)),
        None => Ok(store::conversations::list(&mut tx, caller.id(), None, false, None, 1).await?.pop()),
    }
}

/// Gives one of the caller's conversations another title.
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

/// Takes one of the caller's conversations out of the list, or with `hidden` false puts it back. Nothing of it is lost.
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

/// The last `limit` (1–100) messages before the cursor, oldest first; `next` is the cursor of the page before.
pub async fn messages(
    ctx: &Ctx,
    caller: &Caller,
    conversation: ConversationId,
    before: Option<&str>,
    limit: i64,
) -> Result<Page<Message>, Error> {
    require(caller, Scope::Chat)?;
    let unknown = |_| Invalid::because("That is not a cursor of this list; start again without one.");
    let before = before.map(|cursor| cursor.parse::<i64>().map_err(unknown)).transpose()?;
    let limit = limit.clamp(1, MAX_PAGE);
    let mut tx = ctx.read().await?;
    if !store::conversations::exists(&mut tx, caller.id(), conversation).await? {
        return Err(absent());
    }
    // One more than asked for tells whether there is an earlier page.
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

/// The tasks that messages answer with or speak of, as they are now; those that are gone for good are left out. None for a token that
/// may not read tasks: else a message that names numbers would show them.
pub async fn spoken_of(ctx: &Ctx, caller: &Caller, messages: &[Message]) -> Result<Vec<Task>, Error> {
    require(caller, Scope::Chat)?;
    if !caller.may(Scope::TasksRead) {
        return Ok(vec![]);
    }
    let named = |message: &Message| mention::numbers(&message.text);
    let mut numbers: Vec<TaskNumber> = messages.iter().flat_map(answer).collect();
    numbers.extend(messages.iter().flat_map(named));
    numbers.sort_unstable();
    numbers.dedup();
    let mut tx = ctx.read().await?;
    let found = store::tasks::of_numbers(&mut tx, caller.id(), &numbers).await?;
    Ok(found.into_iter().map(|stored| stored.task).collect())
}

/// The tasks that a message answers with, in their order: those of the lists that its turn read last. What was read in order
/// to change something, to ask or to refuse is no answer.
pub fn answer(message: &Message) -> Vec<TaskNumber> {
    let answers = message.decision.is_some_and(|decision| {
        matches!(decision.kind, DecisionKind::RespondOnly | DecisionKind::InvokeTool) && message.approval.is_none()
    });
    let lists = |call: &ToolCall| call.tool == ToolName::ListTasks.as_str() && call.status == CallStatus::Ok;
    let last = message.tool_calls.iter().rposition(|call| !lists(call)).map_or(0, |at| at + 1);
    let tasks = message.tool_calls[last..].iter().filter_map(|call| call.result.as_ref()?.get("tasks")?.as_array());
    let mut numbers: Vec<TaskNumber> = vec![];
    for number in tasks.flatten().filter_map(|task| task.get("task_id")?.as_i64().map(TaskNumber)) {
        if answers && !numbers.contains(&number) && numbers.len() < MOST_LISTED {
            numbers.push(number);
        }
    }
    numbers
}

/// The first turn of one of the caller's conversations that is not done, with what it has said so far.
pub async fn running(ctx: &Ctx, caller: &Caller, conversation: ConversationId) -> Result<Option<Running>, Error> {
    require(caller, Scope::Chat)?;
    let mut tx = ctx.read().await?;
    let open = store::turns::open_of(&mut tx, caller.id(), conversation).await?;
    let Some(&turn_id) = open.first() else { return Ok(None) };
    let turn = store::turns::get(&mut tx, caller.id(), turn_id).await?.ok_or_else(no_turn)?;
    // First: what is told meanwhile is not taken in, and will be heard.
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

/// How far one of the caller's turns is.
pub async fn status(ctx: &Ctx, caller: &Caller, id: TurnId) -> Result<TurnStatus, Error> {
    require(caller, Scope::Chat)?;
    let row = store::turns::get(&mut ctx.peek().await?, caller.id(), id).await?;
    Ok(row.ok_or_else(no_turn)?.status)
}

fn no_turn() -> Error {
    Error::NotFound("There is no such turn.".into())
}

/// One of the caller's turns, as far as it has come.
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
    // What it asked for comes before what it carried out: a void approval is followed by a fresh one.
    let approval = match (store::approvals::of_turn(&mut tx, caller.id(), id).await?, row.approval) {
        (Some(asked), _) => Some(asked),
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

/// A message with what its turn did, if the assistant spoke it.
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

/// Whether the same words may be sent again after a turn that failed: nothing of what they asked for is done or waits. Where the
/// user's tokens of the day are used up, nothing would come of it.
fn may_repeat(course: Option<Course>, cause: Option<&str>, calls: &[ToolCall]) -> bool {
    let failed =
        matches!(course, Some(Course::Unavailable | Course::GivenUp | Course::OptedOut)) && cause != Some(SPENT);
    let took = |call: &ToolCall| matches!(call.status, CallStatus::Ok | CallStatus::AwaitingApproval);
    failed && !calls.iter().any(|call| call.writes() && took(call))
}
