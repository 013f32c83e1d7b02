//! Ownership: calls every function that takes an owner with another user's id.

use super::*;
use crate::domain::approval::ApprovalStatus;
use crate::domain::audit::AuditFilter;
use crate::domain::channel::{Card, ChatId};
use crate::domain::credential::Credential;
use crate::domain::id::ImportId;
use crate::domain::policy::{Asker, Entry as PolicyEntry, Rule, Rules};
use crate::domain::task::{Filter, Project, Tag};
use crate::domain::turn::SenderView;
use crate::domain::user::{Door, LinkPurpose};
use crate::domain::window::Window;

/// Module, and the names of the functions tried.
struct Tried(&'static str, Vec<String>);

impl Tried {
    /// Asserts that a function returned nothing of another user.
    #[track_caller]
    fn nothing(&mut self, name: &str, nothing: bool) {
        assert!(nothing, "{}: {name} gave what is another's", self.0);
        self.1.push(name.into());
    }
}

/// Runs a call in its own transaction, committed if the call succeeds.
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

mod approvals_and_chains;
mod elsewhere;
mod side_by_side;
mod source;
use approvals_and_chains::{read_approvals, read_chains};
use elsewhere::{DIGEST, checkpoints_of, erased, imported, remember, show_elsewhere};
use source::taking_an_owner;

#[tokio::test]
async fn no_function_reaches_anothers_rows() {
    for (db, store) in testing::stores().await {
        let ana = Life::of(&store, "ana").await;
        let ben = user(&store, "ben").await;
        let mut tried = Tried(db, vec![]);
        empty_bin(&store, &ana, ben, &mut tried).await;
        let rule = PolicyEntry { asker: Asker::Rules, tool: ToolName::AddTask, rule: Rule::Deny };
        attempt!(store, |tx| policies::set(tx, ana.user, rule, &now())).unwrap();
        act_outside(&store, &ana).await;
        show_elsewhere(&store, &ana, ben, &mut tried).await;
        remember(&store, &ana, ben, &mut tried).await;
        imported(&store, &ana, ben, &mut tried).await;
        erased(&mut tried).await;
        let before = dump(&store, ana.user).await;
        read_tasks(&store, &ana, ben, &mut tried).await;
        read_talk(&store, &ana, ben, &mut tried).await;
        read_turns(&store, &ana, ben, &mut tried).await;
        read_approvals(&store, &ana, ben, &mut tried).await;
        read_chains(&store, ben, &mut tried).await;
        checkpoints_of(&store, ben, &mut tried).await;
        read_agents(&store, &ana, ben, &mut tried).await;
        write_what_is(&store, &ana, ben, &mut tried).await;
        write_new(&store, &ana, ben, &mut tried).await;
        assert_eq!(dump(&store, ana.user).await, before, "{db}: ben changed what is ana's");
        assert_eq!(policies::list(&mut store.read().await.unwrap(), ana.user).await.unwrap(), [rule], "{db}");
        tried.1.sort();
        assert_eq!(tried.1, taking_an_owner(), "{db}: the table and the source must name the same functions");
    }
}

/// Tries the functions of the bin. Ana has one task in it and one purged task.
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
    tried.nothing("changes::since", changes::since(tx, ben, ana.task, 0, 9).await.unwrap().is_empty());
    tried.nothing("changes::undos", changes::undos(tx, ben, ana.task, 0, 9).await.unwrap().is_empty());
    tried.nothing(
        "changes::as_of",
        changes::as_of(tx, ben, &now().plus_seconds(9), TaskNumber(0), 9).await.unwrap().is_empty(),
    );
    tried.nothing(
        "changes::last_until",
        changes::last_until(tx, ben, ana.task, &now().plus_seconds(9)).await.unwrap().is_none(),
    );
    tried.nothing("changes::of_turn", changes::of_turn(tx, ben, ana.turn).await.unwrap().is_empty());
    tried.nothing("changes::of_invocation", changes::of_invocation(tx, ben, call).await.unwrap().is_empty());
    tried.nothing("changes::last_hands", changes::last_hands(tx, ben, &[ana.task]).await.unwrap().is_empty());
    tried.nothing("facets::projects", facets::projects(tx, ben, 9).await.unwrap().is_empty());
    tried.nothing("facets::tags", facets::tags(tx, ben, 9).await.unwrap().is_empty());
    tried.nothing("changes::undone_by", changes::undone_by(tx, ben, ana.change).await.unwrap().is_none());
    tried.nothing("events::page", events::page(tx, ben, 0, 9).await.unwrap() == 0);
    tried.nothing("events::after", events::after(tx, ben, 0, 9).await.unwrap().is_empty());
    tried.nothing("events::head", events::head(tx, ben).await.unwrap() == 0);
    tried.nothing("events::of_turns", events::of_turns(tx, ben, &now().plus_seconds(-60), 9).await.unwrap().is_empty());
    tried.nothing("policies::asker_of", policies::asker_of(tx, ben, ana.turn).await.unwrap().is_none());
    tried
        .nothing("policies::tried", policies::tried(tx, Some(ben), &now().plus_seconds(-60)).await.unwrap().is_empty());
    tried.nothing("policies::list", policies::list(tx, ben).await.unwrap().is_empty());
    let rules = policies::of(tx, ben, Asker::Rules, ToolName::AddTask).await.unwrap();
    tried.nothing("policies::of", rules == Rules::default());
    tried.nothing("tokens::list", tokens::list(tx, ben).await.unwrap().is_empty());
    tried.nothing("users::get", users::get(tx, ben).await.unwrap().unwrap().name.as_str() == "ben");
}

