//! Tests of checkpoints, their signatures and their log.

use std::sync::Arc;

use super::*;
use crate::domain::audit::Unsigned;
use crate::usecases::audit;
use crate::usecases::checkpoints::{self, CheckpointSigner, EVERY_RECORDS, EVERY_S, When};
use crate::usecases::testing::{add, ctxs, person, titled};

/// Returns a context with a key and a log on each available database.
async fn sealed(folder: &std::path::Path) -> Vec<(&'static str, Ctx)> {
    let mut all = ctxs().await;
    for (db, ctx) in &mut all {
        let files = ["checkpoint.key", "checkpoints.log"].map(|file| folder.join(format!("{db}/{file}")));
        let [key, log] = files;
        ctx.seal = Some(Arc::new(CheckpointSigner::new(key, log)));
    }
    all
}

/// Returns the numbers in the log.
fn told(folder: &std::path::Path, db: &str) -> Vec<i64> {
    let log = std::fs::read_to_string(folder.join(format!("{db}/checkpoints.log"))).unwrap_or_default();
    let numbers = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["number"].as_i64());
    numbers.map(Option::unwrap).collect()
}

#[tokio::test]
async fn checkpoint_is_signed_after_a_minute_or_a_thousand_records() {
    let folder = tempfile::tempdir().unwrap();
    for (db, ctx) in sealed(folder.path()).await {
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), None, "{db}: there is no record");
        checkpoints::make_ready(&ctx).await.unwrap();
        let ana = person(&ctx, "ana").await;
        // An attacker who deleted all checkpoints could have changed earlier records.
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), None, "{db}: nobody vouches for the first");
        assert_eq!(checkpoints::make(&ctx, When::Now).await.unwrap(), None, "{db}: nobody vouches for the first");
        let said = checkpoints::make_ready(&ctx).await.unwrap().expect("a sentence");
        assert!(said.contains("docket audit checkpoint"), "{db}: {said}");
        assert_eq!(checkpoints::make(&ctx, When::Accepted).await.unwrap(), Some(1), "{db}");
        ctx.clock.advance(EVERY_S);
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), None, "{db}: nothing was added");
        add(&ctx, &ana, titled("milk")).await;
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), Some(2), "{db}");
        add(&ctx, &ana, titled("milk")).await;
        ctx.clock.advance(EVERY_S - 1);
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), None, "{db}: the minute is not over");
        ctx.clock.advance(1);
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), Some(3), "{db}");
        let mut tx = ctx.write().await.unwrap();
        for added in 1..=EVERY_RECORDS {
            store::records::append(&mut tx, ana.id(), store::records::Kind::SignIn, &ctx.now(), &added).await.unwrap();
        }
        ctx.commit(tx).await.unwrap();
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), Some(4), "{db}: at once, so many there are");
        add(&ctx, &ana, titled("milk")).await;
        ctx.clock.advance(-2 * EVERY_S);
        assert_eq!(
            checkpoints::make(&ctx, When::Due).await.unwrap(),
            Some(5),
            "{db}: a clock that goes back delays nothing"
        );
        checkpoints::keep_log(&ctx, 0).await.unwrap();
        assert_eq!(audit::verify_all(&ctx, None).await.unwrap().broken, [], "{db}");
    }
}

#[tokio::test]
async fn concurrent_signers_create_and_log_each_checkpoint_once() {
    let folder = tempfile::tempdir().unwrap();
    for (db, ctx) in sealed(folder.path()).await {
        checkpoints::make_ready(&ctx).await.unwrap();
        let ana = person(&ctx, "ana").await;
        for round in 1..=5 {
            add(&ctx, &ana, titled("milk")).await;
            let at_once = [0; 4].map(|_| async {
                let made = checkpoints::make(&ctx, When::Accepted).await.unwrap();
                checkpoints::keep_log(&ctx, 0).await.unwrap();
                made
            });
            let made = futures::future::join_all(at_once).await;
            assert_eq!(made.into_iter().flatten().collect::<Vec<_>>(), [round], "{db}");
        }
        assert_eq!(told(folder.path(), db), [1, 2, 3, 4, 5], "{db}");
    }
}

