//! Vectors for memories, where nobody waits for them: those that are new, and those that another embedder made.

use super::Held;
use crate::agent::engine::Usage;
use crate::domain::id::{MemoryId, UserId};
use crate::memory::embed::{Embedded, Embedder, Vector, is_unfit};
use crate::state::AppState;
use crate::store::memories;
use crate::usecases::Commit;
use crate::workflow::{Error, step};

/// Memories that are given vectors in one call.
const EMBEDDED: i64 = 64;
/// A word of nobody's, which every embedder takes that takes anything.
const WORD: &str = "hello";

/// Whose it is, which, and what it says.
type Stale = (UserId, MemoryId, String);

/// The texts' vectors, `None` for each where the embedder gave none, and what that took.
pub(super) async fn vectors(embedder: &dyn Embedder, texts: &[&str]) -> (Vec<Option<Vector>>, Option<Usage>) {
    if texts.is_empty() {
        return (vec![], None);
    }
    match asked(embedder, texts).await {
        Ok((vectors, usage)) => (vectors.into_iter().map(Some).collect(), usage),
        Err(_) => (texts.iter().map(|_| None).collect(), None),
    }
}

async fn asked(embedder: &dyn Embedder, texts: &[&str]) -> Embedded {
    let answer = step::embed(embedder, texts).await;
    answer.inspect_err(|error| tracing::warn!(%error, "memories were not embedded; it is tried again in a minute"))
}

/// What the embedder of people who let a model be asked, or of the others, has not seen.
pub(super) async fn others(state: &AppState, uses_model: bool, limit: i64) -> Result<Vec<Stale>, Error> {
    let embedder = state.embedder_of(uses_model).name();
    Ok(memories::of_other_embedders(&mut state.ctx.peek().await?, embedder, uses_model, limit).await?)
}

/// Gives vectors to what has none of its embedder, until all have one or it fails; then the others still get theirs. Stops where
/// the job is another process's by now.
pub(super) async fn embed_anew(state: &AppState, held: &mut Held) -> Result<(), Error> {
    for uses_model in [true, false] {
        let embedder = state.embedder_of(uses_model);
        loop {
            let stale = others(state, uses_model, EMBEDDED).await?;
            if stale.is_empty() {
                break;
            }
            if !held.renew(state).await? {
                return Ok(());
            }
            let texts: Vec<&str> = stale.iter().map(|(_, _, text)| text.as_str()).collect();
            let answer = asked(embedder, &texts).await;
            // One of them is at fault, or anything that this embedder is asked.
            let found = if is_unfit(&answer) && asked(embedder, &[WORD]).await.is_ok() {
                let Some(found) = singly(state, embedder, &texts, held).await? else { return Ok(()) };
                found
            } else {
                let Ok((vectors, _)) = answer else { break };
                vectors.into_iter().map(Some).collect()
            };
            if !keep(state, embedder, &stale, &found).await? {
                break;
            }
        }
    }
    Ok(())
}

/// The texts one by one: `None` for those that were not embedded for another reason than what they say. One that the embedder does
/// not take gets a vector without a direction, which is near nothing: it is found by its words, and not sent again and again. No
/// vectors at all where the job is another process's by now.
async fn singly(
    state: &AppState,
    embedder: &dyn Embedder,
    texts: &[&str],
    held: &mut Held,
) -> Result<Option<Vec<Option<Vector>>>, Error> {
    let mut found = vec![];
    for text in texts {
        if !held.renew(state).await? {
            return Ok(None);
        }
        let answer = asked(embedder, &[*text]).await;
        let unfit = is_unfit(&answer).then(|| Vector::of(&[0.0]));
        let vector = answer.ok().and_then(|(vectors, _)| vectors.into_iter().next()).or(unfit);
        if vector.is_none() {
            break;
        }
        found.push(vector);
    }
    found.resize_with(texts.len(), || None);
    Ok(Some(found))
}

/// Keeps what was found; `false` where something was not.
async fn keep(
    state: &AppState,
    embedder: &dyn Embedder,
    stale: &[Stale],
    found: &[Option<Vector>],
) -> Result<bool, Error> {
    let mut tx = state.ctx.write().await?;
    for ((user, id, _), vector) in stale.iter().zip(found) {
        if let Some(vector) = vector {
            memories::embed(&mut tx, *user, *id, embedder.name(), &vector.to_bytes()).await?;
        }
    }
    state.ctx.commit_at(tx, Commit::Embed).await?;
    Ok(found.iter().all(Option::is_some))
}
