//! Histories for crash tests: each tool, run at once, approved, rejected, confirmed in the message, with rules and scripts.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::domain::approval::Verdict;
use crate::domain::decision::Engine;
use crate::domain::tool::Call;
use crate::fault::Commit;
use crate::fault::crash::{Crashes, Point, Side};
use crate::llm::scripted::Scripted;
use crate::llm::{Act, Llm, LlmError, Piece, Reply, Request, Told};

/// A user's action.
#[derive(Debug, Clone, Copy)]
pub enum Deed {
    /// Sends a message and waits for the reply.
    Say(&'static str),
    /// Sends a message without starting its turn.
    Leave(&'static str),
    /// Answers the last approval by button.
    Press(Verdict),
    Stop,
    /// Extends the last approval.
    Extend,
    /// Runs all pending work.
    Settle,
    /// Advances the clock by seconds.
    Wait(i64),
    Add(&'static str),
    Complete(i64),
    /// Undoes the last turn.
    Undo,
    Erase,
    /// Calls a tool for the task of that number as an agent.
    Call(&'static str, i64),
}

/// Creates a process's engine.
pub type Maker = fn(&Arc<Crashes>) -> Arc<dyn Llm>;

pub struct History {
    pub name: &'static str,
    /// Initial list.
    pub tasks: &'static [&'static str],
    /// `None` means the rules.
    pub engine: Option<Maker>,
    pub messages_per_minute: i64,
    pub lease_ms: i64,
    pub deeds: &'static [Deed],
    /// The final list, or its beginning.
    pub comes_to: &'static str,
}

use Deed::{Add, Call as Calls, Complete, Erase, Extend, Leave, Press, Say, Settle, Stop, Undo, Wait};

const CAR: &[&str] = &["wash car"];
const TWO: &[&str] = &["wash car", "book flights"];

const fn rules(
    name: &'static str,
    tasks: &'static [&'static str],
    deeds: &'static [Deed],
    comes_to: &'static str,
) -> History {
    History { name, tasks, engine: None, messages_per_minute: 0, lease_ms: 60_000, deeds, comes_to }
}

#[rustfmt::skip]
pub const HISTORIES: &[History] = &[
    rules("add by rules", &[], &[Say("add milk")], "#1 milk pending None v1\n"),
    rules("list by rules", CAR, &[Say("show my tasks")], "#1 wash car pending None v1\n"),
    rules("get by rules", CAR, &[Say("show task 1")], "#1 wash car pending None v1\n"),
    rules("complete by rules", CAR, &[Say("complete task 1")], "#1 wash car completed None v2\n"),
    rules("update by rules", CAR, &[Say("set the priority of task 1 to high")], "#1 wash car pending High v2\n"),
    rules("delete by button", CAR, &[Say("delete task 1"), Press(Verdict::Approve)], "#1 wash car in the bin None v2\n"),
    rules("delete by a typed yes", CAR, &[Say("delete task 1"), Say("yes")], "#1 wash car in the bin None v2\n"),
    rules("delete confirmed inline", CAR, &[Say("delete task 1, yes I'm sure")], "#1 wash car in the bin None v2\n"),
    rules("rename confirmed inline", CAR, &[Say("rename task 1 to \"wash both cars\", yes I am sure")], "#1 wash both cars pending None v2\n"),
    rules("complete two confirmed inline", TWO, &[Say("complete tasks 1 and 2, yes I'm sure")], "#1 wash car completed None v2\n#2 book flights completed None v2\n"),
    rules("delete rejected by button", CAR, &[Say("delete task 1"), Press(Verdict::Reject)], "#1 wash car pending None v1\n"),
    rules("delete rejected by a typed no", CAR, &[Say("delete task 1"), Say("no")], "#1 wash car pending None v1\n"),
    rules("rename by button", CAR, &[Say("rename task 1 to wash both cars"), Press(Verdict::Approve)], "#1 wash both cars pending None v2\n"),
    rules("rename by a typed yes", CAR, &[Say("rename task 1 to wash both cars"), Say("yes")], "#1 wash both cars pending None v2\n"),
    rules("complete all by button", TWO, &[Say("complete all my tasks"), Press(Verdict::Approve)], "#1 wash car completed None v2\n#2 book flights completed None v2\n"),
    rules("delete all by a typed yes", TWO, &[Say("delete all my tasks"), Say("yes")], "#1 wash car in the bin None v2\n#2 book flights in the bin None v2\n"),
    rules("an approval that became void", CAR, &[Say("delete task 1"), Complete(1), Press(Verdict::Approve)], "#1 wash car completed None v2\n"),
    rules("an approval that expires", CAR, &[Say("delete task 1"), Extend, Wait(86_400), Settle], "#1 wash car pending None v1\n"),
    rules("a tool that fails", CAR, &[Say("complete task 9")], "#1 wash car pending None v1\n"),
    rules("a turn that waits", &[], &[Leave("add milk"), Leave("add eggs"), Settle], "#1 milk pending None v1\n#2 eggs pending None v1\n"),
    rules("a turn that is stopped", &[], &[Leave("add milk"), Stop, Settle], "User: add milk"),
    rules("a turn taken back", &[], &[Say("add milk and then add eggs"), Undo], "#1 milk in the bin None v2\n#2 eggs in the bin None v2\n"),
    rules("a recurring task's completion taken back", &[], &[Say("add water the ferns every monday"), Say("complete task 1"), Undo], "#1 water the ferns pending None v3\n#2 water the ferns in the bin None v2\n"),
    rules("an outside agent", TWO, &[Calls("complete_task", 1), Calls("delete_task", 2), Press(Verdict::Approve), Calls("delete_task", 2)], "#1 wash car completed None v2\n#2 book flights in the bin None v2\n"),
    rules("an edit by hand", &[], &[Add("milk")], "#1 milk pending None v1\n"),
    rules("an erasure", CAR, &[Say("add milk"), Say("delete task 1"), Press(Verdict::Reject), Wait(60), Erase, Say("add eggs")], "User: This text was erased. None []\nAssistant: This text was erased. None []\n"),
    rules("a bin that is emptied", TWO, &[Say("delete task 1, yes I'm sure"), Wait(30 * 86_400), Settle, Wait(3_600), Settle], "#1  gone None v3\n#2 book flights pending None v1\n"),
    History { messages_per_minute: 1, ..rules("too fast", &[], &[Say("add milk"), Say("add eggs")], "#1 milk pending None v1\nUser: add milk") },
    History { engine: Some(slow), lease_ms: 300, ..rules("a slow model", &[], &[Say("hello")], "User: hello") },
    History { engine: Some(speaking), ..rules("a model that is heard while it speaks", &[], &[Say("hello")], "User: hello") },
    script("add by script", &[], add, &[Say("go")], "#1 milk pending None v1\n#2 eggs pending None v1\n"),
    script("list by script", CAR, list, &[Say("go")], "#1 wash car pending None v1\n"),
    script("get by script", CAR, get, &[Say("go")], "#1 wash car pending None v1\n"),
    script("complete by script", CAR, complete, &[Say("go")], "#1 wash car completed None v2\n"),
    script("update by script", CAR, update, &[Say("go")], "#1 wash car pending High v2\n"),
    script("refused calls by script", CAR, wrong, &[Say("go")], "#1 wash car pending None v1\n"),
    script("delete by script and button", TWO, delete, &[Say("go"), Press(Verdict::Approve)], "#1 wash car in the bin None v2\n#2 book flights in the bin None v2\n"),
    script("complete two by script and button", TWO, complete_two, &[Say("go"), Press(Verdict::Approve)], "#1 wash car completed None v2\n#2 book flights completed None v2\n"),
    script("rename by script and yes", CAR, rename, &[Say("go"), Say("yes")], "#1 wash both cars pending None v2\n"),
    script("delete by script confirmed inline", TWO, delete_one, &[Say("delete task 1, yes I'm sure")], "#1 wash car in the bin None v2\n#2 book flights pending None v1\n"),
    script("several of everything", TWO, mixed, &[Say("go"), Press(Verdict::Approve)], "#1 wash car in the bin None v2\n#2 book flights completed None v2\n#3 milk pending None v1\n"),
];

const fn script(
    name: &'static str,
    tasks: &'static [&'static str],
    engine: Maker,
    deeds: &'static [Deed],
    comes_to: &'static str,
) -> History {
    History { engine: Some(engine), ..rules(name, tasks, deeds, comes_to) }
}

/// Returns an engine with these calls, one round each, and a final reply.
fn rounds(rounds: &[&[(&str, Value)]]) -> Arc<dyn Llm> {
    let call = |(tool, arguments): &(&str, Value)| Call {
        tool: (*tool).into(),
        arguments: arguments.clone(),
        provider_id: None,
    };
    let round = |calls: &&[(&str, Value)]| Act::Calls { text: String::new(), calls: calls.iter().map(call).collect() };
    let acts = rounds.iter().map(round).chain([Act::Say { text: "Done.".into() }]).collect();
    Arc::new(Scripted::new(acts))
}

fn add(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("add_task", json!({ "title": "milk" }))], &[("create_todo_task", json!({ "title": "eggs" }))]])
}

