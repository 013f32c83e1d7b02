//! Tests of storing, listing and refusing tasks.

use super::*;
use crate::clock::Clock;
use crate::domain::rank::Order;
use crate::domain::task::{Actor, Description, Due, DueFilter, Edit, Filter, NewTask, Operation, Priority, Project};
use crate::domain::task::{Status, Tag, Title};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::when;
use crate::usecases::import::{self, Format};
use crate::usecases::{events, history, tasks};

fn rich() -> NewTask {
    NewTask {
        description: Some(Description::parse("two litres, 3% fat\nor 1_5").unwrap()),
        due: Due::at(Timestamp::parse("2026-03-29T16:00:00Z").unwrap(), "Europe/London"),
        priority: Priority::High,
        project: Some(Project::parse("Häuslich").unwrap()),
        tags: vec![Tag::parse("shop").unwrap(), Tag::parse("Ärger").unwrap(), Tag::parse("SHOP").unwrap()],
        recurrence: None,
        ..titled("Buy Öl and milk")
    }
}

async fn numbers(ctx: &Ctx, caller: &crate::domain::user::Caller, filter: Filter) -> Vec<i64> {
    let list = tasks::list(ctx, caller, &filter, None, 50).await.unwrap();
    assert_eq!(list.total, i64::try_from(list.tasks.len()).unwrap(), "{filter:?}");
    list.tasks.iter().map(|task| task.task_id.0).collect()
}

#[tokio::test]
async fn a_task_reads_back_as_it_was_written() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let task = add(&ctx, &ana, rich()).await;
        assert_eq!(task.task_id, ONE, "{db}");
        assert_eq!(task.due.as_deref(), Some("2026-03-29T17:00:00+01:00"), "{db}");
        assert_eq!(task.tags.iter().map(Tag::as_str).collect::<Vec<_>>(), ["shop", "Ärger"], "{db}");
        assert_eq!(tasks::get(&ctx, &ana, ONE).await.unwrap(), task, "{db}");
        let history = history::changes(&ctx, &ana, ONE).await.unwrap();
        assert_eq!((history.len(), &history[0].after), (1, &task), "{db}");
        assert_eq!((history[0].operation, history[0].actor), (Operation::Add, Actor::User), "{db}");
        let heard = events::after(&ctx, &ana, 0, 10).await.unwrap();
        assert_eq!(heard[0].data["task"], serde_json::to_value(&task).unwrap(), "{db}");
    }
}

#[tokio::test]
async fn page_with_long_notes_ends_early_without_losing_tasks() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let notes = Some(Description::parse(&"€".repeat(4_000)).unwrap());
        for number in 0..230 {
            let description = notes.clone().filter(|_| number % 2 == 0);
            add(&ctx, &ana, NewTask { description, ..titled("x") }).await;
        }
        let now = ctx.now();
        for (order, most) in [(Order::Number, 43), (Order::Day(when::overdue(&now, "UTC")), 43)] {
            let filter = Filter { order, ..Filter::default() };
            let (mut seen, mut cursor) = (vec![], None);
            loop {
                let page = tasks::list(&ctx, &ana, &filter, cursor.as_deref(), 1000).await.unwrap();
                assert!((1..=most).contains(&page.tasks.len()) && page.total == 230, "{db} {}", page.tasks.len());
                seen.extend(page.tasks.iter().map(|task| task.task_id.0));
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen, (1..=230).collect::<Vec<_>>(), "{db}");
        }
        let urgent = Filter { order: Order::Urgency(when::overdue(&now, "UTC")), ..Filter::default() };
        let page = tasks::list(&ctx, &ana, &urgent, None, 1000).await.unwrap();
        assert!(page.tasks.len() < 200 && page.total == 230 && page.next.is_none(), "{db} {}", page.tasks.len());
    }
}

