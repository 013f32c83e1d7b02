//! Functions of chats, reminders, memories, imports and other later modules.

use super::*;
use crate::domain::account_notice::{AccountNotice, NoticeBody};
use crate::domain::id::{NoticeId, RelinkId};
use crate::domain::rank::Order;
use crate::domain::trace::Traceparent;
use crate::domain::when;
use crate::store::telegram::Relink;

/// Digest of the call that ana's agent client requests.
pub(super) const DIGEST: [u8; 32] = [5; 32];
/// Tables of chats and reminders.
const CHATS: &[&str] =
    &["outbox", "telegram_links", "telegram_codes", "telegram_relinks", "account_notices", "reminders"];

/// A confirmation that the user's account takes over a chat.
fn relink(user: UserId, linked: UserId, token: TokenId) -> Relink {
    let (id, chat, name, expires_at) = (RelinkId::new(), ChatId(1), "@ana".to_owned(), now().plus_seconds(60));
    Relink { id, user, linked, chat, name, hash: vec![5; 32], token: Some(token), expires_at }
}

fn notice() -> AccountNotice {
    let body = NoticeBody::ChatMoved { chat: "@ana".into(), to: UserName::parse("ben").unwrap() };
    AccountNotice { notice_id: NoticeId::new(), body, created_at: now() }
}

/// Tries the functions of traces.
async fn trace_elsewhere(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let [own, other] = [7, 8].map(|byte| Traceparent { trace: [byte; 16], span: [0; 8], sampled: true });
    attempt!(store, |tx| trace_ids::set(tx, ana.user, ana.turn, &own)).unwrap();
    attempt!(store, |tx| trace_ids::set(tx, ben, ana.turn, &other)).unwrap();
    let mut tx = store.read().await.unwrap();
    let kept = turns::get(&mut tx, ana.user, ana.turn).await.unwrap().unwrap().trace;
    tried.nothing("trace_ids::set", kept == Some(own));
    assert_eq!(trace_ids::of_approval(&mut tx, ana.user, ana.approval).await.unwrap(), Some(own));
    tried
        .nothing("trace_ids::of_approval", trace_ids::of_approval(&mut tx, ben, ana.approval).await.unwrap().is_none());
}

/// Tries the functions of pending approvals, with one that would change ana's task.
async fn propose(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let approval = proposed::request(store, ana, 1, 60, &[ana.task]).await;
    let mut tx = store.read().await.unwrap();
    assert_eq!(approvals::proposals(&mut tx, ana.user, &now()).await.unwrap(), [(ana.task, approval)]);
    tried.nothing("approvals::all_pending", approvals::all_pending(&mut tx, ben).await.unwrap().is_empty());
    tried.nothing("approvals::proposals", approvals::proposals(&mut tx, ben, &now()).await.unwrap().is_empty());
}

