//! Query plans of SQLite: a turn's context must visit the requested turns only, not the user's whole history. The planner
//! has no statistics, so it might begin with any of the user's indexes.

use super::*;
use crate::domain::audit::AuditFilter;
use crate::domain::rank::{Order, Rank};
use crate::domain::task::Filter;
use crate::domain::when;
use crate::domain::window::Window;
use crate::store::task_order::{Cursor, SortKey};

/// The beginning of each query of the context, with parts that its plan must contain.
const PLANS: &[(&str, &[&str])] = &[
    (
        "FROM turns t CROSS JOIN messages m",
        &["COVERING INDEX turns_by_conversation", "m USING PRIMARY KEY (turn_id=?)"],
    ),
    (
        "FROM turns t CROSS JOIN invocations i",
        &["COVERING INDEX turns_by_conversation", "i USING PRIMARY KEY (turn_id=?)"],
    ),
    ("FROM turns t CROSS JOIN steps s", &["COVERING INDEX turns_by_conversation", "s USING PRIMARY KEY (turn_id=?)"]),
    ("FROM invocations i JOIN bodies b", &["i USING PRIMARY KEY (turn_id=?)"]),
];

#[tokio::test]
async fn the_context_of_a_turn_is_found_by_its_turns() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let mut tx = store.read().await.unwrap();
    messages::recent(&mut tx, life.user, life.conversation, 9, 9).await.unwrap();
    invocations::between(&mut tx, life.user, life.conversation, 0, 9).await.unwrap();
    invocations::of_turn(&mut tx, life.user, life.turn).await.unwrap();
    steps::between(&mut tx, life.user, life.conversation, 0, 9).await.unwrap();
    let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
    let ran = conn.ran();
    for (from, wanted) in PLANS {
        let plain = |sql: &str| sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let sql = ran.iter().find(|sql| plain(sql).contains(from)).unwrap_or_else(|| panic!("{from}: {ran:?}"));
        let plan = conn.plan(sql);
        for index in *wanted {
            assert!(plan.contains(index), "{from}: {plan}");
        }
    }
}

/// A worker runs this query every minute, so it must not read all memories.
#[tokio::test]
async fn memories_without_vector_are_found_by_a_covering_index() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let mut tx = store.read().await.unwrap();
    memories::of_other_embedders(&mut tx, "local", true, None, 9).await.unwrap();
    let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
    let ran = conn.ran();
    let sql = ran.iter().find(|sql| sql.contains("UNION SELECT user_id FROM memories")).unwrap();
    let plan = conn.plan(sql);
    for half in ["embedder<?", "embedder>?"] {
        let wanted = format!("memories USING COVERING INDEX memories_by_embedder ({half})");
        assert!(plan.contains(&wanted), "{plan}");
    }
}

/// Plans for one user's turns by time, and for all users'.
const BY_TIME: [&str; 2] =
    ["COVERING INDEX decisions_by_user (user_id=? AND at<?)", "COVERING INDEX decisions_by_time (at<?)"];

/// Plan for the texts of a search by time.
const TEXTS: &str = "d USING INDEX decisions_by_user (user_id=? AND at<?)";

/// Checks the index for each part of a filter.
#[tokio::test]
async fn a_page_of_the_record_is_found_from_indexes_alone() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let plain = AuditFilter::default();
    let place = audit::Place { at: now(), turn: life.turn };
    let mut seen = std::collections::HashSet::new();
    let filters = [
        (AuditFilter { tool: Some("add_task".into()), ..plain.clone() }, "COVERING INDEX invocations_by_tool"),
        (AuditFilter { risk: Some("high".into()), ..plain.clone() }, "COVERING INDEX invocations_risky"),
        (AuditFilter { actor: Some(Cause::Mcp), ..plain.clone() }, "COVERING INDEX turns_by_cause"),
        (
            AuditFilter { conversation: Some(life.conversation), ..plain.clone() },
            "COVERING INDEX turns_by_conversation",
        ),
        (AuditFilter { kind: Some("REFUSE".into()), ..plain.clone() }, BY_TIME[0]),
        (AuditFilter { engine: Some("rules".into()), ..plain.clone() }, BY_TIME[0]),
        (AuditFilter { text: Some("milk".into()), ..plain.clone() }, TEXTS),
        (plain, BY_TIME[0]),
    ];
    for (owner, (filter, index)) in
        [Some(life.user), None].into_iter().flat_map(|owner| filters.iter().map(move |it| (owner, it)))
    {
        let index = match (owner, *index) {
            (None, index) if index == BY_TIME[0] => BY_TIME[1],
            (None, TEXTS) => "d USING INDEX decisions_by_time (at<?)",
            (_, index) => index,
        };
        let mut tx = store.read().await.unwrap();
        audit::list(&mut tx, owner, filter, Some(place.clone()), 9, 9).await.unwrap();
        let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
        // Each filter makes a separate statement.
        let mut new = |sql: &String| sql.starts_with("WITH page") && seen.insert(sql.clone());
        let page = conn.ran().into_iter().find(&mut new).expect("a page");
        let plan = conn.plan(&page);
        assert!(plan.contains(index), "{index}: {plan}");
        assert!(!plan.contains("SCAN d") && !plan.contains("SCAN o"), "{plan}");
    }
}

