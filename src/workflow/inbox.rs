//! Accepting causes: a message or a verdict and its turn, in one transaction.

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

use super::{finish, history, pace, sender_view, watch, worker};

/// Why an expired approval is not asked again once its calls are erased.
const ERASED_SINCE: &str =
    "What this approval asked about has been erased, so it cannot be asked again; send a new message instead.";
/// The title of one that begins with a message which was refused for its pace.
const TOO_FAST: &str = "Too fast";

/// What a person sends.
#[derive(Debug, Clone)]
pub struct Incoming {
    pub text: String,
    /// `None` begins a conversation.
    pub conversation: Option<ConversationId>,
    /// A repeat under the same key gets the same turn; one that was refused for its pace may be sent again under it.
    pub client_key: Option<ClientKey>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    pub turn: TurnId,
    pub conversation: ConversationId,
    /// Set where the sender was too fast: the turn is a refusal, and this many seconds are to be waited.
    pub retry_after_s: Option<i64>,
}

/// Stores a message and its turn, and starts it where nothing comes before it.
///
/// # Errors
/// `Invalid` for a text that is empty, too long or has control characters; `NotFound` for a conversation that is not the caller's;
/// `RateLimited` far over the limit.
pub async fn accept(state: &AppState, caller: &Caller, incoming: Incoming) -> Result<Accepted, Error> {
    accept_from(state, caller, incoming, Way::default()).await
}

/// Accepts a message that came by HTTP: the rate of its address is limited as well.
///
/// # Errors
/// As for [`accept`].
pub async fn accept_at(state: &AppState, caller: &Caller, incoming: Incoming, way: Way) -> Result<Accepted, Error> {
    // Boxed: the future is large.
    Box::pin(accept_from(state, caller, incoming, Way { chat: None, ..way })).await
}

/// Accepts a message from the caller's chat on Telegram, which `way` names: it goes on with the chat's conversation, and what comes of
/// it is shown there.
///
/// # Errors
/// As for [`accept`]; `Forbidden` where the chat is the caller's no more.
pub async fn accept_in_chat(
    state: &AppState,
    caller: &Caller,
    incoming: Incoming,
    way: Way,
) -> Result<Accepted, Error> {
    accept_from(state, caller, incoming, way).await
}

/// The way by which a message comes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Way {
    /// The chat in which it was written; the reply is shown there.
    pub chat: Option<ChatId>,
    /// That chat's own time of the message, in seconds since 1970.
    pub written_at: Option<i64>,
    /// The address that it was sent from, if known.
    pub address: Option<IpAddr>,
    /// The trace that its sender says it belongs to.
    pub trace: Option<Traceparent>,
    /// Sequence of the newest event on the sender's screen; `None` counts what was committed when the message came.
    pub seen: Option<i64>,
    /// True if the sender pressed one of the options that a question offered.
    pub option: bool,
    /// True if somebody else wrote the words, such as those of a forwarded message.
    pub is_foreign: bool,
    /// The chat's message that this one answers, if it answers one.
    pub answers: Option<i64>,
}

async fn accept_from(state: &AppState, caller: &Caller, incoming: Incoming, way: Way) -> Result<Accepted, Error> {
    usecases::require(caller, Scope::Chat)?;
    let text = MessageText::parse(&incoming.text)?;
    let key = incoming.client_key.as_ref();
    let view = sender_view::of(state, caller.id(), text.as_str(), incoming.conversation, &way).await?;
    let mut tx = state.ctx.write().await?;
    // One of two that come at the same moment waits here and then finds the other's turn.
    store::tasks::lock(&mut tx, caller.id()).await?;
    if let Some(key) = key
        && let Some(turn) = store::turns::by_client_key(&mut tx, caller.id(), key).await?
    {
        return Ok(Accepted { turn: turn.id, conversation: turn.conversation, retry_after_s: None });
    }
    let conversation = match way.chat {
        Some(chat) => {
            // Nobody parts them from here on. The chat may have been linked anew since its update came.
            let link = store::telegram::of_user(&mut tx, caller.id()).await?.filter(|link| link.chat == chat);
            let parted = || Error::Forbidden("This chat is not linked with your account.".into());
            link.ok_or_else(parted)?.conversation
        }
        None => incoming.conversation,
    };
    let said = Said { conversation, text: text.as_str(), key, step: None, way, view };
    admit(state, tx, caller, said).await
}

