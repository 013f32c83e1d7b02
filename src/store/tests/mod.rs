//! Tests of the store on every available database: constraints, sequences, hash chains and ownership.

use serde_json::json;
use sqlx::AssertSqlSafe;

use super::*;
use crate::domain::conversation::Speaker;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome};
use crate::domain::id::{ApprovalId, ChangeId, ConversationId, InvocationId, TaskNumber, TokenId, TurnId, UserId};
use crate::domain::live::EventKind;
use crate::domain::task::{Actor, Change, Due, Operation, Priority, Status, Task, Title};
use crate::domain::text::ClientKey;
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::tool::{CallResult, CallStatus, Risk, ToolName};
use crate::domain::turn::{Cause, Invocation};
use crate::domain::user::{Role, Scope, TokenInfo, TokenKind, User, UserName};

mod cancelled;
mod cards;
mod chain;
mod copying;
mod lanes;
mod migrations;
mod notices;
mod owners;
mod plans;
mod proposed;
mod purge;
mod questions;
mod refusals;
mod remembered;
mod schemas;
mod search;
mod sequence;
mod task_keys;
mod torn;
mod writer;

fn now() -> Timestamp {
    Timestamp::parse("2026-03-11T09:30:00Z").unwrap()
}

async fn user(store: &Store, name: &str) -> UserId {
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(name).unwrap(),
        role: Role::User,
        zone: "UTC".into(),
        uses_model: true,
        disabled: false,
        created_at: now(),
    };
    let mut tx = store.write().await.unwrap();
    assert!(users::insert(&mut tx, &user, Some("hash")).await.unwrap());
    tx.commit().await.unwrap();
    user.user_id
}

/// A user with a row in every table, made by the store's own functions.
struct Life {
    user: UserId,
    task: TaskNumber,
    change: ChangeId,
    conversation: ConversationId,
    turn: TurnId,
    approval: ApprovalId,
    token: TokenId,
    session: [u8; 32],
}

impl Life {
    async fn of(store: &Store, name: &str) -> Self {
        Self::with_keys(store, name, [7; 32], [8; 32]).await
    }

    /// Creates a life whose session and token have these digests, which must be unique.
    async fn with_keys(store: &Store, name: &str, session: [u8; 32], secret: [u8; 32]) -> Self {
        Self::lived(store, name, [session, secret], i64::MAX).await
    }

    /// Creates a life in tables from before version 25, whose tasks, turns and sessions had other columns.
    async fn of_before(store: &Store, name: &str) -> Self {
        Self::of_version(store, name, 24).await
    }

    /// Creates a life in tables of that version.
    async fn of_version(store: &Store, name: &str, version: i64) -> Self {
        Self::lived(store, name, [[7; 32], [8; 32]], version).await
    }

    async fn lived(store: &Store, name: &str, [session, secret]: [[u8; 32]; 2], version: i64) -> Self {
        let user = user(store, name).await;
        let mut tx = store.write().await.unwrap();
        let at = now();
        let conversation = ConversationId::random();
        conversations::create(&mut tx, user, conversation, "Hello", &at).await.unwrap();
        let new = turns::NewTurn {
            conversation,
            cause: Cause::Message,
            approval: None,
            client_key: Some(&client_key()),
            lease_ms: Some(60_000),
            starter: None,
        };
        let turn = if version >= 40 {
            turns::insert(&mut tx, user, &new, &at).await.unwrap().id
        } else {
            turn_before(&mut tx, user, conversation, Some(&client_key())).await
        };
        for (speaker, text) in [(Speaker::User, "Add milk"), (Speaker::Assistant, "Added #1.")] {
            let message = messages::NewMessage { conversation, turn, speaker, text, by: None };
            messages::insert(&mut tx, user, &message, &at).await.unwrap();
        }
        let step = steps::StepRow { number: 0, origin: steps::Origin::Engine, reply: json!({ "text": "x" }) };
        steps::insert(&mut tx, user, turn, &step, &at).await.unwrap();
        let new = approvals::NewApproval { conversation, turn, step: 0, expires_at: &at.plus_seconds(60), agent: None };
        let approval = approvals::insert(&mut tx, user, &new, &at).await.unwrap();
        invocations::insert(&mut tx, user, &invocation(turn, Some(approval))).await.unwrap();
        if version >= 39 {
            decisions::insert(&mut tx, user, &decision(turn, "Added #1.")).await.unwrap();
        } else {
            decide_before(&mut tx, user, &decision(turn, "Added #1.")).await;
        }
        let task = tasks::next_number(&mut tx, user).await.unwrap();
        let stored = stored(task);
        if version >= 25 {
            tasks::insert(&mut tx, user, &stored).await.unwrap();
        } else {
            insert_before(&mut tx, user, task).await;
        }
        let entry = entry(stored.task, turn);
        changes::insert(&mut tx, user, &entry).await.unwrap();
        events::append(&mut tx, user, EventKind::TaskChanged, &json!({}), &at).await.unwrap();
        if version >= 40 {
            sessions::insert(&mut tx, user, &session, &at, &at.plus_seconds(60)).await.unwrap();
        } else {
            session_before(&mut tx, user, &session).await;
        }
        let token = token();
        tokens::insert(&mut tx, user, &token, &secret).await.unwrap();
        tx.commit().await.unwrap();
        let (token, change) = (token.token_id, entry.change.change_id);
        Self { user, task, change, conversation, turn, approval, token, session }
    }
}

