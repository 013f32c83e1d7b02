//! The record: decisions and calls, as pages and one by one.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::chat::Receipt;
#[cfg(feature = "ssr")]
use super::{context, wording};
use crate::domain::audit::{AuditEntry, Page};
#[cfg(feature = "ssr")]
use crate::domain::id::TurnId;
#[cfg(feature = "ssr")]
use crate::domain::user::Scope;
#[cfg(feature = "ssr")]
use crate::usecases::audit as usecases;

/// What went into a call and what came out, as readable JSON or as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallText {
    pub arguments: String,
    pub answer: String,
    /// The same in words; it offers Undo only where the reader may take back what the call changed.
    pub receipt: Receipt,
}

/// A turn of the record with its instant in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// A user's name; only an admin may name another's.
    pub user: Option<String>,
    /// Words of the message or the reply.
    pub text: Option<String>,
    pub cursor: Option<String>,
}

/// Turns of the record, newest first.
#[server(prefix = "/api/v1", endpoint = "audit/list", input = GetUrl)]
pub async fn list(#[server(flatten)] search: AuditSearch) -> Result<Page<AuditRow>, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let filter = wording::audit_filter(&search, &caller.user.zone)?;
    let page = usecases::list(&state.ctx, &caller, &filter, search.cursor.as_deref(), 50).await?;
    let now = state.ctx.now();
    Ok(Page { items: page.items.into_iter().map(|e| wording::audit(e, &now, &caller.user)).collect(), next: page.next })
}

/// One whole turn of the record.
#[server(prefix = "/api/v1", endpoint = "audit/turn", input = GetUrl)]
pub async fn turn(turn_id: String) -> Result<AuditRow, ApiError> {
    let (state, caller) = context::caller(Scope::Audit)?;
    let id = TurnId::parse(&turn_id).map_err(ApiError::malformed)?;
    let entry = usecases::turn(&state.ctx, &caller, id).await?;
    Ok(wording::audit(entry, &state.ctx.now(), &caller.user))
}
