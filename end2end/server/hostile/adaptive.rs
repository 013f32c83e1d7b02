//! An adaptive attacker: 500 strategies of a model that sees everything, against benign users on every channel. No
//! high-risk call runs without a verdict on its delivered full preview (R-402, R-404, R-1102).

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::app::{Client, Db, PASSWORD, Server, complaint};
use crate::telegram::World;
use attacker::Attacker;
use oracle::{Act, Evidence, Findings, judge};
use person::Person;
use strategy::{Channel, Ground, Kind, plan};

mod attacker;
/// Cards as the script renders them.
mod card;
/// The judge.
mod oracle;
/// Pages as a person reads them.
mod page;
mod person;
mod strategy;

/// Strategies per database.
const STRATEGIES: usize = 250;
/// Names and time zones of the people; the model identifies them by the zone.
const PEOPLE: [(&str, &str); 4] =
    [("ada", "Europe/London"), ("bob", "Asia/Tokyo"), ("eve", "America/New_York"), ("joe", "Africa/Cairo")];
/// Number of strategies after which the list is cleared.
const CLEARED: usize = 10;
/// TTL of approvals on the hasty server, in seconds.
const HASTY: &str = "1";
/// Every scope that an agent's token may have.
const AGENTS: &str = "chat,tasks:read,tasks:write,tasks:delete";

/// Results of the strategies against some people.
#[derive(Default)]
struct Report {
    strategies: usize,
    kinds: BTreeMap<Kind, usize>,
    channels: BTreeMap<Channel, usize>,
    consented: BTreeMap<String, usize>,
    free: usize,
    crimes: Vec<String>,
}

impl Report {
    fn add(&mut self, other: Self) {
        self.strategies += other.strategies;
        self.free += other.free;
        self.crimes.extend(other.crimes);
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        for (channel, count) in other.channels {
            *self.channels.entry(channel).or_default() += count;
        }
        for (way, count) in other.consented {
            *self.consented.entry(way).or_default() += count;
        }
    }
}

/// Starts a server whose model is the attacker; returns the environment for another one on its database.
async fn world(db: Db, attacker: &Attacker) -> Option<(World, Vec<(String, String)>)> {
    let url = attacker.start().await;
    let stream = if db == Db::Sqlite { "off" } else { "on" };
    let environment = [
        ("DOCKET_ENGINE", "compatible"),
        ("DOCKET_LLM_BASE_URL", url.as_str()),
        ("DOCKET_LLM_MODEL", "attacker"),
        ("DOCKET_LLM_STREAM", stream),
        ("DOCKET_LLM_RETRIES", "0"),
        ("DOCKET_MEMORY", "off"),
    ];
    let world = World::on(db, &environment).await?;
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Some((world, environment))
}

/// Creates a person with a token, a browser, an agent and a Telegram chat.
async fn person<'w>(world: &'w World, attacker: &Attacker, at: usize) -> Person<'w> {
    let (name, zone) = PEOPLE[at];
    let app = &world.app;
    app.command(&["user", "add", name, "--password-stdin", "--timezone", zone], PASSWORD);
    let token = app.token(name, "chat,tasks:read,tasks:write,tasks:delete,audit");
    let create = ["token", "create", "--user", name, "--name", "robot", "--agent", "--scope", AGENTS, "--budget", "0"];
    let agent = Client { token: Some(app.command(&create, "")), ..Client::anonymous(&app.server.base) };
    let browser = app.browser(name).await;
    let chat = 100 + i64::try_from(at).expect("a small number");
    world.link(&token, chat).await;
    // The last person has a stricter policy.
    let adding_asks = at == PEOPLE.len() - 1;
    if adding_asks {
        for rule in ["agent.add_task.ask", "mcp.add_task.ask"] {
            browser.post("/api/v1/settings/policy", &[("rule", rule)]).await.ok();
        }
    }
    let mut person = Person::new(world, attacker, zone, chat, [token, browser, agent]);
    person.adding_asks = adding_asks;
    person
}

/// Adds four tasks with unique titles.
async fn ground(token: &Client, mark: &str) -> Ground {
    let lines = ["milk", "eggs", "bread", "jam"].map(|title| format!("{title} {mark}{}", &title[..1]));
    let added = token.post("/api/v1/tasks/add_lines", &[("lines", &lines.join("\n"))]).await;
    let added = added.ok();
    let number = |at: usize| added["tasks"][at]["task_id"].as_i64().expect("the task was added");
    Ground { tasks: [0, 1, 2, 3].map(number), mark: mark.to_owned() }
}

/// Moves all remaining tasks to the bin, to keep the list short.
async fn clear(token: &Client) {
    let numbers: Vec<String> = token.tasks().await.iter().map(|task| task["task_id"].to_string()).collect();
    let mut fields: Vec<(&str, &str)> = numbers.iter().map(|number| ("task_ids", number.as_str())).collect();
    fields.push(("act", "delete"));
    if !numbers.is_empty() {
        token.post("/api/v1/tasks/bulk", &fields).await.ok();
    }
}

/// Draws a kind, with a higher weight for kinds that gained something.
fn draw(dice: &mut StdRng, gains: &BTreeMap<Kind, usize>) -> Kind {
    let weight = |kind: &Kind| 2 + gains.get(kind).copied().unwrap_or_default().min(3);
    let mut at = dice.random_range(0..Kind::ALL.iter().map(weight).sum());
    for kind in Kind::ALL {
        match weight(&kind) {
            own if at < own => return kind,
            own => at -= own,
        }
    }
    Kind::Early
}

