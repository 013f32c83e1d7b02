//! Tests of concurrent changes to one list.

use super::*;
use crate::domain::task::{Edit, Filter, Priority};
use crate::usecases::{history, tasks, undo};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_hands_on_one_list_neither_block_nor_lose_anything() {
    const HANDS: i64 = 6;
    const TASKS: i64 = 4;
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        for _ in 0..TASKS {
            add(&ctx, &ana, titled("x")).await;
        }
        let hands = (0..HANDS).map(|hand| {
            let (ctx, ana) = (ctx.clone(), ana.clone());
            tokio::spawn(async move {
                let by = By::person(&ana);
                let priority = Priority::ALL[usize::try_from(hand % 4).unwrap()];
                for round in 0..TASKS {
                    // Each writer uses another order of tasks in its transaction: locks taken late would cross.
                    let (one, two) = (TaskNumber((hand + round) % TASKS + 1), TaskNumber((round * hand) % TASKS + 1));
                    let mut tx = ctx.write().await.unwrap();
                    let edit = |priority| Edit { priority: Some(priority), ..Edit::default() };
                    tasks::edit(&ctx, &mut tx, by, one, edit(priority), None).await.unwrap();
                    tasks::edit(&ctx, &mut tx, by, two, edit(Priority::High), None).await.unwrap();
                    let added = tasks::add(&ctx, &mut tx, by, titled("y")).await.unwrap();
                    undo::change(&ctx, &mut tx, by, added.change_id.unwrap()).await.unwrap();
                    ctx.commit(tx).await.unwrap();
                }
            })
        });
        futures::future::try_join_all(hands).await.unwrap();
        let list = tasks::list(&ctx, &ana, &Filter::default(), None, 50).await.unwrap();
        assert_eq!(list.total, TASKS, "{db}");
        let bin = Filter { binned: true, ..Filter::default() };
        assert_eq!(tasks::list(&ctx, &ana, &bin, None, 50).await.unwrap().total, HANDS * TASKS, "{db}");
        for task in list.tasks {
            let history = history::changes(&ctx, &ana, task.task_id).await.unwrap();
            let versions: Vec<_> = history.iter().rev().map(|change| change.after.version).collect();
            let expected: Vec<_> = (1..=task.version).collect();
            assert_eq!(versions, expected, "{db}: each version has its change");
        }
    }
}
