//! Rows of a purged task, and claims of jobs.

use super::*;
use crate::domain::task::{Description, Project, Tag};
use crate::store::jobs::Job;

const JOB: Job = Job { name: "test", every_s: 3_600 };

/// Deletes the life's task with text in every column.
async fn bin_it(store: &Store, life: &Life) {
    let mut binned = stored(life.task);
    binned.task.version = 2;
    binned.task.description = Some(Description::parse("skimmed milk").unwrap());
    binned.task.project = Some(Project::parse("milky way").unwrap());
    binned.task.tags = vec![Tag::parse("milk").unwrap()];
    binned.task.deleted_at = Some(now());
    let mut tx = store.write().await.unwrap();
    assert!(tasks::update(&mut tx, life.user, &binned).await.unwrap());
    tx.commit().await.unwrap();
}

/// Returns the rows of `tasks` in a dump.
fn task_rows(dump: &str) -> &str {
    dump.split_once("tasks\n").unwrap().1.split_once("changes\n").unwrap().0
}

#[tokio::test]
async fn purge_erases_the_text_of_a_task_permanently() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        bin_it(&store, &life).await;
        assert!(task_rows(&dump(&store, life.user).await).contains("milk"), "{db}");
        let mut tx = store.write().await.unwrap();
        assert_eq!(changes::standing(&mut tx, Some(life.user), &[life.turn]).await.unwrap().len(), 1, "{db}");
        assert!(!bin::purge(&mut tx, life.user, life.task, 2, &now()).await.unwrap(), "{db}: not at that version");
        assert!(bin::purge(&mut tx, life.user, life.task, 3, &now()).await.unwrap(), "{db}");
        assert!(!bin::purge(&mut tx, life.user, life.task, 4, &now()).await.unwrap(), "{db}: once");
        assert!(bin::was_purged(&mut tx, life.user, life.task).await.unwrap(), "{db}");
        assert!(tasks::get(&mut tx, life.user, life.task).await.unwrap().is_none(), "{db}");
        let standing = changes::standing(&mut tx, Some(life.user), &[life.turn]).await.unwrap();
        assert_eq!(standing, [], "{db}: nothing of what the turn did can be taken back");
        tx.commit().await.unwrap();
        let all = dump(&store, life.user).await;
        assert!(!task_rows(&all).contains("milk"), "{db}: {}", task_rows(&all));
    }
}

#[tokio::test]
async fn the_table_refuses_a_purge_that_leaves_words() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        bin_it(&store, &life).await;
        let empty = "title = '', description = NULL, project = NULL, project_key = NULL, tags = '[]', tag_keys = '', search = ''";
        for left in
            ["title = 'milk'", "description = 'milk'", "project = 'milk'", "tags = '[\"milk\"]'", "search = 'milk'"]
        {
            let column = left.split(' ').next().unwrap();
            let others: Vec<_> = empty.split(", ").filter(|one| !one.starts_with(&format!("{column} "))).collect();
            let sql = format!("UPDATE tasks SET purged_at = updated_at, {left}, {}", others.join(", "));
            let mut tx = store.write().await.unwrap();
            let refused = on!(tx, |conn| sqlx::query(AssertSqlSafe(sql.clone())).execute(conn).await.map(drop));
            assert!(refused.unwrap_err().to_string().to_lowercase().contains("check"), "{db}: {sql}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_processes_one_takes_up_a_job() {
    let folder = tempfile::tempdir().unwrap();
    for (db, url) in testing::urls_on_disk(folder.path()).await {
        Store::open(&url, false).await.unwrap().close().await;
        for round in 0..3 {
            let at = now().plus_seconds(round * JOB.every_s);
            let processes = (0..4).map(|_| {
                let (url, at) = (url.clone(), at.clone());
                tokio::spawn(async move {
                    let store = testing::connect(&url).await;
                    let mut tx = store.write().await.unwrap();
                    let mine = jobs::claim(&mut tx, JOB, &at).await.unwrap();
                    tx.commit().await.unwrap();
                    i32::from(mine)
                })
            });
            let claims: i32 = futures::future::try_join_all(processes).await.unwrap().into_iter().sum();
            assert_eq!(claims, 1, "{db}: round {round}");
        }
    }
}

#[tokio::test]
async fn job_is_due_hourly_even_after_a_clock_set_back() {
    for (db, store) in testing::stores().await {
        let mut tx = store.write().await.unwrap();
        let day = 86_400;
        for (seconds, due) in
            [(0, true), (0, false), (3_599, false), (3_600, true), (3_600, false), (-day, true), (-day, false)]
        {
            let at = now().plus_seconds(seconds);
            assert_eq!(jobs::is_due(&mut tx, JOB, &at).await.unwrap(), due, "{db}: {seconds}");
            assert_eq!(jobs::claim(&mut tx, JOB, &at).await.unwrap(), due, "{db}: {seconds}");
        }
        let other = Job { name: "other", ..JOB };
        assert!(jobs::claim(&mut tx, other, &now()).await.unwrap(), "{db}: each job has its own hour");
    }
}

#[tokio::test]
async fn job_is_renewed_until_another_worker_claims_it() {
    for (db, store) in testing::stores().await {
        let mut tx = store.write().await.unwrap();
        let (begun, later) = (now(), now().plus_seconds(3_000));
        assert!(jobs::claim(&mut tx, JOB, &begun).await.unwrap(), "{db}");
        assert!(jobs::renew(&mut tx, JOB, &begun, &later).await.unwrap(), "{db}");
        assert!(!jobs::is_due(&mut tx, JOB, &now().plus_seconds(3_600)).await.unwrap(), "{db}: it goes on");
        let over = later.plus_seconds(3_600);
        assert!(jobs::claim(&mut tx, JOB, &over).await.unwrap(), "{db}: by another");
        assert!(!jobs::renew(&mut tx, JOB, &later, &over).await.unwrap(), "{db}");
    }
}