/// Tries the functions of chats, with a chat, an outbox entry and a reminder of ana's.
pub(super) async fn show_elsewhere(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    trace_elsewhere(store, ana, ben, tried).await;
    propose(store, ana, ben, tried).await;
    let (at, key, hash) = (now(), client_key(), [5; 32]);
    let card = Card::Turn { turn: ana.turn };
    let new = outbox::NewCard { chat: ChatId(1), card: &card, key: Some(&key) };
    let mut tx = store.write().await.unwrap();
    let token = Some(ana.token);
    telegram::set_code(&mut tx, ana.user, &hash, &at.plus_seconds(60), token).await.unwrap();
    telegram::link(&mut tx, ana.user, ChatId(1), "@ana", &at, token).await.unwrap();
    let asked = relink(ana.user, ben, ana.token);
    telegram::insert_relink(&mut tx, ana.user, &asked).await.unwrap();
    let notice = notice();
    account_notices::insert(&mut tx, ana.user, &notice).await.unwrap();
    let id = outbox::insert(&mut tx, ana.user, &new, &at).await.unwrap().unwrap();
    reminders::set(&mut tx, ana.user, ana.task, &at).await.unwrap();
    assert!(changes::turns_of(&mut tx, ana.user, ana.conversation, 9).await.unwrap() == [ana.turn]);
    // Makes the turn with the outbox entry the conversation's last.
    let last = "UPDATE turns SET ordinal = 99 WHERE user_id = $1 AND id = $2";
    on!(tx, |conn| sqlx::query(last).bind(ana.user).bind(ana.turn).execute(conn).await.map(drop)).unwrap();
    outbox::add_message(&mut tx, ana.user, id, 41).await.unwrap();
    tx.commit().await.unwrap();
    let before = rows_of(store, ana.user, CHATS).await;

    let (talk, task) = (ana.conversation, ana.task);
    let mut tx = store.write().await.unwrap();
    tried.nothing("outbox::get", outbox::get(&mut tx, ben, id).await.unwrap().is_none());
    let chat = outbox::chat_of_approval(&mut tx, ben, ana.approval).await.unwrap();
    tried.nothing("outbox::chat_of_approval", chat.is_none());
    assert!(consent::delivery(&mut tx, ana.user, talk, ChatId(1)).await.unwrap().1.is_some());
    let (_, delivery) = consent::delivery(&mut tx, ben, talk, ChatId(1)).await.unwrap();
    tried.nothing("consent::delivery", delivery.is_none());
    let claimed = outbox::claim_of(&mut tx, ben, 1_000).await.unwrap();
    tried.nothing("outbox::claim_of", claimed.is_none());
    assert!(outbox::in_message(&mut tx, ana.user, ChatId(1), 41).await.unwrap().is_some());
    tried.nothing("outbox::in_message", outbox::in_message(&mut tx, ben, ChatId(1), 41).await.unwrap().is_none());
    tried.nothing("outbox::has_key", !outbox::has_key(&mut tx, ben, &key).await.unwrap());
    tried.nothing("telegram::of_user", telegram::of_user(&mut tx, ben).await.unwrap().is_none());
    tried.nothing("telegram::unlink", telegram::unlink(&mut tx, ben).await.unwrap().is_none());
    tried.nothing("telegram::take_relink", !telegram::take_relink(&mut tx, ben, asked.id).await.unwrap());
    tried.nothing("account_notices::list", account_notices::list(&mut tx, ben).await.unwrap().is_empty());
    let dismissed = account_notices::delete(&mut tx, ben, notice.notice_id).await.unwrap();
    tried.nothing("account_notices::delete", !dismissed);
    tried.nothing("reminders::of_task", reminders::of_task(&mut tx, ben, task).await.unwrap().is_none());
    tried.nothing("reminders::take", !reminders::take(&mut tx, ben, task, &at).await.unwrap());
    tried.nothing("turns::open_of", turns::open_of(&mut tx, ben, talk).await.unwrap().is_empty());
    tried.nothing("changes::turns_of", changes::turns_of(&mut tx, ben, talk, 9).await.unwrap().is_empty());
    // A turn has one entry.
    tried.nothing("outbox::insert", outbox::insert(&mut tx, ben, &new, &at).await.unwrap().is_none());
    // These return nothing; comparing ana's rows before and after shows that they did nothing.
    outbox::refresh_turn(&mut tx, ben, ana.turn, 0).await.unwrap();
    outbox::refresh(&mut tx, ben, id).await.unwrap();
    outbox::add_message(&mut tx, ben, id, 7).await.unwrap();
    outbox::stop(&mut tx, ben).await.unwrap();
    telegram::set_code(&mut tx, ben, &[6; 32], &at, None).await.unwrap();
    telegram::void_code(&mut tx, ben).await.unwrap();
    telegram::void_code_of_token(&mut tx, ben, ana.token).await.unwrap();
    telegram::void_relinks(&mut tx, ben, Some(ana.token)).await.unwrap();
    telegram::insert_relink(&mut tx, ben, &Relink { hash: vec![6; 32], ..relink(ben, ana.user, ana.token) })
        .await
        .unwrap();
    telegram::set_conversation(&mut tx, ben, Some(talk)).await.unwrap();
    telegram::link(&mut tx, ben, ChatId(2), "@ben", &at, None).await.unwrap();
    outbox::refresh_alike(&mut tx, ben, &card).await.unwrap();
    account_notices::insert(&mut tx, ben, &self::notice()).await.unwrap();
    tx.commit().await.unwrap();
    attempt!(store, |tx| reminders::set(tx, ben, task, &at)).unwrap_err();
    for name in [
        "outbox::refresh_turn",
        "outbox::refresh",
        "outbox::add_message",
        "outbox::stop",
        "telegram::set_code",
        "outbox::refresh_alike",
        "account_notices::insert",
        "telegram::void_code",
        "telegram::void_code_of_token",
        "telegram::void_relinks",
        "telegram::insert_relink",
        "telegram::set_conversation",
        "telegram::link",
        "reminders::set",
    ] {
        tried.nothing(name, true);
    }
    assert_eq!(rows_of(store, ana.user, CHATS).await, before, "ben changed what is ana's");
}

