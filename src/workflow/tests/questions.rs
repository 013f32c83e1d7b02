//! Tests of questions in every text channel: they contain each changed field, and the user's message stays linked.

use serde_json::{Map, Value};

use super::*;
use crate::domain::approval::Approval;
use crate::domain::id::ApprovalId;
use crate::domain::policy::{Asker, Rule};
use crate::domain::task::{Description, Edit};
use crate::domain::tool::ToolName;
use crate::workflow::question::{Asking, on_telegram};

/// Returns a value for a tool's argument and its text in a question. A new argument without a sample fails the tests.
fn sample(argument: &str) -> (Value, &'static str) {
    match argument {
        "title" => (json!("oat milk"), "oat milk"),
        "description" => (json!("two litres"), "two litres"),
        "due" => (json!("2026-04-02T17:00"), "Thu 2 Apr 2026 17:00"),
        "priority" => (json!("high"), "High (p1)"),
        "project" => (json!("home"), "#home"),
        "tags" => (json!(["shop", "soon"]), "@shop @soon"),
        "recurrence" => (json!("every monday"), "every Monday"),
        "status" => (json!("completed"), "is completed"),
        "clear" => (json!(["notes"]), "one litre"),
        other => panic!("{other} needs a value here, and has to be shown"),
    }
}

impl World {
    /// Returns a tool's arguments other than task numbers, from its schema.
    fn arguments(&self, tool: ToolName) -> Vec<String> {
        let specs = self.state.tools().specs();
        let spec = specs.iter().find(|spec| spec.name == tool.as_str()).unwrap();
        let all = spec.schema.value()["properties"].as_object().unwrap();
        all.keys().filter(|key| !["task_id", "task_ids"].contains(&key.as_str())).cloned().collect()
    }

    async fn request(&self, id: ApprovalId) -> Approval {
        approvals::get(&self.state.ctx, &self.caller, id).await.unwrap()
    }

    /// Returns the question in each text channel.
    fn channels(&self, turn: &Turn) -> Vec<(&'static str, String)> {
        let asking = Asking { zone: &self.caller.user.zone, base: &self.state.config.public_url };
        let approval = turn.approval.as_ref().unwrap();
        vec![("reply", turn.reply.clone().unwrap()), ("telegram", on_telegram(approval, asking))]
    }

    async fn note(&self, number: TaskNumber, text: &str) {
        let ctx = &self.state.ctx;
        let edit = Edit { description: Some(Some(Description::parse(text).unwrap())), ..Edit::default() };
        let mut tx = ctx.write().await.unwrap();
        tasks::edit(ctx, &mut tx, By::person(&self.caller), number, edit, None).await.unwrap();
        ctx.commit(tx).await.unwrap();
    }

    async fn said(&self, turn: &Turn) -> Option<String> {
        let id = turn.approval.as_ref().unwrap().approval_id;
        approvals::said(&self.state.ctx, &self.caller, id).await.unwrap().map(|said| said.text)
    }
}

#[tokio::test]
async fn approval_question_shows_every_field_of_an_update() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        let agent = world.agent().await;
        for argument in world.arguments(ToolName::UpdateTask) {
            let (value, shown) = sample(&argument);
            let number = world.task("milk").await;
            world.note(number, "one litre").await;
            let mut arguments =
                Map::from_iter([("task_id".to_owned(), json!(number)), ("title".to_owned(), json!("eggs"))]);
            arguments.insert(argument.clone(), value);
            world.scripted(&[("update_task", Value::Object(arguments.clone()))]);
            let asked = world.say("change it").await;
            for (channel, text) in world.channels(&asked) {
                let sentence = format!("Are you sure you want to rename task {number}? (yes/no)\n");
                assert!(text.starts_with(&sentence) && text.contains(shown), "{argument} on {channel}:\n{text}");
            }
            let waits = world.call(&agent, ToolName::UpdateTask, Value::Object(arguments)).await;
            let message = waits.result.value["message"].as_str().unwrap();
            assert!(message.contains(shown), "{argument} for agents:\n{message}");
            world.press(&asked, Verdict::Reject).await.unwrap();
        }
    }
}

#[tokio::test]
async fn approval_question_shows_every_field_of_an_added_task() {
    for mut world in worlds().await {
        world.rules(Asker::Agent, ToolName::AddTask, Rule::Ask).await;
        let all = world.arguments(ToolName::AddTask);
        let arguments = all.iter().map(|argument| (argument.clone(), sample(argument).0)).collect();
        world.scripted(&[("add_task", Value::Object(arguments)), ("add_task", json!({ "title": "pay eve" }))]);
        let asked = world.say("add it").await;
        for (channel, text) in world.channels(&asked) {
            assert!(
                text.starts_with("Are you sure you want to add 2 tasks: “oat milk”, “pay eve”? (yes/no)\n"),
                "{text}"
            );
            for argument in &all {
                assert!(text.contains(sample(argument).1), "{argument} on {channel}:\n{text}");
            }
        }
    }
}