async fn read_talk(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let (tx, talk) = (&mut tx, ana.conversation);
    tried.nothing("conversations::exists", !conversations::exists(tx, ben, talk).await.unwrap());
    tried.nothing("conversations::list", conversations::list(tx, ben, None, false, None, 9).await.unwrap().is_empty());
    tried.nothing("conversations::get", conversations::get(tx, ben, talk).await.unwrap().is_none());
    tried.nothing("conversations::messages", conversations::messages(tx, ben, talk, None, 9).await.unwrap().is_empty());
    tried.nothing("messages::recent", messages::recent(tx, ben, talk, 9, 9).await.unwrap().is_empty());
    tried.nothing("messages::of_turn", messages::of_turn(tx, ben, ana.turn, Speaker::User).await.unwrap().is_none());
    let epoch = crate::domain::time::Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
    tried.nothing("decisions::get", decisions::get(tx, ben, ana.turn).await.unwrap().is_none());
    tried.nothing("consent::last_reply", consent::last_reply(tx, ben, talk, 9).await.unwrap().is_none());
    tried.nothing("consent::view", consent::view(tx, ben, ana.turn).await.unwrap() == SenderView::default());
    tried.nothing("consent::options", consent::options(tx, ben, talk).await.unwrap().is_empty());
    assert_ne!(spending::spent(tx, ana.user, (&epoch, &now())).await.unwrap(), (0, 0));
    tried.nothing("spending::spent", spending::spent(tx, ben, (&epoch, &now())).await.unwrap() == (0, 0));
    tried.nothing("spending::cost", spending::cost(tx, ben, &epoch).await.unwrap() == Some(0));
    let (filter, edges) = (AuditFilter::default(), [epoch.clone(), now().plus_seconds(9999)]);
    tried.nothing("audit::list", audit::list(tx, Some(ben), &filter, None, 9, 9).await.unwrap().rows.is_empty());
    assert!(!statistics::turns(tx, Some(ana.user), &filter, &edges).await.unwrap().is_empty());
    tried.nothing("statistics::turns", statistics::turns(tx, Some(ben), &filter, &edges).await.unwrap().is_empty());
    tried.nothing(
        "statistics::approvals",
        statistics::approvals(tx, Some(ben), &filter, &edges).await.unwrap().is_empty(),
    );
    tried.nothing("statistics::writes", statistics::writes(tx, Some(ben), &filter, &edges).await.unwrap() == 0);
    tried.nothing("audit::turns", audit::turns(tx, Some(ben)).await.unwrap().is_empty());
    tried.nothing("audit::get", audit::get(tx, Some(ben), ana.turn).await.unwrap().is_none());
}

