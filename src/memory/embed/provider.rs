//! The embedder of a provider. It matches similar meanings; the texts leave the machine.

use async_trait::async_trait;

use super::{Embedded, Embedder, Vector};
use crate::llm::embeddings::Embeddings;

/// A provider's model with its name.
pub struct Provider {
    name: String,
    embeddings: Embeddings,
}

impl Provider {
    /// `name` must be unique per model, endpoint and dimensions.
    pub fn new(name: String, embeddings: Embeddings) -> Self {
        Self { name, embeddings }
    }
}

#[async_trait]
impl Embedder for Provider {
    fn name(&self) -> &str {
        &self.name
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        let (vectors, usage) = self.embeddings.embed(texts).await?;
        Ok((vectors.iter().map(|numbers| Vector::of(numbers)).collect(), Some(usage)))
    }

    fn late(&self) {
        self.embeddings.late();
    }

    fn is_remote(&self) -> bool {
        true
    }
}
