//! Turns of the audit log as files: JSON Lines for programs, CSV for spreadsheets.

use super::audit::Form;
use crate::domain::audit::AuditEntry;
use crate::usecases::import::guarded;

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
    /// Encodes the turns; `first` adds the header of a CSV file.
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
    // Without a byte-order mark, Excel decodes the file with its own code page.
    let mark = if first { "\u{feff}" } else { "" };
    let mut out = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(mark.as_bytes().to_vec());
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
        // A spreadsheet must not evaluate user text as a formula.
        out.write_record(fields.map(guarded)).expect("memory takes every record");
    }
    out.into_inner().expect("memory is flushed")
}
