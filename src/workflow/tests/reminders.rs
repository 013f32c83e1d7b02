//! Tests of reminders with a fixed clock: each is sent once, at the intended instant across clock changes.

use std::sync::Arc;

use super::worlds;
use crate::domain::live::EventKind;
use crate::domain::task::Due;
use crate::domain::time::Timestamp;
use crate::domain::user::Door;
use crate::fault::Faults;
use crate::fault::crash::Crashes;
use crate::store;
use crate::store::testing;
use crate::usecases::testing::{NOW, add, titled};
use crate::usecases::{By, Commit, accounts, events, tasks};
use crate::workflow::{reminders, worker};

/// Runs due reminders; returns the total number so far.
async fn told(world: &super::World) -> usize {
    worker::settle(&world.state).await.unwrap();
    let all = events::after(&world.state.ctx, &world.caller, 0, 999).await.unwrap();
    all.iter().filter(|event| event.kind == EventKind::ReminderDue).count()
}

/// Advances the clock to that instant.
fn go_to(world: &super::World, at: &str) {
    let clock = &world.state.ctx.clock;
    clock.advance(Timestamp::parse(at).unwrap().ms_since(&clock.now()) / 1000);
}

#[tokio::test]
async fn reminder_keeps_its_local_time_after_a_dst_change() {
    for mut world in worlds().await {
        assert_eq!((world.caller.user.zone.as_str(), &NOW[..10]), ("Europe/London", "2026-03-11"));
        world.say("add call mum on 29 march at 9am").await;
        world.say("add water the plants on 29 march").await;
        go_to(&world, "2026-03-29T07:59:59Z");
        assert_eq!(told(&world).await, 0);
        go_to(&world, "2026-03-29T08:00:00Z");
        assert_eq!(told(&world).await, 1, "and of the day alone not at all");
        go_to(&world, "2026-03-30T08:00:00Z");
        assert_eq!(told(&world).await, 1);
    }
}

#[tokio::test]
async fn reminder_in_a_repeated_hour_is_sent_once() {
    for mut world in worlds().await {
        // At 02:00 summer time clocks go back to 01:00: 01:30 is at 00:30 and at 01:30 UTC.
        world.say("add call mum on 25 october at 1:30am").await;
        world.say("add water the plants on 25 october at 9am").await;
        world.say("add take the pill every day at 8am starting 24 october").await;
        go_to(&world, "2026-10-24T07:00:00Z");
        assert_eq!(told(&world).await, 1, "the pill, at eight in summer");
        let ctx = world.state.ctx.clone();
        let mut tx = ctx.write().await.unwrap();
        let number = crate::domain::id::TaskNumber(3);
        let done = tasks::complete(&ctx, &mut tx, By::person(&world.caller), number, None).await.unwrap();
        ctx.commit_at(tx, Commit::Edit).await.unwrap();
        assert_eq!(done.next.unwrap().due.as_deref(), Some("2026-10-25T08:00:00+00:00"));
        go_to(&world, "2026-10-25T00:29:59Z");
        assert_eq!(told(&world).await, 1);
        go_to(&world, "2026-10-25T00:30:00Z");
        assert_eq!(told(&world).await, 2, "the first of the two");
        let mum = crate::domain::id::TaskNumber(1);
        let later = reminders::snooze(&world.state, &world.caller, mum).await.unwrap();
        assert_eq!(later, Timestamp::parse("2026-10-25T01:30:00Z").unwrap());
        go_to(&world, "2026-10-25T01:29:59Z");
        assert_eq!(told(&world).await, 2);
        go_to(&world, "2026-10-25T01:30:00Z");
        assert_eq!(told(&world).await, 3, "an hour later, when it is 01:30 again");
        go_to(&world, "2026-10-25T07:59:59Z");
        assert_eq!(told(&world).await, 3);
        go_to(&world, "2026-10-25T08:00:00Z");
        assert_eq!(told(&world).await, 4, "the pill, at eight in winter");
        go_to(&world, "2026-10-25T09:00:00Z");
        assert_eq!(told(&world).await, 5);
    }
}

