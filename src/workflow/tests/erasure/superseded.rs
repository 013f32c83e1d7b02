//! Approvals that became void after they were approved: two verdicts, one row. Erased by any version, amended, and spoilt.

use std::path::Path;
use std::process::Command;

use sha2::{Digest as _, Sha256};

use super::*;
use crate::store::erasures::{Mark, needed, page, take};
use crate::store::records::{self, Kind};
use crate::store::vouched::Table;
use crate::usecases::audit::{Outside, bundle, verify_bundle};
use crate::usecases::checkpoints::{self, When};
use crate::usecases::{Seal, backup};

/// Asks for task 1 to be deleted and approves it after the task was renamed: the approval is void, and asks afresh.
async fn voided(world: &mut World) -> Turn {
    world.task("wash car").await;
    let asked = world.say("delete task 1").await;
    rename(world, 1, "wash both cars").await;
    world.state.ctx.clock.advance(60);
    let void = world.press(&asked, Verdict::Approve).await.unwrap();
    ended(&void, DecisionKind::InvokeTool, Outcome::ApprovalVoid);
    // The fresh one is answered as well, so that all of it can be erased.
    world.press(&void, Verdict::Reject).await.unwrap();
    world.state.ctx.clock.advance(60);
    asked
}

/// A key and a log of its own.
fn seal(world: &mut World, folder: &Path) {
    let db = if world.state.ctx.store.is_embedded() { "sqlite" } else { "postgres" };
    let [key, log] = ["checkpoint.key", "checkpoints.log"].map(|name| folder.join(db).join(name));
    world.state.ctx.seal = Some(Arc::new(Seal::new(key, log)));
}

async fn sign(ctx: &Ctx) {
    checkpoints::make_ready(ctx).await.unwrap();
    checkpoints::make(ctx, When::Now).await.unwrap();
    checkpoints::keep_log(ctx, 0).await.unwrap();
}

/// Erases those of the records that may go as version 0.1 did: the record of the erasure states no superseded verdict.
async fn erase_as_first_release(world: &World, goes: impl Fn(i64) -> bool) {
    let (ctx, user) = (&world.state.ctx, world.caller.id());
    let mut tx = ctx.write().await.unwrap();
    let needed = needed(&mut tx, user).await.unwrap();
    let (mut marks, mut ranges, mut rows) = (vec![], vec![], Sha256::new());
    for looked in page(&mut tx, user, 0, 10_000).await.unwrap() {
        let Some((kind, body)) = looked.text().unwrap().filter(|_| goes(looked.seq) && !needed.contains(&looked.seq))
        else {
            continue;
        };
        let said = Table::of(kind).map(|table| table.said(&body));
        rows.update(looked.seq.to_be_bytes());
        match &said {
            Some(said) => rows = rows.chain_update([1]).chain_update(said),
            None => rows.update([0]),
        }
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == looked.seq => *last = looked.seq,
            _ => ranges.push((looked.seq, looked.seq)),
        }
        marks.push(Mark { seq: looked.seq, said });
    }
    let rows: String = rows.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let at = ctx.now();
    let body = json!({
        "event": "erased", "by": "command line", "until": at, "texts": marks.len(), "records": ranges, "rows": rows,
        "events": 0, "through": 0, "events_through": 0, "at": at,
    });
    let record = records::append(&mut tx, user, Kind::Erasure, &at, &body).await.unwrap();
    take(&mut tx, user, &marks, record).await.unwrap();
    ctx.commit(tx).await.unwrap();
}

/// What verification finds in a transaction that is not kept.
async fn found(world: &World, mut tx: crate::store::Tx) -> Vec<String> {
    let ctx = &world.state.ctx;
    let report = audit::verify_within(ctx, &mut tx, &Outside::default(), None).await.unwrap();
    report.broken.iter().map(ToString::to_string).collect()
}

/// The numbers of the verdicts of the void approval.
async fn verdicts(world: &World) -> [i64; 2] {
    let (user, mut tx) = (world.caller.id(), world.state.ctx.read().await.unwrap());
    let (_, by) = store::approvals::voided(&mut tx, user).await.unwrap()[0];
    let links = store::chains::links(&mut tx, user, 0, 10_000).await.unwrap();
    let earlier = links.iter().filter(|link| link.kind == "approval_verdict" && link.seq < by);
    [earlier.map(|link| link.seq).next_back().unwrap(), by]
}

const ADA: &str = "user_id = (SELECT id FROM users WHERE name = 'ada')";

