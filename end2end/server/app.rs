//! The real binary on its own database, and clients.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::browsing::{self, Cookies, Request};
pub use crate::database::{Database, Db};

/// Timeout of every wait in a test.
pub const PATIENCE: Duration = Duration::from_secs(30);
pub const PASSWORD: &str = "correct horse battery";

/// Declares each test for SQLite and PostgreSQL; the latter is skipped if no PostgreSQL is configured.
#[macro_export]
macro_rules! on_both {
    ($(async fn $name:ident($app:ident) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn run($app: $crate::app::TestApp) $body

            #[tokio::test]
            async fn sqlite() {
                run($crate::app::TestApp::start($crate::database::Db::Sqlite).await.expect("SQLite is always there")).await;
            }

            #[tokio::test]
            async fn postgres() {
                if let Some(app) = $crate::app::TestApp::start($crate::database::Db::Postgres).await {
                    run(app).await;
                }
            }
        }
    )+};
}

/// Returns a `docket` command on `url` without this process's settings.
pub fn docket(url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_docket"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("DOCKET_") || name.ends_with("_API_KEY")) {
        command.env_remove(name);
    }
    // SQLite keeps the files next to the database; a PostgreSQL database has no folder.
    if let Some((_, name)) = url.rsplit_once('/').filter(|_| url.starts_with("postgres")) {
        for (variable, end) in [("DOCKET_CHECKPOINT_KEY", "key"), ("DOCKET_CHECKPOINT_LOG", "log")] {
            command.env(variable, checkpoint_file(name, end));
        }
    }
    command
        .args(arguments)
        .env("DOCKET_DATABASE_URL", url)
        .env("DOCKET_ADDR", "127.0.0.1:0")
        .env("DOCKET_LOG", "warn")
        .env("DOCKET_RATE_LIMIT_PER_MINUTE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns the paths of the checkpoint key and log of the database at `url`.
pub fn checkpoint_files(url: &str) -> [PathBuf; 2] {
    match url.strip_prefix("sqlite://") {
        Some(file) => ["checkpoint.key", "checkpoints.log"].map(|name| Path::new(file).with_file_name(name)),
        None => ["key", "log"].map(|end| checkpoint_file(url.rsplit('/').next().expect("a name"), end)),
    }
}

/// Returns the path of the checkpoint key (`key`) or log (`log`) of a PostgreSQL database.
fn checkpoint_file(database: &str, end: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkpoints").join(format!("{database}.{end}"))
}

/// Runs a command to its end, with `input` on standard input.
pub fn finish(mut command: Command, input: &str) -> Output {
    let mut child = command.spawn().expect("the binary runs");
    child.stdin.take().expect("stdin is piped").write_all(input.as_bytes()).ok();
    child.wait_with_output().expect("the command ends")
}

/// Returns the stderr of a command.
pub fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// One running server process.
pub struct Server {
    child: Child,
    /// The stderr so far.
    said: Arc<Mutex<String>>,
    pub base: String,
    /// The one-time setup link, while there is no admin.
    pub setup: Option<String>,
}

impl Server {
    /// Starts a server and waits until it prints its address. Returns its output if it fails to start.
    pub fn start(url: &str, environment: &[(&str, &str)]) -> Result<Self, Output> {
        let mut command = docket(url, &["serve"]);
        command.envs(environment.iter().copied());
        Self::of(command)
    }

    /// Like [`start`](Self::start), for any command that serves.
    pub fn of(mut command: Command) -> Result<Self, Output> {
        let mut child = command.stdin(Stdio::null()).spawn().expect("the binary runs");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let Some(base) = lines.find_map(|line| Some(line.ok()?.strip_prefix("Docket is at ")?.to_owned())) else {
            return Err(child.wait_with_output().expect("the server ends"));
        };
        let mut stderr = child.stderr.take().expect("stderr is piped");
        // Forwarded at once, so that the pipe never fills and a failing test shows the server's output.
        let said = Arc::<Mutex<String>>::default();
        let heard = said.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(size @ 1..) = stderr.read(&mut chunk) {
                let text = String::from_utf8_lossy(&chunk[..size]);
                eprint!("{text}");
                heard.lock().expect("no reader panics").push_str(&text);
            }
        });
        let (found, link) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                found.send(line).ok();
            }
        });
        let mut server = Self { child, said, base, setup: None };
        // If there is a setup link, it follows at once.
        if let Ok(line) = link.recv_timeout(Duration::from_millis(300)) {
            server.setup = line.strip_prefix("Open ").and_then(|rest| rest.split(' ').next()).map(str::to_owned);
        }
        Ok(server)
    }

    /// Returns the stderr so far.
    pub fn said(&self) -> String {
        self.said.lock().expect("no reader panics").clone()
    }

    /// Sends SIGTERM, as a service manager does, and waits for the end.
    pub fn terminate(&mut self) -> std::process::ExitStatus {
        if let Ok(Some(status)) = self.child.try_wait() {
            return status;
        }
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("kill runs");
        self.child.wait().expect("the server ends")
    }

    /// Returns true if SIGKILL ended the server, from itself or another process; `None` while it runs.
    pub fn was_killed(&mut self) -> Option<bool> {
        use std::os::unix::process::ExitStatusExt as _;
        let status = self.child.try_wait().expect("the server can be asked for")?;
        Some(status.signal() == Some(9))
    }

    /// Waits until the server kills itself.
    pub async fn dies(&mut self) {
        let begun = Instant::now();
        while self.was_killed().is_none() {
            assert!(begun.elapsed() < PATIENCE, "waited in vain for a death");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(self.was_killed(), Some(true));
    }

    /// Kills the server, as a power cut does.
    pub fn kill(&mut self) {
        self.child.kill().expect("the server can be killed");
        self.child.wait().expect("the server ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A server on its own database.
pub struct TestApp {
    pub server: Server,
    pub database: Database,
}

impl TestApp {
    pub async fn start(db: Db) -> Option<Self> {
        Self::start_with(db, &[]).await
    }

    /// Starts a server with additional environment variables.
    pub async fn start_with(db: Db, environment: &[(&str, &str)]) -> Option<Self> {
        let database = Database::fresh(db).await?;
        let server =
            Server::start(&database.url, environment).unwrap_or_else(|output| panic!("{}", complaint(&output)));
        Some(Self { server, database })
    }

    /// Starts another server process on the same database.
    pub fn another(&self) -> Server {
        Server::start(&self.database.url, &[]).unwrap_or_else(|output| panic!("{}", complaint(&output)))
    }

    /// Stops the server and starts a new one on the same database.
    pub fn restart(&mut self) {
        self.server.terminate();
        self.server = self.another();
    }

    pub fn checkpoint_log(&self) -> PathBuf {
        let [_, log] = checkpoint_files(&self.database.url);
        log
    }

    /// Runs a command while the server runs; returns its stdout.
    #[track_caller]
    pub fn command(&self, arguments: &[&str], input: &str) -> String {
        let output = finish(docket(&self.database.url, arguments), input);
        assert!(output.status.success(), "docket {arguments:?}: {}", complaint(&output));
        String::from_utf8(output.stdout).expect("output is UTF-8").trim().to_owned()
    }

    /// Returns a client with the cookies of a user who has signed in.
    pub async fn browser(&self, name: &str) -> Client {
        let browser = Client::browser(&self.server.base);
        browser.post("/api/v1/session/sign-in", &[("name", name), ("password", PASSWORD)]).await.ok();
        browser
    }

    /// Creates a user and a token with every scope except administration.
    pub fn user(&self, name: &str) -> Client {
        self.command(&["user", "add", name, "--password-stdin", "--timezone", "Europe/London"], PASSWORD);
        self.token(name, "chat,tasks:read,tasks:write,tasks:delete,audit")
    }

    /// Returns a client with a new token of `user`.
    pub fn token(&self, user: &str, scope: &str) -> Client {
        let token =
            self.command(&["token", "create", "--user", user, "--name", "test", "--scope", scope, "--budget", "0"], "");
        Client { token: Some(token), ..Client::anonymous(&self.server.base) }
    }
}

/// A client of the server.
#[derive(Clone)]
pub struct Client {
    pub http: reqwest::Client,
    pub base: String,
    pub token: Option<String>,
    pub cookies: Option<Cookies>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Reply {
    pub async fn of(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, text: response.text().await.expect("a whole body") }
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Returns the body of a successful answer.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    /// Asserts an error with this status and code whose message contains `part`.
    #[track_caller]
    pub fn is_error(&self, status: u16, code: &str, part: &str) {
        assert_eq!(self.status, status, "{}", self.text);
        let json = self.json();
        assert_eq!(json["error"]["code"], code, "{}", self.text);
        let message = json["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{message}");
        assert_eq!(self.headers["content-type"], "application/json");
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a header is text"))
    }
}

impl Client {
    /// Returns a client without credentials. It follows no redirects.
    pub fn anonymous(base: &str) -> Self {
        let http = browsing::plain().timeout(PATIENCE).build();
        Self { http: http.expect("a client"), base: base.to_owned(), token: None, cookies: None }
    }

    /// Returns a client that keeps cookies, as a browser does.
    pub fn browser(base: &str) -> Self {
        Self { cookies: Some(Cookies::default()), ..Self::anonymous(base) }
    }

    /// Returns the client with another server's address.
    pub fn at(&self, server: &Server) -> Self {
        Self { base: server.base.clone(), ..self.clone() }
    }

    pub fn request(&self, method: &str, path: &str) -> Request {
        let method = method.parse().expect("a method");
        let request = self.http.request(method, format!("{}{path}", self.base));
        let request = match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        Request { request, cookies: self.cookies.clone() }
    }

    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        Reply::of(self.request("POST", path).form(fields).send().await.expect("an answer")).await
    }

    /// Sends a form as a browser without scripts does.
    pub async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let request = self.request("POST", path).header("accept", "text/html").form(fields);
        Reply::of(request.send().await.expect("an answer")).await
    }

    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Reply {
        Reply::of(self.request("GET", path).query(query).send().await.expect("an answer")).await
    }

    /// Sends `message` in a new conversation and waits for the turn.
    pub async fn say(&self, message: &str) -> Value {
        self.post("/api/v1/chat", &[("message", message)]).await.ok()
    }

    /// Continues the conversation of `turn`.
    pub async fn say_after(&self, turn: &Value, message: &str) -> Value {
        let conversation = turn["conversation_id"].as_str().expect("a turn has a conversation");
        self.post("/api/v1/chat", &[("message", message), ("conversation_id", conversation)]).await.ok()
    }

    /// Returns the caller's tasks in any status.
    pub async fn tasks(&self) -> Vec<Value> {
        let list = self.get("/api/v1/tasks/list", &[("status", "all")]).await.ok();
        list["tasks"].as_array().expect("a list of tasks").clone()
    }

    /// Returns the titles of the caller's tasks.
    pub async fn titles(&self) -> Vec<String> {
        self.tasks().await.iter().map(|task| task["title"].as_str().expect("a title").to_owned()).collect()
    }
}

/// Polls until `look` returns a value; the only way to wait in these tests.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, look: impl Fn() -> F) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
