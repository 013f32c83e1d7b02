//! Tests of tampering with the audit log by every means of the database: each change is found, and the first broken record named.
//! The attacker can write the whole database, and has neither the key nor the log.

use std::sync::Arc;

use uuid::Uuid;

use super::{World, worlds};
use crate::domain::approval::Verdict;
use crate::domain::audit::Broken;
use crate::domain::id::UserId;
use crate::store::Tx;
use crate::store::{audited_columns, chains, records, testing};
use crate::usecases::audit::{self, Outside};
use crate::usecases::checkpoints::{self, When};
use crate::usecases::testing::{add, person, titled};
use crate::usecases::{CheckpointSigner, Ctx};
use places::{Place, Way};

mod bundles;
mod columns;
mod hidden;
mod places;
mod turns;
mod versions;

/// Number of records of each chain.
const RECORDS: i64 = 100;
/// Number of records of each chain at the first checkpoint: those of its turns, and some more.
const FIRST: i64 = 30;
/// Number of records of each chain between checkpoints.
const EVERY: i64 = 10;

/// Returns the number of the last checkpoint before the record after this one.
fn checkpoint_at(seq: i64) -> i64 {
    // The first one signs the state before the key.
    (seq - FIRST) / EVERY + 2
}

/// Number of positions at which each chain is changed in each way, unless `DOCKET_TAMPER_PLACES` is set; all positions take many minutes.
/// Together the twenty chains cover all positions.
const PLACES: i64 = 5;
/// Number of ways to change a chain by statements.
const WAYS: usize = 18;

/// Returns the first record from this one on that is the last of a checkpoint.
fn signed(seq: i64) -> i64 {
    FIRST.max((seq + EVERY - 1) / EVERY * EVERY)
}

/// Chains of real turns and changes, with checkpoints.
struct Record {
    world: World,
    /// Owners of the chains, with names.
    people: Vec<(UserId, String)>,
    /// Folder of the key and the log.
    _folder: tempfile::TempDir,
}

impl Record {
    /// Creates that many chains of [`RECORDS`] records.
    async fn of(mut world: World, chains: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let seal = CheckpointSigner::new(folder.path().join("checkpoint.key"), folder.path().join("checkpoints.log"));
        world.state.ctx.seal = Some(Arc::new(seal));
        let ctx = world.state.ctx.clone();
        let said = checkpoints::make_ready(&ctx).await.unwrap().expect("a sentence");
        assert!(said.contains("A new key signs the"), "{said}");
        let mut people = vec![];
        for at in 0..chains {
            let name = format!("person{at}");
            let caller = person(&ctx, &name).await;
            (world.caller, world.conversation) = (caller.clone(), None);
            world.say("add milk").await;
            let asked = world.say("delete task 1").await;
            world.press(&asked, Verdict::Approve).await.unwrap();
            people.push((caller, name));
        }
        // The checkpoint of the records before this key.
        let mut signed = 1;
        for until in (FIRST..=RECORDS).step_by(usize::try_from(EVERY).unwrap()) {
            for (caller, _) in &people {
                while count(&ctx, caller.id()).await < until {
                    add(&ctx, caller, titled("tea")).await;
                }
            }
            let made = checkpoints::make(&ctx, When::Now).await.unwrap();
            signed += 1;
            assert_eq!(made, Some(signed));
            checkpoints::keep_log(&ctx, 0).await.unwrap();
            // An unchanged log has no findings.
            let report = audit::verify_all(&ctx, None).await.unwrap();
            assert_eq!(report.broken, []);
            let seen = report.checkpoint.unwrap();
            assert_eq!((seen.number, seen.records, seen.signed), (signed, report.records.cast_signed(), true));
        }
        let people = people.into_iter().map(|(caller, name)| (caller.id(), name)).collect();
        Self { world, people, _folder: folder }
    }

    fn is_sqlite(&self) -> bool {
        self.world.state.ctx.store.is_embedded()
    }

    /// Returns a user's id as SQL.
    fn id(&self, user: UserId) -> String {
        if self.is_sqlite() { format!("x'{}'", user.0.simple()) } else { format!("'{user}'::uuid") }
    }

    /// Returns bytes as SQL.
    fn bytes(&self, bytes: &[u8]) -> String {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        if self.is_sqlite() { format!("x'{hex}'") } else { format!("'\\x{hex}'::bytea") }
    }

    async fn spoil(&self) -> Tx {
        testing::spoil(&self.world.state.ctx.store, "SELECT 1").await
    }

