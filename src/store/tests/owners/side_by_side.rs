//! Two users with equal data: results for one must not depend on the other.
//!
//! Unlike the table of functions, every part of a query finds rows here. The other user has rows with the same numbers, so that a
//! part without an owner condition would match them.

use super::*;
use crate::domain::rank::{Order, Rank};
use crate::domain::when;

const RULE: PolicyEntry = PolicyEntry { asker: Asker::Rules, tool: ToolName::AddTask, rule: Rule::Deny };

/// Creates ben with other session and token keys than ana.
async fn bens(store: &Store) -> Life {
    Life::with_keys(store, "ben", [70; 32], [80; 32]).await
}

/// Rarer data: a task with project and tag, an undone change, turns that asked, ran and carried out calls, a reader.
struct More {
    key: ClientKey,
    ran: TurnId,
    carried: TurnId,
}

async fn more(store: &Store, life: &Life, reader: UserId) -> More {
    let (user, at, key) = (life.user, now(), ClientKey::parse("another key").unwrap());
    let mut transaction = store.write().await.unwrap();
    let tx = &mut transaction;
    let mut listed = stored(tasks::next_number(tx, user).await.unwrap());
    listed.task.project = Some(Project::parse("Home").unwrap());
    listed.task.tags = vec![Tag::parse("garden").unwrap()];
    tasks::insert(tx, user, &listed).await.unwrap();
    let mut back = entry(listed.task, life.turn);
    back.change.undoes = Some(life.change);
    changes::insert(tx, user, &back).await.unwrap();
    changes::keep_client_key(tx, user, &key, life.change).await.unwrap();
    assert!(memories::cover(tx, user, &remembered::summary(life.conversation), &at).await.unwrap());
    policies::set(tx, user, RULE, &at).await.unwrap();
    admin_reads::insert(tx, user, life.turn, reader, &at).await.unwrap();
    let turn = async |tx: &mut Tx, approval: Option<ApprovalId>| {
        let cause = if approval.is_some() { Cause::Approval } else { Cause::Message };
        let new = turns::NewTurn {
            conversation: life.conversation,
            cause,
            approval,
            client_key: None,
            lease_ms: None,
            starter: None,
        };
        turns::insert(tx, user, &new, &at).await.unwrap().id
    };
    let (carried, ran) = (turn(tx, Some(life.approval)).await, turn(tx, None).await);
    let mut call = invocation(ran, Some(life.approval));
    call.result.status = CallStatus::Ok;
    invocations::insert(tx, user, &call).await.unwrap();
    let options = vec!["delete task 1, I'm sure".to_owned()];
    let asked = decisions::DecisionRow { asked_approval: Some(life.approval), options, ..decision(ran, "Sure?") };
    decisions::insert(tx, user, &asked).await.unwrap();
    let (conversation, speaker) = (life.conversation, Speaker::User);
    let message = messages::NewMessage { conversation, turn: ran, speaker, text: "Yes", by: None };
    messages::insert_seen(tx, user, &message, SenderView { seen: 3, option: true, answers: Some(4) }, &at)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    More { key, ran, carried }
}

/// Returns the results of all read functions for ana as text.
async fn own(store: &Store, ana: &Life, more: &More) -> Vec<String> {
    let mut transaction = store.read().await.unwrap();
    let (tx, user) = (&mut transaction, ana.user);
    let mut needed: Vec<_> = erasures::needed(tx, user).await.unwrap().into_iter().collect();
    needed.sort_unstable();
    let mut read = vec![format!("{needed:?}")];
    for turn in [ana.turn, more.ran, more.carried] {
        read.push(format!("{:?}", turn_detail::records(tx, user, turn).await.unwrap()));
        read.push(format!("{:?}", turn_detail::approvals(tx, user, turn).await.unwrap()));
        read.push(format!("{:?}", steps::of_turn(tx, user, turn).await.unwrap().len()));
    }
    read.push(format!("{:?}", steps::under_way(tx, user).await.unwrap().len()));
    for query in ["milk", "hello"] {
        read.push(format!("{:?}", conversations::list(tx, user, Some(query), false, None, 9).await.unwrap()));
    }
    read.push(format!("{:?}", memories::unsummarised(tx, user, ana.conversation, 9).await.unwrap().len()));
    read.push(format!("{:?}", policies::of(tx, user, Asker::Rules, ToolName::AddTask).await.unwrap()));
    read
}

