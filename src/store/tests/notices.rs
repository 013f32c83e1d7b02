//! Notices between processes on one database.

use super::*;
use crate::store::listen_notify::Notice;

#[tokio::test]
async fn notification_distinguishes_finished_turns_from_other_events() {
    for (db, store) in testing::stores().await.into_iter().filter(|(db, _)| *db == "postgres") {
        let mut notices = store.notices().await.unwrap();
        let ana = user(&store, "ana").await;
        for (kind, ends) in [(EventKind::TaskChanged, false), (EventKind::TurnFinished, true)] {
            let mut tx = store.write().await.unwrap();
            events::append(&mut tx, ana, kind, &json!({}), &now()).await.unwrap();
            tx.commit().await.unwrap();
            // Other tests write to the same server.
            let heard = loop {
                match notices.next().await.unwrap() {
                    Notice::Events { user, ended } if user == ana => break ended,
                    Notice::Events { .. } | Notice::Turns => {}
                }
            };
            assert_eq!(heard, ends, "{db}: {kind:?}");
        }
    }
}
