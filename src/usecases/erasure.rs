//! Erasure of texts from messages, steps, calls, decisions, verdicts' reasons, changes, events and memories. The chain keeps a
//! digest of each and a record of the erasure. Tasks are unchanged.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::accounts::{self, Manager, Proof, Protected};
use super::superseded::{self, Superseded};
use super::{Commit, Ctx, Error};
use crate::domain::Invalid;
use crate::domain::erasure::Erased;
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::live::EventKind;
use crate::domain::time::Timestamp;
use crate::domain::user::{Admin, Caller, User};
use crate::store::audited_columns::Table;
use crate::store::erasures::{self, Beside, Mark};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};

/// Records examined, and events emptied, in one transaction.
const AT_ONCE: i64 = 1_000;
/// Tasks per record of kind `standing`.
const TASKS: usize = 100;
const DAY_S: i64 = 86_400;

/// An erasure request and its author.
struct ErasureRequest {
    user: UserId,
    /// Author in the record: a user name, `owner`, `command line` or `retention`.
    by: String,
    /// Inclusive.
    until: Timestamp,
    /// True to stop at the first newer record: records are in order of time unless a clock was set back.
    to_the_first_younger: bool,
}

/// Progress of an erasure.
struct Progress {
    /// Number of the last examined record.
    after: i64,
    /// Number of the last record at the start.
    end: i64,
    /// Number of the record up to which nothing is left to erase.
    through: i64,
    /// True if an earlier text was left for a later erasure.
    left: bool,
    /// Number of the last examined event.
    event: i64,
    /// Emptied events that no record states yet.
    events: u64,
}

/// Erases all of the caller's texts, or those older than `before`. Requires the password even if it was entered recently.
pub async fn own(ctx: &Ctx, caller: &Caller, before: Option<&Timestamp>, proof: &Proof<'_>) -> Result<Erased, Error> {
    let until = until(ctx, before)?;
    accounts::require_password(ctx, caller, Protected::EraseOwn, proof).await?;
    erase(ctx, &caller.user, "owner".to_owned(), until).await
}

/// Erases another user's texts for an admin, who repeats the name in `sure`. Admins use [`own`] for their own texts.
pub async fn anothers(
    ctx: &Ctx,
    admin: &Admin,
    name: &str,
    sure: &str,
    before: Option<&Timestamp>,
) -> Result<Erased, Error> {
    let until = until(ctx, before)?;
    let user = accounts::named(&mut ctx.peek().await?, name).await?;
    if user.user_id == admin.caller().id() {
        return Err(Error::Conflict("To erase your own data, use your settings. They ask for your password.".into()));
    }
    if sure.trim().to_lowercase() != user.name.as_str() {
        return Err(Invalid::because(format!("Nothing was erased. Type {} to confirm.", user.name)).into());
    }
    erase(ctx, &user, Manager::Admin(admin).name(), until).await
}

/// Erases a user's texts for the command line.
pub async fn by_operator(ctx: &Ctx, user: &User, before: Option<&Timestamp>) -> Result<Erased, Error> {
    erase(ctx, user, Manager::CommandLine.name(), until(ctx, before)?).await
}

async fn erase(ctx: &Ctx, user: &User, by: String, until: Timestamp) -> Result<Erased, Error> {
    let order = ErasureRequest { user: user.user_id, by, until, to_the_first_younger: false };
    let (user, until) = (user.name.to_string(), order.until.clone());
    Ok(Erased { user, until, texts: run(ctx, order, 0, 0).await? })
}

/// Returns the time until which to erase: now, or just before `before`.
fn until(ctx: &Ctx, before: Option<&Timestamp>) -> Result<Timestamp, Invalid> {
    match before {
        None => Ok(ctx.now()),
        Some(before) if *before > ctx.now() => {
            Err(Invalid::because("That time is in the future. Choose a time in the past."))
        }
        Some(before) => Ok(before.plus_ms(-1)),
    }
}

/// Returns the users with texts older than that many days, for a worker.
pub async fn overdue(ctx: &Ctx, days: i64) -> Result<Vec<UserId>, Error> {
    let until = ctx.now().plus_seconds(-days * DAY_S);
    let mut overdue = vec![];
    for account in store::users::list(&mut ctx.read().await?).await? {
        let user = account.user.user_id;
        if is_overdue(&mut ctx.read().await?, user, &until).await? {
            overdue.push(user);
        }
    }
    Ok(overdue)
}

