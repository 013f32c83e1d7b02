//! Tests of erasure by hand and by age: texts are found nowhere, and the chain still verifies.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::domain::channel::ChatId;
use crate::domain::decision::Engine;
use crate::domain::erasure::{ERASED, Erased};
use crate::domain::id::MemoryId;
use crate::domain::live::EventKind;
use crate::domain::memory::Memory;
use crate::domain::replay::Decider;
use crate::domain::task::Edit;
use crate::domain::tool::Call;
use crate::domain::user::Scope;
use crate::llm::scripted::Scripted;
use crate::llm::{Act, Llm, LlmError, Reply, Request};
use crate::store::memories::Traits;
use crate::store::testing;
use crate::usecases::accounts::{agent_of_token, create_token};
use crate::usecases::import::{self, Format};
use crate::usecases::{Ctx, as_of, audit, erasure, events, history, turn_detail};
use crate::workflow::{agent_call, replay};

mod amended;
mod erased_turns;
mod histories;
mod superseded;

/// Words in ada's and ben's texts.
const WORD: &str = "zanzibar";
const OTHERS: &str = "timbuktu";
const DAY_S: i64 = 86_400;

/// Stores texts of every kind with the word, none of which is in a task at the end, and ben's. Returns the first turn.
async fn lived(world: &mut World) -> Turn {
    let ctx = world.state.ctx.clone();
    let first = world.say(&format!("add pack for {WORD}")).await;
    let asked = world.say("delete task 1").await;
    let id = asked.approval.as_ref().unwrap().approval_id;
    let why = format!("{WORD} is still to come");
    inbox::decide(&world.state, &world.caller, id, Verdict::Reject, DecidedVia::Web, Some(&why)).await.unwrap();
    worker::settle(&world.state).await.unwrap();
    let scopes = [Scope::TasksWrite, Scope::TasksDelete];
    let (_, token) = create_token(&ctx, "ada", "desk", &scopes, 9).await.unwrap();
    let desk = agent_of_token(&ctx, &token, None).await.unwrap().unwrap();
    agent_call::call(&world.state, &desk, "add_task", json!({ "title": format!("{WORD} visa") })).await.unwrap();
    remember(world).await;
    for number in [1, 2] {
        rename(world, number, "trip").await;
    }
    let ben = person(&ctx, "ben").await;
    world.beside(ben).say(&format!("add pack for {OTHERS}")).await;
    ctx.clock.advance(60);
    first
}

/// Stores these texts on a server with a retention of 30 days.
async fn aging(world: &mut World) -> Ctx {
    let mut config = (*world.state.config).clone();
    config.retention_days = 30;
    world.state.config = Arc::new(config);
    lived(world).await;
    world.state.ctx.clone()
}

/// An engine whose provider adds metadata to its replies, which is stored to be sent back.
struct Wordy(Scripted);

#[async_trait]
impl Llm for Wordy {
    fn engine(&self) -> Engine {
        self.0.engine()
    }

    fn model(&self) -> Option<&str> {
        self.0.model()
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        let reply = self.0.complete(request).await?;
        Ok(Reply { raw: Some(json!({ "signature": format!("{WORD} once more") })), ..reply })
    }
}