#[tokio::test]
async fn a_batch_of_several_tools_names_each_of_its_changes() {
    for mut world in worlds().await {
        world.rules(Asker::Agent, ToolName::AddTask, Rule::Ask).await;
        let (one, two) = (world.task("wash car").await, world.task("book flights").await);
        world.note(one, "with wax").await;
        world.scripted(&[
            ("delete_task", json!({ "task_id": one })),
            ("update_task", json!({ "task_id": two, "title": "book trains", "project": "trip" })),
            ("add_task", json!({ "title": "pay eve", "description": "1,000 €" })),
        ]);
        let asked = world.say("tidy up").await;
        for (channel, text) in world.channels(&asked) {
            assert_eq!(
                text,
                "Are you sure you want to make these 3 changes: wash car (#1), book flights (#2), “pay eve”? (yes/no)\n\
                 • wash car (#1) goes to the bin\n• wash car (#1) notes: “with wax”\n\
                 • book flights (#2) title: “book flights” → “book trains”\n• book flights (#2) project: none → “#trip”\n\
                 • “pay eve” is added\n• “pay eve” notes: “1,000 €”",
                "{channel}"
            );
        }
    }
}

#[tokio::test]
async fn of_120_tasks_those_without_room_are_counted_and_linked() {
    for mut world in worlds().await {
        let mut numbers = vec![];
        for at in 1..=120 {
            numbers.push(world.task(&format!("a <task> & {at}")).await);
        }
        let (some, rest) = numbers.split_at(100);
        world.scripted(&[("delete_task", json!({ "task_ids": some })), ("delete_task", json!({ "task_ids": rest }))]);
        let asked = world.say("delete everything").await;
        let page = asked.approval.as_ref().unwrap().page(&world.state.config.public_url);
        for (channel, text) in world.channels(&asked) {
            assert!(text.starts_with("Are you sure you want to delete 120 tasks: “a <task> & 1” (#1), "), "{text}");
            let shown = text.matches("goes to the bin").count();
            let last = text.lines().last().unwrap();
            assert_eq!(last, format!("… and {} more tasks to the bin: {page}", 120 - shown), "{channel}");
            assert!(shown > 20 && crate::channels::telegram::length(&text) <= 4_096, "{channel}: {shown}");
        }
    }
}

#[tokio::test]
async fn a_vague_answer_is_asked_back_with_every_field() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        world.note(one, "with wax").await;
        let asked = world.say("delete task 1").await;
        let again = world.say("hmm").await;
        assert_eq!(again.reply, asked.reply);
        assert!(again.reply.as_deref().unwrap().contains("notes: “with wax”"), "{again:#?}");
        let back = world.say("can i get it back").await.reply.unwrap();
        assert!(back.ends_with(asked.reply.as_deref().unwrap()) && back != asked.reply.unwrap(), "{back}");
        world.say("yes").await;
        assert!(!world.has(one).await);
    }
}

#[tokio::test]
async fn renewed_approval_keeps_the_message_that_requested_it() {
    for mut world in worlds().await {
        let one = world.task("wash car").await;
        let words = Some("delete task 1".to_owned());
        let asked = world.say("delete task 1").await;
        assert_eq!(world.said(&asked).await, words);
        // Void by button, void by a yes in the chat, expired and requested again, and all of it once more.
        world.note(one, "with wax").await;
        let by_button = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&by_button, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        assert_eq!(world.said(&by_button).await, words);
        world.note(one, "with polish").await;
        let by_words = world.say("yes").await;
        ended(&by_words, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        assert_eq!(world.said(&by_words).await, words);
        world.state.ctx.clock.advance(86_400);
        worker::settle(&world.state).await.unwrap();
        let again = world.again(by_words.approval.as_ref().unwrap().approval_id).await.unwrap();
        ended(&again, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert_eq!(world.said(&again).await, words);
        world.note(one, "with both").await;
        let once_more = world.press(&again, Verdict::Approve).await.unwrap();
        assert_eq!(world.said(&once_more).await, words);
        assert!(once_more.reply.as_deref().unwrap().contains("notes: “with both”"), "{once_more:#?}");
    }
}

#[tokio::test]
async fn followup_approval_keeps_the_message_of_the_first_one() {
    for mut world in worlds().await {
        let (_, _) = (world.task("wash car").await, world.task("book flights").await);
        let calls = |number: i64| crate::llm::Act::Calls {
            text: String::new(),
            calls: vec![crate::domain::tool::Call {
                tool: "delete_task".into(),
                arguments: json!({ "task_id": number }),
                provider_id: None,
            }],
        };
        let script = vec![calls(1), calls(2)];
        world.state.engine = Arc::new(crate::llm::scripted::Scripted::new(script));
        let first = world.say("delete both, one after the other").await;
        let second = world.say("yes").await;
        assert_eq!(second.approval.as_ref().unwrap().preview[0].task_id, TaskNumber(2), "{second:#?}");
        assert_eq!(world.said(&second).await.as_deref(), Some("delete both, one after the other"));
        assert_eq!(world.request(first.approval.unwrap().approval_id).await.status, ApprovalStatus::Approved);
    }
}

#[tokio::test]
async fn an_agents_request_has_no_words_of_the_person() {
    for world in worlds().await {
        let one = world.task("wash car").await;
        let agent = world.agent().await;
        let waits = world.call(&agent, ToolName::DeleteTask, json!({ "task_id": one })).await.waits.unwrap();
        assert_eq!(approvals::said(&world.state.ctx, &world.caller, waits.approval_id).await.unwrap(), None);
        world.note(one, "with wax").await;
        let accepted = world.approve(&waits).await;
        worker::settle(&world.state).await.unwrap();
        let void = inbox::wait(&world.state, &world.caller, accepted.turn).await.unwrap();
        ended(&void, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
        assert_eq!(world.said(&void).await, None);
    }
}