async fn read_turns(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let tx = &mut tx;
    tried.nothing("turns::get", turns::get(tx, ben, ana.turn).await.unwrap().is_none());
    tried.nothing("turns::by_client_key", turns::by_client_key(tx, ben, &client_key()).await.unwrap().is_none());
    let span = Window::seconds(60).before(&now());
    tried.nothing("turns::messages_within", turns::messages_within(tx, ben, &span).await.unwrap().is_empty());
    let (talk, from, to) = (ana.conversation, 0, 99);
    tried.nothing("steps::between", steps::between(tx, ben, talk, from, to).await.unwrap().is_empty());
    tried.nothing("invocations::between", invocations::between(tx, ben, talk, from, to).await.unwrap().is_empty());
    tried.nothing("steps::of_turn", steps::of_turn(tx, ben, ana.turn).await.unwrap().is_empty());
    assert!(!steps::under_way(tx, ana.user).await.unwrap().is_empty());
    tried.nothing("steps::under_way", steps::under_way(tx, ben).await.unwrap().is_empty());
    tried.nothing("invocations::of_turn", invocations::of_turn(tx, ben, ana.turn).await.unwrap().is_empty());
    let of_turns = invocations::of_turns(tx, Some(ben), &[ana.turn]).await.unwrap();
    tried.nothing("invocations::of_turns", of_turns.is_empty());
    tried.nothing("invocations::asking", invocations::asking(tx, ben, ana.approval).await.unwrap().is_empty());
    tried.nothing("changes::standing", changes::standing(tx, Some(ben), &[ana.turn]).await.unwrap().is_empty());
    tried.nothing("turn_detail::records", turn_detail::records(tx, ben, ana.turn).await.unwrap().is_empty());
    tried.nothing("turn_detail::approvals", turn_detail::approvals(tx, ben, ana.turn).await.unwrap().is_empty());
    tried.nothing(
        "turn_detail::beside",
        turn_detail::beside(tx, ben, ana.conversation, 0).await.unwrap() == (None, None),
    );
    tried.nothing(
        "turn_detail::carried_out_by",
        turn_detail::carried_out_by(tx, ben, ana.approval).await.unwrap().is_none(),
    );
    tried.nothing("turn_detail::cost", turn_detail::cost(tx, ben, ana.turn).await.unwrap().is_none());
    tried.nothing("admin_reads::has", !admin_reads::has(tx, ben, ana.turn, ana.user).await.unwrap());
    tried.nothing("admin_reads::of_turn", admin_reads::of_turn(tx, ben, ana.turn).await.unwrap().is_empty());
    let ran = invocations::ran_under(tx, ben, ana.approval, TurnId::new()).await.unwrap();
    tried.nothing("invocations::ran_under", !ran);
}

