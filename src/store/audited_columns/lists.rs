//! Lists of audited columns: for each table, the columns that a record vouches for, and their paths in the record's body.
//!
//! An erasure removes a body and keeps a digest of its columns. A digest covers the columns of one version of the list, in order,
//! and states that version. A column added later therefore leaves earlier digests valid.
//!
//! # Adding a column
//!
//! 1. Write the value into the record's body and into a new, nullable column (one migration for each database).
//! 2. Append the column to its table below with `.since(n)`: `n` is [`Table::version`] of that table plus 1. Columns that one
//!    release adds to a table share one `n`. Add the version to `FROZEN` in the tests of this module and to the list in
//!    `docs/record-format.md`.
//! 3. Never reorder, rename or remove an entry, and never change its pointer: each version is frozen once it is released.
//!
//! A body written before the column existed does not contain it, and neither does its row: both count as null and must be equal.
//! A value that appears in the column of such a row afterwards is a finding. Add a column that older rows already fill with
//! `.older()`. From then on every body states it, null as well. It is compared only where a body states it, and nothing vouches
//! for older rows. `docs/trust.md` names such columns.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::store::records::Kind;

/// A table whose rows have a record each.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    pub name: &'static str,
    /// Kind of its records.
    pub kind: Kind,
    /// Column with the record's number.
    pub seq: &'static str,
    /// First column of its key, an id.
    pub(super) key: &'static str,
    /// Columns of all versions, in digest order.
    pub columns: &'static [Column],
    /// Columns of the row's turn that the body contains as well; empty if the turn is not compared.
    pub turn: &'static [Column],
}

/// An audited column and its place in the record's body.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub(super) holds: Holds,
    said: Said,
    /// First version of the table's list that contains it.
    since: u8,
    /// True if rows from before that version may have a value that their bodies omit.
    is_older: bool,
}

/// Type of a column's value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holds {
    Id,
    Text,
    Number,
    /// True, or null for false, since a body contains it only if set.
    Flag,
    Instant,
    Day,
}

#[derive(Debug, Clone, Copy)]
enum Said {
    /// A JSON pointer (RFC 6901).
    At(&'static str),
    /// The turn (0), step (1) or index (2) of the call at a JSON pointer.
    Call(&'static str, usize),
}

impl Column {
    /// Returns the value in the body; null if the body does not contain it.
    pub fn said(&self, body: &Value) -> Value {
        match self.said {
            Said::At(pointer) => body.pointer(pointer).cloned().unwrap_or(Value::Null),
            Said::Call(pointer, part) => {
                let call = body.pointer(pointer).and_then(Value::as_str);
                let part = call.and_then(|call| call.splitn(3, '.').nth(part));
                match (part, self.holds) {
                    (None, _) => Value::Null,
                    (Some(part), Holds::Number) => part.parse::<i64>().map_or(Value::Null, Value::from),
                    (Some(part), _) => Value::from(part),
                }
            }
        }
    }

    /// Returns true if the row's value must equal the body's. A body may omit a column that existed before it was listed.
    pub fn is_stated(&self, body: &Value) -> bool {
        match self.said {
            Said::At(pointer) if self.is_older => body.pointer(pointer).is_some(),
            _ => true,
        }
    }

    /// Sets the first version whose lists contain the column.
    const fn since(self, version: u8) -> Self {
        Self { since: version, ..self }
    }

    /// Marks the column as filled by earlier rows whose bodies omit it.
    const fn older(self) -> Self {
        Self { is_older: true, ..self }
    }
}

impl Table {
    /// Returns the table whose rows have records of that kind.
    pub fn of(kind: Kind) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.kind == kind)
    }

    /// Returns the current version of the table's column lists, from 1.
    pub fn version(&self) -> u8 {
        self.columns.iter().chain(self.turn).map(|column| column.since).max().unwrap_or(1)
    }

    /// Returns the digest of the body's columns by the current version, which an erasure keeps.
    pub fn said(&self, body: &Value) -> Digest {
        self.said_by(self.version(), body)
    }

