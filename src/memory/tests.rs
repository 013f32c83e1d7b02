//! Recall measured with end2end/memory and the local embedder, also through both databases.

use super::embed::local::{Local, vector};
use super::recall::{AT_ONCE, Candidate, rank, search, within_budget, written};
use super::words::terms;
use crate::domain::id::{ConversationId, MemoryId, UserId};
use crate::domain::memory::Memory;
use crate::domain::time::Timestamp;
use crate::domain::user::{Role, User, UserName};
use crate::memory::embed::Embedder as _;
use crate::store::memories::Traits;
use crate::store::{self, Store, testing};

const PAIRS: &str = include_str!("../../end2end/memory/pairs.tsv");
const DISTRACTORS: &str = include_str!("../../end2end/memory/distractors.txt");

/// Returns stratum, question and the memory that answers it.
fn pairs() -> Vec<[&'static str; 3]> {
    let rows = PAIRS.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| row.try_into().unwrap()).collect()
}

#[test]
fn nine_of_ten_questions_find_their_memory_among_a_thousand() {
    let pairs = pairs();
    let texts: Vec<&str> = pairs.iter().map(|pair| pair[2]).chain(DISTRACTORS.lines()).collect();
    assert!(pairs.len() >= 150 && texts.len() >= 1_000);
    assert_eq!(AT_ONCE, 5, "R-503");
    let candidates: Vec<_> = (0..)
        .zip(&texts)
        .map(|(id, text)| Candidate { id, terms: terms(text), vector: Some(vector(text).to_bytes()) })
        .collect();
    for (stratum, least) in [("same", 0.9), ("typo", 0.9), ("paraphrase", 0.0)] {
        let of: Vec<_> = (0..).zip(&pairs).filter(|(_, pair)| pair[0] == stratum).collect();
        let found = |question: &str, id| rank(question, Some(&vector(question)), &candidates, AT_ONCE).contains(&id);
        let missed: Vec<_> = of.iter().filter(|(id, pair)| !found(pair[1], *id)).map(|(_, pair)| pair[1]).collect();
        #[allow(clippy::cast_precision_loss)]
        let recall = 1.0 - missed.len() as f64 / of.len() as f64;
        println!("{stratum}: recall@{AT_ONCE} {recall:.2} of {}", of.len());
        assert!(recall >= least && of.len() >= 50, "{stratum}: {recall:.2}, missed {missed:#?}");
    }
}

fn now() -> Timestamp {
    Timestamp::parse("2026-03-11T09:30:00Z").unwrap()
}

/// Creates an account with these memories.
async fn person(store: &Store, name: &str, texts: &[&str], embedder: &str) -> UserId {
    let user = User {
        user_id: UserId::new(),
        name: UserName::parse(name).unwrap(),
        role: Role::User,
        zone: "UTC".into(),
        uses_model: true,
        disabled: false,
        created_at: now(),
    };
    let mut tx = store.write().await.unwrap();
    assert!(store::users::insert(&mut tx, &user, Some("hash")).await.unwrap());
    let conversation_id = ConversationId::random();
    store::conversations::create(&mut tx, user.user_id, conversation_id, "Talk", &now()).await.unwrap();
    for text in texts {
        let memory = Memory {
            memory_id: MemoryId::new(),
            text: (*text).to_owned(),
            conversation_id,
            first_record: 1,
            last_record: 2,
            created_at: now(),
        };
        let vector = vector(text).to_bytes();
        let traits = Traits { terms: written(&terms(text)), embedder: embedder.to_owned(), vector };
        store::memories::insert(&mut tx, user.user_id, &memory, &traits).await.unwrap();
    }
    tx.commit().await.unwrap();
    user.user_id
}

async fn texts(store: &Store, user: UserId, text: &str) -> Vec<String> {
    let (found, _) = search(store, &Local, user, text, AT_ONCE).await.unwrap();
    found.into_iter().map(|memory| memory.text).collect()
}

#[tokio::test]
async fn only_ones_own_memories_come_to_mind() {
    for (db, store) in testing::stores().await {
        let ana = person(&store, "ana", &["My dentist is Dr Okafor.", "I like tea."], Local.name()).await;
        let ben = person(&store, "ben", &["My dentist is Dr Strand."], Local.name()).await;
        let cem = person(&store, "cem", &[], Local.name()).await;
        assert_eq!(texts(&store, ana, "who is my dentist").await[0], "My dentist is Dr Okafor.", "{db}");
        assert_eq!(texts(&store, ben, "dentists").await, ["My dentist is Dr Strand."], "{db}");
        assert!(texts(&store, cem, "dentist").await.is_empty(), "{db}");
    }
}

#[tokio::test]
async fn vectors_of_another_embedder_are_not_compared() {
    for (db, store) in testing::stores().await {
        let ana = person(&store, "ana", &["My dentist is Dr Okafor."], "another").await;
        assert!(
            texts(&store, ana, "dentst").await.is_empty(),
            "{db}: no word in common, and no vector of this embedder"
        );
        assert_eq!(texts(&store, ana, "the dentist").await.len(), 1, "{db}: found by its words");
        let mut tx = store.write().await.unwrap();
        let name = Local.name();
        let owners = store::memories::of_other_embedders(&mut tx, name, true, None, 9).await.unwrap();
        assert_eq!(owners, [ana], "{db}");
        assert!(
            store::memories::of_other_embedders(&mut tx, name, true, Some(ana), 9).await.unwrap().is_empty(),
            "{db}"
        );
        let stale = store::memories::of_another_embedder(&mut tx, ana, name, 9).await.unwrap();
        let [(id, text)] = &stale[..] else { panic!("{db}: {stale:?}") };
        let vector = vector(text).to_bytes();
        store::memories::embed(&mut tx, ana, *id, name, &vector).await.unwrap();
        assert!(store::memories::of_other_embedders(&mut tx, name, true, None, 9).await.unwrap().is_empty(), "{db}");
        assert!(store::memories::of_another_embedder(&mut tx, ana, name, 9).await.unwrap().is_empty(), "{db}");
        tx.commit().await.unwrap();
        assert_eq!(texts(&store, ana, "dentst").await.len(), 1, "{db}");
    }
}

#[test]
fn what_comes_to_mind_fits_in_a_prompt() {
    let memory = |length: usize| Memory {
        memory_id: MemoryId::new(),
        text: "x".repeat(length),
        conversation_id: ConversationId::random(),
        first_record: 1,
        last_record: 1,
        created_at: now(),
    };
    let fitting = |lengths: &[usize]| within_budget(lengths.iter().map(|length| memory(*length)).collect()).len();
    assert_eq!(fitting(&[Memory::LONGEST; 5]), 5);
    assert_eq!(fitting(&[1_000, 600, 10]), 2);
}

#[test]
fn nothing_is_found_by_words_that_every_sentence_has() {
    let candidates = [Candidate { id: 1, terms: terms("I have the key."), vector: None }];
    assert!(rank("what do I have", None, &candidates, 5).is_empty());
    assert_eq!(rank("keys", None, &candidates, 5), [1]);
}