/// Creates a call, a change and an approval of ana's agent client.
async fn act_outside(store: &Store, ana: &Life) {
    let mut transaction = store.write().await.unwrap();
    let (tx, user, token) = (&mut transaction, ana.user, ana.token);
    agents::set_thread(tx, user, token, ana.conversation).await.unwrap();
    agents::turn(tx, user, token, ana.conversation, &now()).await.unwrap();
    agents::made(tx, user, token, ana.change, &now()).await.unwrap();
    agents::ask(tx, user, ana.approval, token, &DIGEST).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn read_agents(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let (tx, token, at) = (&mut tx, ana.token, now().plus_seconds(-60));
    let span = Window::seconds(60).before(&now());
    assert_eq!(agents::changes_within(tx, ana.user, token, &span).await.unwrap(), 1);
    assert_eq!(agents::calls_within(tx, ana.user, &span).await.unwrap().len(), 1);
    assert_eq!(agents::changes_asked_for(tx, ana.user, token, (&span, &at)).await.unwrap(), 1);
    assert!(agents::asked(tx, ana.user, token, &DIGEST).await.unwrap().is_some());
    tried.nothing("agents::thread", agents::thread(tx, ben, token).await.unwrap().is_none());
    tried.nothing("agents::calls_within", agents::calls_within(tx, ben, &span).await.unwrap().is_empty());
    tried.nothing("agents::failed_within", agents::failed_within(tx, ben, token, &span).await.unwrap() == 0);
    tried.nothing("agents::changes_within", agents::changes_within(tx, ben, token, &span).await.unwrap() == 0);
    let asked = agents::changes_asked_for(tx, ben, token, (&span, &at)).await.unwrap();
    tried.nothing("agents::changes_asked_for", asked == 0);
    tried.nothing("agents::asked", agents::asked(tx, ben, token, &DIGEST).await.unwrap().is_none());
    tried.nothing("agents::asking", agents::asking(tx, ben, ana.approval).await.unwrap().is_none());
    tried.nothing("invocations::under", invocations::under(tx, ben, ana.approval).await.unwrap().is_empty());
}

/// Tries functions that change a row: they must not find another user's.
async fn write_what_is(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut next = stored(ana.task);
    next.task.version = 2;
    let (at, later) = (now(), now().plus_seconds(9999));
    tried.nothing("tasks::update", !attempt!(store, |tx| tasks::update(tx, ben, &next)).unwrap());
    tried.nothing("sessions::delete", !attempt!(store, |tx| sessions::delete(tx, ben, &ana.session)).unwrap());
    tried.nothing("sessions::delete_all", attempt!(store, |tx| sessions::delete_all(tx, ben)).unwrap() == 0);
    let (token, by) = (attempt!(store, |tx| tokens::get(tx, ben, ana.token)), Credential::of(Door::Api));
    tried.nothing("tokens::get", token.unwrap().is_none());
    let by = Credential { token_id: Some(ana.token), ..by };
    let named = attempt!(store, |tx| credentials::named(tx, ben, by)).unwrap();
    tried.nothing("credentials::named", named.token.is_none());
    tried.nothing("tokens::revoke", !attempt!(store, |tx| tokens::revoke(tx, ben, ana.token, &at)).unwrap());
    let (turn, fence) = (ana.turn, 1);
    let all = attempt!(store, |tx| sessions::list(tx, ben, &at));
    tried.nothing("sessions::list", all.unwrap().is_empty());
    let revoked = attempt!(store, |tx| tokens::revoke_all(tx, ben, &at));
    tried.nothing("tokens::revoke_all", revoked.unwrap().is_empty());
    tried.nothing("turns::seize", attempt!(store, |tx| turns::seize(tx, ben, 1)).unwrap().is_empty());
    let mut tx = store.write().await.unwrap();
    let link = |hash: &'static [u8]| {
        let (purpose, made_by) = (LinkPurpose::Reset, Some(ana.user));
        links::NewLink { hash, purpose, made_by, at: &at, expires_at: &later }
    };
    links::set(&mut tx, ana.user, &link(&[6; 32])).await.unwrap();
    tried.nothing("links::take", !links::take(&mut tx, ben, &[6; 32]).await.unwrap());
    links::set(&mut tx, ben, &link(&[5; 32])).await.unwrap();
    tried.nothing("links::set", links::owner(&mut tx, &[6; 32], &at).await.unwrap().is_some());
    links::delete_made_by(&mut tx, ben).await.unwrap();
    links::delete(&mut tx, ben).await.unwrap();
    tried.nothing("links::delete_made_by", links::owner(&mut tx, &[6; 32], &at).await.unwrap().is_some());
    tried.nothing("links::delete", links::owner(&mut tx, &[6; 32], &at).await.unwrap().is_some());
    drop(tx);
    let rules = attempt!(store, |tx| policies::of_held(tx, ben, turn, fence, Asker::Rules, ToolName::AddTask)).unwrap();
    tried.nothing("policies::of_held", rules.is_none());
    tried.nothing("turns::renew", !attempt!(store, |tx| turns::renew(tx, ben, turn, fence, 1)).unwrap());
    tried.nothing("turns::held", !attempt!(store, |tx| turns::held(tx, ben, turn, fence)).unwrap());
    tried.nothing("turns::finish", !attempt!(store, |tx| turns::finish(tx, ben, turn, fence, &at)).unwrap());
    let extended = attempt!(store, |tx| approvals::extend(tx, ben, ana.approval, &later, &at));
    tried.nothing("approvals::extend", !extended.unwrap());
    let verdict = approvals::NewVerdict { status: ApprovalStatus::Approved, by: None, credential: None, reason: None };
    let (pending, id) = (ApprovalStatus::Pending, ana.approval);
    let settled = attempt!(store, |tx| approvals::settle(tx, ben, id, pending, &verdict, &at));
    tried.nothing("approvals::settle", !settled.unwrap());
    tried.nothing("agents::collect", !attempt!(store, |tx| agents::collect(tx, ben, ana.approval, turn)).unwrap());
    // These return nothing; comparing ana's rows before and after shows that they did nothing.
    attempt!(store, |tx| turns::ask_stop(tx, ben, turn)).unwrap();
    attempt!(store, |tx| turns::refuse(tx, ben, turn, &at)).unwrap();
    attempt!(store, |tx| conversations::touch(tx, ben, ana.conversation, &later)).unwrap();
    let renamed = attempt!(store, |tx| conversations::rename(tx, ben, ana.conversation, "mine")).unwrap();
    tried.nothing("conversations::rename", !renamed);
    let hidden = attempt!(store, |tx| conversations::hide(tx, ben, ana.conversation, Some(&later))).unwrap();
    tried.nothing("conversations::hide", !hidden);
    attempt!(store, |tx| users::set_password(tx, ben, "other")).unwrap();
    attempt!(store, |tx| users::set_zone(tx, ben, "Asia/Kolkata")).unwrap();
    attempt!(store, |tx| users::set_uses_model(tx, ben, false)).unwrap();
    attempt!(store, |tx| users::set_disabled(tx, ben, true)).unwrap();
    attempt!(store, |tx| users::set_role(tx, ben, Role::Admin)).unwrap();
    attempt!(store, |tx| users::see(tx, ben, &at)).unwrap();
    attempt!(store, |tx| sessions::see(tx, ben, &ana.session, (&at, &at))).unwrap();
    attempt!(store, |tx| sessions::name(tx, ben, &ana.session, "other")).unwrap();
    attempt!(store, |tx| sessions::authenticate(tx, ben, &ana.session, &later)).unwrap();
    let entered = attempt!(store, |tx| sessions::authenticated_at(tx, ben, &ana.session, &at)).unwrap();
    tried.nothing("sessions::authenticated_at", entered.is_none());
    attempt!(store, |tx| tokens::see(tx, ben, &[8; 32], &at)).unwrap();
    attempt!(store, |tx| tasks::lock(tx, ben)).unwrap();
    let usual = PolicyEntry { asker: Asker::Rules, tool: ToolName::AddTask, rule: Rule::Run };
    attempt!(store, |tx| policies::set(tx, ben, usual, &at)).unwrap();
    attempt!(store, |tx| agents::set_thread(tx, ben, ana.token, ana.conversation)).unwrap();
    attempt!(store, |tx| agents::set_terms(tx, ben, ana.token, TokenKind::Agent, 7)).unwrap();
    attempt!(store, |tx| agents::ask(tx, ben, ana.approval, ana.token, &[6; 32])).unwrap();
    for name in [
        "turns::ask_stop",
        "turns::refuse",
        "conversations::touch",
        "users::set_password",
        "users::set_zone",
        "users::set_uses_model",
        "users::set_disabled",
        "users::set_role",
        "users::see",
        "sessions::see",
        "sessions::name",
        "sessions::authenticate",
        "tokens::see",
        "tasks::lock",
        "policies::set",
        "agents::set_thread",
        "agents::set_terms",
        "agents::ask",
    ] {
        tried.nothing(name, true);
    }
}

