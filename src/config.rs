//! Every environment variable, its default and its unit: one table, read once at the start.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use reader::Reader;

use crate::domain::time::Timestamp;
use crate::fault::Faults;

/// What tokens cost.
mod price;
/// Reading, checking and explaining single values.
mod reader;

pub use price::Price;

/// One environment variable, as the README's table and the parser both use it.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub name: &'static str,
    /// What holds when the variable is unset or empty; `None` means nothing.
    pub default: Option<&'static str>,
    /// What it is, with its unit, and what is allowed.
    pub meaning: &'static str,
}

const fn var(name: &'static str, default: Option<&'static str>, meaning: &'static str) -> Variable {
    Variable { name, default, meaning }
}

/// The closed set of variables.
#[rustfmt::skip]
pub const VARIABLES: &[Variable] = &[
    var("DOCKET_ADDR", Some("127.0.0.1:3000"), "address and port to listen on; port 0 takes a free one"),
    var("DOCKET_DATABASE_URL", Some("sqlite://data/docket.db"), "`sqlite://FILE`, or `postgres://…`"),
    var("DOCKET_PUBLIC_URL", None, "the address people open, e.g. `https://docket.example`; unset: `http://` and DOCKET_ADDR. Decides links, the origin check and whether cookies are `Secure`"),
    var("DOCKET_MAX_CONNECTIONS", None, "connections open at once, event streams included, 1 to 1000000; unset: as many as the limit on open files leaves room for, at most 4096"),
    var("DOCKET_ENGINE", Some("auto"), "`auto`, `rules`, `openai`, `gemini` or `compatible`; auto is the first of the three that has its key (`compatible`: its address and model), else the rules"),
    var("OPENAI_API_KEY", None, "key of the engine `openai`"),
    var("OPENAI_MODEL", Some("gpt-4o-mini"), "its model"),
    var("OPENAI_BASE_URL", Some("https://api.openai.com/v1"), "its address; an http or https URL"),
    var("GEMINI_API_KEY", None, "key of the engine `gemini`"),
    var("GEMINI_MODEL", Some("gemini-2.5-flash"), "its model"),
    var("GEMINI_BASE_URL", Some("https://generativelanguage.googleapis.com/v1beta/openai"), "its OpenAI-compatible address; an http or https URL"),
    var("DOCKET_LLM_BASE_URL", None, "address of the engine `compatible`: any OpenAI-compatible server (`…/v1`), such as Ollama, llama.cpp, vLLM or OpenRouter"),
    var("DOCKET_LLM_API_KEY", None, "its key, if it wants one"),
    var("DOCKET_LLM_MODEL", None, "its model"),
    var("DOCKET_LLM_TIMEOUT_MS", Some("30000"), "milliseconds a model call may take, 100 to 600000; a streamed reply also has to begin within 10 s"),
    var("DOCKET_LLM_RETRIES", Some("2"), "repeats of a failed model call, 0 to 10"),
    var("DOCKET_LLM_STREAM", Some("on"), "`on`: replies appear while they are written; `off`: when they are whole"),
    var("DOCKET_CONTEXT_TOKENS", Some("16384"), "tokens that the model takes in and gives out at once, 2048 to 10000000; what is too much of a conversation is left out, the oldest first"),
    var("DOCKET_TEMPERATURE", Some("0.7"), "sampling temperature of models, 0 to 2"),
    var("DOCKET_MAX_TOKENS", Some("1024"), "tokens a model's reply may have, 1 to 1000000 and at most half of DOCKET_CONTEXT_TOKENS"),
    var("DOCKET_HISTORY_MESSAGES", Some("20"), "messages of the conversation that an engine sees, 1 to 200"),
    var("DOCKET_MAX_STEPS", Some("5"), "rounds of tool calls in a turn, 1 to 50"),
    var("DOCKET_MAX_TOOL_CALLS", Some("25"), "tool calls in a turn, 1 to 1000"),
    var("DOCKET_DAILY_TOKENS", Some("0"), "model tokens per user and day; 0 = no cap"),
    var("DOCKET_PRICE_INPUT", None, "what a million tokens sent to the model cost, such as `0.15`, in any currency; those of the embedding model count as these. Unset: unknown, and costs are shown as –"),
    var("DOCKET_PRICE_OUTPUT", None, "what a million tokens of its replies cost; set both or neither"),
    var("DOCKET_SQLITE_SYNCHRONOUS", Some("full"), "`full`: a power cut loses nothing acknowledged; `normal`: faster, may lose the last moments"),
    var("DOCKET_APPROVAL_TTL_SECONDS", Some("86400"), "seconds until an unanswered approval expires, 1 to 31536000"),
    var("DOCKET_LEASE_MS", Some("10000"), "milliseconds a worker owns a turn before another may take over, 100 to 600000"),
    var("DOCKET_WORKERS", Some("256"), "turns at once in this process, 1 to 10000"),
    var("DOCKET_SEARCH_TURNS", Some("5000"), "turns of the record that a page looks through for words before it offers to look further, 1 to 1000000"),
    var("DOCKET_RATE_LIMIT_PER_MINUTE", Some("30"), "messages per user and minute, and as many calls of all their outside agents together, up to 1000000; 0 = off"),
    var("DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE", None, "messages and outside agents' calls per address and minute, up to 60000; 0 = off; unset: ten times DOCKET_RATE_LIMIT_PER_MINUTE"),
    var("DOCKET_TRUSTED_PROXIES", None, "comma-separated IP addresses whose X-Forwarded-For counts"),
    var("DOCKET_RETENTION_DAYS", Some("0"), "days after which what was said and done is erased, texts only, 1 to 36500; 0 = never"),
    var("DOCKET_MEMORY", Some("on"), "`on`: what older messages said is noted down and recalled; `off`: nothing is"),
    var("DOCKET_EMBEDDING_MODEL", None, "the embedding model of the engine's provider, such as `text-embedding-3-small`, by which notes are found; unset, or where no model is configured: this machine does it, and sends nothing for it"),
    var("DOCKET_EMBEDDING_DIMENSIONS", None, "numbers of each of its vectors, 8 to 4096, for models that can be told; unset: the model's own. Fewer are searched faster"),
    var("DOCKET_TELEGRAM_TOKEN", None, "the token of your Telegram bot, from @BotFather; unset: no Telegram"),
    var("DOCKET_TELEGRAM_SECRET", None, "what Telegram shows with each update: 1 to 256 of A–Z, a–z, 0–9, _ and -; needed with the token"),
    var("DOCKET_TELEGRAM_API", Some("https://api.telegram.org"), "where the Bot API is; an http or https URL"),
    var("DOCKET_CHECKPOINT_KEY", None, "file of the key that signs checkpoints of the record, made at the first start; unset: `checkpoint.key` beside the SQLite file, with PostgreSQL in `data`. All servers of one database need the same"),
    var("DOCKET_CHECKPOINT_LOG", None, "file that every checkpoint is appended to; unset: `checkpoints.log` beside the SQLite file, with PostgreSQL in `data`"),
    var("DOCKET_SITE_DIR", None, "folder to serve the site's files from instead of those inside the binary (for development)"),
    var("DOCKET_LOG", Some("info"), "what is logged: `error`, `warn`, `info`, `debug`, or filters such as `docket=debug,warn`"),
    var("DOCKET_METRICS_TOKEN", None, "what `/metrics` wants to be shown, as `Authorization: Bearer …`; unset: `/metrics` answers this machine alone"),
    var("OTEL_EXPORTER_OTLP_ENDPOINT", None, "base address of a collector of OpenTelemetry spans (OTLP over HTTP), such as `http://127.0.0.1:4318`; unset: no spans"),
];

