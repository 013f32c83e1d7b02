//! Inputs of a turn from earlier turns, read from the database each time.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use crate::agent::context::{self, Entry, Pending};
use crate::agent::engine::{self, Usage};
use crate::agent::machine::{Origin, Step};
use crate::domain::approval::{Approval, ApprovalStatus};
use crate::domain::conversation::Speaker;
use crate::domain::decision::DecisionKind;
use crate::domain::decision_inputs::Asked;
use crate::domain::id::{ApprovalId, InvocationId, MessageId, TurnId, UserId};
use crate::domain::live::EventKind;
use crate::domain::time::Timestamp;
use crate::domain::turn::Invocation;

use crate::store::messages::Spoken;
use crate::store::steps::{self, StepRow};
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};

use super::Error;

/// Returns the conversation up to the turn's trigger, oldest first, in at most `limit` messages, and the ids of these messages.
pub async fn entries(tx: &mut Tx, turn: &TurnRow, limit: i64) -> Result<(Vec<Entry>, Vec<MessageId>), Error> {
    let spoken = store::messages::recent(tx, turn.user, turn.conversation, turn.ordinal, limit).await?;
    let from = spoken.first().map_or(turn.ordinal, |message| message.ordinal);
    let (user, to) = (turn.user, turn.ordinal);
    let mut steps = if from < to { steps_between(tx, turn, from).await? } else { HashMap::new() };
    // A finished turn's own reply is no input.
    let own_reply = |it: &Spoken| it.turn == turn.id && it.speaker == Speaker::Assistant;
    let spoken: Vec<_> = spoken.into_iter().filter(|message| !own_reply(message)).collect();
    let told = spoken.iter().map(|message| message.id).collect();
    let mut entries = Vec::new();
    for message in spoken {
        // Erased messages are omitted.
        let Some(text) = message.text else { continue };
        match message.speaker {
            Speaker::User => entries.push(Entry::User { text }),
            Speaker::Assistant => {
                entries.extend(verdict(tx, user, message.approval).await?);
                entries.extend(steps.remove(&message.turn).unwrap_or_default().iter().filter_map(context::entry));
                entries.push(Entry::Assistant { text, kind: message.kind.unwrap_or(DecisionKind::RespondOnly) });
            }
        }
    }
    // A verdict's turn has no message.
    entries.extend(verdict(tx, user, turn.approval).await?);
    Ok((entries, told))
}

/// Returns the pending approvals for an engine, oldest first. `asked_last` was asked about last.
pub fn waiting(pending: &[Approval], asked_last: Option<ApprovalId>) -> Vec<Pending> {
    let waits = |(at, approval): (usize, &Approval)| Pending {
        question: approval.question.clone(),
        asked_last: Some(approval.approval_id) == asked_last,
        is_repeated: pending[at + 1..].iter().any(|newer| newer.calls == approval.calls),
    };
    pending.iter().enumerate().map(waits).collect()
}

/// Returns the steps of the conversation's turns from ordinal `from` up to `turn`.
async fn steps_between(tx: &mut Tx, turn: &TurnRow, from: i64) -> Result<HashMap<TurnId, Vec<Step>>, Error> {
    let (user, conversation, to) = (turn.user, turn.conversation, turn.ordinal);
    let invocations = store::invocations::between(tx, user, conversation, from, to).await?;
    let mut steps: HashMap<TurnId, Vec<Step>> = HashMap::new();
    for (of, row) in store::steps::between(tx, user, conversation, from, to).await? {
        if !row.reply.is_null() {
            let own = invocations.iter().filter(|invocation| invocation.id.turn == of);
            steps.entry(of).or_default().push(step(row, own)?);
        }
    }
    Ok(steps)
}

/// Returns the verdict that a turn carries out.
async fn verdict(tx: &mut Tx, user: UserId, approval: Option<ApprovalId>) -> Result<Option<Entry>, Error> {
    let Some(id) = approval else { return Ok(None) };
    let Some(approval) = store::approvals::get(tx, user, id).await? else { return Ok(None) };
    if approval.is_erased() {
        return Ok(None);
    }
    let approved = matches!(approval.status, ApprovalStatus::Approved | ApprovalStatus::Void);
    let reason = match approval.status {
        ApprovalStatus::Expired => Some("nobody answered in time".to_owned()),
        _ => approval.reason,
    };
    Ok(Some(Entry::Verdict { question: approval.question, approved, reason }))
}

