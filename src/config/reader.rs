//! Reading one variable: its default, its check, and the sentence that says what is allowed.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{ConfigError, Embedding, Endpoint, EngineChoice, Price, Secret, Telegram, TurnLimits, VARIABLES, price};

/// Reads variables of the table, with their defaults.
pub(super) struct Reader<F> {
    lookup: F,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    pub fn new(lookup: F) -> Self {
        Self { lookup }
    }

    /// The value or its default, trimmed; `None` when there is neither.
    pub fn get(&self, name: &'static str) -> Option<String> {
        let row = VARIABLES.iter().find(|row| row.name == name).expect("every variable stands in the table");
        let given = (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        given.or_else(|| row.default.map(str::to_owned))
    }

    /// The files of the key and of the log of checkpoints.
    pub fn checkpoints(&self, database_url: &str) -> [PathBuf; 2] {
        let file = sqlite_file(database_url);
        let folder = file.as_ref().and_then(|file| file.parent()).unwrap_or(Path::new("data"));
        [("DOCKET_CHECKPOINT_KEY", "checkpoint.key"), ("DOCKET_CHECKPOINT_LOG", "checkpoints.log")]
            .map(|(name, file)| self.get(name).map_or_else(|| folder.join(file), PathBuf::from))
    }

    /// The planned crash, if there is one.
    #[cfg(debug_assertions)]
    pub fn crash(&self) -> Result<crate::fault::Faults, ConfigError> {
        use crate::fault::{Faults, crash::Crashes};
        let Some(text) = (self.lookup)(super::CRASH).filter(|text| !text.is_empty()) else {
            return Ok(Faults::default());
        };
        let crashes = Crashes::parse(&text).ok_or_else(|| {
            must_be(super::CRASH, &text, "before or after, a commit, and at which time, e.g. after step 2")
        })?;
        Ok(Faults::default().crashing(&std::sync::Arc::new(crashes)))
    }

    /// The time at which a clock begins, if it is not the real one.
    #[cfg(debug_assertions)]
    pub fn clock(&self, name: &'static str) -> Result<Option<crate::domain::time::Timestamp>, ConfigError> {
        let Some(text) = (self.lookup)(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        let parsed = crate::domain::time::Timestamp::parse(&text);
        parsed.map(Some).map_err(|_| must_be(name, &text, "an instant, such as 2026-11-27T09:00:00Z"))
    }

    /// A value that `check` accepts, or an error made from what `check` says is allowed.
    pub fn optional<T>(
        &self,
        name: &'static str,
        check: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        check(&text).map(Some).map_err(|allowed| must_be(name, &text, &allowed))
    }

    /// The same for a variable that has a default.
    pub fn checked<T>(&self, name: &'static str, check: impl Fn(&str) -> Result<T, String>) -> Result<T, ConfigError> {
        Ok(self.optional(name, check)?.expect("a variable read this way has a default"))
    }

    pub fn parsed<T: FromStr>(&self, name: &'static str, allowed: &str) -> Result<T, ConfigError> {
        self.checked(name, |text| text.parse().map_err(|_| allowed.to_owned()))
    }

    pub fn between<T>(&self, name: &'static str, low: T, high: T) -> Result<T, ConfigError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        self.checked(name, |text| match text.parse::<T>() {
            Ok(number) if number >= low && number <= high => Ok(number),
            _ => Err(format!("a number from {low} to {high}")),
        })
    }

    pub fn endpoint(
        &self,
        base: &'static str,
        key: &'static str,
        model: &'static str,
    ) -> Result<Endpoint, ConfigError> {
        Ok(Endpoint { base_url: self.optional(base, http_url)?, api_key: self.token(key)?, model: self.get(model) })
    }

    /// Connections that may be open at once.
    pub fn max_connections(&self) -> Result<Option<usize>, ConfigError> {
        self.optional("DOCKET_MAX_CONNECTIONS", |text| match text.parse() {
            Ok(number @ 1..=1_000_000) => Ok(number),
            _ => Err("a number from 1 to 1000000".to_owned()),
        })
    }

    /// A secret that comes in a header.
    pub fn token(&self, name: &'static str) -> Result<Option<Secret>, ConfigError> {
        let problem = "must be one word of letters, digits and signs.".to_owned();
        // Its value is not shown, whatever it is.
        self.get(name).map(|text| key(&text)).transpose().map_err(|_| ConfigError { variable: name, problem })
    }

