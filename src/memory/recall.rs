//! Recall: ranks a user's memories by their relevance to a text.
//!
//! Combines two rankings: cosine similarity of vectors, and BM25 of words (Robertson and Zaragoza 2009, "The
//! probabilistic relevance framework"). Both scan all memories of the one user. Neither database therefore needs an
//! index that would outlive forgotten memories. Word rarity depends on no other user's memories. The ranks are merged
//! by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), since the scores are not comparable.

use std::collections::HashMap;
use std::time::Duration;

use super::embed::{self, Embedder, Vector};
use super::words;
use crate::domain::id::{MemoryId, UserId};
use crate::domain::memory::Memory;
use crate::llm::Usage;
use crate::store::memories::Searched;
use crate::store::{self, Store};

/// Constant of reciprocal rank fusion, from its paper; a larger one weakens the first ranks.
const K: f32 = 60.0;
/// Number of ranks that count per ranking.
const DEEP: usize = 50;
/// BM25's usual parameters: saturation of term frequency, and length normalisation.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;
/// Cosines below this are noise: in end2end/memory, the least similar misspelt question has 0.253 and greetings have
/// less.
const NEAR: f32 = 0.25;
/// Maximum memories recalled for a message.
pub const AT_ONCE: usize = 5;
/// Maximum size of recalled memories in a prompt, in tokens of [`Usage::estimated`].
const TOKENS: i64 = 400;
/// Timeout for the vector of a message; word search alone finds most memories.
const PATIENCE: Duration = Duration::from_secs(2);

/// A memory as it is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<T> {
    pub id: T,
    /// Word hashes with their counts, sorted.
    pub terms: Vec<(u32, u32)>,
    /// The current embedder's vector; `None` if there is none yet.
    pub vector: Option<Vec<u8>>,
}

/// Returns the relevant candidates, best first, at most `limit`. Without `vector` only words count.
pub fn rank<T: Copy + Ord>(text: &str, vector: Option<&Vector>, candidates: &[Candidate<T>], limit: usize) -> Vec<T> {
    let mut scores = vec![0.0_f32; candidates.len()];
    let by_words = best(bm25(&words::terms(text), candidates));
    let by_angle = vector.map(|vector| best(angles(vector, candidates))).unwrap_or_default();
    for ranking in [by_words, by_angle] {
        for (place, index) in (1_u16..).zip(ranking) {
            scores[index] += 1.0 / (K + f32::from(place));
        }
    }
    let fused = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
    let ids = ordered(fused).into_iter().map(|index| candidates[index].id);
    ids.take(limit).collect()
}

/// Returns the highest-scoring indexes that count.
fn best(scores: Vec<(usize, f32)>) -> Vec<usize> {
    let mut order = ordered(scores);
    order.truncate(DEEP);
    order
}

/// Returns the indexes by descending score. Ties keep the candidates' order, so that rankings are reproducible.
fn ordered(mut scores: Vec<(usize, f32)>) -> Vec<usize> {
    scores.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
    scores.into_iter().map(|(index, _)| index).collect()
}

/// Returns the cosines of candidates with a vector, without noise.
fn angles<T>(vector: &Vector, candidates: &[Candidate<T>]) -> Vec<(usize, f32)> {
    let all = candidates.iter().enumerate();
    all.filter_map(|(index, it)| Some((index, vector.cosine(it.vector.as_deref()?))))
        .filter(|it| it.1 >= NEAR)
        .collect()
}

/// Returns the BM25 scores of candidates that contain a word of the query.
#[allow(clippy::cast_precision_loss)] // Counts of words and memories are small.
fn bm25<T>(query: &[(u32, u32)], candidates: &[Candidate<T>]) -> Vec<(usize, f32)> {
    let length = |it: &Candidate<T>| it.terms.iter().map(|term| term.1).sum::<u32>() as f32;
    let mean = (candidates.iter().map(length).sum::<f32>() / candidates.len().max(1) as f32).max(1.0);
    let count = |it: &Candidate<T>, term: u32| {
        it.terms.binary_search_by_key(&term, |found| found.0).ok().map(|place| it.terms[place].1 as f32)
    };
    let mut scores: HashMap<usize, f32> = HashMap::new();
    for (term, _) in query {
        let holding: Vec<(usize, f32)> =
            candidates.iter().enumerate().filter_map(|(index, it)| Some((index, count(it, *term)?))).collect();
        let (all, with) = (candidates.len() as f32, holding.len() as f32);
        let rare = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for (index, times) in holding {
            let long = SATURATION * (1.0 - LENGTH + LENGTH * length(&candidates[index]) / mean);
            *scores.entry(index).or_default() += rare * times * (SATURATION + 1.0) / (times + long);
        }
    }
    scores.into_iter().collect()
}

/// Returns the user's relevant memories, best first, at most `limit`, with the token usage. Searches by words only if
/// the embedder does not answer in time.
pub async fn search(
    store: &Store,
    embedder: &dyn Embedder,
    user: UserId,
    text: &str,
    limit: usize,
) -> Result<(Vec<Memory>, Option<Usage>), store::Error> {
    if store::memories::count(&mut store.peek().await?, user).await? == 0 {
        return Ok((vec![], None));
    }
    let (vector, usage) = embedded(embedder, text).await;
    let mut tx = store.read().await?;
    let rows = store::memories::searched(&mut tx, user, embedder.name()).await?;
    let candidates: Vec<Candidate<MemoryId>> = rows.into_iter().map(Candidate::from).collect();
    let mut found = vec![];
    for id in rank(text, vector.as_ref(), &candidates, limit) {
        found.extend(store::memories::get(&mut tx, user, id).await?);
    }
    Ok((found, usage))
}

/// Returns the first memories within the prompt budget; always includes the first one.
pub fn within_budget(mut memories: Vec<Memory>) -> Vec<Memory> {
    let mut bytes = 0;
    memories.retain(|memory| {
        bytes += memory.text.len();
        Usage::estimated(bytes, 0).tokens_in <= TOKENS
    });
    memories
}

/// Returns the text's vector, if it is available in time.
async fn embedded(embedder: &dyn Embedder, text: &str) -> (Option<Vector>, Option<Usage>) {
    match embed::within(PATIENCE, embedder, &[text]).await {
        Ok((vectors, usage)) => (vectors.into_iter().next(), usage),
        Err(error) => {
            tracing::warn!(%error, "a message was not embedded; memories are searched by their words");
            (None, None)
        }
    }
}

impl From<Searched> for Candidate<MemoryId> {
    fn from(row: Searched) -> Self {
        Self { id: row.id, terms: read(&row.terms), vector: row.vector.filter(|vector| !vector.is_empty()) }
    }
}

/// Returns the stored form: hash and count per term, four bytes each, little-endian.
pub fn written(terms: &[(u32, u32)]) -> Vec<u8> {
    terms.iter().flat_map(|(hash, count)| [hash.to_le_bytes(), count.to_le_bytes()].concat()).collect()
}

fn read(terms: &[u8]) -> Vec<(u32, u32)> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    terms.chunks_exact(8).map(|pair| (number(&pair[..4]), number(&pair[4..]))).collect()
}
