//! Tests of a provider's embedder: texts sent, number of calls, and behaviour on failure.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::workflow::step;

/// An embedder with the local one's vectors under another name, at one token a text. Records the texts; fails with `how` for the first
/// `times` calls.
struct Remote {
    sent: mpsc::UnboundedSender<String>,
    asked: AtomicU32,
    times: u32,
    how: LlmError,
}

impl Remote {
    fn failing(times: u32, how: LlmError) -> (Arc<Self>, mpsc::UnboundedReceiver<String>) {
        let (sent, heard) = mpsc::unbounded_channel();
        (Arc::new(Self { sent, asked: AtomicU32::new(0), times, how }), heard)
    }

    fn new() -> (Arc<Self>, mpsc::UnboundedReceiver<String>) {
        Self::failing(0, LlmError::Resting)
    }

    fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Embedder for Remote {
    fn name(&self) -> &str {
        "remote"
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        for text in texts {
            self.sent.send((*text).to_owned()).ok();
        }
        if self.asked.fetch_add(1, Ordering::SeqCst) < self.times {
            return Err(self.how.clone());
        }
        let (vectors, _) = Local.embed(texts).await?;
        let tokens_in = i64::try_from(texts.len()).unwrap();
        Ok((vectors, Some(Usage { tokens_in, tokens_out: 0, estimated: false })))
    }

    fn is_remote(&self) -> bool {
        true
    }
}

fn heard(sent: &mut mpsc::UnboundedReceiver<String>) -> Vec<String> {
    std::iter::from_fn(|| sent.try_recv().ok()).collect()
}

#[tokio::test]
async fn embedder_receives_nothing_after_model_or_memory_opt_out() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        a_minute_later(&world).await;
        let (remote, mut sent) = Remote::new();
        world.state.embedder = remote;
        let set = async |world: &mut World, uses| {
            crate::usecases::accounts::set_uses_model(&world.state.ctx, &world.caller, uses).await.unwrap();
            world.caller.user.uses_model = uses;
        };
        set(&mut world, false).await;
        a_minute_later(&world).await;
        assert_eq!(memories::search(&world.state, &world.caller, "alergic to peanut").await.unwrap()[0].text, FACT);
        assert_eq!((heard(&mut sent), lacking(&world, "local-1", false).await), (vec![], 0));

        set(&mut world, true).await;
        let mut tx = world.state.ctx.write().await.unwrap();
        store::memories::switch_off(&mut tx, world.caller.id(), &world.state.ctx.now()).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        a_minute_later(&world).await;
        assert_eq!(heard(&mut sent), Vec::<String>::new());

        let mut tx = world.state.ctx.write().await.unwrap();
        store::memories::switch_on(&mut tx, world.caller.id(), &world.state.ctx.now()).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        a_minute_later(&world).await;
        assert_eq!((heard(&mut sent), lacking(&world, "remote", true).await), (vec![FACT.to_owned()], 0));
    }
}

#[tokio::test]
async fn model_opt_out_recomputes_embeddings_locally() {
    for mut world in worlds().await {
        world.state.embedder = Remote::new().0;
        talked(&mut world, FACT, 60).await;
        a_minute_later(&world).await;
        assert_eq!((remembered(&world).await.len(), lacking(&world, "remote", true).await), (1, 0));
        crate::usecases::accounts::set_uses_model(&world.state.ctx, &world.caller, false).await.unwrap();
        world.caller.user.uses_model = false;
        assert_eq!(lacking(&world, "local-1", false).await, 1);
        a_minute_later(&world).await;
        assert_eq!(lacking(&world, "local-1", false).await, 0);
    }
}

