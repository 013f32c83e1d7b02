//! Formats of rows: a single turn, a dialogue or a date phrase. The expected result of a row is never read.

use serde::Deserialize;
use serde_json::Value;

use crate::domain::id::TaskNumber;
use crate::domain::task::{Priority, Status, Title};
use crate::domain::tool::ToolName;
use crate::workflow::seed::{Exchange, SeedTask};

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Row {
    Dialogue(Dialogue),
    Single(Single),
    Date(Date),
}

/// A single message, optionally with a history.
#[derive(Debug, Deserialize)]
pub struct Single {
    pub id: String,
    pub utterance: String,
    pub now: String,
    pub tz: String,
    #[serde(default)]
    pub history: Vec<Said>,
    pub seed_tasks: Vec<Seed>,
}

/// Several messages, with events between them.
#[derive(Debug, Deserialize)]
pub struct Dialogue {
    pub id: String,
    pub now: String,
    pub tz: String,
    pub seed_tasks: Vec<Seed>,
    pub turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
pub struct Turn {
    #[serde(default)]
    pub events: Vec<Event>,
    pub user: String,
}

/// An event before a message.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    AdvanceClock { seconds: i64 },
    FailTool { tool: String, times: u32, error: String },
    ExternalDelete { task_id: i64 },
    RestartServer,
    NewConversation,
}

/// A phrase to be parsed as a date.
#[derive(Debug, Deserialize)]
pub struct Date {
    pub id: String,
    pub phrase: String,
    pub reference: String,
    pub tz: String,
}

/// A task that exists from the start.
#[derive(Debug, Deserialize)]
pub struct Seed {
    id: i64,
    title: String,
    status: String,
    due: Option<String>,
    priority: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Said {
    role: String,
    content: String,
    #[serde(default)]
    tool_calls: Vec<Read>,
}

/// A read-only call of an earlier message, and the tasks that it returned.
#[derive(Debug, Deserialize)]
struct Read {
    tool: String,
    args: Value,
    #[serde(default)]
    result: Vec<i64>,
}

pub fn parse(line: &str) -> Result<Row, String> {
    serde_json::from_str(line).map_err(|_| "not a single turn, dialogue or date phrase".to_owned())
}

/// Converts the tasks for seeding.
pub fn tasks(seeds: &[Seed]) -> Result<Vec<SeedTask>, crate::domain::Invalid> {
    let task = |seed: &Seed| {
        Ok(SeedTask {
            number: TaskNumber(seed.id),
            title: Title::parse(&seed.title)?,
            status: Status::parse(&seed.status)?,
            due: seed.due.clone(),
            priority: seed.priority.as_deref().map(Priority::parse).transpose()?.unwrap_or_default(),
        })
    };
    seeds.iter().map(task).collect()
}

/// Converts the history to pairs of a message and its answer.
pub fn exchanges(history: &[Said]) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = vec![];
    for said in history {
        match (said.role.as_str(), exchanges.last_mut()) {
            ("assistant", Some(open)) => {
                open.assistant.clone_from(&said.content);
                let read = |call: &Read| {
                    let shown = call.result.iter().copied().map(TaskNumber).collect();
                    Some((ToolName::parse(&call.tool)?, call.args.clone(), shown))
                };
                open.reads = said.tool_calls.iter().filter_map(read).collect();
            }
            _ => exchanges.push(Exchange { user: said.content.clone(), assistant: String::new(), reads: vec![] }),
        }
    }
    exchanges
}
