//! Tests of scopes within a turn: chat, verdicts and confirmations do not exceed the token's scopes (R-1103).

use serde_json::Value;

use super::*;
use crate::domain::tool::ToolName;
use crate::domain::user::Scope;
use crate::llm::scripted::Scripted;
use crate::llm::{Act, Llm};
use crate::usecases::accounts::{caller_of_token, create_token};

mod answering;
mod reading;
mod recorded;
mod revoked;

const TASKS: [Scope; 3] = [Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete];

impl World {
    /// Creates a token of the user with `chat` and these scopes; returns its caller.
    async fn token(&self, scopes: &[Scope]) -> Caller {
        let ctx = &self.state.ctx;
        let scopes: Vec<_> = [Scope::Chat].into_iter().chain(scopes.iter().copied()).collect();
        let (_, secret) = create_token(ctx, self.caller.user.name.as_str(), "phone", &scopes, 0).await.unwrap();
        caller_of_token(ctx, &secret).await.unwrap().unwrap()
    }

    /// Sends a message as this caller in a new conversation.
    async fn say_as(&self, caller: &Caller, text: &str) -> Turn {
        self.go_on_as(caller, None, text).await
    }

    async fn go_on_as(&self, caller: &Caller, conversation: Option<ConversationId>, text: &str) -> Turn {
        let incoming = IncomingMessage { text: text.into(), conversation, client_key: None };
        let accepted = inbox::accept(&self.state, caller, incoming).await.unwrap();
        worker::settle(&self.state).await.unwrap();
        inbox::wait(&self.state, &self.caller, accepted.turn).await.unwrap()
    }

    /// Makes the model request these calls in the first rounds of every turn, and then reply with `last`.
    fn model(&mut self, rounds: &[&[(&str, Value)]], last: &str) {
        let call = |(tool, arguments): &(&str, Value)| crate::domain::tool::Call {
            tool: (*tool).into(),
            arguments: arguments.clone(),
            provider_id: None,
        };
        let round =
            |calls: &&[(&str, Value)]| Act::Calls { text: String::new(), calls: calls.iter().map(call).collect() };
        let last = (0..3).map(|_| Act::Say { text: last.into() });
        let engine: Arc<dyn Llm> = Arc::new(Scripted::new(rounds.iter().map(round).chain(last).collect()));
        self.state.engine = engine;
    }

    /// Returns the number of the user's pending approvals.
    async fn waiting(&self) -> usize {
        approvals::list(&self.state.ctx, &self.caller, Some(ApprovalStatus::Pending)).await.unwrap().len()
    }
}

/// Returns all subsets of the task scopes.
fn subsets() -> impl Iterator<Item = Vec<Scope>> {
    (0..1 << TASKS.len()).map(|set| (0..TASKS.len()).filter(|at| set >> at & 1 == 1).map(|at| TASKS[at]).collect())
}

/// Returns the refusal of the turn's last call.
#[track_caller]
fn refusal(turn: &Turn) -> String {
    let call = turn.tool_calls.last().unwrap();
    let error = call.error.as_ref().unwrap();
    assert_eq!((call.status, error.error), (CallStatus::Error, crate::domain::tool::ErrorCode::Forbidden), "{turn:#?}");
    error.message.clone()
}

/// Returns a call of each tool at every risk, on task `number`.
fn calls(number: TaskNumber) -> Vec<(ToolName, Value)> {
    vec![
        (ToolName::ListTasks, json!({})),
        (ToolName::GetTask, json!({ "task_id": number })),
        (ToolName::AddTask, json!({ "title": "milk" })),
        (ToolName::UpdateTask, json!({ "task_id": number, "priority": "high" })),
        (ToolName::UpdateTask, json!({ "task_id": number, "title": "another" })),
        (ToolName::CompleteTask, json!({ "task_id": number })),
        (ToolName::DeleteTask, json!({ "task_id": number })),
    ]
}