/// True for an accomplice that approves everything in the person's name, to test the judge.
type Accomplice = bool;

/// Runs strategies against a person, one after the other, and judges the results.
async fn meet(mut person: Person<'_>, seed: u64, count: usize, accomplice: Accomplice) -> Report {
    let mut report = Report::default();
    let (mut dice, mut gains) = (StdRng::seed_from_u64(seed), BTreeMap::new());
    for at in 0..count {
        // Every kind comes once before any is drawn.
        let kind = Kind::ALL.get(at).copied().unwrap_or_else(|| draw(&mut dice, &gains));
        let kind = if kind == Kind::Expired && person.hasty.is_none() { Kind::Again } else { kind };
        let ground = ground(&person.token, &format!("q{seed}x{at}")).await;
        let plan = plan(&mut dice, kind, &ground);
        let usual = [person.token.clone(), person.browser.clone()];
        if let Some(hasty) = person.hasty.filter(|_| kind == Kind::Expired) {
            (person.token, person.browser) = (person.token.at(hasty), person.browser.at(hasty));
        }
        person.attacker.begin(person.zone, plan.schemes, dice.random());
        person.acts.push(Act::Began(format!("{kind:?} on {:?} ({})", plan.channel, ground.mark)));
        person.begin(plan.channel).await;
        for step in plan.steps {
            person.take(step).await;
            if accomplice {
                approve_everything(&person.token).await;
            }
        }
        *gains.entry(kind).or_default() += person.attacker.end(person.zone);
        [person.token, person.browser] = usual;
        if at % CLEARED == CLEARED - 1 {
            clear(&person.token).await;
        }
        *report.kinds.entry(kind).or_default() += 1;
        *report.channels.entry(plan.channel).or_default() += 1;
        report.strategies += 1;
    }
    let export = person.token.get("/api/v1/export", &[("format", "json")]).await.ok();
    let Findings { crimes, consented, free } =
        judge(&Evidence { export: &export, acts: &person.acts, adding_asks: person.adding_asks });
    Report { crimes, consented, free, ..report }
}

async fn approve_everything(token: &Client) {
    let waiting = token.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
    for approval in waiting.as_array().into_iter().flatten() {
        let id = approval["approval_id"].as_str().expect("an id");
        token.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", "approve")]).await;
    }
}

/// Attacks all people concurrently, with `strategies` in total.
async fn attack(db: Db, seed: u64, strategies: usize, accomplice: Accomplice) -> Option<Report> {
    let attacker = Attacker::default();
    let (world, environment) = world(db, &attacker).await?;
    let hasty = (db == Db::Postgres).then(|| {
        let more = environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let all: Vec<_> =
            world.bot.environment().into_iter().chain(more).chain([("DOCKET_APPROVAL_TTL_SECONDS", HASTY)]).collect();
        Server::start(&world.app.database.url, &all).unwrap_or_else(|output| panic!("{}", complaint(&output)))
    });
    let mut people = vec![];
    for at in 0..PEOPLE.len() {
        let mut person = person(&world, &attacker, at).await;
        person.hasty = hasty.as_ref();
        people.push(person);
    }
    let shares = |at: usize| strategies / PEOPLE.len() + usize::from(at < strategies % PEOPLE.len());
    let meetings =
        people.into_iter().enumerate().map(|(at, person)| meet(person, seed + at as u64, shares(at), accomplice));
    let mut all = Report::default();
    for report in futures::future::join_all(meetings).await {
        all.add(report);
    }
    Some(all)
}

/// Reports the attempts, and fails if any violation occurred.
async fn nothing_comes_of_it(db: Db, seed: u64) {
    let Some(report) = attack(db, seed, STRATEGIES, false).await else { return };
    let Report { strategies, kinds, channels, consented, free, crimes } = report;
    println!(
        "{strategies} strategies on {db:?}: {kinds:?} on {channels:?}; {consented:?} with consent, {free} without need of it"
    );
    assert!(crimes.is_empty(), "{} crimes:\n{}", crimes.len(), crimes.join("\n"));
    assert_eq!(strategies, STRATEGIES);
    let tried: BTreeSet<Kind> = kinds.into_keys().collect();
    assert!(
        Kind::ALL.iter().all(|kind| tried.contains(kind) || *kind == Kind::Expired && db == Db::Sqlite),
        "{tried:?}"
    );
    // Some consent is given in every way, so that the attack does not only meet refusals.
    let ways = if db == Db::Sqlite {
        vec!["chat", "inline", "web", "api", "mcp"]
    } else {
        vec!["chat", "inline", "web", "mcp", "telegram"]
    };
    assert!(ways.iter().all(|way| consented.contains_key(*way)), "{consented:?}");
    assert!(free > 20, "{free}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adaptive_attacker_gains_nothing_by_250_strategies_on_sqlite() {
    nothing_comes_of_it(Db::Sqlite, 11).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adaptive_attacker_gains_nothing_by_250_strategies_on_postgres() {
    nothing_comes_of_it(Db::Postgres, 42).await;
}

/// Tests the judge: a verdict that something else gave in the person's name is reported.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_verdict_that_no_person_gave_is_found() {
    let report = attack(Db::Sqlite, 7, 3 * PEOPLE.len(), true).await.expect("SQLite is always there");
    assert!(report.crimes.iter().any(|crime| crime.contains("nobody pressed its button")), "{:?}", report.crimes);
}
