//! Verdicts on approvals: in a message, by a button whose turn carries it out, or in the requesting message itself.

use super::Run;
use crate::agent::machine::{Origin, Step};
use crate::agent::{engine, self_confirmation};
use crate::domain::approval::{Approval, ApprovalCall, ApprovalStatus, DecidedVia, Verdict};
use crate::domain::consent::{self, Answer};
use crate::domain::task::Filter;
use crate::domain::text::plain_words;
use crate::domain::tool::{Call, CallStatus, ToolName};
use crate::domain::turn::Cause;
use crate::domain::user::Scope;
use crate::store::{self, Tx};
use crate::usecases::{self, Commit, approvals, tasks};
use crate::workflow::commit_turn::TurnReply;
use crate::workflow::{Error, reply, turn_telemetry};

/// Reason of a void approval whose duplicate was answered.
const ASKED_AGAIN: &str = "A newer request for the same change was answered instead.";

/// Maximum number of tasks searched for a title in a message.
const LISTED: i64 = 200;

impl Run<'_> {
    /// Applies a verdict that the turn carries out or its message contains. `Some` ends the turn without the engine, in that transaction.
    pub(super) async fn answer(&mut self) -> Result<Option<(Tx, TurnReply)>, Error> {
        if !self.machine.steps().is_empty() {
            return Ok(None);
        }
        if self.turn.stop_asked {
            return Ok(Some((self.begin().await?, reply::stopped(self.machine.steps()))));
        }
        match self.turn.cause {
            Cause::Message | Cause::Mcp => match self.answer_in_chat().await? {
                None if self.turn.cause == Cause::Message => self.note().await,
                answered => Ok(answered),
            },
            Cause::Approval => self.carry_out().await,
        }
    }

    /// Takes a clear yes or no as the verdict on the last question, if the sender can have seen it. A yes requires that no other approval
    /// is pending; a no does not (R-403, R-1102, R-1104).
    async fn answer_in_chat(&mut self) -> Result<Option<(Tx, TurnReply)>, Error> {
        if let Some(declined) = self.declined_by_words() {
            return match self.may_answer().await? {
                true => self.decline(declined).await,
                false if self.asked_last.is_some() => Ok(Some((self.begin().await?, reply::unseen()))),
                false => Ok(None),
            };
        }
        let Some(answer) = consent::answer(&self.message()) else { return Ok(None) };
        if let Some(close) = self.too_late(&answer).await? {
            return Ok(Some((self.begin().await?, close)));
        }
        let Some(approval) = self.asked_last.clone() else { return Ok(None) };
        if answer == Answer::Yes && !consent::fits(&self.message(), &approval.calls) {
            return Ok(None);
        }
        // A yes is ambiguous if another approval is pending; duplicates count as one. A no refers to the newest question.
        if answer == Answer::Yes && self.pending.iter().any(|other| other.calls != approval.calls) {
            return Ok(None);
        }
        if !self.may_answer().await? {
            // Further text with the yes or no is a separate request.
            let bare = matches!(answer, Answer::Yes | Answer::No);
            return if bare { Ok(Some((self.begin().await?, reply::unseen()))) } else { Ok(None) };
        }
        let verdict = match answer {
            Answer::Yes => Verdict::Approve,
            Answer::No => return self.decline(vec![approval]).await,
            Answer::NoBut(_) => Verdict::Reject,
        };
        let mut tx = self.begin().await?;
        let id = approval.approval_id;
        match approvals::decide(&self.state.ctx, &mut tx, &self.caller, id, verdict, DecidedVia::Chat, None).await {
            Ok(_) => {}
            // Another channel's verdict won.
            Err(error @ usecases::Error::Conflict(_)) => {
                self.answered = Some(id);
                return Ok(Some((tx, reply::too_late(error.to_string()))));
            }
            // The sender's token lacks a scope of the approval, which stays pending.
            Err(usecases::Error::Forbidden(why)) => return Ok(Some((tx, reply::refused(&[], &why)))),
            Err(error) => return Err(error.into()),
        }
        (self.answered, self.verdict) = (Some(id), Some(verdict));
        self.withdraw_the_same(&mut tx, &approval).await?;
        if answer == Answer::Yes {
            self.store_approved(&mut tx, &approval).await?;
        }
        self.state.ctx.commit_at(tx, Commit::Yes).await?;
        turn_telemetry::settled_in_chat(self.state, self.verdict.take());
        self.leave_open(|other| other.calls != approval.calls);
        Ok(None)
    }

    /// Returns true if the message can answer the last reply: its sender can have seen it, and pressed no option of another reply.
    async fn may_answer(&self) -> Result<bool, Error> {
        let Some(reply) = self.last_reply else { return Ok(false) };
        let mut tx = self.state.ctx.read().await?;
        let view = store::consent::view(&mut tx, self.turn.user, self.turn.id).await?;
        if view.seen < reply.told_seq {
            return Ok(false);
        }
        if !view.option {
            return Ok(true);
        }
        let options = store::decisions::get(&mut tx, self.turn.user, reply.turn).await?.map(|row| row.options);
        let words = plain_words(&self.message());
        Ok(options.unwrap_or_default().iter().any(|option| plain_words(option) == words))
    }

    /// Withdraws pending duplicates of an answered approval.
    pub(super) async fn withdraw_the_same(&self, tx: &mut Tx, answered: &Approval) -> Result<(), Error> {
        let same = |other: &&Approval| other.approval_id != answered.approval_id && other.calls == answered.calls;
        for other in self.pending.iter().filter(same) {
            approvals::withdraw(&self.state.ctx, tx, &self.caller, other, ASKED_AGAIN).await?;
        }
        Ok(())
    }

    /// Returns the reply to a yes or no that came after another channel's verdict: who decided and when.
    async fn too_late(&mut self, answer: &Answer) -> Result<Option<TurnReply>, Error> {
        let Some(last) = self.last_reply else { return Ok(None) };
        let (Some(id), None, Answer::Yes | Answer::No) = (last.about, &self.asked_last, answer) else {
            return Ok(None);
        };
        // After “Done. Anything else?” the answer means that question, and not the approval.
        let reply = store::decisions::get(&mut self.state.ctx.read().await?, self.turn.user, last.turn).await?;
        if last.question_of.is_none() && reply.is_some_and(|row| consent::asks(&row.reply)) {
            return Ok(None);
        }
        let approval = approvals::get(&self.state.ctx, &self.caller, id).await?;
        // The answer may mean an approval that is still pending.
        if !self.pending.is_empty() && !consent::fits(&self.message(), &approval.calls) {
            return Ok(None);
        }
        let Some(text) = approvals::settled(&self.state.ctx, &self.caller, &approval) else { return Ok(None) };
        self.answered = Some(id);
        Ok(Some(reply::too_late(text)))
    }

    /// Carries out a verdict by button: approval runs the stored calls; rejection and expiry get a fixed reply.
    async fn carry_out(&mut self) -> Result<Option<(Tx, TurnReply)>, Error> {
        let Some(id) = self.turn.approval else { return Ok(None) };
        let mut tx = self.begin().await?;
        let Some(approval) = store::approvals::get(&mut tx, self.turn.user, id).await? else { return Ok(None) };
        let close = match approval.status {
            ApprovalStatus::Approved => {
                self.store_approved(&mut tx, &approval).await?;
                self.state.ctx.commit_at(tx, Commit::CarryOut).await?;
                return Ok(None);
            }
            ApprovalStatus::Rejected => reply::rejected(&approval),
            ApprovalStatus::Expired | ApprovalStatus::Void | ApprovalStatus::Pending => reply::expired(&approval),
        };
        Ok(Some((tx, close)))
    }

    /// Approves calls that the requesting message itself confirmed, by the rules' reading and never by a model's claim.
    pub(super) async fn confirmed_inline(&mut self) -> Result<bool, Error> {
        // Only once per turn.
        let done = self.machine.steps().iter().any(|step| matches!(step.origin, Origin::Approval(_)));
        if self.turn.cause != Cause::Message || done || consent::confirmation(&self.message()).is_none() {
            return Ok(false);
        }
        let mut tx = self.begin().await?;
        // A model may have written an option and its confirmation.
        if store::consent::view(&mut tx, self.turn.user, self.turn.id).await?.option {
            return Ok(false);
        }
        let Some(approval) = store::approvals::of_turn(&mut tx, self.turn.user, self.turn.id).await? else {
            return Ok(false);
        };
        // A title identifies a task only if all tasks are known, unchanged since the message arrived, and readable.
        let mut list = vec![];
        if self.caller.may(Scope::TasksRead) && !self.has_changed_tasks() {
            let found = tasks::page(&mut tx, &self.caller, &Filter::default(), None, LISTED).await?;
            list = if found.next.is_none() { found.tasks } else { vec![] };
        }
        let moment = self.moment();
        let canonical = |call: Call| {
            let operation = self.state.tools().prepare(ToolName::parse(&call.tool)?, call.arguments, &moment).ok()?;
            Some(ApprovalCall { tool: operation.tool(), arguments: operation.arguments().clone() })
        };
        let said = (&*self.message(), &moment.now, &*moment.zone);
        let Some(words) = self_confirmation::confirmed(said, &approval, &list, canonical) else { return Ok(false) };
        let (ctx, id) = (&self.state.ctx, approval.approval_id);
        let via = DecidedVia::Inline;
        match approvals::decide(ctx, &mut tx, &self.caller, id, Verdict::Approve, via, Some(&words)).await {
            Ok(_) => {}
            // A button was faster; its own turn reports the result.
            Err(usecases::Error::Conflict(_)) => return Ok(false),
            // The token has lost a scope since the call requested approval.
            Err(usecases::Error::Forbidden(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        self.withdraw_the_same(&mut tx, &approval).await?;
        self.store_approved(&mut tx, &approval).await?;
        ctx.commit_at(tx, Commit::Inline).await?;
        turn_telemetry::settled(self.state, ApprovalStatus::Approved, Some(via));
        Ok(true)
    }

    fn has_changed_tasks(&self) -> bool {
        let calls = self.machine.steps().iter().flat_map(|step| step.calls().iter().zip(&step.results));
        let changes = |call: &Call| ToolName::parse(&call.tool).is_none_or(|tool| !tool.reads());
        calls.into_iter().any(|(call, result)| result.status == CallStatus::Ok && changes(call))
    }

    /// Records the stored calls of an approval as the turn's next step.
    async fn store_approved(&mut self, tx: &mut Tx, approval: &Approval) -> Result<(), Error> {
        let step = Step {
            origin: Origin::Approval(approval.approval_id),
            reply: engine::stored_calls(&approval.calls),
            results: vec![],
        };
        self.asked = None;
        // Set too if the person answered an agent's approval in a message.
        self.caller.agent = store::agents::asking(tx, self.turn.user, approval.approval_id).await?;
        self.write_step(tx, &step).await?;
        self.machine.push(step);
        Ok(())
    }
}
