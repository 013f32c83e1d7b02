//! What is remembered, as its person sees it: summed up, found, forgotten, switched off.

use serde_json::Value;

use crate::app::{Client, PASSWORD, Reply, until};
use crate::on_both;

const FACT: &str = "My sister Maya is allergic to peanuts.";
const HERE: &str = "/settings/memory";

/// Sends a plain form of the page, as a browser without a script does; it leads back to the page.
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
        let turn = ada.say(FACT).await;
        for _ in 0..29 {
            ada.say_after(&turn, "hello").await;
        }
        // A server looks when it starts and every minute.
        app.restart();
        let browser = Client::browser(&app.server.base);
        browser.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await.ok();
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
        for part in [FACT, "Forget everything", "Switch memory off", &talk] {
            assert!(page.text.contains(part), "{part}: {}", page.text);
        }
        assert!(browser.get("/settings", &[]).await.text.contains(HERE));
        let page = browser.get(HERE, &[("query", "zebra <b>")]).await;
        assert!(page.text.contains("Nothing that is remembered fits"), "{}", page.text);
        assert!(!page.text.contains("zebra <b>"), "{}", page.text);

        let id = memory["memory_id"].as_str().unwrap();
        send(&browser, "/api/v1/memories/forget", &[("memory_id", id)]).await;
        let page = browser.get(HERE, &[]).await;
        assert!(page.text.contains("Nothing is remembered yet"), "{}", page.text);
        // The conversation itself, which is called by it, stays as it is.
        let (_, main) = page.text.split_once("<main").expect("a page");
        let (main, _) = main.split_once("</main>").expect("its end");
        assert!(!main.contains(FACT), "{main}");
        send(&browser, "/api/v1/memories/forget_all", &[]).await;
        send(&browser, "/api/v1/memories/switch", &[("on", "false")]).await;
        assert!(browser.get(HERE, &[]).await.text.contains("Switch memory on"));
        assert_eq!(browser.get("/api/v1/memories/list", &[]).await.ok()["on"], false);
    }
}
