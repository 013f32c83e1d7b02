//! Talking to the agent: sending, waiting, stopping, reading.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::approvals::ApprovalView;
use super::tasks::TaskRow;
#[cfg(feature = "ssr")]
use super::{context, wording};
use crate::domain::conversation::{Conversation, Message};
#[cfg(feature = "ssr")]
use crate::domain::id::{ConversationId, TurnId};
use crate::domain::id::{InvocationId, TaskNumber};
use crate::domain::turn::{Running, Turn};
#[cfg(feature = "ssr")]
use crate::domain::{conversation::ConversationTitle, live, text::ClientKey, user::Scope};
#[cfg(feature = "ssr")]
use crate::usecases::{Commit, conversations, events};
#[cfg(feature = "ssr")]
use crate::workflow::inbox;

/// How a call went, as a receipt shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReceiptState {
    /// Something was read; nothing changed.
    Read,
    Done,
    /// Done, and taken back since.
    Undone,
    Waiting,
    /// Declined, expired, void, skipped or stopped: nothing changed.
    Unchanged,
    Failed,
}

/// One tool call in words: what the claim in a reply rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Receipt {
    pub invocation_id: InvocationId,
    pub state: ReceiptState,
    /// What was done, e.g. `Added`.
    pub verb: String,
    /// The task it was done to, if there is exactly one.
    pub task: Option<TaskNumber>,
    /// The rest of the line: a title, a count, an error.
    pub text: String,
    /// What became of single fields, e.g. `due: today → Friday`.
    pub details: Vec<String>,
    pub can_undo: bool,
}

/// A message with everything about time and calls in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct MessageView {
    #[serde(flatten)]
    pub message: Message,
    /// The text as a page shows it: safe HTML, without what the card or the list beside it shows.
    pub html: String,
    /// `10:31`, with the day if it is not today.
    pub at_label: String,
    pub receipts: Vec<Receipt>,
    pub card: Option<ApprovalView>,
    /// The tasks that it answers with, as they are now.
    pub listed: Vec<TaskRow>,
    /// Whether it shows what became of tasks, and so changes with them.
    pub follows_tasks: bool,
    /// The words to be sent again, where the turn failed before it changed anything.
    pub again: Option<String>,
}

read_flat!(MessageView { message: Message, html: String, at_label: String, receipts: Vec<Receipt>, card: Option<ApprovalView>, listed: Vec<TaskRow>, follows_tasks: bool, again: Option<String> });

/// A page of one conversation, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Thread {
    /// `None` before the first message.
    pub conversation: Option<Conversation>,
    pub items: Vec<MessageView>,
    /// Asks for the page before this one.
    pub before: Option<String>,
    /// The turn of the conversation that is not done, if there is one.
    #[serde(default)]
    pub running: Option<Running>,
    /// Sequence of your newest event that these messages take in, as `seen` of the next message; 0 if they are not the latest.
    #[serde(default)]
    pub head: i64,
}

/// Sends a message. With `wait` (the default) the answer comes when the turn is done; without, at once.
#[server(prefix = "/api/v1", endpoint = "chat")]
pub async fn chat(
    message: String,
    conversation_id: Option<String>,
    client_key: Option<String>,
    wait: Option<bool>,
    seen: Option<String>,
    option: Option<bool>,
) -> Result<Turn, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let conversation = context::id(conversation_id, ConversationId::parse)?;
    let client_key = context::id(client_key, ClientKey::parse)?;
    let seen = seen.as_deref().map(live::sequence).transpose().map_err(ApiError::malformed)?;
    let incoming = inbox::Incoming { text: message, conversation, client_key };
    let (from, option) = (context::visitor(), option.unwrap_or_default());
    let way = inbox::Way { address: from.address, trace: from.trace, seen, option, ..inbox::Way::default() };
    let accepted = inbox::accept_at(&state, &caller, incoming, way).await?;
    context::too_fast(accepted.retry_after_s);
    context::turn(&state, &caller, accepted.turn, wait.unwrap_or(true)).await
}

