//! Tests of rows outside the chains: rows without a record and other spellings of a value are found.

use super::*;
use crate::domain::id::TaskNumber;
use crate::usecases::{By, Error, bin, erasure, tasks};

/// Creates turns of a message and a verdict, and a task with a time.
async fn lived(world: &mut World) {
    for text in ["add milk tomorrow 5pm", "add tea"] {
        world.say(text).await;
    }
    let asked = world.say("delete task 2").await;
    world.press(&asked, Verdict::Approve).await.unwrap();
}

/// Returns true if a verification of everyone's records has findings or an unreadable row.
async fn is_found(world: &World, mut tx: Tx) -> bool {
    match audit::verify_within(&world.state.ctx, &mut tx, &Outside::default(), None).await {
        Ok(report) => !report.broken.is_empty(),
        Err(Error::Store(_)) => true,
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn row_that_names_a_record_below_one_is_detected() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let store = &world.state.ctx.store;
        assert!(!is_found(&world, store.write().await.unwrap()).await);
        for (table, seq, kind) in [
            ("messages", "record_seq", "message"),
            ("approvals", "decided_seq", "approval_verdict"),
            ("changes", "record_seq", "change"),
        ] {
            let newest = format!("(SELECT MAX({seq}) FROM {table})");
            for number in [-1, 0] {
                let mut tx = testing::spoil(store, "SELECT 1").await;
                for statement in [
                    format!(
                        "INSERT INTO records (user_id, seq, kind, at, digest, previous, hash)
                         SELECT user_id, {number}, '{kind}', at, digest, previous, hash FROM records WHERE seq = {newest}"
                    ),
                    format!(
                        "INSERT INTO bodies (user_id, seq, salt, body) SELECT user_id, {number}, salt, body FROM bodies WHERE seq = {newest}"
                    ),
                    format!("UPDATE {table} SET {seq} = {number} WHERE {seq} = {newest}"),
                ] {
                    assert_ne!(testing::attempt(&mut tx, &statement).await, None, "{statement}");
                }
                assert!(is_found(&world, tx).await, "{table} {number}");
            }
        }
    }
}

#[tokio::test]
async fn a_row_that_names_no_record_is_found() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let store = &world.state.ctx.store;
        // SQLite cannot alter a column in a transaction.
        if store.is_embedded() {
            continue;
        }
        for table in ["messages", "steps", "invocations", "changes", "decisions"] {
            testing::execute(store, &format!("ALTER TABLE {table} ALTER record_seq DROP NOT NULL")).await;
            let mut tx = testing::spoil(store, "SELECT 1").await;
            let one = format!(
                "UPDATE {table} SET record_seq = NULL WHERE record_seq = (SELECT MAX(record_seq) FROM {table})"
            );
            assert_eq!(testing::attempt(&mut tx, &one).await, Some(1), "{table}");
            assert!(is_found(&world, tx).await, "{table}");
            testing::execute(store, &format!("ALTER TABLE {table} ALTER record_seq SET NOT NULL")).await;
        }
    }
}

#[tokio::test]
async fn another_spelling_of_a_value_is_found() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let store = &world.state.ctx.store;
        // PostgreSQL stores timestamps, not text.
        let spellings: &[&str] = if store.is_embedded() {
            &[
                "UPDATE users SET name = upper(name)",
                "UPDATE users SET name = name || ' '",
                "UPDATE tasks SET due_at = replace(due_at, 'Z', '+00:00')",
                "UPDATE tasks SET due_day = replace(due_day, '-', '')",
                "UPDATE tasks SET created_at = '+00' || created_at",
                "UPDATE approvals SET expires_at = replace(expires_at, '.000Z', 'Z')",
                "UPDATE messages SET at = replace(at, 'T', ' ')",
            ]
        } else {
            &["UPDATE users SET name = upper(name)", "UPDATE users SET name = name || ' '"]
        };
        for statement in spellings {
            let mut tx = testing::spoil(store, "SELECT 1").await;
            assert!(testing::attempt(&mut tx, statement).await.is_some_and(|rows| rows > 0), "{statement}");
            assert!(is_found(&world, tx).await, "{statement}");
        }
    }
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_a_broken_record() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let ctx = &world.state.ctx;
        if !ctx.store.is_embedded() {
            continue;
        }
        for column in ["tasks SET title", "bodies SET body", "records SET at"] {
            let mut tx = testing::spoil(&ctx.store, &format!("UPDATE {column} = CAST(x'ff' AS TEXT)")).await;
            let report = audit::verify_within(ctx, &mut tx, &Outside::default(), None).await;
            assert!(!report.unwrap().broken.is_empty(), "{column}");
        }
    }
}

