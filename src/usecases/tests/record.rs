//! Tests of reading conversations and the audit log.

use super::*;
use crate::domain::audit::AuditFilter;
use crate::domain::conversation::Speaker;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome};
use crate::domain::user::Scope;
// These tests insert single rows, so the invariants do not hold.
use crate::usecases::audit::export::Export;
use crate::usecases::testing::{admin, ctxs};
use crate::usecases::{audit, conversations, turn_detail};

/// A finished turn: its message, call and end.
struct Said<'a> {
    text: &'a str,
    reply: &'a str,
    outcome: Outcome,
    call: Option<(ToolName, Risk)>,
}

const HELLO: Said<'_> = Said { text: "Hello", reply: "Hi!", outcome: Outcome::ResponseGiven, call: None };
const ADD: Said<'_> = Said {
    text: "Add Öl",
    reply: "Added “Öl” as #1.",
    outcome: Outcome::TaskCompleted,
    call: Some((ToolName::AddTask, Risk::Medium)),
};
const DELETE: Said<'_> = Said {
    text: "delete 1",
    reply: "Are you sure?",
    outcome: Outcome::ApprovalRequested,
    call: Some((ToolName::DeleteTask, Risk::High)),
};

async fn begin(ctx: &Ctx, caller: &Caller) -> ConversationId {
    let id = ConversationId::random();
    let mut tx = ctx.write().await.unwrap();
    store::conversations::create(&mut tx, caller.id(), id, "Hello", &ctx.now()).await.unwrap();
    ctx.commit(tx).await.unwrap();
    id
}

async fn say(ctx: &Ctx, caller: &Caller, conversation: ConversationId, said: &Said<'_>) -> TurnId {
    let (user, at) = (caller.id(), ctx.now());
    let mut tx = ctx.write().await.unwrap();
    let new = store::turns::NewTurn {
        conversation,
        cause: Cause::Message,
        approval: None,
        client_key: None,
        lease_ms: Some(60_000),
        starter: None,
    };
    let turn = store::turns::insert(&mut tx, user, &new, &at).await.unwrap().id;
    for (speaker, text) in [(Speaker::User, said.text), (Speaker::Assistant, said.reply)] {
        let message = store::messages::NewMessage { conversation, turn, speaker, text, by: None };
        store::messages::insert(&mut tx, user, &message, &at).await.unwrap();
    }
    if let Some((tool, risk)) = said.call {
        let call = Invocation {
            id: InvocationId { turn, step: 0, index: 0 },
            tool: Some(tool),
            called_as: tool.alias().into(),
            risk,
            arguments: serde_json::json!({}),
            result: CallResult { status: CallStatus::Ok, value: serde_json::json!({ "task_id": 1 }) },
            approval_id: None,
            preview: vec![],
            duration_ms: 1,
            by: None,
            at: at.clone(),
        };
        store::invocations::insert(&mut tx, user, &call).await.unwrap();
    }
    let decision = store::decisions::DecisionRow {
        turn_id: turn,
        turn: None,
        decision: Decision { kind: DecisionKind::RespondOnly, outcome: said.outcome },
        engine: Engine::Rules,
        engine_cause: None,
        model: None,
        intent: "intent".into(),
        reply: said.reply.into(),
        options: vec!["yes".into()],
        constitution: "00".into(),
        asked_approval: None,
        question: None,
        told_seq: None,
        memories: vec![],
        tokens_in: None,
        tokens_out: None,
        tokens_estimated: false,
        cost_micros: None,
        duration_ms: 7,
        basis: None,
        at: at.clone(),
    };
    store::decisions::insert(&mut tx, user, &decision).await.unwrap();
    store::conversations::touch(&mut tx, user, conversation, &at).await.unwrap();
    ctx.commit(tx).await.unwrap();
    ctx.clock.advance(60);
    turn
}

#[tokio::test]
async fn conversation_list_is_sorted_by_activity_without_empty_ones() {
    for (db, ctx) in ctxs().await {
        let (ana, ben) = (person(&ctx, "ana").await, person(&ctx, "ben").await);
        let (first, second, _silent) = (begin(&ctx, &ana).await, begin(&ctx, &ana).await, begin(&ctx, &ana).await);
        for conversation in [first, second, first] {
            say(&ctx, &ana, conversation, &HELLO).await;
        }
        let listed = conversations::list(&ctx, &ana, &conversations::Which::default()).await.unwrap();
        assert_eq!(listed.iter().map(|one| one.conversation_id).collect::<Vec<_>>(), [first, second], "{db}");
        assert!(conversations::list(&ctx, &ben, &conversations::Which::default()).await.unwrap().is_empty(), "{db}");
        for (before, behind) in [(first, vec![second]), (second, vec![]), (ConversationId::random(), vec![])] {
            let which = conversations::Which { before: Some(before), ..conversations::Which::default() };
            let page = conversations::list(&ctx, &ana, &which).await.unwrap();
            assert_eq!(page.iter().map(|one| one.conversation_id).collect::<Vec<_>>(), behind, "{db}");
        }
        let foreign = conversations::messages(&ctx, &ben, first, None, 10).await;
        not_found(foreign, "There is no such conversation.");
        not_found(
            conversations::messages(&ctx, &ana, ConversationId::random(), None, 10).await,
            "There is no such conversation.",
        );
    }
}

