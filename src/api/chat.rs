//! The chat: sending messages, waiting for turns, stopping them, reading conversations.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::approvals::ApprovalView;
use super::tasks::TaskRow;
#[cfg(feature = "ssr")]
use super::{context, responses, views};
use crate::domain::conversation::{Conversation, Message};
#[cfg(feature = "ssr")]
use crate::domain::id::{ConversationId, TurnId};
use crate::domain::id::{InvocationId, TaskNumber};
use crate::domain::turn::{Running, Turn};
#[cfg(feature = "ssr")]
use crate::domain::{comparison::is_blank, conversation::ConversationTitle, live, text::ClientKey, user::Scope};
#[cfg(feature = "ssr")]
use crate::usecases::{Commit, conversations, events};
#[cfg(feature = "ssr")]
use crate::workflow::inbox;

/// Outcome of a tool call, as its receipt shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReceiptState {
    /// Something was read; nothing changed.
    Read,
    Done,
    /// Done, and undone since.
    Undone,
    Waiting,
    /// Rejected, expired, void, skipped or stopped: nothing changed.
    Unchanged,
    Failed,
}

/// A tool call in words: the evidence for a claim in a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Receipt {
    pub invocation_id: InvocationId,
    pub state: ReceiptState,
    /// The action, e.g. `Added`.
    pub verb: String,
    /// The affected task, if there is exactly one.
    pub task: Option<TaskNumber>,
    /// The rest of the line: a title, a count, an error.
    pub text: String,
    /// Changes of single fields, e.g. `due: today → Friday`.
    pub details: Vec<String>,
    pub can_undo: bool,
}

/// A message with its times and calls as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct MessageView {
    #[serde(flatten)]
    pub message: Message,
    /// The text as safe HTML, without what the message's card or task list shows.
    pub html: String,
    /// `10:31`, with the day if it is not today.
    pub at_label: String,
    pub receipts: Vec<Receipt>,
    pub card: Option<ApprovalView>,
    /// The tasks that the message lists, in their current state.
    pub listed: Vec<TaskRow>,
    /// True if the message shows the state of tasks, and so changes with them.
    pub follows_tasks: bool,
    /// The text to send again, if the turn failed before it changed anything.
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
    /// Cursor of the page before this one.
    pub before: Option<String>,
    /// The conversation's unfinished turn, if there is one.
    #[serde(default)]
    pub running: Option<Running>,
    /// Sequence of your newest event that these messages include: pass it as `seen` of the next message. 0 if they are not the
    /// latest.
    #[serde(default)]
    pub head: i64,
}

/// Sends a message. Returns when the turn is done; with `wait=false`, at once.
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
    let incoming = inbox::IncomingMessage { text: message, conversation, client_key };
    let (from, option) = (context::visitor(), option.unwrap_or_default());
    let way = inbox::Source { address: from.address, trace: from.trace, seen, option, ..inbox::Source::default() };
    let accepted = inbox::accept_from_web(&state, &caller, incoming, way).await?;
    context::too_fast(accepted.retry_after_s);
    responses::turn(&state, &caller, accepted.turn, wait.unwrap_or(true)).await
}

/// Returns the current state of a turn.
#[server(prefix = "/api/v1", endpoint = "turns/get", input = GetUrl)]
pub async fn turn_get(turn_id: String) -> Result<Turn, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    responses::turn(&state, &caller, id, false).await
}

/// Stops an unfinished turn. Its changes stay, and the reply names them.
#[server(prefix = "/api/v1", endpoint = "turns/stop")]
pub async fn turn_stop(turn_id: String) -> Result<Turn, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    Ok(inbox::stop(&state, &caller, id).await?)
}

/// Lists the caller's conversations, latest first, at most 200. `query` searches titles and messages; `hidden` selects the hidden
/// ones. `before` is the last id of the previous page.
#[server(prefix = "/api/v1", endpoint = "conversations/list", input = GetUrl)]
pub async fn conversations_list(
    query: Option<String>,
    hidden: Option<bool>,
    before: Option<String>,
) -> Result<Vec<Conversation>, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let words = query.map(|words| words.trim().to_owned()).filter(|words| !is_blank(words));
    let before = context::id(before, ConversationId::parse)?;
    let which = conversations::Which { words, hidden: hidden.unwrap_or_default(), before };
    Ok(conversations::list(&state.ctx, &caller, &which).await?)
}

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

/// Hides a conversation from the list, or with `hidden=false` shows it again. Deletes nothing.
#[server(prefix = "/api/v1", endpoint = "conversations/hide")]
pub async fn conversations_hide(conversation_id: String, hidden: Option<bool>) -> Result<Conversation, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ConversationId::parse(&conversation_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let hidden = conversations::hide(&state.ctx, &mut tx, &caller, id, hidden.unwrap_or(true)).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(hidden)
}

/// Returns a page of one conversation: of the latest without an id, of an empty one for `new`.
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
    // Read before the messages, so that they include every event up to it.
    let head = if before.is_none() { events::head(&state.ctx, &caller).await? } else { 0 };
    let page =
        conversations::messages(&state.ctx, &caller, conversation.conversation_id, before.as_deref(), 50).await?;
    let tasks = conversations::spoken_of(&state.ctx, &caller, &page.items).await?;
    // Read after the messages: a turn that ended since is not running, and its event reports the end.
    let running = conversations::running(&state.ctx, &caller, conversation.conversation_id).await?;
    let thread = views::thread(conversation, page, &tasks, &state.ctx.now(), &caller.user.zone);
    let thread = responses::with_earlier_words(&state, &caller, Thread { running, head, ..thread }).await?;
    Ok(if context::renders_page() { thread.without_texts() } else { thread })
}

impl Thread {
    /// Clears the texts: a page shows the HTML.
    #[cfg(feature = "ssr")]
    fn without_texts(mut self) -> Self {
        self.items.iter_mut().for_each(|item| item.message.text.clear());
        self
    }

    /// Returns the page of a conversation without messages.
    pub fn empty() -> Self {
        Self { conversation: None, items: vec![], before: None, running: None, head: 0 }
    }
}