/// Tries the functions of memories, with a memory of ana's.
pub(super) async fn remember(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let (memory, traits) = remembered::memory(ana.conversation, "Ana drinks tea.");
    let id = memory.memory_id;
    attempt!(store, |tx| memories::insert(tx, ana.user, &memory, &traits)).unwrap();
    attempt!(store, |tx| memories::switch_off(tx, ana.user, &now())).unwrap();
    attempt!(store, |tx| spending::note(tx, ana.user, (7, 0), Some(1), &now())).unwrap();
    let before = dump(store, ana.user).await;
    let mut reading = store.read().await.unwrap();
    let tx = &mut reading;
    let found = memories::searched(tx, ben, "test").await.unwrap();
    tried.nothing("memories::searched", found.is_empty());
    tried.nothing("memories::get", memories::get(tx, ben, id).await.unwrap().is_none());
    tried.nothing("memories::list", memories::list(tx, ben, None, 9).await.unwrap().is_empty());
    tried.nothing("memories::count", memories::count(tx, ben).await.unwrap() == 0);
    tried.nothing("memories::has", !memories::has(tx, ben, "Ana drinks tea.").await.unwrap());
    tried.nothing("memories::is_on", memories::is_on(tx, ben).await.unwrap());
    // Users after ben, for a worker.
    let after = memories::of_other_embedders(tx, "other", true, Some(ben), 9).await.unwrap();
    tried.nothing("memories::of_other_embedders", !after.contains(&ben));
    let others = memories::of_another_embedder(tx, ben, "other", 9).await.unwrap();
    tried.nothing("memories::of_another_embedder", others.is_empty());
    let lines = memories::unsummarised(tx, ben, ana.conversation, 9).await.unwrap();
    tried.nothing("memories::unsummarised", lines.is_empty());
    drop(reading);
    tried.nothing("memories::forget", !attempt!(store, |tx| memories::forget(tx, ben, id)).unwrap());
    tried.nothing("memories::forget_all", attempt!(store, |tx| memories::forget_all(tx, ben)).unwrap() == 0);
    let covered = attempt!(store, |tx| memories::cover(tx, ben, &remembered::summary(ana.conversation), &now()));
    tried.nothing("memories::cover", !covered.unwrap());
    // These return nothing; comparing ana's rows before and after shows that they did nothing.
    attempt!(store, |tx| memories::switch_on(tx, ben, &now())).unwrap();
    attempt!(store, |tx| memories::switch_off(tx, ben, &now())).unwrap();
    attempt!(store, |tx| memories::embed(tx, ben, id, "other", &[9])).unwrap();
    attempt!(store, |tx| spending::note(tx, ben, (0, 0), Some(0), &now())).unwrap();
    attempt!(store, |tx| memories::insert(tx, ben, &memory, &traits)).unwrap();
    for name in ["memories::switch_on", "memories::switch_off", "memories::embed", "spending::note", "memories::insert"]
    {
        tried.nothing(name, true);
    }
    assert_eq!(dump(store, ana.user).await, before, "ben changed what is remembered of ana");
}

