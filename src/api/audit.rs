//! The audit log: decisions and calls, as pages and one by one.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::chat::Receipt;
#[cfg(feature = "ssr")]
use super::{context, fragments, views};
#[cfg(feature = "ssr")]
use crate::domain::Invalid;
#[cfg(feature = "ssr")]
use crate::domain::audit::AuditFilter;
use crate::domain::audit::{AuditEntry, Verification};
use crate::domain::id::TurnId;
use crate::domain::replay::Replay as Replayed;
use crate::domain::statistics::Figures as Counted;
use crate::domain::time::Timestamp;
use crate::domain::turn_detail::Story as Whole;
#[cfg(feature = "ssr")]
use crate::domain::user::{Caller, Scope};
#[cfg(feature = "ssr")]
use crate::messages::audit as messages;
#[cfg(feature = "ssr")]
use crate::usecases::{audit as usecases, statistics as usecases_figures, turn_detail};
#[cfg(feature = "ssr")]
use crate::workflow::replay as workflow;

/// A call's arguments and answer, as readable JSON or as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct CallText {
    pub arguments: String,
    pub answer: String,
    /// The call in words. Offers Undo only if the reader may undo its changes.
    pub receipt: Receipt,
}

/// A turn of the audit log with its time as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AuditRow {
    #[serde(flatten)]
    pub entry: AuditEntry,
    /// `10:31:07`, with the day if it is not today.
    pub at_label: String,
    /// The user's message or verdict: the message's text, or `Approved: Delete “pay rent”`.
    pub said: String,
    /// One entry per tool call, in call order.
    pub texts: Vec<CallText>,
    /// True if the reader may undo the changes of several of the turn's calls.
    pub can_undo: bool,
}

read_flat!(AuditRow { entry: AuditEntry, at_label: String, said: String, texts: Vec<CallText>, can_undo: bool });

/// A turn with its whole record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Story {
    #[serde(flatten)]
    pub row: AuditRow,
    #[serde(flatten)]
    pub whole: Whole,
}

/// A page of the audit log, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AuditPage {
    pub items: Vec<AuditRow>,
    /// Cursor of the next page, opaque; `None` on the last page.
    pub next: Option<String>,
    /// Set if the text search stopped at this point; `next` continues it further back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
}

/// A turn of the audit log as a row of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Row {
    pub turn_id: TurnId,
    pub at: Timestamp,
    /// Number of the turn's calls that were undone since.
    pub undone: usize,
    /// The row's content as HTML.
    pub html: String,
}

/// A page of the audit log as rows, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Rows {
    pub rows: Vec<Row>,
    /// Cursor of the next page, opaque; `None` on the last page.
    pub next: Option<String>,
    /// Set if the text search stopped at this point; `next` continues it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
}

/// The point down to which a text search has looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Searched {
    pub to: Timestamp,
    /// `10:31:07`, with the day if it is not today.
    pub to_label: String,
}

/// An audit search as a form sends it. Every non-empty field narrows the result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AuditSearch {
    /// First day, or an instant.
    pub since: Option<String>,
    /// Last day, inclusive; or an instant, exclusive.
    pub until: Option<String>,
    pub tool: Option<String>,
    /// `SUCCESS`, `AMBIGUITY`, `REFUSAL` or `ERROR`, or a full `HEAD:SUB`.
    pub outcome: Option<String>,
    pub kind: Option<String>,
    pub engine: Option<String>,
    pub risk: Option<String>,
    pub conversation: Option<String>,
    /// Trigger of the turn: `message`, `approval` (a verdict) or `mcp` (an agent client).
    pub actor: Option<String>,
    /// A user's name; only admins may name another user.
    pub user: Option<String>,
    /// Words of the message or the reply.
    pub text: Option<String>,
    pub cursor: Option<String>,
}

/// The file format of an export.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object per line.
    Jsonl,
    /// RFC 4180, with a header row.
    Csv,
}

#[cfg(feature = "ssr")]
impl Form {
    pub fn parse(name: &str) -> Result<Self, Invalid> {
        match name {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            _ => Err(Invalid::because(messages::no_format_of_an_export(name))),
        }
    }

    /// Returns the value of Content-Type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Jsonl => "application/jsonl; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// Returns the value of Content-Disposition.
    pub fn disposition(self) -> &'static str {
        match self {
            Self::Jsonl => "attachment; filename=\"docket-audit.jsonl\"",
            Self::Csv => "attachment; filename=\"docket-audit.csv\"",
        }
    }
}