#[tokio::test]
async fn numbers_are_the_owners_own_and_never_used_twice() {
    for (db, ctx) in ctxs().await {
        let (ana, ben) = (person(&ctx, "ana").await, person(&ctx, "ben").await);
        for number in 1..=3 {
            assert_eq!(add(&ctx, &ana, titled("x")).await.task_id.0, number, "{db}");
        }
        assert_eq!(add(&ctx, &ben, titled("y")).await.task_id, ONE, "{db}");
        done!(ctx, |tx| tasks::delete(&ctx, tx, By::person(&ana), TaskNumber(3), None)).unwrap();
        assert_eq!(add(&ctx, &ana, titled("z")).await.task_id.0, 4, "{db}");
    }
}

#[tokio::test]
async fn another_persons_task_looks_like_none() {
    for (_, ctx) in ctxs().await {
        let (ana, ben) = (person(&ctx, "ana").await, person(&ctx, "ben").await);
        add(&ctx, &ana, titled("secret")).await;
        let none = "There is no task #1.";
        let by = By::person(&ben);
        not_found(tasks::get(&ctx, &ben, ONE).await, none);
        not_found(history::changes(&ctx, &ben, ONE).await, none);
        not_found(done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)), none);
        not_found(done!(ctx, |tx| tasks::edit(&ctx, tx, by, ONE, Edit::default(), None)), none);
        not_found(done!(ctx, |tx| tasks::delete(&ctx, tx, by, ONE, None)), none);
        not_found(done!(ctx, |tx| tasks::restore(&ctx, tx, by, ONE, None)), none);
        assert!(numbers(&ctx, &ben, Filter::default()).await.is_empty());
    }
}

#[tokio::test]
async fn an_edit_sets_what_it_names_and_nothing_else() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let before = add(&ctx, &ana, rich()).await;
        ctx.clock.advance(60);
        let edit = Edit { due: Some(None), priority: Some(Priority::Low), ..Edit::default() };
        let changed = done!(ctx, |tx| tasks::edit(&ctx, tx, By::person(&ana), ONE, edit.clone(), Some(1))).unwrap();
        assert_eq!(changed.before.as_ref(), Some(&before), "{db}");
        let after = changed.after;
        assert_eq!((after.due.clone(), after.priority, after.version), (None, Priority::Low, 2), "{db}");
        assert_eq!((&after.title, &after.description, &after.tags), (&before.title, &before.description, &before.tags));
        assert!(after.updated_at > before.updated_at && after.created_at == before.created_at, "{db}");

        let again = done!(ctx, |tx| tasks::edit(&ctx, tx, By::person(&ana), ONE, edit.clone(), None)).unwrap();
        assert_eq!((again.change_id, again.after), (None, after), "{db}: nothing had to change");
        assert_eq!(history::changes(&ctx, &ana, ONE).await.unwrap().len(), 2, "{db}");
    }
}

#[tokio::test]
async fn a_task_that_changed_since_somebody_looked_is_left_alone() {
    for (_, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, titled("x")).await;
        let by = By::person(&ana);
        done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, Some(1))).unwrap();
        let late = done!(ctx, |tx| tasks::delete(&ctx, tx, by, ONE, Some(1)));
        conflict(late, "Task #1 was completed by you since you loaded it.");
        let odd = done!(ctx, |tx| tasks::delete(&ctx, tx, by, ONE, Some(7)));
        conflict(odd, "Task #1 is at version 2, not 7.");
    }
}

#[tokio::test]
async fn completing_and_reopening_each_work_once() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, titled("x")).await;
        let by = By::person(&ana);
        conflict(done!(ctx, |tx| tasks::reopen(&ctx, tx, by, ONE, None)), "Task #1 is not completed.");
        let completed = done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).unwrap().after;
        assert_eq!((completed.status, completed.completed_at), (Status::Completed, Some(ctx.now())), "{db}");
        conflict(done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)), "Task #1 is already completed.");
        let edit = Edit { status: Some(Status::Pending), ..Edit::default() };
        let reopened = done!(ctx, |tx| tasks::edit(&ctx, tx, by, ONE, edit.clone(), None)).unwrap().after;
        assert_eq!((reopened.status, reopened.completed_at), (Status::Pending, None), "{db}");
        assert_eq!(history::changes(&ctx, &ana, ONE).await.unwrap()[0].operation, Operation::Reopen, "{db}");
        let edit = Edit { title: Some(Title::parse("y").unwrap()), status: Some(Status::Completed), ..Edit::default() };
        let both = done!(ctx, |tx| tasks::edit(&ctx, tx, by, ONE, edit.clone(), None)).unwrap().after;
        assert_eq!((both.title.as_str(), both.completed_at), ("y", Some(ctx.now())), "{db}");
        assert_eq!(history::changes(&ctx, &ana, ONE).await.unwrap()[0].operation, Operation::Update, "{db}");
    }
}