/// Stores further texts of ada's, from a model's turn, a file and a chat, in tasks 3 to 6.
async fn lived_elsewhere(world: &mut World) {
    let ctx = world.state.ctx.clone();
    let calls =
        vec![Call { tool: "add_task".into(), arguments: json!({ "title": WORD }), provider_id: Some(WORD.into()) }];
    let acts = vec![Act::Calls { text: WORD.into(), calls }, Act::Say { text: format!("{WORD} is on your list.") }];
    let rules = std::mem::replace(&mut world.state.engine, Arc::new(Wordy(Scripted::new(acts))));
    world.say(&format!("think of {WORD}")).await;
    world.state.engine = rules;
    let bodies = testing::bodies(&mut ctx.read().await.unwrap(), world.caller.id()).await;
    let wordy = bodies.iter().any(|(kind, body)| kind == "step" && body.contains("zanzibar once more"));
    assert!(wordy, "a provider's words are kept: {bodies:?}");

    let file = format!("title\n{WORD} by ship\n{WORD} by train\n");
    let reading = import::read(Format::Csv, file.as_bytes(), &ctx.now(), "UTC").unwrap();
    let mut tx = ctx.write().await.unwrap();
    assert_eq!(import::run(&ctx, &mut tx, By::person(&world.caller), reading).await.unwrap().added, 2);
    ctx.commit(tx).await.unwrap();

    chats::link(world, &world.caller, ChatId(1)).await;
    let incoming = IncomingMessage { text: format!("add a map of {WORD}"), conversation: None, client_key: None };
    let way = Source { chat: Some(ChatId(1)), ..Source::default() };
    inbox::accept_in_chat(&world.state, &world.caller, incoming, way).await.unwrap();
    worker::settle(&world.state).await.unwrap();
    for number in 3..=6 {
        rename(world, number, "trip").await;
    }
    ctx.clock.advance(60);
}

async fn remember(world: &World) {
    let (memory, user) = (MemoryId::new(), world.caller.id());
    let memory = Memory {
        memory_id: memory,
        text: format!("Ada is fond of {WORD}."),
        conversation_id: world.conversation.unwrap(),
        first_record: 1,
        last_record: 99,
        created_at: world.state.ctx.now(),
    };
    let traits = Traits { terms: vec![], embedder: String::new(), vector: vec![] };
    let mut tx = world.state.ctx.write().await.unwrap();
    store::memories::insert(&mut tx, user, &memory, &traits).await.unwrap();
    tx.commit().await.unwrap();
}

async fn rename(world: &World, number: i64, title: &str) {
    let ctx = &world.state.ctx;
    let edit = Edit { title: Some(Title::parse(title).unwrap()), ..Edit::default() };
    let mut tx = ctx.write().await.unwrap();
    tasks::edit(ctx, &mut tx, By::person(&world.caller), TaskNumber(number), edit, None).await.unwrap();
    ctx.commit(tx).await.unwrap();
}

async fn erase(world: &World) -> Erased {
    erasure::by_operator(&world.state.ctx, &world.caller.user, None).await.unwrap()
}

/// Returns the findings and the number of erased texts.
async fn verified(world: &World) -> (Vec<String>, u64) {
    let report = audit::verify_all(&world.state.ctx, None).await.unwrap();
    (report.broken.iter().map(ToString::to_string).collect(), report.erased)
}

#[tokio::test]
async fn what_is_erased_is_found_nowhere_and_the_chain_verifies() {
    for mut world in worlds().await {
        lived(&mut world).await;
        lived_elsewhere(&mut world).await;
        let (ctx, store) = (world.state.ctx.clone(), &world.state.ctx.store);
        assert!(!testing::places(store, WORD).await.is_empty(), "it is looked for where it is");
        let erased = erase(&world).await;
        assert!(erased.texts > 30, "{erased:?}");
        assert!(erasure::clean(&ctx).await.unwrap());
        assert!(!erasure::clean(&ctx).await.unwrap(), "once");
        assert_eq!(testing::places(store, WORD).await, Vec::<String>::new());
        assert!(!testing::places(store, OTHERS).await.is_empty(), "ben's stay");
        assert_eq!(verified(&world).await, (vec![], erased.texts));
        let report = audit::verify_all(&ctx, Some("ada")).await.unwrap();
        assert!(report.sentence().ends_with(&format!("({} texts erased)", erased.texts)), "{}", report.sentence());
        let bodies = testing::bodies(&mut ctx.read().await.unwrap(), world.caller.id()).await;
        let told = bodies.iter().find(|(kind, _)| kind == "erasure").unwrap();
        assert!(told.1.contains("\"by\":\"command line\"") && told.1.contains("\"until\""), "{told:?}");
        // The list is unchanged, and new turns work.
        for number in 1..=6 {
            let task = tasks::get(&ctx, &world.caller, TaskNumber(number)).await.unwrap();
            assert_eq!(task.title.as_str(), "trip");
        }
        world.say("add milk").await;
        assert!(world.has(TaskNumber(7)).await);
        ctx.clock.advance(60);
        let again = erase(&world).await;
        assert!(again.texts > 3, "{again:?}");
        assert_eq!(verified(&world).await, (vec![], erased.texts + again.texts));
        assert_eq!(erase(&world).await.texts, 1, "what the erasure itself keeps of tasks is made anew");
    }
}