#[tokio::test]
async fn what_one_reads_is_their_own_whoever_else_is_there() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        let reader = user(&store, "root").await;
        let seeds = more(&store, &ana, reader).await;
        let alone = own(&store, &ana, &seeds).await;
        let ben = bens(&store).await;
        assert_eq!(own(&store, &ana, &seeds).await, alone, "{db}: ben's rows are ana's");
        let (mut at_hers, mut at_bens) = (vec![], vec![]);
        for (user, found) in [(ana.user, &mut at_hers), (ben.user, &mut at_bens)] {
            let mut transaction = store.read().await.unwrap();
            let tx = &mut transaction;
            let last = checkpoints::last_record(tx, ana.user).await.unwrap();
            let epoch = crate::domain::time::Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
            let filter = AuditFilter { conversation: Some(ana.conversation), ..AuditFilter::default() };
            let edges = [epoch.clone(), now().plus_seconds(9999)];
            let ran = invocations::ran_under(tx, user, ana.approval, TurnId::new()).await.unwrap();
            found.extend([
                ("facets::projects", facets::projects(tx, user, 9).await.unwrap().is_empty()),
                ("facets::tags", facets::tags(tx, user, 9).await.unwrap().is_empty()),
                ("changes::undone_by", changes::undone_by(tx, user, ana.change).await.unwrap().is_none()),
                ("changes::by_client_key", changes::by_client_key(tx, user, &seeds.key).await.unwrap().is_none()),
                ("consent::last_reply", consent::last_reply(tx, user, ana.conversation, 99).await.unwrap().is_none()),
                ("consent::options", consent::options(tx, user, ana.conversation).await.unwrap().is_empty()),
                ("consent::view", consent::view(tx, user, seeds.ran).await.unwrap() == SenderView::default()),
                ("spending::spent", spending::spent(tx, user, (&epoch, &now())).await.unwrap() == (5, 3)),
                ("spending::cost", spending::cost(tx, user, &epoch).await.unwrap() == Some(2)),
                ("statistics::turns", statistics::turns(tx, Some(user), &filter, &edges).await.unwrap().is_empty()),
                ("statistics::writes", statistics::writes(tx, Some(user), &filter, &edges).await.unwrap() == 0),
                ("invocations::under", invocations::under(tx, user, ana.approval).await.unwrap().is_empty()),
                ("invocations::ran_under", !ran),
                ("admin_reads::has", !admin_reads::has(tx, user, ana.turn, reader).await.unwrap()),
                ("admin_reads::of_turn", admin_reads::of_turn(tx, user, ana.turn).await.unwrap().is_empty()),
                ("turn_detail::beside", turn_detail::beside(tx, user, ana.conversation, 99).await.unwrap().0.is_none()),
                (
                    "turn_detail::carried_out_by",
                    turn_detail::carried_out_by(tx, user, ana.approval).await.unwrap().is_none(),
                ),
                ("turn_detail::records", turn_detail::records(tx, user, ana.turn).await.unwrap().is_empty()),
                ("checkpoints::record", checkpoints::record(tx, user, last).await.unwrap().is_none()),
                ("checkpoints::last_record", checkpoints::last_record(tx, user).await.unwrap() < last),
            ]);
        }
        assert!(at_hers.iter().all(|(_, nothing)| !nothing), "{db}: there is nothing to find: {at_hers:?}");
        assert!(at_bens.iter().all(|(_, nothing)| *nothing), "{db}: ben finds what is ana's: {at_bens:?}");
        // Ana's rule does not apply to ben's turn, which he has claimed.
        let held = attempt!(store, |tx| policies::of_held(tx, ben.user, ben.turn, 1, RULE.asker, RULE.tool)).unwrap();
        assert_eq!(held, Some(Rules::default()), "{db}");
    }
}

#[tokio::test]
async fn purge_keeps_the_task_of_another_user_with_equal_number() {
    for (db, store) in testing::stores().await {
        let (ana, ben) = (Life::of(&store, "ana").await, bens(&store).await);
        let told = async |user| changes::page(&mut store.read().await.unwrap(), user, 0, 9).await.unwrap();
        let (hers, his) = (told(ana.user).await, told(ben.user).await);
        let mut binned = stored(ben.task);
        (binned.task.version, binned.task.deleted_at) = (2, Some(now()));
        assert!(attempt!(store, |tx| tasks::update(tx, ben.user, &binned)).unwrap(), "{db}");
        assert!(attempt!(store, |tx| bin::purge(tx, ben.user, ben.task, 3, &now())).unwrap(), "{db}");
        assert_eq!(ana.task, ben.task, "{db}");
        assert_ne!(told(ben.user).await, his, "{db}: of his nothing is told any more");
        assert_eq!(told(ana.user).await, hers, "{db}: of hers everything");
    }
}

