//! Tests of every column of the schema: a change is found, or `docs/trust.md` lists the column.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::domain::id::{TaskNumber, TurnId};
use crate::domain::task::{Due, Edit, Tag, Title};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::user::Scope;
use crate::usecases::accounts::{agent_of_token, create_token};
use crate::usecases::{By, bin, erasure, tasks};
use crate::workflow::agent_call;

/// Tables with audited rows, or with rows derived from them.
const TABLES: [&str; 10] = [
    "messages",
    "steps",
    "invocations",
    "changes",
    "decisions",
    "approvals",
    "readings",
    "turns",
    "conversations",
    "tasks",
];

/// Columns that no record covers.
const UNVOUCHED: [(&str, &[&str]); 3] = [
    ("turns", &["client_key", "lease_until", "fence", "stop_asked", "trace"]),
    ("approvals", &["collected_by"]),
    ("conversations", &["title", "created_at", "updated_at", "hidden_at"]),
];

/// Number of rows tried per table, and of rows in which every column is changed.
const ROWS: usize = 20;
const TWICE: usize = 2;

fn is_vouched(table: &str, column: &str) -> bool {
    !UNVOUCHED.iter().any(|(of, columns)| *of == table && columns.contains(&column))
}

/// Returns other values for a column of that type, as expressions; the database may refuse some.
fn others(column: &str, kind: &str) -> Vec<String> {
    let words = ["user", "assistant", "engine", "approval", "void", "high", "low", "message", "queued", "completed"];
    match kind {
        "BLOB" => vec!["x'0123456789abcdef0123456789abcdef'".into()],
        "uuid" => vec!["'01234567-89ab-cdef-0123-456789abcdef'".into()],
        "bytea" => vec!["'\\x07'".into()],
        "boolean" => vec![format!("NOT {column}")],
        "INTEGER" | "bigint" | "integer" => {
            vec![format!("COALESCE({column}, 0) + 1"), format!("{column} - 1"), "0".into()]
        }
        "date" => vec!["'2020-02-02'".into()],
        "timestamp with time zone" => vec!["'2020-02-02T02:02:02.002Z'".into()],
        _ => {
            let fixed = ["2020-02-02T02:02:02.002Z", "2020-02-02", "Europe/Paris"].into_iter().chain(words);
            let longer = format!("COALESCE({column}, '') || 'x'");
            std::iter::once(longer).chain(fixed.map(|word| format!("'{word}'"))).collect()
        }
    }
}

async fn broken(world: &World, mut tx: Tx) -> Vec<Broken> {
    audit::verify_within(&world.state.ctx, &mut tx, &Outside::default(), None).await.unwrap().broken
}

async fn edit(world: &World, number: i64, edit: Edit) {
    let mut tx = world.state.ctx.write().await.unwrap();
    let by = By::person(&world.caller);
    tasks::edit(&world.state.ctx, &mut tx, by, TaskNumber(number), edit, None).await.unwrap();
    world.state.ctx.commit(tx).await.unwrap();
}

/// Creates rows in every table: turns of a message, a verdict and an agent, a reading, and a purged task.
async fn lived(world: &mut World) {
    let ctx = world.state.ctx.clone();
    for text in ["add milk", "add tea", "add bread due tomorrow", "add jam at 5pm"] {
        world.say(text).await;
    }
    let asked = world.say("delete task 1").await;
    world.press(&asked, Verdict::Approve).await.unwrap();
    let asked = world.say("delete task 2").await;
    world.press(&asked, Verdict::Reject).await.unwrap();
    let scopes = [Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete];
    let (_, token) = create_token(&ctx, "ada", "desk", &scopes, 9).await.unwrap();
    let desk = agent_of_token(&ctx, &token, None).await.unwrap().unwrap();
    for (tool, arguments) in [("add_task", json!({ "title": "by an agent" })), ("delete_task", json!({ "task_id": 2 }))]
    {
        agent_call::call(&world.state, &desk, tool, arguments).await.unwrap();
    }
    let reader = person(&ctx, "eve").await;
    ctx.clock.advance(30 * 86_400);
    let mut tx = ctx.write().await.unwrap();
    assert_eq!(bin::empty(&ctx, &mut tx, world.caller.id()).await.unwrap(), 1);
    let turn = testing::ids(&mut tx, "SELECT turn_id FROM decisions ORDER BY record_seq LIMIT 1").await[0];
    crate::store::admin_reads::insert(&mut tx, world.caller.id(), TurnId(turn), reader.id(), &ctx.now()).await.unwrap();
    ctx.commit(tx).await.unwrap();
}

