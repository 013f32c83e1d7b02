//! View models of a task's history.

use super::{differences, row};
use crate::api::tasks::{PastLine, TaskLife};
use crate::domain::erasure::BareChange;
use crate::domain::task::{Actor, Operation};
use crate::domain::time::Timestamp;
use crate::domain::user::Agent;
use crate::domain::when;
use crate::messages::history as messages;
use crate::usecases::history::{Life, Past};

/// Converts a task with its history; changes with erased text come last.
pub fn life(life: Life, now: &Timestamp, zone: &str) -> TaskLife {
    let known = life.past.into_iter().map(|past| line(past, now, zone));
    let past = known.chain(life.erased.into_iter().map(|bare| bare_line(bare, now, zone))).collect();
    TaskLife { task: row(life.task, now, zone), past }
}

fn line(past: Past, now: &Timestamp, zone: &str) -> PastLine {
    let Past { change, undone, can_undo } = past;
    let changes = match (&change.before, change.operation) {
        (Some(before), Operation::Update) => differences(before, &change.after, now, zone),
        _ => vec![],
    };
    PastLine {
        change_id: change.change_id,
        at_label: when::instant(&change.at, now, zone),
        what: format!(
            "{} {}",
            done(change.operation, change.undoes.is_some()),
            by_hand(change.actor, change.program.as_ref())
        ),
        by: change.actor,
        changes,
        turn_id: change.invocation_id.map(|call| call.turn),
        undone,
        can_undo,
    }
}

/// A change whose text was erased.
fn bare_line(bare: BareChange, now: &Timestamp, zone: &str) -> PastLine {
    PastLine {
        change_id: bare.change_id,
        at_label: when::instant(&bare.at, now, zone),
        what: messages::erased(done(bare.operation, false), by(bare.actor)),
        by: bare.actor,
        changes: vec![],
        turn_id: bare.turn_id,
        undone: false,
        can_undo: false,
    }
}

fn done(operation: Operation, undoing: bool) -> &'static str {
    match (operation, undoing) {
        (Operation::Add, _) => messages::ADDED,
        (Operation::Complete, _) => messages::COMPLETED,
        (Operation::Reopen, _) => messages::REOPENED,
        (Operation::Update, true) => messages::CHANGED_BACK,
        (Operation::Update, false) => messages::CHANGED,
        (Operation::Delete, _) => messages::MOVED_TO_THE_BIN,
        (Operation::Restore, _) => messages::TAKEN_OUT_OF_THE_BIN,
        (Operation::Purge, _) => messages::EMPTIED_FROM_THE_BIN,
    }
}

fn by_hand(actor: Actor, program: Option<&Agent>) -> String {
    match (actor, program) {
        (Actor::User, Some(token)) => messages::by_your_program(&token.label),
        _ => by(actor).to_owned(),
    }
}

fn by(actor: Actor) -> &'static str {
    match actor {
        Actor::User => messages::BY_YOU,
        Actor::Agent => messages::BY_DOCKET_FOR_YOU,
        Actor::External => messages::BY_AN_OUTSIDE_AGENT,
        Actor::System => messages::BY_ITSELF,
    }
}