/// Where a process of a debug build is to kill itself, for tests: `before step`, `after finish 2`. No variable of the table, since
/// no release build has it.
#[cfg(debug_assertions)]
pub const CRASH: &str = "DOCKET_CRASH";

/// The time at which the clock of a debug build's process begins, for tests: `2026-11-27T09:00:00Z`. No variable of the table either.
#[cfg(debug_assertions)]
pub const CLOCK: &str = "DOCKET_CLOCK";

/// The time at which the clock of PostgreSQL begins for a debug build's process, for tests. With SQLite, whose clock is that of the
/// process, it says nothing. No variable of the table either.
#[cfg(debug_assertions)]
pub const DATABASE_CLOCK: &str = "DOCKET_DATABASE_CLOCK";

/// A variable whose value cannot be used. Its text names the variable and says what is allowed; never a secret's value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {problem}")]
pub struct ConfigError {
    pub variable: &'static str,
    pub problem: String,
}

/// A key, token or password: never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Which engine decides: `auto` is settled when the configuration is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    Rules,
    Openai,
    Gemini,
    Compatible,
}

impl EngineChoice {
    /// The name that the variable knows it by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Compatible => "compatible",
        }
    }
}

/// How hard SQLite makes a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    Full,
    Normal,
}

/// Where a model listens and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub base_url: Option<String>,
    pub api_key: Option<Secret>,
    pub model: Option<String>,
}