/// True if the user has a text from `until` or earlier that can be erased.
async fn is_overdue(tx: &mut Tx, user: UserId, until: &Timestamp) -> Result<bool, Error> {
    let (mut after, _) = begun(tx, user).await?;
    // Fast path: most often the first record is too new.
    if erasures::page(tx, user, after, 1).await?.first().is_none_or(|first| first.at > *until) {
        return Ok(false);
    }
    let needed = erasures::needed(tx, user).await?;
    loop {
        let found = erasures::page(tx, user, after, AT_ONCE).await?;
        let Some(last) = found.last() else { return Ok(false) };
        after = last.seq;
        for looked in &found {
            if looked.at > *until {
                return Ok(false);
            }
            if !needed.contains(&looked.seq) && looked.text()?.is_some() {
                return Ok(true);
            }
        }
    }
}

/// Erases the user's texts that are older than that many days; returns their number.
pub async fn retire(ctx: &Ctx, user: UserId, days: i64) -> Result<u64, Error> {
    let until = ctx.now().plus_seconds(-days * DAY_S);
    let order = ErasureRequest { user, by: "retention".to_owned(), until, to_the_first_younger: true };
    let (through, event) = begun(&mut ctx.read().await?, user).await?;
    run(ctx, order, through, event).await
}

/// Returns the record and the event up to which the last erasure left nothing.
async fn begun(tx: &mut Tx, user: UserId) -> Result<(i64, i64), Error> {
    let body = erasures::latest(tx, user).await?.unwrap_or_default();
    let number = |name: &str| body[name].as_i64().unwrap_or_default();
    Ok((number("through"), number("events_through")))
}

/// Vacuums the database if erased texts may remain in its files; returns true if it did.
pub async fn clean(ctx: &Ctx) -> Result<bool, Error> {
    let Some(then) = erasures::traces(&mut ctx.peek().await?).await? else { return Ok(false) };
    ctx.store.vacuum().await?;
    let mut tx = ctx.write().await?;
    erasures::no_traces(&mut tx, &then).await?;
    ctx.commit_at(tx, Commit::Job).await?;
    Ok(true)
}

async fn run(ctx: &Ctx, order: ErasureRequest, after: i64, event: i64) -> Result<u64, Error> {
    let (worker, account) = (ctx.clone(), order.user);
    ctx.bulk.run(account, move || async move { in_parts(&worker, &order, after, event).await }).await
}

/// Erases in batches, so that other writers wait briefly. Each transaction leaves a consistent state, and an erasure resumes after a crash.
/// Events are emptied first: none may outlive its record's text.
async fn in_parts(ctx: &Ctx, order: &ErasureRequest, after: i64, event: i64) -> Result<u64, Error> {
    let end = erasures::last(&mut ctx.peek().await?, order.user).await?;
    let mut progress = Progress { after, end, through: after, left: false, event, events: 0 };
    loop {
        let mut tx = begin(ctx, order).await?;
        let found = erasures::empty_events(&mut tx, order.user, &order.until, progress.event, AT_ONCE).await?;
        let (Some(last), emptied) = found else { break };
        ctx.commit_at(tx, Commit::Erase).await?;
        (progress.event, progress.events) = (last, progress.events + emptied);
    }
    let mut texts = 0;
    while progress.after < progress.end {
        let mut tx = begin(ctx, order).await?;
        let taken = part(ctx, &mut tx, order, &mut progress).await?;
        if taken > 0 {
            ctx.commit_at(tx, Commit::Erase).await?;
        }
        texts += taken;
    }
    Ok(texts)
}

async fn begin(ctx: &Ctx, order: &ErasureRequest) -> Result<Tx, Error> {
    let mut tx = ctx.write_many().await?;
    store::tasks::lock(&mut tx, order.user).await?;
    Ok(tx)
}

/// Erases the due texts of the next batch of records; returns their number.
async fn part(ctx: &Ctx, tx: &mut Tx, order: &ErasureRequest, progress: &mut Progress) -> Result<u64, Error> {
    let needed = erasures::needed(tx, order.user).await?;
    let found = erasures::page(tx, order.user, progress.after, AT_ONCE).await?;
    progress.after = found.last().map_or(progress.end, |last| last.seq);
    let mut going = Batch::default();
    for looked in found.iter().take_while(|looked| looked.seq <= progress.end) {
        let younger = looked.at > order.until;
        if younger && order.to_the_first_younger {
            progress.after = progress.end;
            break;
        }
        let text = looked.text()?;
        if let (Some((kind, body)), false, false) = (&text, younger, needed.contains(&looked.seq)) {
            going.take(looked.seq, *kind, body);
        }
        progress.left |= text.is_some() && (younger || needed.contains(&looked.seq));
        if !progress.left {
            progress.through = looked.seq;
        }
    }
    if going.marks.is_empty() {
        return Ok(0);
    }
    let at = ctx.now();
    let superseded = superseded::by_erasing(tx, order.user, &going.verdicts).await?;
    let body = going.told(order, progress, superseded, &at);
    let record = records::append(tx, order.user, Kind::Erasure, &at, &body).await?;
    progress.events = 0;
    erasures::take(tx, order.user, &going.marks, record).await?;
    let Beside { memories, titles } = erasures::take_beside(tx, order.user, record).await?;
    keep_standing(tx, order.user, &going.tasks, &at).await?;
    erasures::leave_traces(tx, &at).await?;
    // Makes open tabs reload, because they show erased texts.
    store::events::append(tx, order.user, EventKind::StreamReset, &Value::Null, &at).await?;
    let texts = u64::try_from(going.marks.len()).expect("a page is short");
    tracing::info!(user = %order.user, texts, memories, titles, "texts were erased");
    Ok(texts)
}

