//! Append-only tables reject updates and deletes.

use super::*;

const APPEND_ONLY: &[&str] = &["messages", "steps", "invocations", "decisions", "changes", "records", "bodies"];

#[tokio::test]
async fn what_is_written_once_refuses_update_and_delete() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let before = dump(&store, life.user).await;
        for table in APPEND_ONLY {
            assert!(before.contains(&format!("{table}\n  ")) && !before.contains(&format!("{table}\n  \n")), "{table}");
            let mut statements = vec![format!("UPDATE {table} SET user_id = user_id"), format!("DELETE FROM {table}")];
            if db == "postgres" {
                statements.push(format!("TRUNCATE {table} CASCADE"));
            }
            for sql in statements {
                let mut tx = store.write().await.unwrap();
                let refused = on!(tx, |conn| sqlx::query(AssertSqlSafe(sql.clone())).execute(conn).await.map(drop));
                let text = refused.expect_err(&sql).to_string();
                assert!(text.contains("append-only") || text.contains("erasure record"), "{db}: {sql}: {text}");
            }
        }
        assert_eq!(dump(&store, life.user).await, before, "{db}");
    }
}

#[tokio::test]
async fn a_body_goes_only_with_the_record_of_its_erasure() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let body = json!({ "erased": 1 });
        let record = records::append(&mut tx, life.user, records::Kind::Account, &now(), &body).await.unwrap();
        on!(tx, |conn| sqlx::query("INSERT INTO erasures (user_id, seq, record_seq) VALUES ($1, 1, $2)")
            .bind(life.user)
            .bind(record)
            .execute(conn)
            .await
            .map(drop))
        .unwrap();
        let gone = on!(tx, |conn| sqlx::query("DELETE FROM bodies WHERE user_id = $1 AND seq = 1")
            .bind(life.user)
            .execute(conn)
            .await
            .map(|done| done.rows_affected()))
        .unwrap();
        assert_eq!(gone, 1, "{db}");
        tx.commit().await.unwrap();
        let mut tx = store.read().await.unwrap();
        let said = conversations::messages(&mut tx, life.user, life.conversation, None, 9);
        let texts: Vec<_> = said.await.unwrap().into_iter().map(|said| said.text).collect();
        assert_eq!(texts, [Some("Added #1.".into()), None], "{db}: the message stays, its text is gone");
    }
}

#[tokio::test]
async fn a_second_decision_message_or_verdict_turn_is_refused() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        assert!(decisions::insert(&mut tx, life.user, &decision(life.turn, "again")).await.is_err(), "{db}");
        drop(tx);
        let mut tx = store.write().await.unwrap();
        let message = messages::NewMessage {
            conversation: life.conversation,
            turn: life.turn,
            speaker: Speaker::Assistant,
            text: "again",
            by: None,
        };
        assert!(messages::insert(&mut tx, life.user, &message, &now()).await.is_err(), "{db}");
        drop(tx);
        let mut tx = store.write().await.unwrap();
        let new = turns::NewTurn {
            conversation: life.conversation,
            cause: Cause::Approval,
            approval: Some(life.approval),
            client_key: None,
            lease_ms: None,
            starter: None,
        };
        turns::insert(&mut tx, life.user, &new, &now()).await.unwrap();
        assert!(turns::insert(&mut tx, life.user, &new, &now()).await.is_err(), "{db}");
    }
}

#[tokio::test]
async fn corrupt_row_is_an_error() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        on!(tx, |conn| sqlx::query("UPDATE tasks SET tags = 'no list'").execute(conn).await.map(drop)).unwrap();
        let read = tasks::get(&mut tx, life.user, life.task).await;
        assert!(matches!(read, Err(Error::Corrupt(_))), "{db}: {read:?}");
    }
}