/// Every way to change the rows of the erased verdicts, where `seq` and `by` are those of the void approval.
fn spoilt([seq, by]: [i64; 2]) -> Vec<String> {
    let void = format!("{ADA} AND status = 'void'");
    let rejected = format!("(SELECT decided_seq FROM approvals WHERE {ADA} AND status = 'rejected')");
    let nobody = "decided_at = NULL, decided_by = NULL, decided_via = NULL";
    vec![
        format!("UPDATE approvals SET status = 'pending', decided_seq = NULL, {nobody} WHERE {void}"),
        format!("UPDATE approvals SET decided_seq = NULL WHERE {void}"),
        format!("UPDATE approvals SET decided_seq = {seq} WHERE {void}"),
        format!(
            "UPDATE approvals SET decided_seq = {seq}, status = 'approved', decided_by = user_id, decided_via = 'web' WHERE {void}"
        ),
        format!("UPDATE approvals SET decided_seq = {rejected} WHERE {void}"),
        format!("UPDATE approvals SET status = 'approved' WHERE {void}"),
        format!("UPDATE approvals SET decided_at = created_at WHERE {void}"),
        format!("UPDATE approvals SET decided_by = user_id WHERE {void}"),
        format!("DELETE FROM approvals WHERE {void}"),
        format!(
            "UPDATE approvals SET status = 'pending', decided_seq = NULL, {nobody} WHERE {ADA} AND status = 'rejected'"
        ),
        format!("DELETE FROM approvals WHERE {ADA} AND status = 'rejected'"),
        format!(
            "UPDATE erasures SET said = (SELECT said FROM erasures WHERE {ADA} AND seq = {by}) WHERE {ADA} AND seq = {seq}"
        ),
        format!("UPDATE erasures SET said = NULL WHERE {ADA} AND seq = {seq}"),
        format!("UPDATE records SET kind = 'step' WHERE {ADA} AND seq = {seq}"),
    ]
}

#[tokio::test]
async fn erased_void_approval_verifies_and_tampering_is_found() {
    for mut world in worlds().await {
        voided(&mut world).await;
        let verdicts = verdicts(&world).await;
        erase(&world).await;
        assert_eq!(verified(&world).await.0, Vec::<String>::new());
        for statement in spoilt(verdicts) {
            let tx = testing::spoil(&world.state.ctx.store, &statement).await;
            let found = found(&world, tx).await;
            assert!(found.len() == 1 && found[0].starts_with("ada, record "), "{statement}: {found:?}");
        }
    }
}

#[tokio::test]
async fn verdicts_erased_one_by_one_verify_in_any_order() {
    // Which of the two goes first depends on what the clock said when they came.
    for (step, first) in [(60, 0), (-60, 1)] {
        for mut world in worlds().await {
            let ctx = world.state.ctx.clone();
            world.task("wash car").await;
            let asked = world.say("delete task 1").await;
            rename(&world, 1, "wash both cars").await;
            let places: Vec<_> = std::iter::from_fn(|| world.state.slot()).collect();
            let id = asked.approval.as_ref().unwrap().approval_id;
            inbox::decide(&world.state, &world.caller, id, Verdict::Approve, DecidedVia::Web, None).await.unwrap();
            let approved = ctx.now();
            drop(places);
            ctx.clock.advance(step);
            worker::settle(&world.state).await.unwrap();
            let voided = ctx.now();
            world.say("no").await;
            ctx.clock.advance(3_600);
            let earlier = approved.min(voided).plus_ms(1);
            let numbers = verdicts(&world).await;
            erasure::by_operator(&ctx, &world.caller.user, Some(&earlier)).await.unwrap();
            let links =
                store::chains::links(&mut ctx.read().await.unwrap(), world.caller.id(), 0, 1_000).await.unwrap();
            let erased = |seq: i64| links.iter().any(|link| link.seq == seq && link.erased_by.is_some());
            assert_eq!(numbers.map(erased), [first == 0, first == 1], "{step}");
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{step}");
            erase(&world).await;
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{step}");
            ctx.clock.advance(60);
            erase(&world).await;
            assert_eq!(verified(&world).await.0, Vec::<String>::new(), "{step}");
        }
    }
}

