//! The embedder that asks a provider: it finds what means the same in other words, and the texts leave the machine for it.

use async_trait::async_trait;

use super::{Embedded, Embedder, Vector};
use crate::llm::embeddings::Embeddings;

/// A provider's model under its name.
pub struct Provider {
    name: String,
    embeddings: Embeddings,
}

impl Provider {
    /// `name` tells the model from all others, also from the same one elsewhere or with other dimensions.
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
