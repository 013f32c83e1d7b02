//! Benchmark of recall among 2,000 memories of one user, from text to results: p50 and p95 in milliseconds, as a line
//! of JSON. Uses SQLite in a file, or the database of the first argument. With a user name as the second argument, that
//! user gets these memories and nothing is measured.

use std::time::Instant;

use docket::domain::id::{ConversationId, MemoryId, UserId};
use docket::domain::memory::Memory;
use docket::domain::time::Timestamp;
use docket::domain::user::{Role, User, UserName};
use docket::memory::embed::Embedder as _;
use docket::memory::embed::local::{Local, vector};
use docket::memory::recall::{AT_ONCE, search, written};
use docket::memory::words::terms;
use docket::store::memories::Traits;
use docket::store::{self, Store};
use serde_json::json;

const PAIRS: &str = include_str!("../memory/pairs.tsv");
const DISTRACTORS: &str = include_str!("../memory/distractors.txt");
/// Repetitions per question.
const TIMES: usize = 5;
const AT: &str = "2026-03-11T09:30:00Z";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("docket-recalling-{}", std::process::id()));
    let url = std::env::args().nth(1).unwrap_or_else(|| format!("sqlite://{}/docket.db", folder.display()));
    let store = Store::open(&url, false).await?;
    let pairs: Vec<Vec<&str>> = PAIRS.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let texts = pairs.iter().map(|pair| pair[2]).chain(DISTRACTORS.lines()).cycle();
    let texts = texts.take(usize::try_from(Memory::MOST)?);
    if let Some(name) = std::env::args().nth(2) {
        let found = store::users::by_name(&mut store.read().await?, &UserName::parse(&name)?).await?;
        fill(&store, found.ok_or("nobody is called so")?.0.user_id, texts).await?;
        store.close().await;
        return Ok(());
    }
    let user = somebody(&store).await?;
    fill(&store, user, texts).await?;
    let mut took = vec![];
    for pair in pairs.iter().cycle().take(pairs.len() * TIMES) {
        let begun = Instant::now();
        search(&store, &Local, user, pair[1], AT_ONCE).await?;
        took.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    took.sort_by(f64::total_cmp);
    let at = |share: usize| took[took.len() * share / 100];
    println!("{}", json!({ "memories": Memory::MOST, "p50": at(50), "p95": at(95) }));
    store.close().await;
    std::fs::remove_dir_all(&folder).ok();
    Ok(())
}

async fn somebody(store: &Store) -> Result<UserId, Box<dyn std::error::Error>> {
    let name = UserName::parse(&format!("bench-{}", std::process::id()))?;
    let (user_id, created_at, zone) = (UserId::new(), Timestamp::parse(AT)?, "UTC".to_owned());
    let user = User { user_id, name, role: Role::User, zone, uses_model: true, disabled: false, created_at };
    let mut tx = store.write().await?;
    store::users::insert(&mut tx, &user, Some("")).await?;
    tx.commit().await?;
    Ok(user_id)
}

/// Inserts these memories for the user.
async fn fill(
    store: &Store,
    user: UserId,
    texts: impl Iterator<Item = &str>,
) -> Result<(), Box<dyn std::error::Error>> {
    let at = Timestamp::parse(AT)?;
    let mut tx = store.write().await?;
    let conversation_id = ConversationId::random();
    store::conversations::create(&mut tx, user, conversation_id, "Talk", &at).await?;
    for text in texts {
        let memory = Memory {
            memory_id: MemoryId::new(),
            text: text.to_owned(),
            conversation_id,
            first_record: 1,
            last_record: 1,
            created_at: at.clone(),
        };
        let vector = vector(text).to_bytes();
        let traits = Traits { terms: written(&terms(text)), embedder: Local.name().to_owned(), vector };
        store::memories::insert(&mut tx, user, &memory, &traits).await?;
    }
    tx.commit().await?;
    Ok(())
}
