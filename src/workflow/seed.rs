//! Test data for evaluations: a user, tasks with given numbers, and an earlier conversation (R-1003).

use serde_json::{Value, json};

use crate::agent::engine;
use crate::domain::Invalid;
use crate::domain::approval::ApprovalCall;
use crate::domain::conversation::Speaker;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome};
use crate::domain::id::{ConversationId, InvocationId, TaskNumber, TurnId, UserId};
use crate::domain::task::{Due, Priority, Status, Task, Title};
use crate::domain::tool::{CallResult, CallStatus, Risk, ToolName};
use crate::domain::turn::{Cause, Invocation};
use crate::domain::user::{Caller, Door, Role, Scope, User, UserName};
use crate::domain::when;
use crate::state::AppState;
use crate::store::decisions::{About, DecisionRow};
use crate::store::messages::NewMessage;
use crate::store::steps::{Origin, StepRow};
use crate::store::tasks::Stored;
use crate::store::turns::NewTurn;
use crate::store::{self, Tx};
use crate::usecases::{Error, tasks};

#[derive(Debug, Clone)]
pub struct SeedTask {
    pub number: TaskNumber,
    pub title: Title,
    pub status: Status,
    /// ISO date or date-time.
    pub due: Option<String>,
    pub priority: Priority,
}

/// An earlier exchange: a message, tool calls that read, and the reply.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub user: String,
    pub assistant: String,
    /// Tool, arguments and the numbers of the returned tasks.
    pub reads: Vec<(ToolName, Value, Vec<TaskNumber>)>,
}

pub async fn user(state: &AppState, name: &str, zone: &str) -> Result<Caller, Error> {
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(name)?,
        role: Role::User,
        zone: zone.to_owned(),
        uses_model: true,
        disabled: false,
        created_at: state.ctx.now(),
    };
    let mut tx = state.ctx.write().await?;
    // No password matches this hash: the user exists for in-process use only.
    store::users::insert(&mut tx, &user, Some("")).await?;
    state.ctx.commit(tx).await?;
    let scopes = Scope::ALL.into_iter().filter(|scope| *scope != Scope::Admin).collect();
    Ok(Caller::new(user, Door::Cli, scopes))
}

/// Inserts tasks, ordered by number.
pub async fn tasks(state: &AppState, caller: &Caller, seeds: &[SeedTask]) -> Result<(), Error> {
    let now = state.ctx.now();
    let mut tx = state.ctx.write().await?;
    for seed in seeds {
        while store::tasks::next_number(&mut tx, caller.id()).await? < seed.number {}
        let due = match &seed.due {
            Some(text) => Some(when::resolve(text, &now, &caller.user.zone)?),
            None => None,
        };
        let task = Task {
            task_id: seed.number,
            title: seed.title.clone(),
            description: None,
            status: seed.status,
            due: due.as_ref().map(Due::to_string),
            priority: seed.priority,
            project: None,
            tags: vec![],
            recurrence: None,
            rank: None,
            version: 1,
            created_at: now.clone(),
            updated_at: now.clone(),
            completed_at: (seed.status == Status::Completed).then(|| now.clone()),
            deleted_at: None,
        };
        store::tasks::insert(&mut tx, caller.id(), &Stored { task, due }).await?;
    }
    state.ctx.commit(tx).await
}

/// Inserts an earlier conversation.
pub async fn said(state: &AppState, caller: &Caller, exchanges: &[Exchange]) -> Result<ConversationId, Error> {
    let now = state.ctx.now();
    let id = ConversationId::random();
    let mut tx = state.ctx.write().await?;
    store::conversations::create(&mut tx, caller.id(), id, "earlier", &now).await?;
    for exchange in exchanges {
        one(state, &mut tx, caller, id, exchange).await?;
    }
    state.ctx.commit(tx).await?;
    Ok(id)
}

async fn one(
    state: &AppState,
    tx: &mut Tx,
    caller: &Caller,
    conversation: ConversationId,
    exchange: &Exchange,
) -> Result<(), Error> {
    let (user, now) = (caller.id(), state.ctx.now());
    let new = NewTurn {
        conversation,
        cause: Cause::Message,
        approval: None,
        client_key: None,
        lease_ms: None,
        starter: None,
    };
    let row = store::turns::insert(tx, user, &new, &now).await?;
    let (turn, about) = (row.id, Some(About::finished(&row, &now)));
    let mut say = NewMessage { conversation, turn, speaker: Speaker::User, text: &exchange.user, by: None };
    store::messages::insert(tx, user, &say, &now).await?;
    reads(state, tx, caller, turn, &exchange.reads).await?;
    say = NewMessage { speaker: Speaker::Assistant, text: &exchange.assistant, ..say };
    store::messages::insert(tx, user, &say, &now).await?;
    let kind = if exchange.reads.is_empty() { DecisionKind::RespondOnly } else { DecisionKind::InvokeTool };
    let row = DecisionRow {
        turn_id: turn,
        turn: about,
        decision: Decision { kind, outcome: Outcome::ResponseGiven },
        engine: Engine::Rules,
        engine_cause: None,
        model: None,
        intent: "earlier".into(),
        reply: exchange.assistant.clone(),
        options: vec![],
        constitution: String::new(),
        asked_approval: None,
        question: None,
        told_seq: None,
        memories: vec![],
        tokens_in: None,
        tokens_out: None,
        tokens_estimated: false,
        cost_micros: None,
        duration_ms: 0,
        basis: None,
        at: now.clone(),
    };
    store::decisions::insert(tx, user, &row).await?;
    Ok(store::turns::refuse(tx, user, turn, &now).await?)
}

async fn reads(
    state: &AppState,
    tx: &mut Tx,
    caller: &Caller,
    turn: TurnId,
    reads: &[(ToolName, Value, Vec<TaskNumber>)],
) -> Result<(), Error> {
    if reads.is_empty() {
        return Ok(());
    }
    let (user, now) = (caller.id(), state.ctx.now());
    let calls: Vec<_> =
        reads.iter().map(|(tool, arguments, _)| ApprovalCall { tool: *tool, arguments: arguments.clone() }).collect();
    let reply = serde_json::to_value(engine::stored_calls(&calls))
        .map_err(|error| Invalid::because(format!("A call cannot be kept: {error}.")))?;
    store::steps::insert(tx, user, turn, &StepRow { number: 0, origin: Origin::Engine, reply }, &now).await?;
    for (index, (tool, arguments, shown)) in reads.iter().enumerate() {
        let mut found = vec![];
        for number in shown {
            found.push(tasks::one(tx, caller, *number).await?);
        }
        let value = match (tool, found.first()) {
            (ToolName::GetTask, Some(task)) => json!(task),
            _ => json!({ "tasks": found, "total": found.len() }),
        };
        let index = i32::try_from(index).expect("an exchange has few calls");
        let invocation = Invocation {
            id: InvocationId { turn, step: 0, index },
            tool: Some(*tool),
            called_as: tool.to_string(),
            risk: Risk::Low,
            arguments: arguments.clone(),
            result: CallResult { status: CallStatus::Ok, value },
            approval_id: None,
            preview: vec![],
            duration_ms: 0,
            by: None,
            at: now.clone(),
        };
        store::invocations::insert(tx, user, &invocation).await?;
    }
    Ok(())
}