#[tokio::test]
async fn messages_are_paged_from_the_newest_with_their_turn_results() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let talk = begin(&ctx, &ana).await;
        say(&ctx, &ana, talk, &HELLO).await;
        let turn = say(&ctx, &ana, talk, &ADD).await;
        let last = conversations::messages(&ctx, &ana, talk, None, 3).await.unwrap();
        let texts: Vec<_> = last.items.iter().map(|message| message.text.as_str()).collect();
        assert_eq!(texts, ["Hi!", "Add Öl", "Added “Öl” as #1."], "{db}");
        let (asked, told) = (&last.items[1], &last.items[2]);
        assert_eq!((asked.speaker, asked.decision, asked.tool_calls.len()), (Speaker::User, None, 0), "{db}");
        assert_eq!((told.turn_id, told.decision.unwrap().outcome), (turn, Outcome::TaskCompleted), "{db}");
        assert_eq!((told.tool_calls[0].tool.as_str(), told.options.len()), ("add_task", 1), "{db}");
        let rest = conversations::messages(&ctx, &ana, talk, last.next.as_deref(), 3).await.unwrap();
        assert_eq!((rest.items.len(), rest.items[0].text.as_str(), rest.next), (1, "Hello", None), "{db}");
        let bad = conversations::messages(&ctx, &ana, talk, Some("x"), 3).await;
        assert!(matches!(bad, Err(Error::Invalid(_))), "{db}");
    }
}

async fn replies(ctx: &Ctx, caller: &Caller, filter: AuditFilter) -> Vec<String> {
    let page = audit::list(ctx, caller, &filter, None, 50).await.unwrap();
    page.items.into_iter().map(|entry| format!("{}: {}", entry.user, entry.message.unwrap())).collect()
}

#[tokio::test]
async fn the_record_is_narrowed_by_every_field() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let talk = begin(&ctx, &ana).await;
        for said in [HELLO, ADD, DELETE] {
            say(&ctx, &ana, talk, &said).await;
        }
        let (hello, add, delete) = ("ana: Hello", "ana: Add Öl", "ana: delete 1");
        let some = |text: &str| Some(text.to_owned());
        let second = ctx.now().plus_seconds(-120);
        for (filter, found) in [
            (AuditFilter::default(), vec![delete, add, hello]),
            (AuditFilter { tool: some("add_task"), ..AuditFilter::default() }, vec![add]),
            (AuditFilter { risk: some("high"), ..AuditFilter::default() }, vec![delete]),
            (AuditFilter { outcome: some("SUCCESS"), ..AuditFilter::default() }, vec![delete, add, hello]),
            (AuditFilter { outcome: some("SUCCESS:TASK_COMPLETED"), ..AuditFilter::default() }, vec![add]),
            (AuditFilter { outcome: some("SUCC"), ..AuditFilter::default() }, vec![]),
            (AuditFilter { kind: some("REFUSE"), ..AuditFilter::default() }, vec![]),
            (AuditFilter { kind: some("RESPOND_ONLY"), ..AuditFilter::default() }, vec![delete, add, hello]),
            (AuditFilter { engine: some("openai"), ..AuditFilter::default() }, vec![]),
            (AuditFilter { engine: some("rules"), ..AuditFilter::default() }, vec![delete, add, hello]),
            (AuditFilter { text: some("ÖL added"), ..AuditFilter::default() }, vec![add]),
            (AuditFilter { text: some("turn_id"), ..AuditFilter::default() }, vec![]),
            (AuditFilter { since: Some(second.clone()), ..AuditFilter::default() }, vec![delete, add]),
            (AuditFilter { until: Some(second), ..AuditFilter::default() }, vec![hello]),
            (AuditFilter { user: some("ana"), ..AuditFilter::default() }, vec![delete, add, hello]),
        ] {
            assert_eq!(replies(&ctx, &ana, filter.clone()).await, found, "{db}: {filter:?}");
        }
    }
}

