//! The embedder that needs no download and no network: words and their parts, hashed into one vector (Weinberger et al. 2009,
//! "Feature hashing for large scale multitask learning"). It finds what is spelt alike, not what means the same.

use async_trait::async_trait;

use super::{Embedded, Embedder, Vector};
use crate::memory::words::{Word, hash, words};

/// Numbers of a vector. Measured with end2end/memory: half as many find less, twice as many find no more.
const DIMENSIONS: usize = 512;
/// How much a word as a whole weighs, against all its parts together.
const WHOLE: f32 = 1.0;
const PARTS: f32 = 1.4;
/// A word that every sentence has.
const EMPTY: f32 = 0.05;

/// Hashed words and parts of words.
#[derive(Debug, Clone, Copy, Default)]
pub struct Local;

#[async_trait]
impl Embedder for Local {
    /// With the number of its method: a change of anything here or in `words` needs another.
    fn name(&self) -> &str {
        "local-1"
    }

    async fn embed(&self, texts: &[&str]) -> Embedded {
        Ok((texts.iter().map(|text| vector(text)).collect(), None))
    }
}

/// The text's vector.
pub fn vector(text: &str) -> Vector {
    let mut sum = vec![0.0; DIMENSIONS];
    for word in words(text) {
        let weight = weight(&word);
        add(&mut sum, &word.stem, 1, weight * WHOLE);
        let parts = parts(&word.stem);
        // Few words have few parts: each word counts the same.
        #[allow(clippy::cast_precision_loss)]
        let each = weight * PARTS / (parts.len().max(1) as f32).sqrt();
        for part in parts {
            add(&mut sum, &part, 2, each);
        }
    }
    Vector::of(&sum)
}

/// Long words are rare ones, which say more: what a count of all texts would tell, as far as one text can.
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

/// Two and three letters in a row, with the word's edges: a slip of the pen leaves most of them.
fn parts(stem: &str) -> Vec<String> {
    let letters: Vec<char> = format!("<{stem}>").chars().collect();
    let of = |length: usize| letters.windows(length).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>();
    [of(2), of(3)].concat()
}

/// Adds a feature at the place and with the sign that its hash says.
fn add(sum: &mut [f32], feature: &str, kind: u32, weight: f32) {
    let hash = hash(feature.as_bytes(), kind);
    // The upper bits of this hash are the better mixed ones.
    let place = (hash >> 8) as usize % sum.len();
    sum[place] += if hash & 0x80 == 0 { weight } else { -weight };
}