/// Tries the functions of imports, with an import of ana's task.
pub(super) async fn imported(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let import = ImportId::new();
    attempt!(store, |tx| imports::keep(tx, ana.user, &[1], import, ana.change)).unwrap();
    attempt!(store, |tx| async {
        let number = tasks::next_number(tx, ana.user).await?;
        tasks::insert(tx, ana.user, &dated(number, "2026-03-01")).await
    })
    .unwrap();
    let mut reading = store.read().await.unwrap();
    let tx = &mut reading;
    assert!(imports::has(tx, ana.user, &[1]).await.unwrap());
    tried.nothing("imports::has", !imports::has(tx, ben, &[1]).await.unwrap());
    assert_eq!(changes::of_import(tx, ana.user, import).await.unwrap().len(), 1);
    tried.nothing("changes::of_import", changes::of_import(tx, ben, import).await.unwrap().is_empty());
    let by_row = imports::change_of(tx, ben, &[1]).await.unwrap();
    tried.nothing("imports::change_of", by_row.is_none());
    assert_eq!(imports::change_of(tx, ana.user, &[1]).await.unwrap(), Some(ana.change));
    let past = changes::newest(tx, ana.user, i64::MAX, 99).await.unwrap();
    assert_eq!(past.iter().filter(|past| past.change.is_some()).count(), 1);
    tried.nothing("changes::newest", changes::newest(tx, ben, i64::MAX, 99).await.unwrap().is_empty());
    placed(tx, ana, ben, tried).await;
    assert_eq!(changes::page(tx, ana.user, 0, 9).await.unwrap().len(), 1);
    tried.nothing("changes::page", changes::page(tx, ben, 0, 9).await.unwrap().is_empty());
    // An in-memory database has one connection for reads and writes.
    drop(reading);
    let own = attempt!(store, |tx| async {
        imports::keep(tx, ben, &[1], import, ana.change).await?;
        imports::has(tx, ben, &[1]).await
    });
    tried.nothing("imports::keep", !own.unwrap());
}

/// Tries the functions of task order. Ana has a task without a date and an overdue one.
async fn placed(tx: &mut Tx, ana: &Life, ben: UserId, tried: &mut Tried) {
    let line = when::overdue(&now(), "UTC");
    for among in [task_order::Group::Overdue(line.clone()), task_order::Group::Day(None, line.clone())] {
        assert!(!task_order::ranks(tx, ana.user, &among).await.unwrap().is_empty());
        assert!(task_order::ranks(tx, ben, &among).await.unwrap().is_empty(), "{among:?}");
    }
    tried.nothing("task_order::ranks", true);
    let (task, order) = (stored(ana.task), Order::Day(line));
    assert!(task_order::place(tx, ana.user, &task, &order).await.unwrap().is_some());
    tried.nothing("task_order::place", task_order::place(tx, ben, &task, &order).await.unwrap().is_none());
}

