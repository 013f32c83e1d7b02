//! Tests of summaries, recall and ownership of memories.

use async_trait::async_trait;

use super::*;
use crate::domain::decision::Engine;
use crate::domain::memory::Memory;
use crate::domain::turn_detail::Recalled;
use crate::llm::fallback::Fallback;
use crate::llm::rules::Rules;
use crate::llm::{Act, Llm, LlmError, Reply, Request, Usage};
use crate::memory::embed::local::Local;
use crate::memory::embed::{Embedded, Embedder};
use crate::usecases::memories::{forget, forget_all, switch};
use crate::usecases::turn_detail;
use crate::workflow::memories;

mod dying;
mod embedding;

/// Stores more messages than the window of 20 in a separate conversation: a fact first, then small talk.
async fn talked(world: &mut World, fact: &str, messages: usize) -> ConversationId {
    // The clock does not advance here, so the rate limit would apply.
    world.state.ctx.limits.messages_per_minute = 0;
    let (ctx, user, at) = (&world.state.ctx, world.caller.id(), world.state.ctx.now());
    let mut tx = ctx.write().await.unwrap();
    let conversation = ConversationId::random();
    store::conversations::create(&mut tx, user, conversation, "Long ago", &at).await.unwrap();
    // Claims this minute's job.
    assert!(store::jobs::claim(&mut tx, memories::JOB, &at).await.unwrap());
    ctx.commit(tx).await.unwrap();
    let mut world = world.beside(world.caller.clone());
    world.conversation = Some(conversation);
    for n in 0..messages / 2 {
        world.say(if n == 0 { fact } else { "hello" }).await;
    }
    conversation
}

/// Advances the clock by a minute and runs the due job.
async fn a_minute_later(world: &World) {
    world.state.ctx.clock.advance(61);
    worker::settle(&world.state).await.unwrap();
}

async fn remembered(world: &World) -> Vec<Memory> {
    let mut tx = world.state.ctx.read().await.unwrap();
    store::memories::list(&mut tx, world.caller.id(), None, 99).await.unwrap()
}

const FACT: &str = "My sister Maya is allergic to peanuts.";

type Prompts = mpsc::UnboundedReceiver<String>;

/// Returns the prompts since the last call.
fn heard(prompts: &mut Prompts) -> Vec<String> {
    std::iter::from_fn(|| prompts.try_recv().ok()).collect()
}

/// A model with a fixed summary that records the prompts of turns.
struct Model {
    summary: Result<&'static str, LlmError>,
    prompts: mpsc::UnboundedSender<String>,
}

impl Model {
    fn new(summary: Result<&'static str, LlmError>) -> (Arc<Self>, Prompts) {
        let (prompts, heard) = mpsc::unbounded_channel();
        (Arc::new(Self { summary, prompts }), heard)
    }
}

#[async_trait]
impl Llm for Model {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        Some("model")
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        self.prompts.send(request.prompt.clone()).ok();
        let text = match request.prompt.starts_with("You sum up") {
            true => self.summary.clone()?,
            false => "Peanuts.",
        };
        let usage = Some(Usage { tokens_in: 30, tokens_out: 10, estimated: false });
        Ok(Reply { usage, ..Reply::plain(Act::Say { text: text.into() }, "talk") })
    }
}

fn with_model(world: &mut World, model: &Arc<Model>) {
    world.state.engine = Arc::new(Fallback::new(model.clone(), Arc::new(Rules)));
}

/// Counts memories without a vector of this embedder, of users with or without a model.
async fn lacking(world: &World, embedder: &str, uses_model: bool) -> usize {
    let mut tx = world.state.ctx.read().await.unwrap();
    let mut lacking = 0;
    for user in store::memories::of_other_embedders(&mut tx, embedder, uses_model, None, 9).await.unwrap() {
        lacking += store::memories::of_another_embedder(&mut tx, user, embedder, 200).await.unwrap().len();
    }
    lacking
}

async fn spent(world: &World) -> (i64, i64) {
    crate::usecases::spending::ever(&world.state.ctx, &world.caller.user).await.unwrap()
}