/// Which of the provider's models makes vectors; without a name none does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding {
    pub model: Option<String>,
    /// How many numbers a vector is to have; `None` leaves it to the model.
    pub dimensions: Option<u32>,
}

/// Limits of a turn and of the calls to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnLimits {
    pub llm_timeout_ms: u64,
    pub llm_retries: u32,
    pub temperature: f64,
    pub max_tokens: u32,
    /// Tokens that the model takes in and gives out at once.
    pub context_tokens: u32,
    /// Whether replies come while they are written.
    pub stream: bool,
    pub history_messages: u32,
    pub max_steps: u32,
    pub max_tool_calls: u32,
    /// 0 = no cap.
    pub daily_tokens: u64,
}

/// The Telegram channel's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telegram {
    pub token: Option<Secret>,
    pub secret: Option<Secret>,
    pub api: String,
}

/// The whole configuration; what each field means stands in [`VARIABLES`].
#[derive(Debug, Clone)]
pub struct Config {
    pub addr: SocketAddr,
    /// May hold a password: log it only by [`Config::database_name`].
    pub database_url: String,
    /// An origin without a trailing slash. Until the port is known it follows `addr`; see [`Config::listening_on`].
    pub public_url: String,
    public_url_given: bool,
    /// `None`: as many as the limit on open files leaves room for.
    pub max_connections: Option<usize>,
    pub engine: EngineChoice,
    pub openai: Endpoint,
    pub gemini: Endpoint,
    pub compatible: Endpoint,
    pub turn: TurnLimits,
    /// `None` where it is not known.
    pub price: Option<Price>,
    pub sqlite_synchronous: Synchronous,
    pub approval_ttl_seconds: i64,
    pub lease_ms: i64,
    pub workers: usize,
    /// Turns of the record that are looked through for words at once.
    pub search_turns: usize,
    /// 0 = off.
    pub rate_limit_per_minute: u32,
    /// 0 = off.
    pub address_rate_limit_per_minute: u32,
    pub trusted_proxies: Vec<IpAddr>,
    /// After how many days texts are erased; 0 = never.
    pub retention_days: i64,
    pub memory: bool,
    pub embedding: Embedding,
    pub telegram: Telegram,
    /// The key that signs checkpoints.
    pub checkpoint_key: PathBuf,
    /// The log of checkpoints.
    pub checkpoint_log: PathBuf,
    pub site_dir: Option<PathBuf>,
    pub log: String,
    /// Who may read the metrics from another machine.
    pub metrics_token: Option<Secret>,
    /// The base address of a collector of spans.
    pub otlp_endpoint: Option<String>,
    /// Faults planned by [`CRASH`], which only debug builds know.
    pub faults: Faults,
    /// The time that [`CLOCK`] names; `None` for the real one.
    pub clock: Option<Timestamp>,
    /// The time that [`DATABASE_CLOCK`] names; `None` for the real one.
    pub database_clock: Option<Timestamp>,
}

/// What the command line says in place of the environment.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub database_url: Option<String>,
}

impl Config {
    /// Reads the process's environment, `overrides` first.
    pub fn from_env(overrides: &Overrides) -> Result<Self, ConfigError> {
        Self::from(|name| match (name, &overrides.database_url) {
            ("DOCKET_DATABASE_URL", Some(url)) => Some(url.clone()),
            _ => std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
        })
    }

    /// The value of a variable that a command was told the name of: a token is not to stand in a list of processes.
    pub fn secret(name: &str) -> Option<Secret> {
        std::env::var_os(name)
            .map(|value| value.to_string_lossy().trim().to_owned())
            .filter(|value| !value.is_empty())
            .map(Secret)
    }