#[tokio::test]
async fn foreign_database_trigger_is_detected_by_verification() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let ctx = &world.state.ctx;
        assert_eq!(audit::verify(ctx, &world.caller, None).await.unwrap().broken, []);
        let (act, drop) = if ctx.store.is_embedded() {
            ("BEGIN UPDATE users SET role = 'admin'; END", "DROP TRIGGER evil")
        } else {
            ("EXECUTE FUNCTION refuse_change()", "DROP TRIGGER evil ON sessions")
        };
        testing::execute(&ctx.store, &format!("CREATE TRIGGER evil AFTER INSERT ON sessions {act}")).await;
        let report = audit::verify(ctx, &world.caller, None).await.unwrap();
        let [broken] = report.broken.as_slice() else { panic!("{report:?}") };
        assert!(broken.to_string().contains("the schema is not the one that Docket makes"), "{broken}");
        assert_eq!(report.verified_through, None);
        testing::execute(&ctx.store, drop).await;
    }
}

#[tokio::test]
async fn edit_by_hand_is_found_after_a_recorded_change() {
    for mut world in worlds().await {
        lived(&mut world).await;
        let store = &world.state.ctx.store;
        let forged = "INSERT INTO tasks
                 (user_id, number, title, status, priority, tags, tag_keys, search, version, created_at, updated_at, place)
             SELECT user_id, 3, title, status, priority, tags, tag_keys, search, 0, created_at, updated_at, place
             FROM tasks WHERE number = 1";
        let edits = [
            "title = 'x'",
            "description = 'x'",
            "priority = 3",
            "project = 'x', project_key = 'x'",
            "due_at = NULL, due_zone = NULL, due_day = NULL",
            "due_zone = 'Europe/Paris'",
            "created_at = '2020-01-01T00:00:00.000Z'",
            "version = version + 1",
        ];
        let edits = edits.map(|fields| (format!("UPDATE tasks SET {fields} WHERE number = 1"), 1));
        // An erased change leaves a record of the task, with which the next change is compared.
        for erased in [false, true] {
            let ctx = &world.state.ctx;
            if erased {
                erasure::by_operator(ctx, &world.caller.user, None).await.unwrap();
            }
            for (statement, number) in edits.iter().cloned().chain([(forged.to_owned(), 3)]) {
                let mut tx = testing::spoil(store, &statement).await;
                let by = By::person(&world.caller);
                tasks::complete(ctx, &mut tx, by, TaskNumber(number), None).await.unwrap();
                assert!(is_found(&world, tx).await, "{erased} {statement}");
            }
        }
    }
}

#[tokio::test]
async fn purge_of_a_task_that_nobody_deleted_is_found() {
    for mut world in worlds().await {
        world.say("add milk").await;
        let ctx = &world.state.ctx;
        let then = "'2020-01-01T00:00:00.000Z'";
        let statement = format!("UPDATE tasks SET deleted_at = {then}, updated_at = {then}");
        let mut tx = testing::spoil(&ctx.store, &statement).await;
        assert_eq!(bin::empty(ctx, &mut tx, world.caller.id()).await.unwrap(), 1);
        assert!(is_found(&world, tx).await);
    }
}

#[tokio::test]
async fn purged_task_that_is_put_back_is_found() {
    for world in worlds().await {
        let ctx = &world.state.ctx;
        let number = world.task("milk").await;
        let mut tx = ctx.write().await.unwrap();
        tasks::delete(ctx, &mut tx, By::person(&world.caller), number, None).await.unwrap();
        ctx.clock.advance(31 * 86_400);
        assert_eq!(bin::empty(ctx, &mut tx, world.caller.id()).await.unwrap(), 1);
        ctx.commit(tx).await.unwrap();
        erasure::by_operator(ctx, &world.caller.user, None).await.unwrap();
        let back = "UPDATE tasks SET title = 'x', deleted_at = NULL, purged_at = NULL";
        let mut tx = testing::spoil(&ctx.store, back).await;
        tasks::complete(ctx, &mut tx, By::person(&world.caller), number, None).await.unwrap();
        assert!(is_found(&world, tx).await);
    }
}

#[tokio::test]
async fn due_time_with_milliseconds_matches_its_record() {
    for mut world in worlds().await {
        world.say("add milk tomorrow 5pm").await;
        // Older versions stored them.
        let later = if world.state.ctx.store.is_embedded() {
            "replace(due_at, '.000Z', '.123Z')"
        } else {
            "due_at + interval '123 milliseconds'"
        };
        let tx = testing::spoil(&world.state.ctx.store, &format!("UPDATE tasks SET due_at = {later}")).await;
        assert!(!is_found(&world, tx).await);
        world.say("add call mum in 45 minutes").await;
        assert!(!is_found(&world, world.state.ctx.store.write().await.unwrap()).await);
    }
}