/// Has the stored calls of an expired approval asked afresh, with a preview of today: a message and a turn whose first step
/// they are, so that they take the way of every approved call, where they ask instead of running. Asking twice is one turn.
///
/// # Errors
/// `NotFound` for an approval that is not the caller's; `Conflict` where it waits, was answered or is erased; `Forbidden` naming a scope
/// that its calls need and the caller lacks; `RateLimited` as for messages.
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
        return Ok(Accepted { turn: turn.id, conversation: turn.conversation, retry_after_s: None });
    }
    let absent = || Error::NotFound("There is no such approval.".into());
    let mut approval = store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?;
    if approval.status == ApprovalStatus::Pending && approval.expires_at <= ctx.now_in(&mut tx).await? {
        // Its time is over, but no worker has said so yet.
        if approvals::expire(ctx, &mut tx, caller, &approval).await? {
            verdict_turn(state, &mut tx, caller, approval.conversation_id, id, (None, false)).await?;
        }
        approval = store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?;
    }
    scopes::require_for_calls(caller, &approval.calls, "Asking this again")?;
    if approval.status != ApprovalStatus::Expired {
        let waits = || "This approval still waits for your answer.".to_owned();
        return Err(Error::Conflict(approvals::settled(ctx, caller, &approval).unwrap_or_else(waits)));
    }
    if approval.is_erased() {
        return Err(Error::Conflict(ERASED_SINCE.into()));
    }
    // A refusal under this key would be the answer for ever.
    if let Some(retry_after_s) = too_fast(state, &mut tx, caller, address).await? {
        return Err(Error::RateLimited { retry_after_s });
    }
    // Numbers only: a title could read like a confirmation.
    let numbers: Vec<_> = approval.preview.iter().map(|target| format!("#{}", target.task_id)).collect();
    let text = if numbers.is_empty() { "Ask again".into() } else { format!("Ask again about {}", numbers.join(", ")) };
    let step =
        machine::Step { origin: Origin::Again(id), reply: engine::stored_calls(&approval.calls), results: vec![] };
    let said = Said {
        conversation: Some(approval.conversation_id),
        text: &text,
        key: Some(&key),
        step: Some(step),
        way: Way::default(),
        view: SenderView::default(),
    };
    admit(state, tx, caller, said).await
}

/// What is said in a turn, and the step that it begins with, if it does.
struct Said<'a> {
    conversation: Option<ConversationId>,
    text: &'a str,
    key: Option<&'a ClientKey>,
    step: Option<machine::Step>,
    way: Way,
    view: SenderView,
}