#[tokio::test]
async fn edit_of_any_column_is_detected_unless_documented() {
    let documented = include_str!("../../../../docs/trust.md");
    for (table, columns) in UNVOUCHED {
        for column in columns {
            assert!(documented.contains(&format!("`{table}.{column}`")), "{table}.{column}");
        }
    }
    for mut world in worlds().await {
        lived(&mut world).await;
        let store = world.state.ctx.store.clone();
        assert_eq!(broken(&world, store.write().await.unwrap()).await, []);
        let mut missed = vec![];
        for table in TABLES {
            let columns = testing::columns(&store, table).await;
            let key = if table == "tasks" { "number" } else { columns[0].0.as_str() };
            let mut found: BTreeMap<&str, usize> = BTreeMap::new();
            for at in 0..ROWS {
                let one = format!("SELECT DISTINCT {key} FROM {table} ORDER BY {key} LIMIT 1 OFFSET {at}");
                for (column, kind) in columns.iter().filter(|(column, _)| is_vouched(table, column)) {
                    if found.get(column.as_str()).is_some_and(|rows| *rows == TWICE) {
                        continue;
                    }
                    for value in others(column, kind) {
                        let mut tx = testing::spoil(&store, "SELECT 1").await;
                        let differs = format!("{column} IS DISTINCT FROM {value}");
                        let sql = format!("UPDATE {table} SET {column} = {value} WHERE {key} = ({one}) AND {differs}");
                        if testing::attempt(&mut tx, &sql).await.is_none_or(|rows| rows == 0) {
                            continue;
                        }
                        assert!(!broken(&world, tx).await.is_empty(), "{sql}");
                        *found.entry(column.as_str()).or_default() += 1;
                        break;
                    }
                }
            }
            for (column, _) in &columns {
                if is_vouched(table, column) && !found.contains_key(column.as_str()) {
                    missed.push(format!("{table}.{column}"));
                }
            }
        }
        assert_eq!(missed, [] as [&str; 0], "no edit of them was tried");
        let blocks = testing::spoil(&store, "UPDATE search_blocks SET search = ''").await;
        assert!(broken(&world, blocks).await[0].problem.starts_with("the search index does not match task #"));
    }
}

#[tokio::test]
async fn a_task_put_back_to_an_earlier_change_is_found() {
    for world in worlds().await {
        let (ctx, by) = (world.state.ctx.clone(), By::person(&world.caller));
        add(&ctx, &world.caller, titled("Milk")).await;
        let (date, at) = (CivilDate::parse("2026-03-12").unwrap(), Timestamp::parse("2026-03-12T17:00:00Z").unwrap());
        let edits = [
            Edit { title: Some(Title::parse("Oat milk").unwrap()), ..Edit::default() },
            Edit { due: Some(Some(Due::Date(date))), tags: Some(vec![Tag::parse("Shop").unwrap()]), ..Edit::default() },
            Edit { due: Some(Due::at(at, "Europe/London")), ..Edit::default() },
        ];
        let columns: Vec<String> =
            testing::columns(&ctx.store, "tasks").await.into_iter().map(|(name, _)| name).collect();
        let columns = columns.join(", ");
        let keep = |version: usize| format!("CREATE TABLE past_{version} AS SELECT * FROM tasks WHERE number = 1");
        testing::execute(&ctx.store, &keep(1)).await;
        for (before, change) in (1..).zip(edits) {
            edit(&world, 1, change).await;
            testing::execute(&ctx.store, &keep(before + 1)).await;
        }
        let mut tx = ctx.write().await.unwrap();
        tasks::delete(&ctx, &mut tx, by, TaskNumber(1), None).await.unwrap();
        ctx.commit(tx).await.unwrap();
        for erased in [false, true] {
            if erased {
                ctx.clock.advance(60);
                erasure::by_operator(&ctx, &world.caller.user, None).await.unwrap();
            }
            assert_eq!(broken(&world, ctx.write().await.unwrap()).await, []);
            for version in 1..=4 {
                let back = format!("UPDATE tasks SET ({columns}) = (SELECT {columns} FROM past_{version})");
                let forged = "title = 'PWNED', description = 'anything', priority = 3";
                let forged = format!("UPDATE tasks SET {forged}, version = {version}");
                let only = format!("UPDATE tasks SET version = {version}");
                for statement in [back, forged, only] {
                    let tx = testing::spoil(&ctx.store, &statement).await;
                    assert!(!broken(&world, tx).await.is_empty(), "{statement}, erased: {erased}");
                }
            }
            for (column, kind) in testing::columns(&ctx.store, "tasks").await {
                for value in others(&column, &kind) {
                    let statement = format!("UPDATE tasks SET {column} = {value}");
                    let mut tx = testing::spoil(&ctx.store, "SELECT 1").await;
                    let differs = format!("{statement} WHERE {column} IS DISTINCT FROM {value}");
                    if testing::attempt(&mut tx, &differs).await == Some(1) {
                        assert!(!broken(&world, tx).await.is_empty(), "{statement}, erased: {erased}");
                    }
                }
            }
        }
        for version in 1..=4 {
            testing::execute(&ctx.store, &format!("DROP TABLE past_{version}")).await;
        }
    }
}