/// Converts a search into a filter; its days are in the caller's zone.
#[cfg(feature = "ssr")]
pub fn filter(search: &AuditSearch, caller: &Caller) -> Result<AuditFilter, ApiError> {
    views::audit_filter(search, &caller.user.zone)
}

/// Returns statistics of the matching turns, ignoring the search's text. Covers the last 30 days if the search names no time.
#[server(prefix = "/api/v1", endpoint = "audit/figures", input = GetUrl)]
pub async fn figures(#[server(flatten)] search: AuditSearch) -> Result<Counted, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let filter = views::audit_filter(&search, &caller.user.zone)?;
    let edges = views::spans::edges(&search, &state.ctx.now(), &caller.user.zone)?;
    Ok(usecases_figures::of(&state.ctx, &caller, &filter, &edges).await?)
}

/// Renders the newest checkpoint and the statistics as HTML for `/audit`. With a non-empty `verify`, also verifies the audit log.
#[server(prefix = "/api/v1", endpoint = "audit/overview", input = GetUrl)]
pub async fn overview(#[server(flatten)] search: AuditSearch, verify: Option<String>) -> Result<String, ApiError> {
    let counted = figures(search.clone()).await?;
    let (state, caller) = context::caller(Scope::Audit)?;
    let verified = match verify.filter(|asked| !asked.is_empty()) {
        Some(_) => Some(self::verify(search.user.clone()).await),
        None => None,
    };
    let (newest, now, zone) = (usecases::newest(&state.ctx, &caller).await?, state.ctx.now(), &caller.user.zone);
    let seal = fragments::seal(newest.as_ref(), verified.as_ref(), &search, &now, zone);
    Ok(seal + &fragments::figures(&counted, &search, &now, zone))
}

/// Lists turns of the audit log, newest first. Records an admin's first view of another user's turns.
#[server(prefix = "/api/v1", endpoint = "audit/list", input = GetUrl)]
pub async fn list(#[server(flatten)] search: AuditSearch) -> Result<AuditPage, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let filter = views::audit_filter(&search, &caller.user.zone)?;
    let page = async {
        let page = usecases::list(&state.ctx, &caller, &filter, search.cursor.as_deref(), 50).await?;
        Ok(views::audit_page(page, &state.ctx.now(), &caller.user))
    };
    state.ctx.lists.run(caller.id(), page).await
}

/// Returns one turn with its whole record. Records an admin's view of another user's turn.
#[server(prefix = "/api/v1", endpoint = "audit/turn", input = GetUrl)]
pub async fn turn(turn_id: String) -> Result<Story, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    let (entry, whole) = turn_detail::whole(&state.ctx, &caller, id).await?;
    Ok(Story { row: views::audit(entry, &state.ctx.now(), &caller.user), whole })
}

/// Renders the turn as HTML for `/audit/{turn_id}`. `list` is the query string of the list shown next to it; links keep it.
#[server(prefix = "/api/v1", endpoint = "audit/story", input = GetUrl)]
pub async fn turn_story(turn_id: String, replay: Option<String>, list: Option<String>) -> Result<String, ApiError> {
    let story = turn(turn_id.clone()).await?;
    let again = match replay.filter(|decider| !decider.is_empty()) {
        Some(decider) => Some(self::replay(turn_id, Some(decider)).await),
        None => None,
    };
    let (state, caller) = context::caller(Scope::Audit)?;
    let (list, now) = (list.unwrap_or_default(), state.ctx.now());
    Ok(fragments::story(&story, again.as_ref(), &fragments::Reader { user: &caller.user, now: &now, list: &list }))
}

/// Decides the turn again without effects: from its recorded replies (`recorded`) or with the `rules`.
#[server(prefix = "/api/v1", endpoint = "audit/replay", input = GetUrl)]
pub async fn replay(turn_id: String, engine: Option<String>) -> Result<Replayed, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    let decider = engine.filter(|name| !name.is_empty()).map(|name| workflow::decider(&name)).transpose();
    let decider = decider.map_err(ApiError::malformed)?.unwrap_or_default();
    Ok(workflow::of(&state, &caller, id, decider).await?)
}

/// Verifies the caller's audit log. An admin may verify any user's or, without a name, everyone's.
#[server(prefix = "/api/v1", endpoint = "audit/verify", input = GetUrl)]
pub async fn verify(user: Option<String>) -> Result<Verification, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let check = move || async move { Ok(usecases::verify(&state.ctx, &caller, user.as_deref()).await?) };
    context::long_read(&bulk, account, check).await
}
