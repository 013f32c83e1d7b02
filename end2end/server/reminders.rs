//! Reminders: sent once by any process, to open tabs and to Telegram.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::app::{Client, until};
use crate::botapi::Fault;
use crate::events::Stream;
use crate::telegram::World;

const ADA: i64 = 77;

/// Returns the time `seconds` from now, cut to the second. A time that is past when the server reads it triggers no
/// reminder, so tests allow three seconds for a busy machine.
fn in_seconds(seconds: i64) -> String {
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
    format!("{at:.0}")
}

pub async fn add(user: &Client, title: &str, seconds: i64) -> Value {
    user.post("/api/v1/tasks/add", &[("title", title), ("due", &in_seconds(seconds))]).await.ok()
}

/// Returns the number of stored events of a kind.
pub async fn heard(user: &Client, kind: &str) -> usize {
    let head = user.get("/api/v1/session/me", &[]).await.ok()["head"].as_i64().expect("a number");
    let mut stream = Stream::open(user, &[("after", "0")], None).await;
    let (mut last, mut count) = (0, 0);
    while last < head {
        let event = stream.next().await.expect("what is stored comes");
        (last, count) = (event.id, count + usize::from(event.kind == kind));
    }
    count
}

#[tokio::test]
async fn a_task_reminds_once_when_its_time_comes() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        add(&ada, "milk", 4).await;
        // No reminder for a time that is past when set, for a day alone, or for a task completed before its time.
        add(&ada, "past", -60).await;
        ada.post("/api/v1/tasks/add", &[("title", "day"), ("due", "today")]).await.ok();
        add(&ada, "done", 4).await;
        ada.post("/api/v1/tasks/complete", &[("task_id", "4")]).await.ok();
        add(&ada, "moved", 4).await;
        ada.post("/api/v1/tasks/update", &[("task_id", "5"), ("due", &in_seconds(3600))]).await.ok();
        add(&ada, "deleted", 4).await;
        ada.post("/api/v1/tasks/delete", &[("task_id", "6")]).await.ok();
        // An undo in time restores the reminder.
        add(&ada, "undone", 4).await;
        let done = ada.post("/api/v1/tasks/complete", &[("task_id", "7")]).await.ok();
        ada.post("/api/v1/undo", &[("change_id", done["change_id"].as_str().unwrap())]).await.ok();
        world.reads("Due now: milk (#1)").await;
        world.reads("Due now: undone (#7)").await;
        // A further notice through the channel proves that there was no other before it.
        add(&ada, "last", 3).await;
        world.reads("Due now: last (#8)").await;
        let notices = world.bot.messages(ADA).iter().filter(|it| it.text.starts_with("Due now")).count();
        assert_eq!(notices, 3, "{:?}", world.bot.messages(ADA));
        assert_eq!(heard(&ada, "reminder.due").await, 3);
    }
}

#[tokio::test]
async fn a_reminder_is_done_or_put_off_by_its_buttons() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        add(&ada, "milk", 3).await;
        let due = add(&ada, "bread", 3).await["due"].clone();
        let (milk, bread) = (world.reads("Due now: milk").await, world.reads("Due now: bread").await);
        world.press(&milk, "Done").await;
        world.press(&milk, "Done").await;
        let done = world.reads("Done: milk (#1)").await;
        assert_eq!((done.id, done.buttons.len()), (milk.id, 0));
        world.press(&bread, "In an hour").await;
        let put_off = world.reads("Snoozed until").await;
        assert_eq!(put_off.id, bread.id);
        let tasks = ada.tasks().await;
        assert_eq!((&tasks[0]["status"], &tasks[1]["status"]), (&"completed".into(), &"pending".into()));
        assert_eq!(tasks[1]["due"], due, "its time is as it was");
    }
}

#[tokio::test]
async fn what_comes_due_while_no_server_runs_is_told_late() {
    for mut world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        add(&ada, "milk", 4).await;
        world.app.server.kill();
        let due = Instant::now() + Duration::from_secs(4);
        until("its time", || async { (Instant::now() > due).then_some(()) }).await;
        world.app.server = world.another("");
        world.reads("Due now: milk").await;
    }
}

#[tokio::test]
async fn crash_while_reminding_loses_no_notice() {
    // A reminder is sent whole, since edits do not notify. It is repeated if the server crashed after sending it and
    // before recording that.
    const POINTS: [(&str, usize); 6] = [
        ("before remind", 1),
        ("after remind", 1),
        ("before outbox", 1),
        ("after outbox", 1),
        ("before sent", 2),
        ("after sent", 1),
    ];
    for mut world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        for (at, (point, messages)) in POINTS.iter().enumerate() {
            world.app.server.terminate();
            world.app.server = world.another(point);
            let title = format!("grape{at}");
            add(&ada.at(&world.app.server), &title, 3).await;
            world.app.server.dies().await;
            world.app.server = world.another("");
            world.reads(&format!("Due now: {title}")).await;
            let notices =
                || world.bot.messages(ADA).into_iter().filter(|it| it.text.contains(&title)).collect::<Vec<_>>();
            until(point, || async { (notices().len() == *messages).then_some(()) }).await;
            // A later message through the channel proves that no other is pending.
            world.write("/tasks").await;
            until("the list", || async { world.bot.with(ADA, &format!("{title} · ")) }).await;
            assert_eq!(notices().iter().filter(|it| it.text.starts_with("Due now")).count(), *messages, "{point}");
            world.bot.forget(ADA, &world.reads(&format!("{title} · ")).await.text);
        }
    }
}

#[tokio::test]
async fn reminder_with_lost_acknowledgement_is_duplicated_but_answered_once() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        world.bot.fail(&[Fault::Lost]);
        add(&ada, "milk", 3).await;
        let both = until("the second", || async {
            let all = world.bot.messages(ADA).into_iter().filter(|it| it.text.starts_with("Due now: milk"));
            let all: Vec<_> = all.collect();
            (all.len() == 2).then_some(all)
        })
        .await;
        assert!(both.iter().all(|message| message.buttons == both[0].buttons));
        // The message that the server did not record.
        world.press(&both[0], "Done").await;
        let (done, other) = (world.reads("Done: milk (#1)").await, world.reads("Closed, see above").await);
        assert_eq!((done.id, other.id), (both[0].id, both[1].id));
        assert!(world.bot.messages(ADA).iter().all(|message| message.buttons.is_empty()));
        assert_eq!(ada.tasks().await[0]["status"], "completed");
    }
}

#[tokio::test]
async fn chat_reminder_is_updated_after_completion_in_the_browser() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        add(&ada, "milk", 3).await;
        let notice = world.reads("Due now: milk").await;
        ada.post("/api/v1/tasks/complete", &[("task_id", "1")]).await.ok();
        let done = world.reads("Done: milk (#1)").await;
        assert_eq!((done.id, done.buttons.len()), (notice.id, 0));
    }
}
