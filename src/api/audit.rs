//! The record: decisions and calls, as pages and one by one.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::chat::Receipt;
#[cfg(feature = "ssr")]
use super::{context, rendered, wording};
#[cfg(feature = "ssr")]
use crate::domain::Invalid;
#[cfg(feature = "ssr")]
use crate::domain::audit::AuditFilter;
use crate::domain::audit::{AuditEntry, Verification};
use crate::domain::figures::Figures as Counted;
use crate::domain::id::TurnId;
use crate::domain::replay::Replay as Replayed;
use crate::domain::story::Story as Whole;
use crate::domain::time::Timestamp;
#[cfg(feature = "ssr")]
use crate::domain::user::{Caller, Scope};
#[cfg(feature = "ssr")]
use crate::usecases::{audit as usecases, figures as usecases_figures, story};
#[cfg(feature = "ssr")]
use crate::words::audit as words;
#[cfg(feature = "ssr")]
use crate::workflow::replay as workflow;

/// What went into a call and what came out, as readable JSON or as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct CallText {
    pub arguments: String,
    pub answer: String,
    /// The same in words; it offers Undo only where the reader may take back what the call changed.
    pub receipt: Receipt,
}

/// A turn of the record with its instant in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AuditRow {
    #[serde(flatten)]
    pub entry: AuditEntry,
    /// `10:31:07`, with the day if it is not today.
    pub at_label: String,
    /// What the person said or answered: a message, `Yes to: Delete “pay rent”`.
    pub said: String,
    /// One for each of the turn's calls, in their order.
    pub texts: Vec<CallText>,
    /// The reader may take back what several of the turn's calls changed.
    pub can_undo: bool,
}

read_flat!(AuditRow { entry: AuditEntry, at_label: String, said: String, texts: Vec<CallText>, can_undo: bool });

/// A turn with all that its record holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Story {
    #[serde(flatten)]
    pub row: AuditRow,
    #[serde(flatten)]
    pub whole: Whole,
}

/// A page of the record, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AuditPage {
    pub items: Vec<AuditRow>,
    /// Opaque; `None` on the last page.
    pub next: Option<String>,
    /// Set where words were looked for no further back than this, and more may be found there: `next` goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
}

/// A turn of the record as a row of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Row {
    pub turn_id: TurnId,
    pub at: Timestamp,
    /// How many of its calls were taken back since.
    pub undone: usize,
    /// What stands in it: a piece of the page.
    pub html: String,
}

/// A page of the record as rows, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Rows {
    pub rows: Vec<Row>,
    /// Opaque; `None` on the last page.
    pub next: Option<String>,
    /// Set where words were looked for no further back than this: `next` goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
}

/// How far back was looked for words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Searched {
    pub to: Timestamp,
    /// `10:31:07`, with the day if it is not today.
    pub to_label: String,
}

/// What a reader of the record asks for, as a form sends it. Every field narrows it; empty ones do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AuditSearch {
    /// First day, or an instant.
    pub since: Option<String>,
    /// Last day, inclusive; or an instant, exclusive.
    pub until: Option<String>,
    pub tool: Option<String>,
    /// `SUCCESS`, `AMBIGUITY`, `REFUSAL` or `ERROR`, or a whole `HEAD:SUB`.
    pub outcome: Option<String>,
    pub kind: Option<String>,
    pub engine: Option<String>,
    pub risk: Option<String>,
    pub conversation: Option<String>,
    /// What set the turn off: `message`, `approval` (a verdict) or `mcp` (an outside agent).
    pub actor: Option<String>,
    /// A user's name; only an admin may name another's.
    pub user: Option<String>,
    /// Words of the message or the reply.
    pub text: Option<String>,
    pub cursor: Option<String>,
}

/// The form of an export.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line.
    Jsonl,
    /// RFC 4180, with a head.
    Csv,
}

#[cfg(feature = "ssr")]
impl Form {
    pub fn parse(name: &str) -> Result<Self, Invalid> {
        match name {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            _ => Err(Invalid::because(words::no_format_of_an_export(name))),
        }
    }

    /// The value of Content-Type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Jsonl => "application/jsonl; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// The value of Content-Disposition.
    pub fn disposition(self) -> &'static str {
        match self {
            Self::Jsonl => "attachment; filename=\"docket-audit.jsonl\"",
            Self::Csv => "attachment; filename=\"docket-audit.csv\"",
        }
    }
}

