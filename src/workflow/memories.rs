//! Memories: summarising messages outside the history window, embedding memories, and recall for a turn. The work is found
//! in the database every minute, by one process; another one continues after a crash.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::step::RetryPolicy;
use super::turn_telemetry::TurnTelemetry;
use super::usage_meter::UsageMeter;
use super::{Error, commit_turn, history};
use crate::agent::context::{EngineRef, Entry};
use crate::agent::engine::{Answer, Question, Usage};
use crate::domain::Invalid;
use crate::domain::decision::Engine;
use crate::domain::id::{ConversationId, MemoryId, UserId};
use crate::domain::memory::Memory;
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, Scope, User};
use crate::memory::embed::Embedder;
use crate::memory::embed::local::Local;
use crate::memory::summarise::{self, Point};
use crate::memory::{recall, words};
use crate::state::AppState;
use crate::store;
use crate::store::jobs::{self, Job};
use crate::store::memories::{self, Line, Summary, Traits};
use crate::usecases::{self, Commit, accounts, require, spending};
use embedding::{embed_anew, may_see, next, vectors};

mod embedding;

pub(super) const JOB: Job = Job { name: "remember", every_s: 60 };
/// Interval at which a process checks whether the job is due.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// Maximum age of a conversation's last message, in seconds.
const BACK_S: i64 = 30 * 86_400;
/// Maximum number of conversations summarised per run.
const CONVERSATIONS: i64 = 50;
/// Maximum length of a search text, in characters, and maximum number of results.
const LONGEST: usize = 500;
const FOUND: usize = 20;

