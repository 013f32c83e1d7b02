//! Memories, and what remains of a deleted one.

use super::*;
use crate::domain::id::MemoryId;
use crate::domain::memory::Memory;
use crate::store::memories::{Summary, Traits};

/// Returns a memory and its search data.
pub fn memory(conversation_id: ConversationId, text: &str) -> (Memory, Traits) {
    let (memory_id, created_at, text) = (MemoryId::new(), now(), text.to_owned());
    let memory = Memory { memory_id, text, conversation_id, first_record: 1, last_record: 3, created_at };
    let terms = memory.text.as_bytes().to_vec();
    (memory, Traits { terms: terms.clone(), embedder: "test".into(), vector: terms })
}

/// Returns a summary of the conversation's first three records, made without a model.
pub fn summary(conversation: ConversationId) -> Summary<'static> {
    let (tokens_in, tokens_out, cost_micros) = (Some(7), Some(2), Some(4));
    Summary { conversation, first_record: 1, last_record: 3, model: None, tokens_in, tokens_out, cost_micros }
}

async fn insert(store: &Store, life: &Life, text: &str) -> MemoryId {
    let (memory, traits) = memory(life.conversation, text);
    let mut tx = store.write().await.unwrap();
    memories::insert(&mut tx, life.user, &memory, &traits).await.unwrap();
    tx.commit().await.unwrap();
    memory.memory_id
}

#[tokio::test]
async fn messages_are_summarised_once_and_in_order() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let lines = memories::unsummarised(&mut tx, life.user, life.conversation, 9).await.unwrap();
        let said: Vec<_> = lines.iter().map(|line| (line.speaker, line.text.as_deref().unwrap())).collect();
        assert_eq!(said, [(Speaker::User, "Add milk"), (Speaker::Assistant, "Added #1.")], "{db}");
        let new = Summary { last_record: lines[0].record, ..summary(life.conversation) };
        assert!(memories::cover(&mut tx, life.user, &new, &now()).await.unwrap(), "{db}");
        assert!(!memories::cover(&mut tx, life.user, &new, &now()).await.unwrap(), "{db}: by another worker");
        let left = memories::unsummarised(&mut tx, life.user, life.conversation, 9).await.unwrap();
        assert_eq!(left, lines[1..], "{db}");
        let epoch = Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(spending::spent(&mut tx, life.user, (&epoch, &now())).await.unwrap(), (5 + 7, 3 + 2), "{db}");
        spending::note(&mut tx, life.user, (9, 0), Some(6), &now()).await.unwrap();
        spending::note(&mut tx, life.user, (1, 4), Some(2), &now()).await.unwrap();
        assert_eq!(
            spending::spent(&mut tx, life.user, (&epoch, &now())).await.unwrap(),
            (5 + 7 + 10, 3 + 2 + 4),
            "{db}"
        );
        let later = now().plus_seconds(1);
        assert_eq!(spending::cost(&mut tx, life.user, &epoch).await.unwrap(), Some(2 + 4 + 6 + 2), "{db}");
        assert_eq!(spending::cost(&mut tx, life.user, &later).await.unwrap(), Some(0), "{db}");
        spending::note(&mut tx, life.user, (9, 0), Some(6), &later).await.unwrap();
        assert_eq!(spending::cost(&mut tx, life.user, &later).await.unwrap(), Some(6), "{db}");
        spending::note(&mut tx, life.user, (9, 0), None, &later).await.unwrap();
        assert_eq!(spending::cost(&mut tx, life.user, &later).await.unwrap(), None, "{db}: a part is no answer");
    }
}

#[tokio::test]
async fn long_conversations_of_those_who_want_it_are_found() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let (past, found) = (now().plus_seconds(-1), vec![(life.user, life.conversation)]);
        let mut tx = store.write().await.unwrap();
        let tx = &mut tx;
        assert_eq!(memories::long(tx, &past, 2, 9).await.unwrap(), found, "{db}");
        assert_eq!(memories::long(tx, &past, 3, 9).await.unwrap(), [], "{db}: too short");
        assert_eq!(memories::long(tx, &now(), 2, 9).await.unwrap(), [], "{db}: too long ago");
        memories::switch_off(tx, life.user, &now()).await.unwrap();
        assert_eq!(memories::long(tx, &past, 2, 9).await.unwrap(), [], "{db}: switched off");
        assert!(!memories::cover(tx, life.user, &summary(life.conversation), &now()).await.unwrap(), "{db}");
        memories::switch_on(tx, life.user, &now()).await.unwrap();
        assert!(memories::is_on(tx, life.user).await.unwrap(), "{db}");
        assert_eq!(memories::long(tx, &past, 2, 9).await.unwrap(), [], "{db}: what was said until then is passed over");
    }
}

#[tokio::test]
async fn of_too_many_memories_the_oldest_goes() {
    let store = Store::open("sqlite::memory:", false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let mut tx = store.write().await.unwrap();
    let mut ids = vec![];
    for n in 0..=Memory::MOST {
        let (memory, traits) = memory(life.conversation, &format!("fact {n}"));
        ids.push(memory.memory_id);
        memories::insert(&mut tx, life.user, &memory, &traits).await.unwrap();
    }
    assert_eq!(memories::count(&mut tx, life.user).await.unwrap(), Memory::MOST);
    assert!(memories::get(&mut tx, life.user, ids[0]).await.unwrap().is_none());
    assert!(memories::get(&mut tx, life.user, ids[1]).await.unwrap().is_some());
}

/// Returns true if a file in `folder` contains the marker.
fn holds(folder: &std::path::Path, marker: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    files.into_iter().any(|bytes| bytes.windows(marker.len()).any(|part| part == marker.as_bytes()))
}

#[tokio::test]
async fn what_was_forgotten_is_nowhere_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.db");
    let store = Store::open(&format!("sqlite://{}", path.display()), false).await.unwrap();
    let life = Life::of(&store, "ana").await;
    let one = insert(&store, &life, "Her cat is called Quizzaciously.").await;
    insert(&store, &life, "Her dog is called Xylophagous.").await;
    assert!(holds(folder.path(), "Quizzaciously") && holds(folder.path(), "Xylophagous"));
    let mut tx = store.write().await.unwrap();
    assert!(memories::forget(&mut tx, life.user, one).await.unwrap());
    assert_eq!(memories::forget_all(&mut tx, life.user).await.unwrap(), 1);
    tx.commit().await.unwrap();
    store.close().await;
    assert!(holds(folder.path(), "Added #1."), "the log is as it was");
    assert!(!holds(folder.path(), "Quizzaciously") && !holds(folder.path(), "Xylophagous"));
}
