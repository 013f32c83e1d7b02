//! Reminders: told once, by whichever process is there, in open tabs and on Telegram.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::app::{Client, Db, PASSWORD, until};
use crate::botapi::Fault;
use crate::events::Stream;
use crate::telegram::World;

const ADA: i64 = 77;

/// The instant so many seconds from now, cut to the second. A time that has passed when the server reads it reminds nobody: tests
/// leave a busy machine three seconds.
fn in_seconds(seconds: i64) -> String {
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
    format!("{at:.0}")
}

pub async fn add(user: &Client, title: &str, seconds: i64) -> Value {
    user.post("/api/v1/tasks/add", &[("title", title), ("due", &in_seconds(seconds))]).await.ok()
}

/// The stored events of a kind so far.
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
        // Neither what is past when it is set, nor a day alone, nor what is done before its time.
        add(&ada, "past", -60).await;
        ada.post("/api/v1/tasks/add", &[("title", "day"), ("due", "today")]).await.ok();
        add(&ada, "done", 4).await;
        ada.post("/api/v1/tasks/complete", &[("task_id", "4")]).await.ok();
        add(&ada, "moved", 4).await;
        ada.post("/api/v1/tasks/update", &[("task_id", "5"), ("due", &in_seconds(3600))]).await.ok();
        add(&ada, "deleted", 4).await;
        ada.post("/api/v1/tasks/delete", &[("task_id", "6")]).await.ok();
        // Undone in time, it reminds after all.
        add(&ada, "undone", 4).await;
        let done = ada.post("/api/v1/tasks/complete", &[("task_id", "7")]).await.ok();
        ada.post("/api/v1/undo", &[("change_id", done["change_id"].as_str().unwrap())]).await.ok();
        world.reads("Due now: milk (#1)").await;
        world.reads("Due now: undone (#7)").await;
        // A notice more that comes by the same way shows that no other was on it.
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
        let put_off = world.reads("Put off until").await;
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
async fn a_server_that_dies_while_it_reminds_loses_no_notice_and_doubles_one_at_most_that_was_on_its_way() {
    // A reminder is sent whole, since only what is sent notifies a person: one that Telegram has, and of which the server that sent it
    // could not keep that, is sent again.
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
            // What comes by the same way later shows that no other is on it.
            world.write("/tasks").await;
            until("the list", || async { world.bot.with(ADA, &format!("{title}, due")) }).await;
            assert_eq!(notices().iter().filter(|it| it.text.starts_with("Due now")).count(), *messages, "{point}");
            world.bot.forget(ADA, &world.reads(&format!("{title}, due")).await.text);
        }
    }
}

#[tokio::test]
async fn a_reminder_whose_sending_is_not_answered_comes_twice_rather_than_never_and_is_answered_once() {
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
        // The one of which the server knows nothing.
        world.press(&both[0], "Done").await;
        let (done, other) = (world.reads("Done: milk (#1)").await, world.reads("Settled; see above").await);
        assert_eq!((done.id, other.id), (both[0].id, both[1].id));
        assert!(world.bot.messages(ADA).iter().all(|message| message.buttons.is_empty()));
        assert_eq!(ada.tasks().await[0]["status"], "completed");
    }
}

#[tokio::test]
async fn a_reminder_in_the_chat_follows_what_is_done_in_the_browser() {
    for world in World::each().await {
        let ada = world.linked("ada", ADA).await;
        add(&ada, "milk", 3).await;
        let notice = world.reads("Due now: milk").await;
        ada.post("/api/v1/tasks/complete", &[("task_id", "1")]).await.ok();
        let done = world.reads("Done: milk (#1)").await;
        assert_eq!((done.id, done.buttons.len()), (notice.id, 0));
    }
}

#[tokio::test]
async fn two_processes_remind_once() {
    let Some(world) = World::on(Db::Postgres, &[]).await else { return };
    let _other = world.another("");
    let ada = world.linked("ada", ADA).await;
    for at in 0..20 {
        add(&ada, &format!("grape{at}"), 4).await;
    }
    world.reads("Due now: grape19").await;
    until("all", || async { (world.bot.messages(ADA).len() >= 21).then_some(()) }).await;
    assert_eq!(heard(&ada, "reminder.due").await, 20);
    assert_eq!(world.bot.calls("sendMessage").len(), 21);
}

#[tokio::test]
async fn a_reply_that_sets_a_time_says_where_nobody_could_be_told() {
    const NOBODY: &str = "no tab of Docket is open, and no chat on Telegram is linked";
    for world in World::each().await {
        let reply = async |user: &Client, message: &str| user.say(message).await["reply"].as_str().unwrap().to_owned();
        let [ada, bob] = ["ada", "bob"].map(|name| world.app.user(name));
        for user in [&ada, &bob] {
            let said = reply(user, "add call mum tomorrow at 5pm").await;
            assert!(said.starts_with("Created task: call mum (#1)") && said.contains(NOBODY), "{said}");
            assert!(!reply(user, "add buy milk").await.contains(NOBODY));
        }
        world.link(&ada, ADA).await;
        assert!(!reply(&ada, "add call dad tomorrow at 5pm").await.contains(NOBODY), "a chat is linked");
        let browser = Client::browser(&world.app.server.base);
        browser.post("/api/v1/session/sign-in", &[("name", "bob"), ("password", PASSWORD)]).await.ok();
        assert!(!reply(&bob, "add call dad tomorrow at 5pm").await.contains(NOBODY), "a browser is there");
    }
}

#[tokio::test]
async fn many_notices_reach_each_chat_once_and_in_their_order() {
    for world in World::each().await {
        let people = [world.linked("ada", ADA).await, world.linked("bob", ADA + 1).await];
        for user in &people {
            // Due together, in the order of their numbers.
            let due = in_seconds(12);
            for at in 0..30 {
                user.post("/api/v1/tasks/add", &[("title", &format!("grape{at}")), ("due", &due)]).await.ok();
            }
        }
        for chat in [ADA, ADA + 1] {
            let notices = until("all notices", || async {
                let messages = world.bot.messages(chat);
                let notices: Vec<_> = messages.into_iter().filter(|it| it.text.starts_with("Due now")).collect();
                (notices.len() >= 30).then_some(notices)
            })
            .await;
            let expected: Vec<_> = (0..30).map(|at| format!("Due now: grape{at} (#{})", at + 1)).collect();
            assert!(notices.iter().zip(&expected).all(|(notice, text)| notice.text.starts_with(text)), "{notices:?}");
            assert_eq!(notices.len(), 30);
        }
    }
}
