//! Tests of recorded credentials: every message, verdict, call and change contains its token or session.

use super::*;
use crate::domain::credential::Credential;
use crate::domain::id::SessionId;
use crate::domain::user::{Door, Session};
use crate::store::testing;
use crate::usecases::{audit, erasure, turn_detail};

/// Returns bodies of records of that kind, oldest first.
async fn bodies(world: &World, kind: &str) -> Vec<Value> {
    let all = testing::bodies(&mut world.state.ctx.read().await.unwrap(), world.caller.id()).await;
    let of_kind = all.into_iter().filter(|(of, _)| of == kind);
    of_kind.map(|(_, body)| serde_json::from_str(&body).unwrap()).collect()
}

#[tokio::test]
async fn message_verdict_call_and_change_records_name_their_credential() {
    for world in worlds().await {
        world.task("wash car").await;
        let token = world.token(&[Scope::TasksDelete]).await;
        let own = json!(token.credential());
        assert_eq!((own["door"].as_str(), own["token"].as_str()), (Some("api"), Some("phone")));
        let session = Session { session_id: SessionId::new(), device: "Chrome on Linux".into() };
        let browser = Caller { session: Some(session.clone()), ..world.caller.clone() };
        let asked = world.say_as(&token, "delete task 1").await;
        let id = asked.approval.as_ref().unwrap().approval_id;
        inbox::decide(&world.state, &browser, id, Verdict::Approve, DecidedVia::Web, None).await.unwrap();
        worker::settle(&world.state).await.unwrap();

        let named = json!({ "door": "web", "session_id": session.session_id, "device": "Chrome on Linux" });
        let unnamed = json!({ "door": "web", "session_id": session.session_id });
        let messages = bodies(&world, "message").await;
        // The user's messages name the token; replies have the ids of their turn.
        let ids = json!(token.credential().ids());
        let by: Vec<_> = messages.iter().map(|body| body["by"].clone()).collect();
        assert_eq!(by, [own.clone(), ids.clone(), unnamed.clone()]);
        assert_eq!(bodies(&world, "approval_verdict").await[0]["by"], named);
        let calls = bodies(&world, "invocation").await;
        let calls: Vec<_> = calls.iter().map(|body| (body["result"]["status"].clone(), body["by"].clone())).collect();
        assert_eq!(calls.last().unwrap(), &(json!("ok"), unnamed.clone()), "the stored call is its decider's");
        assert!(calls[..calls.len() - 1].iter().all(|(_, by)| *by == own), "{calls:?}");
        let changes = bodies(&world, "change").await;
        assert_eq!(changes.last().unwrap()["by"], unnamed);
        let decided: Vec<_> = bodies(&world, "decision").await.iter().map(|body| body["turn"]["by"].clone()).collect();
        assert_eq!(decided, [ids, unnamed]);
        for body in messages.iter().chain(&changes) {
            assert!(
                body["by"]
                    .as_object()
                    .unwrap()
                    .keys()
                    .all(|key| { ["door", "token_id", "token", "session_id", "device"].contains(&key.as_str()) })
            );
        }

        // Turn, list and turn details show it too, also after erasure.
        let ctx = world.state.ctx.clone();
        for erased in [false, true] {
            if erased {
                ctx.clock.advance(60);
                erasure::by_operator(&ctx, &world.caller.user, None).await.unwrap();
            }
            let turn = conversations::turn(&ctx, &world.caller, asked.turn_id).await.unwrap();
            assert_eq!(turn.by, Some(token.credential()), "erased: {erased}");
            let list = audit::list(&ctx, &world.caller, &Default::default(), None, 9).await.unwrap().items;
            let entry = list.iter().find(|entry| entry.turn_id == asked.turn_id).unwrap();
            assert_eq!(entry.by, Some(token.credential()), "erased: {erased}");
            let (entry, _) = turn_detail::whole(&ctx, &world.caller, asked.turn_id).await.unwrap();
            assert_eq!(entry.by.unwrap().token.as_deref(), Some("phone"));
            assert_eq!(audit::verify_all(&ctx, None).await.unwrap().broken, []);
        }
    }
}

#[tokio::test]
async fn direct_change_records_its_token_and_expiry_records_no_credential() {
    for mut world in worlds().await {
        let token = world.token(&TASKS).await;
        let ctx = world.state.ctx.clone();
        let mut tx = ctx.write().await.unwrap();
        let new = NewTask::titled(Title::parse("wash car").unwrap());
        tasks::add(&ctx, &mut tx, By::person(&token), new).await.unwrap();
        ctx.commit(tx).await.unwrap();
        assert_eq!(bodies(&world, "change").await[0]["by"], json!(token.credential()));

        world.say("delete task 1").await;
        ctx.clock.advance(86_400);
        worker::settle(&world.state).await.unwrap();
        let verdict = bodies(&world, "approval_verdict").await.remove(0);
        assert_eq!((verdict["status"].as_str(), verdict.get("by")), (Some("expired"), None));
        let told = bodies(&world, "message").await.pop().unwrap();
        assert_eq!(told.get("by"), None, "{told}");
        let row = bodies(&world, "decision").await.pop().unwrap();
        assert_eq!(row["turn"].get("by"), None);
        let of_web: Vec<_> = bodies(&world, "message")
            .await
            .iter()
            .filter_map(|body| body["by"]["door"].as_str().map(str::to_owned))
            .collect();
        assert!(of_web.iter().all(|door| door == Door::Web.as_str()) && !of_web.is_empty());
        assert_eq!(Credential::of(Door::Web), world.caller.credential());
    }
}