#[tokio::test]
async fn turn_applies_its_tokens_scopes_to_every_tool() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        for scopes in subsets() {
            let token = world.token(&scopes).await;
            let number = world.task("wash car").await;
            for (tool, arguments) in calls(number) {
                let before = world.waiting().await;
                world.model(&[&[(tool.as_str(), arguments.clone())]], "That is that.");
                let turn = world.say_as(&token, "go on").await;
                let what = format!("{scopes:?}: {tool} {arguments}");
                if scopes.contains(&tool.scope()) {
                    let ran = turn.tool_calls[0].status;
                    assert!(matches!(ran, CallStatus::Ok | CallStatus::AwaitingApproval), "{what}: {turn:#?}");
                    continue;
                }
                let why = refusal(&turn);
                assert!(why.contains(tool.scope().as_str()) && why.contains("“phone”"), "{what}: {why}");
                // The reply contains the refusal, whatever the model says, and no approval was created.
                assert!(turn.reply.as_deref().unwrap().contains(&why), "{what}: {:?}", turn.reply);
                assert!(turn.approval.is_none(), "{what}");
                assert_eq!(world.waiting().await, before, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn session_and_linked_chat_have_all_scopes_of_their_user() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 0;
        for door in
            [crate::domain::user::Door::Web, crate::domain::user::Door::Telegram, crate::domain::user::Door::Cli]
        {
            let caller = Caller { door, ..world.caller.clone() };
            let number = world.task("wash car").await;
            for (tool, arguments) in calls(number) {
                world.model(&[&[(tool.as_str(), arguments)]], "That is that.");
                let turn = world.say_as(&caller, "go on").await;
                assert_ne!(turn.tool_calls[0].status, CallStatus::Error, "{door:?} {tool}: {turn:#?}");
            }
        }
    }
}

#[tokio::test]
async fn rules_name_the_missing_scope_without_inline_confirmation() {
    for world in worlds().await {
        let number = world.task("wash car").await;
        let chats = world.token(&[]).await;
        for (text, scope) in [
            ("delete task 1", "tasks:delete"),
            ("delete task 1, yes I'm sure", "tasks:delete"),
            ("rename task 1 to wax car, yes I'm sure", "tasks:write"),
            ("complete task 1", "tasks:write"),
            ("complete the car one", "tasks:read"),
            ("delete all my tasks, yes I'm sure", "tasks:read"),
            ("show my tasks", "tasks:read"),
            ("show task 1", "tasks:read"),
            ("add buy milk", "tasks:write"),
        ] {
            let turn = world.say_as(&chats, text).await;
            let reply = turn.reply.clone().unwrap();
            assert!(reply.contains(scope), "{text}: {reply}");
            assert!(!reply.contains("wash car") && !reply.contains("no tasks"), "{text}: {reply}");
            assert_eq!(refusal(&turn), reply, "{text}: the sentence and nothing else");
        }
        let task = tasks::get(&world.state.ctx, &world.caller, number).await.unwrap();
        assert_eq!((task.status, task.version), (Status::Pending, 1));
        assert_eq!(tasks::list(&world.state.ctx, &world.caller, &Default::default(), None, 9).await.unwrap().total, 1);
        assert!(approvals::list(&world.state.ctx, &world.caller, None).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn the_rules_do_by_number_what_needs_no_reading() {
    for world in worlds().await {
        for title in ["wash car", "wax car", "book flights"] {
            world.task(title).await;
        }
        let deletes = world.token(&[Scope::TasksDelete]).await;
        let asked = world.say_as(&deletes, "delete task 1").await;
        ended(&asked, DecisionKind::InvokeTool, Outcome::ApprovalRequested);
        assert_eq!(
            asked.reply.as_deref(),
            Some("Are you sure you want to delete task 1? (yes/no)\n• task 1 goes to the bin")
        );
        let yes = world.go_on_as(&deletes, Some(asked.conversation_id), "yes").await;
        ended(&yes, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(TaskNumber(1)).await);
        let sure = world.say_as(&deletes, "delete task 2, yes I'm sure").await;
        ended(&sure, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(TaskNumber(2)).await);

        let writes = world.token(&[Scope::TasksWrite]).await;
        let done = world.say_as(&writes, "complete task 3").await;
        ended(&done, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        // Parts that need to read tasks are refused, and the rest is executed.
        let both = world.say_as(&writes, "add buy milk and complete the flights one").await;
        let reply = both.reply.as_deref().unwrap();
        assert!(reply.contains("Created task: buy milk (#4)") && reply.contains("tasks:read"), "{reply}");
        // No examples are taken from a list that the caller may not read.
        let vague = world.say_as(&writes, "groceries").await;
        assert!(vague.tool_calls.is_empty(), "{vague:#?}");
    }
}