async fn admit(state: &AppState, mut tx: Tx, caller: &Caller, said: Said<'_>) -> Result<Accepted, Error> {
    let ctx = &state.ctx;
    let Said { conversation, text, key, step, way: Way { chat, address, trace, .. }, view } = said;
    let retry_after_s = too_fast(state, &mut tx, caller, address).await?;
    let (now, begins) = (ctx.now(), conversation.is_none());
    let conversation = match conversation {
        Some(id) if store::conversations::exists(&mut tx, caller.id(), id).await? => id,
        Some(_) => return Err(Error::NotFound("There is no such conversation.".into())),
        None => {
            let id = ConversationId::random();
            // What is refused is not kept, its beginning neither.
            let title = if retry_after_s.is_none() { ConversationTitle::of_message(text) } else { TOO_FAST.to_owned() };
            store::conversations::create(&mut tx, caller.id(), id, &title, &now).await?;
            id
        }
    };
    let slot = state.slot().filter(|_| retry_after_s.is_none());
    let lease_ms = (slot.is_some() || retry_after_s.is_some()).then_some(ctx.limits.lease_ms);
    // Who was told to send it again does so under the same key. Telegram's keys are its own: it tells again what was answered.
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
        let row = finish::too_fast_within(state, &mut tx, &turn, wait).await?;
        ctx.commit_at(tx, Commit::Refuse).await?;
        watch::count(state, turn.cause, row.engine, row.decision.outcome, row.duration_ms);
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

/// Has the turn shown in a chat while it runs and when it is done.
async fn show(tx: &mut Tx, turn: &TurnRow, chat: ChatId) -> Result<(), Error> {
    let card = Card::Turn { turn: turn.id };
    store::outbox::insert(tx, turn.user, &NewCard { chat, card: &card, key: None }, &turn.accepted_at).await?;
    Ok(())
}

/// Says where the turn stands in a trace, where anybody collects spans; it stays there whoever runs it, and however often.
async fn place(
    state: &AppState,
    tx: &mut Tx,
    turn: &mut TurnRow,
    sent: Option<Traceparent>,
) -> Result<(), store::Error> {
    turn.trace = state.telemetry.place(sent);
    match &turn.trace {
        Some(trace) => store::traces::set(tx, turn.user, turn.id, trace).await,
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
/// `NotFound` for an approval that is not the caller's; `Conflict` naming who decided and when, where it is decided or expired, and
/// where the turn that asks has not ended; `Forbidden` naming a scope that its calls need and the caller lacks.
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
    // Calls of the same step may yet join what is asked: a yes is to what was shown, and that is all of it.
    let asking = store::turns::get(&mut tx, caller.id(), decided.turn_id).await?;
    if asking.is_some_and(|turn| turn.status != TurnStatus::Done) {
        return Err(Error::Conflict("Docket is still putting this request together; answer in a moment.".into()));
    }
    let slot = state.slot();
    let (by, conversation) = (caller.credential(), decided.conversation_id);
    let turn = verdict_turn(state, &mut tx, caller, conversation, approval, (Some(&by), slot.is_some())).await?;
    ctx.commit_at(tx, Commit::Verdict).await?;
    watch::settled(state, verdict.status(), Some(via));
    ctx.live.wake_senders();
    let accepted = Accepted { turn: turn.id, conversation: turn.conversation, retry_after_s: None };
    worker::start(state, turn, slot);
    Ok(accepted)
}

/// The turn of a verdict or an expiry, in the transaction that settled it. `starter` is the credential that decided; `None` for an
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
        // What was asked and what came of it are told as one.
        let asked = store::traces::of_approval(tx, caller.id(), approval).await?;
        place(state, tx, &mut turn, asked).await?;
    }
    // What was asked in a chat is answered there.
    if let Some(chat) = store::outbox::chat_of_approval(tx, caller.id(), approval).await? {
        show(tx, &turn, chat).await?;
    }
    worker::announce(state, tx, &turn, None).await?;
    Ok(turn)
}

/// Waits until the caller's turn is done, and returns it; as it stands where this process stops and will not begin it (R-1004).
pub async fn wait(state: &AppState, caller: &Caller, turn: TurnId) -> Result<Turn, Error> {
    // Listening begins before looking, so that nothing can happen in between.
    let mut listener = state.ctx.live.listen_for_ends(caller.id());
    let mut status = Box::pin(conversations::status(&state.ctx, caller, turn)).await?;
    loop {
        if status == TurnStatus::Done || status == TurnStatus::Queued && state.is_draining() {
            return Box::pin(conversations::turn(&state.ctx, caller, turn)).await;
        }
        // Signals between processes are hints: a look at the database from time to time makes up for a lost one.
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

/// Asks a turn to stop before its next step; a model call that runs is given up. What it has already done stays done and is said in its reply.
pub async fn stop(state: &AppState, caller: &Caller, turn: TurnId) -> Result<Turn, Error> {
    let mut tx = state.ctx.write().await?;
    ask_stop(&mut tx, caller, &[turn]).await?;
    state.ctx.commit_at(tx, Commit::Stop).await?;
    // A stop is no event; whoever waits for an engine for this user looks.
    state.ctx.live.wake(caller.id(), false);
    conversations::turn(&state.ctx, caller, turn).await
}

/// The same for several, in a transaction that is already open.
pub(super) async fn ask_stop(tx: &mut Tx, caller: &Caller, turns: &[TurnId]) -> Result<(), Error> {
    usecases::require(caller, Scope::Chat)?;
    for turn in turns {
        store::turns::ask_stop(tx, caller.id(), *turn).await?;
    }
    Ok(())
}

/// How long a sender over a limit has to wait; `None` within them.
async fn too_fast(
    state: &AppState,
    tx: &mut Tx,
    caller: &Caller,
    address: Option<IpAddr>,
) -> Result<Option<i64>, Error> {
    // The address first: its row brings the database's time along.
    let of_address = pace::of_address(state, tx, address).await?;
    if state.ctx.limits.messages_per_minute == 0 {
        return Ok(of_address);
    }
    let now = state.ctx.now();
    let recent = store::turns::messages_within(tx, caller.id(), &pace::SENT.before(&now)).await?;
    Ok(of_address.max(pace::of_sender(state, &recent, &now)?))
}
