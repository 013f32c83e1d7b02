//! Tests of a partially stored approval, whose process died.

use super::*;
use crate::domain::approval::{ApprovalStatus, Verdict};
use crate::fault::crash::Side;

/// A verdict covers only what was shown, and nothing is shown before the approval is complete.
#[test]
fn incomplete_approval_cannot_be_approved() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let databases = tempfile::tempdir().unwrap();
    let history = HISTORIES.iter().find(|history| history.name == "delete by script and button").unwrap();
    for (_, url) in runtime.block_on(testing::urls_on_disk(databases.path())) {
        runtime.block_on(async { Store::open(&url, false).await.unwrap().close().await });
        let place = Place::new(&url, tempfile::tempdir().unwrap(), history);
        let mut ada = place.person("ada", history);
        let first_call = Crashes::at(Point { side: Side::After, commit: Commit::Call }, 1, Act::Stop);
        let process = Process::start(&url, &place.clock, history, first_call);
        assert!(process.run(ada.act(&process.state, 0, history.deeds[0])).is_none());
        drop(process);

        let next = place.next(history);
        let (state, caller) = (&next.state, &ada.caller);
        let done = next.run(async {
            let approve = async |id| inbox::decide(state, caller, id, Verdict::Approve, DecidedVia::Web, None).await;
            let listed = async || approvals::list(&state.ctx, caller, Some(ApprovalStatus::Pending)).await.unwrap();
            let mut tx = state.ctx.read().await.unwrap();
            let part = store::approvals::all_pending(&mut tx, caller.id()).await.unwrap()[0];
            assert_eq!(store::approvals::get(&mut tx, caller.id(), part).await.unwrap().unwrap().calls.len(), 1);
            drop(tx);
            assert_eq!(listed().await, []);
            assert!(approvals::proposals(&state.ctx, caller).await.unwrap().is_empty());
            assert!(matches!(approvals::get(&state.ctx, caller, part).await, Err(Error::NotFound(_))));
            let early = approve(part).await.unwrap_err();
            assert!(matches!(&early, Error::Conflict(why) if why.contains("still preparing this request")), "{early}");

            take_over(state).await;
            worker::settle(state).await.unwrap();
            let whole = listed().await.remove(0);
            assert_eq!((whole.approval_id, whole.calls.len()), (part, 2));
            approve(whole.approval_id).await.unwrap();
            worker::settle(state).await.unwrap();
            ada.sees(state).await
        });
        let done = done.unwrap();
        assert!(done.starts_with(history.comes_to), "{done}");
        place.assert_invariants("a request in parts");
    }
}
