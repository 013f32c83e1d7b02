//! Tests of undo, and of undoing an undo.

use super::*;
use crate::domain::id::ChangeId;
use crate::domain::task::{Edit, Status, Title};
use crate::usecases::tasks;
use crate::usecases::undo::{self, Target};

fn renamed(title: &str) -> Edit {
    Edit { title: Some(Title::parse(title).unwrap()), ..Edit::default() }
}

#[tokio::test]
async fn what_was_built_upon_is_not_taken_back() {
    for (_, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let by = By::person(&ana);
        add(&ctx, &ana, titled("x")).await;
        let first = done!(ctx, |tx| tasks::edit(&ctx, tx, by, ONE, renamed("y"), None)).unwrap().change_id.unwrap();
        let second = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap().change_id.unwrap();
        let early = done!(ctx, |tx| undo::change(&ctx, tx, by, first));
        conflict(early, "Task #1 was completed by you since then. Undo that change first.");
        done!(ctx, |tx| undo::change(&ctx, tx, by, second)).unwrap();
        let undone = done!(ctx, |tx| undo::change(&ctx, tx, by, first)).unwrap();
        assert_eq!(undone[0].after.title.as_str(), "x");
        let twice = done!(ctx, |tx| undo::change(&ctx, tx, by, first));
        conflict(twice, "This has already been undone.");
    }
}

#[tokio::test]
async fn an_undo_that_was_undone_leaves_the_change_standing() {
    for (_, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let by = By::person(&ana);
        add(&ctx, &ana, titled("x")).await;
        let first = done!(ctx, |tx| tasks::edit(&ctx, tx, by, ONE, renamed("y"), None)).unwrap().change_id.unwrap();
        let second = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap().change_id.unwrap();
        let undone = done!(ctx, |tx| undo::change(&ctx, tx, by, second)).unwrap()[0].change_id.unwrap();
        done!(ctx, |tx| undo::change(&ctx, tx, by, undone)).unwrap();
        let early = done!(ctx, |tx| undo::change(&ctx, tx, by, first));
        conflict(early, "Task #1 was completed by you since then. Undo that change first.");
    }
}

#[tokio::test]
async fn a_whole_turn_is_taken_back_or_nothing_of_it() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let turn = turn(&ctx, &ana, 3).await;
        let call = |index| InvocationId { turn, step: 0, index };
        add(&ctx, &ana, titled("old")).await;
        done!(ctx, |tx| tasks::edit(&ctx, tx, By::agent(&ana, call(0)), ONE, renamed("new"), None)).unwrap();
        done!(ctx, |tx| tasks::complete(&ctx, tx, By::agent(&ana, call(1)), ONE, None)).unwrap();
        done!(ctx, |tx| tasks::add(&ctx, tx, By::agent(&ana, call(2)), titled("added"))).unwrap();
        let by = By::person(&ana);
        let meddled = done!(ctx, |tx| tasks::edit(&ctx, tx, by, TaskNumber(2), renamed("mine"), None)).unwrap();
        let refused = done!(ctx, |tx| undo::turn(&ctx, tx, by, turn));
        match refused {
            Err(Error::Partly(why)) => {
                assert_eq!(why, "Task #2 was edited by you since then (title). Undo that change first.")
            }
            other => panic!("{other:?}"),
        }
        let task = tasks::get(&ctx, &ana, ONE).await.unwrap();
        assert_eq!((task.status, task.version), (Status::Completed, 3), "{db}: nothing by half");

        done!(ctx, |tx| undo::change(&ctx, tx, by, meddled.change_id.unwrap())).unwrap();
        let undone = done!(ctx, |tx| undo::invocation(&ctx, tx, by, call(2))).unwrap();
        assert!(undone[0].after.deleted_at.is_some(), "{db}");
        let undone = done!(ctx, |tx| undo::turn(&ctx, tx, by, turn)).unwrap();
        assert_eq!(undone.len(), 2, "{db}: what was undone already is left alone");
        let task = tasks::get(&ctx, &ana, ONE).await.unwrap();
        assert_eq!((task.title.as_str(), task.status), ("old", Status::Pending), "{db}");
        conflict(done!(ctx, |tx| undo::turn(&ctx, tx, by, turn)), "This has already been undone.");
    }
}

