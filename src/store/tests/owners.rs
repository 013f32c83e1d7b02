//! Whose rows are whose: every function that takes an owner, called with another's id.

use std::path::Path;

use super::*;
use crate::domain::approval::ApprovalStatus;
use crate::domain::audit::AuditFilter;
use crate::domain::task::Filter;

/// The functions that were tried, by module and name.
struct Tried(&'static str, Vec<String>);

impl Tried {
    /// A function that must come away with nothing.
    #[track_caller]
    fn nothing(&mut self, name: &str, nothing: bool) {
        assert!(nothing, "{}: {name} gave what is another's", self.0);
        self.1.push(name.into());
    }
}

/// Runs a call in a transaction of its own, committed if the call went well.
macro_rules! attempt {
    ($store:expr, |$tx:ident| $call:expr) => {{
        let mut transaction = $store.write().await.unwrap();
        let $tx = &mut transaction;
        let result = $call.await;
        if result.is_ok() {
            transaction.commit().await.unwrap();
        }
        result
    }};
}

#[tokio::test]
async fn no_function_reaches_anothers_rows() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        let ben = user(&store, "ben").await;
        let mut tried = Tried(db, vec![]);
        empty_bin(&store, &ana, ben, &mut tried).await;
        let before = dump(&store, ana.user).await;
        read_tasks(&store, &ana, ben, &mut tried).await;
        read_talk(&store, &ana, ben, &mut tried).await;
        read_turns(&store, &ana, ben, &mut tried).await;
        read_approvals(&store, &ana, ben, &mut tried).await;
        write_what_is(&store, &ana, ben, &mut tried).await;
        write_new(&store, &ana, ben, &mut tried).await;
        assert_eq!(dump(&store, ana.user).await, before, "{db}: ben changed what is ana's");
        tried.1.sort();
        assert_eq!(tried.1, taking_an_owner(), "{db}: the table and the source must name the same functions");
    }
}

/// The functions about the bin, with a task of ana's in it and one that is gone from it.
async fn empty_bin(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut numbers = vec![];
    let mut tx = store.write().await.unwrap();
    for _ in 0..2 {
        let mut binned = stored(tasks::next_number(&mut tx, ana.user).await.unwrap());
        binned.task.deleted_at = Some(now());
        tasks::insert(&mut tx, ana.user, &binned).await.unwrap();
        numbers.push(binned.task.task_id);
    }
    assert!(bin::purge(&mut tx, ana.user, numbers[1], 2, &now()).await.unwrap());
    tx.commit().await.unwrap();
    let before = dump(store, ana.user).await;
    let overdue = attempt!(store, |tx| bin::overdue(tx, ben, &now(), 9)).unwrap();
    tried.nothing("bin::overdue", overdue.is_empty());
    tried.nothing("bin::purge", !attempt!(store, |tx| bin::purge(tx, ben, numbers[0], 2, &now())).unwrap());
    tried.nothing("bin::was_purged", !attempt!(store, |tx| bin::was_purged(tx, ben, numbers[1])).unwrap());
    assert_eq!(dump(store, ana.user).await, before, "ben purged what is ana's");
}

async fn read_tasks(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let tx = &mut tx;
    let call = InvocationId { turn: ana.turn, step: 0, index: 0 };
    tried.nothing("tasks::get", tasks::get(tx, ben, ana.task).await.unwrap().is_none());
    tried.nothing("tasks::list", tasks::list(tx, ben, &Filter::default(), None, 9).await.unwrap().is_empty());
    tried.nothing("tasks::count", tasks::count(tx, ben, &Filter::default()).await.unwrap() == 0);
    tried.nothing("tasks::of_numbers", tasks::of_numbers(tx, ben, &[ana.task]).await.unwrap().is_empty());
    tried.nothing("changes::get", changes::get(tx, ben, ana.change).await.unwrap().is_none());
    tried.nothing("changes::since", changes::since(tx, ben, ana.task, 0).await.unwrap().is_empty());
    tried.nothing("changes::of_turn", changes::of_turn(tx, ben, ana.turn).await.unwrap().is_empty());
    tried.nothing("changes::of_invocation", changes::of_invocation(tx, ben, call).await.unwrap().is_empty());
    tried.nothing("changes::undone_by", changes::undone_by(tx, ben, ana.change).await.unwrap().is_none());
    tried.nothing("events::after", events::after(tx, ben, 0, 9).await.unwrap().is_empty());
    tried.nothing("events::head", events::head(tx, ben).await.unwrap() == 0);
    tried.nothing("tokens::list", tokens::list(tx, ben).await.unwrap().is_empty());
    tried.nothing("users::get", users::get(tx, ben).await.unwrap().unwrap().name.as_str() == "ben");
}

