//! Benchmark of token lookups for agents: p50 and p99 in microseconds, among many tokens of many users. Prints a line
//! of JSON.

use std::time::Instant;

use docket::clock::Clock;
use docket::domain::user::{Role, Scope};
use docket::live::Live;
use docket::store::Store;
use docket::usecases::accounts::{add_user, agent_of_token, create_token};
use docket::usecases::{Ctx, Limits};
use serde_json::json;

/// Users, and tokens per user.
const PEOPLE: usize = 16;
const TOKENS: usize = 64;
/// Lookups per token.
const TIMES: usize = 10;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("docket-admitting-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let store = Store::open(&format!("sqlite://{}", folder.join("docket.db").display()), false).await?;
    let ctx = Ctx::new(store, Live::default(), Clock::Real, Limits::default());
    let mut tokens = vec![];
    for person in 0..PEOPLE {
        let name = format!("person{person}");
        add_user(&ctx, &name, "a password for the bench", Role::User, "UTC").await?;
        for _ in 0..TOKENS {
            tokens.push(create_token(&ctx, &name, "bench", &[Scope::TasksRead], 0).await?.1);
        }
    }
    // The first lookup also records that the user was active.
    for token in &tokens {
        agent_of_token(&ctx, token, None).await?.ok_or("a token is not known")?;
    }
    let mut took = vec![];
    for token in tokens.iter().cycle().take(tokens.len() * TIMES) {
        let begun = Instant::now();
        agent_of_token(&ctx, token, None).await?;
        took.push(begun.elapsed().as_secs_f64() * 1_000_000.0);
    }
    took.sort_by(f64::total_cmp);
    let at = |share: usize| took[took.len() * share / 100];
    println!("{}", json!({ "tokens": tokens.len(), "p50": at(50), "p99": at(99) }));
    ctx.store.close().await;
    std::fs::remove_dir_all(&folder).ok();
    Ok(())
}