#[tokio::test]
async fn memory_without_a_model_summarises_messages_outside_the_window() {
    for mut world in worlds().await {
        let talk = talked(&mut world, FACT, 58).await;
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await, [], "58 are too few");
        let mut more = world.beside(world.caller.clone());
        more.conversation = Some(talk);
        more.say("hello").await;
        a_minute_later(&world).await;
        let memories = remembered(&world).await;
        let [memory] = &memories[..] else { panic!("{memories:?}") };
        assert_eq!((memory.text.as_str(), memory.conversation_id), (FACT, talk));
        let page = conversations::messages(&world.state.ctx, &world.caller, talk, None, 100).await.unwrap();
        assert!(page.items.iter().any(|said| said.text == FACT), "the log is untouched");
        let mut tx = world.state.ctx.read().await.unwrap();
        let left = store::memories::unsummarised(&mut tx, world.caller.id(), talk, 99).await.unwrap();
        assert_eq!(left.len(), 20, "the window");
        drop(tx);
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await.len(), 1, "once");
    }
}

#[tokio::test]
async fn memory_summary_uses_code_after_model_failure_or_without_quota() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        with_model(&mut world, &Model::new(Err(LlmError::Refused("no".into()))).0);
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await[0].text, FACT);
    }
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        let (model, _) = Model::new(Ok("- Made by a model."));
        with_model(&mut world, &model);
        let mut config = (*world.state.config).clone();
        config.turn.daily_tokens = 40;
        world.state.config = Arc::new(config);
        world.conversation = None;
        world.say("hello").await;
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await[0].text, FACT);
        assert_eq!(spent(&world).await, (30, 10), "nothing but the turn");
    }
}

#[tokio::test]
async fn memories_reach_only_models_and_are_named_in_the_record() {
    for mut world in worlds().await {
        let named = async |world: &World, turn: &Turn| {
            let mut tx = world.state.ctx.read().await.unwrap();
            store::decisions::get(&mut tx, world.caller.id(), turn.turn_id).await.unwrap().unwrap().memories
        };
        talked(&mut world, FACT, 60).await;
        a_minute_later(&world).await;
        let memory = remembered(&world).await.remove(0);
        let question = "what is Maya allergic to";
        let by_rules = world.say(question).await;
        assert_eq!(named(&world, &by_rules).await, []);
        let (model, mut prompts) = Model::new(Ok("none"));
        with_model(&mut world, &model);
        let turn = world.say(question).await;
        assert_eq!(named(&world, &turn).await, [memory.memory_id]);
        let memory_id = memory.memory_id;
        let (_, told) = turn_detail::whole(&world.state.ctx, &world.caller, turn.turn_id).await.unwrap();
        assert_eq!(told.memories, [Recalled { memory_id, text: Some(FACT.into()) }]);
        let fenced = format!("<memories>\n- {FACT}\n</memories>");
        assert!(heard(&mut prompts).last().unwrap().contains(&fenced));

        let ben = person(&world.state.ctx, "ben").await;
        let his = world.beside(ben).say(question).await;
        assert_eq!(his.reply.as_deref(), Some("Peanuts."));
        assert!(!heard(&mut prompts).last().unwrap().contains("Maya"), "another's");

        switch(&world.state.ctx, &world.caller, false).await.unwrap();
        let late = world.say(question).await;
        assert_eq!(named(&world, &late).await, [], "switched off");
        forget(&world.state.ctx, &world.caller, memory_id).await.unwrap();
        let (_, told) = turn_detail::whole(&world.state.ctx, &world.caller, turn.turn_id).await.unwrap();
        assert_eq!(told.memories, [Recalled { memory_id, text: None }], "forgotten");
    }
}

#[tokio::test]
async fn memory_disabled_by_server_or_user_stores_nothing() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        let on = world.state.config.clone();
        let mut off = (*on).clone();
        off.memory = false;
        world.state.config = Arc::new(off);
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await, []);
        world.state.config = on;
        switch(&world.state.ctx, &world.caller, false).await.unwrap();
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await, []);
    }
}

