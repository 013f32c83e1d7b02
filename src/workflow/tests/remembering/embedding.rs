//! A provider's embedder: whose texts it is sent, how often it is asked, and what holds while it fails.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::workflow::step;

/// Makes the local one's vectors under a name of its own and tells what it was sent; fails like `how` for the first `times`.
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
            Err(self.how.clone())
        } else {
            Local.embed(texts).await
        }
    }

    fn is_remote(&self) -> bool {
        true
    }
}

fn heard(sent: &mut mpsc::UnboundedReceiver<String>) -> Vec<String> {
    std::iter::from_fn(|| sent.try_recv().ok()).collect()
}

/// How many memories lack a vector of this embedder.
async fn lacking(world: &World, embedder: &str, uses_model: bool) -> usize {
    let mut tx = world.state.ctx.read().await.unwrap();
    store::memories::of_other_embedders(&mut tx, embedder, uses_model, 9).await.unwrap().len()
}

#[tokio::test]
async fn nothing_is_sent_of_whoever_does_without_the_model_or_wants_nothing_remembered() {
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
async fn what_was_a_providers_is_made_anew_here_for_whoever_does_without_it() {
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
async fn while_the_embedder_fails_notes_are_found_by_their_words_and_turns_end() {
    for mut world in worlds().await {
        talked(&mut world, FACT, 60).await;
        a_minute_later(&world).await;
        world.state.embedder = Remote::failing(u32::MAX, LlmError::Refused("no such model".into())).0;
        let (model, mut prompts) = Model::new(Ok("none"));
        with_model(&mut world, &model);
        let turn = world.say("what is Maya allergic to").await;
        assert_eq!(turn.reply.as_deref(), Some("Peanuts."));
        assert!(prompts.recv().await.unwrap().contains(FACT));
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
