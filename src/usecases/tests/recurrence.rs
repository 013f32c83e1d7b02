//! Tests of recurring tasks.

use super::*;
use crate::domain::task::{Due, Edit, NewTask, Operation, Status, Title};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::user::Scope;
use crate::usecases::{as_of, history, tasks, undo};

const TWO: TaskNumber = TaskNumber(2);

async fn weekly(ctx: &Ctx) -> Caller {
    let ana = person(ctx, "ana").await;
    let due = Some(Due::Date(CivilDate::parse("2026-03-09").unwrap()));
    add(ctx, &ana, NewTask { due, recurrence: Some("FREQ=WEEKLY;BYDAY=MO".into()), ..titled("water") }).await;
    ana
}

#[tokio::test]
async fn completing_a_recurring_task_leaves_the_next_one() {
    for (db, ctx) in ctxs().await {
        let ana = weekly(&ctx).await;
        let done = done!(ctx, |tx| tasks::complete(&ctx, tx, By::person(&ana), ONE, None)).unwrap();
        let next = done.next.unwrap();
        assert_eq!((next.task_id, next.due.as_deref()), (TWO, Some("2026-03-16")), "{db}");
        assert_eq!((next.title.as_str(), next.status), ("water", Status::Pending), "{db}");
        assert_eq!(next.recurrence.as_deref(), Some("FREQ=WEEKLY;BYDAY=MO"), "{db}");
        assert_eq!(history::changes(&ctx, &ana, TWO).await.unwrap()[0].operation, Operation::Add, "{db}");
    }
}

#[tokio::test]
async fn recurrence_keeps_its_local_time_across_a_dst_change() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let due = Due::at(Timestamp::parse("2026-03-23T17:00:00Z").unwrap(), "Europe/London");
        add(&ctx, &ana, NewTask { due, recurrence: Some("FREQ=WEEKLY;BYDAY=MO".into()), ..titled("call") }).await;
        let done = done!(ctx, |tx| tasks::complete(&ctx, tx, By::person(&ana), ONE, None)).unwrap();
        assert_eq!(done.next.unwrap().due.as_deref(), Some("2026-03-30T17:00:00+01:00"), "{db}");
    }
}

#[tokio::test]
async fn undo_of_a_completion_removes_its_next_occurrence_until_redone() {
    for (db, ctx) in ctxs().await {
        let ana = weekly(&ctx).await;
        let by = By::person(&ana);
        let done = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap();
        let undone = done!(ctx, |tx| undo::change(&ctx, tx, by, done.change_id.unwrap())).unwrap();
        let operations: Vec<_> = undone.iter().map(|changed| changed.after.task_id).collect();
        assert_eq!(operations, [TWO, ONE], "{db}");
        assert_eq!(tasks::get(&ctx, &ana, ONE).await.unwrap().status, Status::Pending, "{db}");
        not_found(tasks::get(&ctx, &ana, TWO).await, "There is no task #2.");
        done!(ctx, |tx| undo::change(&ctx, tx, by, undone[1].change_id.unwrap())).unwrap();
        assert_eq!(tasks::get(&ctx, &ana, ONE).await.unwrap().status, Status::Completed, "{db}");
        assert!(tasks::get(&ctx, &ana, TWO).await.is_ok(), "{db}");
    }
}

#[tokio::test]
async fn edited_next_occurrence_blocks_undo_of_the_completion() {
    for (db, ctx) in ctxs().await {
        let ana = weekly(&ctx).await;
        let by = By::person(&ana);
        let done = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap();
        let edit = Edit { title: Some(Title::parse("water more").unwrap()), ..Edit::default() };
        done!(ctx, |tx| tasks::edit(&ctx, tx, by, TWO, edit.clone(), None)).unwrap();
        let refused = done!(ctx, |tx| undo::change(&ctx, tx, by, done.change_id.unwrap()));
        conflict(refused, "Task #2 was edited by you since then (title). Undo that change first.");
        done!(ctx, |tx| tasks::reopen(&ctx, tx, by, ONE, None)).unwrap();
        assert!(tasks::get(&ctx, &ana, TWO).await.is_ok(), "{db}: reopening leaves what was used");
    }
}

#[tokio::test]
async fn reopening_takes_back_a_next_one_that_nobody_touched() {
    for (db, ctx) in ctxs().await {
        let ana = weekly(&ctx).await;
        let by = By::person(&ana);
        done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap();
        let binned = done!(ctx, |tx| tasks::reopen(&ctx, tx, by, ONE, None)).unwrap().next.unwrap();
        assert!(binned.task_id == TWO && binned.deleted_at.is_some(), "{db}: {binned:?}");
        not_found(tasks::get(&ctx, &ana, TWO).await, "There is no task #2.");
        let next = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap().next.unwrap();
        assert_eq!(next.task_id, TaskNumber(3), "{db}");
    }
}

#[tokio::test]
async fn time_travel_restore_removes_or_adds_the_next_occurrence() {
    for (db, ctx) in ctxs().await {
        let ana = weekly(&ctx).await;
        let by = By::person(&ana);
        ctx.clock.advance(60);
        let open = ctx.now();
        ctx.clock.advance(60);
        done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap();
        let completed = ctx.now();
        ctx.clock.advance(60);
        let restored = done!(ctx, |tx| as_of::restore(&ctx, tx, by, ONE, &open)).unwrap();
        assert_eq!(restored.after.status, Status::Pending, "{db}");
        not_found(tasks::get(&ctx, &ana, TWO).await, "There is no task #2.");
        ctx.clock.advance(60);
        let restored = done!(ctx, |tx| as_of::restore(&ctx, tx, by, ONE, &completed)).unwrap();
        assert_eq!((restored.after.status, restored.next.unwrap().task_id), (Status::Completed, TaskNumber(3)), "{db}");
    }
}

#[tokio::test]
async fn undo_of_a_completion_needs_no_delete_scope() {
    for (db, ctx) in ctxs().await {
        let ana = weekly(&ctx).await;
        let program = Caller { scopes: vec![Scope::TasksRead, Scope::TasksWrite], ..ana.clone() };
        let by = By::person(&program);
        done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap();
        done!(ctx, |tx| tasks::reopen(&ctx, tx, by, ONE, None)).unwrap();
        not_found(tasks::get(&ctx, &ana, TWO).await, "There is no task #2.");
        let call = InvocationId { turn: turn(&ctx, &ana, 1).await, step: 0, index: 0 };
        done!(ctx, |tx| tasks::complete(&ctx, tx, By::agent(&ana, call), ONE, None)).unwrap();
        let undone = done!(ctx, |tx| undo::turn(&ctx, tx, by, call.turn)).unwrap();
        assert_eq!(
            undone.iter().map(|changed| changed.after.task_id).collect::<Vec<_>>(),
            [TaskNumber(3), ONE],
            "{db}"
        );
        // Undone alone, the next occurrence would only be deleted.
        let next = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap().next.unwrap();
        let history = history::changes(&ctx, &ana, next.task_id).await.unwrap();
        let refused = done!(ctx, |tx| undo::change(&ctx, tx, by, history[0].change_id));
        assert!(matches!(&refused, Err(Error::Forbidden(why)) if why.contains("tasks:delete")), "{db}: {refused:?}");
    }
}

#[tokio::test]
async fn a_recurrence_is_one_that_can_be_followed() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let odd = NewTask { recurrence: Some("whenever".into()), ..titled("x") };
        let refused = done!(ctx, |tx| tasks::add(&ctx, tx, By::person(&ana), odd.clone()));
        assert!(matches!(refused, Err(Error::Invalid(_))), "{db}");
    }
}
