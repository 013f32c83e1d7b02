//! An offline embedder: words and their n-grams, hashed into one vector (Weinberger et al. 2009, "Feature hashing for
//! large scale multitask learning"). It matches similar spelling, not similar meaning.

use async_trait::async_trait;

use super::{Embedded, Embedder, Vector};
use crate::memory::words::{Word, hash, words};

/// Dimensions of a vector. Fewer lose recall; more do not improve it (end2end/memory).
const DIMENSIONS: usize = 512;
/// Weight of a whole word, against all its n-grams together.
const WHOLE: f32 = 1.0;
const PARTS: f32 = 1.4;
/// Weight of a stop word.
const EMPTY: f32 = 0.05;

/// The embedder of hashed words and n-grams.
#[derive(Debug, Clone, Copy, Default)]
pub struct Local;

#[async_trait]
impl Embedder for Local {
    /// Includes a version number. Increment it for any change here or in `words`.
    fn name(&self) -> &str {
        "local-1"
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        Ok((texts.iter().map(|text| vector(text)).collect(), None))
    }
}

pub fn vector(text: &str) -> Vector {
    let mut sum = vec![0.0; DIMENSIONS];
    for word in words(text) {
        let weight = weight(&word);
        add(&mut sum, &word.stem, 1, weight * WHOLE);
        let parts = parts(&word.stem);
        // Scaled so that every word has equal weight, whatever its number of n-grams.
        #[allow(clippy::cast_precision_loss)]
        let each = weight * PARTS / (parts.len().max(1) as f32).sqrt();
        for part in parts {
            add(&mut sum, &part, 2, each);
        }
    }
    Vector::of(&sum)
}

/// Returns a weight by length, which approximates inverse document frequency: long words are rare.
fn weight(word: &Word) -> f32 {
    if word.empty {
        return EMPTY;
    }
    match word.stem.chars().count() {
        0..=2 => 0.5,
        3 => 0.8,
        4 => 0.9,
        5..=7 => 1.0,
        _ => 1.1,
    }
}

/// Returns the bigrams and trigrams with word boundaries; most of them survive a typo.
fn parts(stem: &str) -> Vec<String> {
    let letters: Vec<char> = format!("<{stem}>").chars().collect();
    let of = |length: usize| letters.windows(length).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>();
    [of(2), of(3)].concat()
}

/// Adds a feature at the position and with the sign given by its hash.
fn add(sum: &mut [f32], feature: &str, kind: u32, weight: f32) {
    let hash = hash(feature.as_bytes(), kind);
    // The upper bits of this hash are better mixed.
    let place = (hash >> 8) as usize % sum.len();
    sum[place] += if hash & 0x80 == 0 { weight } else { -weight };
}
