//! Databases, their servers, and queries of the tables afterwards.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};
use tempfile::TempDir;

use crate::{Failure, LEASE_MS};

/// Invariants of every history.
const INVARIANTS: &str = include_str!("../../src/store/invariants.sql");

/// A database and its servers.
pub struct Place {
    pub url: String,
    binary: String,
    servers: Vec<Mutex<Option<Server>>>,
    bases: Vec<Mutex<String>>,
    _folder: TempDir,
}

/// A running server.
pub struct Server {
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        // On Unix this is SIGKILL.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Place {
    fn new(url: String, binary: &str, servers: usize, folder: TempDir) -> Self {
        let (binary, bases) = (binary.to_owned(), (0..servers).map(|_| Mutex::default()).collect());
        Self { url, binary, servers: (0..servers).map(|_| Mutex::default()).collect(), bases, _folder: folder }
    }

    pub fn sqlite(binary: &str) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        Ok(Self::new(format!("sqlite://{}", folder.path().join("docket.db").display()), binary, 1, folder))
    }

    pub async fn postgres(binary: &str, servers: usize) -> Result<Self, Failure> {
        let server = std::env::var("DOCKET_TEST_POSTGRES_URL").map_err(|_| "run it by end2end/pg.sh")?;
        let name = format!("chaos_{}", uuid::Uuid::new_v4().simple());
        let mut connection = PgConnection::connect(&server).await?;
        connection.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await?;
        let (head, _) = server.rsplit_once('/').ok_or("a URL without a database")?;
        Ok(Self::new(format!("{head}/{name}"), binary, servers, tempfile::tempdir()?))
    }

    pub fn servers(&self) -> usize {
        self.servers.len()
    }

    /// Returns the address of the server for the n-th try.
    pub fn base(&self, at: usize) -> String {
        self.bases[at % self.bases.len()].lock().expect("no panic").clone()
    }

    fn docket(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("DOCKET_") || name.ends_with("_API_KEY"))
        {
            command.env_remove(name);
        }
        command
            .args(arguments)
            .env("DOCKET_DATABASE_URL", &self.url)
            .env("DOCKET_ADDR", "127.0.0.1:0")
            .env("DOCKET_LOG", "off")
            .env("DOCKET_RATE_LIMIT_PER_MINUTE", "0")
            .env("DOCKET_LEASE_MS", LEASE_MS.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        command
    }

    /// Starts a server and waits until it prints its address.
    pub async fn start(&self, which: usize) -> Result<(), Failure> {
        let mut command = self.docket(&["serve"]);
        let started = tokio::task::spawn_blocking(move || {
            let mut child = command.spawn()?;
            let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
            let base = lines.find_map(|line| Some(line.ok()?.strip_prefix("Docket is at ")?.to_owned()));
            std::thread::spawn(move || lines.for_each(drop));
            Ok::<_, std::io::Error>((Server { child }, base))
        });
        let (server, base) = started.await??;
        *self.bases[which].lock().expect("no panic") = base.ok_or("a server did not start")?;
        *self.servers[which].lock().expect("no panic") = Some(server);
        Ok(())
    }

    /// Kills a server with SIGKILL.
    pub async fn kill(&self, which: usize) {
        let server = self.servers[which].lock().expect("no panic").take();
        tokio::task::spawn_blocking(move || drop(server)).await.ok();
    }

    /// Creates a user and returns their token.
    pub fn person(&self, name: &str) -> Result<String, Failure> {
        self.command(&["user", "add", name, "--password-stdin"], "correct horse battery")?;
        let scope = "chat,tasks:read,tasks:write,tasks:delete";
        self.command(&["token", "create", "--user", name, "--name", "chaos", "--scope", scope], "")
    }

    fn command(&self, arguments: &[&str], input: &str) -> Result<String, Failure> {
        let mut child = self.docket(arguments).spawn()?;
        child.stdin.take().ok_or("stdin is piped")?.write_all(input.as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("docket {arguments:?} failed").into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

/// A direct connection to the database.
pub enum Rows {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// Runs a single-column query on either database.
macro_rules! all {
    ($rows:expr, $sql:expr) => {
        match $rows {
            Rows::Sqlite(connection) => sqlx::query_scalar(AssertSqlSafe($sql)).fetch_all(connection).await?,
            Rows::Postgres(connection) => sqlx::query_scalar(AssertSqlSafe($sql)).fetch_all(connection).await?,
        }
    };
}

impl Rows {
    pub async fn open(url: &str) -> Result<Self, Failure> {
        Ok(if url.starts_with("sqlite") {
            Self::Sqlite(SqliteConnection::connect(url).await?)
        } else {
            Self::Postgres(PgConnection::connect(url).await?)
        })
    }

    pub async fn open_turns(&mut self) -> Result<Vec<uuid::Uuid>, Failure> {
        Ok(all!(self, "SELECT id FROM turns WHERE status <> 'done'".to_owned()))
    }

    /// Returns true if any of these turns is still not done.
    pub async fn any_open(&mut self, turns: &[uuid::Uuid]) -> Result<bool, Failure> {
        let open = self.open_turns().await?;
        Ok(turns.iter().any(|turn| open.contains(turn)))
    }

    /// Returns how many of these turns are missing or not done.
    pub async fn not_done(&mut self, turns: &[String]) -> Result<usize, Failure> {
        let done: Vec<uuid::Uuid> = all!(self, "SELECT id FROM turns WHERE status = 'done'".to_owned());
        let done: std::collections::HashSet<String> = done.iter().map(ToString::to_string).collect();
        Ok(turns.iter().filter(|turn| !done.contains(*turn)).count())
    }

    /// Returns how many of these titles no task has.
    pub async fn not_there(&mut self, titles: &[String]) -> Result<usize, Failure> {
        let there: Vec<String> = all!(self, "SELECT title FROM tasks".to_owned());
        let there: std::collections::HashSet<String> = there.into_iter().collect();
        Ok(titles.iter().filter(|title| !there.contains(*title)).count())
    }

    /// Returns how many titles several tasks have, although each was requested once.
    pub async fn doubled(&mut self) -> Result<usize, Failure> {
        let twice: Vec<String> = all!(self, "SELECT title FROM tasks GROUP BY title HAVING COUNT(*) > 1".to_owned());
        Ok(twice.len())
    }

    /// Returns the violated invariants.
    pub async fn broken(&mut self) -> Result<Vec<&'static str>, Failure> {
        let mut broken = vec![];
        for block in INVARIANTS.split("\n\n") {
            let (sentence, query) = block.trim().split_once('\n').ok_or("an invariant without a query")?;
            let counts: Vec<i64> = all!(&mut *self, query.to_owned());
            if counts != [0] {
                broken.push(sentence.trim_start_matches("-- "));
            }
        }
        Ok(broken)
    }
}