    /// Checks that the transaction's change to this user's chain is found at this record, and nothing else.
    async fn finds(&self, mut tx: Tx, person: usize, seq: i64, what: &str) -> Vec<Broken> {
        let ctx = &self.world.state.ctx;
        let (user, name) = &self.people[person];
        // With the first user, verifies everyone's: no other chain may be reported, unless a row was moved into it.
        let owner = (person > 0 || what.ends_with("user_id")).then_some(*user);
        let outside = Outside::of(ctx).unwrap();
        let report = audit::verify_within(ctx, &mut tx, &outside, owner).await.unwrap();
        let chains: Vec<_> = report.broken.iter().filter(|broken| broken.kind != Broken::CHECKPOINT).collect();
        let named: Vec<_> = chains.iter().map(|broken| (broken.user.as_str(), broken.seq)).collect();
        assert_eq!(named, [(name.as_str(), seq)], "{what}: {:#?}", report.broken);
        report.broken
    }

    /// Checks that the transaction's changes to many chains are found, each at its record, and nothing else.
    async fn finds_all(&self, mut tx: Tx, spoilt: &[(usize, i64)], what: &str) {
        let ctx = &self.world.state.ctx;
        let report = audit::verify_within(ctx, &mut tx, &Outside::of(ctx).unwrap(), None).await.unwrap();
        // A row moved to a missing user breaks a chain that does not exist.
        let nobody = Uuid::max().to_string();
        let chains = report.broken.iter().filter(|one| one.kind != Broken::CHECKPOINT && one.user != nobody);
        let mut named: Vec<_> = chains.map(|one| (one.user.as_str(), one.seq)).collect();
        let mut expected: Vec<_> = spoilt.iter().map(|(person, seq)| (self.people[*person].1.as_str(), *seq)).collect();
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected, "{what}: {:#?}", report.broken);
    }

    /// Applies every way to change a chain by statements, to all chains at once at each chain's position. Returns the number of changed
    /// chains.
    async fn spoil_chains(&self, place: impl Fn(usize) -> i64) -> usize {
        let mut cases = 0;
        for way in 0..WAYS {
            let (mut tx, mut spoilt, mut name) = (self.spoil().await, vec![], String::new());
            for person in 0..self.people.len() {
                let ids = [person, (person + 1) % self.people.len()].map(|person| self.id(self.people[person].0));
                let place = Place { ids, at: place(person) };
                let ways = [self.edits(&place), place.removals(), place.moves()].concat();
                assert_eq!(ways.len(), WAYS);
                let (what, statements, seq) = &ways[way];
                if !place.allows(what) {
                    continue;
                }
                for statement in statements {
                    testing::run(&mut tx, statement).await;
                }
                spoilt.push((person, *seq));
                name.clone_from(what);
            }
            self.finds_all(tx, &spoilt, &name).await;
            cases += spoilt.len();
        }
        cases
    }

    /// Rewrites every chain from its position on, and truncates it there with its rows. Returns the number of changed chains.
    async fn spoil_chains_well(&self, place: impl Fn(usize) -> i64) -> usize {
        let (mut tx, mut spoilt) = (self.spoil().await, vec![]);
        for person in 0..self.people.len() {
            self.write_anew(&mut tx, person, place(person)).await;
            spoilt.push((person, signed(place(person))));
        }
        self.finds_all(tx, &spoilt, "write anew").await;
        let (mut tx, mut cut) = (self.spoil().await, vec![]);
        // A running turn has more rows than its records require so far.
        for person in (0..self.people.len()).filter(|person| (FIRST..RECORDS).contains(&place(*person))) {
            self.cut(&mut tx, person, place(person)).await;
            cut.push((person, place(person) + 1));
        }
        self.finds_all(tx, &cut, "cut with its rows").await;
        spoilt.len() + cut.len()
    }

    /// Returns changes of every column of the record and its text.
    fn edits(&self, place: &Place) -> Vec<Way> {
        let (bytes, nobody) = (self.bytes(&[7; 32]), self.id(UserId(Uuid::max())));
        let columns: [(&str, &str, &str); 11] = [
            ("records", "kind", "CASE WHEN kind = 'step' THEN 'message' ELSE 'step' END"),
            ("records", "at", "'2020-02-02T02:02:02.002Z'"),
            ("records", "digest", &bytes),
            ("records", "previous", &bytes),
            ("records", "hash", &bytes),
            ("records", "seq", "seq + 1000"),
            ("records", "user_id", &nobody),
            ("bodies", "salt", &bytes),
            ("bodies", "body", "body || ' '"),
            ("bodies", "seq", "seq + 1000"),
            ("bodies", "user_id", &nobody),
        ];
        let one = place.one(place.at);
        let edit = |(table, column, value)| {
            let statement = format!("UPDATE {table} SET {column} = {value} WHERE {one}");
            (format!("edit {table}.{column}"), vec![statement], place.at)
        };
        columns.map(edit).to_vec()
    }

    /// Truncates the chain after the record and leaves it consistent, with rows and counters.
    async fn cut(&self, tx: &mut Tx, person: usize, at: i64) {
        let own = self.id(self.people[person].0);
        for table in audited_columns::TABLES {
            testing::run(tx, &format!("DELETE FROM {} WHERE user_id = {own} AND {} > {at}", table.name, table.seq))
                .await;
        }
        let changed = format!("SELECT task_number FROM changes WHERE user_id = {own}");
        testing::run(tx, &format!("DELETE FROM tasks WHERE user_id = {own} AND number NOT IN ({changed})")).await;
        for table in ["bodies", "records"] {
            testing::run(tx, &format!("DELETE FROM {table} WHERE user_id = {own} AND seq > {at}")).await;
        }
        let hash = format!("SELECT hash FROM records WHERE user_id = {own} AND seq = {at}");
        testing::run(tx, &format!("UPDATE heads SET record_seq = {at}, record_hash = ({hash}) WHERE user_id = {own}"))
            .await;
    }

    /// Rewrites the chain from the record on, with other salts and matching hashes, up to the head.
    async fn write_anew(&self, tx: &mut Tx, person: usize, at: i64) {
        let user = self.people[person].0;
        let own = self.id(user);
        let links = chains::links(tx, user, at - 1, RECORDS).await.unwrap();
        let mut previous = links[0].previous.clone();
        for link in &links {
            let (_, body) = link.body.as_ref().unwrap();
            let digest = records::digest(&[1; 16], body);
            let hash = records::link(user.0.as_bytes(), link.seq, &previous, &link.kind, &link.at, &digest);
            let one = format!("WHERE user_id = {own} AND seq = {}", link.seq);
            let [digest, before, after] = [&digest[..], &previous, &hash].map(|bytes| self.bytes(bytes));
            let set = format!("UPDATE records SET digest = {digest}, previous = {before}, hash = {after} {one}");
            testing::run(tx, &set).await;
            testing::run(tx, &format!("UPDATE bodies SET salt = {} {one}", self.bytes(&[1; 16]))).await;
            previous = hash.to_vec();
        }
        let head = self.bytes(&previous);
        testing::run(tx, &format!("UPDATE heads SET record_hash = {head} WHERE user_id = {own}")).await;
    }

    /// Applies changes that leave a consistent chain: only signatures detect them.
    async fn spoil_well(&self, person: usize, at: i64) {
        let signed = signed(at);
        // Without the later checkpoints, the table has an earlier state.
        let forget = [
            format!("DELETE FROM checkpoint_heads WHERE number > {}", checkpoint_at(at)),
            format!("DELETE FROM checkpoints WHERE number > {}", checkpoint_at(at)),
        ];
        for forgets in [false, true] {
            for anew in [false, true] {
                let mut tx = self.spoil().await;
                let seq = if anew {
                    self.write_anew(&mut tx, person, at).await;
                    signed
                } else {
                    self.cut(&mut tx, person, at).await;
                    at + 1
                };
                for statement in forget.iter().filter(|_| forgets) {
                    testing::run(&mut tx, statement).await;
                }
                let what = format!("anew: {anew}, forgets: {forgets}");
                let broken = self.finds(tx, person, seq, &what).await;
                let checkpoints = broken.iter().filter(|broken| broken.kind == Broken::CHECKPOINT);
                let numbers: Vec<i64> = checkpoints.map(|broken| broken.seq).collect();
                assert_eq!(numbers, if forgets { vec![checkpoint_at(at) + 1] } else { vec![] }, "{what}");
            }
        }
        let mut tx = self.spoil().await;
        self.cut(&mut tx, person, at).await;
        let broken = self.finds(tx, person, at + 1, "cut").await;
        let (number, until) = (checkpoint_at(at) + 1, (at / EVERY + 1) * EVERY);
        let sentence = format!("the record is missing: checkpoint {number} signed the chain up to record {until}.");
        assert_eq!(broken[0].problem, sentence);
    }
}