/// Returns the turn's recorded steps with the results of their finished calls.
pub async fn steps_of(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Vec<Step>, Error> {
    let rows = store::steps::of_turn(tx, user, turn).await?;
    if rows.is_empty() {
        return Ok(vec![]);
    }
    let invocations = store::invocations::of_turn(tx, user, turn).await?;
    rows.into_iter().filter(|row| !row.reply.is_null()).map(|row| step(row, invocations.iter())).collect()
}

/// Returns true if a record of the turn is erased, or of a turn that requested the calls it carries out.
pub async fn is_erased(tx: &mut Tx, turn: &TurnRow) -> Result<bool, Error> {
    let mut next = Some(turn.clone());
    while let Some(turn) = next {
        if store::turn_detail::is_erased(tx, turn.user, turn.id).await? {
            return Ok(true);
        }
        let Some(approval) = turn.approval else { return Ok(false) };
        let Some(approval) = store::approvals::get(tx, turn.user, approval).await? else { return Ok(false) };
        next = store::turns::get(tx, turn.user, approval.turn_id).await?;
    }
    Ok(false)
}

/// Returns true if an input of the turn's engine is erased: one of these messages, a step of their turns, or one of these approvals.
pub async fn is_context_erased(
    tx: &mut Tx,
    turn: &TurnRow,
    messages: &[MessageId],
    pending: &[ApprovalId],
) -> Result<bool, Error> {
    // One more, because the turn's own reply is newer.
    let limit = i64::try_from(messages.len() + 1).unwrap_or(i64::MAX);
    let spoken = store::messages::recent(tx, turn.user, turn.conversation, turn.ordinal, limit).await?;
    let mut turns = HashSet::new();
    let mut approvals: HashSet<ApprovalId> = pending.iter().copied().collect();
    for message in spoken.iter().filter(|message| messages.contains(&message.id)) {
        turns.insert(message.turn);
        approvals.extend(message.approval);
    }
    for turn_id in turns {
        if store::turn_detail::is_erased(tx, turn.user, turn_id).await? {
            return Ok(true);
        }
    }
    for approval in approvals {
        if store::approvals::get(tx, turn.user, approval).await?.is_some_and(|approval| approval.is_erased()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the tokens that the user's unfinished turns have used; their decisions do not count them yet.
pub async fn under_way(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    let rows = store::steps::under_way(tx, user).await?.into_iter().filter(|row| !row.reply.is_null());
    let steps: Vec<Step> = rows.map(|row| step(row, std::iter::empty())).collect::<Result<_, _>>()?;
    Ok(engine::usage(&steps).map_or(0, Usage::all))
}

/// Returns the number of rounds used by the turn that requested the calls of `turn`, and by the turns before it in turn.
pub async fn rounds_of_asking(tx: &mut Tx, turn: &TurnRow) -> Result<usize, Error> {
    let (mut used, mut carries_out) = (0, turn.approval);
    while let Some(approval) = carries_out {
        let Some(approval) = store::approvals::get(tx, turn.user, approval).await? else { break };
        let steps = steps_of(tx, turn.user, approval.turn_id).await?;
        used += steps.iter().filter(|step| step.origin == Origin::Engine && !step.calls().is_empty()).count();
        carries_out = store::turns::get(tx, turn.user, approval.turn_id).await?.and_then(|asking| asking.approval);
    }
    Ok(used)
}

/// Converts a step and its engine's inputs to a row; the inverse of reading it.
pub fn recorded(step: &Step, number: usize, asked: Option<&Asked>) -> Result<StepRow, Error> {
    let mut reply = serde_json::to_value(&step.reply)?;
    if let Some(asked) = asked {
        reply["asked"] = serde_json::to_value(asked)?;
    }
    let origin = match step.origin {
        Origin::Engine => steps::Origin::Engine,
        Origin::Approval(approval) | Origin::Again(approval) => {
            reply["approval_id"] = serde_json::to_value(approval)?;
            reply["again"] = matches!(step.origin, Origin::Again(_)).into();
            steps::Origin::Approval
        }
    };
    let number = i32::try_from(number).expect("a turn has few steps");
    Ok(StepRow { number, origin, reply })
}

/// Stores step `number` before its calls run, and announces the calls in `round` of at most `of`.
pub async fn keep(
    tx: &mut Tx,
    user: UserId,
    turn: TurnId,
    (step, asked): (&Step, Option<&Asked>),
    number: usize,
    (round, of): (Option<usize>, u32),
    at: &Timestamp,
) -> Result<(), Error> {
    let row = recorded(step, number, asked)?;
    store::steps::insert(tx, user, turn, &row, at).await?;
    // A step over the limit is stored too, but its calls do not start.
    let Some(round) = round else { return Ok(()) };
    for (index, call) in (0..).zip(step.calls()) {
        let invocation = InvocationId { turn, step: row.number, index };
        let heard = json!({
            "turn_id": turn, "invocation_id": invocation, "tool": call.tool, "step": round, "steps": of,
        });
        store::events::append(tx, user, EventKind::ToolStarted, &heard, at).await?;
    }
    Ok(())
}

fn step<'a>(row: StepRow, invocations: impl Iterator<Item = &'a Invocation>) -> Result<Step, Error> {
    let own = invocations.filter(|invocation| invocation.id.step == row.number);
    let origin = match row.origin {
        steps::Origin::Engine => Origin::Engine,
        steps::Origin::Approval => {
            let approval = serde_json::from_value::<ApprovalId>(row.reply["approval_id"].clone())?;
            if row.reply["again"] == true { Origin::Again(approval) } else { Origin::Approval(approval) }
        }
    };
    let results = own.map(|invocation| invocation.result.clone()).collect();
    let reply = serde_json::from_value(row.reply)?;
    Ok(Step { origin, reply, results })
}