#[tokio::test]
async fn whatever_is_asked_about_it_says_erased_in_a_sentence() {
    for mut world in worlds().await {
        let first = lived(&mut world).await;
        let (ctx, ada) = (world.state.ctx.clone(), world.caller.clone());
        let then = ctx.now().plus_seconds(-60);
        erase(&world).await;
        let gone = |error: Error| match error {
            Error::Conflict(why) => assert!(why.contains("erased") && why.ends_with('.'), "{why}"),
            other => panic!("{other:?}"),
        };
        let mut tx = ctx.write().await.unwrap();
        gone(undo::turn(&ctx, &mut tx, By::person(&ada), first.turn_id).await.unwrap_err());
        drop(tx);
        for decider in [Decider::Recorded, Decider::Rules] {
            gone(replay::of(&world.state, &ada, first.turn_id, decider).await.unwrap_err());
        }
        let mut kept = 0;
        for turn in replay::all(&world.state).await.unwrap() {
            kept += usize::from(replay::unless_erased(&world.state, turn, Decider::Recorded).await.unwrap().is_ok());
        }
        assert_eq!(kept, 1, "ben's alone");
        let turn = conversations::turn(&ctx, &ada, first.turn_id).await.unwrap();
        assert_eq!(turn.reply.as_deref(), Some(ERASED));
        let said = conversations::messages(&ctx, &ada, first.conversation_id, None, 50).await.unwrap();
        assert!(!said.items.is_empty() && said.items.iter().all(|message| message.text == ERASED));
        let titles = conversations::list(&ctx, &ada, &conversations::Which::default()).await.unwrap();
        assert!(titles.iter().all(|one| one.title == store::erasures::UNTITLED), "{titles:?}");
        for approval in approvals::list(&ctx, &ada, None).await.unwrap() {
            assert_eq!((approval.question.as_str(), approval.reason), (ERASED, None));
        }
        let (entry, story) = turn_detail::whole(&ctx, &ada, first.turn_id).await.unwrap();
        assert_eq!((entry.reply.as_str(), entry.intent.as_str(), entry.message), (ERASED, ERASED, None));
        assert!(story.records.iter().all(|record| record.body.is_none()));
        let life = history::of_task(&ctx, &ada, TaskNumber(1)).await.unwrap();
        assert_eq!((life.past.len(), life.erased.len()), (0, 2));
        // Tasks unchanged since then are still known.
        let list = as_of::list(&ctx, &ada, &then, None, 50).await.unwrap();
        assert_eq!((list.tasks.len(), list.erased), (2, 0));
        rename(&world, 1, "journey").await;
        let list = as_of::list(&ctx, &ada, &then, None, 50).await.unwrap();
        assert_eq!((list.tasks.len(), list.erased), (1, 1));
        let mut tx = ctx.write().await.unwrap();
        gone(as_of::restore(&ctx, &mut tx, By::person(&ada), TaskNumber(1), &then).await.unwrap_err());
        drop(tx);
        let heard = events::after(&ctx, &ada, 0, 500).await.unwrap();
        assert_eq!(heard[0].kind, EventKind::StreamReset, "a listener from before loads afresh, once");
        assert!(heard[1..].iter().all(|event| event.kind != EventKind::StreamReset), "{heard:?}");
    }
}