#[tokio::test]
async fn whoever_has_no_share_left_has_no_message_embedded() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        a_minute_later(&world).await;
        let (remote, mut sent) = Remote::new();
        world.state.embedder = remote;
        with_model(&mut world, &Model::new(Ok("none")).0);
        let mut config = (*world.state.config).clone();
        config.turn.daily_tokens = 40;
        world.state.config = Arc::new(config);
        world.conversation = None;
        world.say("what is Maya allergic to").await;
        assert_eq!(heard(&mut sent)[0], "what is Maya allergic to");
        a_minute_later(&world).await;
        heard(&mut sent);
        world.say("show my tasks").await;
        assert_eq!(heard(&mut sent), Vec::<String>::new());
    }
}

#[tokio::test]
async fn embedding_counts_towards_the_owners_quota_and_stops_at_it() {
    for mut world in worlds().await {
        noted(&mut world, AT_ONCE + 9).await;
        let (remote, mut sent) = Remote::new();
        world.state.embedder = remote;
        let mut config = (*world.state.config).clone();
        config.turn.daily_tokens = 40;
        world.state.config = Arc::new(config);
        let before = spent(&world).await.0;
        a_minute_later(&world).await;
        assert_eq!(heard(&mut sent).len(), AT_ONCE, "some of the share was left, and a call is made whole");
        assert_eq!(spent(&world).await.0, before + i64::try_from(AT_ONCE).unwrap());
        a_minute_later(&world).await;
        assert_eq!((heard(&mut sent).len(), lacking(&world, "remote", true).await), (0, 9), "none is left");
        let mut tx = world.state.ctx.read().await.unwrap();
        assert!(store::jobs::is_due(&mut tx, memories::JOB, &world.state.ctx.now()).await.unwrap(), "nothing was done");
        drop(tx);

        let mut ben = world.beside(person(&world.state.ctx, "ben").await);
        noted(&mut ben, 2).await;
        a_minute_later(&world).await;
        assert_eq!(heard(&mut sent).len(), 2, "the notes of somebody else do not wait for hers");

        world.state.ctx.clock.advance(2 * 86_400);
        a_minute_later(&world).await;
        assert_eq!((heard(&mut sent).len(), lacking(&world, "remote", true).await), (9, 0), "another day");
    }
}

#[tokio::test]
async fn new_memory_is_not_embedded_without_remaining_quota() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        let (remote, mut sent) = Remote::new();
        world.state.embedder = remote;
        let mut tx = world.state.ctx.write().await.unwrap();
        store::spending::note(&mut tx, world.caller.id(), (9, 1), None, &world.state.ctx.now()).await.unwrap();
        world.state.ctx.commit(tx).await.unwrap();
        let mut config = (*world.state.config).clone();
        config.turn.daily_tokens = 10;
        world.state.config = Arc::new(config);
        a_minute_later(&world).await;
        assert_eq!(remembered(&world).await.len(), 1, "it is noted, and found by its words");
        assert_eq!((heard(&mut sent), lacking(&world, "remote", true).await), (vec![], 1));
    }
}

#[tokio::test]
async fn an_embedder_is_asked_again_only_while_that_may_help() {
    let busy = |seconds| LlmError::Busy { why: String::new(), after: std::time::Duration::from_secs(seconds) };
    for (how, times, asked, answers) in [
        (LlmError::Unavailable(String::new()), 2, 3, true),
        (LlmError::Unavailable(String::new()), 9, 3, false),
        (busy(0), 1, 2, true),
        (busy(60), 1, 1, false),
        (LlmError::Refused(String::new()), 1, 1, false),
        (LlmError::Unfit(String::new()), 1, 1, false),
        (LlmError::Resting, 1, 1, false),
    ] {
        let (remote, _sent) = Remote::failing(times, how.clone());
        let answer = step::embed(remote.as_ref(), &[FACT]).await;
        assert_eq!((answer.is_ok(), remote.asked()), (answers, asked), "{how} {times}");
    }
}

