//! Tests of the tool policy: a rule raises the risk for its caller kind when a call runs (R-401, R-405).

use super::*;
use crate::domain::policy::{Asker, Entry, Rule};
use crate::domain::tool::{ErrorCode, ToolName};
use crate::usecases::policy::{self, Whose};
use crate::usecases::testing::admin;

impl World {
    /// Sets a rule of the user.
    pub(super) async fn rules(&self, asker: Asker, tool: ToolName, rule: Rule) {
        let entry = Entry { asker, tool, rule };
        policy::set(&self.state.ctx, Whose::Own(&self.caller), &[entry]).await.unwrap();
    }

    /// Sets a rule for everyone.
    async fn rules_everyone(&self, tool: ToolName, rule: Rule) {
        let name = format!("root{rule:?}").to_lowercase();
        let admin = admin(&self.state.ctx, &name).await.admin().unwrap();
        let entries = Asker::ALL.map(|asker| Entry { asker, tool, rule });
        policy::set(&self.state.ctx, Whose::Everyones(&admin), &entries).await.unwrap();
    }
}

#[tokio::test]
async fn ask_rule_makes_a_tool_wait_for_approval() {
    for mut world in worlds().await {
        world.rules(Asker::Rules, ToolName::AddTask, Rule::Ask).await;
        let asked = world.say("add buy milk").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        let question = "Are you sure you want to add “buy milk”? (yes/no)\n• “buy milk” is added";
        assert_eq!(asked.reply.as_deref(), Some(question));
        assert!(!world.has(TaskNumber(1)).await);
        let ran = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&ran, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(world.has(TaskNumber(1)).await);

        // A rejection, and no confirmation in the message: a new task cannot be compared.
        world.say("add eggs, yes I'm sure").await;
        let no = world.say("no").await;
        ended(&no, DecisionKind::RespondOnly, Outcome::UserRejected);
        assert_eq!(no.reply.as_deref(), Some("All right, nothing was done."));
        assert!(!world.has(TaskNumber(2)).await);

        world.rules(Asker::Rules, ToolName::AddTask, Rule::Run).await;
        world.say("add bread").await;
        assert!(world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn reading_can_be_made_to_ask_as_well() {
    for mut world in worlds().await {
        world.task("wash car").await;
        world.rules(Asker::Rules, ToolName::ListTasks, Rule::Ask).await;
        let asked = world.say("show my tasks").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        let ran = world.press(&asked, Verdict::Approve).await.unwrap();
        assert_eq!(ran.tool_calls[0].status, CallStatus::Ok, "{ran:#?}");
        assert!(ran.reply.as_deref().unwrap().contains("wash car"), "{ran:#?}");
    }
}

#[tokio::test]
async fn denied_tool_call_does_not_run_and_names_tool_policy() {
    for mut world in worlds().await {
        let car = world.task("wash car").await;
        world.rules(Asker::Rules, ToolName::CompleteTask, Rule::Deny).await;
        let turn = world.say("complete task 1").await;
        ended(&turn, DecisionKind::InvokeTool, Outcome::ToolFailed);
        let last = turn.tool_calls.last().unwrap();
        assert_eq!((last.status, last.error.as_ref().unwrap().error), (CallStatus::Error, ErrorCode::Forbidden));
        assert!(turn.reply.as_deref().unwrap().contains("under Tool policy"), "{turn:#?}");
        let task = tasks::get(&world.state.ctx, &world.caller, car).await.unwrap();
        assert_eq!(task.status, Status::Pending);
        // Rules of another user or caller kind do not apply.
        let ben = person(&world.state.ctx, "ben").await;
        let mut beside = world.beside(ben);
        beside.task("his").await;
        beside.rules(Asker::Agent, ToolName::CompleteTask, Rule::Deny).await;
        ended(&beside.say("complete task 1").await, DecisionKind::InvokeTool, Outcome::TaskCompleted);
    }
}

#[tokio::test]
async fn admin_policy_applies_to_everyone_and_cannot_be_loosened() {
    for mut world in worlds().await {
        world.task("wash car").await;
        world.rules_everyone(ToolName::CompleteTask, Rule::Ask).await;
        world.rules(Asker::Rules, ToolName::CompleteTask, Rule::Run).await;
        let asked = world.say("complete task 1").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        world.rules_everyone(ToolName::DeleteTask, Rule::Deny).await;
        let denied = world.say("delete task 1").await;
        assert!(denied.reply.as_deref().unwrap().contains("An admin can change this"), "{denied:#?}");
        assert!(world.has(TaskNumber(1)).await);
    }
}

#[tokio::test]
async fn approved_call_is_checked_against_the_current_tool_policy() {
    for mut world in worlds().await {
        let car = world.task("wash car").await;
        let asked = world.say("delete task 1").await;
        world.rules(Asker::Rules, ToolName::DeleteTask, Rule::Deny).await;
        let ran = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&ran, DecisionKind::InvokeTool, Outcome::ToolFailed);
        assert!(world.has(car).await);
    }
}

#[tokio::test]
async fn policy_change_is_recorded_and_the_matrix_counts_past_calls() {
    for mut world in worlds().await {
        for text in ["add milk", "add eggs", "add bread"] {
            world.say(text).await;
        }
        let asked = world.say("delete task 1").await;
        world.press(&asked, Verdict::Approve).await.unwrap();
        let matrix = policy::matrix(&world.state.ctx, Whose::Own(&world.caller)).await.unwrap();
        let count = |tool| {
            let field = matrix.iter().find(|it| it.tool == tool && it.asker == Asker::Rules).unwrap();
            (field.unasked, field.all)
        };
        assert_eq!(matrix.len(), 21);
        assert_eq!((count(ToolName::AddTask), count(ToolName::DeleteTask)), ((3, 3), (0, 1)));
        world.state.ctx.clock.advance(31 * 86_400);
        let later = policy::matrix(&world.state.ctx, Whose::Own(&world.caller)).await.unwrap();
        assert!(later.iter().all(|field| field.all == 0), "{later:#?}");

        world.rules(Asker::Mcp, ToolName::DeleteTask, Rule::Deny).await;
        world.rules(Asker::Mcp, ToolName::DeleteTask, Rule::Deny).await;
        let bodies = store::testing::bodies(&mut world.state.ctx.read().await.unwrap(), world.caller.id()).await;
        let changes: Vec<_> = bodies.iter().filter(|(kind, _)| kind == "policy").collect();
        assert_eq!(changes.len(), 1, "the second changed nothing");
        assert!(
            changes[0].1.contains(r#""after":"deny""#) && changes[0].1.contains(r#""before":"run""#),
            "{changes:?}"
        );
    }
}

#[tokio::test]
async fn delete_rule_holds_for_an_undo_that_bins() {
    for mut world in worlds().await {
        world.say("add eggs").await;
        world.rules(Asker::Rules, ToolName::DeleteTask, Rule::Deny).await;
        let refused = world.say("undo").await;
        assert!(refused.reply.as_deref().unwrap().contains("to delete tasks"), "{refused:#?}");
        world.rules(Asker::Rules, ToolName::DeleteTask, Rule::Ask).await;
        let asked = world.say("undo").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        world.rules(Asker::Rules, ToolName::DeleteTask, Rule::Deny).await;
        world.press(&asked, Verdict::Approve).await.unwrap();
        assert!(world.has(TaskNumber(1)).await);

        let agent = world.agent().await;
        world.call(&agent, ToolName::AddTask, json!({ "title": "milk" })).await;
        world.rules(Asker::Mcp, ToolName::DeleteTask, Rule::Deny).await;
        let refused = world.call(&agent, ToolName::Undo, json!({ "scope": "last" })).await;
        assert_eq!(refused.result.value["error"], json!(ErrorCode::Forbidden), "{refused:?}");
        world.rules(Asker::Mcp, ToolName::DeleteTask, Rule::Ask).await;
        assert!(world.call(&agent, ToolName::Undo, json!({ "scope": "last" })).await.waits.is_some());
        assert!(world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn rules_hold_for_a_change_of_status() {
    for mut world in worlds().await {
        let agent = world.agent().await;
        let car = world.task("wash car").await;
        world.say("add water the ferns every day").await;
        world.say("complete task 2").await;
        let ferns = TaskNumber(2);
        // Reopening bins the next occurrence.
        for (tool, number, status) in
            [(ToolName::CompleteTask, car, "completed"), (ToolName::DeleteTask, ferns, "pending")]
        {
            let call = || world.call(&agent, ToolName::UpdateTask, json!({ "task_id": number, "status": status }));
            world.rules(Asker::Mcp, tool, Rule::Deny).await;
            assert_eq!(call().await.result.value["error"], json!(ErrorCode::Forbidden), "{tool:?}");
            world.rules(Asker::Mcp, tool, Rule::Ask).await;
            assert!(call().await.waits.is_some(), "{tool:?}");
        }
    }
}

#[tokio::test]
async fn agent_without_get_task_sees_only_what_it_set() {
    for world in worlds().await {
        let agent = world.agent().await;
        world.call(&agent, ToolName::AddTask, json!({ "title": "milk", "description": "secret" })).await;
        world.rules(Asker::Mcp, ToolName::GetTask, Rule::Deny).await;
        let same = world.call(&agent, ToolName::UpdateTask, json!({ "task_id": 1, "priority": "none" })).await;
        let expected = json!({ "task_id": 1, "status": "updated", "title": "milk", "priority": "none" });
        assert_eq!(same.result.value, expected);
        let undone = world.call(&agent, ToolName::Undo, json!({ "scope": "last" })).await;
        assert!(!undone.result.value.to_string().contains("secret"), "{undone:?}");
    }
}