#[tokio::test]
async fn forgetting_memories_triggers_database_file_cleanup_once() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        with_model(&mut world, &Model::new(Ok("- Maya is allergic to peanuts.\n- The user says hello often.")).0);
        a_minute_later(&world).await;
        let (ctx, caller) = (&world.state.ctx, &world.caller);
        let clean = async || crate::usecases::erasure::clean(ctx).await.unwrap();
        assert!(!clean().await);
        forget(ctx, caller, remembered(&world).await[0].memory_id).await.unwrap();
        assert_eq!((clean().await, clean().await), (true, false));
        assert_eq!(forget_all(ctx, caller).await.unwrap(), 1);
        assert_eq!((clean().await, clean().await), (true, false));
        assert_eq!(forget_all(ctx, caller).await.unwrap(), 0);
        assert!(!clean().await, "there was nothing");
    }
}

/// The local embedder under another name; fails while `down`.
struct Renamed {
    down: bool,
}

#[async_trait]
impl Embedder for Renamed {
    fn name(&self) -> &str {
        "renamed"
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        if self.down { Err(LlmError::Unavailable("down".into())) } else { Local.embed(texts).await }
    }
}

#[tokio::test]
async fn another_embedder_gets_its_own_vectors_once_it_answers() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        a_minute_later(&world).await;
        let stale = async |world: &World, embedder| lacking(world, embedder, true).await;
        assert_eq!((stale(&world, "local-1").await, stale(&world, "renamed").await), (0, 1));
        world.state.embedder = Arc::new(Renamed { down: true });
        a_minute_later(&world).await;
        assert_eq!(stale(&world, "renamed").await, 1);
        world.state.embedder = Arc::new(Renamed { down: false });
        a_minute_later(&world).await;
        assert_eq!((stale(&world, "local-1").await, stale(&world, "renamed").await), (1, 0));
    }
}

/// A model that takes that many seconds per answer.
struct Slow {
    clock: Clock,
    seconds: i64,
    text: &'static str,
}

#[async_trait]
impl Llm for Slow {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        Some("slow")
    }

    async fn complete(&self, _: &Request) -> Result<Reply, LlmError> {
        self.clock.advance(self.seconds);
        Ok(Reply::plain(Act::Say { text: self.text.into() }, "talk"))
    }
}

#[tokio::test]
async fn whoever_sums_up_for_long_keeps_the_job() {
    for mut world in worlds().await {
        let talk = talked(&mut world, FACT, 100).await;
        let slow = Slow { clock: world.state.ctx.clock.clone(), seconds: 50, text: "none" };
        world.state.engine = Arc::new(Fallback::new(Arc::new(slow), Arc::new(Rules)));
        a_minute_later(&world).await;
        let ctx = &world.state.ctx;
        let mut tx = ctx.read().await.unwrap();
        let left = store::memories::unsummarised(&mut tx, world.caller.id(), talk, 99).await.unwrap();
        assert_eq!(left.len(), 20, "two parts of 50 seconds each");
        assert!(!store::jobs::is_due(&mut tx, memories::JOB, &ctx.now()).await.unwrap(), "kept at the second part");
    }
}

#[tokio::test]
async fn memory_sources_are_shown_once_and_shortened() {
    for mut world in worlds().await {
        let long = format!("{FACT} {}", "so ".repeat(200));
        let talk = talked(&mut world, &long, 60).await;
        with_model(&mut world, &Model::new(Ok("- Maya is allergic to peanuts.\n- The user says hello often.")).0);
        a_minute_later(&world).await;
        let memories = remembered(&world).await;
        assert_eq!(memories.len(), 2);
        assert!(memories.iter().all(|each| each.conversation_id == talk && each.first_record < each.last_record));
        let shown = crate::usecases::memories::with_sources(&world.state.ctx, &world.caller, memories).await.unwrap();
        let [(_, first), (_, second)] = &shown[..] else { panic!("{shown:?}") };
        let texts: Vec<_> = first.iter().map(|source| source.text.as_deref().unwrap()).collect();
        assert!(texts[0].starts_with(FACT) && texts[0].ends_with('…') && texts[0].chars().count() <= 300, "{texts:?}");
        assert_eq!(texts.iter().filter(|text| **text == "hello").count(), 1, "{texts:?}");
        assert!(second.is_empty(), "they are those of the one before: {second:?}");
    }
}