/// A batch of texts to erase.
#[derive(Default)]
struct Batch {
    marks: Vec<Mark>,
    /// Tasks as the newest erased changes left them, with the zones of their due times.
    tasks: BTreeMap<i64, (Value, Value)>,
    /// Verdicts with their record numbers.
    verdicts: Vec<(i64, Value)>,
}

impl Batch {
    fn take(&mut self, seq: i64, kind: Kind, body: &Value) {
        self.marks.push(Mark { seq, said: Table::of(kind).map(|table| table.said(body)) });
        match kind {
            Kind::Change => self.task(&body["after"], &body["zone_after"]),
            Kind::Standing => body["tasks"]
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|task| self.task(task, &body["zones"][task["task_id"].to_string()])),
            Kind::ApprovalVerdict => self.verdicts.push((seq, body.clone())),
            _ => {}
        }
    }

    fn task(&mut self, task: &Value, zone: &Value) {
        let Some(number) = task["task_id"].as_i64() else { return };
        let known = self.tasks.get(&number).map_or(0, |(known, _)| version(known));
        if version(task) > known {
            self.tasks.insert(number, (task.clone(), zone.clone()));
        }
    }

    /// Returns the body of the erasure's record. `records` lists number ranges, `rows` is a digest that covers the marks.
    fn told(&self, order: &ErasureRequest, progress: &Progress, superseded: Vec<Superseded>, at: &Timestamp) -> Value {
        let mut ranges: Vec<(i64, i64)> = vec![];
        for mark in &self.marks {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == mark.seq => *last = mark.seq,
                _ => ranges.push((mark.seq, mark.seq)),
            }
        }
        let rows = self.marks.iter().fold(Rows::default(), |rows, mark| rows.with(mark.seq, mark.said.as_ref()));
        let mut body = json!({
            "event": "erased", "by": order.by, "until": order.until, "texts": self.marks.len(), "records": ranges,
            "rows": rows.in_hexadecimal(), "events": progress.events, "through": progress.through,
            "events_through": progress.event, "at": at,
        });
        if !superseded.is_empty() {
            body["superseded"] = json!(superseded);
        }
        body
    }
}

/// Digest of the rows whose texts an erasure took: SHA-256 over record numbers and column digests.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows(Sha256);

impl Rows {
    /// Adds a record, in the order of the records.
    pub fn with(self, seq: i64, said: Option<impl AsRef<[u8]>>) -> Self {
        let sum = self.0.chain_update(seq.to_be_bytes());
        Self(match said {
            Some(said) => sum.chain_update([1]).chain_update(said),
            None => sum.chain_update([0]),
        })
    }

    pub fn in_hexadecimal(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn version(task: &Value) -> i64 {
    task["version"].as_i64().unwrap_or_default()
}

/// Records the tasks that are still as an erased change left them, so that verification can compare them.
async fn keep_standing(
    tx: &mut Tx,
    user: UserId,
    left: &BTreeMap<i64, (Value, Value)>,
    at: &Timestamp,
) -> Result<(), Error> {
    let numbers: Vec<TaskNumber> = left.keys().copied().map(TaskNumber).collect();
    let now = store::tasks::of_numbers(tx, user, &numbers).await?;
    let current: HashSet<(i64, i64)> = now.iter().map(|it| (it.task.task_id.0, it.task.version)).collect();
    let standing: Vec<_> =
        left.iter().filter(|(number, (task, _))| current.contains(&(**number, version(task)))).collect();
    for part in standing.chunks(TASKS) {
        let tasks: Vec<&Value> = part.iter().map(|(_, (task, _))| task).collect();
        let zones = part.iter().filter(|(_, (_, zone))| !zone.is_null());
        let zones: Map<String, Value> = zones.map(|(number, (_, zone))| (number.to_string(), zone.clone())).collect();
        let mut body = json!({ "tasks": tasks, "at": at });
        if !zones.is_empty() {
            body["zones"] = zones.into();
        }
        records::append(tx, user, Kind::Standing, at, &body).await?;
    }
    Ok(())
}
