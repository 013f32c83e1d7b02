//! Tests of the column lists' versions: the frozen ones, and a new one in a copy.

use serde_json::json;

use super::*;

/// Every released version of each list: record kind, version, columns, turn columns, and the digest of [`body`] in hexadecimal.
/// Add lines for a new version; never change one.
const FROZEN: &[(&str, u8, &str, &str, &str)] = &[
    (
        "message",
        1,
        "id conversation_id turn_id speaker at",
        "conversation_id",
        "52bf3e70264b55ae76254fe9ffc9ae12ddf1a003f7afbfa28b22ac8cf698902a",
    ),
    (
        "message",
        2,
        "id conversation_id turn_id speaker at seen from_option",
        "conversation_id starter_door starter_token starter_session",
        "02abf3887e40c2317d6a02803cc398b2f94cf0bb8110be14222a287708307386e6",
    ),
    ("step", 1, "turn_id number origin at", "", "e02ad5239f8cdf9e8f1d0a85b3ac456431e846a9cbcbb7ca758bd94f167d2834"),
    (
        "invocation",
        1,
        "turn_id step idx tool called_as risk status approval_id duration_ms at",
        "",
        "2427f6df53a448d032fee1e8670a7927ebed7ad695d0ee4ac1f1c132f6f4e35f",
    ),
    (
        "change",
        1,
        "id task_number operation actor turn_id step idx undoes version_before version_after at",
        "",
        "b2eac933d9162896ba9f39b8576e88d1f4b9c6286f5697d114c53a8879906b27",
    ),
    (
        "decision",
        1,
        "turn_id kind outcome engine engine_cause model constitution asked_approval tokens_in tokens_out cost_micros duration_ms at",
        "conversation_id cause approval_id",
        "32ca804d758c6a3089ca42f837f8bbbd693389986b976d1f8fdef29fe8e229ee",
    ),
    (
        "decision",
        2,
        "turn_id kind outcome engine engine_cause model constitution asked_approval tokens_in tokens_out cost_micros duration_ms at question_of told_seq",
        "conversation_id cause approval_id starter_door starter_token starter_session ordinal accepted_at finished_at",
        "0211c0409c947076d09259e230779791819c25c500729ed60c9b553a8886424a50",
    ),
    (
        "approval_request",
        1,
        "id conversation_id turn_id step created_at expires_at",
        "",
        "bf129822cb6130b40ebb19874ca704001bf3624eadb8e805ac94847559926dd2",
    ),
    (
        "approval_request",
        2,
        "id conversation_id turn_id step created_at expires_at token_id",
        "",
        "028c7d169c290452859a3fd7db3ac91f87ca338c4d9f67330f9ad25ec27ab169fd",
    ),
    (
        "approval_verdict",
        1,
        "id status decided_at decided_by decided_via",
        "",
        "406bd455f62e151ba2b7da4ad6b5040247bcddaed6b2d5f7ad655f3c143c68a2",
    ),
    ("reading", 1, "turn_id reader at", "", "06eadc57c776672dc94e7e257d231bab4e1926df1c9b1aa0a71163e4069daf0c"),
];

