//! Every environment variable with its default and unit: one table, read once at startup.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use reader::Reader;

use crate::domain::time::Timestamp;
use crate::fault::Faults;

mod network;
mod price;
mod reader;

pub use network::Network;
pub use price::Price;

/// One environment variable, as `docs/configuration.md` and the parser use it.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub name: &'static str,
    /// The value if the variable is unset or empty; `None` if there is no default.
    pub default: Option<&'static str>,
    /// Meaning, unit and allowed values.
    pub meaning: &'static str,
}

const fn var(name: &'static str, default: Option<&'static str>, meaning: &'static str) -> Variable {
    Variable { name, default, meaning }
}

/// The closed set of variables.
#[rustfmt::skip]
pub const VARIABLES: &[Variable] = &[
    var("DOCKET_ADDR", Some("127.0.0.1:3000"), "address and port to listen on; port 0 picks a free port"),
    var("DOCKET_DATABASE_URL", Some("sqlite://data/docket.db"), "`sqlite://FILE` or `postgres://…`"),
    var("DOCKET_PUBLIC_URL", None, "the address that people open, such as `https://docket.example`; unset: `http://` and DOCKET_ADDR. Used for links and the origin check; with https, cookies are `Secure`"),
    var("DOCKET_MAX_CONNECTIONS", None, "open connections, event streams included, 1 to 1000000; unset: as many as the limit on open files allows, at most 4096"),
    var("DOCKET_ENGINE", Some("auto"), "`auto`, `rules`, `openai`, `gemini` or `compatible`; auto picks the first of the last three that is configured (a key; for `compatible` an address and a model), otherwise `rules`"),
    var("OPENAI_API_KEY", None, "API key of the engine `openai`"),
    var("OPENAI_MODEL", Some("gpt-4o-mini"), "model of the engine `openai`"),
    var("OPENAI_BASE_URL", Some("https://api.openai.com/v1"), "address of the engine `openai`; an http or https URL, with a query such as `?api-version=…` if the provider needs one"),
    var("GEMINI_API_KEY", None, "API key of the engine `gemini`"),
    var("GEMINI_MODEL", Some("gemini-2.5-flash"), "model of the engine `gemini`"),
    var("GEMINI_BASE_URL", Some("https://generativelanguage.googleapis.com/v1beta/openai"), "OpenAI-compatible address of the engine `gemini`; an http or https URL"),
    var("DOCKET_LLM_BASE_URL", None, "address of the engine `compatible`: any OpenAI-compatible server (`…/v1`), such as Ollama, llama.cpp, vLLM or OpenRouter"),
    var("DOCKET_LLM_API_KEY", None, "API key of the engine `compatible`, if it needs one"),
    var("DOCKET_LLM_MODEL", None, "model of the engine `compatible`"),
    var("DOCKET_LLM_TIMEOUT_MS", Some("30000"), "timeout of a model call in milliseconds, 100 to 600000; a streamed reply must also begin within 10 s"),
    var("DOCKET_LLM_RETRIES", Some("2"), "retries of a failed model call, 0 to 10"),
    var("DOCKET_LLM_STREAM", Some("on"), "`on`: replies appear while they are written; `off`: replies appear when they are complete"),
    var("DOCKET_CONTEXT_TOKENS", Some("16384"), "size of the model's context window in tokens, input and output together, 2048 to 10000000; the oldest messages are left out first"),
    var("DOCKET_TEMPERATURE", Some("0.7"), "sampling temperature, 0 to 2"),
    var("DOCKET_MAX_TOKENS", Some("1024"), "longest reply of the model in tokens, 1 to 1000000, at most half of DOCKET_CONTEXT_TOKENS"),
    var("DOCKET_HISTORY_MESSAGES", Some("20"), "messages of the conversation that the engine receives, 1 to 200"),
    var("DOCKET_MAX_STEPS", Some("5"), "rounds of tool calls in a turn, 1 to 50"),
    var("DOCKET_MAX_TOOL_CALLS", Some("25"), "tool calls in a turn, 1 to 1000"),
    var("DOCKET_DAILY_TOKENS", Some("0"), "model tokens per user and day; 0 = unlimited"),
    var("DOCKET_PRICE_INPUT", None, "price of a million input tokens, such as `0.15`, in any currency; embedding tokens count as input. Unset: unknown, and costs are shown as –"),
    var("DOCKET_PRICE_OUTPUT", None, "price of a million output tokens; set both prices or neither"),
    var("DOCKET_SQLITE_SYNCHRONOUS", Some("full"), "`full`: a power cut loses nothing that was acknowledged; `normal`: faster, a power cut may lose the last commits"),
    var("DOCKET_APPROVAL_TTL_SECONDS", Some("86400"), "seconds until an unanswered approval expires, 1 to 31536000"),
    var("DOCKET_LEASE_MS", Some("10000"), "milliseconds that a worker owns a turn before another one may claim it, 100 to 600000"),
    var("DOCKET_WORKERS", Some("256"), "turns that one process runs at the same time, 1 to 10000"),
    var("DOCKET_SEARCH_TURNS", Some("5000"), "turns of the audit log that one text search reads before it offers to continue, 1 to 1000000"),
    var("DOCKET_RATE_LIMIT_PER_MINUTE", Some("30"), "messages per user and minute, and the same number of calls of all the user's agents together, up to 1000000; 0 = unlimited"),
    var("DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE", None, "messages and agent calls per IP address and minute, up to 60000; 0 = unlimited; unset: ten times DOCKET_RATE_LIMIT_PER_MINUTE"),
    var("DOCKET_TRUSTED_PROXIES", None, "comma-separated IP addresses or networks, such as `10.0.0.0/8`, of proxies whose X-Forwarded-For is trusted"),
    var("DOCKET_RETENTION_DAYS", Some("0"), "days after which the texts of messages and records are erased, 1 to 36500; 0 = never"),
    var("DOCKET_MEMORY", Some("on"), "`on`: older messages are summarised and recalled; `off`: they are not"),
    var("DOCKET_EMBEDDING_MODEL", None, "embedding model of the engine's provider, such as `text-embedding-3-small`, used to search memories; unset or without a model: embeddings are computed on this machine and nothing is sent"),
    var("DOCKET_EMBEDDING_DIMENSIONS", None, "dimensions of the provider's embeddings, 8 to 4096, if its model supports the choice; unset: the model's default. Fewer are faster to search"),
    var("DOCKET_TELEGRAM_TOKEN", None, "token of your Telegram bot, from @BotFather; unset: no Telegram"),
    var("DOCKET_TELEGRAM_SECRET", None, "secret that Telegram sends with every update: 1 to 256 of A–Z, a–z, 0–9, _ and -; required with the token"),
    var("DOCKET_TELEGRAM_API", Some("https://api.telegram.org"), "address of the Bot API; an http or https URL"),
    var("DOCKET_CHECKPOINT_KEY", None, "file of the key that signs checkpoints, created at the first start; unset: `checkpoint.key` next to the SQLite file, with PostgreSQL in `data`. All servers of one database need the same key"),
    var("DOCKET_CHECKPOINT_LOG", None, "file to which every checkpoint is appended; unset: `checkpoints.log` next to the SQLite file, with PostgreSQL in `data`"),
    var("DOCKET_SITE_DIR", None, "folder of the site's files, used instead of those inside the binary (for development)"),
    var("DOCKET_LOG", Some("info"), "log level: `error`, `warn`, `info`, `debug`, or filters such as `docket=debug,warn`"),
    var("DOCKET_METRICS_TOKEN", None, "bearer token required by `/metrics`; unset: `/metrics` answers requests from this machine only"),
    var("OTEL_EXPORTER_OTLP_ENDPOINT", None, "base address of an OpenTelemetry collector (OTLP over HTTP), such as `http://127.0.0.1:4318`; unset: no traces"),
];