#[tokio::test]
async fn task_tampered_with_while_its_change_was_erased_is_detected() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        add(&ctx, &world.caller, titled("Milk")).await;
        edit(&world, 1, Edit { title: Some(Title::parse("Tea").unwrap()), ..Edit::default() }).await;
        testing::execute(&ctx.store, "UPDATE tasks SET version = 1").await;
        ctx.clock.advance(60);
        erasure::by_operator(&ctx, &world.caller.user, None).await.unwrap();
        testing::execute(&ctx.store, "UPDATE tasks SET version = 2, title = 'PWNED', search = 'pwned '").await;
        let broken = broken(&world, ctx.write().await.unwrap()).await;
        assert_eq!(broken[0].problem, "no record contains task #1 as the erased change left it.", "{broken:?}");
        // Repairs the database: a new change states the task again.
        testing::execute(&ctx.store, "UPDATE tasks SET title = 'Tea', search = 'tea '").await;
        edit(&world, 1, Edit { title: Some(Title::parse("Coffee").unwrap()), ..Edit::default() }).await;
    }
}

/// Values with which the database accepts a copied row, by table.
const COPIED: [(&str, &[(&str, &str)]); 7] = [
    ("messages", &[("id", "RANDOM"), ("turn_id", "KEY")]),
    ("steps", &[("turn_id", "KEY")]),
    ("invocations", &[("turn_id", "KEY")]),
    ("changes", &[("id", "KEY"), ("undoes", "NULL")]),
    ("decisions", &[("turn_id", "KEY")]),
    ("approvals", &[("id", "KEY"), ("step", "step + 100")]),
    ("readings", &[("turn_id", "KEY"), ("record_seq", "record_seq - 1")]),
];

#[tokio::test]
async fn a_forged_row_is_found_whatever_its_key() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let store = world.state.ctx.store.clone();
        let (nil, bytes) = ("00".repeat(16), [String::new(), "ff".repeat(17)]);
        let keys: Vec<String> = if store.is_embedded() {
            std::iter::once(nil).chain(bytes).map(|key| format!("x'{key}'")).collect()
        } else {
            vec![format!("'{}'::uuid", Uuid::nil())]
        };
        let random = if store.is_embedded() { "randomblob(16)" } else { "gen_random_uuid()" };
        for (table, changed) in COPIED {
            let columns: Vec<String> =
                testing::columns(&store, table).await.into_iter().map(|(name, _)| name).collect();
            for key in &keys {
                let value = |column: &String| {
                    let changed = changed.iter().find(|(name, _)| name == column).map(|(_, value)| *value);
                    changed.unwrap_or(column).replace("KEY", key).replace("RANDOM", random)
                };
                let values: Vec<String> = columns.iter().map(value).collect();
                let sql = format!(
                    "INSERT INTO {table} ({}) SELECT {} FROM {table} ORDER BY record_seq LIMIT 1",
                    columns.join(", "),
                    values.join(", ")
                );
                let mut tx = testing::spoil(&store, "SELECT 1").await;
                assert_eq!(testing::run(&mut tx, &sql).await, 1, "{sql}");
                assert!(!broken(&world, tx).await.is_empty(), "{sql}");
            }
        }
    }
}

#[tokio::test]
async fn a_conversation_given_to_somebody_else_is_found() {
    for mut world in worlds().await {
        world.say("add milk").await;
        person(&world.state.ctx, "eve").await;
        let eve = "(SELECT id FROM users WHERE name = 'eve')";
        for sql in [format!("UPDATE conversations SET user_id = {eve}"), "DELETE FROM conversations".to_owned()] {
            let broken = broken(&world, testing::spoil(&world.state.ctx.store, &sql).await).await;
            assert_eq!(
                broken[0].problem, "its conversation is missing or belongs to another user.",
                "{sql}: {broken:?}"
            );
        }
    }
}
