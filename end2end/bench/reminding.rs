//! Benchmark of reminders that are all due at once: seconds until one process has sent them to a bot that answers at
//! once. Prints a line of JSON. Arguments: users, reminders per user, and a database instead of a new SQLite file.

use std::time::{Duration, Instant};

use docket::clock::Clock;
use docket::config::Config;
use docket::domain::channel::ChatId;
use docket::domain::id::UserId;
use docket::domain::task::{Due, NewTask, Title};
use docket::domain::user::{Caller, Door, Role, Scope, User, UserName};
use docket::state::AppState;
use docket::store::{self, Store};
use docket::usecases::{By, tasks};
use docket::workflow::worker;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The tests' fake Bot API.
#[allow(dead_code)]
#[path = "../server/botapi.rs"]
mod botapi;
/// The HTTP server of the fake.
#[path = "../server/stand_in.rs"]
mod stand_in;

/// Polling interval until all reminders are sent.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Tasks per transaction.
const AT_ONCE: usize = 200;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let people: usize = arguments.next().unwrap_or("100".into()).parse()?;
    let each: usize = arguments.next().unwrap_or("100".into()).parse()?;
    let folder = std::env::temp_dir().join(format!("docket-reminding-{}", std::process::id()));
    let url = arguments.next().unwrap_or_else(|| format!("sqlite://{}/docket.db", folder.display()));
    let bot = botapi::BotApi::start();
    let environment = bot.environment();
    let config = Config::from(|name| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })?;
    let store = Store::open(&url, true).await?;
    let state = AppState::with(config, store, Clock::set(jiff::Timestamp::now().into()));
    for number in 0..people {
        fill(&state, number, each).await?;
    }
    let (begun, shutdown) = (Instant::now(), CancellationToken::new());
    state.ctx.clock.advance(60);
    let worker = tokio::spawn(worker::run(state.clone(), shutdown.clone()));
    let mut told = None;
    loop {
        tokio::time::sleep(LOOK_AGAIN).await;
        let all = store::reminders::due(&mut state.ctx.store.peek().await?, &state.ctx.now(), 1).await?.is_empty();
        if all {
            told.get_or_insert(begun.elapsed().as_secs_f64());
        }
        let ready = store::outbox::any_ready(&mut state.ctx.store.peek().await?).await?;
        if all && !ready && bot.calls("sendMessage").len() >= people * each {
            break;
        }
    }
    let sent = begun.elapsed().as_secs_f64();
    shutdown.cancel();
    worker.await?;
    let twice = bot.calls("sendMessage").len() - people * each;
    println!("{}", json!({ "people": people, "each": each, "told_s": told, "sent_s": sent, "sent_twice": twice }));
    state.ctx.store.close().await;
    std::fs::remove_dir_all(&folder).ok();
    Ok(())
}

/// Creates a user with a chat and with tasks that are due in a minute.
async fn fill(state: &AppState, number: usize, each: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (ctx, at) = (&state.ctx, state.ctx.now());
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(&format!("bench-{number}"))?,
        role: Role::User,
        zone: "Europe/London".into(),
        uses_model: true,
        disabled: false,
        created_at: at.clone(),
    };
    let mut tx = ctx.store.write().await?;
    store::users::insert(&mut tx, &user, Some("")).await?;
    store::telegram::link(&mut tx, user.user_id, ChatId(i64::try_from(number)? + 1), "@bench", &at, None).await?;
    tx.commit().await?;
    let scopes = Scope::ALL.into_iter().filter(|scope| *scope != Scope::Admin).collect();
    let caller = Caller::new(user, Door::Web, scopes);
    for first in (0..each).step_by(AT_ONCE) {
        let mut tx = ctx.store.write().await?;
        for task in first..each.min(first + AT_ONCE) {
            let mut new = NewTask::titled(Title::parse(&format!("call number {task}"))?);
            new.due = Due::at(at.plus_seconds(60), "Europe/London");
            tasks::add(ctx, &mut tx, By::person(&caller), new).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}
