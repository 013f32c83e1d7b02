//! A provider's embedding model. What is known of it is whether it is worth asking, and nothing of what it was asked.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::breaker::Breaker;
use super::openai::OpenAi;
use super::{LlmError, Usage};

/// Texts of one request: their numbers written out stay below what an answer may have.
const AT_ONCE: usize = 16;
/// Between an open breaker and the first look whether the provider is back; twice as long after each look in vain.
const PROBE_AFTER: Duration = Duration::from_secs(2);
/// The longest time between two looks.
const PROBE_AT_LEAST: Duration = Duration::from_secs(60);
/// How long a look may take.
const PROBE: Duration = Duration::from_secs(10);

/// An embedding model with a breaker: a provider that is away costs three waits and no more.
pub struct Embeddings {
    model: Arc<Model>,
    breaker: Arc<Breaker>,
}

struct Model {
    provider: OpenAi,
    name: String,
    dimensions: Option<u32>,
}

impl Embeddings {
    /// Reaches nobody yet. Without `dimensions` the model decides how many numbers a text has.
    pub fn new(provider: OpenAi, model: String, dimensions: Option<u32>) -> Self {
        Self { model: Arc::new(Model { provider, name: model, dimensions }), breaker: Arc::default() }
    }

    /// The texts' numbers, in the same order, and what that took.
    pub async fn embed(&self, texts: &[&str]) -> Result<(Vec<Vec<f32>>, Usage), LlmError> {
        if self.breaker.is_open() {
            return Err(LlmError::Resting);
        }
        let answer = self.model.embed(texts).await;
        match &answer {
            Ok(_) => self.breaker.succeeded(),
            Err(error) if error.says_unwell() => self.late(),
            Err(_) => {}
        }
        answer
    }

    /// It failed, or nobody waited for its answer any longer.
    pub fn late(&self) {
        if self.breaker.failed() {
            tracing::warn!("the embedding model failed too often; memories are found by their words until it is back");
            tokio::spawn(probe(self.model.clone(), Arc::downgrade(&self.breaker), self.breaker.openings()));
        }
    }
}

impl Model {
    async fn embed(&self, texts: &[&str]) -> Result<(Vec<Vec<f32>>, Usage), LlmError> {
        let (mut vectors, mut usage): (Vec<Vec<f32>>, _) = (vec![], Usage::default());
        for texts in texts.chunks(AT_ONCE) {
            let (more, took) = self.provider.embed(&self.name, self.dimensions, texts).await?;
            vectors.extend(more);
            usage = usage.plus(took);
        }
        Ok((vectors, usage))
    }
}

/// Looks from time to time whether it answers, with a word of nobody's.
async fn probe(model: Arc<Model>, breaker: Weak<Breaker>, opening: u32) {
    let mut pause = PROBE_AFTER;
    loop {
        tokio::time::sleep(pause).await;
        let open = |breaker: &Arc<Breaker>| breaker.is_open() && breaker.openings() == opening;
        let Some(breaker) = breaker.upgrade().filter(open) else { return };
        let answer = tokio::time::timeout(PROBE, model.embed(&["hello"])).await;
        if answer.is_ok_and(|answer| answer.err().is_none_or(|error| !error.says_unwell())) {
            tracing::info!("the embedding model answers again");
            breaker.succeeded();
            return;
        }
        pause = (pause * 2).min(PROBE_AT_LEAST);
    }
}
