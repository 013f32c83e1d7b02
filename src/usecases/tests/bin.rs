//! Tests of the automatic purge.

use super::*;
use crate::domain::task::{Actor, Description, Due, Edit, Filter, NewTask, Operation, Project, Tag, Title};
use crate::store::testing;
use crate::usecases::export::{Export, Format};
use crate::usecases::undo::{self, Target};
use crate::usecases::{as_of, audit, bin, events, history, tasks};

const DAY_S: i64 = 86_400;
const TWO: TaskNumber = TaskNumber(2);
const GONE: &str = "Task #1 was deleted permanently after 30 days in the bin and cannot be restored.";

async fn purge(ctx: &Ctx, caller: &Caller) -> i64 {
    done!(ctx, |tx| bin::empty(ctx, tx, caller.id())).unwrap()
}

async fn delete(ctx: &Ctx, caller: &Caller, number: TaskNumber) -> tasks::Changed {
    done!(ctx, |tx| tasks::delete(ctx, tx, By::person(caller), number, None)).unwrap()
}

async fn listed(ctx: &Ctx, caller: &Caller, filter: &Filter) -> Vec<i64> {
    let list = tasks::list(ctx, caller, filter, None, 200).await.unwrap();
    assert_eq!(list.total, i64::try_from(list.tasks.len()).unwrap());
    list.tasks.iter().map(|task| task.task_id.0).collect()
}

fn binned() -> Filter {
    Filter { binned: true, ..Filter::default() }
}

fn wordy() -> NewTask {
    NewTask {
        description: Some(Description::parse("with secret notes").unwrap()),
        project: Some(Project::parse("secret plans").unwrap()),
        tags: vec![Tag::parse("secret").unwrap()],
        ..titled("a secret title")
    }
}

#[tokio::test]
async fn deleted_task_is_purged_after_30_days() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, wordy()).await;
        add(&ctx, &ana, titled("kept")).await;
        delete(&ctx, &ana, ONE).await;
        ctx.clock.advance(30 * DAY_S - 1);
        assert!(bin::owners(&ctx).await.unwrap().is_empty(), "{db}");
        assert_eq!(purge(&ctx, &ana).await, 0, "{db}");
        assert_eq!(listed(&ctx, &ana, &binned()).await, [1], "{db}: a second is missing");

        ctx.clock.advance(1);
        assert_eq!(bin::owners(&ctx).await.unwrap(), [ana.id()], "{db}");
        assert_eq!(purge(&ctx, &ana).await, 1, "{db}");
        for filter in [Filter::default(), binned()] {
            let searched = Filter { query: Some("secret".into()), ..filter.clone() };
            assert!(!listed(&ctx, &ana, &filter).await.contains(&1), "{db}");
            assert!(listed(&ctx, &ana, &searched).await.is_empty(), "{db}");
        }
        assert_eq!(tasks::get(&ctx, &ana, TWO).await.unwrap().title.as_str(), "kept", "{db}");
        assert_eq!(add(&ctx, &ana, titled("new")).await.task_id.0, 3, "{db}: no number is given twice");
        assert!(bin::owners(&ctx).await.unwrap().is_empty(), "{db}");
        assert_eq!(purge(&ctx, &ana).await, 0, "{db}: once");
        assert_eq!(testing::broken(&mut ctx.read().await.unwrap()).await, Vec::<&str>::new(), "{db}");
    }
}

#[tokio::test]
async fn purge_change_names_the_system_and_omits_the_text() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, wordy()).await;
        delete(&ctx, &ana, ONE).await;
        ctx.clock.advance(30 * DAY_S);
        purge(&ctx, &ana).await;
        let history = history::changes(&ctx, &ana, ONE).await.unwrap();
        let last = &history[0];
        assert_eq!((last.operation, last.actor, last.invocation_id), (Operation::Purge, Actor::System, None), "{db}");
        assert_eq!((last.at.clone(), last.after.version, history.len()), (ctx.now(), 3, 3), "{db}");
        assert_eq!(last.after.title.as_str(), "", "{db}");
        let (_, body) = testing::bodies(&mut ctx.read().await.unwrap(), ana.id()).await.pop().unwrap();
        assert!(body.contains("purge") && !body.contains("secret"), "{db}: {body}");
        let heard = events::after(&ctx, &ana, 2, 10).await.unwrap();
        assert_eq!(heard.len(), 1, "{db}");
        let data = &heard[0].data;
        assert_eq!((&data["operation"], &data["actor"]), (&"purge".into(), &"system".into()), "{db}");
        assert!(!data.to_string().contains("secret"), "{db}: {data}");
    }
}

