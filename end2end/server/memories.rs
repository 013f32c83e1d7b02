//! Memories as their user sees them: created, found, forgotten, switched off.

use serde_json::{Value, json};

use crate::app::{Client, Db, Reply, TestApp, until};
use crate::mock::Mock;
use crate::on_both;

const FACT: &str = "My sister Maya is allergic to peanuts.";
/// A message with the fact and an irrelevant sentence.
const SAID: &str = "Hello there! My sister Maya is allergic to peanuts.";
const HERE: &str = "/settings/memory";

/// Returns the main part of the page, without the conversations, whose titles quote messages.
fn main(page: &Reply) -> &str {
    let (_, main) = page.text.split_once("<main").expect("a page");
    main.split_once("</main>").expect("its end").0
}

/// Sends a plain form of the page, as a browser without a script does; it redirects to the page.
async fn send(browser: &Client, path: &str, fields: &[(&str, &str)]) {
    let fields = [fields, &[("return_to", HERE)]].concat();
    let request = browser.request("POST", path).form(&fields).header("accept", "text/html");
    let reply = Reply::of(request.send().await.expect("an answer")).await;
    assert_eq!((reply.status, reply.header("location")), (303, HERE), "{}", reply.text);
}

on_both! {
    async fn a_person_sees_what_is_remembered_and_has_it_forgotten(app) {
        let mut app = app;
        let ada = app.user("ada");
        let turn = ada.say(SAID).await;
        for _ in 0..29 {
            ada.say_after(&turn, "hello").await;
        }
        // A server checks at its start and every minute.
        app.restart();
        let browser = app.browser("ada").await;
        let memory: Value = until("a memory", || async {
            let found = browser.get("/api/v1/memories/list", &[]).await.ok();
            found["memories"].as_array().unwrap().first().cloned()
        })
        .await;
        assert_eq!((&memory["text"], &memory["conversation_id"]), (&Value::from(FACT), &turn["conversation_id"]));
        let found = browser.get("/api/v1/memories/search", &[("query", "who is alergic to peanut")]).await.ok();
        assert_eq!(found["memories"][0]["memory_id"], memory["memory_id"]);

        let page = browser.get(HERE, &[]).await;
        let talk = format!("/?c={}", turn["conversation_id"].as_str().unwrap());
        for part in [FACT, SAID, "Forget everything", "Turn memory off", &talk] {
            assert!(main(&page).contains(part), "{part}: {}", page.text);
        }
        assert!(browser.get("/settings", &[]).await.text.contains(HERE));
        assert!(main(&browser.get(HERE, &[("query", "alergic to peanut")]).await).contains(FACT));
        let page = browser.get(HERE, &[("query", "zebra <b>")]).await;
        assert!(page.text.contains("No memories match"), "{}", page.text);
        assert!(!page.text.contains("zebra <b>"), "{}", page.text);

        let id = memory["memory_id"].as_str().unwrap();
        send(&browser, "/api/v1/memories/forget", &[("memory_id", id)]).await;
        let page = browser.get(HERE, &[]).await;
        assert!(page.text.contains("No memories yet"), "{}", page.text);
        // The conversation and its title remain.
        assert!(!main(&page).contains(FACT), "{}", main(&page));
        send(&browser, "/api/v1/memories/forget_all", &[]).await;
        send(&browser, "/api/v1/memories/switch", &[("on", "false")]).await;
        assert!(browser.get(HERE, &[]).await.text.contains("Turn memory on"));
        assert_eq!(browser.get("/api/v1/memories/list", &[]).await.ok()["on"], false);
    }
}

#[tokio::test]
async fn running_server_purges_forgotten_memories_from_its_files() {
    let mock = Mock::start();
    let mut app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    let turn = ada.say("hello").await;
    for _ in 0..29 {
        ada.say_after(&turn, "hello").await;
    }
    // Words that nobody wrote: only the memories contain them.
    let notes = "- The person sails to Zanzibar.\n- The person sings in Timbuktu.";
    let script =
        json!([{ "match": "<conversation>", "text": notes }, { "match": "Where does", "text": "I have no idea." }]);
    mock.script(script).await;
    app.server.terminate();
    app.server = mock.server(&app.database.url, &[]);
    let ada = ada.at(&app.server);
    let notes = until("two notes", || async {
        let notes = ada.get("/api/v1/memories/list", &[]).await.ok()["memories"].as_array().unwrap().clone();
        (notes.len() == 2).then_some(notes)
    })
    .await;
    // A turn recalls them; its record names them without repeating their text.
    let reminded = ada.say("Where does the person sail to?").await;
    let story = ada.get("/api/v1/audit/turn", &[("turn_id", reminded["turn_id"].as_str().unwrap())]).await.ok();
    let recalled: Vec<_> = story["memories"].as_array().unwrap().iter().map(|memory| &memory["memory_id"]).collect();
    assert!(recalled.contains(&&notes[0]["memory_id"]) || recalled.contains(&&notes[1]["memory_id"]), "{story}");
    let file = app.database.url.trim_start_matches("sqlite://").to_owned();
    let holding = || {
        let files = ["", "-wal", "-shm"].map(|end| format!("{file}{end}"));
        let holds = |file: &String| {
            let bytes = std::fs::read(file).unwrap_or_default();
            [&b"Zanzibar"[..], b"Timbuktu"].iter().any(|word| bytes.windows(8).any(|part| part == *word))
        };
        files.into_iter().filter(holds).collect::<Vec<_>>()
    };
    assert!(!holding().is_empty(), "they are looked for where they are");
    let id = notes[0]["memory_id"].as_str().unwrap();
    ada.post("/api/v1/memories/forget", &[("memory_id", id)]).await.ok();
    ada.post("/api/v1/memories/forget_all", &[]).await.ok();
    // A server checks at its start and every minute; this one is killed first, and leaves its log unchanged.
    app.server.kill();
    app.server = mock.server(&app.database.url, &[]);
    until("files without them", || async { holding().is_empty().then_some(()) }).await;
    let ada = ada.at(&app.server);
    assert_eq!(ada.get("/api/v1/memories/list", &[]).await.ok()["memories"], json!([]));
}
