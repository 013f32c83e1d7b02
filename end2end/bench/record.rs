//! Benchmark of the audit log. Prints a line of JSON: time to write a turn's records, time of a checkpoint, records
//! verified per second, and time to reconstruct a list from 10,000 changes. The arguments are the number of users
//! (1,000) and of records per user (200). Uses SQLite in a file.
//!
//! Nothing tampers with the log, so any verification problem fails the program.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use docket::clock::Clock;
use docket::config::Config;
use docket::domain::approval::{DecidedVia, Verdict};
use docket::domain::id::{ConversationId, TaskNumber, UserId};
use docket::domain::policy::Entry;
use docket::domain::task::{Edit, NewTask, Title};
use docket::domain::turn::Turn;
use docket::domain::user::{Caller, Door, Role, Scope, User, UserName};
use docket::state::AppState;
use docket::store::records::{self, Kind};
use docket::store::{self, Store};
use docket::usecases::checkpoints::{self, When};
use docket::usecases::policy::{self, Whose};
use docket::usecases::{By, CheckpointSigner, Ctx, accounts, as_of, audit, erasure, tasks, turn_detail, undo};
use docket::workflow::inbox::{self, IncomingMessage};
use docket::workflow::worker;
use serde_json::json;

type Failed = Box<dyn std::error::Error>;

/// Records of a turn with one call: two messages, two steps, the call, the change, the decision and a verdict.
const OF_A_TURN: usize = 8;
/// Number of turns whose records are written for the measurement.
const TURNS: usize = 2_000;
/// One in this many users has turns, which an admin reads; one in twice as many has messages erased.
const TALKS: usize = 10;
/// Tasks to reconstruct, and changes per task.
const FOLDED: (usize, usize) = (100, 100);

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let number = |at: usize, default: usize| std::env::args().nth(at).map_or(Ok(default), |text| text.parse());
    let (users, each) = (number(1, 1_000)?, number(2, 200)?);
    let folder = std::env::temp_dir().join(format!("docket-record-{}", std::process::id()));
    let store = Store::open(&format!("sqlite://{}/docket.db", folder.display()), false).await?;
    let mut state = AppState::with(Config::from(|_| None)?, store, Clock::Real);
    let seal = CheckpointSigner::new(folder.join("checkpoint.key"), folder.join("checkpoints.log"));
    state.ctx.seal = Some(Arc::new(seal));
    let ctx = state.ctx.clone();
    checkpoints::make_ready(&ctx).await?;
    let root = person(&ctx, "root", Role::Admin).await?;
    let mut people = vec![];
    for at in 0..users {
        let caller = person(&ctx, &format!("person-{at}"), Role::User).await?;
        live(&ctx, &caller).await?;
        if at % TALKS == 0 {
            talk(&state, &caller, &root).await?;
        }
        if at % (2 * TALKS) == 0 {
            erasure::by_operator(&ctx, &caller.user, None).await?;
        }
        people.push(caller);
    }
    // Every user has new records since the last checkpoint, which is the worst case.
    let mut checkpoint_ms = 0.0;
    for round in 0..2 {
        for caller in &people {
            let has = store::chains::head(&mut ctx.peek().await?, caller.user.user_id).await?;
            let has = usize::try_from(has.map_or(0, |head| head.seq))?;
            add(&ctx, caller, if round == 0 { each.saturating_sub(has + 1) } else { 1 }).await?;
        }
        let begun = Instant::now();
        checkpoints::make(&ctx, When::Now).await?;
        checkpoints::keep_log(&ctx, round).await?;
        checkpoint_ms = begun.elapsed().as_secs_f64() * 1_000.0;
    }
    let chain_ms = chain_ms(&ctx, &root).await?;
    let fold_ms = fold_ms(&ctx).await?;
    let begun = Instant::now();
    let report = audit::verify_all(&ctx, None).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let rate = (f64::from(u32::try_from(report.records)?) / seconds).round();
    println!(
        "{}",
        json!({
            "users": users, "records": report.records, "kinds": kinds(&ctx, &people[0]).await?, "erased": report.erased,
            "found": report.broken.len(), "checkpoint_ms": checkpoint_ms, "verify_s": seconds, "records_a_second": rate,
            "chain_ms": chain_ms, "fold_ms": fold_ms,
        })
    );
    ctx.store.close().await;
    std::fs::remove_dir_all(&folder)?;
    match report.broken.first() {
        None => Ok(()),
        Some(broken) => Err(format!("something is found where nothing was done: {broken}").into()),
    }
}

async fn person(ctx: &Ctx, name: &str, role: Role) -> Result<Caller, Failed> {
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(name)?,
        role,
        zone: "UTC".to_owned(),
        uses_model: true,
        disabled: false,
        created_at: ctx.now(),
    };
    let told = json!({ "event": "created", "name": user.name, "role": role, "zone": user.zone, "at": user.created_at });
    let mut tx = ctx.write().await?;
    store::users::insert(&mut tx, &user, Some("")).await?;
    records::append(&mut tx, user.user_id, Kind::Account, &ctx.now(), &told).await?;
    ctx.commit(tx).await?;
    Ok(Caller::new(user, Door::Web, Scope::ALL.to_vec()))
}

fn title(text: &str) -> Edit {
    Edit { title: Title::parse(text).ok(), ..Edit::default() }
}