/// Tries functions that create a row: it must be ben's, or not exist.
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
        starter: None,
    };
    attempt!(store, |tx| turns::insert(tx, ben, &new, &at)).unwrap();
    attempt!(store, |tx| agents::turn(tx, ben, ana.token, ana.conversation, &at)).unwrap();
    let message = messages::NewMessage {
        conversation: ana.conversation,
        turn: ana.turn,
        speaker: Speaker::Assistant,
        text: "mine",
        by: None,
    };
    attempt!(store, |tx| messages::insert(tx, ben, &message, &at)).unwrap_err();
    let view = SenderView::default();
    attempt!(store, |tx| messages::insert_seen(tx, ben, &message, view, &at)).unwrap_err();
    let step = steps::StepRow { number: 0, origin: steps::Origin::Engine, reply: json!({}) };
    attempt!(store, |tx| steps::insert(tx, ben, ana.turn, &step, &at)).unwrap_err();
    attempt!(store, |tx| invocations::insert(tx, ben, &invocation(ana.turn, None))).unwrap_err();
    attempt!(store, |tx| decisions::insert(tx, ben, &decision(ana.turn, "mine"))).unwrap_err();
    let new = approvals::NewApproval {
        conversation: ana.conversation,
        turn: ana.turn,
        step: 0,
        expires_at: &at,
        agent: None,
    };
    attempt!(store, |tx| approvals::insert(tx, ben, &new, &at)).unwrap_err();
    attempt!(store, |tx| admin_reads::insert(tx, ben, ana.turn, ana.user, &at)).unwrap();
    for name in [
        "admin_reads::insert",
        "tasks::insert",
        "changes::insert",
        "changes::keep_client_key",
        "records::append",
        "sessions::insert",
        "tokens::insert",
        "conversations::create",
        "turns::insert",
        "agents::turn",
        "messages::insert",
        "messages::insert_seen",
        "steps::insert",
        "invocations::insert",
        "decisions::insert",
        "approvals::insert",
    ] {
        tried.nothing(name, true);
    }
}