async fn count(ctx: &Ctx, user: UserId) -> i64 {
    chains::head(&mut ctx.peek().await.unwrap(), user).await.unwrap().map_or(0, |head| head.seq)
}

/// Returns a position in each chain, after the records of its turns and before its last twenty.
fn place(person: usize) -> i64 {
    33 + i64::try_from(person).unwrap() * 7 % 45
}

#[tokio::test]
async fn verification_finds_the_first_broken_record_of_any_tampered_chain() {
    for world in worlds().await {
        let embedded = world.state.ctx.store.is_embedded();
        let record = Record::of(world, if embedded { 20 } else { 2 }).await;
        for person in 0..record.people.len() {
            record.spoil_well(person, place(person)).await;
        }
        let begun = std::time::Instant::now();
        let mut cases = 0;
        let places = testing::rounds("DOCKET_TAMPER_PLACES", PLACES);
        for round in 0..if embedded { places } else { 2 } {
            let place = |person: usize| (i64::try_from(person).unwrap() * PLACES + round * 21) % RECORDS + 1;
            cases += record.spoil_chains(place).await;
            cases += record.spoil_chains_well(place).await;
        }
        println!("{cases} chains spoilt and found in {:.1} s", begun.elapsed().as_secs_f64());
    }
}

#[tokio::test]
async fn every_column_that_a_record_vouches_for_is_compared() {
    let world = worlds().await.swap_remove(0);
    let record = Record::of(world, 1).await;
    let own = record.id(record.people[0].0);
    for table in audited_columns::TABLES.iter().filter(|table| table.name != "readings") {
        // An approval and its verdict share a row and its id, which belongs to the approval's record.
        let own_columns = table.columns.iter().filter(|column| column.name != "id" || table.seq != "decided_seq");
        for column in own_columns {
            let mut tx = record.spoil().await;
            testing::run(&mut tx, "PRAGMA ignore_check_constraints = ON").await;
            let first = format!("SELECT MIN({}) FROM {} WHERE user_id = {own}", table.seq, table.name);
            let seq = testing::number(&mut tx, &first).await;
            let query = format!(
                "SELECT CASE type WHEN 'INTEGER' THEN 1 WHEN 'BLOB' THEN 2 ELSE 3 END FROM pragma_table_info('{}') WHERE name = '{}'",
                table.name, column.name
            );
            let value = match testing::number(&mut tx, &query).await {
                1 => format!("COALESCE({}, 0) + 1000", column.name),
                2 => "x'00000000000000000000000000000007'".to_owned(),
                _ => format!("COALESCE({}, '') || 'x'", column.name),
            };
            let one = format!("user_id = {own} AND {} = {seq}", table.seq);
            let edit = format!("UPDATE {} SET {} = {value} WHERE {one}", table.name, column.name);
            assert_eq!(testing::run(&mut tx, &edit).await, 1, "{edit}");
            record.finds(tx, 0, seq, &edit).await;
        }
    }
}