#[tokio::test]
async fn checkpoint_log_is_backfilled_and_its_loss_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    for (db, ctx) in sealed(folder.path()).await {
        checkpoints::make_ready(&ctx).await.unwrap();
        let ana = person(&ctx, "ana").await;
        for _ in 0..4 {
            add(&ctx, &ana, titled("milk")).await;
            checkpoints::make(&ctx, When::Accepted).await.unwrap();
        }
        // A missing log is reported without a finding; an empty one has lost its lines.
        let report = audit::verify_all(&ctx, None).await.unwrap();
        assert_eq!((report.broken.as_slice(), report.unsigned), (&[][..], Some(Unsigned::NoLog)), "{db}");
        let log = folder.path().join(format!("{db}/checkpoints.log"));
        std::fs::write(&log, "").unwrap();
        // The log may lack two checkpoints, not four.
        let broken = audit::verify_all(&ctx, None).await.unwrap().broken;
        assert!(broken[0].to_string().starts_with("checkpoint 1: it is missing from the log"), "{db}: {broken:?}");
        assert_eq!(checkpoints::keep_log(&ctx, 0).await.unwrap(), 4);
        assert_eq!(
            (told(folder.path(), db), checkpoints::keep_log(&ctx, 4).await.unwrap()),
            (vec![1, 2, 3, 4], 4),
            "{db}"
        );
        assert_eq!(audit::verify_all(&ctx, None).await.unwrap().broken, [], "{db}");
        // A line that differs from the table, and one that is no checkpoint.
        let lines = std::fs::read_to_string(&log).unwrap();
        // A machine whose server was off has an old log, if another machine signed meanwhile.
        std::fs::write(&log, &lines[..=lines.find('\n').unwrap()]).unwrap();
        let report = audit::verify_all(&ctx, None).await.unwrap();
        let found: Vec<String> = report.broken.iter().map(ToString::to_string).collect();
        if ctx.store.is_embedded() {
            assert_eq!(found, ["checkpoint 2: it is missing from the log, which ends with 1."]);
        } else {
            assert_eq!((found, report.unsigned), (vec![], Some(Unsigned::OldLog)));
        }
        std::fs::write(&log, lines.replacen("\"seq\":2", "\"seq\":1", 1)).unwrap();
        let broken = audit::verify_all(&ctx, None).await.unwrap().broken;
        assert_eq!(
            broken[0].to_string(),
            "checkpoint 1: the log and the database contain different versions of it.",
            "{db}"
        );
        std::fs::write(&log, format!("{lines}nothing\n")).unwrap();
        let broken = audit::verify_all(&ctx, None).await.unwrap().broken;
        assert_eq!(broken[0].to_string(), "checkpoints: the checkpoint log has an invalid line: nothing", "{db}");
    }
}

#[tokio::test]
async fn a_server_without_the_key_signs_nothing_that_others_sign() {
    let folder = tempfile::tempdir().unwrap();
    for (db, ctx) in sealed(folder.path()).await {
        checkpoints::make_ready(&ctx).await.unwrap();
        let ana = person(&ctx, "ana").await;
        checkpoints::make(&ctx, When::Accepted).await.unwrap();
        let elsewhere =
            CheckpointSigner::new(folder.path().join(format!("{db}/2/key")), folder.path().join(format!("{db}/2/log")));
        let other = Ctx { seal: Some(Arc::new(elsewhere)), ..ctx.clone() };
        let said = checkpoints::make_ready(&other).await.unwrap().unwrap();
        add(&ctx, &ana, titled("milk")).await;
        let made = checkpoints::make(&other, When::Now).await.unwrap();
        if ctx.store.is_embedded() {
            // A copy restored elsewhere: signatures of the old key are reported as unchecked, without a finding.
            assert!(said.contains("A new key signs checkpoints from now on") && made == Some(2), "{db}: {said}");
            let report = audit::verify_all(&other, None).await.unwrap();
            assert_eq!((report.broken.len(), report.checkpoint.unwrap().signed), (0, true), "{db}");
            let report = audit::verify_all(&ctx, None).await.unwrap();
            assert_eq!(
                report.broken[0].to_string(),
                "checkpoint 2: it is signed with a different key than the checkpoints before it."
            );
            // The first key came back, and an operator accepts the audit log as it is.
            checkpoints::make_now(&ctx).await.unwrap();
            let report = audit::verify_all(&ctx, None).await.unwrap();
            assert_eq!((report.broken.as_slice(), report.unsigned), (&[][..], None), "{db}");
        } else {
            assert!(said.contains("signs nothing until the key is there") && made.is_none(), "{db}: {said}");
            let report = audit::verify_all(&other, None).await.unwrap();
            assert_eq!((report.broken.len(), report.checkpoint.unwrap().signed), (0, false), "{db}");
            assert_eq!(report.unsigned, Some(Unsigned::NoKey), "{db}");
        }
    }
}

