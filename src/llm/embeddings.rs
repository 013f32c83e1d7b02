//! A provider's embedding model with a circuit breaker. Keeps nothing of the texts sent.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::breaker::Breaker;
use super::openai::OpenAi;
use super::{LlmError, Usage};

/// Texts per request; keeps the answer, with its numbers as decimal text, below the size limit.
const AT_ONCE: usize = 16;
/// Delay between the breaker opening and the first probe; doubles after each failed probe.
const PROBE_AFTER: Duration = Duration::from_secs(2);
/// Longest delay between two probes.
const PROBE_AT_LEAST: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(10);

/// An embedding model with a circuit breaker, so that an unavailable provider costs at most three timeouts.
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
    /// Creates the client without connecting. Without `dimensions` the model chooses the vector length.
    pub fn new(provider: OpenAi, model: String, dimensions: Option<u32>) -> Self {
        Self { model: Arc::new(Model { provider, name: model, dimensions }), breaker: Arc::default() }
    }

    /// Returns one vector per text, in order, and the tokens used.
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

    /// Records a failure, or a timeout of the caller. Starts the probe if the breaker opens.
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

/// Sends a fixed text until the model answers or another opening supersedes this probe.
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
