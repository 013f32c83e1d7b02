//! Accepting triggers: stores a message or a verdict and its turn in one transaction.

use std::net::IpAddr;

use crate::agent::engine;
use crate::agent::machine::{self, Origin};
use crate::domain::Invalid;
use crate::domain::approval::{ApprovalStatus, DecidedVia, Verdict};
use crate::domain::channel::{Card, ChatId};
use crate::domain::conversation::{ConversationTitle, Speaker};
use crate::domain::credential::Credential;
use crate::domain::id::{ApprovalId, ConversationId, TurnId};
use crate::domain::text::{ClientKey, MessageText};
use crate::domain::trace::Traceparent;
use crate::domain::turn::{Cause, SenderView, Turn, TurnStatus};
use crate::domain::user::{Caller, Scope};
use crate::state::AppState;
use crate::store::messages::NewMessage;
use crate::store::outbox::NewCard;
use crate::store::turns::{NewTurn, TurnRow};
use crate::store::{self, Tx};
use crate::usecases::{self, Commit, Error, approvals, conversations, scopes};

pub use super::sender_view::Source;
use super::{commit_turn, history, rate_limit, sender_view, turn_telemetry, worker};

/// Error of requesting an expired approval again whose calls are erased.
const ERASED_SINCE: &str =
    "The details of this approval have been erased, so it cannot be requested again. Send a new message instead.";
/// Title of a conversation whose first message exceeded the rate limit.
const TOO_FAST: &str = "Too fast";

#[derive(Debug, Clone)]
pub struct IncomingMessage {
    pub text: String,
    /// `None` starts a conversation.
    pub conversation: Option<ConversationId>,
    /// Idempotency key: a retry returns the first turn. A message over the rate limit may be retried with its key.
    pub client_key: Option<ClientKey>,
}

/// An accepted message's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    pub turn: TurnId,
    pub conversation: ConversationId,
    /// Seconds to wait if the sender exceeded the rate limit; the turn is a refusal then.
    pub retry_after_s: Option<i64>,
}

/// Stores a message and its turn, and starts the turn unless another one of the conversation runs.
///
/// # Errors
/// `Invalid` for a text that is empty, too long or has control characters; `NotFound` for a conversation that is not the caller's;
/// `RateLimited` far over the limit.
pub async fn accept(state: &AppState, caller: &Caller, incoming: IncomingMessage) -> Result<Accepted, Error> {
    accept_from(state, caller, incoming, Source::default()).await
}

/// Accepts a message over HTTP, which counts towards its address's rate limit too.
///
/// # Errors
/// See [`accept`].
pub async fn accept_from_web(
    state: &AppState,
    caller: &Caller,
    incoming: IncomingMessage,
    way: Source,
) -> Result<Accepted, Error> {
    // Boxed: the future is large.
    Box::pin(accept_from(state, caller, incoming, Source { chat: None, ..way })).await
}

/// Accepts a message from the caller's Telegram chat, named by `way`. Continues the chat's conversation and sends the reply there.
///
/// # Errors
/// See [`accept`]; `Forbidden` if the chat is not linked with the caller any more.
pub async fn accept_in_chat(
    state: &AppState,
    caller: &Caller,
    incoming: IncomingMessage,
    way: Source,
) -> Result<Accepted, Error> {
    accept_from(state, caller, incoming, way).await
}

async fn accept_from(
    state: &AppState,
    caller: &Caller,
    incoming: IncomingMessage,
    way: Source,
) -> Result<Accepted, Error> {
    usecases::require(caller, Scope::Chat)?;
    let text = MessageText::parse(&incoming.text)?;
    let key = incoming.client_key.as_ref();
    let view = sender_view::of(state, caller.id(), text.as_str(), incoming.conversation, &way).await?;
    let mut tx = state.ctx.write().await?;
    // Serialises concurrent retries: the second one finds the first one's turn.
    store::tasks::lock(&mut tx, caller.id()).await?;
    if let Some(key) = key
        && let Some(turn) = store::turns::by_client_key(&mut tx, caller.id(), key).await?
    {
        state.ctx.commit_at(tx, Commit::Accept).await?;
        return Ok(Accepted { turn: turn.id, conversation: turn.conversation, retry_after_s: None });
    }
    let conversation = match way.chat {
        Some(chat) => {
            // Unlinking is locked out from here. The chat may have been linked with another account since the update arrived.
            let link = store::telegram::of_user(&mut tx, caller.id()).await?.filter(|link| link.chat == chat);
            let parted = || Error::Forbidden("This chat is not linked to your account.".into());
            link.ok_or_else(parted)?.conversation
        }
        None => incoming.conversation,
    };
    let said = NewTurnRequest { conversation, text: text.as_str(), key, step: None, way, view };
    admit(state, tx, caller, said).await
}

