//! Turns of the record as files: JSON Lines for programs, CSV for spreadsheets.

use super::audit::Form;
use crate::domain::audit::AuditEntry;
use crate::usecases::import::guarded;

/// The columns of a CSV file.
const HEAD: [&str; 17] = [
    "at",
    "user",
    "turn_id",
    "conversation_id",
    "cause",
    "kind",
    "outcome",
    "engine",
    "engine_cause",
    "intent",
    "message",
    "reply",
    "calls",
    "duration_ms",
    "door",
    "token",
    "session_id",
];

impl Form {
    /// These turns, after the head of the file where they are its first.
    pub fn written(self, entries: &[AuditEntry], first: bool) -> Vec<u8> {
        match self {
            Self::Jsonl => lines(entries),
            Self::Csv => table(entries, first),
        }
    }
}

fn lines(entries: &[AuditEntry]) -> Vec<u8> {
    let mut out = Vec::with_capacity(entries.len() * 1024);
    for entry in entries {
        serde_json::to_writer(&mut out, entry).expect("an entry is plain JSON");
        out.push(b'\n');
    }
    out
}

fn table(entries: &[AuditEntry], first: bool) -> Vec<u8> {
    let mut out = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(vec![]);
    if first {
        out.write_record(HEAD).expect("memory takes every record");
    }
    for entry in entries {
        let calls = entry.tool_calls.iter().map(|call| format!("{}: {}", call.tool, call.status.as_str()));
        let by = entry.by.as_ref();
        let fields = [
            entry.at.to_string(),
            entry.user.clone(),
            entry.turn_id.to_string(),
            entry.conversation_id.to_string(),
            entry.cause.as_str().to_owned(),
            entry.decision.kind.as_str().to_owned(),
            entry.decision.outcome.as_str().to_owned(),
            entry.engine.as_str().to_owned(),
            entry.engine_cause.clone().unwrap_or_default(),
            entry.intent.clone(),
            entry.message.clone().unwrap_or_default(),
            entry.reply.clone(),
            calls.collect::<Vec<_>>().join("; "),
            entry.duration_ms.to_string(),
            by.map(|by| by.door.as_str().to_owned()).unwrap_or_default(),
            by.and_then(|by| by.token.clone()).unwrap_or_default(),
            by.and_then(|by| by.session_id).map(|id| id.to_string()).unwrap_or_default(),
        ];
        // What people wrote is no formula, whatever it begins with.
        out.write_record(fields.map(guarded)).expect("memory takes every record");
    }
    out.into_inner().expect("memory is flushed")
}
