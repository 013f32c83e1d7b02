//! The event stream: ordered, without gaps, resumable from any event.

use serde_json::Value;

use crate::app::{Client, Db, PATIENCE, TestApp};
use crate::mock::Mock;
use crate::on_both;

/// A received event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: i64,
    pub kind: String,
    pub data: Value,
}

/// An open stream.
pub struct Stream {
    response: reqwest::Response,
    buffer: String,
}

impl Stream {
    pub async fn open(client: &Client, query: &[(&str, &str)], last: Option<i64>) -> Self {
        Self::attempt(client, query, last).await.expect("a place for the stream")
    }

    /// Opens a stream; `None` if the server has no capacity for the connection.
    pub async fn attempt(client: &Client, query: &[(&str, &str)], last: Option<i64>) -> Option<Self> {
        let mut request = client.request("GET", "/api/v1/events").query(query).header("accept", "text/event-stream");
        if let Some(last) = last {
            request = request.header("last-event-id", last.to_string());
        }
        let response = request.send().await.expect("an answer");
        if response.status() == 503 {
            return None;
        }
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(!response.headers().contains_key("content-encoding"));
        let mut stream = Self { response, buffer: String::new() };
        // The first block confirms the subscription.
        stream.block().await.expect("a greeting");
        Some(stream)
    }

    /// Returns the next block of lines; `None` at the end of the stream.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.buffer = rest;
                return Some(block);
            }
            let chunk =
                tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("an event in time").ok()??;
            self.buffer.push_str(std::str::from_utf8(&chunk).expect("events are UTF-8"));
        }
    }

    /// Returns the next event, skipping heartbeats.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            let block = self.block().await?;
            let field = |name: &str| block.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
            if let (Some(id), Some(kind), Some(data)) = (field("id:"), field("event:"), field("data:")) {
                let data = serde_json::from_str(&data).expect("data is JSON");
                return Some(Event { id: id.parse().expect("an id is a number"), kind, data });
            }
        }
    }

    async fn take(&mut self, count: usize) -> Vec<Event> {
        let mut seen = Vec::with_capacity(count);
        while seen.len() < count {
            seen.push(self.next().await.expect("the stream goes on"));
        }
        seen
    }

    /// Returns events up to and including the next of `kind`.
    pub async fn until(&mut self, kind: &str) -> Vec<Event> {
        let mut seen = Vec::new();
        loop {
            let event = self.next().await.expect("the stream goes on");
            let last = event.kind == kind;
            seen.push(event);
            if last {
                return seen;
            }
        }
    }
}

/// Returns a user and all events of two turns: one with a streamed reply that is partly withdrawn, and one with an approval.
async fn told(app: &mut TestApp) -> (Client, Vec<Event>) {
    let mock = Mock::start();
    app.server.kill();
    app.server = mock.server(&app.database.url, &[]);
    let ada = app.user("ada");
    let mut stream = Stream::open(&ada, &[("after", "0")], None).await;
    let added = ada.say("MOCK:preamble MOCK:slow=150 add milk").await;
    ada.say_after(&added, "delete task 1").await;
    let mut all = stream.until("turn.finished").await;
    all.extend(stream.until("turn.finished").await);
    for kind in ["text.delta", "text.reset", "tool.finished", "approval.requested"] {
        assert!(all.iter().any(|event| event.kind == kind), "{kind} in {all:?}");
    }
    (ada, all)
}

#[tokio::test]
async fn a_stream_goes_on_at_another_process() {
    let Some(mut app) = TestApp::start(Db::Postgres).await else { return };
    let (ada, all) = told(&mut app).await;
    let other = app.another();
    for cut in 0..all.len() {
        let mut before = Stream::open(&ada, &[("after", "0")], None).await;
        let mut seen = before.take(cut).await;
        drop(before);
        let last = seen.last().map_or(0, |event| event.id);
        let mut resumed = Stream::open(&ada.at(&other), &[], Some(last)).await;
        seen.extend(resumed.take(all.len() - cut).await);
        assert_eq!(seen, all, "cut before event {cut}");
    }
}