#[tokio::test]
async fn reminder_follows_local_time_in_far_zones_and_skipped_hours() {
    let cases = [
        ("Pacific/Kiritimati", "13 march at 9am", "2026-03-12T19:00:00Z"),
        ("Asia/Kathmandu", "13 march at 9am", "2026-03-13T03:15:00Z"),
        ("Pacific/Pago_Pago", "13 march at 9am", "2026-03-13T20:00:00Z"),
        // Clocks skip from 01:00 to 02:00: half past one is read as 02:30.
        ("Europe/London", "29 march at 1:30am", "2026-03-29T01:30:00Z"),
        // Skips half an hour, from 02:00 to 02:30.
        ("Australia/Lord_Howe", "4 october at 2:15am", "2026-10-03T15:45:00Z"),
    ];
    for mut world in worlds().await {
        let ctx = world.state.ctx.clone();
        for (at, (zone, when, meant)) in cases.into_iter().enumerate() {
            accounts::set_zone(&ctx, &world.caller, zone).await.unwrap();
            world.caller = accounts::caller_of_user(&ctx, world.caller.id(), Door::Web).await.unwrap().unwrap();
            world.say(&format!("add pay rent on {when}")).await;
            let before = Timestamp::parse(meant).unwrap().plus_seconds(-1);
            go_to(&world, &before.to_string());
            assert_eq!(told(&world).await, at, "{zone}");
            go_to(&world, meant);
            assert_eq!(told(&world).await, at + 1, "{zone}");
        }
    }
}

#[tokio::test]
async fn undo_restores_a_reminder_only_if_it_is_still_due() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        let at = ctx.now().plus_seconds(600);
        let mut numbers = vec![];
        for _ in 0..2 {
            let mut new = titled("milk");
            new.due = Due::at(at.clone(), "Europe/London");
            numbers.push(add(&ctx, &world.caller, new).await.task_id);
        }
        let mut changes = vec![];
        for number in numbers {
            let mut tx = ctx.write().await.unwrap();
            let done = tasks::complete(&ctx, &mut tx, By::person(&world.caller), number, None).await.unwrap();
            ctx.commit_at(tx, Commit::Edit).await.unwrap();
            changes.push(done.change_id.unwrap());
        }
        let undo = async |id| {
            let mut tx = ctx.write().await.unwrap();
            crate::usecases::undo::change(&ctx, &mut tx, By::person(&world.caller), id).await.unwrap();
            ctx.commit_at(tx, Commit::Undo).await.unwrap();
        };
        undo(changes[0]).await;
        ctx.clock.advance(600);
        assert_eq!(told(&world).await, 1);
        undo(changes[1]).await;
        assert_eq!(told(&world).await, 1, "its time was over before it was open again");
    }
}

#[tokio::test]
async fn of_two_processes_one_reminds() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        for _ in 0..20 {
            let mut new = titled("milk");
            new.due = Due::at(ctx.now().plus_seconds(60), "Europe/London");
            add(&ctx, &world.caller, new).await;
        }
        let other = world.replica().await;
        ctx.clock.advance(60);
        let (here, there) =
            tokio::join!(crate::workflow::reminders::remind(&world.state), crate::workflow::reminders::remind(&other));
        here.unwrap();
        there.unwrap();
        assert_eq!(told(&world).await, 20);
    }
}

#[tokio::test]
async fn a_snooze_survives_completion_and_its_undo() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        for taken_back in [true, false] {
            let number = world.task(if taken_back { "wash car" } else { "wash dog" }).await;
            let snoozed = reminders::snooze(&world.state, &world.caller, number).await.unwrap();
            let mut tx = ctx.write().await.unwrap();
            let by = By::person(&world.caller);
            let done = tasks::complete(&ctx, &mut tx, by, number, None).await.unwrap();
            assert_eq!(store::reminders::of_task(&mut tx, world.caller.id(), number).await.unwrap(), None);
            if taken_back {
                let target = crate::usecases::undo::Target::Change(done.change_id.unwrap());
                crate::usecases::undo::all(&ctx, &mut tx, by, target).await.unwrap();
            } else {
                tasks::reopen(&ctx, &mut tx, by, number, None).await.unwrap();
            }
            let reminder = store::reminders::of_task(&mut tx, world.caller.id(), number).await.unwrap();
            assert_eq!(reminder, Some(snoozed), "{taken_back}");
            ctx.commit_at(tx, Commit::Edit).await.unwrap();
        }
    }
}