#[tokio::test]
async fn a_deleted_task_rests_in_the_bin() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, titled("x")).await;
        let by = By::person(&ana);
        conflict(done!(ctx, |tx| tasks::restore(&ctx, tx, by, ONE, None)), "Task #1 is not in the bin.");
        done!(ctx, |tx| tasks::delete(&ctx, tx, by, ONE, None)).unwrap();
        let none = "There is no task #1.";
        not_found(tasks::get(&ctx, &ana, ONE).await, none);
        not_found(done!(ctx, |tx| tasks::delete(&ctx, tx, by, ONE, None)), none);
        not_found(done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, Some(1))), none);
        assert!(numbers(&ctx, &ana, Filter::default()).await.is_empty(), "{db}");
        assert_eq!(numbers(&ctx, &ana, Filter { binned: true, ..Filter::default() }).await, [1], "{db}");
        assert_eq!(history::changes(&ctx, &ana, ONE).await.unwrap().len(), 2, "{db}");
        let back = done!(ctx, |tx| tasks::restore(&ctx, tx, by, ONE, None)).unwrap().after;
        assert_eq!((back.deleted_at, back.version), (None, 3), "{db}");
    }
}

#[tokio::test]
async fn task_search_ignores_case_and_takes_wildcards_literally() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, rich()).await;
        add(&ctx, &ana, titled("milk 30 percent")).await;
        let query = |text: &str| Filter { query: Some(text.into()), ..Filter::default() };
        for (text, found) in [
            ("MILK", vec![1, 2]),
            ("milk öl", vec![1]),
            ("LITRES buy", vec![1]),
            ("3%", vec![1]),
            ("1_5", vec![1]),
            (r"\", vec![]),
            ("mil_", vec![]),
            ("  ", vec![1, 2]),
        ] {
            assert_eq!(numbers(&ctx, &ana, query(text)).await, found, "{db}: {text}");
        }
        let long = query(&"a ".repeat(21));
        assert!(matches!(tasks::list(&ctx, &ana, &long, None, 50).await, Err(Error::Invalid(_))), "{db}");
    }
}

#[tokio::test]
async fn a_list_is_narrowed_by_every_field() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, rich()).await;
        add(&ctx, &ana, titled("plain")).await;
        done!(ctx, |tx| tasks::complete(&ctx, tx, By::person(&ana), TaskNumber(2), None)).unwrap();
        for (filter, found) in [
            (Filter { status: Some(Status::Pending), ..Filter::default() }, vec![1]),
            (Filter { status: Some(Status::Completed), ..Filter::default() }, vec![2]),
            (Filter { priority: Some(Priority::High), ..Filter::default() }, vec![1]),
            (Filter { priority: Some(Priority::None), ..Filter::default() }, vec![2]),
            (Filter { project: Some(Project::parse("HÄUSLICH").unwrap()), ..Filter::default() }, vec![1]),
            (Filter { tag: Some(Tag::parse("ärger").unwrap()), ..Filter::default() }, vec![1]),
            (Filter { tag: Some(Tag::parse("sho").unwrap()), ..Filter::default() }, vec![]),
        ] {
            assert_eq!(numbers(&ctx, &ana, filter.clone()).await, found, "{db}: {filter:?}");
        }
    }
}