#[tokio::test]
async fn who_changes_something_after_an_erasure_is_found() {
    for mut world in worlds().await {
        lived(&mut world).await;
        erase(&world).await;
        world.say("hello").await;
        let ada = "user_id = (SELECT id FROM users WHERE name = 'ada')";
        let erased = format!("{ada} AND seq IN (SELECT MIN(seq) FROM erasures WHERE {ada})");
        let young = format!("{ada} AND seq IN (SELECT MAX(seq) FROM records WHERE {ada})");
        for spoilt in [
            format!("UPDATE decisions SET duration_ms = 77777 WHERE {ada} AND outcome = 'SUCCESS:TASK_COMPLETED'"),
            format!(
                "UPDATE messages SET id = (SELECT id FROM users WHERE name = 'ben')
                 WHERE {ada} AND record_seq = (SELECT MIN(seq) FROM erasures)"
            ),
            format!("UPDATE invocations SET called_as = 'other' WHERE {ada}"),
            format!("UPDATE changes SET operation = 'complete' WHERE {ada} AND version_after = 1"),
            format!("UPDATE tasks SET title = 'other' WHERE {ada} AND number = 1"),
            format!("UPDATE tasks SET status = 'completed' WHERE {ada} AND number = 2"),
            format!("DELETE FROM erasures WHERE {erased}"),
            format!("UPDATE erasures SET said = NULL WHERE {erased}"),
            format!("UPDATE erasures SET said = (SELECT digest FROM records WHERE {young}) WHERE {erased}"),
            format!("UPDATE records SET kind = 'step' WHERE {erased}"),
            format!("DELETE FROM bodies WHERE {young}"),
            format!(
                "UPDATE bodies SET body = '{{\"records\":[]}}' WHERE {ada} AND seq IN (SELECT record_seq FROM erasures)"
            ),
            format!("DELETE FROM bodies WHERE {ada} AND seq IN (SELECT record_seq FROM erasures)"),
        ] {
            let mut tx = testing::spoil(&world.state.ctx.store, &spoilt).await;
            let report = audit::verify_within(&world.state.ctx, &mut tx, &Default::default(), None).await.unwrap();
            assert_eq!(report.broken.len(), 1, "{spoilt}");
            assert_eq!(report.broken[0].user, "ada", "{spoilt}");
        }
        // A text deleted by hand, with a mark that names the real erasure.
        let forged = format!(
            "INSERT INTO erasures (user_id, seq, record_seq)
             SELECT user_id, seq, (SELECT MIN(record_seq) FROM erasures) FROM records WHERE {young}"
        );
        let mut tx = testing::spoil(&world.state.ctx.store, &forged).await;
        let report = audit::verify_within(&world.state.ctx, &mut tx, &Default::default(), None).await.unwrap();
        assert_eq!(report.broken.len(), 1, "{forged}");
        drop(tx);
        assert_eq!(verified(&world).await.0, Vec::<String>::new(), "nothing of that was kept");
    }
}

#[tokio::test]
async fn erasure_keeps_a_pending_approval_that_can_still_run() {
    for mut world in worlds().await {
        world.say("add milk").await;
        let asked = world.say("delete task 1").await;
        world.state.ctx.clock.advance(60);
        erase(&world).await;
        let approval =
            approvals::get(&world.state.ctx, &world.caller, asked.approval.as_ref().unwrap().approval_id).await;
        assert_eq!(approval.unwrap().question, "Are you sure you want to delete task 1? (yes/no)");
        let done = world.press(&asked, Verdict::Approve).await.unwrap();
        ended(&done, DecisionKind::InvokeTool, Outcome::TaskCompleted);
        assert!(!world.has(TaskNumber(1)).await);
        assert_eq!(verified(&world).await.0, Vec::<String>::new());
        world.state.ctx.clock.advance(60);
        erase(&world).await;
        let page =
            conversations::messages(&world.state.ctx, &world.caller, asked.conversation_id, None, 50).await.unwrap();
        assert!(page.items.iter().all(|message| message.text == ERASED), "once it is over it goes like the rest");
    }
}

