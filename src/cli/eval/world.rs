//! The state of one row, and its turns: a user, their tasks, a conversation, and the clock.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::Error;
use super::effects::{self, Table};
use super::{fresh, rows, usecase};
use crate::config::Config;
use crate::domain::approval::{ApprovalStatus, DecidedVia};
use crate::domain::decision::Engine;
use crate::domain::id::{ConversationId, TaskNumber};
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::Turn;
use crate::domain::user::Caller;
use crate::fault::{Fault, Faults};
use crate::state::AppState;
use crate::usecases::{By, spending, tasks};
use crate::workflow::inbox::{self, IncomingMessage};
use crate::workflow::{seed, worker};

/// Timeout for the end of a turn that has run.
const GIVEN_UP: Duration = Duration::from_secs(10);

struct World {
    state: AppState,
    caller: Caller,
    conversation: Option<ConversationId>,
    /// Numbers of the tasks that exist from the start.
    seeded: Vec<TaskNumber>,
    cost: Cost,
}

/// Cost of turns.
#[derive(Debug, Clone, Default)]
pub struct Cost {
    /// Duration of each turn.
    pub turns: Vec<Duration>,
    /// Number of turns that the rules decided, including those as fallback for a failed model.
    pub by_rules: usize,
    pub tokens_in: i64,
    pub tokens_out: i64,
}

impl Cost {
    pub fn add(&mut self, other: Self) {
        self.turns.extend(other.turns);
        self.by_rules += other.by_rules;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
    }
}

/// Predicts a row with one message.
pub async fn single(config: &Config, row: rows::Single) -> Result<(Value, Cost), Error> {
    let mut world = World::new(config, &row.now, &row.tz, &row.seed_tasks).await?;
    if !row.history.is_empty() {
        let earlier = rows::exchanges(&row.history);
        world.conversation = Some(seed::said(&world.state, &world.caller, &earlier).await?);
    }
    let turn = world.say(&row.utterance).await?;
    let mut prediction = world.told(&turn, &Table::new());
    prediction["id"] = json!(row.id);
    Ok((prediction, world.cost().await?))
}

/// Predicts a row with several messages, and the effects of each.
pub async fn dialogue(config: &Config, row: rows::Dialogue) -> Result<(Value, Cost), Error> {
    let mut world = World::new(config, &row.now, &row.tz, &row.seed_tasks).await?;
    let mut turns = vec![];
    for turn in row.turns {
        for event in turn.events {
            world.happen(event).await?;
        }
        let before = effects::table(&world.state, &world.caller).await?;
        let done = world.say(&turn.user).await?;
        let after = effects::table(&world.state, &world.caller).await?;
        let mut prediction = world.told(&done, &after);
        prediction["effects"] = json!(effects::between(&before, &after, |number| world.name(number, &after)));
        turns.push(prediction);
    }
    Ok((json!({ "id": row.id, "turns": turns }), world.cost().await?))
}

impl World {
    async fn new(config: &Config, now: &str, zone: &str, seeds: &[rows::Seed]) -> Result<Self, Error> {
        let mut state = fresh(config, now).await?;
        state.ctx.faults = Faults::plan();
        let caller = seed::user(&state, "someone", zone).await?;
        let seeds = rows::tasks(seeds).map_err(usecase)?;
        seed::tasks(&state, &caller, &seeds).await?;
        let seeded = seeds.iter().map(|seed| seed.number).collect();
        Ok(Self { state, caller, conversation: None, seeded, cost: Cost::default() })
    }

    /// Returns the cost of the turns so far.
    async fn cost(self) -> Result<Cost, Error> {
        let (tokens_in, tokens_out) = spending::ever(&self.state.ctx, &self.caller.user).await?;
        Ok(Cost { tokens_in, tokens_out, ..self.cost })
    }

    async fn say(&mut self, text: &str) -> Result<Turn, Error> {
        settle(&self.state).await?;
        let incoming = IncomingMessage { text: text.to_owned(), conversation: self.conversation, client_key: None };
        let begun = Instant::now();
        let accepted = inbox::accept(&self.state, &self.caller, incoming).await?;
        self.conversation = Some(accepted.conversation);
        settle(&self.state).await?;
        self.cost.turns.push(begun.elapsed());
        // Every turn that could run has run: one that has not ended by now panicked, and never will.
        let ended = tokio::time::timeout(GIVEN_UP, inbox::wait(&self.state, &self.caller, accepted.turn)).await;
        let ended = ended.map_err(|_| Error::State(format!("The turn of “{text}” failed; see the log above.")))?;
        let turn = ended?;
        self.cost.by_rules += usize::from(turn.engine == Some(Engine::Rules));
        Ok(turn)
    }

    async fn happen(&mut self, event: rows::Event) -> Result<(), Error> {
        match event {
            rows::Event::AdvanceClock { seconds } => self.state.ctx.clock.advance(seconds),
            rows::Event::FailTool { tool, times, error } => {
                if let Some(tool) = ToolName::parse(&tool) {
                    self.state.ctx.faults.add(Fault { tool, times, error });
                }
            }
            rows::Event::ExternalDelete { task_id } => {
                let ctx = &self.state.ctx;
                let mut tx = ctx.write().await?;
                tasks::delete(ctx, &mut tx, By::person(&self.caller), TaskNumber(task_id), None).await?;
                ctx.commit(tx).await?;
            }
            // A new process on the same database: only the database is carried over.
            rows::Event::RestartServer => self.state = self.state.restarted(),
            rows::Event::NewConversation => self.conversation = None,
        }
        Ok(())
    }

    /// Converts the turn into the scorer's format, with its engine. Calls that the message itself confirmed count once, as run.
    fn told(&self, turn: &Turn, after: &Table) -> Value {
        let inline = turn.approval.as_ref().is_some_and(|approval| {
            approval.status == ApprovalStatus::Approved && approval.decided_via == Some(DecidedVia::Inline)
        });
        let calls: Vec<_> = turn
            .tool_calls
            .iter()
            .filter(|call| !(inline && call.status == CallStatus::AwaitingApproval))
            .map(|call| {
                let mut arguments = call.arguments.clone();
                if let Some(number) = arguments["task_id"].as_i64() {
                    arguments["task_id"] = self.name(TaskNumber(number), after);
                }
                json!({ "tool": call.tool, "args": arguments, "confirm": call.status == CallStatus::AwaitingApproval })
            })
            .collect();
        json!({ "decision": turn.decision.map(|decision| decision.kind), "engine": turn.engine, "calls": calls })
    }

    /// Returns a task's number, or `new1`, `new2`, … if it was created in the dialogue.
    fn name(&self, number: TaskNumber, table: &Table) -> Value {
        if self.seeded.contains(&number) {
            return json!(number);
        }
        let made = table.keys().filter(|known| !self.seeded.contains(known));
        match made.enumerate().find(|(_, known)| **known == number) {
            Some((place, _)) => json!(format!("new{}", place + 1)),
            None => json!(number),
        }
    }
}

async fn settle(state: &AppState) -> Result<(), Error> {
    worker::settle(state).await.map_err(|error| Error::State(error.to_string()))
}
