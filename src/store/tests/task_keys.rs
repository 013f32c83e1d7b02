//! Comparison keys of tasks that an earlier version stored.

use super::migrations::until;
use super::*;
use crate::domain::task::{Filter, Project, Tag};

#[tokio::test]
async fn tasks_of_before_get_keys_that_no_spelling_misses() {
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        let store = Store::connect(&url, false).await.unwrap();
        store.run(&until(&store, 44)).await.unwrap();
        let user = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let titles = ["Cre\u{301}me brûlée", "plain milk", "Ёлка"];
        for (number, title) in (1..).zip(titles) {
            let mut one = stored(TaskNumber(number));
            one.task.title = Title::parse(title).unwrap();
            one.task.project = (number > 1).then(|| Project::parse("Bu\u{308}ro").unwrap());
            one.task.tags = vec![Tag::parse("Cafe\u{301}").unwrap()];
            tasks::insert(&mut tx, user, &one).await.unwrap();
        }
        // As the earlier version did.
        for (number, title) in (1..).zip(titles) {
            let old = format!("{} ", title.to_lowercase());
            on!(tx, |conn| sqlx::query(
                "UPDATE tasks SET search = $1, project_key = $2, tag_keys = $3 WHERE number = $4"
            )
            .bind(&old)
            .bind("bu\u{308}ro")
            .bind("\ncafe\u{301}\n")
            .bind(TaskNumber(number))
            .execute(conn)
            .await
            .map(drop))
            .unwrap();
        }
        tx.commit().await.unwrap();
        store.close().await;
        // The second start follows one that ended between the migration and the keys.
        for start in 0..2 {
            let store = Store::open(&url, false).await.unwrap();
            let mut tx = store.write().await.unwrap();
            let filter = |query: &str| Filter { query: Some(query.into()), ..Filter::default() };
            for (filter, expected) in [
                (filter("creme brulee"), 1),
                (filter("MILK"), 1),
                (filter("елка"), 1),
                (Filter { project: Some(Project::parse("büro").unwrap()), ..Filter::default() }, 2),
                (Filter { tag: Some(Tag::parse("CAFÉ").unwrap()), ..Filter::default() }, 3),
            ] {
                let found = tasks::count(&mut tx, user, &filter).await.unwrap();
                assert_eq!(found, expected, "{db}, start {start}: {filter:?}");
            }
            testing::run(&mut tx, "UPDATE tasks SET search = ''").await;
            tx.commit().await.unwrap();
            store.close().await;
        }
    }
}
