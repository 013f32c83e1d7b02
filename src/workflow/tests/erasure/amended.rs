//! Tests of amendments: records erased by version 0.1 verify again, and nothing else is covered.

use std::path::Path;
use std::process::Command;

use sha2::{Digest as _, Sha256};

use super::superseded::{ADA, found, spoilt, verdicts, voided};
use super::*;
use crate::store::audited_columns::Table;
use crate::store::erasures::{Mark, needed, page, take};
use crate::store::records::{self, Kind};
use crate::usecases::audit::{Outside, bundle, verify_bundle};
use crate::usecases::checkpoints::{self, When};
use crate::usecases::{CheckpointSigner, backup};

/// Gives the process a key and a log.
fn seal(world: &mut World, folder: &Path) {
    let db = if world.state.ctx.store.is_embedded() { "sqlite" } else { "postgres" };
    let [key, log] = ["checkpoint.key", "checkpoints.log"].map(|name| folder.join(db).join(name));
    world.state.ctx.seal = Some(Arc::new(CheckpointSigner::new(key, log)));
}

async fn sign(ctx: &Ctx) {
    checkpoints::make_ready(ctx).await.unwrap();
    checkpoints::make(ctx, When::Now).await.unwrap();
    checkpoints::keep_log(ctx, 0).await.unwrap();
}

/// Erases the given records as version 0.1 did, without stating superseded verdicts.
pub(super) async fn erase_as_first_release(world: &World, goes: impl Fn(i64) -> bool) {
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
    let tasks = store::tasks::of_numbers(&mut tx, user, &[1, 2, 3].map(TaskNumber)).await.unwrap();
    let tasks: Vec<_> = tasks.into_iter().map(|stored| stored.task).collect();
    records::append(&mut tx, user, Kind::Standing, &at, &json!({ "tasks": tasks, "at": at })).await.unwrap();
    ctx.commit(tx).await.unwrap();
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

        // The bundle passes both verifiers.
        let file = folder.path().join("bundle.jsonl");
        let mut written = vec![];
        bundle::write_all(&ctx, None, &mut written).await.unwrap();
        let bundled = verify_bundle(written.as_slice(), None).unwrap().report;
        assert_eq!((bundled.broken.as_slice(), bundled.amended, bundled.unsigned), (&[][..], 1, None));
        std::fs::write(&file, written).unwrap();
        let said = Command::new("python3")
            .current_dir(crate::domain::testing::REPOSITORY)
            .arg("end2end/record/verify.py")
            .arg(&file)
            .output()
            .expect("python3 runs");
        let printed = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.status.success() && printed.starts_with(&report.sentence()), "{printed}");

        if let Some(database) = world.url.strip_prefix("sqlite://") {
            let copy = folder.path().join("copy.db");
            let (place, seal) = (folder.path().join("restored.db"), ctx.seal.as_ref().unwrap());
            backup::make(Path::new(database), &copy, false, seal, &ctx.clock).await.unwrap();
            assert_eq!(backup::restore(&copy, &place, seal, &ctx.clock, false).await.unwrap().unsigned, None);
        }
        // Later tampering is found, and new turns work.
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
            let refused = audit::amend_within(&ctx, &mut tx, &Outside::default(), None).await;
            assert!(
                matches!(&refused, Err(Error::Conflict(why)) if why.starts_with("Nothing was amended: ")),
                "{statement}: {refused:?}"
            );
        }
        assert_eq!(verified(&world).await.0.len(), 1, "nothing of that was kept");
        end_amended(&world).await;
    }
}

/// Amends a test's final state, so that it verifies.
async fn end_amended(world: &World) {
    let ctx = &world.state.ctx;
    let mut tx = ctx.write().await.unwrap();
    audit::amend_within(ctx, &mut tx, &Outside::default(), None).await.unwrap();
    ctx.commit(tx).await.unwrap();
}

#[tokio::test]
async fn forged_amendment_hides_nothing() {
    for mut world in worlds().await {
        voided(&mut world).await;
        let [seq, by] = verdicts(&world).await;
        erase_as_first_release(&world, |_| true).await;
        let (ctx, user) = (world.state.ctx.clone(), world.caller.id());
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
        // Each forged statement would hide the reset row.
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
        end_amended(&world).await;
    }
}