    /// Returns the digest as computed by the release of an earlier version.
    pub(crate) fn said_by(&self, version: u8, body: &Value) -> Digest {
        let turn: &[Column] = if self.tells_of_turn(body) { self.turn } else { &[] };
        let columns = self.columns.iter().chain(turn).filter(|column| column.since <= version);
        Digest::new(version, columns.map(|column| column.said(body)))
    }

    /// Returns the values of the row's own columns according to the body, in the order of [`Self::columns`].
    pub fn cells(&self, body: &Value) -> Vec<Value> {
        self.columns.iter().map(|column| column.said(body)).collect()
    }

    /// Returns true if the body has values of the row's turn, which older decisions lack.
    pub fn tells_of_turn(&self, body: &Value) -> bool {
        self.turn.iter().any(|column| !column.said(body).is_null())
    }

    /// Returns true if the stored digest matches these values by its own version, with or without the turn's columns. Columns
    /// newer than that version must be null, unless earlier rows fill them. Values are in the order of [`Table::columns`] and
    /// [`Table::turn`].
    pub fn holds(&self, stored: &[u8], columns: &[Value], turn: &[Value]) -> bool {
        let Some(version) = Digest::version_of(stored).filter(|version| *version <= self.version()) else {
            return false;
        };
        let listed = || self.columns.iter().zip(columns).chain(self.turn.iter().zip(turn));
        if listed().any(|(column, value)| column.since > version && !column.is_older && !value.is_null()) {
            return false;
        }
        // The body may have omitted its turn, and columns that existed before they were listed.
        [false, true].into_iter().any(|is_silent| {
            let covered = |(column, value): (&Column, &Value)| {
                let value = if is_silent && column.is_older { Value::Null } else { value.clone() };
                (column.since <= version).then_some(value)
            };
            let own = self.columns.iter().zip(columns).filter_map(covered);
            Digest::new(version, listed().filter_map(covered)).as_ref() == stored
                || Digest::new(version, own).as_ref() == stored
        })
    }
}

/// A digest of a row's columns with its version, which an erasure keeps of a body.
///
/// Version 1 is stored as 32 bytes, as before versions existed. Later versions are stored as a byte with the version and the 32
/// bytes. The sum over an erasure's digests covers these bytes, and so the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 33]);

/// Bytes of the digest without its version.
const BYTES: usize = 32;

impl Digest {
    /// Computes SHA-256 over the values as a JSON list. None of them contains text written by a person.
    fn new(version: u8, values: impl Iterator<Item = Value>) -> Self {
        let mut bytes = [version; 33];
        bytes[1..].copy_from_slice(&Sha256::digest(Value::from_iter(values).to_string()));
        Self(bytes)
    }

    /// Returns the version of a stored digest; `None` if malformed.
    fn version_of(stored: &[u8]) -> Option<u8> {
        match stored {
            [version, digest @ ..] if *version > 1 && digest.len() == BYTES => Some(*version),
            digest if digest.len() == BYTES => Some(1),
            _ => None,
        }
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        let from = usize::from(self.0[0] == 1);
        &self.0[from..]
    }
}

const fn column(name: &'static str, holds: Holds, said: Said) -> Column {
    Column { name, holds, said, since: 1, is_older: false }
}

const fn id(name: &'static str, pointer: &'static str) -> Column {
    column(name, Holds::Id, Said::At(pointer))
}

const fn text(name: &'static str, pointer: &'static str) -> Column {
    column(name, Holds::Text, Said::At(pointer))
}

const fn number(name: &'static str, pointer: &'static str) -> Column {
    column(name, Holds::Number, Said::At(pointer))
}

const fn instant(name: &'static str, pointer: &'static str) -> Column {
    column(name, Holds::Instant, Said::At(pointer))
}

const fn call(name: &'static str, holds: Holds, pointer: &'static str, part: usize) -> Column {
    column(name, holds, Said::Call(pointer, part))
}