async fn read_talk(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let (tx, talk) = (&mut tx, ana.conversation);
    tried.nothing("conversations::exists", !conversations::exists(tx, ben, talk).await.unwrap());
    tried.nothing("conversations::list", conversations::list(tx, ben, 9).await.unwrap().is_empty());
    let said = conversations::messages(tx, ben, talk, None, 9).await.unwrap();
    tried.nothing("conversations::messages", said.is_empty());
    tried.nothing("messages::recent", messages::recent(tx, ben, talk, 9, 9).await.unwrap().is_empty());
    let said = messages::of_turn(tx, ben, ana.turn, Speaker::User).await.unwrap();
    tried.nothing("messages::of_turn", said.is_none());
    let epoch = crate::domain::time::Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
    tried.nothing("decisions::get", decisions::get(tx, ben, ana.turn).await.unwrap().is_none());
    tried.nothing("decisions::asked_last", decisions::asked_last(tx, ben, talk, 9).await.unwrap().is_none());
    assert_ne!(decisions::spent(tx, ana.user, &epoch).await.unwrap(), (0, 0));
    tried.nothing("decisions::spent", decisions::spent(tx, ben, &epoch).await.unwrap() == (0, 0));
    let listed = audit::list(tx, Some(ben), &AuditFilter::default(), None, 9).await.unwrap();
    tried.nothing("audit::list", listed.is_empty());
    tried.nothing("audit::get", audit::get(tx, Some(ben), ana.turn).await.unwrap().is_none());
}

async fn read_turns(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let tx = &mut tx;
    tried.nothing("turns::get", turns::get(tx, ben, ana.turn).await.unwrap().is_none());
    tried.nothing("turns::by_client_key", turns::by_client_key(tx, ben, &client_key()).await.unwrap().is_none());
    let since = now().plus_seconds(-60);
    tried.nothing("turns::messages_since", turns::messages_since(tx, ben, &since).await.unwrap().is_empty());
    let (talk, from, to) = (ana.conversation, 0, 99);
    tried.nothing("steps::between", steps::between(tx, ben, talk, from, to).await.unwrap().is_empty());
    tried.nothing("invocations::between", invocations::between(tx, ben, talk, from, to).await.unwrap().is_empty());
    tried.nothing("steps::of_turn", steps::of_turn(tx, ben, ana.turn).await.unwrap().is_empty());
    assert!(!steps::under_way(tx, ana.user).await.unwrap().is_empty());
    tried.nothing("steps::under_way", steps::under_way(tx, ben).await.unwrap().is_empty());
    tried.nothing("invocations::of_turn", invocations::of_turn(tx, ben, ana.turn).await.unwrap().is_empty());
    tried.nothing("invocations::asking", invocations::asking(tx, ben, ana.approval).await.unwrap().is_empty());
    tried.nothing("changes::standing", changes::standing(tx, Some(ben), &[ana.turn]).await.unwrap().is_empty());
    let ran = invocations::ran_under(tx, ben, ana.approval, TurnId::new()).await.unwrap();
    tried.nothing("invocations::ran_under", !ran);
}

async fn read_approvals(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let tx = &mut tx;
    tried.nothing("approvals::of_step", approvals::of_step(tx, ben, ana.turn, 0).await.unwrap().is_none());
    tried.nothing("approvals::get", approvals::get(tx, ben, ana.approval).await.unwrap().is_none());
    tried.nothing("approvals::of_turn", approvals::of_turn(tx, ben, ana.turn).await.unwrap().is_none());
    let pending = approvals::pending(tx, ben, ana.conversation, &now()).await.unwrap();
    tried.nothing("approvals::pending", pending.is_empty());
    tried.nothing("approvals::list", approvals::list(tx, ben, None, 9).await.unwrap().is_empty());
}

/// Functions that change a row that is there: they must not find another's.
async fn write_what_is(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut next = stored(ana.task);
    next.task.version = 2;
    let (at, later) = (now(), now().plus_seconds(9999));
    tried.nothing("tasks::update", !attempt!(store, |tx| tasks::update(tx, ben, &next)).unwrap());
    tried.nothing("sessions::delete", !attempt!(store, |tx| sessions::delete(tx, ben, &ana.session)).unwrap());
    tried.nothing("sessions::delete_all", attempt!(store, |tx| sessions::delete_all(tx, ben)).unwrap() == 0);
    tried.nothing("tokens::revoke", !attempt!(store, |tx| tokens::revoke(tx, ben, ana.token, &at)).unwrap());
    let (turn, fence) = (ana.turn, 1);
    tried.nothing("turns::renew", !attempt!(store, |tx| turns::renew(tx, ben, turn, fence, 1)).unwrap());
    tried.nothing("turns::held", !attempt!(store, |tx| turns::held(tx, ben, turn, fence)).unwrap());
    tried.nothing("turns::finish", !attempt!(store, |tx| turns::finish(tx, ben, turn, fence, &at)).unwrap());
    let extended = attempt!(store, |tx| approvals::extend(tx, ben, ana.approval, &later, &at));
    tried.nothing("approvals::extend", !extended.unwrap());
    let verdict = approvals::NewVerdict { status: ApprovalStatus::Approved, by: None, reason: None };
    let (pending, id) = (ApprovalStatus::Pending, ana.approval);
    let settled = attempt!(store, |tx| approvals::settle(tx, ben, id, pending, &verdict, &at));
    tried.nothing("approvals::settle", !settled.unwrap());
    // These report nothing: that ana's rows are as before shows that they did nothing.
    attempt!(store, |tx| turns::ask_stop(tx, ben, turn)).unwrap();
    attempt!(store, |tx| turns::refuse(tx, ben, turn, &at)).unwrap();
    attempt!(store, |tx| conversations::touch(tx, ben, ana.conversation, &later)).unwrap();
    attempt!(store, |tx| users::set_password(tx, ben, "other")).unwrap();
    attempt!(store, |tx| users::set_zone(tx, ben, "Asia/Kolkata")).unwrap();
    attempt!(store, |tx| users::set_uses_model(tx, ben, false)).unwrap();
    attempt!(store, |tx| users::set_disabled(tx, ben, true)).unwrap();
    attempt!(store, |tx| tasks::lock(tx, ben)).unwrap();
    for name in [
        "turns::ask_stop",
        "turns::refuse",
        "conversations::touch",
        "users::set_password",
        "users::set_zone",
        "users::set_uses_model",
        "users::set_disabled",
        "tasks::lock",
    ] {
        tried.nothing(name, true);
    }
}