#[tokio::test]
async fn audit_search_reads_matching_turns_by_primary_key() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    for owner in [Some(life.user), None] {
        let mut tx = store.read().await.unwrap();
        assert!(audit::get(&mut tx, owner, life.turn).await.unwrap().is_some());
        let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
        let sql = conn.ran().into_iter().find(|sql| sql.starts_with("WITH page (turn_id)")).expect("what was read");
        let plan = conn.plan(&sql);
        assert!(plan.contains("SEARCH d USING PRIMARY KEY (turn_id=?)"), "{plan}");
    }
}

#[tokio::test]
async fn calls_of_agents_are_counted_from_an_index_alone() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let mut tx = store.read().await.unwrap();
    agents::calls_within(&mut tx, life.user, &Window::seconds(60).before(&now())).await.unwrap();
    let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
    let sql = conn.ran().into_iter().find(|sql| sql.contains("'mcp'")).expect("what counts them");
    let plan = conn.plan(&sql);
    assert!(
        plan.contains("COVERING INDEX turns_by_cause (user_id=? AND cause=? AND accepted_at>? AND accepted_at<?)"),
        "{plan}"
    );
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
}

#[tokio::test]
async fn what_stands_of_turns_is_found_by_their_owners() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    for owner in [Some(life.user), None] {
        let mut tx = store.read().await.unwrap();
        changes::standing(&mut tx, owner, &[life.turn]).await.unwrap();
        let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
        let sql = conn.ran().into_iter().find(|sql| sql.contains("CROSS JOIN changes c")).expect("what was made");
        let plan = conn.plan(&sql);
        assert!(plan.contains("c USING INDEX changes_by_turn (user_id=? AND turn_id=?)"), "{plan}");
    }
}

#[tokio::test]
async fn a_list_by_day_is_read_along_its_index() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let mut tx = store.read().await.unwrap();
    let line = when::overdue(&now(), "UTC");
    let rank = Rank::from_stored(line.bounds().0).unwrap();
    let filter = Filter { status: Some(Status::Pending), order: Order::Day(line), ..Filter::default() };
    let behind =
        |overdue| Cursor { key: SortKey::Day { at: now(), overdue, rank: rank.clone() }, number: TaskNumber(1) };
    for after in [None, Some(behind(true)), Some(behind(false))] {
        tasks::list(&mut tx, life.user, &filter, after, 9).await.unwrap();
    }
    let filtered = Filter { priority: Some(Priority::High), ..filter };
    tasks::list(&mut tx, life.user, &filtered, None, 9).await.unwrap();
    tasks::count(&mut tx, life.user, &filtered).await.unwrap();
    let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
    let plans = |part: &str| {
        let found =
            conn.ran().into_iter().filter(|sql| sql.contains(part)).map(|sql| conn.plan(&sql)).collect::<Vec<_>>();
        assert!(!found.is_empty(), "{part}");
        found
    };
    for plan in plans(" IS TRUE") {
        // Overdue tasks are sorted: no index has their manual ranks.
        assert!(plan.contains("INDEX tasks_by_place (user_id=? AND status=? AND place<?)"), "{plan}");
    }
    for plan in plans(" IS NOT TRUE") {
        assert!(plan.contains("INDEX tasks_by_place (user_id=? AND status=? AND place>?)"), "{plan}");
        // A page of a filtered list is found in the index and sorted.
        assert_eq!(plan.contains("TEMP B-TREE"), plan.contains("COVERING"), "{plan}");
    }
    for plan in plans("priority = ") {
        assert!(plan.contains("COVERING INDEX tasks_by_place"), "{plan}");
    }
}

#[tokio::test]
async fn tasks_without_a_place_are_found_by_an_index() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let mut tx = store.read().await.unwrap();
    task_order::unplaced(&mut tx).await.unwrap();
    let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
    let looks = conn.ran().into_iter().find(|sql| sql.contains("WHERE place = ''")).unwrap();
    assert!(conn.plan(&looks).contains("INDEX tasks_unplaced"), "{}", conn.plan(&looks));
}

#[tokio::test]
async fn pending_approvals_are_read_from_a_partial_index() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let mut tx = store.read().await.unwrap();
    approvals::proposals(&mut tx, life.user, &now()).await.unwrap();
    let Conn::Sqlite(conn) = &tx.conn else { unreachable!("it is SQLite") };
    let sql = conn.ran().into_iter().find(|sql| sql.contains("FROM approvals a")).unwrap();
    let plan = conn.plan(&sql);
    for index in ["a USING INDEX approvals_pending", "turn_id=? AND step=?)"] {
        assert!(plan.contains(index), "{index}: {plan}");
    }
}