#[tokio::test]
async fn amendment_repairs_what_the_first_release_erased() {
    for mut world in worlds().await {
        let folder = tempfile::tempdir().unwrap();
        voided(&mut world).await;
        let verdicts = verdicts(&world).await;
        erase_as_first_release(&world, |_| true).await;
        let (broken, _) = verified(&world).await;
        assert_eq!(
            broken,
            [format!("ada, record {} (approval_verdict): its row in approvals is missing.", verdicts[0])]
        );
        seal(&mut world, folder.path());
        let ctx = world.state.ctx.clone();
        let unsigned = audit::amend(&ctx, None).await.unwrap_err();
        assert!(matches!(&unsigned, Error::Conflict(why) if why.contains("there is no key at")), "{unsigned}");
        sign(&ctx).await;
        let amended = audit::amend(&ctx, Some("ada")).await.unwrap();
        assert_eq!(amended.records, 1);
        let report = audit::verify_all(&ctx, None).await.unwrap();
        assert_eq!((report.broken.as_slice(), report.amended, report.unsigned), (&[][..], 1, None));
        assert!(report.sentence().ends_with(" texts erased, 1 records amended)"), "{}", report.sentence());
        assert_eq!(report.checkpoint.as_ref().unwrap().records, report.records.cast_signed(), "it is signed");
        assert_eq!(audit::amend(&ctx, None).await.unwrap().records, 0, "there is nothing more to be amended");

        // As a bundle, by both verifiers.
        let file = folder.path().join("bundle.jsonl");
        let mut written = vec![];
        bundle::write_all(&ctx, None, &mut written).await.unwrap();
        let bundled = verify_bundle(written.as_slice(), None).unwrap().report;
        assert_eq!((bundled.broken.as_slice(), bundled.amended, bundled.unsigned), (&[][..], 1, None));
        std::fs::write(&file, written).unwrap();
        let said = Command::new("python3").arg("end2end/record/verify.py").arg(&file).output().expect("python3 runs");
        let printed = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.status.success() && printed.starts_with(&report.sentence()), "{printed}");

        if let Some(database) = world.url.strip_prefix("sqlite://") {
            let copy = folder.path().join("copy.db");
            backup::make(Path::new(database), &copy, false).unwrap();
            let (place, seal) = (folder.path().join("restored.db"), ctx.seal.as_ref().unwrap());
            assert_eq!(backup::restore(&copy, &place, seal, &ctx.clock).await.unwrap().unsigned, None);
        }
        // What changes afterwards is found, and life goes on.
        for statement in spoilt(verdicts) {
            let tx = testing::spoil(&ctx.store, &statement).await;
            let found = found(&world, tx).await;
            assert!(found.len() == 1 && found[0].starts_with("ada, record "), "{statement}: {found:?}");
        }
        world.say("add milk").await;
        ctx.clock.advance(60);
        erase(&world).await;
        assert_eq!(verified(&world).await.0, Vec::<String>::new());
    }
}

#[tokio::test]
async fn amendment_covers_nothing_but_what_an_erasure_explains() {
    for mut world in worlds().await {
        voided(&mut world).await;
        let [seq, by] = verdicts(&world).await;
        erase_as_first_release(&world, |_| true).await;
        let ctx = world.state.ctx.clone();
        let step = "(SELECT MIN(record_seq) FROM steps)";
        let more = [
            format!("UPDATE decisions SET duration_ms = 77777 WHERE {ADA}"),
            format!("UPDATE tasks SET title = 'other' WHERE {ADA}"),
            format!("DELETE FROM steps WHERE {ADA} AND record_seq = {step}"),
            format!("DELETE FROM erasures WHERE {ADA} AND seq = {seq}"),
        ];
        for statement in spoilt([seq, by]).into_iter().chain(more) {
            let mut tx = testing::spoil(&ctx.store, &statement).await;
            let refused = audit::amend_within(&ctx, &mut tx, &Outside::default(), None).await.unwrap_err();
            assert!(
                matches!(&refused, Error::Conflict(why) if why.starts_with("Nothing was amended: ")),
                "{statement}: {refused}"
            );
        }
        assert_eq!(verified(&world).await.0.len(), 1, "nothing of that was kept");

        // Whoever can append records states what is not so.
        let user = world.caller.id();
        let mut tx = ctx.read().await.unwrap();
        let links = store::chains::links(&mut tx, user, 0, 1_000).await.unwrap();
        let said = |seq: i64| links.iter().find(|link| link.seq == seq).unwrap().at.clone();
        let void = store::approvals::voided(&mut tx, user).await.unwrap()[0].0;
        let rejected = store::approvals::list(&mut tx, user, Some(ApprovalStatus::Rejected), 9).await.unwrap();
        let (other, no) =
            (rejected[0].approval_id, links.iter().rfind(|link| link.kind == "approval_verdict").unwrap().seq);
        drop(tx);
        let columns = |id, via| json!([id, "approved", said(seq), user, via]);
        let truth = json!({ "seq": seq, "by": by, "columns": columns(void, "web") });
        let again = json!([void, "void", said(by), null, null]);
        let reset = format!(
            "UPDATE approvals SET status = 'pending', decided_seq = NULL, decided_at = NULL, decided_by = NULL,
                 decided_via = NULL WHERE {ADA} AND status = 'void'"
        );
        // Each would make up for the row that is reset, if it were believed.
        for stated in [
            json!([truth, { "seq": by, "by": no, "columns": again }]),
            json!([truth, { "seq": by, "by": no, "columns": [other, "void", said(by), null, null] }]),
            json!([truth, { "seq": by, "by": no, "columns": [other] }]),
            json!([truth, { "seq": by, "by": no, "columns": [] }]),
            json!([truth, { "seq": by, "by": by, "columns": again }]),
            json!([truth, { "seq": by, "by": by + 1, "columns": again }]),
            json!([truth, { "seq": 1, "by": by, "columns": columns(void, "web") }]),
            json!([truth, { "seq": no, "by": by, "columns": columns(void, "web") }]),
            json!([{ "seq": by, "by": seq, "columns": again }, { "seq": seq, "by": by, "columns": columns(void, "web") }]),
        ] {
            let mut tx = testing::spoil(&ctx.store, &reset).await;
            let body = json!({ "event": "amended", "by": "somebody", "superseded": stated, "at": ctx.now() });
            records::append(&mut tx, user, Kind::Amendment, &ctx.now(), &body).await.unwrap();
            assert!(!found(&world, tx).await.is_empty(), "{stated}");
        }
        let mut tx = ctx.write().await.unwrap();
        let body = json!({ "event": "amended", "by": "somebody", "superseded": [truth], "at": ctx.now() });
        records::append(&mut tx, user, Kind::Amendment, &ctx.now(), &body).await.unwrap();
        assert_eq!(found(&world, tx).await, Vec::<String>::new(), "the truth alone verifies");
        // So that the world may end as one that verifies.
        let mut tx = ctx.write().await.unwrap();
        audit::amend_within(&ctx, &mut tx, &Outside::default(), None).await.unwrap();
        ctx.commit(tx).await.unwrap();
    }
}