#[tokio::test]
async fn due_date_filter_uses_the_day_in_the_task_zone() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let date = |day: &str| CivilDate::parse(day).unwrap();
        let at = |time: &str, zone: &str| Due::at(Timestamp::parse(time).unwrap(), zone);
        for due in [
            None,
            Some(Due::Date(date("2026-03-10"))),
            Some(Due::Date(date("2026-03-11"))),
            at("2026-03-11T09:00:00Z", "Europe/London"),
            at("2026-03-11T10:00:00Z", "Europe/London"),
            // In Auckland it is the 12th already.
            at("2026-03-11T20:00:00Z", "Pacific/Auckland"),
        ] {
            add(&ctx, &ana, NewTask { due, ..titled("x") }).await;
        }
        let span = |from: Option<&str>, to: Option<&str>, before: Option<&str>| Filter {
            due: Some(DueFilter {
                from: from.map(date),
                to: to.map(date),
                before: before.map(|at| Timestamp::parse(at).unwrap()),
            }),
            ..Filter::default()
        };
        for (filter, found) in [
            (span(Some("2026-03-11"), Some("2026-03-11"), None), vec![3, 4, 5]),
            (span(Some("2026-03-12"), None, None), vec![6]),
            (span(None, Some("2026-03-10"), Some("2026-03-11T09:30:00Z")), vec![2, 4]),
            (span(None, None, None), vec![2, 3, 4, 5, 6]),
        ] {
            assert_eq!(numbers(&ctx, &ana, filter.clone()).await, found, "{db}: {filter:?}");
        }
    }
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_repeat() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        for _ in 0..5 {
            add(&ctx, &ana, titled("x")).await;
        }
        let (mut seen, mut cursor) = (vec![], None::<String>);
        for expected in [2, 2, 1] {
            let list = tasks::list(&ctx, &ana, &Filter::default(), cursor.as_deref(), 2).await.unwrap();
            assert_eq!((list.tasks.len(), list.total), (expected, 5), "{db}");
            seen.extend(list.tasks.iter().map(|task| task.task_id.0));
            cursor = list.next;
        }
        assert_eq!((seen, cursor), (vec![1, 2, 3, 4, 5], None), "{db}");
        let bad = tasks::list(&ctx, &ana, &Filter::default(), Some("zzz"), 2).await;
        assert!(matches!(bad, Err(Error::Invalid(_))), "{db}");
    }
}

#[tokio::test]
async fn cursor_pages_of_open_and_binned_tasks_follow_display_order() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let day = |text: &str| Some(Due::Date(CivilDate::parse(text).unwrap()));
        for (due, priority) in [
            (None, Priority::None),
            (day("2026-05-02"), Priority::None),
            (Due::at(Timestamp::parse("2026-05-01T09:00:00Z").unwrap(), "Europe/London"), Priority::None),
            (day("2026-05-02"), Priority::High),
            (day("2026-05-01"), Priority::None),
            (None, Priority::High),
        ] {
            add(&ctx, &ana, NewTask { due, priority, ..titled("x") }).await;
        }
        let open = |order| Filter { status: Some(Status::Pending), order, ..Filter::default() };
        let by_day = || open(Order::Day(when::overdue(&ctx.now(), "Europe/London")));
        assert_eq!(through(&ctx, &ana, by_day()).await, [5, 3, 4, 2, 6, 1], "{db}");
        let edit = Edit { due: Some(day("2026-04-30")), ..Edit::default() };
        done!(ctx, |tx| tasks::edit(&ctx, tx, By::person(&ana), TaskNumber(6), edit.clone(), None)).unwrap();
        assert_eq!(through(&ctx, &ana, by_day()).await, [6, 5, 3, 4, 2, 1], "{db}: a new day is a new place");
        // 1 May, an hour after the third task's due time; the fifth is due all day.
        ctx.clock.advance(51 * 86_400 + 1_800);
        assert_eq!(through(&ctx, &ana, by_day()).await, [6, 3, 5, 4, 2, 1], "{db}: its time has passed");
        for number in [2, 5, 3] {
            done!(ctx, |tx| tasks::delete(&ctx, tx, By::person(&ana), TaskNumber(number), None)).unwrap();
            ctx.clock.advance(1);
        }
        let bin = Filter { binned: true, order: Order::Rested, ..Filter::default() };
        assert_eq!(through(&ctx, &ana, bin).await, [3, 5, 2], "{db}: what came last stands first");
        let by_number = tasks::list(&ctx, &ana, &open(Order::Number), None, 1).await.unwrap().next;
        let other = tasks::list(&ctx, &ana, &by_day(), by_number.as_deref(), 1).await;
        assert!(matches!(other, Err(Error::Invalid(_))), "{db}: that is a place in another list");
    }
}