/// Functions that make a row: ben's own, or none where the place is taken.
async fn write_new(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let at = now();
    let number = attempt!(store, |tx| tasks::next_number(tx, ben)).unwrap();
    tried.nothing("tasks::next_number", number == TaskNumber(1));
    attempt!(store, |tx| tasks::insert(tx, ben, &stored(ana.task))).unwrap();
    let mut edit = entry(stored(ana.task).task, ana.turn);
    edit.change.undoes = Some(ana.change);
    attempt!(store, |tx| changes::insert(tx, ben, &edit)).unwrap();
    attempt!(store, |tx| changes::keep_client_key(tx, ben, &client_key(), ana.change)).unwrap();
    let found = attempt!(store, |tx| changes::by_client_key(tx, ben, &client_key())).unwrap();
    tried.nothing("changes::by_client_key", found.is_none());
    let seq = attempt!(store, |tx| events::append(tx, ben, EventKind::TaskChanged, &json!({}), &at)).unwrap();
    tried.nothing("events::append", seq == 1);
    attempt!(store, |tx| records::append(tx, ben, records::Kind::Step, &at, &json!({}))).unwrap();
    attempt!(store, |tx| sessions::insert(tx, ben, &[9; 32], &at, &at)).unwrap();
    attempt!(store, |tx| tokens::insert(tx, ben, &token(), &[9; 32])).unwrap();
    attempt!(store, |tx| conversations::create(tx, ben, ana.conversation, "mine", &at)).unwrap_err();
    let new = turns::NewTurn {
        conversation: ana.conversation,
        cause: Cause::Message,
        approval: None,
        client_key: Some(&client_key()),
        lease_ms: None,
    };
    attempt!(store, |tx| turns::insert(tx, ben, &new, &at)).unwrap();
    let message = messages::NewMessage {
        conversation: ana.conversation,
        turn: ana.turn,
        speaker: Speaker::Assistant,
        text: "mine",
    };
    attempt!(store, |tx| messages::insert(tx, ben, &message, &at)).unwrap_err();
    let step = steps::StepRow { number: 0, origin: steps::Origin::Engine, reply: json!({}) };
    attempt!(store, |tx| steps::insert(tx, ben, ana.turn, &step, &at)).unwrap_err();
    attempt!(store, |tx| invocations::insert(tx, ben, &invocation(ana.turn, None))).unwrap_err();
    attempt!(store, |tx| decisions::insert(tx, ben, &decision(ana.turn, "mine"))).unwrap_err();
    let new = approvals::NewApproval { conversation: ana.conversation, turn: ana.turn, step: 0, expires_at: &at };
    attempt!(store, |tx| approvals::insert(tx, ben, &new, &at)).unwrap_err();
    for name in [
        "tasks::insert",
        "changes::insert",
        "changes::keep_client_key",
        "records::append",
        "sessions::insert",
        "tokens::insert",
        "conversations::create",
        "turns::insert",
        "messages::insert",
        "steps::insert",
        "invocations::insert",
        "decisions::insert",
        "approvals::insert",
    ] {
        tried.nothing(name, true);
    }
}

/// Every public function of the store with an owner among its parameters, read from the source.
fn taking_an_owner() -> Vec<String> {
    let folder = Path::new("src/store");
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "rs") {
            continue;
        }
        let (module, source) = (path.file_stem().unwrap().to_string_lossy(), std::fs::read_to_string(&path).unwrap());
        let public = ["\npub async fn ", "\npub fn "];
        for function in public.iter().flat_map(|start| source.split(start).skip(1)) {
            let name = function.split(['(', '<']).next().unwrap();
            let parameters = function.split_once(") ->").map_or(function, |(parameters, _)| parameters);
            if name.chars().all(|c| c.is_alphanumeric() || c == '_') && parameters.contains("UserId") {
                found.push(format!("{module}::{name}"));
            }
        }
    }
    found.sort();
    found
}