/// Runs the job every minute until `shutdown`.
pub(super) async fn keep_remembering(state: AppState, shutdown: CancellationToken) {
    let minutes = async {
        loop {
            if let Err(error) = remember(&state).await {
                tracing::error!(%error, "searching for conversations to summarise failed");
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(minutes).await;
}

/// Summarises and embeds if the job is due and unclaimed. Writes nothing if there is nothing to do.
pub(super) async fn remember(state: &AppState) -> Result<(), Error> {
    let ctx = &state.ctx;
    if !state.config.memory || !jobs::is_due(&mut ctx.peek().await?, JOB, &ctx.now()).await? {
        return Ok(());
    }
    let enough = i64::try_from(window(state) + summarise::AT_ONCE).unwrap_or(i64::MAX);
    let since = ctx.now().plus_seconds(-BACK_S);
    let long = memories::long(&mut ctx.peek().await?, &since, enough, CONVERSATIONS).await?;
    if long.is_empty()
        && next(state, true, &mut None).await?.is_none()
        && next(state, false, &mut None).await?.is_none()
    {
        return Ok(());
    }
    let (mut tx, mut held) = (ctx.write().await?, Held(ctx.now()));
    if !jobs::claim(&mut tx, JOB, &held.0).await? {
        return Ok(());
    }
    ctx.commit_at(tx, Commit::Job).await?;
    for (user, conversation) in long {
        match sum_up(state, user, conversation, &mut held).await {
            Ok(true) => {}
            // Another process does the rest.
            Ok(false) => return Ok(()),
            // An error of one conversation does not stop the others.
            Err(error) => {
                tracing::error!(%user, %error, "summarising a conversation failed; retrying in a minute");
            }
        }
    }
    embed_anew(state, &mut held).await
}

/// A lease on the job, identified by the time of its last renewal.
struct Held(Timestamp);

impl Held {
    /// Renews the lease, because one model or embedding call may take most of a minute; false if another process has the job.
    async fn renew(&mut self, state: &AppState) -> Result<bool, Error> {
        let (mut tx, now) = (state.ctx.write().await?, state.ctx.now());
        let renewed = jobs::renew(&mut tx, JOB, &self.0, &now).await?;
        state.ctx.commit_at(tx, Commit::Job).await?;
        self.0 = now;
        Ok(renewed)
    }
}

/// Returns the memories that match the last message of the entries, and the usage of the search. Only turns that a model decides recall
/// memories: the rules could not use them.
pub(super) async fn recall(
    state: &AppState,
    user: &User,
    entries: &[Entry],
) -> Result<(Vec<Memory>, Option<Usage>), Error> {
    let said = entries.iter().rev().find_map(|entry| match entry {
        Entry::User { text } => Some(text),
        _ => None,
    });
    let (Some(text), true) = (said, state.config.memory) else { return Ok((vec![], None)) };
    if !memories::is_on(&mut state.ctx.peek().await?, user.user_id).await? {
        return Ok((vec![], None));
    }
    let embedder = state.embedder_of(user.uses_model);
    let (found, usage) = recall::search(&state.ctx.store, embedder, user.user_id, text, recall::AT_ONCE).await?;
    Ok((recall::within_budget(found), usage))
}

/// Returns the caller's memories that match a text, best first. The text is sent to a provider only while memory is on and daily tokens are
/// left, to which the search counts. Otherwise a local embedder is used.
pub async fn search(state: &AppState, caller: &Caller, text: &str) -> Result<Vec<Memory>, usecases::Error> {
    require(caller, Scope::Chat)?;
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LONGEST {
        return Err(Invalid::because(format!("Enter a search text of 1 to {LONGEST} characters.")).into());
    }
    let ctx = &state.ctx;
    let embedder = searching(state, &caller.user).await?;
    let (found, usage) = recall::search(&ctx.store, embedder, caller.id(), text, FOUND).await?;
    if let Some(usage) = usage {
        let tokens = (usage.tokens_in, usage.tokens_out);
        spending::note(ctx, caller.id(), tokens, commit_turn::cost(state, Some(usage))).await?;
    }
    Ok(found)
}

/// Returns the embedder for a user's search.
async fn searching<'a>(state: &'a AppState, user: &User) -> Result<&'a dyn Embedder, usecases::Error> {
    let embedder = state.embedder_of(user.uses_model);
    if !embedder.is_remote() {
        return Ok(embedder);
    }
    let on = state.config.memory && memories::is_on(&mut state.ctx.peek().await?, user.user_id).await?;
    Ok(if on && may_see(state, embedder, user).await { embedder } else { &Local })
}

/// Returns the number of messages in the history window.
fn window(state: &AppState) -> usize {
    usize::try_from(state.config.turn.history_messages).unwrap_or(usize::MAX)
}

/// Summarises messages outside the window in batches until too few are left; false if another process has the job.
async fn sum_up(state: &AppState, user: UserId, conversation: ConversationId, held: &mut Held) -> Result<bool, Error> {
    loop {
        // Checked for each batch: a batch takes long enough for the account or the setting to change.
        let Some(caller) = accounts::caller_of_user(&state.ctx, user, Door::Web).await? else { return Ok(true) };
        if !memories::is_on(&mut state.ctx.peek().await?, user).await? {
            return Ok(true);
        }
        let enough = window(state) + summarise::AT_ONCE;
        let limit = i64::try_from(enough).unwrap_or(i64::MAX);
        let mut lines = memories::unsummarised(&mut state.ctx.peek().await?, user, conversation, limit).await?;
        if lines.len() < enough {
            return Ok(true);
        }
        lines.truncate(summarise::AT_ONCE);
        if !held.renew(state).await? {
            return Ok(false);
        }
        if !part(state, &caller.user, conversation, &lines, held).await? {
            return Ok(true);
        }
    }
}

/// Summarises these messages; false if another worker has done so, or memory was switched off.
async fn part(
    state: &AppState,
    user: &User,
    conversation: ConversationId,
    lines: &[Line],
    held: &mut Held,
) -> Result<bool, Error> {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Ok(false) };
    let (points, model, usage) = points(state, user, lines).await?;
    // The model may have taken most of the lease. The result is stored even if it has expired, because it is paid for.
    held.renew(state).await?;
    let texts: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
    let embedder = state.embedder_of(user.uses_model);
    let (vectors, embedding) = vectors(state, embedder, user, &texts).await;
    let usage = usage.into_iter().chain(embedding).reduce(Usage::plus);
    let summary = Summary {
        conversation,
        first_record: first.record,
        last_record: last.record,
        model: model.as_deref(),
        tokens_in: usage.map(|usage| usage.tokens_in),
        tokens_out: usage.map(|usage| usage.tokens_out),
        cost_micros: commit_turn::cost(state, usage),
    };
    let (mut tx, now) = (state.ctx.write().await?, state.ctx.now());
    // Erasure takes this lock too. If the messages were erased first, they are read again.
    store::tasks::lock(&mut tx, user.user_id).await?;
    let many = i64::try_from(lines.len()).unwrap_or(i64::MAX);
    if memories::unsummarised(&mut tx, user.user_id, conversation, many).await? != lines {
        return Ok(true);
    }
    if !memories::cover(&mut tx, user.user_id, &summary, &now).await? {
        return Ok(false);
    }
    for (point, vector) in points.iter().zip(vectors) {
        if memories::has(&mut tx, user.user_id, &point.text).await? {
            continue;
        }
        let memory = Memory {
            memory_id: MemoryId::new(),
            text: point.text.clone(),
            conversation_id: conversation,
            first_record: point.first_record,
            last_record: point.last_record,
            created_at: now.clone(),
        };
        let terms = recall::written(&words::terms(&point.text));
        let (embedder, vector) = match vector {
            Some(vector) => (embedder.name().to_owned(), vector.to_bytes()),
            // Embedded later, together with memories of other embedders.
            None => Default::default(),
        };
        memories::insert(&mut tx, user.user_id, &memory, &Traits { terms, embedder, vector }).await?;
    }
    state.ctx.commit_at(tx, Commit::Remember).await?;
    Ok(true)
}

