//! Tests of tasks in conversations: the scope `chat` covers texts; results and previews need a task scope.

use async_trait::async_trait;

use super::*;
use crate::domain::decision::Engine;
use crate::domain::tool::Call;
use crate::llm::{Entry, LlmError, Reply, Request};

#[tokio::test]
async fn chat_only_token_sees_no_tasks_in_conversations() {
    for mut world in worlds().await {
        world.task("wash car").await;
        let listed = world.say("show my tasks").await;
        let asked = world.say("delete task 1").await;
        let conversation = asked.conversation_id;
        let (chats, reads) = (world.token(&[]).await, world.token(&[Scope::TasksRead]).await);
        let ctx = world.state.ctx.clone();
        // Mentioning a number does not reveal its task.
        world.go_on_as(&chats, Some(conversation), "what about #1?").await;
        for (caller, sees) in [(&world.caller, true), (&reads, true), (&chats, false)] {
            let turn = conversations::turn(&ctx, caller, listed.turn_id).await.unwrap();
            assert_eq!(turn.tool_calls[0].result.is_some(), sees);
            let turn = conversations::turn(&ctx, caller, asked.turn_id).await.unwrap();
            assert_eq!(turn.approval.unwrap().preview.len(), usize::from(sees));
            let page = conversations::messages(&ctx, caller, conversation, None, 50).await.unwrap();
            let calls = page.items.iter().flat_map(|message| &message.tool_calls);
            assert_eq!(calls.filter(|call| call.result.is_some()).count() > 0, sees);
            let previews = page.items.iter().filter_map(|message| message.approval.as_ref());
            assert_eq!(previews.map(|approval| approval.preview.len()).sum::<usize>() > 0, sees);
            let spoken_of = conversations::spoken_of(&ctx, caller, &page.items).await.unwrap();
            assert_eq!(spoken_of.len(), usize::from(sees));
            let waiting = approvals::list(&ctx, caller, None).await.unwrap().remove(0);
            assert_eq!(waiting.preview.len(), usize::from(sees));
            assert_eq!(approvals::get(&ctx, caller, waiting.approval_id).await.unwrap(), waiting);
            // The question is part of the conversation.
            assert_eq!(waiting.question, "Are you sure you want to delete task 1? (yes/no)");
        }
        // A question about several tasks contains only their numbers for callers without `tasks:read`.
        world.task("feed cat").await;
        let bulk = world.say("delete tasks 1 and 2").await.turn_id;
        for (caller, question) in [
            (&world.caller, "Are you sure you want to delete 2 tasks: wash car (#1), feed cat (#2)? (yes/no)"),
            (&chats, "Are you sure you want to delete 2 tasks: task 1, task 2? (yes/no)"),
        ] {
            let waiting = conversations::turn(&ctx, caller, bulk).await.unwrap().approval.unwrap();
            assert_eq!(waiting.question, question);
            assert_eq!(approvals::get(&ctx, caller, waiting.approval_id).await.unwrap().question, question);
        }
        let deleter = world.token(&[Scope::TasksDelete]).await;
        let own = world.go_on_as(&deleter, None, "delete tasks 1 and 2").await;
        let reply = own.reply.unwrap();
        assert!(reply.starts_with("Are you sure you want to delete 2 tasks: task 1, task 2?"), "{reply}");
        // The scope of the call suffices to see its preview.
        let deletes = world.token(&[Scope::TasksDelete]).await;
        assert_eq!(approvals::list(&ctx, &deletes, None).await.unwrap()[0].preview.len(), 2);
        // The question contains all new values, and no present ones.
        let writer = world.token(&[Scope::TasksWrite]).await;
        let fields = json!({ "task_id": 1, "title": "wash van", "description": "owned", "status": "completed" });
        let engine = std::mem::replace(&mut world.state.engine, calling("update_task", fields));
        let reply = world.say_as(&writer, "go on").await.reply.unwrap();
        world.state.engine = engine;
        for line in ["rename task 1?", "\n• task 1 is completed", "task 1 title: “wash van”", "task 1 notes: “owned”"]
        {
            assert!(reply.contains(line) && !reply.contains("wash car"), "{line}: {reply}");
        }
    }
}

/// Returns an engine that makes one call.
fn calling(tool: &str, arguments: serde_json::Value) -> Arc<dyn Llm> {
    let call = Call { tool: tool.into(), arguments, provider_id: None };
    Arc::new(Scripted::new(vec![Act::Calls { text: String::new(), calls: vec![call] }]))
}

/// An engine that records its requests and gives a fixed reply.
struct Listening(mpsc::UnboundedSender<Request>);

#[async_trait]
impl Llm for Listening {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        self.0.send(request.clone()).unwrap();
        Ok(Reply::plain(Act::Say { text: "I see.".into() }, "listen"))
    }
}

/// Returns the status of earlier calls in the engine's request.
fn returned(request: &Request) -> Vec<CallStatus> {
    let calls = request.entries.iter().filter_map(|entry| match entry {
        Entry::Calls { results, .. } => Some(results),
        _ => None,
    });
    calls.flatten().map(|result| result.status).collect()
}

#[tokio::test]
async fn engine_input_is_limited_to_what_the_token_may_read() {
    for mut world in worlds().await {
        world.say("add wash car").await;
        let listed = world.say("show my tasks").await;
        let (sender, mut heard) = mpsc::unbounded_channel();
        world.state.engine = Arc::new(Listening(sender));
        let conversation = Some(listed.conversation_id);
        for (scopes, told) in [
            (&TASKS[..], [CallStatus::Ok, CallStatus::Ok]),
            (&[Scope::TasksWrite], [CallStatus::Ok, CallStatus::Error]),
            (&[], [CallStatus::Error, CallStatus::Error]),
        ] {
            let token = world.token(scopes).await;
            world.go_on_as(&token, conversation, "and now?").await;
            let request = heard.try_recv().unwrap();
            assert_eq!(returned(&request), told, "{scopes:?}");
            let whole = serde_json::to_string(&request.entries).unwrap();
            assert_eq!(whole.contains("\"tasks\":["), scopes.len() == 3, "{whole}");
            // All tools are offered, so that a refusal is explained.
            assert_eq!(request.tools.len(), ToolName::ALL.len());
        }
        world.say("and now?").await;
        assert_eq!(returned(&heard.try_recv().unwrap()), [CallStatus::Ok, CallStatus::Ok]);
    }
}
