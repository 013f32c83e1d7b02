//! The composition root: builds the state of a process from its configuration. Holds no user data.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, LazyLock};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio_util::task::TaskTracker;

use crate::channels::telegram::Telegram;
use crate::clock::Clock;
use crate::config::{Config, EngineChoice, Secret, Synchronous};
use crate::domain::decision::Engine;
use crate::domain::user::User;
use crate::live::Live;
use crate::llm::Llm;
use crate::llm::embeddings::Embeddings;
use crate::llm::fallback::Fallback;
use crate::llm::openai::{OpenAi, Settings};
use crate::llm::rules::Rules;
use crate::memory::embed::Embedder;
use crate::memory::embed::local::Local;
use crate::memory::embed::provider::Provider;
use crate::store::{self, Store};
use crate::telemetry::Telemetry;
use crate::tools::registry::Registry;
use crate::tools::server::Tap;
use crate::usecases::{CheckpointSigner, Ctx, Limits};

/// Shared by all turns and created on first use, since it parses JSON Schema's meta-schemas.
static TOOLS: LazyLock<Registry> = LazyLock::new(Registry::default);

/// Maximum number of turns with open tools. A connection needs more memory than its turn, and a waiting turn would otherwise wait
/// for the database.
const TOOLS_OPEN: usize = 32;

/// The state of a process. Cheap to clone: each layer of the router does so per request.
#[derive(Clone)]
pub struct AppState(Arc<Parts>);

#[derive(Clone)]
pub struct Parts {
    pub ctx: Ctx,
    pub config: Arc<Config>,
    /// The configured engine.
    pub engine: Arc<dyn Llm>,
    /// The bot, if one is configured.
    pub telegram: Option<Arc<Telegram>>,
    /// Makes the embeddings for searching memories.
    pub embedder: Arc<dyn Embedder>,
    /// Metrics and tracing.
    pub telemetry: Telemetry,
    /// Sees the JSON-RPC of every agent's call; only in tests.
    pub tap: Option<Tap>,
    /// Limits the turns that run at the same time.
    slots: Arc<Semaphore>,
    /// Limits the turns with running tool calls.
    open: Arc<Semaphore>,
    running: TaskTracker,
}

impl Deref for AppState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// Copies on write: other clones keep the old parts.
impl DerefMut for AppState {
    fn deref_mut(&mut self) -> &mut Parts {
        Arc::make_mut(&mut self.0)
    }
}

/// Returns the clock: this process's for SQLite, the server's for PostgreSQL.
async fn clock(config: &Config, store: &Store) -> Result<Clock, store::Error> {
    let own = || config.clock.clone().map_or(Clock::Real, Clock::begun);
    if store.is_embedded() {
        return Ok(own());
    }
    if let Some(begun) = &config.database_clock {
        return Ok(Clock::begun(begun.clone()));
    }
    Ok(store::clock::now(&mut store.peek().await?).await?.map_or_else(own, Clock::database))
}

impl AppState {
    /// Opens the configured database, with its clock unless a test sets another one.
    pub async fn open(config: Config) -> Result<Self, store::Error> {
        let store = Store::open(&config.database_url, config.sqlite_synchronous == Synchronous::Full).await?;
        let clock = clock(&config, &store).await?;
        let mut state = Self::with(config, store, clock);
        let config = state.config.clone();
        if config.sqlite_file().is_some() || !state.ctx.store.is_embedded() {
            let seal = CheckpointSigner::new(config.checkpoint_key.clone(), config.checkpoint_log.clone());
            state.ctx.seal = Some(Arc::new(seal));
        }
        Ok(state)
    }

    /// Opens a database that must be up to date, without changing it.
    pub async fn open_as_is(config: Config) -> Result<Self, store::Error> {
        let full = config.sqlite_synchronous == Synchronous::Full;
        let store = Store::open_as_is(&config.database_url, full).await?;
        Ok(Self::with(config, store, Clock::Real))
    }

    /// Opens a temporary database in memory.
    pub async fn in_memory(config: Config, clock: Clock) -> Result<Self, store::Error> {
        Ok(Self::with(config, Store::open("sqlite::memory:", false).await?, clock))
    }

    /// Simulates a new process on the same database and clock: all other state is new.
    pub fn restarted(&self) -> Self {
        let mut fresh = Self::with((*self.config).clone(), self.ctx.store.clone(), self.ctx.clock.clone());
        fresh.ctx.faults = self.ctx.faults.clone();
        fresh.ctx.seal = self.ctx.seal.clone();
        fresh
    }

    /// Builds the state on an open database and any clock.
    pub fn with(config: Config, store: Store, clock: Clock) -> Self {
        let limits = Limits {
            approval_ttl_s: config.approval_ttl_seconds,
            messages_per_minute: config.rate_limit_per_minute.into(),
            messages_per_address: config.address_rate_limit_per_minute.into(),
            lease_ms: config.lease_ms,
            search_turns: config.search_turns,
            ..Limits::default()
        };
        let faults = config.faults.clone();
        Self(Arc::new(Parts {
            ctx: Ctx { faults, ..Ctx::new(store, Live::default(), clock, limits) },
            engine: engine(&config),
            telegram: config
                .telegram
                .token
                .as_ref()
                .map(|token| Arc::new(Telegram::new(&config.telegram.api, token.reveal()))),
            embedder: embedder(&config),
            telemetry: Telemetry::default(),
            tap: None,
            slots: Arc::new(Semaphore::new(config.workers)),
            open: Arc::new(Semaphore::new(TOOLS_OPEN)),
            running: TaskTracker::new(),
            config: Arc::new(config),
        }))
    }