/// Returns facts worth remembering, the model that found them, and its usage. Without a model, or if it fails, sentences are extracted
/// unchanged.
async fn points(
    state: &AppState,
    user: &User,
    lines: &[Line],
) -> Result<(Vec<Point>, Option<String>, Option<Usage>), Error> {
    // Erased messages have no text.
    let lines: Vec<Line> = lines.iter().filter(|line| line.text.is_some()).cloned().collect();
    let lines = lines.as_slice();
    if lines.is_empty() {
        return Ok((vec![], None, None));
    }
    let engine = state.engine_of(user);
    if engine.engine() == Engine::Rules || has_spent(state, user).await? {
        return Ok((summarise::extracted(lines), None, None));
    }
    let question = summarise::question(lines, &state.ctx.now(), &user.zone);
    let (answer, lost) = ask(state, engine, &question).await;
    let found = answer.as_ref().ok().and_then(|reply| summarise::answered(reply, lines));
    let usage = answer.ok().and_then(|reply| reply.usage).into_iter().chain(lost).reduce(Usage::plus);
    Ok(match found {
        Some(points) => (points, engine.model().map(str::to_owned), usage),
        None => (summarise::extracted(lines), None, usage),
    })
}

/// Calls the engine with the retries of a turn; returns the answer and the wasted usage.
async fn ask(state: &AppState, engine: EngineRef<'_>, question: &Question) -> (Answer, Option<Usage>) {
    let (told, mut pieces) = mpsc::unbounded_channel();
    let answer =
        RetryPolicy::of(&state.config.turn, TurnTelemetry::of(state, None)).insist(engine, question, &told).await;
    let mut bill = UsageMeter::default();
    while let Ok(piece) = pieces.try_recv() {
        bill.record(&piece);
    }
    // The reply contains its own usage.
    bill.finish(None);
    (answer, bill.lost())
}

/// True if the user's daily tokens are used up.
async fn has_spent(state: &AppState, user: &User) -> Result<bool, Error> {
    let share = i64::try_from(state.config.turn.daily_tokens).unwrap_or(i64::MAX);
    if share == 0 {
        return Ok(false);
    }
    let mut tx = state.ctx.read().await?;
    let under_way = history::under_way(&mut tx, user.user_id).await?;
    Ok(spending::used_up(&mut tx, user, share, under_way, &state.ctx.now()).await?)
}