#[tokio::test]
async fn audit_log_is_paged_with_or_without_text_search() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let talk = begin(&ctx, &ana).await;
        for said in [HELLO, ADD, HELLO, ADD, HELLO] {
            say(&ctx, &ana, talk, &said).await;
        }
        for (text, expected) in [(None, vec![2, 2, 1]), (Some("hello".to_owned()), vec![2, 1])] {
            let filter = AuditFilter { text, ..AuditFilter::default() };
            let (mut pages, mut cursor) = (vec![], None::<String>);
            loop {
                let page = audit::list(&ctx, &ana, &filter, cursor.as_deref(), 2).await.unwrap();
                pages.push(page.items.len());
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(pages, expected, "{db}");
        }
        let bad = audit::list(&ctx, &ana, &AuditFilter::default(), Some("zzz"), 2).await;
        assert!(matches!(bad, Err(Error::Invalid(_))), "{db}");
    }
}

#[tokio::test]
async fn text_search_in_limited_steps_finds_every_turn() {
    for (db, mut ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let talk = begin(&ctx, &ana).await;
        for said in [ADD, HELLO, HELLO, DELETE, HELLO, HELLO, HELLO, ADD] {
            say(&ctx, &ana, talk, &said).await;
        }
        let words = |text: &str| AuditFilter { text: Some(text.to_owned()), ..AuditFilter::default() };
        let called = AuditFilter { tool: Some("add_task".into()), ..words("öl") };
        // Expected number of turns per page. A search that reaches the end of the log has no next page.
        for (far, filter, found) in [
            (3, words("öl"), vec![1, 0, 1]),
            (3, words("nowhere"), vec![0, 0, 0]),
            (7, words("öl"), vec![1, 1]),
            (7, words("hello"), vec![3, 2]),
            (1, called, vec![1, 1, 0]),
            (100, words("öl"), vec![2]),
            (100, words("hello"), vec![3, 2]),
        ] {
            ctx.limits.search_turns = far;
            let (mut pages, mut cursor) = (vec![], None::<String>);
            loop {
                let page = audit::list(&ctx, &ana, &filter, cursor.as_deref(), 3).await.unwrap();
                let full = page.items.len() == 3;
                assert_eq!(page.searched.is_some(), page.next.is_some() && !full, "{db}: {far} {filter:?}");
                pages.push(page.items.len());
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(pages, found, "{db}: {far} {filter:?}");
        }
        ctx.limits.search_turns = 3;
        let page = audit::list(&ctx, &ana, &words("nowhere"), None, 3).await.unwrap();
        let third = audit::list(&ctx, &ana, &AuditFilter::default(), None, 3).await.unwrap().items.pop().unwrap();
        assert_eq!(page.searched, Some(third.at), "{db}: it says how far it came");
        // Words as in a search of tasks, of which a letter may be several.
        for many in ["a ".repeat(21), "ﷺ".repeat(20)] {
            let page = audit::list(&ctx, &ana, &words(&many), None, 3).await;
            assert!(matches!(page, Err(Error::Invalid(_))), "{db}: {many}");
            let export = Export::new(&ctx, &ana, words(&many)).await;
            assert!(matches!(export, Err(Error::Invalid(_))), "{db}: {many}");
        }
    }
}

#[tokio::test]
async fn text_search_over_long_messages_is_paged_without_gaps() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let talk = begin(&ctx, &ana).await;
        let text = "Öl ".repeat(3_000);
        for at in 0..7 {
            let text = if at == 1 { "needle" } else { text.as_str() };
            say(&ctx, &ana, talk, &Said { text, ..HELLO }).await;
        }
        let filter = AuditFilter { text: Some("needle".to_owned()), ..AuditFilter::default() };
        let (mut pages, mut cursor) = (vec![], None::<String>);
        loop {
            let page = audit::list(&ctx, &ana, &filter, cursor.as_deref(), 10).await.unwrap();
            pages.push(page.items.len());
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages.iter().sum::<usize>(), 1, "{db}");
        assert!(pages.len() > 2, "{db}: {pages:?}");
    }
}

/// Returns the number of turns on each page of an export.
async fn pages(mut export: Export) -> Vec<usize> {
    let mut pages = vec![];
    while let Some(turns) = export.next().await.unwrap() {
        pages.push(turns.len());
    }
    pages
}