#[tokio::test]
async fn asking_again_about_what_was_erased_is_refused_at_once() {
    for mut world in worlds().await {
        let ctx = world.state.ctx.clone();
        for title in ["wash car", "book flights"] {
            world.task(title).await;
        }
        let delete = |number: i64| ("delete_task", json!({ "task_id": number }));
        world.state.engine = crate::state::scripted(vec![vec![delete(1), delete(2)]]);
        let asked = world.say("tidy up").await;
        ctx.clock.advance(86_400);
        worker::settle(&world.state).await.unwrap();
        ctx.clock.advance(60);
        let id = asked.approval.as_ref().unwrap().approval_id;
        let before = ctx.now();
        // One of the two calls is left, which alone is not what was asked.
        let user = world.caller.id();
        let links = store::chains::links(&mut ctx.read().await.unwrap(), user, 0, 1_000).await.unwrap();
        let calls = links.iter().filter(|link| {
            let body = link.body.as_ref().map_or("", |(_, body)| body);
            link.kind == "invocation" && body.contains("awaiting_approval")
        });
        let calls: Vec<i64> = calls.map(|link| link.seq).collect();
        assert_eq!(calls.len(), 2);
        erase_as_first_release(&world, |seq| seq == calls[0]).await;
        for _ in 0..2 {
            let refused = inbox::ask_again(&world.state, &world.caller, id, None).await.unwrap_err();
            assert!(matches!(&refused, Error::Conflict(why) if why.contains("has been erased")), "{refused}");
            erase(&world).await;
        }
        worker::settle(&world.state).await.unwrap();
        let turns = conversations::messages(&ctx, &world.caller, asked.conversation_id, None, 50).await.unwrap();
        assert!(turns.items.iter().all(|message| message.at < before), "no turn was begun for it");
        assert!(world.has(TaskNumber(1)).await && world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn replay_skips_turns_that_rest_on_erased_ones() {
    for verdict in [Verdict::Approve, Verdict::Reject] {
        for mut world in worlds().await {
            let ctx = world.state.ctx.clone();
            world.task("wash car").await;
            let asked = world.say("delete task 1").await;
            ctx.clock.advance(3_600);
            let cut = ctx.now();
            world.press(&asked, verdict).await.unwrap();
            let last = world.say("show my tasks").await;
            ctx.clock.advance(60);
            // The verdict is young, what it is about is not.
            erasure::by_operator(&ctx, &world.caller.user, Some(&cut)).await.unwrap();
            let mut erased = vec![];
            for turn in replay::all(&world.state).await.unwrap() {
                match replay::unless_erased(&world.state, turn, Decider::Recorded).await.unwrap() {
                    Ok(replay) => assert!(replay.same, "{:?}", replay.differences),
                    Err(why) => {
                        assert!(why.contains("erased"), "{why}");
                        erased.push(turn);
                    }
                }
            }
            assert_eq!(erased.len(), 2, "{verdict:?}: what asked and what carried it out");
            let replayed = replay::unless_erased(&world.state, last.turn_id, Decider::Rules).await.unwrap();
            assert!(replayed.unwrap_err().contains("before this turn was erased"));
        }
    }
}
