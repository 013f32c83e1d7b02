//! Benchmark of group commit: durable transactions per second of sequential writers and of 64 concurrent ones. Prints
//! both and their ratio as a line of JSON. Uses SQLite with synchronous=FULL in a temporary folder.

use std::time::Instant;

use docket::domain::id::UserId;
use docket::domain::live::EventKind;
use docket::domain::time::Timestamp;
use docket::domain::user::{Role, User, UserName};
use docket::store::{Error, Store, events, users};
use serde_json::json;
use tokio::task::JoinSet;

/// Concurrent writers.
const WRITERS: usize = 64;
/// Transactions per writer.
const EACH: usize = 40;

async fn write(store: &Store, user: UserId, at: &Timestamp) -> Result<(), Error> {
    let mut tx = store.write().await?;
    events::append(&mut tx, user, EventKind::TaskChanged, &json!({}), at).await?;
    tx.commit().await.map(drop)
}

async fn person(store: &Store, name: &str, at: &Timestamp) -> Result<UserId, Error> {
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(name).expect("a name"),
        role: Role::User,
        zone: "UTC".into(),
        uses_model: true,
        disabled: false,
        created_at: at.clone(),
    };
    let mut tx = store.write().await?;
    users::insert(&mut tx, &user, Some("hash")).await?;
    tx.commit().await?;
    Ok(user.user_id)
}

/// Returns transactions per second.
fn rate(count: usize, begun: Instant) -> f64 {
    f64::from(u32::try_from(count).expect("a small count")) / begun.elapsed().as_secs_f64()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(&format!("sqlite://{}", folder.path().join("docket.db").display()), true).await?;
    let at = Timestamp::parse("2026-01-01T00:00:00Z").expect("a time");
    let mut people = vec![];
    for n in 0..WRITERS {
        people.push(person(&store, &format!("user{n}"), &at).await?);
    }

    let begun = Instant::now();
    for n in 0..WRITERS * EACH / 4 {
        write(&store, people[n % WRITERS], &at).await?;
    }
    let alone = rate(WRITERS * EACH / 4, begun);

    let begun = Instant::now();
    let mut writers = JoinSet::new();
    for user in people {
        let (store, at) = (store.clone(), at.clone());
        writers.spawn(async move {
            for _ in 0..EACH {
                write(&store, user, &at).await?;
            }
            Ok::<_, Error>(())
        });
    }
    while let Some(done) = writers.join_next().await {
        done??;
    }
    let together = rate(WRITERS * EACH, begun);
    println!("{}", json!({ "alone": alone, "together": together, "ratio": together / alone }));
    Ok(())
}