#[tokio::test]
async fn memory_query_is_embedded_only_with_memory_on_and_quota() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        let (remote, mut sent) = Remote::new();
        world.state.embedder = remote;
        a_minute_later(&world).await;
        heard(&mut sent);
        let before = spent(&world).await.0;
        let look = async |world: &World, state: &AppState| {
            let found = memories::search(state, &world.caller, "allergic to what").await.unwrap();
            assert_eq!(found[0].text, FACT);
        };
        look(&world, &world.state).await;
        look(&world, &world.state).await;
        assert_eq!(heard(&mut sent), ["allergic to what"; 2]);
        assert_eq!(spent(&world).await, (before + 2, 0), "two in the same moment both count");

        let configured = |daily_tokens, memory| {
            let mut state = world.state.clone();
            let mut config = (*state.config).clone();
            (config.turn.daily_tokens, config.memory) = (daily_tokens, memory);
            state.config = Arc::new(config);
            state
        };
        let left = u64::try_from(before).unwrap() + 3;
        look(&world, &configured(left, true)).await;
        assert_eq!(heard(&mut sent).len(), 1, "a token of the share was left");
        look(&world, &configured(left, true)).await;
        assert_eq!(heard(&mut sent), Vec::<String>::new(), "none is left");
        look(&world, &configured(0, false)).await;
        assert_eq!(heard(&mut sent), Vec::<String>::new(), "the server remembers nothing");
        switch(&world.state.ctx, &world.caller, false).await.unwrap();
        look(&world, &world.state).await;
        assert_eq!(heard(&mut sent), Vec::<String>::new(), "switched off");
        assert_eq!(spent(&world).await, (before + 3, 0));
    }
}

/// Stores memories without vectors, the fact first.
async fn noted(world: &mut World, many: usize) {
    world.say("hello").await;
    let (ctx, user) = (&world.state.ctx, world.caller.id());
    let mut tx = ctx.write().await.unwrap();
    for n in 0..many {
        let memory = Memory {
            memory_id: crate::domain::id::MemoryId::new(),
            text: if n == 0 { FACT.to_owned() } else { format!("Note {n}.") },
            conversation_id: world.conversation.unwrap(),
            first_record: 1,
            last_record: 1,
            created_at: ctx.now(),
        };
        let terms = crate::memory::recall::written(&crate::memory::words::terms(&memory.text));
        let traits = store::memories::Traits { terms, embedder: String::new(), vector: vec![] };
        store::memories::insert(&mut tx, user, &memory, &traits).await.unwrap();
    }
    ctx.commit(tx).await.unwrap();
}

/// Memories per call.
const AT_ONCE: usize = 64;

/// An embedder that takes that many seconds per call; with `lost`, another process claims the job during the first one.
struct Slow {
    ctx: crate::usecases::Ctx,
    seconds: i64,
    lost: bool,
    asked: AtomicU32,
}

#[async_trait]
impl Embedder for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        self.ctx.clock.advance(self.seconds);
        if self.asked.fetch_add(1, Ordering::SeqCst) == 0 && self.lost {
            let mut tx = self.ctx.write().await.unwrap();
            assert!(store::jobs::claim(&mut tx, memories::JOB, &self.ctx.now()).await.unwrap());
            self.ctx.commit(tx).await.unwrap();
        }
        Local.embed(texts).await
    }
}

#[tokio::test]
async fn slow_embedding_renews_its_job_lease_and_stops_without_it() {
    for (seconds, lost, asked) in [(50, false, 3), (61, true, 1)] {
        for mut world in worlds().await {
            noted(&mut world, 2 * AT_ONCE + 1).await;
            let ctx = world.state.ctx.clone();
            let slow = Arc::new(Slow { ctx: ctx.clone(), seconds, lost, asked: AtomicU32::new(0) });
            world.state.embedder = slow.clone();
            a_minute_later(&world).await;
            assert_eq!(slow.asked.load(Ordering::SeqCst), asked, "lost: {lost}");
            let mut tx = ctx.read().await.unwrap();
            assert!(!store::jobs::is_due(&mut tx, memories::JOB, &ctx.now()).await.unwrap(), "somebody has it");
            drop(tx);
            assert_eq!(lacking(&world, "slow", true).await, if lost { AT_ONCE + 1 } else { 0 });
        }
    }
}

