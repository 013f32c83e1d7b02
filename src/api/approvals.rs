//! Approvals and their verdicts.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, responses, views};
use crate::domain::approval::{Approval, Fate};
#[cfg(feature = "ssr")]
use crate::domain::approval::{ApprovalStatus, DecidedVia, Reason, Verdict};
#[cfg(feature = "ssr")]
use crate::domain::comparison::is_blank;
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

/// The value of one field before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct FieldChange {
    pub field: String,
    pub before: String,
    pub after: String,
    /// Size of the change if the texts are shortened: `3,912 → 3,930 characters, 1 line changed, shortened`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// The effect of a call on one task, as text. Built from the stored call and the tool's own preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct PreviewLine {
    /// `None` for a task to be added, and for a list to be read.
    pub task_id: Option<TaskNumber>,
    pub title: String,
    pub due_label: Option<String>,
    /// True if the task would go to the bin.
    pub binned: bool,
    pub fate: Fate,
    /// Every field that would change. For a task to be added or binned: the other fields that are set.
    pub changes: Vec<FieldChange>,
}

/// An approval with its times and calls as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ApprovalView {
    #[serde(flatten)]
    pub approval: Approval,
    /// The question: `Delete 3 tasks?`.
    pub heading: String,
    /// Label of the approve button: `Delete 3 tasks`.
    pub yes: String,
    /// Label of the reject button: `Keep tasks`.
    pub no: String,
    pub lines: Vec<PreviewLine>,
    /// The omitted rest, if the approval's page shows more than the lines: `100 more tasks and the shortened texts`.
    pub more: Option<String>,
    pub asked_label: String,
    pub expires_label: String,
    /// True once four fifths of the approval's time have passed.
    pub closing: bool,
    /// `Approved by ada in the browser, 10:31`; `None` while pending.
    pub decided_label: Option<String>,
    /// `Approved · Delete 3 tasks · ada, 10:31`; `None` while pending.
    pub settled_label: Option<String>,
    /// True if a task would go to the bin.
    pub bins: bool,
    /// The message that led to the approval. `None` if the card follows that message, or once the approval is decided.
    pub said: Option<String>,
}

read_flat!(ApprovalView { approval: Approval, heading: String, yes: String, no: String, lines: Vec<PreviewLine>, more: Option<String>, asked_label: String, expires_label: String, closing: bool, decided_label: Option<String>, settled_label: Option<String>, bins: bool, said: Option<String> });

/// A decided approval and the turn that its verdict triggered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Decided {
    #[serde(flatten)]
    pub view: ApprovalView,
    pub turn: Turn,
}

/// The turn that asked again for an expired approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AskedAgain {
    #[serde(flatten)]
    pub turn: Turn,
    /// `Delete 3 tasks?`; `None` if nothing is left to approve.
    pub heading: Option<String>,
}

/// Lists the caller's approvals, newest first, by `status`. With `brief`, cuts each preview to the tasks of its lines.
#[server(prefix = "/api/v1", endpoint = "approvals/list", input = GetUrl)]
pub async fn list(status: Option<String>, brief: Option<bool>) -> Result<Vec<ApprovalView>, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let status = status.filter(|status| !status.is_empty() && status != "all");
    let status = status.map(|status| ApprovalStatus::parse(&status)).transpose()?;
    let list = async {
        let found = usecases::list(&state.ctx, &caller, status).await?;
        let mut views = Vec::with_capacity(found.len());
        for approval in found {
            let mut view = responses::approval(&state, &caller, approval).await?;
            if brief.unwrap_or_default() {
                view.approval.preview.truncate(view.lines.len());
            }
            views.push(view);
        }
        Ok(views)
    };
    state.ctx.lists.run(caller.id(), list).await
}

/// Returns one of the caller's approvals with all its changes; with `brief`, as lists show it.
#[server(prefix = "/api/v1", endpoint = "approvals/get", input = GetUrl)]
pub async fn get(approval_id: String, brief: Option<bool>) -> Result<ApprovalView, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let approval = usecases::get(&state.ctx, &caller, id).await?;
    if brief.unwrap_or_default() {
        return responses::approval(&state, &caller, approval).await;
    }
    responses::whole_approval(&state, &caller, approval).await
}

/// Approves or rejects. The first verdict wins; the answer to a later one names who decided, and when.
#[server(prefix = "/api/v1", endpoint = "approvals/decide")]
pub async fn decide(approval_id: String, verdict: String, reason: Option<String>) -> Result<Decided, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let verdict = Verdict::parse(&verdict).map_err(ApiError::malformed)?;
    let via = if caller.door == Door::Web { DecidedVia::Web } else { DecidedVia::Api };
    let reason = reason.filter(|reason| !is_blank(reason));
    let reason = reason.as_deref().map(Reason::parse).transpose()?;
    let accepted = inbox::decide(&state, &caller, id, verdict, via, reason.as_ref().map(Reason::as_str)).await?;
    let turn = inbox::wait(&state, &caller, accepted.turn).await?;
    let approval = usecases::get(&state.ctx, &caller, id).await?;
    Ok(Decided { view: views::approval(approval, &state.ctx.now(), &caller.user.zone), turn })
}

/// Restarts the time limit of a pending approval.
#[server(prefix = "/api/v1", endpoint = "approvals/extend")]
pub async fn extend(approval_id: String) -> Result<ApprovalView, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let approval = usecases::extend(&state.ctx, &caller, id).await?;
    responses::approval(&state, &caller, approval).await
}

/// Asks again for an expired approval in a new turn of its conversation: the same calls with a current preview. A repeated
/// request creates no second approval.
#[server(prefix = "/api/v1", endpoint = "approvals/again")]
pub async fn again(approval_id: String) -> Result<AskedAgain, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = ApprovalId::parse(&approval_id).map_err(ApiError::malformed)?;
    let accepted = inbox::ask_again(&state, &caller, id, context::visitor().address).await?;
    let turn = inbox::wait(&state, &caller, accepted.turn).await?;
    let fresh = turn.approval.clone().filter(|approval| approval.turn_id == turn.turn_id);
    let view = fresh.map(|approval| views::approval(approval, &state.ctx.now(), &caller.user.zone));
    Ok(AskedAgain { turn, heading: view.map(|view| view.heading) })
}