/// Returns the numbers of a whole list, read page by page.
async fn through(ctx: &Ctx, caller: &crate::domain::user::Caller, filter: Filter) -> Vec<i64> {
    let (mut seen, mut cursor) = (vec![], None::<String>);
    loop {
        let page = tasks::list(ctx, caller, &filter, cursor.as_deref(), 2).await.unwrap();
        seen.extend(page.tasks.iter().map(|task| task.task_id.0));
        cursor = page.next;
        if cursor.is_none() {
            return seen;
        }
    }
}

#[tokio::test]
async fn a_token_does_only_what_it_was_made_for() {
    use crate::domain::user::{Caller, Scope};
    for (_, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        add(&ctx, &ana, titled("x")).await;
        let reader = Caller { scopes: vec![Scope::TasksRead], ..ana.clone() };
        let writer = Caller { scopes: vec![Scope::TasksWrite], ..ana.clone() };
        assert!(tasks::get(&ctx, &reader, ONE).await.is_ok());
        assert!(matches!(tasks::get(&ctx, &writer, ONE).await, Err(Error::Forbidden(_))));
        let by = By::person(&reader);
        assert!(matches!(done!(ctx, |tx| tasks::add(&ctx, tx, by, titled("y"))), Err(Error::Forbidden(_))));
        let by = By::person(&writer);
        assert!(matches!(done!(ctx, |tx| tasks::delete(&ctx, tx, by, ONE, None)), Err(Error::Forbidden(_))));
        assert!(done!(ctx, |tx| tasks::complete(&ctx, tx, by, ONE, None)).is_ok());
    }
}

#[tokio::test]
async fn what_is_done_at_once_is_done_at_one_time() {
    let (_, ctx) = ctxs().await.remove(0);
    let ctx = Ctx { clock: Clock::Real, ..(*ctx).clone() };
    let once = ctx.at_once();
    let at = once.now();
    while ctx.now() == at {
        tokio::task::yield_now().await;
    }
    assert_eq!(once.now(), at);
}

#[tokio::test]
async fn account_has_a_maximum_number_of_tasks() {
    for (db, shared) in ctxs().await {
        let mut ctx = shared.clone();
        let ana = person(&ctx, "ana").await;
        ctx.limits.tasks = 3;
        let by = By::person(&ana);
        for title in ["a", "b", "c"] {
            done!(ctx, |tx| tasks::add(&ctx, tx, by, titled(title))).unwrap();
        }
        done!(ctx, |tx| tasks::delete(&ctx, tx, by, TaskNumber(1), None)).unwrap();
        let full = done!(ctx, |tx| tasks::add(&ctx, tx, by, titled("d"))).unwrap_err();
        assert!(
            full.to_string().starts_with("An account can have at most 3 tasks, including those in the bin."),
            "{db} {full}"
        );
        let reading = import::read(Format::Csv, b"title\nd", &ctx.now(), "UTC").unwrap();
        assert!(matches!(done!(ctx, |tx| import::run(&ctx, tx, by, reading)), Err(Error::Invalid(_))), "{db}");
        ctx.limits.tasks = 4;
        done!(ctx, |tx| tasks::add(&ctx, tx, by, titled("d"))).unwrap();
        let words = Filter { query: Some("ﷺ".repeat(20)), ..Filter::default() };
        assert!(
            matches!(tasks::list(&ctx, &ana, &words, None, 9).await, Err(Error::Invalid(_))),
            "{db}: some letters are words"
        );
    }
}
