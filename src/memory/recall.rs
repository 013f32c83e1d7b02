//! What comes to mind: a user's memories, ranked by how well they fit a text.
//!
//! Two rankings are joined, since each finds what the other misses: by the angle of the vectors, and by the words that both have
//! (BM25: Robertson and Zaragoza 2009, "The probabilistic relevance framework"). Both look at every memory of the one user, so
//! that neither database needs an index that would outlive what was forgotten, both rank alike, and how rare a word is depends
//! on nobody else's memories. They are joined by their places (reciprocal rank fusion: Cormack, Clarke and Büttcher 2009), since
//! an angle and a sum of weights cannot be compared.

use std::collections::HashMap;
use std::time::Duration;

use super::embed::{self, Embedder, Vector};
use super::words;
use crate::domain::id::{MemoryId, UserId};
use crate::domain::memory::Memory;
use crate::llm::Usage;
use crate::store::memories::Searched;
use crate::store::{self, Store};

/// The constant of the fusion, as its authors found it: how little the first places stand out.
const K: f32 = 60.0;
/// Places of each ranking that count.
const DEEP: usize = 50;
/// How soon more of the same word stops to count, and how much a long text is held against it: BM25's usual values.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;
/// Cosines below this say nothing: in end2end/memory, the furthest misspelt question lies at 0.253, and greetings lie nearer to
/// nothing than that.
const NEAR: f32 = 0.25;
/// Most memories that come to mind at once.
pub const AT_ONCE: usize = 5;
/// What they may take of a prompt, in tokens as [`Usage::estimated`] counts them.
const TOKENS: i64 = 400;
/// How long a turn waits for the vector of its message: words alone find most of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// A memory as it is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<T> {
    pub id: T,
    /// The hashes of its words and how often it has each, sorted.
    pub terms: Vec<(u32, u32)>,
    /// Of the embedder in force; `None` where another made it or none has yet.
    pub vector: Option<Vec<u8>>,
}

/// The candidates that fit, the best first, at most `limit`. `vector` is the text's own; without one only words count.
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

/// The places that count: the best scores first.
fn best(scores: Vec<(usize, f32)>) -> Vec<usize> {
    let mut order = ordered(scores);
    order.truncate(DEEP);
    order
}

/// The indexes by falling score; equal ones in the order of the candidates, so that the same rows rank alike each time.
fn ordered(mut scores: Vec<(usize, f32)>) -> Vec<usize> {
    scores.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
    scores.into_iter().map(|(index, _)| index).collect()
}

/// The angles of those that have one.
fn angles<T>(vector: &Vector, candidates: &[Candidate<T>]) -> Vec<(usize, f32)> {
    let all = candidates.iter().enumerate();
    all.filter_map(|(index, it)| Some((index, vector.cosine(it.vector.as_deref()?))))
        .filter(|it| it.1 >= NEAR)
        .collect()
}

/// BM25 of those that have a word of the query.
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

/// The user's memories that fit a text, the best first, at most `limit`, and what the embedding took. Without a vector, since the
/// embedder did not answer in time, they are found by their words.
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

/// The first of them that fit in a prompt beside all else; the first one always does.
pub fn within_budget(mut memories: Vec<Memory>) -> Vec<Memory> {
    let mut bytes = 0;
    memories.retain(|memory| {
        bytes += memory.text.len();
        Usage::estimated(bytes, 0).tokens_in <= TOKENS
    });
    memories
}

/// The text's vector, if there is one in time.
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
        Self { id: row.id, terms: read(&row.terms), vector: (!row.vector.is_empty()).then_some(row.vector) }
    }
}

/// Terms as they are stored: four bytes for the hash and four for the count, the lower first.
pub fn written(terms: &[(u32, u32)]) -> Vec<u8> {
    terms.iter().flat_map(|(hash, count)| [hash.to_le_bytes(), count.to_le_bytes()].concat()).collect()
}

fn read(terms: &[u8]) -> Vec<(u32, u32)> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    terms.chunks_exact(8).map(|pair| (number(&pair[..4]), number(&pair[4..]))).collect()
}
