//! Requests that wait for a yes, and the verdict.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, wording};
use crate::domain::approval::{Approval, Fate};
#[cfg(feature = "ssr")]
use crate::domain::approval::{ApprovalStatus, DecidedVia, Reason, Verdict};
#[cfg(feature = "ssr")]
use crate::domain::id::ApprovalId;
use crate::domain::id::TaskNumber;
use crate::domain::turn::Turn;
#[cfg(feature = "ssr")]
use crate::domain::user::{Door, Scope};
#[cfg(feature = "ssr")]
use crate::usecases::approvals as usecases;
#[cfg(feature = "ssr")]
use crate::workflow::inbox;

/// One field, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct FieldChange {
    pub field: String,
    pub before: String,
    pub after: String,
    /// `3,912 → 3,930 characters, 1 line changed, shortened`, where the texts are shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// What would become of one task, in words; made from the stored call and the tool's own preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct PreviewLine {
    /// `None` for a task that would be added, and for a list that would be read.
    pub task_id: Option<TaskNumber>,
    pub title: String,
    pub due_label: Option<String>,
    /// It would go to the bin.
    pub binned: bool,
    pub fate: Fate,
    /// Every field that would change. Of a task that would be added or binned: the other fields that are set.
    pub changes: Vec<FieldChange>,
}

/// A request with everything about time and calls in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ApprovalView {
    #[serde(flatten)]
    pub approval: Approval,
    /// `Delete 3 tasks?`
    pub heading: String,
    /// The button that does it: `Delete 3 tasks`.
    pub yes: String,
    /// The button that does not: `Keep tasks`.
    pub no: String,
    pub lines: Vec<PreviewLine>,
    /// `100 more tasks and the shortened texts`, where the lines are not all that its page shows.
    pub more: Option<String>,
    pub asked_label: String,
    pub expires_label: String,
    /// Four fifths of its time are over.
    pub closing: bool,
    /// `Approved by ada in the browser, 10:31`; `None` while pending.
    pub decided_label: Option<String>,
    /// `Approved · Delete 3 tasks · ada, 10:31`; `None` while pending.
    pub settled_label: Option<String>,
    /// A task would go to the bin.
    pub bins: bool,
    /// What the person said that led to it; `None` where the card stands below those words, or once it is decided.
    pub said: Option<String>,
}

read_flat!(ApprovalView { approval: Approval, heading: String, yes: String, no: String, lines: Vec<PreviewLine>, more: Option<String>, asked_label: String, expires_label: String, closing: bool, decided_label: Option<String>, settled_label: Option<String>, bins: bool, said: Option<String> });

/// A verdict's request and the turn that it set off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Decided {
    #[serde(flatten)]
    pub view: ApprovalView,
    pub turn: Turn,
}

/// The turn that asked afresh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AskedAgain {
    #[serde(flatten)]
    pub turn: Turn,
    /// `Delete 3 tasks?`; `None` where nothing is left to ask about.
    pub heading: Option<String>,
}

/// The caller's requests, newest first; all, or those of one status; with `brief`, each with no more tasks in its preview than its lines.
#[server(prefix = "/api/v1", endpoint = "approvals/list", input = GetUrl)]
pub async fn list(status: Option<String>, brief: Option<bool>) -> Result<Vec<ApprovalView>, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let status = status.filter(|status| !status.is_empty() && status != "all");
    let status = status.map(|status| ApprovalStatus::parse(&status)).transpose()?;
    let found = usecases::list(&state.ctx, &caller, status).await?;
    let mut views = Vec::with_capacity(found.len());
    for approval in found {
        let mut view = context::approval(&state, &caller, approval).await?;
        if brief.unwrap_or_default() {
            view.approval.preview.truncate(view.lines.len());
        }
        views.push(view);
    }
    Ok(views)
}

/// One of the caller's requests with everything that it would change; with `brief`, as lists show it.
#[server(prefix = "/api/v1", endpoint = "approvals/get", input = GetUrl)]
pub async fn get(approval_id: String, brief: Option<bool>) -> Result<ApprovalView, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let approval = usecases::get(&state.ctx, &caller, id).await?;
    if brief.unwrap_or_default() {
        return context::approval(&state, &caller, approval).await;
    }
    context::whole_approval(&state, &caller, approval).await
}

/// Says yes or no. The first verdict wins; a later one hears who decided and when.
#[server(prefix = "/api/v1", endpoint = "approvals/decide")]
pub async fn decide(approval_id: String, verdict: String, reason: Option<String>) -> Result<Decided, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let verdict = Verdict::parse(&verdict).map_err(ApiError::malformed)?;
    let via = if caller.door == Door::Web { DecidedVia::Web } else { DecidedVia::Api };
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    let reason = reason.as_deref().map(Reason::parse).transpose()?;
    let accepted = inbox::decide(&state, &caller, id, verdict, via, reason.as_ref().map(Reason::as_str)).await?;
    let turn = inbox::wait(&state, &caller, accepted.turn).await?;
    let approval = usecases::get(&state.ctx, &caller, id).await?;
    Ok(Decided { view: wording::approval(approval, &state.ctx.now(), &caller.user.zone), turn })
}

/// Gives a pending request its full time again.
#[server(prefix = "/api/v1", endpoint = "approvals/extend")]
pub async fn extend(approval_id: String) -> Result<ApprovalView, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let approval = usecases::extend(&state.ctx, &caller, id).await?;
    context::approval(&state, &caller, approval).await
}

/// Has an expired request asked afresh: the same calls with a preview of today, as a turn of the same conversation. Pressing
/// twice asks once.
#[server(prefix = "/api/v1", endpoint = "approvals/again")]
pub async fn again(approval_id: String) -> Result<AskedAgain, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let accepted = inbox::ask_again(&state, &caller, id, context::visitor().address).await?;
    let turn = inbox::wait(&state, &caller, accepted.turn).await?;
    let fresh = turn.approval.clone().filter(|approval| approval.turn_id == turn.turn_id);
    let view = fresh.map(|approval| wording::approval(approval, &state.ctx.now(), &caller.user.zone));
    Ok(AskedAgain { turn, heading: view.map(|view| view.heading) })
}