    /// The configuration that `lookup` describes; an empty value counts as unset.
    pub fn from(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let read = Reader::new(lookup);
        let addr = read.parsed("DOCKET_ADDR", "an address and a port, such as 127.0.0.1:3000")?;
        let public_url = read.optional("DOCKET_PUBLIC_URL", reader::origin)?;
        let openai = read.endpoint("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")?;
        let gemini = read.endpoint("GEMINI_BASE_URL", "GEMINI_API_KEY", "GEMINI_MODEL")?;
        let compatible = read.endpoint("DOCKET_LLM_BASE_URL", "DOCKET_LLM_API_KEY", "DOCKET_LLM_MODEL")?;
        let rate_limit_per_minute = read.between("DOCKET_RATE_LIMIT_PER_MINUTE", 0, 1_000_000)?;
        let database_url = read.checked("DOCKET_DATABASE_URL", reader::database_url)?;
        let [checkpoint_key, checkpoint_log] = read.checkpoints(&database_url);
        Ok(Self {
            addr,
            database_url,
            checkpoint_key,
            checkpoint_log,
            public_url_given: public_url.is_some(),
            public_url: public_url.unwrap_or_else(|| reader::local_origin(addr)),
            max_connections: read.max_connections()?,
            engine: read.engine(&openai, &gemini, &compatible)?,
            openai,
            gemini,
            compatible,
            turn: read.turn_limits()?,
            price: read.price()?,
            sqlite_synchronous: read.checked("DOCKET_SQLITE_SYNCHRONOUS", |text| match text {
                "full" => Ok(Synchronous::Full),
                "normal" => Ok(Synchronous::Normal),
                _ => Err("full or normal".into()),
            })?,
            approval_ttl_seconds: read.between("DOCKET_APPROVAL_TTL_SECONDS", 1, 31_536_000)?,
            lease_ms: read.between("DOCKET_LEASE_MS", 100, 600_000)?,
            workers: read.between("DOCKET_WORKERS", 1, 10_000)?,
            search_turns: read.between("DOCKET_SEARCH_TURNS", 1, 1_000_000)?,
            rate_limit_per_minute,
            address_rate_limit_per_minute: read.address_limit(rate_limit_per_minute)?,
            trusted_proxies: read.addresses("DOCKET_TRUSTED_PROXIES")?,
            retention_days: read.between("DOCKET_RETENTION_DAYS", 0, 36_500)?,
            memory: read.checked("DOCKET_MEMORY", reader::on_or_off)?,
            embedding: read.embedding()?,
            telegram: read.telegram()?,
            site_dir: read.get("DOCKET_SITE_DIR").map(PathBuf::from),
            log: read.checked("DOCKET_LOG", reader::log_filter)?,
            metrics_token: read.token("DOCKET_METRICS_TOKEN")?,
            otlp_endpoint: read.optional("OTEL_EXPORTER_OTLP_ENDPOINT", reader::http_url)?,
            #[cfg(debug_assertions)]
            faults: read.crash()?,
            #[cfg(not(debug_assertions))]
            faults: Faults::default(),
            #[cfg(debug_assertions)]
            clock: read.clock(CLOCK)?,
            #[cfg(not(debug_assertions))]
            clock: None,
            #[cfg(debug_assertions)]
            database_clock: read.clock(DATABASE_CLOCK)?,
            #[cfg(not(debug_assertions))]
            database_clock: None,
        })
    }

    /// Where the model of the engine is; `None` for the rules.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self.engine {
            EngineChoice::Rules => None,
            EngineChoice::Openai => Some(&self.openai),
            EngineChoice::Gemini => Some(&self.gemini),
            EngineChoice::Compatible => Some(&self.compatible),
        }
    }

    /// The provider's model that makes vectors; `None` where this machine makes them.
    pub fn embedder(&self) -> Option<&str> {
        self.endpoint().and(self.embedding.model.as_deref())
    }

    /// The same with the rules as the engine, whatever keys there are.
    pub fn on_rules(self) -> Self {
        Self { engine: EngineChoice::Rules, ..self }
    }

    /// The same without a limit of messages: for evaluations, whose clock stands still.
    pub fn unlimited(self) -> Self {
        Self { rate_limit_per_minute: 0, address_rate_limit_per_minute: 0, ..self }
    }

    /// The same configuration once the port is known: what port 0 came to.
    pub fn listening_on(mut self, addr: SocketAddr) -> Self {
        self.addr = addr;
        if !self.public_url_given {
            self.public_url = reader::local_origin(addr);
        }
        self
    }

    /// Whether people come by https: then cookies are `Secure`.
    pub fn secure(&self) -> bool {
        self.public_url.starts_with("https://")
    }

    /// Whether people come by a proxy, since Docket itself speaks no https, whose address is not known: then all seem to come from there.
    pub fn hides_addresses(&self) -> bool {
        self.secure() && self.trusted_proxies.is_empty()
    }

    /// SQLite's file; `None` for PostgreSQL and for a database in memory.
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        reader::sqlite_file(&self.database_url)
    }

    /// The database in words that hold no password.
    pub fn database_name(&self) -> String {
        match self.sqlite_file() {
            Some(file) => format!("the SQLite file {}", file.display()),
            None if self.database_url.starts_with("sqlite:") => "SQLite in memory".into(),
            None => {
                let after = self.database_url.rsplit('@').next().unwrap_or_default();
                let place = after.split("://").last().unwrap_or_default().split('?').next().unwrap_or_default();
                format!("PostgreSQL at {place}")
            }
        }
    }
}

#[cfg(test)]
mod tests;