fn list(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("list_tasks", json!({}))]])
}

fn get(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("get_task", json!({ "task_id": 1 }))]])
}

fn complete(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("complete_task", json!({ "task_id": 1 }))]])
}

fn update(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("update_task", json!({ "task_id": 1, "priority": "high" }))]])
}

fn wrong(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[
        ("launch_rocket", json!({})),
        ("get_task", json!({ "task_id": 0 })),
        ("get_task", json!({ "task_id": 7 })),
    ]])
}

fn delete(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("delete_task", json!({ "task_id": 1 })), ("delete_task", json!({ "task_id": 2 }))]])
}

fn delete_one(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("delete_task", json!({ "task_id": 1 }))]])
}

fn complete_two(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("complete_task", json!({ "task_ids": [1, 2] }))]])
}

fn rename(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[&[("update_task", json!({ "task_id": 1, "title": "wash both cars" }))]])
}

fn mixed(_: &Arc<Crashes>) -> Arc<dyn Llm> {
    rounds(&[
        &[("add_task", json!({ "title": "milk" })), ("complete_task", json!({ "task_id": 2 }))],
        &[("delete_task", json!({ "task_id": 1 })), ("list_tasks", json!({}))],
    ])
}

/// A model that takes longer than a third of the lease.
struct Slow(Arc<Crashes>);

fn slow(crashes: &Arc<Crashes>) -> Arc<dyn Llm> {
    Arc::new(Slow(crashes.clone()))
}

#[async_trait]
impl Llm for Slow {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
        while !self.0.seen().contains(&Point { side: Side::After, commit: Commit::Renew }) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let act = Act::Say { text: "Hello.".into() };
        Ok(Reply::plain(act, ""))
    }
}

/// A model whose first text is stored before its last.
struct Speaking(Arc<Crashes>);

fn speaking(crashes: &Arc<Crashes>) -> Arc<dyn Llm> {
    Arc::new(Speaking(crashes.clone()))
}

#[async_trait]
impl Llm for Speaking {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, _request: &Request) -> Result<Reply, LlmError> {
        Ok(Reply::plain(Act::Say { text: "Hello.".into() }, ""))
    }

    async fn stream(&self, request: &Request, told: &Told) -> Result<Reply, LlmError> {
        told.send(Piece::Text("Hel".into())).ok();
        while !self.0.seen().contains(&Point { side: Side::After, commit: Commit::Told }) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        told.send(Piece::Text("lo.".into())).ok();
        self.complete(request).await
    }
}