#[tokio::test]
async fn purged_task_gets_the_same_error_from_every_operation() {
    for (_, ctx) in ctxs().await {
        let (ana, ben) = (person(&ctx, "ana").await, person(&ctx, "ben").await);
        add(&ctx, &ana, titled("x")).await;
        let deleted = delete(&ctx, &ana, ONE).await.change_id.unwrap();
        ctx.clock.advance(30 * DAY_S);
        purge(&ctx, &ana).await;
        let by = By::person(&ana);
        not_found(tasks::get(&ctx, &ana, ONE).await, GONE);
        not_found(done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)), GONE);
        not_found(done!(ctx, |tx| tasks::edit(&ctx, tx, by, ONE, Edit::default(), Some(1))), GONE);
        not_found(done!(ctx, |tx| tasks::delete(&ctx, tx, by, ONE, None)), GONE);
        not_found(done!(ctx, |tx| tasks::restore(&ctx, tx, by, ONE, Some(2))), GONE);
        conflict(done!(ctx, |tx| undo::change(&ctx, tx, by, deleted)), GONE);
        let history = history::changes(&ctx, &ana, ONE).await.unwrap();
        for change in history {
            conflict(done!(ctx, |tx| undo::change(&ctx, tx, by, change.change_id)), GONE);
        }
        not_found(tasks::get(&ctx, &ben, ONE).await, "There is no task #1.");
    }
}

#[tokio::test]
async fn what_a_purged_task_said_is_told_nowhere_any_more() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let due = Due::at(ctx.now(), "Europe/London");
        add(&ctx, &ana, NewTask { due, ..wordy() }).await;
        add(&ctx, &ana, titled("kept")).await;
        let then = ctx.now();
        ctx.clock.advance(60);
        delete(&ctx, &ana, ONE).await;
        assert_eq!(as_of::list(&ctx, &ana, &then, None, 50).await.unwrap().tasks.len(), 2, "{db}");
        assert!(exported(&ctx, &ana).await.contains("secret"), "{db}");
        ctx.clock.advance(30 * DAY_S);
        purge(&ctx, &ana).await;
        let past = as_of::list(&ctx, &ana, &then, None, 50).await.unwrap().tasks;
        assert_eq!(past.iter().map(|task| task.task_id).collect::<Vec<_>>(), [TWO], "{db}");
        not_found(done!(ctx, |tx| as_of::restore(&ctx, tx, By::person(&ana), ONE, &then)), GONE);
        let file = exported(&ctx, &ana).await;
        assert!(!file.contains("secret") && file.contains("kept"), "{db}: {file}");
        assert!(!file.contains("2026-03-11T09:30:00+00:00"), "{db}: nor when it was due: {file}");
        let file: serde_json::Value = serde_json::from_str(&file).unwrap();
        assert_eq!(file["changes"].as_array().unwrap().len(), 4, "{db}: what happened stays");
        for change in history::changes(&ctx, &ana, ONE).await.unwrap() {
            assert_eq!((change.after.title.as_str(), change.after.description), ("", None), "{db}");
        }
    }
}

async fn exported(ctx: &Ctx, caller: &Caller) -> String {
    let mut export = Export::new(ctx, caller, Format::Json).unwrap();
    let mut file = String::new();
    while let Some(piece) = export.next().await.unwrap() {
        file += &piece;
    }
    file
}

#[tokio::test]
async fn tampering_with_a_purge_mark_is_detected() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        for number in [ONE, TWO] {
            add(&ctx, &ana, titled("x")).await;
            delete(&ctx, &ana, number).await;
        }
        ctx.clock.advance(30 * DAY_S);
        purge(&ctx, &ana).await;
        add(&ctx, &ana, titled("y")).await;
        let sound =
            audit::verify_within(&ctx, &mut ctx.read().await.unwrap(), &Default::default(), None).await.unwrap();
        assert_eq!(sound.broken, [], "{db}");
        let emptied = "title = '', search = '', tag_keys = '', deleted_at = created_at, purged_at = created_at";
        for (sql, problem) in [
            ("UPDATE tasks SET purged_at = created_at WHERE number = 1".to_owned(), "task #1 was not purged"),
            ("UPDATE tasks SET priority = 3 WHERE number = 2".to_owned(), "task #2 was not purged"),
            (format!("UPDATE tasks SET {emptied} WHERE number = 3"), "task #3 was not purged"),
            ("UPDATE tasks SET purged_at = NULL WHERE number = 1".to_owned(), "task #1 was not purged"),
        ] {
            let mut tx = testing::spoil(&ctx.store, &sql).await;
            let broken = audit::verify_within(&ctx, &mut tx, &Default::default(), None).await.unwrap().broken;
            assert_eq!(broken.len(), 1, "{db}, {sql}: {broken:?}");
            assert!(broken[0].kind == "change" && broken[0].problem.starts_with(problem), "{db}, {sql}: {broken:?}");
        }
    }
}