/// Returns the recorded exporters of the caller's turns.
async fn takers(ctx: &Ctx, caller: &Caller) -> Vec<String> {
    let bodies = store::testing::bodies(&mut ctx.read().await.unwrap(), caller.id()).await;
    let bodies = bodies.iter().map(|(_, body)| serde_json::from_str::<serde_json::Value>(body).unwrap());
    bodies.filter(|it| it["event"] == "record_exported").map(|it| it["by"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn audit_export_by_another_user_is_recorded_for_the_owner() {
    for (db, mut ctx) in ctxs().await {
        let (ana, ben, eve) = (person(&ctx, "ana").await, person(&ctx, "ben").await, admin(&ctx, "eve").await);
        for caller in [&ana, &ben, &ana] {
            say(&ctx, caller, begin(&ctx, caller).await, &HELLO).await;
        }
        let all = AuditFilter::default();
        let of_ben = AuditFilter { user: Some("ben".into()), ..all.clone() };
        let hello = AuditFilter { text: Some("hello".into()), ..all.clone() };
        assert_eq!(pages(Export::new(&ctx, &ana, all.clone()).await.unwrap()).await, [2], "{db}");
        assert!(takers(&ctx, &ana).await.is_empty(), "{db}: one's own is taken freely");
        not_found(Export::new(&ctx, &ana, of_ben.clone()).await.map(drop), "There is no user called ben.");
        assert_eq!(pages(Export::by_operator(&ctx, of_ben).await.unwrap()).await, [1], "{db}");
        ctx.limits.search_turns = 1;
        assert_eq!(pages(Export::new(&ctx, &eve, hello).await.unwrap()).await, [1, 1, 1, 0], "{db}");
        assert_eq!(takers(&ctx, &ana).await, ["eve"], "{db}: once for a file");
        assert_eq!(takers(&ctx, &ben).await, ["command line", "eve"], "{db}");
        let none = AuditFilter { since: Some(ctx.now().plus_seconds(60)), ..all };
        assert_eq!(pages(Export::new(&ctx, &eve, none).await.unwrap()).await, [0], "{db}");
        assert_eq!(takers(&ctx, &ana).await, ["eve"], "{db}: of whom nothing is taken, nothing is recorded");
    }
}

async fn readers(ctx: &Ctx, owner: &Caller, turn: TurnId) -> Vec<String> {
    let readings = turn_detail::whole(ctx, owner, turn).await.unwrap().1.readings;
    readings.into_iter().map(|reading| reading.reader).collect()
}

#[tokio::test]
async fn a_user_reads_their_own_record_and_an_admin_everyones() {
    for (db, ctx) in ctxs().await {
        let (ana, ben, eve) = (person(&ctx, "ana").await, person(&ctx, "ben").await, admin(&ctx, "eve").await);
        let mut turns = vec![];
        for caller in [&ana, &ben] {
            let talk = begin(&ctx, caller).await;
            turns.push(say(&ctx, caller, talk, &HELLO).await);
        }
        let of = |name: &str| AuditFilter { user: Some(name.into()), ..AuditFilter::default() };
        assert_eq!(replies(&ctx, &ana, AuditFilter::default()).await, ["ana: Hello"], "{db}");
        assert_eq!(replies(&ctx, &eve, AuditFilter::default()).await, ["ben: Hello", "ana: Hello"], "{db}");
        assert_eq!(replies(&ctx, &eve, of("ana")).await, ["ana: Hello"], "{db}");
        not_found(audit::list(&ctx, &ana, &of("ben"), None, 9).await, "There is no user called ben.");
        not_found(audit::list(&ctx, &ana, &of("nobody"), None, 9).await, "There is no user called nobody.");
        not_found(turn_detail::whole(&ctx, &ana, turns[1]).await, "There is no such turn.");
        assert_eq!(turn_detail::whole(&ctx, &ana, turns[0]).await.unwrap().0.reply, "Hi!", "{db}");
        // A list records a reading only once.
        assert_eq!(readers(&ctx, &ana, turns[0]).await, ["eve"], "{db}: the owner sees who read it");
        assert_eq!(turn_detail::whole(&ctx, &eve, turns[1]).await.unwrap().0.user, "ben", "{db}");
        assert_eq!(readers(&ctx, &ben, turns[1]).await, ["eve", "eve"], "{db}: the whole story each time");
        let own = say(&ctx, &eve, begin(&ctx, &eve).await, &HELLO).await;
        assert_eq!(replies(&ctx, &eve, of("eve")).await, ["eve: Hello"], "{db}");
        assert!(readers(&ctx, &eve, own).await.is_empty(), "{db}: one's own is read freely");
        let token = Caller { scopes: vec![Scope::Chat], ..ana.clone() };
        assert!(matches!(turn_detail::whole(&ctx, &token, turns[0]).await, Err(Error::Forbidden(_))), "{db}");
        // An admin's token without the admin scope reads only the admin's own turns.
        let narrow = Caller { scopes: vec![Scope::Audit], ..eve.clone() };
        assert_eq!(replies(&ctx, &narrow, AuditFilter::default()).await, ["eve: Hello"], "{db}");
    }
}