/// Tries the functions of erasures in a separate database, since erased rows cannot be compared.
pub(super) async fn erased(tried: &mut Tried) {
    let (_, store) = testing::stores().await.into_iter().find(|(db, _)| *db == tried.0).unwrap();
    let store = &store;
    let (cleo, ben) = (Life::of(store, "cleo").await, user(store, "ben").await);
    let later = now().plus_seconds(60);
    let record =
        attempt!(store, |tx| records::append(tx, cleo.user, records::Kind::Erasure, &now(), &json!({}))).unwrap();
    let seq = changes::page(&mut store.read().await.unwrap(), cleo.user, 0, 1).await.unwrap()[0].0;
    let said = turn_detail::records(&mut store.read().await.unwrap(), cleo.user, cleo.turn).await.unwrap();
    let said = said.iter().find(|record| record.kind == "message").unwrap().record;
    let mut marks = [seq, said].map(|seq| erasures::Mark { seq, said: None });
    marks.sort_by_key(|mark| mark.seq);
    attempt!(store, |tx| erasures::take(tx, cleo.user, &marks, record)).unwrap();
    let (one, import) = (erasures::Changes::One(cleo.change), ImportId::new());
    attempt!(store, |tx| changes::keep_client_key(tx, cleo.user, &client_key(), cleo.change)).unwrap();
    attempt!(store, |tx| imports::keep(tx, cleo.user, &[1], import, cleo.change)).unwrap();
    let mut reading = store.read().await.unwrap();
    let tx = &mut reading;
    assert_eq!(erasures::taken(tx, cleo.user, one).await.unwrap(), 1);
    assert_eq!(erasures::taken(tx, cleo.user, erasures::Changes::OfImport(import)).await.unwrap(), 1);
    assert!(erasures::added_by_key(tx, cleo.user, &client_key()).await.unwrap().is_some());
    assert_eq!(erasures::of_task(tx, cleo.user, cleo.task).await.unwrap().len(), 1);
    assert!(changes::is_unknown_as_of(tx, cleo.user, cleo.task, &later).await.unwrap());
    tried.nothing("erasures::page", erasures::page(tx, ben, 0, 9).await.unwrap().is_empty());
    tried.nothing("erasures::last", erasures::last(tx, ben).await.unwrap() == 0);
    tried.nothing("erasures::needed", erasures::needed(tx, ben).await.unwrap().is_empty());
    tried.nothing("erasures::latest", erasures::latest(tx, ben).await.unwrap().is_none());
    tried.nothing("erasures::count", erasures::count(tx, ben).await.unwrap() == 0);
    tried.nothing("erasures::of_task", erasures::of_task(tx, ben, cleo.task).await.unwrap().is_empty());
    let unknown = changes::is_unknown_as_of(tx, ben, cleo.task, &later).await.unwrap();
    tried.nothing("changes::is_unknown_as_of", !unknown);
    tried.nothing("changes::unknown_as_of", changes::unknown_as_of(tx, ben, &later).await.unwrap() == 0);
    tried.nothing(
        "changes::untouched_since",
        changes::untouched_since(tx, ben, &later, TaskNumber(0), 9).await.unwrap().is_empty(),
    );
    tried.nothing("erasures::taken", erasures::taken(tx, ben, one).await.unwrap() == 0);
    assert!(turn_detail::is_erased(tx, cleo.user, cleo.turn).await.unwrap());
    tried.nothing("turn_detail::is_erased", !turn_detail::is_erased(tx, ben, cleo.turn).await.unwrap());
    let of_import = erasures::taken(tx, ben, erasures::Changes::OfImport(import)).await.unwrap();
    assert_eq!(of_import, 0, "{}: ben's import", tried.0);
    let key = erasures::added_by_key(tx, ben, &client_key()).await.unwrap();
    tried.nothing("erasures::added_by_key", key.is_none());
    drop(reading);
    let before = dump(store, cleo.user).await;
    attempt!(store, |tx| erasures::take(tx, ben, &[erasures::Mark { seq: 1, said: None }], record)).unwrap_err();
    let beside = attempt!(store, |tx| erasures::take_beside(tx, ben, record)).unwrap();
    let events = attempt!(store, |tx| erasures::empty_events(tx, ben, &later, 0, 9)).unwrap();
    assert_eq!(dump(store, cleo.user).await, before, "ben erased what is cleo's");
    tried.nothing("erasures::take", true);
    tried.nothing("erasures::take_beside", beside == erasures::Beside::default());
    tried.nothing("erasures::empty_events", events == (None, 0));
}

/// Tries the functions of checkpoints, with a false one that signs all chains but ben's further than they go. Rolled back.
pub(super) async fn checkpoints_of(store: &Store, ben: UserId, tried: &mut Tried) {
    let mut tx = store.write().await.unwrap();
    let tx = &mut tx;
    let mut heads = checkpoints::ends(tx).await.unwrap();
    heads.retain(|end| end.user != ben);
    let (other, seq) = (heads[0].user, heads[0].seq);
    assert_eq!(checkpoints::last_record(tx, other).await.unwrap(), seq);
    assert!(checkpoints::record(tx, other, seq).await.unwrap().is_some());
    let true_one = checkpoints::Entry { number: 1, note: String::new(), heads: heads.clone() };
    assert!(checkpoints::insert(tx, &true_one).await.unwrap());
    assert_eq!(checkpoints::met_before(tx, other, seq + 1).await.unwrap(), seq);
    heads.iter_mut().for_each(|end| end.seq += 1_000);
    let beyond = checkpoints::Entry { number: 2, note: String::new(), heads: heads.clone() };
    assert!(checkpoints::insert(tx, &beyond).await.unwrap());
    assert_eq!(checkpoints::unmet(tx, None).await.unwrap().len(), heads.len());
    tried.nothing("checkpoints::unmet", checkpoints::unmet(tx, Some(ben)).await.unwrap().is_empty());
    tried.nothing("checkpoints::met_before", checkpoints::met_before(tx, ben, i64::MAX).await.unwrap() == 0);
    tried.nothing("checkpoints::record", checkpoints::record(tx, ben, seq + 1_000).await.unwrap().is_none());
    tried.nothing("checkpoints::last_record", checkpoints::last_record(tx, ben).await.unwrap() < 1_000);
}
