//! Texts as vectors, so that what means the same lies close together.

use std::time::Duration;

use async_trait::async_trait;

use crate::llm::{LlmError, Usage};

/// The embedder that needs nobody: parts of words, hashed.
pub mod local;
/// A provider's model.
pub mod provider;

/// Vectors of texts, in their order, and what they took where somebody counts.
pub type Embedded = Result<(Vec<Vector>, Option<Usage>), LlmError>;

/// What makes vectors. Stateless: the same text gives the same vector.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Its name with all that decides about its vectors: those of another name are never compared with them.
    fn name(&self) -> &str;

    /// The texts' vectors, in the same order, and what that took where somebody counts.
    async fn embed(&self, texts: &[&str]) -> Embedded;

    /// Nobody waited for its answer any longer: a failure that it cannot see itself.
    fn late(&self) {}

    /// Whether texts leave this machine for it, and it counts tokens.
    fn is_remote(&self) -> bool {
        false
    }
}

/// The texts' vectors, one for each, if they come in that time.
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

/// Whether the embedder does not take these very texts; others it may.
pub fn is_unfit(answer: &Embedded) -> bool {
    matches!(answer, Err(LlmError::Unfit(_)))
}

/// How long to wait at least before the texts are embedded once more, if that may come to something better.
pub fn may_pass(answer: &Embedded) -> Option<Duration> {
    match answer {
        Err(LlmError::Unavailable(_) | LlmError::Late(_)) => Some(Duration::ZERO),
        Err(LlmError::Busy { after, .. }) => Some(*after),
        Ok(_) | Err(LlmError::Refused(_) | LlmError::Unfit(_) | LlmError::Empty(_) | LlmError::Resting) => None,
    }
}

/// A direction, in whole numbers from -127 to 127: a quarter of the bytes, and it ranks as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Vec<i8>);

impl Vector {
    /// Of any length that is not zero; what has no direction gives zeros.
    pub fn of(values: &[f32]) -> Self {
        let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 && largest.is_finite() { 127.0 / largest } else { 0.0 };
        // Within -127 to 127, since none is larger than the largest.
        #[allow(clippy::cast_possible_truncation)]
        Self(values.iter().map(|value| (value * scale).round() as i8).collect())
    }

    /// As it is stored: a byte a number.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|value| value.cast_unsigned()).collect()
    }

    /// The cosine of the angle to the stored vector; 0 where one has no direction or they are of different embedders' lengths.
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