/// Requests an expired approval's calls again with a new preview. Creates a message and a turn with the calls as first step, in which they
/// request approval like approved calls that changed. Idempotent per approval.
///
/// # Errors
/// `NotFound` for an approval that is not the caller's; `Conflict` if it is pending, decided or erased; `Forbidden` naming a missing scope
/// that its calls need; `RateLimited` as for messages.
pub async fn ask_again(
    state: &AppState,
    caller: &Caller,
    id: ApprovalId,
    address: Option<IpAddr>,
) -> Result<Accepted, Error> {
    usecases::require(caller, Scope::Chat)?;
    let ctx = &state.ctx;
    let mut tx = ctx.write().await?;
    let key = ClientKey::of_server("ask again", id);
    store::tasks::lock(&mut tx, caller.id()).await?;
    if let Some(turn) = store::turns::by_client_key(&mut tx, caller.id(), &key).await? {
        ctx.commit_at(tx, Commit::Accept).await?;
        return Ok(Accepted { turn: turn.id, conversation: turn.conversation, retry_after_s: None });
    }
    let absent = || Error::NotFound("There is no such approval.".into());
    let mut approval = store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?;
    if approval.status == ApprovalStatus::Pending && approval.expires_at <= ctx.now_in(&mut tx).await? {
        // Expired, but not marked by a worker yet.
        if approvals::expire(ctx, &mut tx, caller, &approval).await? {
            verdict_turn(state, &mut tx, caller, approval.conversation_id, id, (None, false)).await?;
        }
        approval = store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?;
    }
    scopes::require_for_calls(caller, &approval.calls, "Asking this again")?;
    if approval.status != ApprovalStatus::Expired {
        let waits = || "This approval is still pending.".to_owned();
        return Err(Error::Conflict(approvals::settled(ctx, caller, &approval).unwrap_or_else(waits)));
    }
    if approval.is_erased() {
        return Err(Error::Conflict(ERASED_SINCE.into()));
    }
    // Returned as an error: a refusal stored under this key would be permanent.
    if let Some(retry_after_s) = too_fast(state, &mut tx, caller, address).await? {
        return Err(Error::RateLimited { retry_after_s });
    }
    // Numbers only: a title could read like a confirmation.
    let numbers: Vec<_> = approval.preview.iter().map(|target| format!("#{}", target.task_id)).collect();
    let text = if numbers.is_empty() { "Ask again".into() } else { format!("Ask again about {}", numbers.join(", ")) };
    let step =
        machine::Step { origin: Origin::Again(id), reply: engine::stored_calls(&approval.calls), results: vec![] };
    let said = NewTurnRequest {
        conversation: Some(approval.conversation_id),
        text: &text,
        key: Some(&key),
        step: Some(step),
        way: Source::default(),
        view: SenderView::default(),
    };
    admit(state, tx, caller, said).await
}

/// A message to store, with the first step of its turn, if given.
struct NewTurnRequest<'a> {
    conversation: Option<ConversationId>,
    text: &'a str,
    key: Option<&'a ClientKey>,
    step: Option<machine::Step>,
    way: Source,
    view: SenderView,
}