#[tokio::test]
async fn what_is_done_to_checkpoints_is_found() {
    for world in worlds().await {
        let record = Record::of(world, 2).await;
        let own = record.id(record.people[0].0);
        let bytes = record.bytes(&[7; 32]);
        let edit_head = format!("UPDATE checkpoint_heads SET hash = {bytes} WHERE number = 4 AND user_id = {own}");
        let delete_head = format!("DELETE FROM checkpoint_heads WHERE number = 4 AND user_id = {own}");
        let again = "INSERT INTO checkpoints SELECT 10, note FROM checkpoints WHERE number = 9";
        let replace = |from: &str, to: &str| {
            format!("UPDATE checkpoints SET note = REPLACE(note, '{from}', '{to}') WHERE number = 4")
        };
        let (renamed, moved) = (replace("records", "record"), replace("T09:30", "T09:31"));
        let foreign = replace("docket/", "docket/f");
        let ways: [(&str, i64, &str); 8] = [
            (&renamed, 4, "its note is not a valid checkpoint"),
            (&moved, 4, "its signature does not match"),
            (&foreign, 4, "different versions of it"),
            (&edit_head, 4, "do not match the ones that it signed"),
            (&delete_head, 4, "do not match the ones that it signed"),
            ("DELETE FROM checkpoints WHERE number = 4", 4, "the checkpoint is missing"),
            ("DELETE FROM checkpoints WHERE number > 6", 7, "it is in the log, but not in the database"),
            (again, 10, "its note is not a valid checkpoint"),
        ];
        for (statement, number, problem) in ways {
            let mut tx = record.spoil().await;
            assert!(testing::run(&mut tx, statement).await > 0, "{statement}");
            let ctx = &record.world.state.ctx;
            let outside = Outside::of(ctx).unwrap();
            let report = audit::verify_within(ctx, &mut tx, &outside, None).await.unwrap();
            let found = report.broken.iter().find(|broken| broken.kind == Broken::CHECKPOINT).unwrap();
            assert!(found.seq == number && found.problem.contains(problem), "{statement}: {found}");
        }
    }
}