#[tokio::test]
async fn what_one_does_to_their_own_leaves_anothers() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        let ben = bens(&store).await;
        let (at, later) = (now(), now().plus_seconds(60));
        // Both have a decided approval requested by an agent client, in records with the same numbers.
        for life in [&ana, &ben] {
            attempt!(store, |tx| agents::ask(tx, life.user, life.approval, life.token, &DIGEST)).unwrap();
            let verdict =
                approvals::NewVerdict { status: ApprovalStatus::Approved, by: None, credential: None, reason: None };
            let (pending, id) = (ApprovalStatus::Pending, life.approval);
            assert!(attempt!(store, |tx| approvals::settle(tx, life.user, id, pending, &verdict, &at)).unwrap());
            let (memory, traits) = remembered::memory(life.conversation, "They drink tea.");
            attempt!(store, |tx| memories::insert(tx, life.user, &memory, &traits)).unwrap();
            attempt!(store, |tx| memories::switch_off(tx, life.user, &at)).unwrap();
        }
        let card = Card::Turn { turn: ana.turn };
        let new = outbox::NewCard { chat: ChatId(1), card: &card, key: None };
        attempt!(store, |tx| telegram::link(tx, ana.user, ChatId(1), "@ana", &at, None)).unwrap();
        attempt!(store, |tx| outbox::insert(tx, ana.user, &new, &at)).unwrap();
        let held = attempt!(store, |tx| outbox::claim_of(tx, ana.user, 60_000)).unwrap().expect("a card");
        let before = dump(&store, ana.user).await;

        attempt!(store, |tx| agents::set_thread(tx, ben.user, ana.token, ben.conversation)).unwrap();
        let mut stolen = held;
        (stolen.user, stolen.messages) = (ben.user, vec![7]);
        assert!(!attempt!(store, |tx| outbox::holds(tx, &stolen)).unwrap(), "{db}");
        assert!(!attempt!(store, |tx| outbox::keep_messages(tx, &mut stolen, 1)).unwrap(), "{db}");
        assert!(!attempt!(store, |tx| outbox::give_up(tx, &stolen)).unwrap(), "{db}");
        attempt!(store, |tx| outbox::put_off(tx, &stolen, 9, true)).unwrap();
        attempt!(store, |tx| outbox::settle(tx, &stolen)).unwrap();
        attempt!(store, |tx| memories::switch_on(tx, ben.user, &later)).unwrap();
        assert_eq!(dump(&store, ana.user).await, before, "{db}: ben changed what is ana's");

        // Ana's switch does not affect ben.
        let next = memories::Summary { first_record: 90, last_record: 91, ..remembered::summary(ben.conversation) };
        assert!(attempt!(store, |tx| memories::cover(tx, ben.user, &next, &later)).unwrap(), "{db}");
        // Both erase everything, in records with the same number. For ana only the bodies are erased at first.
        let mut last = 0;
        for life in [&ana, &ben] {
            last = last.max(checkpoints::last_record(&mut store.read().await.unwrap(), life.user).await.unwrap());
        }
        let (record, body) = (last + 1, json!({}));
        let marks: Vec<_> = (1..=last).map(|seq| erasures::Mark { seq, said: None }).collect();
        for life in [&ana, &ben] {
            let next = checkpoints::last_record(&mut store.read().await.unwrap(), life.user).await.unwrap() + 1;
            for _ in next..=record {
                attempt!(store, |tx| records::append(tx, life.user, records::Kind::Erasure, &at, &body)).unwrap();
            }
        }
        let before = dump(&store, ana.user).await;
        attempt!(store, |tx| erasures::take(tx, ben.user, &marks, record)).unwrap();
        assert_eq!(dump(&store, ana.user).await, before, "{db}: ben erased ana's texts");
        attempt!(store, |tx| erasures::take(tx, ana.user, &marks, record)).unwrap();
        let before = dump(&store, ana.user).await;
        let beside = attempt!(store, |tx| erasures::take_beside(tx, ben.user, record)).unwrap();
        assert_ne!(beside, erasures::Beside::default(), "{db}: ben's own go");
        attempt!(store, |tx| erasures::empty_events(tx, ben.user, &later, 0, 9)).unwrap();
        assert_eq!(dump(&store, ana.user).await, before, "{db}: ben erased what is ana's");
    }
}

/// Writes values into ana's rows that no function of the store would write; `$1` is ana.
async fn spoil(store: &Store, ana: &Life, sql: &'static str) {
    let mut tx = store.write().await.unwrap();
    on!(tx, |conn| sqlx::query(sql).bind(ana.user).execute(conn).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn audit_finding_is_reported_for_the_affected_user_only() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        let ben = bens(&store).await;
        spoil(&store, &ana, "UPDATE approvals SET decided_via = 'chat' WHERE user_id = $1").await;
        for (life, wrong) in [(&ana, 1), (&ben, 0)] {
            let mut transaction = store.read().await.unwrap();
            let (tx, owner) = (&mut transaction, Some(life.user));
            assert_eq!(audited_columns::settled_by_nobody(tx, owner).await.unwrap().len(), wrong, "{db}");
        }
    }
}

#[tokio::test]
async fn missing_ranks_are_filled_separately_for_each_user() {
    for (db, store) in testing::stores().await {
        let owners = [("ana", "2026-05-01"), ("ben", "2026-05-02")];
        let mut placed = vec![];
        for (name, day) in owners {
            let (user, task) = (user(&store, name).await, dated(TaskNumber(20), day));
            attempt!(store, |tx| tasks::insert(tx, user, &task)).unwrap();
            placed.push((user, task));
        }
        testing::execute(&store, "UPDATE tasks SET place = ''").await;
        store.migrate().await.unwrap();
        let order = Order::Day(when::overdue(&now(), "UTC"));
        for (user, task) in placed {
            let place =
                task_order::place(&mut store.read().await.unwrap(), user, &task, &order).await.unwrap().unwrap();
            let rank = Rank::in_day(&task.task);
            assert_eq!(place.key, task_order::SortKey::Day { at: now(), overdue: false, rank }, "{db}");
        }
    }
}