async fn admit(state: &AppState, mut tx: Tx, caller: &Caller, said: NewTurnRequest<'_>) -> Result<Accepted, Error> {
    let ctx = &state.ctx;
    let NewTurnRequest { conversation, text, key, step, way: Source { chat, address, trace, .. }, view } = said;
    let retry_after_s = too_fast(state, &mut tx, caller, address).await?;
    let (now, begins) = (ctx.now(), conversation.is_none());
    let conversation = match conversation {
        Some(id) if store::conversations::exists(&mut tx, caller.id(), id).await? => id,
        Some(_) => return Err(Error::NotFound("There is no such conversation.".into())),
        None => {
            let id = ConversationId::random();
            // The title must not contain a refused message's text.
            let title = if retry_after_s.is_none() { ConversationTitle::of_message(text) } else { TOO_FAST.to_owned() };
            store::conversations::create(&mut tx, caller.id(), id, &title, &now).await?;
            id
        }
    };
    let slot = state.try_turn_slot().filter(|_| retry_after_s.is_none());
    let lease_ms = (slot.is_some() || retry_after_s.is_some()).then_some(ctx.limits.lease_ms);
    // A web client retries a refused message under its key. Telegram repeats updates that were answered, so its keys stay.
    let client_key = key.filter(|_| retry_after_s.is_none() || chat.is_some());
    let by = caller.credential();
    let new = NewTurn { conversation, cause: Cause::Message, approval: None, client_key, lease_ms, starter: Some(&by) };
    let mut turn = store::turns::insert(&mut tx, caller.id(), &new, &now).await?;
    place(state, &mut tx, &mut turn, trace).await?;
    let accepted = Accepted { turn: turn.id, conversation, retry_after_s };
    if let Some(chat) = chat {
        store::telegram::set_conversation(&mut tx, caller.id(), Some(conversation)).await?;
        show(&mut tx, &turn, chat).await?;
    }
    if let Some(wait) = retry_after_s {
        let row = commit_turn::too_fast_within(state, &mut tx, &turn, wait).await?;
        ctx.commit_at(tx, Commit::Refuse).await?;
        turn_telemetry::count(state, turn.cause, row.engine, row.decision.outcome, row.duration_ms);
        ctx.live.wake_senders();
        return Ok(accepted);
    }
    let message = NewMessage { conversation, turn: turn.id, speaker: Speaker::User, text, by: Some(&by) };
    store::messages::insert_seen(&mut tx, caller.id(), &message, view, &now).await?;
    if let Some(step) = step {
        let rounds = (Some(1), state.config.turn.max_steps);
        history::keep(&mut tx, caller.id(), turn.id, (&step, None), 0, rounds, &now).await.map_err(unkept)?;
    }
    if !begins {
        store::conversations::touch(&mut tx, caller.id(), conversation, &now).await?;
    }
    worker::announce(state, &mut tx, &turn, key).await?;
    ctx.commit_at(tx, Commit::Accept).await?;
    if chat.is_some() {
        ctx.live.wake_senders();
    }
    worker::start(state, turn, slot);
    Ok(accepted)
}

/// Queues a card that shows the turn in a chat while it runs and when it ends.
async fn show(tx: &mut Tx, turn: &TurnRow, chat: ChatId) -> Result<(), Error> {
    let card = Card::Turn { turn: turn.id };
    store::outbox::insert(tx, turn.user, &NewCard { chat, card: &card, key: None }, &turn.accepted_at).await?;
    Ok(())
}

/// Stores the turn's trace context if tracing is on; every worker of the turn uses it.
async fn place(
    state: &AppState,
    tx: &mut Tx,
    turn: &mut TurnRow,
    sent: Option<Traceparent>,
) -> Result<(), store::Error> {
    turn.trace = state.telemetry.place(sent);
    match &turn.trace {
        Some(trace) => store::trace_ids::set(tx, turn.user, turn.id, trace).await,
        None => Ok(()),
    }
}

pub(super) fn unkept(error: super::Error) -> Error {
    match error {
        super::Error::Store(error) => error.into(),
        super::Error::UseCase(error) => error,
        error => store::Error::Corrupt(error.to_string()).into(),
    }
}

/// Stores a verdict and the turn that carries it out.
///
/// # Errors
/// `NotFound` for an approval that is not the caller's; `Conflict` if it is decided or expired, naming who decided and when, or if the
/// requesting turn is still running; `Forbidden` naming a missing scope that its calls need.
pub async fn decide(
    state: &AppState,
    caller: &Caller,
    approval: ApprovalId,
    verdict: Verdict,
    via: DecidedVia,
    reason: Option<&str>,
) -> Result<Accepted, Error> {
    usecases::require(caller, Scope::Chat)?;
    if reason.is_some_and(|reason| reason.chars().count() > 500) {
        return Err(Invalid::because("A reason has at most 500 characters.").into());
    }
    let ctx = &state.ctx;
    let mut tx = ctx.write().await?;
    let decided = approvals::decide(ctx, &mut tx, caller, approval, verdict, via, reason).await?;
    // Further calls of the step may still join the approval, and a verdict covers only what was shown.
    let asking = store::turns::get(&mut tx, caller.id(), decided.turn_id).await?;
    if asking.is_some_and(|turn| turn.status != TurnStatus::Done) {
        return Err(Error::Conflict("Docket is still preparing this request. Answer in a moment.".into()));
    }
    let slot = state.try_turn_slot();
    let (by, conversation) = (caller.credential(), decided.conversation_id);
    let turn = verdict_turn(state, &mut tx, caller, conversation, approval, (Some(&by), slot.is_some())).await?;
    ctx.commit_at(tx, Commit::Verdict).await?;
    turn_telemetry::settled(state, verdict.status(), Some(via));
    ctx.live.wake_senders();
    let accepted = Accepted { turn: turn.id, conversation: turn.conversation, retry_after_s: None };
    worker::start(state, turn, slot);
    Ok(accepted)
}