#[tokio::test]
async fn snooze_works_without_due_time_and_never_advances_a_reminder() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        let (untimed, hour) = (world.task("wash car").await, ctx.now().plus_seconds(3_600));
        assert_eq!(reminders::snooze(&world.state, &world.caller, untimed).await.unwrap(), hour);
        assert_eq!(testing::broken(&mut ctx.read().await.unwrap()).await, Vec::<&str>::new());
        let evening = ctx.now().plus_seconds(6 * 3_600);
        let mut new = titled("milk");
        new.due = Due::at(evening.clone(), "Europe/London");
        let timed = add(&ctx, &world.caller, new).await.task_id;
        assert_eq!(reminders::snooze(&world.state, &world.caller, timed).await.unwrap(), evening);
        ctx.clock.advance(3_600);
        assert_eq!(told(&world).await, 1);
        ctx.clock.advance(5 * 3_600);
        assert_eq!(told(&world).await, 2);
    }
}

#[tokio::test]
async fn a_task_that_cannot_be_read_keeps_no_other_waiting() {
    for world in worlds().await {
        let ctx = world.state.ctx.clone();
        for seconds in [60, 61] {
            let mut new = titled("milk");
            new.due = Due::at(ctx.now().plus_seconds(seconds), "Europe/London");
            add(&ctx, &world.caller, new).await;
        }
        testing::execute(&ctx.store, "UPDATE tasks SET title = '' WHERE number = 1").await;
        ctx.clock.advance(61);
        assert_eq!(told(&world).await, 1);
        testing::execute(&ctx.store, "UPDATE tasks SET title = 'milk' WHERE number = 1").await;
        assert_eq!(told(&world).await, 2, "late");
    }
}

#[tokio::test]
async fn many_reminders_of_one_user_share_commits_in_order() {
    for mut world in worlds().await {
        let ctx = world.state.ctx.clone();
        // The latest was added first.
        for seconds in (1..=120).rev() {
            let mut new = titled("milk");
            new.due = Due::at(ctx.now().plus_seconds(seconds), "Europe/London");
            add(&ctx, &world.caller, new).await;
        }
        ctx.clock.advance(120);
        let watch = Arc::new(Crashes::watch());
        world.state.ctx.faults = Faults::default().crashing(&watch);
        assert_eq!(told(&world).await, 120);
        let all = events::after(&ctx, &world.caller, 0, 999).await.unwrap();
        let due = all.iter().filter(|event| event.kind == EventKind::ReminderDue);
        let numbers: Vec<_> = due.filter_map(|event| event.data["task_id"].as_i64()).collect();
        assert_eq!(numbers, (1..=120).rev().collect::<Vec<_>>());
        let commits = watch.reached().iter().filter(|point| point.commit == Commit::Remind).count();
        assert!(commits <= 2 * 3, "before and after each of three: {commits}");
    }
}

#[tokio::test]
async fn reply_warns_if_no_channel_can_deliver_the_reminder() {
    const NOBODY: &str = "no Docket tab is open, and no Telegram chat is linked";
    for mut world in worlds().await {
        let says_so = |turn: &crate::domain::turn::Turn| turn.reply.as_deref().unwrap().contains(NOBODY);
        let unheard = world.say("add call mum tomorrow at 5pm").await;
        assert!(unheard.reply.as_deref().unwrap().starts_with("Created task: call mum (#1)"), "{unheard:?}");
        assert!(says_so(&unheard));
        assert!(!says_so(&world.say("add buy milk").await), "it has no time");
        assert!(!says_so(&world.say("add wash car tomorrow").await), "a day alone reminds nobody");
        assert!(says_so(&world.say("move 2 to tomorrow 5pm").await), "moved to a time");
        assert!(!says_so(&world.say("show my tasks").await));

        // A browser session becomes active.
        let ctx = world.state.ctx.clone();
        let (user, hash, later) = (world.caller.id(), [7; 32], ctx.now().plus_seconds(86_400));
        let mut tx = ctx.write().await.unwrap();
        store::sessions::insert(&mut tx, user, &hash, &ctx.now(), &later).await.unwrap();
        ctx.commit(tx).await.unwrap();
        assert!(!says_so(&world.say("add call dad tomorrow at 5pm").await));
        ctx.clock.advance(3_600);
        assert!(says_so(&world.say("add call sue tomorrow at 5pm").await), "it was closed");
        let mut tx = ctx.write().await.unwrap();
        store::sessions::see(&mut tx, user, &hash, (&ctx.now(), &later)).await.unwrap();
        ctx.commit(tx).await.unwrap();
        assert!(!says_so(&world.say("add call tim tomorrow at 5pm").await));
    }
}