#[tokio::test]
async fn restored_task_gets_a_new_30_day_retention() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let by = By::person(&ana);
        for number in [ONE, TWO] {
            add(&ctx, &ana, titled("x")).await;
            delete(&ctx, &ana, number).await;
        }
        ctx.clock.advance(29 * DAY_S);
        done!(ctx, |tx| tasks::restore(&ctx, tx, by, ONE, None)).unwrap();
        let restored = done!(ctx, |tx| tasks::restore(&ctx, tx, by, TWO, None)).unwrap().change_id.unwrap();
        ctx.clock.advance(29 * DAY_S);
        assert_eq!(purge(&ctx, &ana).await, 0, "{db}: neither is in the bin");
        delete(&ctx, &ana, ONE).await;
        // Undoing the restore keeps the deletion time, but retention starts again.
        done!(ctx, |tx| undo::change(&ctx, tx, by, restored)).unwrap();
        for days in [1, 28] {
            ctx.clock.advance(days * DAY_S);
            assert_eq!(purge(&ctx, &ana).await, 0, "{db}: the first deletion is not what counts");
        }
        ctx.clock.advance(DAY_S);
        assert_eq!(purge(&ctx, &ana).await, 2, "{db}");
    }
}

#[tokio::test]
async fn a_full_bin_goes_in_parts_and_each_persons_alone() {
    for (db, ctx) in ctxs().await {
        let (ana, ben) = (person(&ctx, "ana").await, person(&ctx, "ben").await);
        for caller in [&ana, &ben] {
            let mut tx = ctx.write().await.unwrap();
            for number in 1..=bin::AT_ONCE + 1 {
                tasks::add(&ctx, &mut tx, By::person(caller), titled("x")).await.unwrap();
                tasks::delete(&ctx, &mut tx, By::person(caller), TaskNumber(number), None).await.unwrap();
            }
            ctx.commit(tx).await.unwrap();
        }
        ctx.clock.advance(31 * DAY_S);
        assert_eq!(purge(&ctx, &ana).await, bin::AT_ONCE, "{db}");
        assert_eq!(purge(&ctx, &ana).await, 1, "{db}");
        assert_eq!(purge(&ctx, &ana).await, 0, "{db}");
        let left = tasks::list(&ctx, &ben, &binned(), None, 1).await.unwrap().total;
        assert_eq!(left, bin::AT_ONCE + 1, "{db}: another's bin is as it was");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_hands_at_one_bin_purge_each_task_once() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        for number in 1..=20 {
            add(&ctx, &ana, titled("x")).await;
            delete(&ctx, &ana, TaskNumber(number)).await;
        }
        ctx.clock.advance(30 * DAY_S);
        let hands = (0..4).map(|_| {
            let (ctx, ana) = (ctx.clone(), ana.clone());
            tokio::spawn(async move { purge(&ctx, &ana).await })
        });
        let gone: i64 = futures::future::try_join_all(hands).await.unwrap().into_iter().sum();
        assert_eq!(gone, 20, "{db}");
        assert_eq!(testing::broken(&mut ctx.read().await.unwrap()).await, Vec::<&str>::new(), "{db}");
    }
}

#[tokio::test]
async fn completion_can_be_undone_after_its_successor_was_purged() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let by = By::person(&ana);
        let recurrence = Some("FREQ=WEEKLY;BYDAY=MO".to_owned());
        add(&ctx, &ana, NewTask { recurrence, ..titled("x") }).await;
        let completed = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap();
        assert_eq!(completed.next.unwrap().task_id, TWO, "{db}");
        delete(&ctx, &ana, TWO).await;
        ctx.clock.advance(30 * DAY_S);
        assert_eq!(purge(&ctx, &ana).await, 1, "{db}");
        let undone = done!(ctx, |tx| undo::change(&ctx, tx, by, completed.change_id.unwrap())).unwrap();
        assert_eq!(undone.iter().map(|changed| changed.after.task_id).collect::<Vec<_>>(), [ONE], "{db}");
    }
}

#[tokio::test]
async fn undo_of_the_rest_skips_purged_tasks() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let (turn, by) = (turn(&ctx, &ana, 2).await, By::person(&ana));
        for index in 0..2 {
            add(&ctx, &ana, titled("x")).await;
            let agent = By::agent(&ana, InvocationId { turn, step: 0, index });
            let title = Some(Title::parse("y").unwrap());
            let edit = Edit { title, ..Edit::default() };
            done!(ctx, |tx| tasks::edit(&ctx, tx, agent, TaskNumber(i64::from(index) + 1), edit, None)).unwrap();
        }
        delete(&ctx, &ana, ONE).await;
        ctx.clock.advance(30 * DAY_S);
        purge(&ctx, &ana).await;
        let undone = done!(ctx, |tx| undo::rest(&ctx, tx, by, Target::Turn(turn))).unwrap();
        let numbers: Vec<_> = undone.done.iter().map(|changed| changed.after.task_id).collect();
        let whys = undone.left.into_iter().map(|left| left.why).collect::<Vec<_>>();
        assert_eq!((numbers, whys), (vec![TWO], vec![GONE.to_owned()]), "{db}");
    }
}