    /// Returns the engine for the user's turns: the configured one, or the rules if the user has switched the model off.
    pub fn engine_of(&self, user: &User) -> &dyn Llm {
        if user.uses_model { self.engine.as_ref() } else { &Rules }
    }

    /// Returns the embedder for a user's memories. A user without the model sends nothing to a provider.
    pub fn embedder_of(&self, uses_model: bool) -> &dyn Embedder {
        if uses_model { self.embedder.as_ref() } else { &Local }
    }

    /// Returns the engine without a model.
    pub fn rules(&self) -> &dyn Llm {
        &Rules
    }

    /// Returns true while the circuit breaker is open: the model failed too often and gets no requests.
    pub fn circuit_open(&self) -> bool {
        self.engine.rests()
    }

    pub fn tools(&self) -> &'static Registry {
        &TOOLS
    }

    /// Takes a slot for a turn; `None` if all are taken, or once the process drains.
    pub fn try_turn_slot(&self) -> Option<OwnedSemaphorePermit> {
        self.slots.clone().try_acquire_owned().ok()
    }

    /// Waits for a slot to run tool calls in.
    pub async fn tool_slot(&self) -> SemaphorePermit<'_> {
        self.open.acquire().await.expect("it is never closed")
    }

    /// Runs a turn for which [`AppState::drain`] waits.
    pub fn track(&self, turn: impl Future<Output = ()> + Send + 'static) {
        self.running.spawn(turn);
    }

    /// Returns true if this process starts no more turns.
    pub fn is_draining(&self) -> bool {
        self.slots.is_closed()
    }

    /// Starts no more turns, and waits for the running ones (R-1004).
    pub async fn drain(&self) {
        self.slots.close();
        self.wait_idle().await;
    }

    /// Waits until no turn is running.
    pub async fn wait_idle(&self) {
        self.running.close();
        self.running.wait().await;
        self.running.reopen();
    }
}

/// Creates the configured engine. A model always has the rules as fallback.
fn engine(config: &Config) -> Arc<dyn Llm> {
    let Some(settings) = settings(config) else { return Arc::new(Rules) };
    let time_out = std::time::Duration::from_millis(config.turn.llm_timeout_ms);
    Arc::new(Fallback::new(Arc::new(OpenAi::new(settings)), Arc::new(Rules)).offering(TOOLS.specs(), time_out))
}

/// Creates the provider's embedder if a model is named, otherwise the local one.
fn embedder(config: &Config) -> Arc<dyn Embedder> {
    let (Some(settings), Some(model)) = (settings(config), config.embedder()) else { return Arc::new(Local) };
    let dimensions = config.embedding.dimensions;
    // The address without credentials and query identifies the provider: another may have a model of that name.
    let address = settings.base_url.split('?').next().unwrap_or_default();
    let place = address.rsplit("://").next().unwrap_or_default().rsplit('@').next().unwrap_or_default();
    let length = dimensions.map_or("own".to_owned(), |numbers| numbers.to_string());
    let name = format!("{model} {length} {place}");
    Arc::new(Provider::new(name, Embeddings::new(OpenAi::new(settings), model.to_owned(), dimensions)))
}

/// Returns the address and parameters of the engine's model; `None` for the rules.
fn settings(config: &Config) -> Option<Settings> {
    let endpoint = config.endpoint()?;
    Some(Settings {
        engine: match config.engine {
            EngineChoice::Rules => Engine::Rules,
            EngineChoice::Openai => Engine::Openai,
            EngineChoice::Gemini => Engine::Gemini,
            EngineChoice::Compatible => Engine::Compatible,
        },
        base_url: endpoint.base_url.clone().unwrap_or_default(),
        api_key: endpoint.api_key.as_ref().map(Secret::reveal).unwrap_or_default().to_owned(),
        model: endpoint.model.clone().unwrap_or_default(),
        temperature: config.turn.temperature,
        max_tokens: config.turn.max_tokens,
        context_tokens: config.turn.context_tokens,
        stream: config.turn.stream,
    })
}

/// Creates an engine that requests these calls, one round after the other, and then fails like a provider that is down.
#[cfg(test)]
pub(crate) fn scripted(rounds: Vec<Vec<(&str, serde_json::Value)>>) -> Arc<dyn Llm> {
    use crate::domain::tool::Call;
    use crate::llm::{Act, scripted::Scripted};
    let call = |(tool, arguments): (&str, serde_json::Value)| Call { tool: tool.into(), arguments, provider_id: None };
    let round = |calls: Vec<_>| Act::Calls { text: String::new(), calls: calls.into_iter().map(call).collect() };
    Arc::new(Scripted::new(rounds.into_iter().map(round).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the embedder's name for a configuration.
    fn named(more: &[(&str, &str)]) -> String {
        let usual = [
            ("DOCKET_ENGINE", "compatible"),
            ("DOCKET_LLM_BASE_URL", "http://one.test/v1"),
            ("DOCKET_LLM_MODEL", "mock"),
            ("DOCKET_EMBEDDING_MODEL", "small"),
        ];
        let find = |name: &str| more.iter().chain(&usual).find(|it| it.0 == name).map(|it| it.1.to_owned());
        embedder(&Config::from(find).unwrap()).name().to_owned()
    }

    #[test]
    fn embedding_name_depends_on_model_dimensions_and_provider_url() {
        let usual = named(&[]);
        for other in [
            ("DOCKET_EMBEDDING_MODEL", "large"),
            ("DOCKET_EMBEDDING_DIMENSIONS", "256"),
            ("DOCKET_LLM_BASE_URL", "http://two.test/v1"),
        ] {
            assert_ne!(named(&[other]), usual, "{other:?}");
        }
        assert_eq!(named(&[("DOCKET_LLM_BASE_URL", "http://ada:secret@one.test/v1")]), usual);
    }
}