on_both! {
    async fn a_turn_is_told_as_it_runs(app) {
        let ada = app.user("ada");
        let mut stream = Stream::open(&ada, &[], None).await;
        ada.say("add buy milk").await;
        let seen = stream.until("turn.finished").await;
        let kinds: Vec<&str> = seen.iter().map(|event| event.kind.as_str()).collect();
        for kind in ["tool.started", "tool.finished", "task.changed"] {
            assert!(kinds.contains(&kind), "{kinds:?}");
        }
        assert_eq!(kinds[0], "turn.started");
    }

    async fn whoever_comes_back_misses_nothing_and_hears_nothing_twice(app) {
        let ada = app.user("ada");
        let mut whole = Stream::open(&ada, &[("after", "0")], None).await;
        for title in ["one", "two", "three"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        ada.say("add four").await;
        let all = whole.until("turn.finished").await;
        let ids: Vec<i64> = all.iter().map(|event| event.id).collect();
        assert_eq!(ids, (1..=all.len() as i64).collect::<Vec<_>>(), "from 1, without a gap");
        for cut in 0..all.len() {
            let after = if cut == 0 { 0 } else { all[cut - 1].id };
            let mut by_query = Stream::open(&ada, &[("after", &after.to_string())], None).await;
            assert_eq!(by_query.until("turn.finished").await, all[cut..]);
            // The header that a browser sends on reconnection overrides the original address.
            let mut by_header = Stream::open(&ada, &[("after", "0")], Some(after)).await;
            assert_eq!(by_header.until("turn.finished").await, all[cut..]);
        }
    }

    async fn a_restart_at_any_event_is_not_heard(app) {
        let mut app = app;
        let (ada, all) = told(&mut app).await;
        for cut in 0..all.len() {
            let before = all[..cut].last().map_or(0, |event| event.id);
            // Alternates SIGTERM and a power cut.
            if cut % 2 == 0 {
                app.restart();
            } else {
                app.server.kill();
                app.server = app.another();
            }
            let mut resumed = Stream::open(&ada.at(&app.server), &[], Some(before)).await;
            assert_eq!(resumed.take(all.len() - cut).await, all[cut..], "cut before event {cut}");
        }
    }

    async fn the_words_that_stand_are_those_that_are_kept(app) {
        let mut app = app;
        let (ada, all) = told(&mut app).await;
        let (mut text, mut spoken, mut replies) = (String::new(), vec![], vec![]);
        for Event { kind, data, .. } in &all {
            match kind.as_str() {
                "turn.started" | "text.reset" => text.clear(),
                "text.delta" => text.push_str(data["text"].as_str().unwrap()),
                "turn.finished" => {
                    spoken.push(text.clone());
                    replies.push(data["reply"].as_str().unwrap());
                }
                _ => {}
            }
        }
        let conversation = all[0].data["conversation_id"].as_str().unwrap();
        let page = ada.get("/api/v1/conversations/messages", &[("conversation_id", conversation)]).await.ok();
        let kept: Vec<_> = page["items"].as_array().unwrap().iter().filter(|item| item["speaker"] == "assistant").collect();
        assert_eq!(replies, kept.iter().map(|item| item["text"].as_str().unwrap()).collect::<Vec<_>>());
        assert_eq!(spoken, [replies[0], ""], "a question comes whole");
    }

    async fn the_stream_begins_where_the_page_ended(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "on the page")]).await.ok();
        let head = ada.get("/api/v1/session/me", &[]).await.ok()["head"].to_string();
        let page = ada.get("/api/v1/tasks/list", &[]).await.ok();
        assert_eq!(page["tasks"].as_array().unwrap().len(), 1);
        // An event before the stream opens is neither lost nor repeated.
        ada.post("/api/v1/tasks/add", &[("title", "in between")]).await.ok();
        let mut stream = Stream::open(&ada, &[("after", &head)], None).await;
        ada.post("/api/v1/tasks/add", &[("title", "afterwards")]).await.ok();
        for title in ["in between", "afterwards"] {
            assert_eq!(stream.next().await.unwrap().data["task"]["title"], title);
        }
    }

    async fn a_number_from_the_future_means_load_afresh(app) {
        let ada = app.user("ada");
        let mut stream = Stream::open(&ada, &[("after", "999")], None).await;
        assert_eq!(stream.next().await.unwrap().kind, "stream.reset");
        ada.post("/api/v1/tasks/add", &[("title", "one")]).await.ok();
        assert_eq!(stream.next().await.unwrap().kind, "task.changed");
    }

    async fn nobody_hears_of_others(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        let mut stream = Stream::open(&bob, &[("after", "0")], None).await;
        ada.post("/api/v1/tasks/add", &[("title", "secret")]).await.ok();
        bob.post("/api/v1/tasks/add", &[("title", "mine")]).await.ok();
        let seen = stream.until("task.changed").await;
        assert_eq!((seen.len(), seen[0].id), (1, 1));
        assert!(!seen[0].data.to_string().contains("secret"));
    }

    async fn a_token_hears_of_what_it_may_read(app) {
        let ada = app.user("ada");
        let (tasks, chat) = (app.token("ada", "tasks:read"), app.token("ada", "chat"));
        ada.say("add milk").await;
        let mut whole = Stream::open(&ada, &[("after", "0")], None).await;
        let all = whole.until("turn.finished").await;
        let of_tasks = |event: &&Event| event.kind == "task.changed";
        let (expected, spoken): (Vec<_>, Vec<_>) = all.iter().cloned().partition(|event| of_tasks(&event));
        assert!(!expected.is_empty() && spoken.len() > 2, "{all:?}");
        assert_eq!(Stream::open(&chat, &[("after", "0")], None).await.take(spoken.len()).await, spoken);
        let mut stream = Stream::open(&tasks, &[("after", "0")], None).await;
        assert_eq!(stream.take(expected.len()).await, expected);
        // Events that it may not see do not delay the others.
        ada.say("add eggs").await;
        assert_eq!(stream.next().await.unwrap().data["task"]["title"], "eggs");
    }

    async fn event_stream_ends_once_its_credentials_are_revoked(app) {
        let ada = app.user("ada");
        let browser = app.browser("ada").await;
        let desk = app.token("ada", "tasks:read");
        let mut streams = vec![Stream::open(&desk, &[], None).await, Stream::open(&browser, &[], None).await];
        let tokens = ada.get("/api/v1/settings/tokens", &[]).await;
        assert_eq!(tokens.status, 403, "tokens are a session's business: {}", tokens.text);
        let tokens = browser.get("/api/v1/settings/tokens", &[]).await.ok();
        let last = tokens.as_array().unwrap().last().unwrap();
        browser.post("/api/v1/settings/tokens/revoke", &[("token_id", last["token_id"].as_str().unwrap())]).await.ok();
        browser.post("/api/v1/session/sign-out", &[]).await.ok();
        ada.post("/api/v1/tasks/add", &[("title", "a secret by now")]).await.ok();
        for stream in &mut streams {
            assert_eq!(stream.next().await, None);
        }
    }

    async fn a_server_that_stops_ends_its_streams(app) {
        let mut app = app;
        let ada = app.user("ada");
        let mut stream = Stream::open(&ada, &[], None).await;
        assert!(app.server.terminate().success(), "an open stream does not hold the server");
        assert_eq!(stream.next().await, None);
    }

    async fn wrong_places_to_begin_are_refused(app) {
        let ada = app.user("ada");
        for after in ["x", "-1", "1.5"] {
            ada.get("/api/v1/events", &[("after", after)]).await.is_error(400, "malformed", "number");
        }
        Client::anonymous(&app.server.base).get("/api/v1/events", &[]).await.is_error(401, "unauthenticated", "");
        app.token("ada", "audit").get("/api/v1/events", &[]).await.is_error(403, "forbidden", "");
    }
}
