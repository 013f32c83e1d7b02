//! Gap-free sequences under concurrent writers.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writers_number_rows_without_gaps() {
    const WRITERS: usize = 8;
    const EACH: usize = 12;
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let writers = (0..WRITERS).map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for round in 0..EACH {
                    let mut tx = store.write().await.unwrap();
                    let number = tasks::next_number(&mut tx, ana).await.unwrap();
                    tasks::insert(&mut tx, ana, &stored(number)).await.unwrap();
                    events::append(&mut tx, ana, EventKind::TaskChanged, &json!({}), &now()).await.unwrap();
                    records::append(&mut tx, ana, records::Kind::Step, &now(), &json!({})).await.unwrap();
                    // Every third writer rolls back: its numbers must be reused.
                    if (writer + round) % 3 != 0 {
                        tx.commit().await.unwrap();
                    }
                }
            })
        });
        futures::future::try_join_all(writers).await.unwrap();
        let committed = (0..WRITERS).flat_map(|w| (0..EACH).map(move |r| w + r)).filter(|sum| sum % 3 != 0).count();
        let expected: Vec<i64> = (1..=i64::try_from(committed).unwrap()).collect();
        let mut tx = store.read().await.unwrap();
        for sql in [
            "SELECT seq FROM events WHERE user_id = $1 ORDER BY seq",
            "SELECT seq FROM records WHERE user_id = $1 ORDER BY seq",
            "SELECT number FROM tasks WHERE user_id = $1 ORDER BY number",
        ] {
            let found: Vec<i64> = on!(tx, |conn| sqlx::query_scalar(sql).bind(ana).fetch_all(conn).await).unwrap();
            assert_eq!(found, expected, "{db}: {sql}");
        }
        assert_eq!(events::head(&mut tx, ana).await.unwrap(), *expected.last().unwrap(), "{db}");
        chain::verify(&mut tx, ana).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writers_of_one_version_one_wins() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let writers = (0..6).map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut tx = store.write().await.unwrap();
                tasks::lock(&mut tx, life.user).await.unwrap();
                let mut now = tasks::get(&mut tx, life.user, life.task).await.unwrap().unwrap();
                let first = now.task.version == 1;
                now.task.version = 2;
                let won = tasks::update(&mut tx, life.user, &now).await.unwrap();
                tx.commit().await.unwrap();
                assert_eq!(first, won);
                won
            })
        });
        let won = futures::future::try_join_all(writers).await.unwrap();
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "{db}");
    }
}
