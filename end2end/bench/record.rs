//! What the record costs: how long a turn writes its records, how long a checkpoint of many users takes, and how many records a
//! verification reads a second, with everything that is found in a record to which nothing was done; as a line of JSON. The first
//! argument is how many users there are (1,000), the second how many records each has (200). On an embedded database in a file.

use std::sync::Arc;
use std::time::Instant;

use docket::clock::Clock;
use docket::domain::id::UserId;
use docket::domain::task::{NewTask, Title};
use docket::domain::user::{Caller, Door, Role, Scope, User, UserName};
use docket::live::Live;
use docket::store::records::{self, Kind};
use docket::store::{self, Store};
use docket::usecases::checkpoints::{self, When};
use docket::usecases::{By, Ctx, Limits, Seal, audit, tasks};
use serde_json::json;

type Failed = Box<dyn std::error::Error>;

/// Records of a turn with one call: two messages, two steps, the call, the change, the decision, and one for a verdict.
const OF_A_TURN: usize = 8;
/// Turns whose records are written to see how long that takes.
const TURNS: usize = 2_000;

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let number = |at: usize, default: usize| std::env::args().nth(at).map_or(Ok(default), |text| text.parse());
    let (users, each) = (number(1, 1_000)?, number(2, 200)?);
    let folder = std::env::temp_dir().join(format!("docket-record-{}", std::process::id()));
    let store = Store::open(&format!("sqlite://{}/docket.db", folder.display()), false).await?;
    let seal = Seal::new(folder.join("checkpoint.key"), folder.join("checkpoints.log"));
    let mut ctx = Ctx::new(store, Live::default(), Clock::Real, Limits::default());
    ctx.seal = Some(Arc::new(seal));
    checkpoints::make_ready(&ctx).await?;
    let mut people = vec![];
    for at in 0..users {
        people.push(person(&ctx, at).await?);
    }
    // All of them have added something since the one before: the most that a checkpoint can have to do.
    let mut checkpoint_ms = 0.0;
    for round in 0..2 {
        for caller in &people {
            add(&ctx, caller, if round == 0 { each - 2 } else { 1 }).await?;
        }
        let begun = Instant::now();
        checkpoints::make(&ctx, When::Now).await?;
        checkpoints::keep_log(&ctx, round).await?;
        checkpoint_ms = begun.elapsed().as_secs_f64() * 1_000.0;
    }
    let chain_ms = chain_ms(&ctx, &people[0]).await?;
    let begun = Instant::now();
    let report = audit::verify_all(&ctx, None).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let rate = (f64::from(u32::try_from(report.records)?) / seconds).round();
    println!(
        "{}",
        json!({
            "users": users, "records": report.records, "found": report.broken.len(), "checkpoint_ms": checkpoint_ms,
            "verify_s": seconds, "records_a_second": rate, "chain_ms": chain_ms,
        })
    );
    ctx.store.close().await;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

async fn person(ctx: &Ctx, at: usize) -> Result<Caller, Failed> {
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(&format!("person-{at}"))?,
        role: Role::User,
        zone: "UTC".to_owned(),
        uses_model: true,
        disabled: false,
        created_at: ctx.now(),
    };
    let mut tx = ctx.write().await?;
    store::users::insert(&mut tx, &user, Some("")).await?;
    records::append(&mut tx, user.user_id, Kind::Account, &ctx.now(), &json!({ "event": "created" })).await?;
    ctx.commit(tx).await?;
    Ok(Caller { user, door: Door::Web, scopes: Scope::ALL.to_vec(), agent: None, program: None })
}

async fn add(ctx: &Ctx, caller: &Caller, times: usize) -> Result<(), Failed> {
    let mut tx = ctx.write().await?;
    for at in 0..times {
        let new = NewTask::titled(Title::parse(&format!("buy milk for the {at}th time"))?);
        tasks::add(ctx, &mut tx, By::person(caller), new).await?;
    }
    Ok(ctx.commit(tx).await?)
}

/// What the records of a turn add to its transactions, commits left out: the 95th percentile of many turns, in milliseconds.
async fn chain_ms(ctx: &Ctx, caller: &Caller) -> Result<f64, Failed> {
    // Of a kind that no other row must bear out.
    let arguments = json!({ "title": "buy milk", "due": "2026-11-24" });
    let body = json!({ "event": "add_task", "arguments": arguments, "said": "buy milk tomorrow".repeat(10) });
    let mut took = vec![];
    for _ in 0..TURNS {
        let mut tx = ctx.write().await?;
        let begun = Instant::now();
        for _ in 0..OF_A_TURN {
            records::append(&mut tx, caller.user.user_id, Kind::Account, &ctx.now(), &body).await?;
        }
        took.push(begun.elapsed().as_secs_f64() * 1_000.0);
        ctx.commit(tx).await?;
    }
    took.sort_by(f64::total_cmp);
    Ok(took[TURNS * 95 / 100])
}