#[tokio::test]
async fn partial_undo_of_a_turn_names_the_changes_it_kept() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let (turn, outside, by) = (turn(&ctx, &ana, 3).await, turn(&ctx, &ana, 1).await, By::person(&ana));
        for index in 0..3 {
            let agent = By::agent(&ana, InvocationId { turn, step: 0, index });
            done!(ctx, |tx| tasks::add(&ctx, tx, agent, titled("x"))).unwrap();
        }
        done!(ctx, |tx| tasks::edit(&ctx, tx, by, TaskNumber(2), renamed("mine"), None)).unwrap();
        let outside = By::agent(&ana, InvocationId { turn: outside, step: 0, index: 0 });
        done!(ctx, |tx| tasks::complete(&ctx, tx, outside, TaskNumber(3), None)).unwrap();
        let left = [
            "Task #3 was completed by Docket since then. Undo that change first.",
            "Task #2 was edited by you since then (title). Undo that change first.",
        ];
        match done!(ctx, |tx| undo::all(&ctx, tx, by, Target::Turn(turn))) {
            Err(Error::Partly(why)) => assert_eq!(why, left.join(" "), "{db}"),
            other => panic!("{db}: {other:?}"),
        }
        assert!(tasks::get(&ctx, &ana, ONE).await.is_ok(), "{db}: nothing by half");
        let undone = done!(ctx, |tx| undo::rest(&ctx, tx, by, Target::Turn(turn))).unwrap();
        let numbers: Vec<_> = undone.done.iter().map(|changed| changed.after.task_id).collect();
        let whys = undone.left.into_iter().map(|left| left.why).collect::<Vec<_>>();
        assert_eq!((numbers, whys), (vec![ONE], left.map(str::to_owned).to_vec()), "{db}");
        conflict(done!(ctx, |tx| undo::rest(&ctx, tx, by, Target::Turn(turn))), &left.join(" "));
    }
}

#[tokio::test]
async fn what_was_done_again_can_be_undone_again() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let (call, by) = (InvocationId { turn: turn(&ctx, &ana, 1).await, step: 0, index: 0 }, By::person(&ana));
        done!(ctx, |tx| tasks::add(&ctx, tx, By::agent(&ana, call), titled("x"))).unwrap();
        for _ in 0..2 {
            let undone = done!(ctx, |tx| undo::invocation(&ctx, tx, by, call)).unwrap();
            assert!(undone[0].after.deleted_at.is_some(), "{db}");
            conflict(done!(ctx, |tx| undo::invocation(&ctx, tx, by, call)), "This has already been undone.");
            let redone = done!(ctx, |tx| undo::change(&ctx, tx, by, undone[0].change_id.unwrap())).unwrap();
            assert!(redone[0].after.deleted_at.is_none(), "{db}");
        }
    }
}

#[tokio::test]
async fn only_ones_own_changes_can_be_taken_back() {
    for (_, ctx) in ctxs().await {
        let (ana, ben) = (person(&ctx, "ana").await, person(&ctx, "ben").await);
        let turn = turn(&ctx, &ana, 1).await;
        let call = InvocationId { turn, step: 0, index: 0 };
        let change = done!(ctx, |tx| tasks::add(&ctx, tx, By::agent(&ana, call), titled("x"))).unwrap().change_id;
        let by = By::person(&ben);
        not_found(done!(ctx, |tx| undo::change(&ctx, tx, by, change.unwrap())), "There is no such change.");
        not_found(done!(ctx, |tx| undo::change(&ctx, tx, by, ChangeId::new())), "There is no such change.");
        let nothing = "This tool call made no changes that can be undone.";
        not_found(done!(ctx, |tx| undo::invocation(&ctx, tx, by, call)), nothing);
        let nothing = "This turn made no changes that can be undone.";
        not_found(done!(ctx, |tx| undo::turn(&ctx, tx, by, turn)), nothing);
    }
}
