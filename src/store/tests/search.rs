//! Search in a long list.

use super::*;
use crate::domain::task::{Description, Filter};

/// More tasks than are searched by blocks.
const MANY: i64 = 1_100;

/// Returns the numbers on a search's first page and the total count.
async fn found(tx: &mut Tx, user: UserId, words: &str) -> (Vec<i64>, i64) {
    let filter = Filter { query: Some(words.into()), ..Filter::default() };
    let page = tasks::list(tx, user, &filter, None, 200).await.unwrap();
    let count = tasks::count(tx, user, &filter).await.unwrap();
    (page.into_iter().map(|stored| stored.task.task_id.0).collect(), count)
}

/// Returns the expected result, from a scan of all tasks.
fn expected(all: &[tasks::Stored], words: &str) -> (Vec<i64>, i64) {
    let text = |task: &Task| {
        format!("{} {}", task.title, task.description.as_ref().map_or("", Description::as_str)).to_lowercase()
    };
    let fits = |stored: &&tasks::Stored| words.split(' ').all(|word| text(&stored.task).contains(word));
    let numbers: Vec<i64> = all.iter().filter(fits).map(|stored| stored.task.task_id.0).collect();
    let count = i64::try_from(numbers.len()).unwrap();
    (numbers.into_iter().take(200).collect(), count)
}

#[tokio::test]
async fn conversation_search_matches_message_text_but_not_its_encoding() {
    for (db, store) in testing::stores().await {
        let ana = user(&store, "ana").await;
        let mut tx = store.write().await.unwrap();
        let conversation = ConversationId::random();
        conversations::create(&mut tx, ana, conversation, "Hello", &now()).await.unwrap();
        let cause = Cause::Message;
        let new =
            turns::NewTurn { conversation, cause, approval: None, client_key: None, lease_ms: None, starter: None };
        let turn = turns::insert(&mut tx, ana, &new, &now()).await.unwrap().id;
        let text = "Say \"École\",\nthen\tC:\\new 100%_";
        let message = messages::NewMessage { conversation, turn, speaker: Speaker::User, text, by: None };
        messages::insert(&mut tx, ana, &message, &now()).await.unwrap();
        for words in ["say \"École\",", "École", ",\nthen", "\tc:\\NEW", "\\new", "100%_", "hello", "\""] {
            let found = conversations::list(&mut tx, ana, Some(words), false, None, 9).await.unwrap();
            assert_eq!(found.len(), 1, "{db}: {words:?}");
        }
        for words in [
            "speaker", "text", "turn", "user", ":\"", "\\\"", "\\nthen", "nthen", "tc:", "\\\\new", "-", "say%", "{",
            "0Z",
        ] {
            let found = conversations::list(&mut tx, ana, Some(words), false, None, 9).await.unwrap();
            assert!(found.is_empty(), "{db}: {words:?}");
        }
    }
}

#[tokio::test]
async fn indexed_search_finds_the_same_tasks_as_a_full_scan() {
    for (db, store) in testing::stores().await {
        let (ana, ben) = (user(&store, "ana").await, user(&store, "ben").await);
        let mut tx = store.write().await.unwrap();
        let mut all = vec![];
        for number in 1..=MANY {
            let mut one = stored(TaskNumber(number));
            one.task.title = Title::parse(&format!("Buy {} thing", number * 7919 % 1_009)).unwrap();
            // Longer than the part of a task that a block contains.
            let notes = format!("{}the Zeppelin", "far ".repeat(70));
            one.task.description = (number % 400 == 7).then(|| Description::parse(&notes).unwrap());
            tasks::insert(&mut tx, ana, &one).await.unwrap();
            all.push(one);
        }
        tasks::insert(&mut tx, ben, &all[0]).await.unwrap();
        for words in
            ["zeppelin", "thing", "uy", "77", "buy 1008", "buy zeppelin", "nothing", "far thing", "5 7", "buy 7"]
        {
            assert_eq!(found(&mut tx, ana, words).await, expected(&all, words), "{db}: {words}");
        }
        assert_eq!(found(&mut tx, ben, "buy").await, (vec![1], 1), "{db}: another's list");
        let seventh = &mut all[6];
        seventh.task.title = Title::parse("Polish the airship").unwrap();
        seventh.task.version += 1;
        assert!(tasks::update(&mut tx, ana, seventh).await.unwrap(), "{db}");
        for words in ["airship", "airship zeppelin", "buy zeppelin"] {
            assert_eq!(found(&mut tx, ana, words).await, expected(&all, words), "{db}: {words}");
        }
        tx.commit().await.unwrap();
        let broken = testing::broken(&mut store.read().await.unwrap()).await;
        assert!(!broken.iter().any(|sentence| sentence.contains("search")), "{db}: {broken:?}");
    }
}
