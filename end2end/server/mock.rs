//! A fake provider: `end2end/mockllm`, with a separate process for each test and scripted answers and failures.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::app::{Db, Server, TestApp, complaint};

/// A running fake.
pub struct Mock {
    child: Child,
    /// `http://127.0.0.1:PORT/v1`.
    pub url: String,
    http: reqwest::Client,
}

impl Mock {
    pub fn start() -> Self {
        let script = "end2end/mockllm/mockllm.mjs";
        let mut command = Command::new("node");
        command.args([script, "--port", "0"]).stdout(Stdio::piped());
        let mut child = command.spawn().expect("node runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout is piped"))
            .read_line(&mut line)
            .expect("it says where it is");
        let url = line.trim().rsplit(' ').next().expect("an address").to_owned();
        Self { child, url, http: crate::browsing::plain().build().expect("a client") }
    }

    async fn control(&self, path: &str, body: Value) {
        let url = self.url.replace("/v1", path);
        let answer = self.http.post(url).json(&body).send().await.expect("the stand-in answers");
        assert!(answer.status().is_success());
    }

    /// Makes every request fail in this way; none if empty.
    pub async fn fail(&self, fault: &str) {
        self.control("/_config", json!({ "fault": fault })).await;
    }

    /// Makes embedding requests fail, which other faults do not affect.
    pub async fn fail_embeddings(&self, fault: &str) {
        self.control("/_config", json!({ "embed_fault": fault })).await;
    }

    /// Sets the milliseconds between two streamed chunks.
    pub async fn drip(&self, ms: u32) {
        self.control("/_config", json!({ "token_delay_ms": ms })).await;
    }

    /// Stops reporting token usage.
    pub async fn count_nothing(&self) {
        self.control("/_config", json!({ "usage": false })).await;
    }

    /// Sets answers that take precedence over the default ones.
    pub async fn script(&self, rules: Value) {
        self.control("/_rules", rules).await;
    }

    /// Returns the requests so far.
    pub async fn requests(&self) -> Vec<Value> {
        let url = self.url.replace("/v1", "/_log?n=1000");
        let log: Value = self.http.get(url).send().await.expect("the stand-in answers").json().await.expect("JSON");
        log.as_array().expect("a list").clone()
    }

    /// Returns the environment that makes a server use the fake, with a timeout of one second and no retries.
    pub fn environment<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let mut environment = vec![
            ("DOCKET_ENGINE", "compatible"),
            ("DOCKET_LLM_BASE_URL", self.url.as_str()),
            ("DOCKET_LLM_API_KEY", "sk-test"),
            ("DOCKET_LLM_MODEL", "mock-1"),
            ("DOCKET_LLM_TIMEOUT_MS", "1000"),
            ("DOCKET_LLM_RETRIES", "0"),
        ];
        environment.extend(more);
        environment
    }

    /// Starts a server that uses the fake.
    pub async fn app(&self, db: Db, more: &[(&str, &str)]) -> Option<TestApp> {
        TestApp::start_with(db, &self.environment(more)).await
    }

    /// Starts a server on an existing database, with a long timeout.
    pub fn server(&self, url: &str, more: &[(&str, &str)]) -> Server {
        let environment = [&[("DOCKET_LLM_TIMEOUT_MS", "20000")], more].concat();
        Server::start(url, &self.environment(&environment)).unwrap_or_else(|output| panic!("{}", complaint(&output)))
    }

    /// Starts a server on SQLite.
    pub async fn sqlite(&self, more: &[(&str, &str)]) -> TestApp {
        self.app(Db::Sqlite, more).await.expect("SQLite is always there")
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