/// Stores a decision as before version 39.
async fn decide_before(tx: &mut Tx, user: UserId, row: &decisions::DecisionRow) {
    let seq = records::append(tx, user, records::Kind::Decision, &row.at, row).await.unwrap();
    on!(tx, |conn| sqlx::query(
        "INSERT INTO decisions (turn_id, user_id, kind, outcome, engine, constitution, asked_approval, tokens_in, tokens_out, cost_micros,
             duration_ms, record_seq, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
    )
    .bind(row.turn_id)
    .bind(user)
    .bind(row.decision.kind.as_str())
    .bind(row.decision.outcome.as_str())
    .bind(row.engine.as_str())
    .bind(&row.constitution)
    .bind(row.asked_approval)
    .bind(row.tokens_in)
    .bind(row.tokens_out)
    .bind(row.cost_micros)
    .bind(row.duration_ms)
    .bind(seq)
    .bind(&row.at)
    .execute(conn)
    .await
    .map(drop))
    .unwrap();
}

/// Stores the task of [`stored`] as before version 25.
async fn insert_before(tx: &mut Tx, user: UserId, task: TaskNumber) {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO tasks (user_id, number, title, status, priority, tags, tag_keys, search, position, version, created_at, updated_at)
         VALUES ($1, $2, 'milk', 'pending', 0, '[]', '\n', 'milk ', 1, 1, $3, $3)"
    )
    .bind(user)
    .bind(task)
    .bind(now())
    .execute(conn)
    .await
    .map(drop))
    .unwrap();
}

/// Stores a turn as before version 40.
async fn turn_before(tx: &mut Tx, user: UserId, conversation: ConversationId, key: Option<&ClientKey>) -> TurnId {
    let (id, ordinal) = (TurnId::new(), sequences::take(tx, user).await.unwrap().next_turn());
    on!(tx, |conn| sqlx::query(
        "INSERT INTO turns (id, user_id, conversation_id, ordinal, cause, client_key, accepted_at, status, fence)
         VALUES ($1, $2, $3, $4, 'message', $5, $6, 'queued', 0)"
    )
    .bind(id)
    .bind(user)
    .bind(conversation)
    .bind(ordinal)
    .bind(key.map(ClientKey::as_str))
    .bind(now())
    .execute(conn)
    .await
    .map(drop))
    .unwrap();
    id
}