#[tokio::test]
async fn slow_model_with_slow_embedder_keeps_the_job_lease() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        let ctx = world.state.ctx.clone();
        let model = super::Slow { clock: ctx.clock.clone(), seconds: 50, text: "- Maya is allergic to peanuts." };
        world.state.engine = Arc::new(Fallback::new(Arc::new(model), Arc::new(Rules)));
        world.state.embedder = Arc::new(Slow { ctx: ctx.clone(), seconds: 50, lost: false, asked: AtomicU32::new(0) });
        a_minute_later(&world).await;
        assert_eq!((remembered(&world).await.len(), lacking(&world, "slow", true).await), (1, 0));
        let mut tx = ctx.read().await.unwrap();
        assert!(!store::jobs::is_due(&mut tx, memories::JOB, &ctx.now()).await.unwrap());
    }
}

/// An embedder during whose first call the user opts out of the model.
struct Unwelcome {
    ctx: crate::usecases::Ctx,
    caller: crate::domain::user::Caller,
    asked: Arc<AtomicU32>,
}

#[async_trait]
impl Embedder for Unwelcome {
    fn name(&self) -> &str {
        "unwelcome"
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        self.asked.fetch_add(1, Ordering::SeqCst);
        crate::usecases::accounts::set_uses_model(&self.ctx, &self.caller, false).await.unwrap();
        Local.embed(texts).await
    }
}

#[tokio::test]
async fn model_opt_out_during_embedding_stops_further_requests() {
    for mut world in worlds().await {
        noted(&mut world, 2 * AT_ONCE).await;
        let (ctx, caller, asked) = (world.state.ctx.clone(), world.caller.clone(), Arc::default());
        world.state.embedder = Arc::new(Unwelcome { ctx, caller, asked: Arc::clone(&asked) });
        a_minute_later(&world).await;
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }
}

/// An embedder that rejects texts containing `not`, or all texts while `out`.
struct Picky {
    sent: mpsc::UnboundedSender<String>,
    not: &'static str,
    out: bool,
}

#[async_trait]
impl Embedder for Picky {
    fn name(&self) -> &str {
        "picky"
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        texts.iter().for_each(|text| drop(self.sent.send((*text).to_owned())));
        if self.out || texts.iter().any(|text| text.contains(self.not)) {
            return Err(LlmError::Unfit("status 400".into()));
        }
        Local.embed(texts).await
    }
}

#[tokio::test]
async fn rejected_text_blocks_no_other_embedding_and_stays_searchable() {
    for mut world in worlds().await {
        noted(&mut world, AT_ONCE + 9).await;
        let (sent, mut told) = mpsc::unbounded_channel();
        world.state.embedder = Arc::new(Picky { sent: sent.clone(), not: "Maya", out: true });
        a_minute_later(&world).await;
        assert_eq!(heard(&mut told).len(), AT_ONCE + 1, "one call and a word of nobody's");
        assert_eq!(lacking(&world, "picky", true).await, AT_ONCE + 9, "who takes nothing says nothing about a text");
        world.state.embedder = Arc::new(Picky { sent, not: "Maya", out: false });
        a_minute_later(&world).await;
        assert_eq!(heard(&mut told).iter().filter(|text| *text == FACT).count(), 2, "with others and alone");
        assert_eq!(lacking(&world, "picky", true).await, 0);
        let look = async |text: &str| memories::search(&world.state, &world.caller, text).await.unwrap();
        assert_eq!(look("who is allergic").await[0].text, FACT);
        assert_eq!(look("nots 42").await.iter().filter(|memory| memory.text == FACT).count(), 0);
        heard(&mut told);
        a_minute_later(&world).await;
        assert_eq!(heard(&mut told), Vec::<String>::new(), "it is not sent again and again");
    }
}
