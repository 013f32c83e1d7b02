//! Approvals declined by a message: the newest, one by its task, all but the newest, or all. The reply is committed with the verdicts, so
//! that a resumed turn finds both or none.

use super::Run;
use crate::domain::approval::{Approval, DecidedVia, Verdict};
use crate::domain::consent::{self, Several};
use crate::domain::id::{ApprovalId, UserId};
use crate::domain::tool::ToolName;
use crate::domain::turn::Cause;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};
use crate::usecases::{self, approvals};
use crate::workflow::commit_turn::TurnReply;
use crate::workflow::{Error, reply, turn_telemetry};

/// Reason of a void approval that a newer one corrects.
const CORRECTED: &str = "A newer request for the same task replaced it.";

/// Divides the conversation's pending approvals, oldest first, into those that an answer may mean, and those whose tasks were all
/// deleted since. The one that was `asked` about last is always among the former.
pub(super) async fn answerable(
    tx: &mut Tx,
    turn: &TurnRow,
    asked: Option<ApprovalId>,
) -> Result<(Vec<Approval>, Vec<Approval>), Error> {
    let (mut answerable, mut moot) = (vec![], vec![]);
    for approval in store::approvals::pending(tx, turn.user, turn.conversation, &turn.accepted_at).await? {
        let creates = approval.calls.iter().any(|call| matches!(call.tool, ToolName::AddTask | ToolName::Undo));
        let is_open = creates || Some(approval.approval_id) == asked || has_task(tx, turn.user, &approval).await?;
        if is_open { &mut answerable } else { &mut moot }.push(approval);
    }
    Ok((answerable, moot))
}

/// Returns true if the approval shows no task, or one that is not deleted.
async fn has_task(tx: &mut Tx, user: UserId, approval: &Approval) -> Result<bool, Error> {
    for target in &approval.preview {
        let task = store::tasks::get(tx, user, target.task_id).await?;
        if task.is_some_and(|stored| stored.task.deleted_at.is_none()) {
            return Ok(true);
        }
    }
    Ok(approval.preview.is_empty())
}

impl Run<'_> {
    /// Returns the approvals that the message declines by more than a plain no: several, or the only one for a named task.
    pub(super) fn declined_by_words(&self) -> Option<Vec<Approval>> {
        let message = self.message();
        let asked = self.asked_last.is_some();
        let newest = self.asked_last.as_ref().or(self.pending.last());
        let is_newest = |approval: &Approval| newest.is_some_and(|newest| newest.calls == approval.calls);
        let declined: Vec<Approval> = match consent::declines_several(&message, asked) {
            Some(Several::All) => self.moot.iter().chain(&self.pending).cloned().collect(),
            Some(Several::Others) => self.pending.iter().filter(|approval| !is_newest(approval)).cloned().collect(),
            None => {
                let spared: Vec<_> =
                    self.pending.iter().filter(|approval| consent::spares(&message, approval)).cloned().collect();
                let is_one = spared.windows(2).all(|pair| pair[0].calls == pair[1].calls);
                if is_one && !spared.is_empty() { spared } else { self.set_apart(&message) }
            }
        };
        let mut distinct: Vec<Approval> = vec![];
        // Keeps the newest of identical approvals.
        for approval in declined.into_iter().rev() {
            if distinct.iter().all(|other| other.calls != approval.calls) {
                distinct.insert(0, approval);
            }
        }
        (!distinct.is_empty()).then_some(distinct)
    }

    /// Returns the approvals that the message rejects while it names others to keep.
    fn set_apart(&self, message: &str) -> Vec<Approval> {
        let repeated = |at: usize| self.pending[at + 1..].iter().any(|newer| newer.calls == self.pending[at].calls);
        let distinct = (0..self.pending.len()).filter(|at| !repeated(*at)).map(|at| &self.pending[at]);
        let distinct: Vec<&Approval> = distinct.collect();
        let rejected = consent::set_apart(message, &distinct).unwrap_or_default();
        rejected.into_iter().map(|at| distinct[at].clone()).collect()
    }

    /// Rejects the approvals, and asks about the newest remaining one again.
    pub(super) async fn decline(&mut self, requests: Vec<Approval>) -> Result<Option<(Tx, TurnReply)>, Error> {
        let (mut tx, via) = (self.begin().await?, DecidedVia::Chat);
        let (mut declined, mut refused): (Vec<Approval>, Option<TurnReply>) = (vec![], None);
        for approval in requests {
            let id = approval.approval_id;
            match approvals::decide(&self.state.ctx, &mut tx, &self.caller, id, Verdict::Reject, via, None).await {
                Ok(_) => {
                    self.withdraw_the_same(&mut tx, &approval).await?;
                    declined.push(approval);
                }
                // Another channel's verdict won.
                Err(error @ usecases::Error::Conflict(_)) => {
                    self.answered = self.answered.or(Some(id));
                    refused.get_or_insert_with(|| reply::too_late(error.to_string()));
                }
                // The sender's token lacks a scope of the approval, which stays pending.
                Err(usecases::Error::Forbidden(why)) => {
                    refused.get_or_insert_with(|| reply::refused(&[], &why));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let Some(newest) = declined.last() else { return Ok(refused.map(|close| (tx, close))) };
        (self.answered, self.verdict) = (Some(newest.approval_id), Some(Verdict::Reject));
        self.declined = declined.iter().map(|approval| approval.approval_id).collect();
        // The last one is counted with the turn.
        for _ in 1..declined.len() {
            turn_telemetry::settled(self.state, Verdict::Reject.status(), Some(via));
        }
        self.leave_open(|other| declined.iter().all(|approval| approval.calls != other.calls));
        let close = reply::declined(&declined, &self.pending);
        Ok(Some((tx, close)))
    }

    /// Withdraws pending approvals that the turn's new one corrects, such as the deletion of four tasks after "no, only task 4".
    pub(super) async fn withdraw_corrected(&self, tx: &mut Tx) -> Result<(), Error> {
        if self.pending.is_empty() || self.turn.cause != Cause::Message {
            return Ok(());
        }
        let Some(own) = store::approvals::of_turn(tx, self.turn.user, self.turn.id).await? else { return Ok(()) };
        for older in self.pending.iter().filter(|older| own.corrects(older)) {
            approvals::withdraw(&self.state.ctx, tx, &self.caller, older, CORRECTED).await?;
        }
        Ok(())
    }

    /// Removes approvals that are no longer pending.
    pub(super) fn leave_open(&mut self, is_open: impl Fn(&Approval) -> bool) {
        let mut open: Vec<bool> = self.pending.iter().map(&is_open).collect();
        open.resize(self.context.pending.len(), true);
        let mut open = open.into_iter();
        self.context.pending.retain(|_| open.next().unwrap_or(true));
        self.pending.retain(is_open);
    }
}
