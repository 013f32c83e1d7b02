//! Vectors for memories, where nobody waits for them: those that are new, and those that another embedder made. What a provider is
//! asked counts to the share of the day of whose memories they are, and nothing is sent of who has used that up.

use super::{Held, has_spent};
use crate::agent::engine::Usage;
use crate::domain::id::{MemoryId, UserId};
use crate::domain::user::{Door, User};
use crate::memory::embed::{Embedded, Embedder, Vector, is_unfit};
use crate::state::AppState;
use crate::store::{memories, spending};
use crate::usecases::{Commit, accounts};
use crate::workflow::{Error, finish, step};

/// Memories that are given vectors in one call.
const EMBEDDED: i64 = 64;
/// A word of nobody's, which every embedder takes that takes anything.
const WORD: &str = "hello";

/// The texts' vectors, `None` for each where the embedder gave none or may not be asked for this user, and what that took.
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
    answer.inspect_err(|error| tracing::warn!(%error, "memories were not embedded; it is tried again in a minute"))
}

/// Whether anything may be sent of this user's. What is not known is not sent.
pub(super) async fn may_see(state: &AppState, embedder: &dyn Embedder, user: &User) -> bool {
    let spent = match embedder.is_remote() {
        true => has_spent(state, user).await,
        false => Ok(false),
    };
    !spent.unwrap_or_else(|error| {
        tracing::warn!(%error, "what is left of a share is not known, so nothing is sent");
        true
    })
}

/// The next user, of those who let a model be asked or of the others, with memories that the embedder of these has not seen and may.
/// Those `after` whom to look are moved past whoever has such memories and may not be asked for now.
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

/// Gives vectors to what has none of its embedder, until all have one or it fails; then the others still get theirs. Stops where
/// the job is another process's by now.
pub(super) async fn embed_anew(state: &AppState, held: &mut Held) -> Result<(), Error> {
    for uses_model in [true, false] {
        let mut after = None;
        // Each time anew, since whoever's it is may have chosen otherwise while the last ones were made.
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

/// What came of it.
enum Came {
    /// All that were asked for have vectors.
    Further,
    /// The embedder failed.
    ToNothing,
    /// The job is another process's.
    TooLate,
}

/// Gives vectors to some memories of a user.
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
    // One of them is at fault, or anything that this embedder is asked.
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

/// The texts one by one: `None` for those that were not embedded for another reason than what they say. One that the embedder does
/// not take gets a vector without a direction, which is near nothing: it is found by its words, and not sent again and again. Then
/// what that took, and whether the job is another process's by now.
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

/// Keeps what was found, and what it took.
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
        spending::note(&mut tx, user.user_id, tokens, finish::cost(state, Some(usage)), &state.ctx.now()).await?;
    }
    Ok(state.ctx.commit_at(tx, Commit::Embed).await?)
}
