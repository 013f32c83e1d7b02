//! What is remembered: summing up what is too old for the window, giving memories vectors, and what of them comes to a turn's
//! mind. The work is found in the database and looked for every minute by one of all processes; one that dies in
//! the middle of it leaves it to the next.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::bill::Bill;
use super::step::Patience;
use super::watch::Watch;
use super::{Error, finish, history};
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

/// Vectors for what has none of its embedder.
mod embedding;

/// Who does it, and how often.
pub(super) const JOB: Job = Job { name: "remember", every_s: 60 };
/// How long one waits until one looks again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// How far back conversations are looked at, in seconds: nobody has spoken in the others since.
const BACK_S: i64 = 30 * 86_400;
/// Conversations that are summed up in one go.
const CONVERSATIONS: i64 = 50;
/// Characters of a text that one looks for, and memories that are shown for it.
const LONGEST: usize = 500;
const FOUND: usize = 20;

/// Remembers, minute after minute, until `shutdown`.
pub(super) async fn keep_remembering(state: AppState, shutdown: CancellationToken) {
    let minutes = async {
        loop {
            if let Err(error) = remember(&state).await {
                tracing::error!(%error, "looking for what is to be remembered failed");
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(minutes).await;
}

/// Sums up and gives vectors where that is due and nobody else does it. A minute in which nothing is to be done writes nothing.
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
            // What fails for one conversation does not keep the others waiting.
            Err(error) => {
                tracing::error!(%user, %error, "summing up a conversation failed; it is tried again in a minute");
            }
        }
    }
    embed_anew(state, &mut held).await
}

/// The job, by the moment at which this process took it up last.
struct Held(Timestamp);

impl Held {
    /// Keeps the job for as long again, since a model may take most of a minute over one part and an embedder over one call;
    /// `false` where it is another process's by now.
    async fn renew(&mut self, state: &AppState) -> Result<bool, Error> {
        let (mut tx, now) = (state.ctx.write().await?, state.ctx.now());
        let renewed = jobs::renew(&mut tx, JOB, &self.0, &now).await?;
        state.ctx.commit_at(tx, Commit::Job).await?;
        self.0 = now;
        Ok(renewed)
    }
}

/// What comes to mind at the last of the entries' messages: the memories, and what finding them took. For turns that a model decides:
/// the rules understand commands and could make nothing of notes, so that theirs neither look for them nor wait.
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

/// The caller's memories that fit a text, the best first. What is looked for goes to a provider only while memory is on, here and for
/// the caller, and some of the caller's share of the day is left, to which it counts; else the words decide, by code.
pub async fn search(state: &AppState, caller: &Caller, text: &str) -> Result<Vec<Memory>, usecases::Error> {
    require(caller, Scope::Chat)?;
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LONGEST {
        return Err(Invalid::because(format!("Say what to look for, in 1 to {LONGEST} characters.")).into());
    }
    let ctx = &state.ctx;
    let embedder = searching(state, &caller.user).await?;
    let (found, usage) = recall::search(&ctx.store, embedder, caller.id(), text, FOUND).await?;
    if let Some(usage) = usage {
        let tokens = (usage.tokens_in, usage.tokens_out);
        spending::note(ctx, caller.id(), tokens, finish::cost(state, Some(usage))).await?;
    }
    Ok(found)
}

/// Who makes the vector of what this user looks for.
async fn searching<'a>(state: &'a AppState, user: &User) -> Result<&'a dyn Embedder, usecases::Error> {
    let embedder = state.embedder_of(user.uses_model);
    if !embedder.is_remote() {
        return Ok(embedder);
    }
    let on = state.config.memory && memories::is_on(&mut state.ctx.peek().await?, user.user_id).await?;
    Ok(if on && may_see(state, embedder, user).await { embedder } else { &Local })
}

/// Messages of a conversation that an engine sees as they are.
fn window(state: &AppState) -> usize {
    usize::try_from(state.config.turn.history_messages).unwrap_or(usize::MAX)
}

/// Sums up what lies outside the window, so many messages at a time, until too few are left; `false` where the job is
/// another process's by now.
async fn sum_up(state: &AppState, user: UserId, conversation: ConversationId, held: &mut Held) -> Result<bool, Error> {
    loop {
        // The allowlist and the user's wish again, since the last part took its time.
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

/// Sums up these messages; `false` where another worker, or the user's wish to have nothing remembered, was quicker.
async fn part(
    state: &AppState,
    user: &User,
    conversation: ConversationId,
    lines: &[Line],
    held: &mut Held,
) -> Result<bool, Error> {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Ok(false) };
    let (points, model, usage) = points(state, user, lines).await?;
    // The model may have taken most of the time. Where that was too long, what was paid for is kept all the same.
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
        cost_micros: finish::cost(state, usage),
    };
    let (mut tx, now) = (state.ctx.write().await?, state.ctx.now());
    // Who erases these messages meanwhile waits, or was quicker: then they are read again.
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
            // It is given one with those of another embedder.
            None => Default::default(),
        };
        memories::insert(&mut tx, user.user_id, &memory, &Traits { terms, embedder, vector }).await?;
    }
    state.ctx.commit_at(tx, Commit::Remember).await?;
    Ok(true)
}

/// What the messages say that is worth remembering, by which model, and what was paid for it. Where no model may be asked, or it
/// fails, sentences are taken as they stand.
async fn points(
    state: &AppState,
    user: &User,
    lines: &[Line],
) -> Result<(Vec<Point>, Option<String>, Option<Usage>), Error> {
    // Of what was erased there is nothing to say.
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

/// The answer, after as many tries as a turn's call has, and what was paid for nothing.
async fn ask(state: &AppState, engine: EngineRef<'_>, question: &Question) -> (Answer, Option<Usage>) {
    let (told, mut pieces) = mpsc::unbounded_channel();
    let answer = Patience::of(&state.config.turn, Watch::of(state, None)).insist(engine, question, &told).await;
    let mut bill = Bill::default();
    while let Ok(piece) = pieces.try_recv() {
        bill.hear(&piece);
    }
    // The reply that came tells itself what it took.
    bill.settle(None);
    (answer, bill.lost())
}

/// Whether the user's share of the day is used up.
async fn has_spent(state: &AppState, user: &User) -> Result<bool, Error> {
    let share = i64::try_from(state.config.turn.daily_tokens).unwrap_or(i64::MAX);
    if share == 0 {
        return Ok(false);
    }
    let mut tx = state.ctx.read().await?;
    let under_way = history::under_way(&mut tx, user.user_id).await?;
    Ok(spending::used_up(&mut tx, user, share, under_way, &state.ctx.now()).await?)
}
