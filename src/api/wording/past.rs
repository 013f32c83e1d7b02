//! What happened to a task, in words.

use super::{differences, row};
use crate::api::tasks::{PastLine, TaskLife};
use crate::domain::erasure::BareChange;
use crate::domain::task::{Actor, Operation};
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::usecases::history::{Life, Past};

/// A task with its past.
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
        what: format!("{} {}", done(change.operation, change.undoes.is_some()), by(change.actor)),
        by: change.actor,
        changes,
        turn_id: change.invocation_id.map(|call| call.turn),
        undone,
        can_undo,
    }
}

/// A change whose text is erased.
fn bare_line(bare: BareChange, now: &Timestamp, zone: &str) -> PastLine {
    PastLine {
        change_id: bare.change_id,
        at_label: when::instant(&bare.at, now, zone),
        what: format!("{} {}; what it said was erased", done(bare.operation, false), by(bare.actor)),
        by: bare.actor,
        changes: vec![],
        turn_id: bare.turn_id,
        undone: false,
        can_undo: false,
    }
}

fn done(operation: Operation, undoing: bool) -> &'static str {
    match (operation, undoing) {
        (Operation::Add, _) => "Added",
        (Operation::Complete, _) => "Completed",
        (Operation::Reopen, _) => "Reopened",
        (Operation::Update, true) => "Changed back",
        (Operation::Update, false) => "Changed",
        (Operation::Delete, _) => "Moved to the bin",
        (Operation::Restore, _) => "Taken out of the bin",
        (Operation::Purge, _) => "Emptied from the bin",
    }
}

fn by(actor: Actor) -> &'static str {
    match actor {
        Actor::User => "by you",
        Actor::Agent => "by Docket for you",
        Actor::External => "by an outside agent",
        Actor::System => "by itself",
    }
}