    /// The provider's model that makes vectors.
    pub fn embedding(&self) -> Result<Embedding, ConfigError> {
        let dimensions = self.optional("DOCKET_EMBEDDING_DIMENSIONS", |text| match text.parse() {
            Ok(number @ 8..=4096) => Ok(number),
            _ => Err("a number from 8 to 4096".to_owned()),
        })?;
        Ok(Embedding { model: self.get("DOCKET_EMBEDDING_MODEL"), dimensions })
    }

    /// The bot, with the secret that Telegram is to show.
    pub fn telegram(&self) -> Result<Telegram, ConfigError> {
        let (name, token) = ("DOCKET_TELEGRAM_SECRET", self.get("DOCKET_TELEGRAM_TOKEN"));
        let secret = self.get(name);
        // Its value is not shown, whatever it is.
        let wrong = |problem: &str| ConfigError { variable: name, problem: problem.into() };
        let fits = |secret: &String| {
            secret.len() <= 256 && secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        if token.is_some() && secret.is_none() {
            return Err(wrong("must be set for the bot: any word that nobody can guess."));
        }
        if !secret.iter().all(fits) {
            return Err(wrong("must be 1 to 256 of A–Z, a–z, 0–9, _ and -."));
        }
        Ok(Telegram {
            token: token.map(Secret),
            secret: secret.map(Secret),
            api: self.checked("DOCKET_TELEGRAM_API", http_url)?,
        })
    }

    /// The engine that decides, and nothing missing that it needs.
    pub fn engine(
        &self,
        openai: &Endpoint,
        gemini: &Endpoint,
        compatible: &Endpoint,
    ) -> Result<EngineChoice, ConfigError> {
        let missing = |variable, engine: &str| {
            Err(ConfigError { variable, problem: format!("must be set for the engine {engine}.") })
        };
        let name = self.checked("DOCKET_ENGINE", |text| match text {
            "auto" | "rules" | "openai" | "gemini" | "compatible" => Ok(text.to_owned()),
            _ => Err("auto, rules, openai, gemini or compatible".into()),
        })?;
        match name.as_str() {
            "rules" => Ok(EngineChoice::Rules),
            "openai" if openai.api_key.is_none() => missing("OPENAI_API_KEY", "openai"),
            "openai" => Ok(EngineChoice::Openai),
            "gemini" if gemini.api_key.is_none() => missing("GEMINI_API_KEY", "gemini"),
            "gemini" => Ok(EngineChoice::Gemini),
            "compatible" if compatible.base_url.is_none() => missing("DOCKET_LLM_BASE_URL", "compatible"),
            "compatible" if compatible.model.is_none() => missing("DOCKET_LLM_MODEL", "compatible"),
            "compatible" => Ok(EngineChoice::Compatible),
            _ if openai.api_key.is_some() => Ok(EngineChoice::Openai),
            _ if gemini.api_key.is_some() => Ok(EngineChoice::Gemini),
            _ if compatible.base_url.is_some() && compatible.model.is_some() => Ok(EngineChoice::Compatible),
            _ => Ok(EngineChoice::Rules),
        }
    }

    pub fn turn_limits(&self) -> Result<TurnLimits, ConfigError> {
        let limits = TurnLimits {
            llm_timeout_ms: self.between("DOCKET_LLM_TIMEOUT_MS", 100, 600_000)?,
            llm_retries: self.between("DOCKET_LLM_RETRIES", 0, 10)?,
            temperature: self.between("DOCKET_TEMPERATURE", 0.0, 2.0)?,
            max_tokens: self.between("DOCKET_MAX_TOKENS", 1, 1_000_000)?,
            context_tokens: self.between("DOCKET_CONTEXT_TOKENS", 2048, 10_000_000)?,
            stream: self.checked("DOCKET_LLM_STREAM", on_or_off)?,
            history_messages: self.between("DOCKET_HISTORY_MESSAGES", 1, 200)?,
            max_steps: self.between("DOCKET_MAX_STEPS", 1, 50)?,
            max_tool_calls: self.between("DOCKET_MAX_TOOL_CALLS", 1, 1000)?,
            daily_tokens: self.between("DOCKET_DAILY_TOKENS", 0, 1_000_000_000_000)?,
        };
        let most = limits.context_tokens / 2;
        if limits.max_tokens > most {
            let problem = format!(
                "leaves no room for what is said: at most half of DOCKET_CONTEXT_TOKENS, {most}; lower it, or raise that one as far \
                 as the model goes."
            );
            return Err(ConfigError { variable: "DOCKET_MAX_TOKENS", problem });
        }
        Ok(limits)
    }

    /// What the model's tokens cost: half of it would be no price.
    pub fn price(&self) -> Result<Option<Price>, ConfigError> {
        let missing = |variable, other: &str| {
            Err(ConfigError { variable, problem: format!("must be set beside {other}; set both or neither.") })
        };
        let [input, output] = ["DOCKET_PRICE_INPUT", "DOCKET_PRICE_OUTPUT"];
        match (self.optional(input, price::amount)?, self.optional(output, price::amount)?) {
            (Some(input), Some(output)) => Ok(Some(Price { input, output })),
            (None, None) => Ok(None),
            (Some(_), None) => missing(output, input),
            (None, Some(_)) => missing(input, output),
        }
    }

    /// What an address may send in a minute: a household or an office has one.
    pub fn address_limit(&self, per_user: u32) -> Result<u32, ConfigError> {
        const MOST: u32 = 60_000;
        let within = |text: &str| match text.parse() {
            Ok(number @ 0..=MOST) => Ok(number),
            _ => Err(format!("a number from 0 to {MOST}")),
        };
        let given = self.optional("DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE", within)?;
        Ok(given.unwrap_or(per_user.saturating_mul(10).min(MOST)))
    }

    pub fn addresses(&self, name: &'static str) -> Result<Vec<IpAddr>, ConfigError> {
        let list = |text: &str| {
            let each = text.split(',').map(|part| part.trim().parse());
            each.collect::<Result<Vec<IpAddr>, _>>().map_err(|_| "IP addresses separated by commas".to_owned())
        };
        Ok(self.optional(name, list)?.unwrap_or_default())
    }
}

/// The error that shows the value; a URL's user and password are left out of it.
pub(super) fn must_be(variable: &'static str, text: &str, allowed: &str) -> ConfigError {
    let shown: String = match text.split_once('@') {
        Some((_, place)) => format!("…@{place}"),
        None => text.chars().take(80).collect(),
    };
    ConfigError { variable, problem: format!("is “{shown}”, but it must be {allowed}.") }
}

pub(super) fn http_url(text: &str) -> Result<String, String> {
    let allowed = || "a URL that begins with http:// or https://".to_owned();
    let url: http::Uri = text.parse().map_err(|_| allowed())?;
    let known = matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some();
    if known { Ok(text.trim_end_matches('/').to_owned()) } else { Err(allowed()) }
}

/// Scheme, host and port, as browsers write an origin: lower case, no default port, no path.
pub(super) fn origin(text: &str) -> Result<String, String> {
    let allowed = || "an address such as https://docket.example, with http or https and without a path".to_owned();
    let lower = http_url(text).map_err(|_| allowed())?.to_lowercase();
    let bare = match lower.strip_prefix("https://") {
        Some(rest) => format!("https://{}", rest.strip_suffix(":443").unwrap_or(rest)),
        None => lower.strip_suffix(":80").unwrap_or(&lower).to_owned(),
    };
    let rest = bare.split("://").last().unwrap_or_default();
    if rest.contains(['/', '?', '#', '@']) { Err(allowed()) } else { Ok(bare) }
}

/// Where a person on this machine finds the server.
pub(super) fn local_origin(addr: SocketAddr) -> String {
    let mut shown = addr;
    if addr.ip().is_unspecified() {
        shown.set_ip(IpAddr::from([127, 0, 0, 1]));
    }
    format!("http://{shown}")
}

pub(super) fn database_url(text: &str) -> Result<String, String> {
    let sqlite = text.strip_prefix("sqlite:").is_some_and(|rest| !rest.trim_start_matches('/').is_empty());
    let postgres = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
    if sqlite || postgres { Ok(text.to_owned()) } else { Err("sqlite://FILE or postgres://…".into()) }
}

pub(super) fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("on or off".into()),
    }
}

/// A key as a header can carry it.
fn key(text: &str) -> Result<Secret, String> {
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if plain { Ok(Secret(text.to_owned())) } else { Err(String::new()) }
}

pub(super) fn log_filter(text: &str) -> Result<String, String> {
    tracing_subscriber::EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|_| "a level (error, warn, info, debug, trace) or filters such as docket=debug,warn".into())
}

/// SQLite's file; `None` for PostgreSQL and for a database in memory.
pub(super) fn sqlite_file(database_url: &str) -> Option<PathBuf> {
    let rest = database_url.strip_prefix("sqlite:")?;
    let path = rest.strip_prefix("//").unwrap_or(rest).split('?').next().unwrap_or_default();
    (!path.is_empty() && path != ":memory:").then(|| PathBuf::from(path))
}