/// Stores a session as before version 40.
async fn session_before(tx: &mut Tx, user: UserId, hash: &[u8]) {
    on!(tx, |conn| sqlx::query("INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(hash)
        .bind(user)
        .bind(now())
        .bind(now().plus_seconds(60))
        .execute(conn)
        .await
        .map(drop))
    .unwrap();
}

fn client_key() -> ClientKey {
    ClientKey::parse("key").unwrap()
}

fn token() -> TokenInfo {
    let scopes = vec![Scope::Chat];
    TokenInfo {
        token_id: TokenId::new(),
        label: "phone".into(),
        kind: TokenKind::Personal,
        scopes,
        budget: 9,
        created_at: now(),
        revoked_at: None,
    }
}

fn stored(number: TaskNumber) -> tasks::Stored {
    let task = Task {
        task_id: number,
        title: Title::parse("milk").unwrap(),
        description: None,
        status: Status::Pending,
        due: None,
        priority: Priority::None,
        project: None,
        tags: vec![],
        recurrence: None,
        rank: None,
        version: 1,
        created_at: now(),
        updated_at: now(),
        completed_at: None,
        deleted_at: None,
    };
    tasks::Stored { task, due: None }
}

/// Returns the task of [`stored`], due on that day.
fn dated(number: TaskNumber, day: &str) -> tasks::Stored {
    let due = Due::Date(CivilDate::parse(day).unwrap());
    let mut stored = stored(number);
    stored.task.due = Some(due.to_string());
    tasks::Stored { due: Some(due), ..stored }
}

fn entry(task: Task, turn: TurnId) -> changes::Entry {
    let change = Change {
        change_id: ChangeId::new(),
        task_id: task.task_id,
        operation: Operation::Add,
        actor: Actor::Agent,
        agent: None,
        program: None,
        by: None,
        invocation_id: Some(InvocationId { turn, step: 0, index: 0 }),
        undoes: None,
        before: None,
        after: task,
        at: now(),
    };
    changes::Entry { change, zone_before: None, zone_after: None, brought: vec![], put_off: None, action: None }
}

fn invocation(turn: TurnId, approval_id: Option<ApprovalId>) -> Invocation {
    Invocation {
        id: InvocationId { turn, step: 0, index: 0 },
        tool: Some(ToolName::DeleteTask),
        called_as: "delete_todo_task".into(),
        risk: Risk::High,
        arguments: json!({ "task_id": 1 }),
        result: CallResult { status: CallStatus::AwaitingApproval, value: json!({}) },
        approval_id,
        preview: vec![],
        duration_ms: 3,
        by: None,
        at: now(),
    }
}

fn decision(turn: TurnId, reply: &str) -> decisions::DecisionRow {
    decisions::DecisionRow {
        turn_id: turn,
        turn: None,
        decision: Decision { kind: DecisionKind::InvokeTool, outcome: Outcome::TaskCompleted },
        engine: Engine::Rules,
        engine_cause: None,
        model: None,
        intent: "add".into(),
        reply: reply.into(),
        options: vec![],
        constitution: "00".into(),
        asked_approval: None,
        question: None,
        told_seq: None,
        memories: vec![],
        tokens_in: Some(5),
        tokens_out: Some(3),
        tokens_estimated: false,
        cost_micros: Some(2),
        duration_ms: 5,
        basis: None,
        at: now(),
    }
}

/// Returns all rows of the user as text, table by table.
async fn dump(store: &Store, user: UserId) -> String {
    rows_of(store, user, TABLES).await
}

/// Returns the user's rows of these tables as text.
async fn rows_of(store: &Store, user: UserId, tables: &[&str]) -> String {
    let mut tx = store.read().await.unwrap();
    let mut all = String::new();
    for table in tables {
        let owner = if *table == "users" { "id" } else { "user_id" };
        let rows: Vec<String> = match &mut tx.conn {
            Conn::Sqlite(conn) => {
                let columns: Option<String> = sqlx::query_scalar(AssertSqlSafe(format!(
                    "SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info('{table}')"
                )))
                .fetch_one(&mut **conn)
                .await
                .unwrap();
                // An earlier version does not have this table.
                let Some(columns) = columns else { continue };
                let sql = format!("SELECT {columns} FROM {table} WHERE {owner} = $1 ORDER BY 1");
                sqlx::query_scalar(AssertSqlSafe(sql)).bind(user).fetch_all(&mut **conn).await.unwrap()
            }
            Conn::Pg(conn) => {
                let sql = format!("SELECT to_regclass('{table}') IS NULL");
                let absent: bool = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut **conn).await.unwrap();
                if absent {
                    continue;
                }
                let sql = format!("SELECT CAST(t AS TEXT) FROM {table} t WHERE {owner} = $1 ORDER BY 1");
                sqlx::query_scalar(AssertSqlSafe(sql)).bind(user).fetch_all(&mut **conn).await.unwrap()
            }
        };
        if !rows.is_empty() {
            all += &format!("{table}\n  {}\n", rows.join("\n  "));
        }
    }
    all
}

/// All tables whose rows have an owner.
const TABLES: &[&str] = &[
    "users",
    "heads",
    "sessions",
    "tokens",
    "records",
    "bodies",
    "erasures",
    "tasks",
    "search_blocks",
    "changes",
    "conversations",
    "turns",
    "messages",
    "steps",
    "approvals",
    "invocations",
    "decisions",
    "events",
    "outbox",
    "memories",
    "readings",
    "summaries",
    "token_usage",
    "memory_off",
];