/// All audited tables. `user_id` and the record number link a row to its record.
#[rustfmt::skip]
pub const TABLES: &[Table] = &[
    Table { name: "messages", kind: Kind::Message, seq: "record_seq", key: "turn_id", columns: &[
        id("id", "/message_id"), id("conversation_id", "/conversation_id"), id("turn_id", "/turn_id"),
        text("speaker", "/speaker"), instant("at", "/at"), number("seen", "/seen").since(2),
        column("from_option", Holds::Flag, Said::At("/option")).since(2),
    ], turn: &[
        id("conversation_id", "/conversation_id"), text("starter_door", "/by/door").since(2),
        id("starter_token", "/by/token_id").since(2), id("starter_session", "/by/session_id").since(2),
    ] },
    Table { name: "steps", kind: Kind::Step, seq: "record_seq", key: "turn_id", columns: &[
        id("turn_id", "/turn_id"), number("number", "/number"), text("origin", "/origin"), instant("at", "/at"),
    ], turn: &[] },
    Table { name: "invocations", kind: Kind::Invocation, seq: "record_seq", key: "turn_id", columns: &[
        call("turn_id", Holds::Id, "/id", 0), call("step", Holds::Number, "/id", 1), call("idx", Holds::Number, "/id", 2),
        text("tool", "/tool"), text("called_as", "/called_as"), text("risk", "/risk"), text("status", "/result/status"),
        id("approval_id", "/approval_id"), number("duration_ms", "/duration_ms"), instant("at", "/at"),
    ], turn: &[] },
    Table { name: "changes", kind: Kind::Change, seq: "record_seq", key: "id", columns: &[
        id("id", "/change_id"), number("task_number", "/task_id"), text("operation", "/operation"), text("actor", "/actor"),
        call("turn_id", Holds::Id, "/invocation_id", 0), call("step", Holds::Number, "/invocation_id", 1),
        call("idx", Holds::Number, "/invocation_id", 2), id("undoes", "/undoes"),
        number("version_before", "/before/version"), number("version_after", "/after/version"), instant("at", "/at"),
    ], turn: &[] },
    Table { name: "decisions", kind: Kind::Decision, seq: "record_seq", key: "turn_id", columns: &[
        id("turn_id", "/turn_id"), text("kind", "/kind"), text("outcome", "/outcome"), text("engine", "/engine"),
        text("engine_cause", "/engine_cause"), text("model", "/model"), text("constitution", "/constitution"),
        id("asked_approval", "/asked_approval"), number("tokens_in", "/tokens_in"), number("tokens_out", "/tokens_out"),
        number("cost_micros", "/cost_micros"), number("duration_ms", "/duration_ms"), instant("at", "/at"),
        id("question_of", "/question/approval_id").since(2), number("told_seq", "/told_seq").since(2),
    ], turn: &[
        id("conversation_id", "/turn/conversation_id"), text("cause", "/turn/cause"), id("approval_id", "/turn/approval_id"),
        text("starter_door", "/turn/by/door").since(2), id("starter_token", "/turn/by/token_id").since(2),
        id("starter_session", "/turn/by/session_id").since(2), number("ordinal", "/turn/ordinal").since(2).older(),
        instant("accepted_at", "/turn/accepted_at").since(2).older(), instant("finished_at", "/turn/finished_at").since(2).older(),
    ] },
    Table { name: "approvals", kind: Kind::ApprovalRequest, seq: "record_seq", key: "id", columns: &[
        id("id", "/approval_id"), id("conversation_id", "/conversation_id"), id("turn_id", "/turn_id"),
        number("step", "/step"), instant("created_at", "/at"), instant("expires_at", "/expires_at"),
        id("token_id", "/agent").since(2).older(),
    ], turn: &[] },
    Table { name: "approvals", kind: Kind::ApprovalVerdict, seq: "decided_seq", key: "id", columns: &[
        id("id", "/approval_id"), text("status", "/status"), instant("decided_at", "/at"), id("decided_by", "/decided_by"),
        text("decided_via", "/decided_via"),
    ], turn: &[] },
    Table { name: "readings", kind: Kind::Reading, seq: "record_seq", key: "turn_id", columns: &[
        id("turn_id", "/turn_id"), id("reader", "/reader"), instant("at", "/at"),
    ], turn: &[] },
];

#[cfg(test)]
mod tests;