/// A turn as it stands.
#[server(prefix = "/api/v1", endpoint = "turns/get", input = GetUrl)]
pub async fn turn_get(turn_id: String) -> Result<Turn, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    Ok(conversations::turn(&state.ctx, &caller, id).await?)
}

/// Stops a turn that is not done; what it did stays done and is said.
#[server(prefix = "/api/v1", endpoint = "turns/stop")]
pub async fn turn_stop(turn_id: String) -> Result<Turn, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    Ok(inbox::stop(&state, &caller, id).await?)
}

/// The caller's conversations, the latest first, 200 at most: those whose title or messages contain `query`, and of hidden ones or the
/// others. `before` is the last one of the page before.
#[server(prefix = "/api/v1", endpoint = "conversations/list", input = GetUrl)]
pub async fn conversations_list(
    query: Option<String>,
    hidden: Option<bool>,
    before: Option<String>,
) -> Result<Vec<Conversation>, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let words = query.map(|words| words.trim().to_owned()).filter(|words| !words.is_empty());
    let before = context::id(before, ConversationId::parse)?;
    let which = conversations::Which { words, hidden: hidden.unwrap_or_default(), before };
    Ok(conversations::list(&state.ctx, &caller, &which).await?)
}

/// Gives a conversation another title.
#[server(prefix = "/api/v1", endpoint = "conversations/rename")]
pub async fn conversations_rename(conversation_id: String, title: String) -> Result<Conversation, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ConversationId::parse(&conversation_id).map_err(ApiError::malformed)?;
    let title = ConversationTitle::parse(&title)?;
    let mut tx = state.ctx.write().await?;
    let renamed = conversations::rename(&mut tx, &caller, id, &title).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(renamed)
}

/// Takes a conversation out of the list, or with `hidden=false` puts it back. Nothing of it is lost.
#[server(prefix = "/api/v1", endpoint = "conversations/hide")]
pub async fn conversations_hide(conversation_id: String, hidden: Option<bool>) -> Result<Conversation, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ConversationId::parse(&conversation_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let hidden = conversations::hide(&state.ctx, &mut tx, &caller, id, hidden.unwrap_or(true)).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(hidden)
}

/// A page of one conversation; without an id, of the latest one; of `new`, an empty one.
#[server(prefix = "/api/v1", endpoint = "conversations/messages", input = GetUrl)]
pub async fn conversations_messages(
    conversation_id: Option<String>,
    before: Option<String>,
) -> Result<Thread, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    if conversation_id.as_deref() == Some("new") {
        return Ok(Thread::empty());
    }
    let wanted = context::id(conversation_id, ConversationId::parse)?;
    let found = conversations::one(&state.ctx, &caller, wanted).await?;
    let Some(conversation) = found else { return Ok(Thread::empty()) };
    // Before its messages, which take in at least as much.
    let head = if before.is_none() { events::head(&state.ctx, &caller).await? } else { 0 };
    let page =
        conversations::messages(&state.ctx, &caller, conversation.conversation_id, before.as_deref(), 50).await?;
    let tasks = conversations::spoken_of(&state.ctx, &caller, &page.items).await?;
    // After its messages: a turn that has ended by now runs no more, and is told by its event.
    let running = conversations::running(&state.ctx, &caller, conversation.conversation_id).await?;
    let thread = wording::thread(conversation, page, &tasks, &state.ctx.now(), &caller.user.zone);
    let thread = context::with_earlier_words(&state, &caller, Thread { running, head, ..thread }).await?;
    Ok(if context::renders_page() { thread.without_texts() } else { thread })
}

impl Thread {
    /// Leaves out the texts, which a page has as HTML.
    #[cfg(feature = "ssr")]
    fn without_texts(mut self) -> Self {
        self.items.iter_mut().for_each(|item| item.message.text.clear());
        self
    }

    /// Before the first message.
    pub fn empty() -> Self {
        Self { conversation: None, items: vec![], before: None, running: None, head: 0 }
    }
}
