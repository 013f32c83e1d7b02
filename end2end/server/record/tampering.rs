//! What may be done to the record and to the rows that it vouches for, behind the server's back, and what is then found.

use super::{ADA, number};

const BOB: &str = "(SELECT id FROM users WHERE name = 'bob')";
/// Before anything was.
const PAST: &str = "'2020-01-01T00:00:00.000Z'";

/// A row of ada's: its table, the column that names its record, that record's kind, which of the rows, and what its columns are set to.
type Edits = (&'static str, &'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

#[rustfmt::skip]
const EDITS: &[Edits] = &[
    ("messages", "record_seq", "message", "speaker = 'user'", &[
        ("id", "conversation_id"), ("conversation_id", "turn_id"), ("turn_id", "id"), ("at", PAST),
    ]),
    // A turn of an answer has no message of the person's that would be in the way.
    ("messages", "record_seq", "message", "turn_id IN (SELECT id FROM turns WHERE cause = 'approval')", &[("speaker", "'user'")]),
    ("steps", "record_seq", "step", "origin = 'engine'", &[
        ("turn_id", "user_id"), ("number", "99"), ("origin", "'approval'"), ("at", PAST),
    ]),
    ("invocations", "record_seq", "invocation", "tool = 'add_task'", &[
        ("turn_id", "user_id"), ("step", "99"), ("idx", "99"), ("tool", "'get_task'"), ("called_as", "'get_task'"),
        ("risk", "'low'"), ("status", "'error'"), ("approval_id", "turn_id"), ("duration_ms", "99999"), ("at", PAST),
    ]),
    ("changes", "record_seq", "change", "actor = 'agent'", &[
        ("id", "user_id"), ("task_number", "99"), ("operation", "'delete'"), ("actor", "'system'"), ("turn_id", "user_id"),
        ("step", "99"), ("idx", "99"), ("undoes", "id"), ("version_before", "77"), ("version_after", "77"), ("at", PAST),
    ]),
    ("decisions", "record_seq", "decision", "kind = 'INVOKE_TOOL'", &[
        ("turn_id", "user_id"), ("kind", "'REFUSE'"), ("outcome", "'ERROR:CANCELLED'"), ("engine", "'openai'"),
        ("engine_cause", "'LLM_UNAVAILABLE'"), ("model", "'large'"), ("constitution", "'00'"), ("asked_approval", "turn_id"),
        ("tokens_in", "1"), ("tokens_out", "1"), ("cost_micros", "1"), ("duration_ms", "99999"), ("at", PAST),
    ]),
    ("approvals", "record_seq", "approval_request", "decided_via = 'chat'", &[
        ("id", "turn_id"), ("conversation_id", "turn_id"), ("turn_id", "conversation_id"), ("step", "99"),
        ("created_at", PAST), ("expires_at", PAST),
    ]),
    ("approvals", "decided_seq", "approval_verdict", "decided_via = 'chat'", &[
        ("status", "'rejected'"), ("decided_at", PAST), ("decided_by", "id"), ("decided_via", "'web'"),
    ]),
    ("readings", "record_seq", "reading", "1 = 1", &[("turn_id", "reader"), ("reader", "user_id"), ("at", PAST)]),
];

/// What is done to turns of ada's, which have no records: of which cause, what its columns are set to, or that it goes, the kind of
/// the first record that is then broken, and what is said of it.
#[rustfmt::skip]
const TURNS: &[(&str, Option<&str>, &str, &str)] = &[
    ("message", Some("cause = 'mcp'"), "decision", "turns.cause is not what was recorded."),
    ("approval", Some("approval_id = id"), "decision", "turns.approval_id is not what was recorded."),
    ("message", Some("status = 'queued'"), "decision", "its turn is open again."),
    ("message", Some("conversation_id = id"), "message", "turns.conversation_id is not what was recorded."),
    ("message", Some("user_id = BOB"), "message", "its turn is missing or somebody else's."),
    ("message", None, "message", "its turn is missing or somebody else's."),
    ("approval", None, "message", "its turn is missing or somebody else's."),
];

/// What columns of ada's account are set to.
#[rustfmt::skip]
const ACCOUNT: &[(&str, &str)] = &[
    ("role", "'admin'"), ("zone", "'UTC'"), ("disabled", "NOT disabled"), ("uses_model", "NOT uses_model"), ("created_at", PAST),
];

/// What columns of ada's token are set to.
const TOKEN: &[(&str, &str)] =
    &[("label", "'other'"), ("scopes", "'chat'"), ("budget", "7"), ("created_at", PAST), ("revoked_at", "created_at")];

/// What is set in ada's task 2, and what is then said of it.
#[rustfmt::skip]
const TASK: &[(&str, &str)] = &[
    ("title = 'stolen'", "title of task #2"), ("description = 'x'", "description of task #2"),
    ("status = 'completed'", "status of task #2"), ("due_date = '2030-01-01', due_day = '2030-01-01'", "due of task #2"),
    ("priority = 3", "priority of task #2"), ("project = 'x'", "project of task #2"), ("tags = '[\"x\"]'", "tags of task #2"),
    ("recurrence = 'FREQ=DAILY'", "recurrence of task #2"), ("created_at = '2020-01-01T00:00:00.000Z'", "created_at of task #2"),
    ("updated_at = '2020-01-01T00:00:00.000Z'", "updated_at of task #2"), ("completed_at = created_at", "completed_at of task #2"),
    ("deleted_at = created_at", "deleted_at of task #2"), ("version = 9", "task #2 changed without a record since."),
    ("title = '', search = '', tag_keys = '', deleted_at = created_at, purged_at = created_at", "task #2 is not purged as was recorded."),
];

/// Something done to ada's record or rows, the record that is then the first broken one, and what is said of it.
pub struct Tampering {
    pub done: Vec<String>,
    pub at: i64,
    pub said: String,
    /// Whether another's record is broken by it as well.
    pub elsewhere: bool,
}

impl Tampering {
    fn new(done: &[&str], at: i64, said: &str) -> Self {
        let done = done.iter().map(|sql| sql.replace("ADA", ADA).replace("BOB", BOB)).collect();
        Self { done, at, said: said.to_owned(), elsewhere: false }
    }
}

/// Every column of every kind of row, and every such row gone.
pub async fn of_rows(url: &str) -> Vec<Tampering> {
    let mut all = vec![];
    for (table, seq, kind, which, columns) in EDITS {
        let at = number(url, &format!("SELECT MIN({seq}) FROM {table} WHERE user_id = {ADA} AND {which}")).await;
        let row = format!("WHERE user_id = ADA AND {seq} = {at}");
        for (column, value) in *columns {
            let said = format!("({kind}): {table}.{column} is not what was recorded.");
            all.push(Tampering::new(&[&format!("UPDATE {table} SET {column} = {value} {row}")], at, &said));
        }
        if *seq == "record_seq" {
            let said = format!("({kind}): its row in {table} is missing.");
            all.push(Tampering::new(&[&format!("DELETE FROM {table} {row}")], at, &said));
        }
    }
    for (cause, set, kind, said) in TURNS {
        let turn = format!(
            "SELECT MIN(d.record_seq) FROM decisions d JOIN turns t ON t.id = d.turn_id
                            WHERE d.user_id = {ADA} AND t.cause = '{cause}'"
        );
        let turn = format!("(SELECT turn_id FROM decisions WHERE user_id = {ADA} AND record_seq = ({turn}))");
        let at = number(url, &format!("SELECT MIN(record_seq) FROM {kind}s WHERE turn_id = {turn}")).await;
        let statement = match set {
            Some(set) => format!("UPDATE turns SET {set} WHERE id = {turn}"),
            None => format!("DELETE FROM turns WHERE id = {turn}"),
        };
        all.push(Tampering::new(&[&statement], at, &format!("({kind}): {said}")));
    }
    let first = |kind: &str| format!("SELECT MIN(seq) FROM records WHERE user_id = {ADA} AND kind = '{kind}'");
    let (account, token) = (number(url, &first("account")).await, number(url, &first("token")).await);
    for (column, value) in ACCOUNT {
        let said = format!("(account): users.{column} is not what was recorded.");
        all.push(Tampering::new(&[&format!("UPDATE users SET {column} = {value} WHERE name = 'ada'")], account, &said));
    }
    for (column, value) in TOKEN {
        let said = format!("(token): tokens.{column} is not what was recorded.");
        all.push(Tampering::new(&[&format!("UPDATE tokens SET {column} = {value} WHERE user_id = ADA")], token, &said));
    }
    let gone = "(token): its row in tokens is missing.";
    all.push(Tampering::new(&["DELETE FROM tokens WHERE user_id = ADA"], token, gone));
    let task = format!("SELECT MAX(record_seq) FROM changes WHERE user_id = {ADA} AND task_number = 2");
    let task = number(url, &task).await;
    for (set, said) in TASK {
        all.push(Tampering::new(&[&format!("UPDATE tasks SET {set} WHERE user_id = ADA AND number = 2")], task, said));
    }
    let gone = "(change): the task that it changed is missing.";
    all.push(Tampering::new(&["DELETE FROM tasks WHERE user_id = ADA AND number = 2"], task, gone));
    all
}

/// Records, texts and ends of chains: edited, removed, added, in another order, or another's.
#[rustfmt::skip]
pub async fn of_chains(url: &str) -> Vec<Tampering> {
    let last = number(url, &format!("SELECT MAX(seq) FROM records WHERE user_id = {ADA}")).await;
    let request = format!("SELECT MIN(record_seq) FROM approvals WHERE user_id = {ADA} AND decided_via = 'chat'");
    let request = number(url, &request).await;
    let said = format!("SELECT MIN(record_seq) FROM messages WHERE user_id = {ADA}");
    let said = number(url, &said).await;
    let next = format!("SELECT MIN(record_seq) FROM messages WHERE user_id = {ADA} AND record_seq > {said}");
    let next = number(url, &next).await;
    let changed = "it was changed: its hash is not that of what it says.";
    let unlike = "it does not follow from the record before it.";
    let (edited, there) = ("its text was changed.", "its text is there although an erasure says that it is not.");
    let swapped = |table: &str| {
        let renumber = |from: i64, to: i64| format!("UPDATE {table} SET seq = {to} WHERE user_id = ADA AND seq = {from}");
        [renumber(3, -3), renumber(4, 3), renumber(-3, 4)]
    };
    let (records, texts) = (swapped("records"), swapped("bodies"));
    let one = |sql: &str, at: i64, said: &str| Tampering::new(&[sql], at, said);
    vec![
        one("UPDATE records SET kind = 'reading' WHERE user_id = ADA AND seq = 3", 3, changed),
        one("UPDATE records SET at = '2020-01-01T00:00:00.000Z' WHERE user_id = ADA AND seq = 3", 3, changed),
        one("UPDATE records SET digest = hash WHERE user_id = ADA AND seq = 3", 3, changed),
        one("UPDATE records SET hash = digest WHERE user_id = ADA AND seq = 3", 3, changed),
        one("UPDATE records SET previous = digest WHERE user_id = ADA AND seq = 3", 3, unlike),
        one("UPDATE records SET seq = 1000 WHERE user_id = ADA AND seq = 3", 3, "it is missing."),
        one("DELETE FROM records WHERE user_id = ADA AND seq = 3", 3, "it is missing."),
        Tampering::new(&[
            &format!("DELETE FROM bodies WHERE user_id = ADA AND seq = {last}"),
            &format!("DELETE FROM records WHERE user_id = ADA AND seq = {last}"),
        ], last, "it is missing."),
        one(&format!(
            "INSERT INTO records SELECT user_id, seq + 1, kind, at, digest, previous, hash FROM records
             WHERE user_id = ADA AND seq = {last}"
        ), last + 1, unlike),
        Tampering::new(&[&records[0], &records[1], &records[2]], 3, unlike),
        one("UPDATE bodies SET body = '{}' WHERE user_id = ADA AND seq = 3", 3, edited),
        one("UPDATE bodies SET salt = (SELECT r.digest FROM records r WHERE r.user_id = bodies.user_id AND r.seq = bodies.seq)
             WHERE user_id = ADA AND seq = 3", 3, edited),
        one("DELETE FROM bodies WHERE user_id = ADA AND seq = 3", 3, "its text is missing, and no erasure says so."),
        Tampering::new(&[&texts[0], &texts[1], &texts[2]], 3, edited),
        one("INSERT INTO erasures SELECT user_id, 3, 4, NULL FROM heads WHERE user_id = ADA", 3, there),
        Tampering::new(&[
            "INSERT INTO erasures SELECT user_id, 3, 4, NULL FROM heads WHERE user_id = ADA",
            "DELETE FROM bodies WHERE user_id = ADA AND seq = 3",
        ], 3, "its text is missing, and record 4 is no erasure of it."),
        one("UPDATE heads SET record_seq = record_seq - 1 WHERE user_id = ADA", last, "the chain ends before it, but it is there."),
        one("UPDATE heads SET record_seq = record_seq + 1 WHERE user_id = ADA", last + 1, "it is missing."),
        one("UPDATE heads SET record_hash = (SELECT r.hash FROM records r WHERE r.user_id = heads.user_id AND r.seq = 3)
             WHERE user_id = ADA", last, "the chain ends in another record than this one."),
        one("DELETE FROM heads WHERE user_id = ADA", 1, "the chain's end is not known any more."),
        one("UPDATE approvals SET decided_seq = NULL WHERE user_id = ADA AND decided_via = 'chat'", request,
            "it was settled without a recorded verdict."),
        one(&format!(
            "UPDATE messages SET record_seq = CASE record_seq WHEN {said} THEN {next} ELSE {said} END
             WHERE user_id = ADA AND record_seq IN ({said}, {next})"
        ), said, "messages.id is not what was recorded."),
        one(&format!(
            "INSERT INTO messages (id, user_id, conversation_id, turn_id, speaker, record_seq, at)
             SELECT turn_id, user_id, conversation_id, id, speaker, record_seq, at FROM messages
             WHERE user_id = ADA AND record_seq = {said}"
        ), said, "messages.id is not what was recorded."),
        one("INSERT INTO tasks (user_id, number, title, status, priority, tags, tag_keys, search, version, created_at, updated_at)
             SELECT user_id, 50, title, status, priority, tags, tag_keys, search, 1, created_at, updated_at FROM tasks
             WHERE user_id = ADA AND number = 2", 1, "task #50 changed without a record since."),
        one("INSERT INTO tokens (id, user_id, label, hash, scopes, created_at)
             SELECT t.user_id, t.user_id, t.label, h.record_hash, t.scopes, t.created_at FROM tokens t
             JOIN heads h ON h.user_id = t.user_id WHERE t.user_id = ADA", 1, "no record tells of token"),
        Tampering { elsewhere: true, ..Tampering::new(&[
            "DELETE FROM records WHERE user_id = ADA AND seq = 3",
            "UPDATE records SET user_id = ADA WHERE user_id = BOB AND seq = 3",
        ], 3, unlike) },
        Tampering { elsewhere: true, ..Tampering::new(&[
            "DELETE FROM bodies WHERE user_id = ADA AND seq = 3",
            "UPDATE bodies SET user_id = ADA WHERE user_id = BOB AND seq = 3",
        ], 3, edited) },
        Tampering { elsewhere: true, ..one(
            &format!("UPDATE messages SET user_id = BOB WHERE user_id = ADA AND record_seq = {said}"), said,
            "its row in messages is missing.",
        ) },
    ]
}
