//! What the person said to what was asked: in the message, by a button whose turn carries it out, or in the very words that asked for it.

use super::Run;
use crate::agent::machine::{Origin, Step};
use crate::agent::{engine, inline};
use crate::domain::approval::{Approval, ApprovalCall, ApprovalStatus, DecidedVia, Verdict};
use crate::domain::consent::{self, Answer};
use crate::domain::id::ApprovalId;
use crate::domain::task::Filter;
use crate::domain::text::plain_words;
use crate::domain::tool::{Call, CallStatus, ToolName};
use crate::domain::turn::Cause;
use crate::domain::user::Scope;
use crate::store::{self, Tx};
use crate::usecases::{self, Commit, approvals, tasks};
use crate::workflow::finish::Close;
use crate::workflow::{Error, closing, watch};

/// Why a request is void whose twin was answered.
const ASKED_AGAIN: &str = "The same was asked again, and answered there.";

/// Tasks among which a title is looked for that a message spells out.
const LISTED: i64 = 200;

impl Run<'_> {
    /// Takes a verdict that the turn carries out or its message gives. `Some` ends the turn without the engine, in that transaction.
    pub(super) async fn answer(&mut self) -> Result<Option<(Tx, Close)>, Error> {
        if !self.machine.steps().is_empty() {
            return Ok(None);
        }
        if self.turn.stop_asked {
            return Ok(Some((self.begin().await?, closing::stopped(self.machine.steps()))));
        }
        match self.turn.cause {
            Cause::Message | Cause::Mcp => self.answer_in_chat().await,
            Cause::Approval => self.carry_out().await,
        }
    }

    /// A clear yes or no decides, if exactly one approval waits, it was the last thing asked, and the sender could have seen that
    /// (R-403, R-1102).
    async fn answer_in_chat(&mut self) -> Result<Option<(Tx, Close)>, Error> {
        let Some(answer) = consent::answer(&self.message()) else { return Ok(None) };
        if let Some(close) = self.too_late(&answer).await? {
            return Ok(Some((self.begin().await?, close)));
        }
        let Some(approval) = self.asked_last.clone() else { return Ok(None) };
        if answer == Answer::Yes && !consent::fits(&self.message(), &approval.calls) {
            return Ok(None);
        }
        // What was asked for twice is still one request.
        if self.pending.iter().any(|other| other.calls != approval.calls) {
            return Ok(None);
        }
        if !self.may_answer().await? {
            // Anything beside the yes or no is a request of its own.
            let bare = matches!(answer, Answer::Yes | Answer::No);
            return if bare { Ok(Some((self.begin().await?, closing::unseen()))) } else { Ok(None) };
        }
        let verdict = match answer {
            Answer::Yes => Verdict::Approve,
            Answer::No | Answer::NoBut(_) => Verdict::Reject,
        };
        let mut tx = self.begin().await?;
        let id = approval.approval_id;
        match approvals::decide(&self.state.ctx, &mut tx, &self.caller, id, verdict, DecidedVia::Chat, None).await {
            Ok(_) => {}
            // Another door was quicker.
            Err(error @ usecases::Error::Conflict(_)) => {
                self.answered = Some(id);
                return Ok(Some((tx, closing::too_late(error.to_string()))));
            }
            // Its sender's token may not do what was asked about: the request still waits.
            Err(usecases::Error::Forbidden(why)) => return Ok(Some((tx, closing::refused(&[], &why)))),
            Err(error) => return Err(error.into()),
        }
        (self.answered, self.verdict) = (Some(id), Some(verdict));
        self.withdraw_the_same(&mut tx, id).await?;
        if answer == Answer::No {
            // Told in the transaction that decides it: a turn that goes on elsewhere would no longer know what it was told.
            return Ok(Some((tx, closing::rejected(&approval))));
        }
        if answer == Answer::Yes {
            self.store_approved(&mut tx, &approval).await?;
        }
        self.state.ctx.commit_at(tx, Commit::Yes).await?;
        watch::settled_in_chat(self.state, self.verdict.take());
        self.context.pending.clear();
        Ok(None)
    }

    /// Returns true if the message can be an answer to the last reply: its sender could have seen that when they sent it, and pressed
    /// no option but one of that reply's own.
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

    /// What asked for the same earlier waits for no answer of its own.
    async fn withdraw_the_same(&self, tx: &mut Tx, answered: ApprovalId) -> Result<(), Error> {
        for other in self.pending.iter().filter(|other| other.approval_id != answered) {
            approvals::withdraw(&self.state.ctx, tx, &self.caller, other, ASKED_AGAIN).await?;
        }
        Ok(())
    }

    /// Tells a yes or no that came after another door's who decided and when.
    async fn too_late(&mut self, answer: &Answer) -> Result<Option<Close>, Error> {
        let about = self.last_reply.and_then(|reply| reply.about);
        let (Some(id), None, Answer::Yes | Answer::No) = (about, &self.asked_last, answer) else {
            return Ok(None);
        };
        let approval = approvals::get(&self.state.ctx, &self.caller, id).await?;
        let Some(text) = approvals::settled(&self.state.ctx, &self.caller, &approval) else { return Ok(None) };
        self.answered = Some(id);
        Ok(Some(closing::too_late(text)))
    }

    /// A verdict by button runs the stored calls; rejection and expiry are told by code.
    async fn carry_out(&mut self) -> Result<Option<(Tx, Close)>, Error> {
        let Some(id) = self.turn.approval else { return Ok(None) };
        let mut tx = self.begin().await?;
        let Some(approval) = store::approvals::get(&mut tx, self.turn.user, id).await? else { return Ok(None) };
        let close = match approval.status {
            ApprovalStatus::Approved => {
                self.store_approved(&mut tx, &approval).await?;
                self.state.ctx.commit_at(tx, Commit::CarryOut).await?;
                return Ok(None);
            }
            ApprovalStatus::Rejected => closing::rejected(&approval),
            ApprovalStatus::Expired | ApprovalStatus::Void | ApprovalStatus::Pending => closing::expired(&approval),
        };
        Ok(Some((tx, close)))
    }

    /// Approves at once what the very message has confirmed, by the rules' reading of it and never by a model's claim.
    pub(super) async fn confirmed_inline(&mut self) -> Result<bool, Error> {
        // Once: what was done is not confirmed for a second time.
        let done = self.machine.steps().iter().any(|step| matches!(step.origin, Origin::Approval(_)));
        if self.turn.cause != Cause::Message || done || consent::confirmation(&self.message()).is_none() {
            return Ok(false);
        }
        let mut tx = self.begin().await?;
        // An option is somebody else's wording: a model may have put the confirmation into it.
        if store::consent::view(&mut tx, self.turn.user, self.turn.id).await?.option {
            return Ok(false);
        }
        let Some(approval) = store::approvals::of_turn(&mut tx, self.turn.user, self.turn.id).await? else {
            return Ok(false);
        };
        // Without all tasks at hand as they were when the message came, or the right to read them, no title is sure to mean one task.
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
        let Some(words) = inline::confirmed(said, &approval, &list, canonical) else { return Ok(false) };
        let (ctx, id) = (&self.state.ctx, approval.approval_id);
        let via = DecidedVia::Inline;
        match approvals::decide(ctx, &mut tx, &self.caller, id, Verdict::Approve, via, Some(&words)).await {
            Ok(_) => {}
            // A button was quicker; its own turn says what came of it.
            Err(usecases::Error::Conflict(_)) => return Ok(false),
            // The token has lost a scope since the call asked.
            Err(usecases::Error::Forbidden(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        self.store_approved(&mut tx, &approval).await?;
        ctx.commit_at(tx, Commit::Inline).await?;
        watch::settled(self.state, ApprovalStatus::Approved, Some(via));
        Ok(true)
    }

    /// Returns true if a call of the turn has changed a task.
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
        // Also where the person answered an outside agent's request by words of their own.
        self.caller.agent = store::agents::asking(tx, self.turn.user, approval.approval_id).await?;
        self.write_step(tx, &step).await?;
        self.machine.push(step);
        Ok(())
    }
}