/// Makes some changes of every kind, a token, and changes to the account.
async fn live(ctx: &Ctx, caller: &Caller) -> Result<(), Failed> {
    let (by, one) = (By::person(caller), TaskNumber(1));
    add(ctx, caller, 2).await?;
    let mut tx = ctx.write().await?;
    tasks::edit(ctx, &mut tx, by, one, title("buy bread"), None).await?;
    tasks::complete(ctx, &mut tx, by, one, None).await?;
    tasks::reopen(ctx, &mut tx, by, one, None).await?;
    tasks::delete(ctx, &mut tx, by, one, None).await?;
    tasks::restore(ctx, &mut tx, by, one, None).await?;
    tasks::delete(ctx, &mut tx, by, TaskNumber(2), None).await?;
    undo::last(ctx, &mut tx, by).await?;
    ctx.commit(tx).await?;
    let name = caller.user.name.as_str();
    let (token, _) = accounts::create_token(ctx, name, "desk", &[Scope::TasksRead], 9).await?;
    accounts::create_token(ctx, name, "lap", &[Scope::TasksRead, Scope::TasksWrite], 9).await?;
    accounts::revoke_token(ctx, token).await?;
    accounts::set_zone(ctx, caller, "Europe/Berlin").await?;
    accounts::set_uses_model(ctx, caller, false).await?;
    policy::set(ctx, Whose::Own(caller), &[Entry::parse("mcp.delete_task.deny")?]).await?;
    Ok(())
}

/// Runs turns with and without an approval, one of which an admin reads.
async fn talk(state: &AppState, caller: &Caller, admin: &Caller) -> Result<(), Failed> {
    let added = say(state, caller, None, "add milk").await?;
    let conversation = Some(added.conversation_id);
    for (task, verdict) in [(1, Verdict::Reject), (3, Verdict::Approve)] {
        let asked = say(state, caller, conversation, &format!("delete task {task}")).await?;
        let id = asked.approval.ok_or("nothing was asked")?.approval_id;
        inbox::decide(state, caller, id, verdict, DecidedVia::Web, Some("as I said")).await?;
        worker::settle(state).await?;
    }
    say(state, caller, conversation, "list my tasks").await?;
    turn_detail::whole(&state.ctx, admin, added.turn_id).await?;
    Ok(())
}

async fn say(
    state: &AppState,
    caller: &Caller,
    conversation: Option<ConversationId>,
    text: &str,
) -> Result<Turn, Failed> {
    let incoming = IncomingMessage { text: text.into(), conversation, client_key: None };
    let accepted = inbox::accept(state, caller, incoming).await?;
    worker::settle(state).await?;
    Ok(inbox::wait(state, caller, accepted.turn).await?)
}

/// Returns the number of record kinds that the user has.
async fn kinds(ctx: &Ctx, caller: &Caller) -> Result<usize, Failed> {
    let links = store::chains::links(&mut ctx.read().await?, caller.user.user_id, 0, 500).await?;
    Ok(links.iter().map(|link| link.kind.as_str()).collect::<BTreeSet<_>>().len())
}

/// Returns the slowest of ten reconstructions of a list from 10,000 changes, in milliseconds.
async fn fold_ms(ctx: &Ctx) -> Result<f64, Failed> {
    let caller = person(ctx, "past", Role::User).await?;
    let (by, (many, changes)) = (By::person(&caller), FOLDED);
    // A fixed clock, so that no change falls in the same millisecond as an earlier moment.
    let ctx = Ctx { clock: Clock::set(ctx.now()), ..ctx.clone() };
    add(&ctx, &caller, many).await?;
    let mut moments = vec![];
    for round in 1..changes {
        ctx.clock.advance(1);
        let mut tx = ctx.write().await?;
        for task in (1..).map(TaskNumber).take(many) {
            tasks::edit(&ctx, &mut tx, by, task, title(&as_of_round(round)), None).await?;
        }
        ctx.commit(tx).await?;
        if (round + 1) % (changes / 10) == 0 {
            moments.push((ctx.now(), round));
        }
    }
    let mut slowest = 0.0_f64;
    for (moment, round) in moments {
        let begun = Instant::now();
        let then = as_of::list(&ctx, &caller, &moment, None, as_of::MAX_PAGE).await?;
        slowest = slowest.max(begun.elapsed().as_secs_f64() * 1_000.0);
        let so = then.tasks.iter().filter(|task| task.title.as_str() == as_of_round(round)).count();
        if so != many {
            return Err(format!("{so} of {many} tasks are folded as they were").into());
        }
    }
    Ok(slowest)
}

fn as_of_round(round: usize) -> String {
    format!("as of round {round}")
}

async fn add(ctx: &Ctx, caller: &Caller, times: usize) -> Result<(), Failed> {
    let mut tx = ctx.write().await?;
    for at in 0..times {
        let new = NewTask::titled(Title::parse(&format!("buy milk for the {at}th time"))?);
        tasks::add(ctx, &mut tx, By::person(caller), new).await?;
    }
    Ok(ctx.commit(tx).await?)
}

/// Returns the p95 of the time that a turn's records add to its transactions, without commits, in milliseconds.
async fn chain_ms(ctx: &Ctx, caller: &Caller) -> Result<f64, Failed> {
    // A kind without a corresponding row.
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
