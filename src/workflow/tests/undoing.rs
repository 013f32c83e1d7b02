//! Tests of undo as a tool: the user's own last action at once, more than that after approval (R-1101).

use super::*;
use crate::domain::task::{Description, Edit};
use crate::domain::tool::ToolName;
use crate::domain::turn::Effect;
use crate::domain::user::Scope;
use crate::llm::Act;
use crate::llm::scripted::Scripted;

impl World {
    async fn complete(&self, number: TaskNumber) {
        let ctx = &self.state.ctx;
        let mut tx = ctx.write().await.unwrap();
        tasks::complete(ctx, &mut tx, By::person(&self.caller), number, None).await.unwrap();
        ctx.commit(tx).await.unwrap();
    }

    async fn status_of(&self, number: TaskNumber) -> Status {
        tasks::get(&self.state.ctx, &self.caller, number).await.unwrap().status
    }
}

fn reply(turn: &Turn) -> &str {
    turn.reply.as_deref().unwrap()
}

#[tokio::test]
async fn last_act_of_the_chat_is_undone_without_a_question() {
    for mut world in worlds().await {
        world.say("add eggs").await;
        assert!(world.has(TaskNumber(1)).await);
        let undone = world.say("undo").await;
        ended(&undone, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert_eq!(reply(&undone), "Undone: eggs (#1) is in the bin again");
        assert_eq!((undone.approval.is_none(), undone.tool_calls[0].effect), (true, Effect::Stands));
        assert!(!world.has(TaskNumber(1)).await);

        world.say("add milk tomorrow").await;
        world.say("move milk to friday").await;
        let moved = world.say("undo that").await;
        assert!(reply(&moved).starts_with("Undone: milk (#2) is as it was before · tomorrow"), "{}", reply(&moved));
        // An undo is no action: the next one concerns the action before.
        assert_eq!(reply(&world.say("undo").await), "Undone: milk (#2) is in the bin again");
        let nothing = world.say("undo").await;
        ended(&nothing, DecisionKind::InvokeTool, Outcome::ToolFailed);
        assert!(reply(&nothing).starts_with("There is nothing to undo from the last hour."), "{}", reply(&nothing));
    }
}

#[tokio::test]
async fn last_act_by_hand_is_undone_from_the_chat() {
    for mut world in worlds().await {
        let car = world.task("wash car").await;
        world.say("add eggs").await;
        world.complete(car).await;
        let undone = world.say("take it back").await;
        assert_eq!(reply(&undone), "Undone: wash car (#1) is open again");
        assert_eq!(world.status_of(car).await, Status::Pending);
        assert!(world.has(TaskNumber(2)).await);
        // Scope `turn` concerns Docket's changes.
        world.complete(car).await;
        assert_eq!(reply(&world.say("undo what you did").await), "Undone: eggs (#2) is in the bin again");
        assert_eq!(world.status_of(car).await, Status::Completed);
    }
}

#[tokio::test]
async fn several_acts_are_undone_after_a_yes_to_their_preview() {
    for mut world in worlds().await {
        world.say("add eggs").await;
        world.say("add milk").await;
        world.say("complete milk").await;
        world.state.ctx.clock.advance(60);
        let asked = world.say("undo everything from the last 10 minutes").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert_eq!(
            reply(&asked),
            "Are you sure you want to undo the changes of 2 tasks: milk (#2), eggs (#1)? (yes/no)\n\
             • milk (#2) goes to the bin\n• milk (#2) status: completed\n• eggs (#1) goes to the bin"
        );
        assert!(world.has(TaskNumber(1)).await && world.has(TaskNumber(2)).await);
        // A later action is not part of the approval.
        world.state.ctx.clock.advance(1);
        world.task("wash car").await;
        world.state.ctx.clock.advance(600);
        let done = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&done, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        let has = [world.has(TaskNumber(1)).await, world.has(TaskNumber(2)).await, world.has(TaskNumber(3)).await];
        assert_eq!(has, [false, false, true]);
        // The undo can be undone.
        let mut tx = world.state.ctx.write().await.unwrap();
        let by = By::person(&world.caller);
        undo::turn(&world.state.ctx, &mut tx, by, done.turn_id).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        assert_eq!(world.status_of(TaskNumber(2)).await, Status::Completed);
    }
}

#[tokio::test]
async fn changes_of_others_are_undone_only_after_a_yes() {
    for mut world in worlds().await {
        let agent = world.agent().await;
        let car = world.task("wash car").await;
        world.state.ctx.clock.advance(1_200);
        world.call(&agent, ToolName::CompleteTask, json!({ "task_id": car })).await;
        // The agent's action is not the user's last one.
        let last = world.say("undo").await;
        assert_eq!(last.approval.as_ref().map(|it| it.question.clone()), None, "{last:#?}");
        assert!(reply(&last).contains("was completed by desk since then"), "{}", reply(&last));
        let asked = world.say("undo everything from the last 10 minutes").await;
        assert_eq!(
            reply(&asked),
            "Are you sure you want to undo the changes of task 1? (yes/no)\n• wash car (#1) is reopened"
        );
        world.press(&asked, Verdict::Approve).await.unwrap();
        assert_eq!(world.status_of(car).await, Status::Pending);

        // And vice versa.
        let mine = world.call(&agent, ToolName::Undo, json!({ "scope": "last" })).await;
        assert_eq!(mine.result.value["error"], json!("conflict"), "its only act was undone: {mine:?}");
        let others = world.call(&agent, ToolName::Undo, json!({ "scope": "minutes", "minutes": 60 })).await;
        assert!(others.waits.is_some(), "{others:?}");
        world.call(&agent, ToolName::AddTask, json!({ "title": "milk" })).await;
        let mine = world.call(&agent, ToolName::Undo, json!({ "scope": "last" })).await;
        assert_eq!(mine.result.value["undone"][0]["what"], json!("deleted"), "{mine:?}");
    }
}

#[tokio::test]
async fn undo_that_nobody_asked_for_asks() {
    for mut world in worlds().await {
        world.say("add eggs").await;
        world.state.engine = crate::state::scripted(vec![vec![("undo", json!({ "scope": "last" }))]]);
        let turn = world.say("what is on my list?").await;
        assert_eq!(turn.tool_calls[0].status, CallStatus::AwaitingApproval, "{turn:#?}");
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn second_undo_of_one_turn_asks() {
    for mut world in worlds().await {
        world.say("add eggs").await;
        world.say("add milk").await;
        let last = || ("undo", json!({ "scope": "last" }));
        world.state.engine = crate::state::scripted(vec![vec![last()], vec![last()]]);
        let turn = world.say("undo, and again").await;
        let states: Vec<_> = turn.tool_calls.iter().map(|call| call.status).collect();
        assert_eq!(states, [CallStatus::Ok, CallStatus::AwaitingApproval], "{turn:#?}");
        assert!(world.has(TaskNumber(1)).await && !world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn later_change_of_a_task_is_left_and_named() {
    for mut world in worlds().await {
        let agent = world.agent().await;
        let (car, rent) = (world.task("wash car").await, world.task("pay rent").await);
        let both = json!({ "task_ids": [car, rent] });
        world.state.engine = crate::state::scripted(vec![vec![("complete_task", both)]]);
        let asked = world.say("both are done").await;
        let ran = world.press(&asked, Verdict::Approve).await.unwrap();
        world.call(&agent, ToolName::UpdateTask, json!({ "task_id": car, "description": "with wax" })).await;
        world.state.engine =
            crate::state::scripted(vec![vec![("undo", json!({ "scope": "turn", "turn_id": ran.turn_id }))]]);
        let turn = world.say("undo that").await;
        let value = turn.tool_calls[0].result.as_ref().unwrap();
        assert_eq!(
            (&value["undone"][0]["task_id"], &value["left"][0]["task_id"]),
            (&json!(rent), &json!(car)),
            "{value}"
        );
        let why = value["left"][0]["why"].as_str().unwrap();
        assert!(why.contains("was edited by desk since then (notes)"), "{why}");
        assert!(reply(&turn).contains(why), "{}", reply(&turn));
        assert_eq!([world.status_of(car).await, world.status_of(rent).await], [Status::Completed, Status::Pending]);
    }
}

#[tokio::test]
async fn undo_that_bins_a_task_needs_the_scope_for_that() {
    for mut world in worlds().await {
        let number = world.task("wash car").await;
        let scopes = [Scope::Chat, Scope::TasksRead, Scope::TasksWrite];
        world.caller = Caller { scopes: scopes.to_vec(), ..world.caller.clone() };
        let ctx = world.state.ctx.clone();
        let (by, mut tx) = (By::person(&world.caller), ctx.write().await.unwrap());
        assert!(matches!(undo::last(&ctx, &mut tx, by).await, Err(Error::Forbidden(_))));
        drop(tx);
        let mut tx = ctx.write().await.unwrap();
        let edit = Edit { description: Some(Some(Description::parse("with wax").unwrap())), ..Edit::default() };
        tasks::edit(&ctx, &mut tx, by, number, edit, None).await.unwrap();
        ctx.commit(tx).await.unwrap();
        let mut tx = ctx.write().await.unwrap();
        assert_eq!(undo::last(&ctx, &mut tx, by).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn undo_while_a_question_waits_asks_it_again() {
    for mut world in worlds().await {
        let car = world.task("wash car").await;
        world.say("delete task 1").await;
        let again = world.say("undo that").await;
        assert!(again.tool_calls.is_empty() && reply(&again).contains("delete task 1"), "{again:#?}");
        assert!(world.has(car).await);
    }
}

#[tokio::test]
async fn undo_of_a_period_before_the_last_action_asks() {
    for mut world in worlds().await {
        let rules = world.state.engine.clone();
        world.say("add eggs").await;
        world.state.ctx.clock.advance(120);
        let until = world.state.ctx.now().plus_seconds(-60).to_string();
        world.say("add milk").await;
        for (until, expected) in [(Some(until), CallStatus::AwaitingApproval), (None, CallStatus::Ok)] {
            let arguments = json!({ "scope": "minutes", "minutes": 1, "until": until });
            world.state.engine = crate::state::scripted(vec![vec![("undo", arguments)]]);
            let turn = world.say("undo that").await;
            assert_eq!(turn.tool_calls[0].status, expected, "{turn:#?}");
            // Otherwise “that” would be the question.
            world.state.engine = rules.clone();
            world.say("thanks").await;
        }
        assert!(world.has(TaskNumber(1)).await && !world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn agent_client_undoes_one_action_in_a_row() {
    for world in worlds().await {
        let agent = world.agent().await;
        for title in ["milk", "tea"] {
            world.call(&agent, ToolName::AddTask, json!({ "title": title })).await;
        }
        let last = || world.call(&agent, ToolName::Undo, json!({ "scope": "last" }));
        assert_eq!(last().await.result.value["undone"][0]["what"], json!("deleted"));
        assert!(last().await.waits.is_some() && world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn undo_of_a_turn_before_an_action_by_hand_asks() {
    for mut world in worlds().await {
        world.say("add eggs").await;
        world.task("milk").await;
        world.state.engine = crate::state::scripted(vec![vec![("undo", json!({ "scope": "turn" }))]]);
        let turn = world.say("undo that").await;
        assert_eq!(turn.tool_calls[0].status, CallStatus::AwaitingApproval, "{turn:#?}");
    }
}

#[tokio::test]
async fn no_to_a_question_undoes_nothing_done_before() {
    for mut world in worlds().await {
        let rules = world.state.engine.clone();
        for (answer, title) in [
            ("no, that was a mistake", "eggs"),
            ("no, put it back", "eggs"),
            ("never mind, undo that", "eggs?"),
            ("yes, undo it", "eggs?"),
        ] {
            let number = world.task(title).await;
            world.say(&format!("delete task {number}")).await;
            let turn = world.say(answer).await;
            assert!(turn.tool_calls.iter().all(|call| call.status != CallStatus::Ok), "{turn:#?}");
            world.say("no").await;
            // The question is answered, and “that” is still not what was done before it.
            world.state.engine = crate::state::scripted(vec![vec![("undo", json!({ "scope": "last" }))]]);
            let turn = world.say("undo that").await;
            assert_eq!(turn.tool_calls[0].status, CallStatus::AwaitingApproval, "{turn:#?}");
            world.state.engine = rules.clone();
            world.say("decline all").await;
        }
    }
}

#[tokio::test]
async fn plain_text_question_of_a_model_counts_as_one() {
    for mut world in worlds().await {
        world.task("milk").await;
        let text = "Shall I also delete task #1? (yes/no)".to_owned();
        world.state.engine = Arc::new(Scripted::new(vec![Act::Say { text }]));
        world.say("tidy my list").await;
        world.state.engine = crate::state::scripted(vec![vec![("undo", json!({ "scope": "last" }))]]);
        let turn = world.say("no, scratch that").await;
        assert_eq!(turn.tool_calls[0].status, CallStatus::AwaitingApproval, "{turn:#?}");
    }
}