/// A body with a value for every column of every version.
fn body() -> Value {
    json!({
        "message_id": "m", "conversation_id": "c", "turn_id": "t", "speaker": "user", "at": "2026-03-11T09:30:00.000Z",
        "number": 3, "origin": "engine", "id": "t.1.2", "tool": "delete_task", "called_as": "delete_todo_task", "risk": "high",
        "result": { "status": "ok" }, "approval_id": "a", "duration_ms": 4, "change_id": "g", "task_id": 5, "operation": "delete",
        "actor": "agent", "invocation_id": "t.6.7", "undoes": "u", "before": { "version": 8 }, "after": { "version": 9 },
        "kind": "INVOKE_TOOL", "outcome": "SUCCESS:TASK_COMPLETED", "engine": "rules", "engine_cause": "x", "model": "y",
        "constitution": "00", "asked_approval": "b", "tokens_in": 10, "tokens_out": 11, "cost_micros": 12,
        "by": { "door": "api", "token_id": "k", "session_id": "s" }, "step": 13, "seen": 20, "option": true,
        "question": { "approval_id": "q" }, "told_seq": 21, "agent": "z",
        "turn": {
            "conversation_id": "d", "cause": "message", "approval_id": "e",
            "by": { "door": "web", "token_id": "l", "session_id": "w" }, "ordinal": 22,
            "accepted_at": "2026-03-11T09:30:01.000Z", "finished_at": "2026-03-11T09:30:02.000Z",
        },
        "expires_at": "2026-03-12T09:30:00.000Z", "status": "approved", "decided_by": "f", "decided_via": "chat", "reader": "r",
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn lists_of_each_version_are_frozen() {
    let mut lists = vec![];
    for table in TABLES {
        for version in 1..=table.version() {
            let names = |columns: &[Column]| {
                let known = columns.iter().filter(|column| column.since <= version).map(|column| column.name);
                known.collect::<Vec<_>>().join(" ")
            };
            let digest = hex(table.said_by(version, &body()).as_ref());
            lists.push((table.kind.as_str(), version, names(table.columns), names(table.turn), digest));
        }
    }
    let frozen = FROZEN.iter().map(|(kind, version, columns, turn, digest)| {
        (*kind, *version, (*columns).to_owned(), (*turn).to_owned(), (*digest).to_owned())
    });
    assert_eq!(lists, frozen.collect::<Vec<_>>());
}

/// Returns the table with a new column and a new turn column in the next version.
fn grown(table: &Table) -> Table {
    let version = table.version() + 1;
    let with = |list: &[Column], column: Column| -> &'static [Column] {
        list.iter().copied().chain([column.since(version)]).collect::<Vec<_>>().leak()
    };
    let turn = if table.turn.is_empty() { &[] } else { with(table.turn, text("door", "/turn/door")) };
    Table { columns: with(table.columns, text("colour", "/colour")), turn, ..*table }
}

/// Returns the row that the body describes as of that version: later columns are null.
fn row(table: &Table, version: u8, body: &Value) -> (Vec<Value>, Vec<Value>) {
    let cell = |column: &Column| if column.since <= version { column.said(body) } else { Value::Null };
    let cells = |list: &[Column]| list.iter().map(cell).collect();
    (cells(table.columns), cells(table.turn))
}

#[test]
fn an_added_column_leaves_earlier_digests_valid() {
    for table in TABLES {
        let grown = grown(table);
        for version in 1..=table.version() {
            let stored = table.said_by(version, &body());
            let (mut columns, turn) = row(&grown, version, &body());
            assert!(grown.holds(stored.as_ref(), &columns, &turn), "{} {version}", table.name);
            for (at, column) in table.columns.iter().enumerate().filter(|(_, column)| column.since <= version) {
                let mut spoilt = columns.clone();
                spoilt[at] = json!("spoilt");
                assert!(!grown.holds(stored.as_ref(), &spoilt, &turn), "{}.{}", table.name, column.name);
            }
            *columns.last_mut().unwrap() = json!("blue");
            assert!(
                !grown.holds(stored.as_ref(), &columns, &turn),
                "{} {version}: a value that no body had",
                table.name
            );
        }
    }
}

#[test]
fn an_added_column_is_covered_by_later_digests() {
    for table in TABLES {
        let grown = grown(table);
        let mut body = body();
        body["colour"] = json!("blue");
        body["turn"]["door"] = json!("api");
        let stored = grown.said(&body);
        assert_eq!((stored.as_ref().len(), stored.as_ref()[0]), (33, grown.version()), "{}", table.name);
        let (columns, turn) = row(&grown, grown.version(), &body);
        assert!(grown.holds(stored.as_ref(), &columns, &turn), "{}", table.name);
        let mut spoilt = columns.clone();
        *spoilt.last_mut().unwrap() = Value::Null;
        assert!(!grown.holds(stored.as_ref(), &spoilt, &turn), "{}", table.name);
        // An older program rejects an unknown version, and a digest is only valid under its own version.
        assert!(!table.holds(stored.as_ref(), &columns[..table.columns.len()], &turn[..table.turn.len()]));
        assert!(!grown.holds(&stored.as_ref()[1..], &columns, &turn), "{}", table.name);
    }
}

#[test]
fn a_stored_digest_has_one_form() {
    let table = &TABLES[0];
    let (columns, turn) = row(table, 1, &body());
    let first = table.said_by(1, &body());
    assert_eq!(first.as_ref().len(), 32, "as it was before lists had versions");
    assert!(table.holds(first.as_ref(), &columns, &turn));
    for other in [&[&[1], first.as_ref()].concat()[..], &first.as_ref()[1..], &[]] {
        assert!(!table.holds(other, &columns, &turn), "{other:?}");
    }
}

#[test]
fn an_older_column_is_compared_only_where_bodies_state_it() {
    let table = Table::of(Kind::Decision).unwrap();
    let at = table.turn.iter().position(|column| column.name == "ordinal").unwrap();
    let (columns, turn) = row(table, 2, &body());
    let spoilt = |turn: &[Value]| {
        let mut spoilt = turn.to_vec();
        spoilt[at] = json!(7);
        spoilt
    };
    assert!(!table.holds(table.said(&body()).as_ref(), &columns, &spoilt(&turn)));
    // Older rows have a value, which neither earlier digests nor bodies without it cover.
    let mut silent = body();
    for name in ["ordinal", "accepted_at", "finished_at"] {
        silent["turn"].as_object_mut().unwrap().remove(name);
    }
    assert!(!table.turn[at].is_stated(&silent) && table.turn[at].is_stated(&body()));
    assert!(table.holds(table.said(&silent).as_ref(), &columns, &spoilt(&turn)));
    let mut first = turn.clone();
    first[3..6].fill(Value::Null);
    let (mut early, digest) = (columns.clone(), table.said_by(1, &silent));
    let newer = table.columns.iter().position(|column| column.since > 1).unwrap();
    assert!(!table.holds(digest.as_ref(), &early, &first), "a value that no body had");
    early[newer..].fill(Value::Null);
    assert!(table.holds(digest.as_ref(), &early, &spoilt(&first)));
}
