//! Background embedding of new memories and of those by another embedder. A provider's usage counts towards the memory owner's daily quota;
//! nothing is sent once that is used up.

use super::{Held, has_spent};
use crate::agent::engine::Usage;
use crate::domain::id::{MemoryId, UserId};
use crate::domain::user::{Door, User};
use crate::memory::embed::{Embedded, Embedder, Vector, is_unfit};
use crate::state::AppState;
use crate::store::{memories, spending};
use crate::usecases::{Commit, accounts};
use crate::workflow::{Error, commit_turn, step};

/// Memories per embedding call.
const EMBEDDED: i64 = 64;
/// A harmless word that every working embedder accepts.
const WORD: &str = "hello";

/// Returns the texts' vectors and the usage; each vector is `None` if the embedder failed or may not be used for this user.
pub(super) async fn vectors(
    state: &AppState,
    embedder: &dyn Embedder,
    user: &User,
    texts: &[&str],
) -> (Vec<Option<Vector>>, Option<Usage>) {
    let none = || texts.iter().map(|_| None).collect();
    if texts.is_empty() || !may_see(state, embedder, user).await {
        return (none(), None);
    }
    match asked(embedder, texts).await {
        Ok((vectors, usage)) => (vectors.into_iter().map(Some).collect(), usage),
        Err(_) => (none(), None),
    }
}

async fn asked(embedder: &dyn Embedder, texts: &[&str]) -> Embedded {
    let answer = step::embed(embedder, texts).await;
    answer.inspect_err(|error| tracing::warn!(%error, "embedding memories failed; retrying in a minute"))
}

/// True if the user's texts may be sent to the embedder; false if the remaining quota is unknown.
pub(super) async fn may_see(state: &AppState, embedder: &dyn Embedder, user: &User) -> bool {
    let spent = match embedder.is_remote() {
        true => has_spent(state, user).await,
        false => Ok(false),
    };
    !spent.unwrap_or_else(|error| {
        tracing::warn!(%error, "the remaining quota is unknown, so nothing is sent");
        true
    })
}

/// Returns the next user whose memories need this embedder and may be sent to it. `uses_model` selects users with or without a model. Moves
/// `after` past users whose quota is used up.
pub(super) async fn next(
    state: &AppState,
    uses_model: bool,
    after: &mut Option<UserId>,
) -> Result<Option<User>, Error> {
    let embedder = state.embedder_of(uses_model);
    loop {
        let mut tx = state.ctx.peek().await?;
        let found = memories::of_other_embedders(&mut tx, embedder.name(), uses_model, *after, 1).await?;
        drop(tx);
        let Some(id) = found.into_iter().next() else { return Ok(None) };
        if let Some(caller) = accounts::caller_of_user(&state.ctx, id, Door::Web).await?
            && may_see(state, embedder, &caller.user).await
        {
            return Ok(Some(caller.user));
        }
        *after = Some(id);
    }
}

/// Embeds memories that lack a vector of their embedder, until all have one or it fails. A failure does not affect users of the other
/// embedder. Stops if another process has the job.
pub(super) async fn embed_anew(state: &AppState, held: &mut Held) -> Result<(), Error> {
    for uses_model in [true, false] {
        let mut after = None;
        // Read again for each batch, because the user's choice may have changed.
        while let Some(user) = next(state, uses_model, &mut after).await? {
            match embed_some(state, state.embedder_of(uses_model), &user, held).await? {
                Came::Further => {}
                Came::ToNothing => break,
                Came::TooLate => return Ok(()),
            }
        }
    }
    Ok(())
}

/// Result of a batch.
enum Came {
    /// All memories have vectors.
    Further,
    ToNothing,
    /// Another process has the job.
    TooLate,
}

/// Embeds a batch of a user's memories.
async fn embed_some(state: &AppState, embedder: &dyn Embedder, user: &User, held: &mut Held) -> Result<Came, Error> {
    let mut tx = state.ctx.peek().await?;
    let stale = memories::of_another_embedder(&mut tx, user.user_id, embedder.name(), EMBEDDED).await?;
    drop(tx);
    if stale.is_empty() {
        return Ok(Came::Further);
    }
    if !held.renew(state).await? {
        return Ok(Came::TooLate);
    }
    let texts: Vec<&str> = stale.iter().map(|(_, text)| text.as_str()).collect();
    let answer = asked(embedder, &texts).await;
    // Distinguishes an unsuitable text from an embedder that rejects everything.
    let (found, usage, late) = if is_unfit(&answer) && asked(embedder, &[WORD]).await.is_ok() {
        singly(state, embedder, &texts, held).await?
    } else {
        let Ok((vectors, usage)) = answer else { return Ok(Came::ToNothing) };
        (vectors.into_iter().map(Some).collect(), usage, false)
    };
    keep(state, embedder, user, (&stale, &found), usage).await?;
    Ok(match (late, found.iter().all(Option::is_some)) {
        (true, _) => Came::TooLate,
        (false, true) => Came::Further,
        (false, false) => Came::ToNothing,
    })
}

/// Embeds the texts one by one; `None` for failures unrelated to the text. A rejected text gets a zero vector, which matches nothing: it is
/// found by its words and not sent again. Also returns the usage, and true if another process has the job.
async fn singly(
    state: &AppState,
    embedder: &dyn Embedder,
    texts: &[&str],
    held: &mut Held,
) -> Result<(Vec<Option<Vector>>, Option<Usage>, bool), Error> {
    let (mut found, mut took, mut late) = (vec![], None, false);
    for text in texts {
        late = !held.renew(state).await?;
        if late {
            break;
        }
        let answer = asked(embedder, &[*text]).await;
        let unfit = is_unfit(&answer).then(|| Vector::of(&[0.0]));
        let (vectors, usage) = answer.unwrap_or_default();
        took = took.into_iter().chain(usage).reduce(Usage::plus);
        let vector = vectors.into_iter().next().or(unfit);
        if vector.is_none() {
            break;
        }
        found.push(vector);
    }
    found.resize_with(texts.len(), || None);
    Ok((found, took, late))
}

async fn keep(
    state: &AppState,
    embedder: &dyn Embedder,
    user: &User,
    (stale, found): (&[(MemoryId, String)], &[Option<Vector>]),
    usage: Option<Usage>,
) -> Result<(), Error> {
    let mut tx = state.ctx.write().await?;
    for ((id, _), vector) in stale.iter().zip(found) {
        if let Some(vector) = vector {
            memories::embed(&mut tx, user.user_id, *id, embedder.name(), &vector.to_bytes()).await?;
        }
    }
    if let Some(usage) = usage {
        let tokens = (usage.tokens_in, usage.tokens_out);
        spending::note(&mut tx, user.user_id, tokens, commit_turn::cost(state, Some(usage)), &state.ctx.now()).await?;
    }
    Ok(state.ctx.commit_at(tx, Commit::Embed).await?)
}
