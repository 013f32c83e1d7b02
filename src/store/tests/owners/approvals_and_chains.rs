//! Functions of approvals and the hash chain.

use super::*;

pub(super) async fn read_approvals(store: &Store, ana: &Life, ben: UserId, tried: &mut Tried) {
    let mut transaction = store.read().await.unwrap();
    let tx = &mut transaction;
    tried.nothing("approvals::of_step", approvals::of_step(tx, ben, ana.turn, 0).await.unwrap().is_none());
    tried.nothing("approvals::get", approvals::get(tx, ben, ana.approval).await.unwrap().is_none());
    assert!(approvals::asked_in(tx, ana.user, ana.approval).await.unwrap().is_some());
    tried.nothing("approvals::asked_in", approvals::asked_in(tx, ben, ana.approval).await.unwrap().is_none());
    let carried = approvals::carried_out_by(tx, ben, ana.turn, 0).await.unwrap();
    tried.nothing("approvals::carried_out_by", carried.is_none());
    tried.nothing("approvals::of_turn", approvals::of_turn(tx, ben, ana.turn).await.unwrap().is_none());
    let pending = approvals::pending(tx, ben, ana.conversation, &now()).await.unwrap();
    tried.nothing("approvals::pending", pending.is_empty());
    tried.nothing("approvals::list", approvals::list(tx, ben, None, 9).await.unwrap().is_empty());
    drop(transaction);
    // Voids ana's approved approval, in a transaction that is rolled back.
    let mut transaction = store.write().await.unwrap();
    let tx = &mut transaction;
    let verdict = |status| approvals::NewVerdict { status, by: None, credential: None, reason: None };
    for (from, to) in
        [(ApprovalStatus::Pending, ApprovalStatus::Approved), (ApprovalStatus::Approved, ApprovalStatus::Void)]
    {
        assert!(approvals::settle(tx, ana.user, ana.approval, from, &verdict(to), &now()).await.unwrap());
    }
    assert!(approvals::last_verdict(tx, ana.user, ana.approval).await.unwrap().is_some());
    assert_eq!(approvals::voided(tx, ana.user).await.unwrap().len(), 1);
    tried.nothing("approvals::last_verdict", approvals::last_verdict(tx, ben, ana.approval).await.unwrap().is_none());
    tried.nothing("approvals::voided", approvals::voided(tx, ben).await.unwrap().is_empty());
}

pub(super) async fn read_chains(store: &Store, ben: UserId, tried: &mut Tried) {
    let mut tx = store.read().await.unwrap();
    let (tx, table) = (&mut tx, &audited_columns::TABLES[0]);
    tried.nothing("chains::links", chains::links(tx, ben, 0, 9).await.unwrap().is_empty());
    tried.nothing("chains::head", chains::head(tx, ben).await.unwrap().is_none());
    tried.nothing("chains::stray", chains::stray(tx, ben).await.unwrap().is_none());
    tried.nothing("chains::below_first", chains::below_first(tx, ben).await.unwrap().is_none());
    assert!(!audited_columns::rows(tx, table, None, None).await.unwrap().0.is_empty());
    tried.nothing(
        "audited_columns::rows",
        audited_columns::rows(tx, table, Some(ben), None).await.unwrap().0.is_empty(),
    );
    tried.nothing(
        "audited_columns::unrecorded",
        audited_columns::unrecorded(tx, table, Some(ben)).await.unwrap().is_empty(),
    );
    tried.nothing(
        "audited_columns::without_row",
        audited_columns::without_row(tx, table, ben).await.unwrap().is_empty(),
    );
    tried.nothing(
        "audited_columns::last_change",
        audited_columns::last_change(tx, ben, TaskNumber(1)).await.unwrap().is_none(),
    );
    let tasks = audited_columns::task_rows(tx, ben, &[TaskNumber(1)]).await.unwrap();
    tried.nothing("audited_columns::task_rows", tasks.is_empty());
    macro_rules! none {
        ($($function:ident)*) => {
            $(tried.nothing(
                concat!("audited_columns::", stringify!($function)),
                audited_columns::$function(tx, Some(ben)).await.unwrap().is_empty(),
            );)*
        };
    }
    none!(changed_by_erased changed_by_nobody changes_of_nothing decided_and_open others_agents out_of_order purged_otherwise settled_by_nobody unsearchable);
    let conversations = audited_columns::others_conversations(tx, Some(ben)).await.unwrap();
    tried.nothing("audited_columns::others_conversations", conversations.is_empty());
    tried.nothing(
        "audited_columns::agent_requests",
        audited_columns::agent_requests(tx, Some(ben), None).await.unwrap().is_empty(),
    );
}