/// Stores the turn of a verdict or an expiry, in the transaction that decided it. `starter` is the credential of the verdict; `None` for an
/// expiry.
pub(super) async fn verdict_turn(
    state: &AppState,
    tx: &mut Tx,
    caller: &Caller,
    conversation: ConversationId,
    approval: ApprovalId,
    (starter, at_once): (Option<&Credential>, bool),
) -> Result<TurnRow, Error> {
    let lease_ms = at_once.then_some(state.ctx.limits.lease_ms);
    let cause = Cause::Approval;
    let new = NewTurn { conversation, cause, approval: Some(approval), client_key: None, lease_ms, starter };
    let mut turn = store::turns::insert(tx, caller.id(), &new, &state.ctx.now()).await?;
    if state.telemetry.traces() {
        // The approval and its outcome share a trace.
        let asked = store::trace_ids::of_approval(tx, caller.id(), approval).await?;
        place(state, tx, &mut turn, asked).await?;
    }
    // An approval requested in a chat is answered there.
    if let Some(chat) = store::outbox::chat_of_approval(tx, caller.id(), approval).await? {
        show(tx, &turn, chat).await?;
    }
    worker::announce(state, tx, &turn, None).await?;
    Ok(turn)
}

/// Waits for the end of the caller's turn and returns it. Returns it unfinished if this process shuts down and will not start it (R-1004).
pub async fn wait(state: &AppState, caller: &Caller, turn: TurnId) -> Result<Turn, Error> {
    // Subscribes before the first read, so that no event is missed.
    let mut listener = state.ctx.live.listen_for_ends(caller.id());
    let mut status = Box::pin(conversations::status(&state.ctx, caller, turn)).await?;
    loop {
        if status == TurnStatus::Done || status == TurnStatus::Queued && state.is_draining() {
            return Box::pin(conversations::turn(&state.ctx, caller, turn)).await;
        }
        // Wake-ups between processes may be lost, so the database is polled too.
        let woken = tokio::time::timeout(worker::LOOK_AGAIN, listener.woken()).await;
        if woken.is_err() {
            status = Box::pin(conversations::status(&state.ctx, caller, turn)).await?;
            continue;
        }
        let told = Box::pin(conversations::turn(&state.ctx, caller, turn)).await?;
        if woken == Ok(false) || told.status == TurnStatus::Done {
            return Ok(told);
        }
        status = told.status;
    }
}

/// Stops a turn before its next step and cancels its running model call. Completed calls stay and are listed in its reply.
pub async fn stop(state: &AppState, caller: &Caller, turn: TurnId) -> Result<Turn, Error> {
    let mut tx = state.ctx.write().await?;
    ask_stop(&mut tx, caller, &[turn]).await?;
    state.ctx.commit_at(tx, Commit::Stop).await?;
    // A stop is no event: wakes the turn's worker to read it.
    state.ctx.live.wake(caller.id(), false);
    conversations::turn(&state.ctx, caller, turn).await
}

/// Stops several turns in an open transaction.
pub(super) async fn ask_stop(tx: &mut Tx, caller: &Caller, turns: &[TurnId]) -> Result<(), Error> {
    usecases::require(caller, Scope::Chat)?;
    for turn in turns {
        store::turns::ask_stop(tx, caller.id(), *turn).await?;
    }
    Ok(())
}

/// Returns the seconds that a sender over a rate limit has to wait; `None` within the limits.
async fn too_fast(
    state: &AppState,
    tx: &mut Tx,
    caller: &Caller,
    address: Option<IpAddr>,
) -> Result<Option<i64>, Error> {
    // The address first: its row also updates the clock to the database's time.
    let of_address = rate_limit::of_address(state, tx, address).await?;
    if state.ctx.limits.messages_per_minute == 0 {
        return Ok(of_address);
    }
    let now = state.ctx.now();
    let recent = store::turns::messages_within(tx, caller.id(), &rate_limit::SENT.before(&now)).await?;
    Ok(of_address.max(rate_limit::of_sender(state, &recent, &now)?))
}