#[tokio::test]
async fn texts_are_erased_exactly_at_the_retention_limit() {
    for mut world in worlds().await {
        let ctx = aging(&mut world).await;
        ctx.clock.advance(29 * DAY_S);
        let young = world.say("add milk").await;
        assert_eq!(verified(&world).await, (vec![], 0), "nothing is old enough");
        ctx.clock.advance(DAY_S);
        worker::settle(&world.state).await.unwrap();
        erasure::clean(&ctx).await.unwrap();
        let (broken, erased) = verified(&world).await;
        assert_eq!(broken, Vec::<String>::new());
        assert!(erased > 15, "{erased}");
        for text in [WORD, "add pack for timbuktu"] {
            assert_eq!(testing::places(&ctx.store, text).await, Vec::<String>::new(), "everybody's old texts go");
        }
        let kept = conversations::turn(&ctx, &world.caller, young.turn_id).await.unwrap();
        assert_eq!(kept.reply.as_deref(), Some("Created task: milk (#3)"));
        // Nothing is due, and nothing is written.
        let before = testing::bodies(&mut ctx.read().await.unwrap(), world.caller.id()).await;
        ctx.clock.advance(3_600);
        worker::settle(&world.state).await.unwrap();
        assert_eq!(testing::bodies(&mut ctx.read().await.unwrap(), world.caller.id()).await, before);
        ctx.clock.advance(30 * DAY_S);
        worker::settle(&world.state).await.unwrap();
        let kept = conversations::turn(&ctx, &world.caller, young.turn_id).await.unwrap();
        assert_eq!(kept.reply.as_deref(), Some(ERASED));
        assert_eq!(verified(&world).await.0, Vec::<String>::new());
        assert!(erasure::overdue(&ctx, 30).await.unwrap().is_empty(), "nothing is left behind");
    }
}

#[tokio::test]
async fn running_worker_erases_old_texts_and_cleans_database_files() {
    for mut world in worlds().await {
        let ctx = aging(&mut world).await;
        ctx.clock.advance(30 * DAY_S);
        let shutdown = CancellationToken::new();
        let worker = tokio::spawn(worker::run(world.state.clone(), shutdown.clone()));
        let begun = Instant::now();
        while !erasure::overdue(&ctx, 30).await.unwrap().is_empty()
            || !testing::places(&ctx.store, WORD).await.is_empty()
        {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "nobody erased: {:?}",
                testing::places(&ctx.store, WORD).await
            );
            tokio::task::yield_now().await;
        }
        shutdown.cancel();
        worker.await.unwrap();
        let (broken, erased) = verified(&world).await;
        assert!(broken.is_empty() && erased > 15, "{broken:?}, {erased} erased");
    }
}

#[tokio::test]
async fn undo_around_a_pending_approval_cannot_revert_erased_changes() {
    for mut world in worlds().await {
        for title in ["wash car", "book flights"] {
            world.task(title).await;
        }
        let asked = world.say("complete task 1 and then delete task 2").await;
        assert!(asked.approval.is_some(), "{asked:?}");
        rename(&world, 1, "wash both cars").await;
        world.state.ctx.clock.advance(60);
        erasure::by_operator(&world.state.ctx, &world.caller.user, None).await.unwrap();
        let (ctx, by) = (&world.state.ctx, By::person(&world.caller));
        let mut tx = ctx.write().await.unwrap();
        let refused = crate::usecases::undo::turn(ctx, &mut tx, by, asked.turn_id).await.unwrap_err();
        assert!(matches!(&refused, Error::Conflict(why) if why.contains("has been erased")), "{refused}");
        drop(tx);
        let task = tasks::get(ctx, &world.caller, TaskNumber(1)).await.unwrap();
        assert_eq!(task.title.as_str(), "wash both cars");
    }
}