/// What a search asks for, by the caller's own clock.
#[cfg(feature = "ssr")]
pub fn filter(search: &AuditSearch, caller: &Caller) -> Result<AuditFilter, ApiError> {
    wording::audit_filter(search, &caller.user.zone)
}

/// The turns of the same search in figures; of the last 30 days where it names no time. Its words are not looked at.
#[server(prefix = "/api/v1", endpoint = "audit/figures", input = GetUrl)]
pub async fn figures(#[server(flatten)] search: AuditSearch) -> Result<Counted, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let filter = wording::audit_filter(&search, &caller.user.zone)?;
    let edges = wording::spans::edges(&search, &state.ctx.now(), &caller.user.zone)?;
    Ok(usecases_figures::of(&state.ctx, &caller, &filter, &edges).await?)
}

/// The same as tiles and charts, below what was signed and, where `verify` says anything, whether the record is as it was written: a
/// piece of the page at `/audit`.
#[server(prefix = "/api/v1", endpoint = "audit/overview", input = GetUrl)]
pub async fn overview(#[server(flatten)] search: AuditSearch, verify: Option<String>) -> Result<String, ApiError> {
    let counted = figures(search.clone()).await?;
    let (state, caller) = context::caller(Scope::Audit)?;
    let verified = match verify.filter(|asked| !asked.is_empty()) {
        Some(_) => Some(self::verify(search.user.clone()).await),
        None => None,
    };
    let (newest, now, zone) = (usecases::newest(&state.ctx, &caller).await?, state.ctx.now(), &caller.user.zone);
    let seal = rendered::seal(newest.as_ref(), verified.as_ref(), &search, &now, zone);
    Ok(seal + &rendered::figures(&counted, &search, &now, zone))
}

/// Turns of the record, newest first. That an admin was shown another's for the first time is recorded.
#[server(prefix = "/api/v1", endpoint = "audit/list", input = GetUrl)]
pub async fn list(#[server(flatten)] search: AuditSearch) -> Result<AuditPage, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let filter = wording::audit_filter(&search, &caller.user.zone)?;
    let page = usecases::list(&state.ctx, &caller, &filter, search.cursor.as_deref(), 50).await?;
    Ok(wording::audit_page(page, &state.ctx.now(), &caller.user))
}

/// One whole turn of the record. That an admin read another's is recorded.
#[server(prefix = "/api/v1", endpoint = "audit/turn", input = GetUrl)]
pub async fn turn(turn_id: String) -> Result<Story, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    let (entry, whole) = story::whole(&state.ctx, &caller, id).await?;
    Ok(Story { row: wording::audit(entry, &state.ctx.now(), &caller.user), whole })
}

/// The same, told: a piece of the page at `/audit/{turn_id}`. `list` are the filters of the list beside it, as an address has them: its
/// links keep them.
#[server(prefix = "/api/v1", endpoint = "audit/story", input = GetUrl)]
pub async fn turn_story(turn_id: String, replay: Option<String>, list: Option<String>) -> Result<String, ApiError> {
    let story = turn(turn_id.clone()).await?;
    let again = match replay.filter(|decider| !decider.is_empty()) {
        Some(decider) => Some(self::replay(turn_id, Some(decider)).await),
        None => None,
    };
    let (state, caller) = context::caller(Scope::Audit)?;
    let (list, now) = (list.unwrap_or_default(), state.ctx.now());
    Ok(rendered::story(&story, again.as_ref(), &rendered::Reader { user: &caller.user, now: &now, list: &list }))
}

/// The turn decided again, without effects: from its recorded replies (`recorded`), or by the `rules`.
#[server(prefix = "/api/v1", endpoint = "audit/replay", input = GetUrl)]
pub async fn replay(turn_id: String, engine: Option<String>) -> Result<Replayed, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    let decider = engine.filter(|name| !name.is_empty()).map(|name| workflow::decider(&name)).transpose();
    let decider = decider.map_err(ApiError::malformed)?.unwrap_or_default();
    Ok(workflow::of(&state, &caller, id, decider).await?)
}

/// Whether the record is as it was written: the caller's own, or for an admin anyone's or, without a name, everyone's.
#[server(prefix = "/api/v1", endpoint = "audit/verify", input = GetUrl)]
pub async fn verify(user: Option<String>) -> Result<Verification, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let check = move || async move { usecases::verify(&state.ctx, &caller, user.as_deref()).await };
    Ok(bulk.run(account, check).await?)
}