#[tokio::test]
async fn report_says_why_signatures_were_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    for (db, ctx) in sealed(folder.path()).await {
        let unsigned = async || audit::verify_all(&ctx, None).await.unwrap().unsigned;
        assert_eq!(unsigned().await, Some(Unsigned::NoKey), "{db}");
        checkpoints::make_ready(&ctx).await.unwrap();
        assert_eq!(unsigned().await, Some(Unsigned::NoCheckpoint), "{db}");
        // Before the first record, as at a server's first start.
        checkpoints::begin(&ctx).await.unwrap();
        let report = audit::verify_all(&ctx, None).await.unwrap();
        assert_eq!((report.records, report.broken.as_slice(), report.unsigned), (0, &[][..], None), "{db}");
        let ana = person(&ctx, "ana").await;
        assert_eq!(unsigned().await, None, "{db}: a minute may pass until it is signed");
        assert_eq!(checkpoints::make(&ctx, When::Due).await.unwrap(), Some(2), "{db}: the first record at once");
        checkpoints::keep_log(&ctx, 0).await.unwrap();
        let report = audit::verify(&ctx, &ana, None).await.unwrap();
        assert_eq!((report.broken.as_slice(), report.unsigned), (&[][..], None), "{db}");

        let [key, log] = ["checkpoint.key", "checkpoints.log"].map(|file| folder.path().join(format!("{db}/{file}")));
        let [kept, lost] = [&key, &log].map(|file| std::fs::read(file).unwrap());
        std::fs::remove_file(&log).unwrap();
        assert_eq!(unsigned().await, Some(Unsigned::NoLog), "{db}");
        std::fs::write(&log, lost).unwrap();
        std::fs::remove_file(&key).unwrap();
        assert_eq!(unsigned().await, Some(Unsigned::NoKey), "{db}");
        let other = CheckpointSigner::new(key.clone(), folder.path().join(format!("{db}/other.log")));
        let elsewhere = Ctx { seal: Some(Arc::new(other)), ..ctx.clone() };
        // A key that signed none of the checkpoints.
        let another = folder.path().join(format!("{db}/another/checkpoint.key"));
        let made = Ctx { seal: Some(Arc::new(CheckpointSigner::new(another.clone(), log.clone()))), ..ctx.clone() };
        if ctx.store.is_embedded() {
            checkpoints::make_ready(&made).await.unwrap();
            assert_eq!(audit::verify_all(&made, None).await.unwrap().unsigned, Some(Unsigned::OtherKey), "{db}");
        }
        std::fs::write(&key, kept).unwrap();
        assert_eq!(audit::verify_all(&elsewhere, None).await.unwrap().unsigned, Some(Unsigned::NoLog), "{db}");
        assert_eq!(unsigned().await, None, "{db}");
    }
}

#[tokio::test]
async fn command_that_begins_a_sqlite_database_signs_it() {
    let folder = tempfile::tempdir().unwrap();
    for (db, ctx) in sealed(folder.path()).await {
        person(&ctx, "ana").await;
        checkpoints::begin_new(&ctx).await.unwrap();
        let expected = if ctx.store.is_embedded() { None } else { Some(Unsigned::NoKey) };
        assert_eq!(audit::verify_all(&ctx, None).await.unwrap().unsigned, expected, "{db}");
        assert_eq!(told(folder.path(), db).len(), usize::from(expected.is_none()), "{db}");
        person(&ctx, "ben").await;
        checkpoints::begin_new(&ctx).await.unwrap();
        assert_eq!(told(folder.path(), db).len(), usize::from(expected.is_none()), "{db}");
    }
}
