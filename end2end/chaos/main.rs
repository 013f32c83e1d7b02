//! `make chaos`: kills servers at random under load, two on one PostgreSQL and one on SQLite, and checks everything
//! acknowledged (R-202, R-306, R-1004).
//!
//! Usage: chaos BINARY [KILLS], with DOCKET_TEST_POSTGRES_URL set (end2end/pg.sh does).

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::Value;
use world::{Place, Rows};

/// Databases, servers and queries of the tables.
mod world;

/// Lease in milliseconds.
const LEASE_MS: u64 = 1000;
/// Maximum time after a lease expires until a killed server's turn is done.
const GRACE: Duration = Duration::from_secs(5);
/// Concurrent users per database.
const PEOPLE: usize = 4;
/// Timeout of every wait; exceeding it ends the run.
const PATIENCE: Duration = Duration::from_secs(60);

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The answers that a user received.
#[derive(Default)]
struct Told {
    /// Turns that an answer named.
    turns: Vec<String>,
    /// Titles whose addition was acknowledged.
    added: Vec<String>,
    /// Turns that ended with an apology, since too many of their servers were killed.
    given_up: usize,
    repeats: usize,
}

/// A user with a client that tries the next server after a failure.
struct Person {
    http: reqwest::Client,
    token: String,
    name: String,
    place: Arc<Place>,
    told: Told,
}

impl Person {
    /// Sends a request to one server after another until it is answered.
    async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Result<Value, Failure> {
        let begun = Instant::now();
        for at in 0.. {
            if begun.elapsed() > PATIENCE {
                return Err(format!("no answer to {fields:?} in {PATIENCE:?}").into());
            }
            let base = self.place.base(at);
            let sent = self.http.post(format!("{base}{path}")).bearer_auth(&self.token).form(fields).send().await;
            if let Ok(answer) = sent {
                let status = answer.status().as_u16();
                if let (200 | 409, Ok(body)) = (status, answer.json::<Value>().await) {
                    return Ok(body);
                }
            }
            self.told.repeats += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        unreachable!("the loop does not end")
    }

    /// Sends a message with an idempotency key until its turn is done.
    async fn say(&mut self, key: &str, message: &str) -> Result<Value, Failure> {
        loop {
            let turn = self.send("/api/v1/chat", &[("message", message), ("client_key", key)]).await?;
            self.told.turns.push(turn["turn_id"].as_str().ok_or_else(|| format!("no turn: {turn}"))?.to_owned());
            if turn["status"] == "done" {
                self.told.given_up += usize::from(turn["decision"]["outcome"] == "ERROR:CANCELLED");
                return Ok(turn);
            }
        }
    }

    /// Adds tasks, and requests and approves the deletion of every third one.
    async fn live(mut self, stop: Arc<AtomicBool>) -> Result<Told, Failure> {
        let mut at = 0;
        while !stop.load(Ordering::SeqCst) {
            let title = format!("{}n{at}", self.name);
            let turn = self.say(&title, &format!("add {title}")).await?;
            if turn["decision"]["outcome"] == "SUCCESS:TASK_COMPLETED" {
                self.told.added.push(title.clone());
                let number = turn["tool_calls"][0]["result"]["task_id"].to_string();
                if at % 3 == 0 {
                    let asked = self.say(&format!("delete {title}"), &format!("delete task {number}")).await?;
                    if let Some(id) = asked["approval"]["approval_id"].as_str() {
                        let fields = [("approval_id", id), ("verdict", "approve")];
                        self.send("/api/v1/approvals/decide", &fields).await?;
                    }
                }
            }
            at += 1;
        }
        Ok(self.told)
    }
}

/// Kills each server of a deployment `kills` times at random; returns the time of the last kill.
async fn kill(place: &Arc<Place>, kills: usize) -> Result<Instant, Failure> {
    let killers = (0..place.servers()).map(|which| async move {
        let mut killed = Instant::now();
        for _ in 0..kills {
            tokio::time::sleep(Duration::from_millis(rand::random_range(50..600))).await;
            // Turns wait from here on, also while the next server starts.
            killed = Instant::now();
            place.kill(which).await;
            place.start(which).await?;
        }
        Ok::<_, Failure>(killed)
    });
    let ends = join_all(killers).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    ends.into_iter().max().ok_or_else(|| "nobody was killed".into())
}

/// Runs the test on one database, from start to report. Returns true if all checks pass.
async fn live(name: &str, place: Place, kills: usize) -> Result<bool, Failure> {
    let place = Arc::new(place);
    for which in 0..place.servers() {
        place.start(which).await?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    // The library needs a crypto provider even without TLS.
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut people = vec![];
    for at in 0..PEOPLE {
        let name = format!("person{at}");
        let person = Person {
            http: reqwest::Client::builder().tls_certs_only([]).timeout(PATIENCE / 4).build()?,
            token: place.person(&name)?,
            name,
            place: place.clone(),
            told: Told::default(),
        };
        people.push(tokio::spawn(person.live(stop.clone())));
    }
    let last = kill(&place, kills).await?;
    // Other servers take over the last turns without a request.
    let mut rows = Rows::open(&place.url).await?;
    let open = rows.open_turns().await?;
    while rows.any_open(&open).await? {
        if last.elapsed() > PATIENCE {
            return Err(format!("{name}: turns are not finished {PATIENCE:?} after the last kill").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let slowest = last.elapsed();
    stop.store(true, Ordering::SeqCst);
    let mut told = Told::default();
    for person in people {
        let one = person.await??;
        told.turns.extend(one.turns);
        told.added.extend(one.added);
        told.given_up += one.given_up;
        told.repeats += one.repeats;
    }
    told.turns.sort();
    told.turns.dedup();
    let lost = rows.not_done(&told.turns).await? + rows.not_there(&told.added).await?;
    let doubled = rows.doubled().await?;
    let broken = rows.broken().await?;
    let in_time = slowest <= Duration::from_millis(LEASE_MS) + GRACE;
    println!(
        "{name}: {} kills, {} turns acknowledged, {} sent again",
        kills * place.servers(),
        told.turns.len(),
        told.repeats
    );
    println!("  acknowledged messages lost          {lost}");
    println!("  effects doubled                     {doubled}");
    println!("  invariants broken                   {}", broken.len());
    broken.iter().for_each(|sentence| println!("    {sentence}"));
    println!("  turns ended with an apology         {}", told.given_up);
    println!("  slowest finish after the last kill  {:.2} s (lease {LEASE_MS} ms)", slowest.as_secs_f64());
    Ok(lost == 0 && doubled == 0 && broken.is_empty() && in_time && !told.turns.is_empty())
}

async fn run() -> Result<bool, Failure> {
    let mut arguments = std::env::args().skip(1);
    let binary = arguments.next().ok_or("usage: chaos BINARY [KILLS]")?;
    let kills: usize = arguments.next().map_or(Ok(300), |kills| kills.parse())?;
    let third = kills.div_ceil(3);
    let (postgres, sqlite) = (Place::postgres(&binary, 2).await?, Place::sqlite(&binary)?);
    let (two, one) = tokio::join!(live("PostgreSQL, two servers", postgres, third), live("SQLite", sqlite, third));
    Ok(two? & one?)
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("chaos: {error}");
            ExitCode::FAILURE
        }
    }
}