/// The point at which a debug build's process kills itself, for tests: `before step`, `after finish 2`. Not in the table, as no
/// release build has it.
#[cfg(debug_assertions)]
pub const CRASH: &str = "DOCKET_CRASH";

/// Start time of a debug build's clock, for tests: `2026-11-27T09:00:00Z`. Not in the table either.
#[cfg(debug_assertions)]
pub const CLOCK: &str = "DOCKET_CLOCK";

/// Start time of PostgreSQL's clock as seen by a debug build, for tests. Ignored with SQLite, which uses the process's clock. Not
/// in the table either.
#[cfg(debug_assertions)]
pub const DATABASE_CLOCK: &str = "DOCKET_DATABASE_CLOCK";

/// A variable with an invalid value. The text names the variable and the allowed values, and never contains a secret.
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
    /// Returns the value, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The configured engine; `auto` is resolved when the configuration is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    Rules,
    Openai,
    Gemini,
    Compatible,
}

impl EngineChoice {
    /// Returns the engine's name in `DOCKET_ENGINE`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Compatible => "compatible",
        }
    }
}

/// SQLite's `synchronous` setting, which decides how durable a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    Full,
    Normal,
}

/// Address, key and name of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub base_url: Option<String>,
    pub api_key: Option<Secret>,
    pub model: Option<String>,
}

