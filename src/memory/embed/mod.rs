//! Texts as vectors, in which similar meanings are close together.

use std::time::Duration;

use async_trait::async_trait;

use crate::llm::{LlmError, Usage};

pub mod local;
pub mod provider;

/// Vectors in text order, with the token usage if it is counted.
pub type Embedded = Result<(Vec<Vector>, Option<Usage>), LlmError>;

/// An embedder. Stateless: equal texts give equal vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns a name that identifies everything the vectors depend on. Vectors of different names are never compared.
    fn name(&self) -> &str;

    /// Returns one vector per text, in order, with the token usage if it is counted.
    async fn embed(&self, texts: &[&str]) -> Embedded;

    /// Records that a caller stopped waiting, a failure that the embedder cannot see itself.
    fn late(&self) {}

    /// Returns true if texts leave this machine and tokens are counted.
    fn is_remote(&self) -> bool {
        false
    }
}

/// Returns one vector per text within the timeout.
pub async fn within(time: Duration, embedder: &dyn Embedder, texts: &[&str]) -> Embedded {
    let answer = tokio::time::timeout(time, embedder.embed(texts)).await;
    let answer = answer.unwrap_or_else(|_| {
        embedder.late();
        Err(LlmError::Unavailable(format!("no answer in {} ms", time.as_millis())))
    });
    match answer {
        Ok((vectors, _)) if vectors.len() != texts.len() => {
            Err(LlmError::Unavailable("not one vector for each text".into()))
        }
        answer => answer,
    }
}

/// Returns true if the embedder rejected these texts; it may accept others.
pub fn is_unfit(answer: &Embedded) -> bool {
    matches!(answer, Err(LlmError::Unfit(_)))
}

/// Returns the minimum delay before a retry; `None` if a retry cannot help.
pub fn may_pass(answer: &Embedded) -> Option<Duration> {
    match answer {
        Err(LlmError::Unavailable(_) | LlmError::Late(_)) => Some(Duration::ZERO),
        Err(LlmError::Busy { after, .. }) => Some(*after),
        Ok(_) | Err(LlmError::Refused(_) | LlmError::Unfit(_) | LlmError::Empty(_) | LlmError::Resting) => None,
    }
}

/// A direction, quantised to -127..=127 per dimension: a quarter of the size of `f32`, with equal ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Vec<i8>);

impl Vector {
    /// Quantises values of any scale. Values without a direction give zeros.
    pub fn of(values: &[f32]) -> Self {
        let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 && largest.is_finite() { 127.0 / largest } else { 0.0 };
        // Values are within -127..=127, since they are scaled by the largest.
        #[allow(clippy::cast_possible_truncation)]
        Self(values.iter().map(|value| (value * scale).round() as i8).collect())
    }

    /// Returns the stored form, one byte per dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|value| value.cast_unsigned()).collect()
    }

    /// Returns the cosine similarity; 0 for a zero vector or unequal lengths.
    pub fn cosine(&self, stored: &[u8]) -> f32 {
        if stored.len() != self.0.len() {
            return 0.0;
        }
        let (mut dot, mut own, mut other) = (0_i32, 0_i32, 0_i32);
        for (a, b) in self.0.iter().zip(stored) {
            let (a, b) = (i32::from(*a), i32::from(b.cast_signed()));
            dot += a * b;
            own += a * a;
            other += b * b;
        }
        if own == 0 || other == 0 {
            return 0.0;
        }
        #[allow(clippy::cast_precision_loss)]
        let (dot, own, other) = (dot as f32, own as f32, other as f32);
        dot / (own * other).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_angle_is_measured_whatever_the_lengths() {
        let (east, north) = (Vector::of(&[2.0, 0.0]), Vector::of(&[0.0, 0.1]));
        assert!(east.cosine(&Vector::of(&[0.3, 0.0]).to_bytes()) > 0.999);
        assert!(east.cosine(&north.to_bytes()).abs() < 0.001);
        assert!((east.cosine(&Vector::of(&[1.0, 1.0]).to_bytes()) - 0.707).abs() < 0.01);
        assert!(east.cosine(&Vector::of(&[-1.0, 0.0]).to_bytes()) < -0.999);
    }

    #[test]
    fn what_has_no_direction_is_near_nothing() {
        let east = Vector::of(&[1.0, 0.0]);
        for other in [&[0.0, 0.0][..], &[1.0], &[1.0, 0.0, 0.0], &[]] {
            assert_eq!(east.cosine(&Vector::of(other).to_bytes()).to_bits(), 0.0_f32.to_bits(), "{other:?}");
        }
    }
}