/// The provider's embedding model; without a name, none is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding {
    pub model: Option<String>,
    /// Length of a vector; `None` leaves it to the model.
    pub dimensions: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TurnLimits {
    pub llm_timeout_ms: u64,
    pub llm_retries: u32,
    pub temperature: f64,
    pub max_tokens: u32,
    /// Size of the model's context window: input and output together.
    pub context_tokens: u32,
    /// True if replies are streamed.
    pub stream: bool,
    pub history_messages: u32,
    pub max_steps: u32,
    pub max_tool_calls: u32,
    /// 0 = unlimited.
    pub daily_tokens: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telegram {
    pub token: Option<Secret>,
    pub secret: Option<Secret>,
    pub api: String,
}

/// The whole configuration. [`VARIABLES`] describes the fields.
#[derive(Debug, Clone)]
pub struct Config {
    pub addr: SocketAddr,
    /// May contain a password: log [`Config::database_name`] instead.
    pub database_url: String,
    /// An origin without a trailing slash. Unless it is set, it follows `addr`; see [`Config::listening_on`].
    pub public_url: String,
    public_url_given: bool,
    /// `None`: as many as the limit on open files leaves room for.
    pub max_connections: Option<usize>,
    pub engine: EngineChoice,
    pub openai: Endpoint,
    pub gemini: Endpoint,
    pub compatible: Endpoint,
    pub turn: TurnLimits,
    /// `None` if unknown.
    pub price: Option<Price>,
    pub sqlite_synchronous: Synchronous,
    pub approval_ttl_seconds: i64,
    pub lease_ms: i64,
    pub workers: usize,
    /// Number of turns of the audit log that one text search scans.
    pub search_turns: usize,
    /// 0 = off.
    pub rate_limit_per_minute: u32,
    /// 0 = off.
    pub address_rate_limit_per_minute: u32,
    pub trusted_proxies: Vec<Network>,
    /// Age in days at which texts are erased; 0 = never.
    pub retention_days: i64,
    pub memory: bool,
    pub embedding: Embedding,
    pub telegram: Telegram,
    /// File of the key that signs checkpoints.
    pub checkpoint_key: PathBuf,
    /// File of the checkpoint log.
    pub checkpoint_log: PathBuf,
    pub site_dir: Option<PathBuf>,
    pub log: String,
    /// Bearer token for reading the metrics from another machine.
    pub metrics_token: Option<Secret>,
    /// Base address of an OpenTelemetry collector.
    pub otlp_endpoint: Option<String>,
    /// Faults planned by [`CRASH`]; debug builds only.
    pub faults: Faults,
    /// Start time from [`CLOCK`]; `None` for the real clock.
    pub clock: Option<Timestamp>,
    /// Start time from [`DATABASE_CLOCK`]; `None` for the real clock.
    pub database_clock: Option<Timestamp>,
}

/// Command-line options that override the environment.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub database_url: Option<String>,
}

impl Config {
    /// Reads the process's environment; `overrides` take precedence.
    pub fn from_env(overrides: &Overrides) -> Result<Self, ConfigError> {
        Self::from(|name| match (name, &overrides.database_url) {
            ("DOCKET_DATABASE_URL", Some(url)) => Some(url.clone()),
            _ => std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
        })
    }

    /// Returns the value of an environment variable that the command line names. A token itself would be visible in the process
    /// list.
    pub fn secret(name: &str) -> Option<Secret> {
        std::env::var_os(name)
            .map(|value| value.to_string_lossy().trim().to_owned())
            .filter(|value| !value.is_empty())
            .map(Secret)
    }

    /// Parses the configuration from `lookup`; an empty value counts as unset.
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
            trusted_proxies: read.networks("DOCKET_TRUSTED_PROXIES")?,
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

    /// Returns the endpoint of the engine's model; `None` for the rules.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self.engine {
            EngineChoice::Rules => None,
            EngineChoice::Openai => Some(&self.openai),
            EngineChoice::Gemini => Some(&self.gemini),
            EngineChoice::Compatible => Some(&self.compatible),
        }
    }

    /// Returns the provider's embedding model; `None` if this machine makes the embeddings.
    pub fn embedder(&self) -> Option<&str> {
        self.endpoint().and(self.embedding.model.as_deref())
    }

    /// Returns the configuration with the rules as the engine, whatever keys are set.
    pub fn on_rules(self) -> Self {
        Self { engine: EngineChoice::Rules, ..self }
    }

    /// Returns the configuration without rate limits: for evaluations, whose clock does not run.
    pub fn unlimited(self) -> Self {
        Self { rate_limit_per_minute: 0, address_rate_limit_per_minute: 0, ..self }
    }

    /// Returns the configuration with the bound address, once the port is known (port 0 picks one).
    pub fn listening_on(mut self, addr: SocketAddr) -> Self {
        self.addr = addr;
        if !self.public_url_given {
            self.public_url = reader::local_origin(addr);
        }
        self
    }

    /// Returns true if clients connect by HTTPS: then cookies are `Secure`.
    pub fn secure(&self) -> bool {
        self.public_url.starts_with("https://")
    }

    /// Returns true if clients connect through a proxy that is not trusted, and so share its address. Docket itself does not
    /// serve HTTPS.
    pub fn hides_addresses(&self) -> bool {
        self.secure() && self.trusted_proxies.is_empty()
    }

    /// Returns the path of the SQLite file; `None` for PostgreSQL and for a database in memory.
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        reader::sqlite_file(&self.database_url)
    }

    /// Describes the database without its password.
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
