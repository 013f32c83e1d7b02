//! Reads single variables: default, check, and the sentence about allowed values.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{
    ConfigError, Embedding, Endpoint, EngineChoice, Network, Price, Secret, Telegram, TurnLimits, VARIABLES, price,
};

/// Reads variables of the table, with their defaults.
pub(super) struct Reader<F> {
    lookup: F,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    pub fn new(lookup: F) -> Self {
        Self { lookup }
    }

    /// Returns the value or its default, trimmed; `None` if there is neither.
    pub fn get(&self, name: &'static str) -> Option<String> {
        let row = VARIABLES.iter().find(|row| row.name == name).expect("every variable stands in the table");
        let given = (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        given.or_else(|| row.default.map(str::to_owned))
    }

    /// Returns the paths of the checkpoint key and the checkpoint log.
    pub fn checkpoints(&self, database_url: &str) -> [PathBuf; 2] {
        let file = sqlite_file(database_url);
        let folder = file.as_ref().and_then(|file| file.parent()).unwrap_or(Path::new("data"));
        [("DOCKET_CHECKPOINT_KEY", "checkpoint.key"), ("DOCKET_CHECKPOINT_LOG", "checkpoints.log")]
            .map(|(name, file)| self.get(name).map_or_else(|| folder.join(file), PathBuf::from))
    }

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

    /// Returns the start time of a clock; `None` for the real one.
    #[cfg(debug_assertions)]
    pub fn clock(&self, name: &'static str) -> Result<Option<crate::domain::time::Timestamp>, ConfigError> {
        let Some(text) = (self.lookup)(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        let parsed = crate::domain::time::Timestamp::parse(&text);
        parsed.map(Some).map_err(|_| must_be(name, &text, "an instant, such as 2026-11-27T09:00:00Z"))
    }

    /// Returns a value that `check` accepts. On an error, `check` returns the allowed values.
    pub fn optional<T>(
        &self,
        name: &'static str,
        check: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        check(&text).map(Some).map_err(|allowed| must_be(name, &text, &allowed))
    }

    /// Returns the value of a variable that has a default.
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
        let model_name = self.get(model).map(|text| unquoted(&text).to_owned()).filter(|name| !name.is_empty());
        let api_key = self.get(key).map(|text| provider_key(&text)).transpose();
        let problem = "must be one word of letters, digits and symbols, without quotes or spaces.".to_owned();
        // The error does not show the value.
        let api_key = api_key.map_err(|_| ConfigError { variable: key, problem })?;
        Ok(Endpoint { base_url: self.optional(base, provider_url)?, api_key: api_key.flatten(), model: model_name })
    }

    pub fn max_connections(&self) -> Result<Option<usize>, ConfigError> {
        self.optional("DOCKET_MAX_CONNECTIONS", |text| match text.parse() {
            Ok(number @ 1..=1_000_000) => Ok(number),
            _ => Err("a number from 1 to 1000000".to_owned()),
        })
    }

    /// Returns a secret that is sent in a header.
    pub fn token(&self, name: &'static str) -> Result<Option<Secret>, ConfigError> {
        let problem = "must be one word of letters, digits and symbols.".to_owned();
        // The error does not show the value.
        self.get(name).map(|text| key(&text)).transpose().map_err(|_| ConfigError { variable: name, problem })
    }

    pub fn embedding(&self) -> Result<Embedding, ConfigError> {
        let dimensions = self.optional("DOCKET_EMBEDDING_DIMENSIONS", |text| match text.parse() {
            Ok(number @ 8..=4096) => Ok(number),
            _ => Err("a number from 8 to 4096".to_owned()),
        })?;
        Ok(Embedding { model: self.get("DOCKET_EMBEDDING_MODEL"), dimensions })
    }

    /// Returns the bot's settings, with the secret that Telegram must send.
    pub fn telegram(&self) -> Result<Telegram, ConfigError> {
        let (name, token) = ("DOCKET_TELEGRAM_SECRET", self.get("DOCKET_TELEGRAM_TOKEN"));
        let secret = self.get(name);
        // The error does not show the value.
        let wrong = |problem: &str| ConfigError { variable: name, problem: problem.into() };
        let fits = |secret: &String| {
            secret.len() <= 256 && secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        if token.is_some() && secret.is_none() {
            return Err(wrong("must be set for the bot: choose a random word that nobody can guess."));
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

    /// Returns the engine; fails if one of its settings is missing.
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
                "leaves no room for the conversation: it must be at most half of DOCKET_CONTEXT_TOKENS, {most}. Lower \
                     it, or raise DOCKET_CONTEXT_TOKENS to what the model supports."
            );
            return Err(ConfigError { variable: "DOCKET_MAX_TOKENS", problem });
        }
        Ok(limits)
    }

    /// Returns the price of the model's tokens: both prices or neither must be set.
    pub fn price(&self) -> Result<Option<Price>, ConfigError> {
        let missing = |variable, other: &str| {
            Err(ConfigError { variable, problem: format!("must be set together with {other}; set both or neither.") })
        };
        let [input, output] = ["DOCKET_PRICE_INPUT", "DOCKET_PRICE_OUTPUT"];
        match (self.optional(input, price::amount)?, self.optional(output, price::amount)?) {
            (Some(input), Some(output)) => Ok(Some(Price { input, output })),
            (None, None) => Ok(None),
            (Some(_), None) => missing(output, input),
            (None, Some(_)) => missing(input, output),
        }
    }

    /// Returns the rate limit per address: by default ten times the user's, as a household or an office shares an address.
    pub fn address_limit(&self, per_user: u32) -> Result<u32, ConfigError> {
        const MOST: u32 = 60_000;
        let within = |text: &str| match text.parse() {
            Ok(number @ 0..=MOST) => Ok(number),
            _ => Err(format!("a number from 0 to {MOST}")),
        };
        let given = self.optional("DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE", within)?;
        Ok(given.unwrap_or(per_user.saturating_mul(10).min(MOST)))
    }

    pub fn networks(&self, name: &'static str) -> Result<Vec<Network>, ConfigError> {
        let list = |text: &str| {
            let each = text.split(',').map(|part| part.trim().parse());
            let allowed = "IP addresses or networks such as 10.0.0.0/8, separated by commas";
            each.collect::<Result<Vec<Network>, _>>().map_err(|()| allowed.to_owned())
        };
        Ok(self.optional(name, list)?.unwrap_or_default())
    }
}

/// Creates the error that shows the value; omits a URL's user and password.
pub(super) fn must_be(variable: &'static str, text: &str, allowed: &str) -> ConfigError {
    let shown: String = match text.split_once('@') {
        Some((_, place)) => format!("…@{place}"),
        None => text.chars().take(80).collect(),
    };
    ConfigError { variable, problem: format!("is “{shown}”, but it must be {allowed}.") }
}

/// Quotes around values, which env files of containers keep as part of the value.
const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')];
/// Paths of API calls, which people copy along with a provider's address.
const CALLS: [&str; 6] = ["/chat/completions", "/completions", "/embeddings", "/responses", "/models", "/chat"];

/// Strips quotes and blanks around the value.
fn unquoted(text: &str) -> &str {
    let mut bare = text.trim();
    while let Some(inner) =
        QUOTES.iter().find_map(|(begin, end)| bare.strip_prefix(*begin).and_then(|rest| rest.strip_suffix(*end)))
    {
        bare = inner.trim();
    }
    bare
}

/// Parses a provider's key, also with a `Bearer` prefix or in quotes; `None` for empty quotes.
fn provider_key(text: &str) -> Result<Option<Secret>, String> {
    let bare = unquoted(text);
    let scheme = bare.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("bearer "));
    let bare = scheme.map_or(bare, |scheme| unquoted(&bare[scheme.len()..]));
    if bare.contains(['"', '\'', '`']) {
        return Err(String::new());
    }
    Some(bare).filter(|bare| !bare.is_empty()).map(key).transpose()
}

/// Parses a provider's base address: without the path of an API call, with its query.
fn provider_url(text: &str) -> Result<String, String> {
    let bare = unquoted(text);
    let allowed = || "a URL that begins with http:// or https://, without blanks and quotes".to_owned();
    if bare.contains(|sign: char| sign.is_whitespace() || sign.is_control() || "\"'`<>“”".contains(sign)) {
        return Err(allowed());
    }
    let bare = bare.split('#').next().unwrap_or_default();
    let (address, query) = bare.split_once('?').map_or((bare, ""), |(address, query)| (address, query));
    let mut address = address.trim_end_matches('/');
    if let Some(base) = CALLS.iter().find_map(|call| address.strip_suffix(call)) {
        address = base.trim_end_matches('/');
    }
    let address = http_url(address).map_err(|_| allowed())?;
    Ok(if query.is_empty() { address } else { format!("{address}?{query}") })
}

pub(super) fn http_url(text: &str) -> Result<String, String> {
    let allowed = || "a URL that begins with http:// or https://".to_owned();
    let url: http::Uri = text.parse().map_err(|_| allowed())?;
    let known = matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some();
    if known { Ok(text.trim_end_matches('/').to_owned()) } else { Err(allowed()) }
}

/// Normalises to scheme, host and port, as browsers write an origin: lower case, no default port, no path.
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

/// Returns the server's address for people on this machine.
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
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "1" => Ok(true),
        "off" | "false" | "0" => Ok(false),
        _ => Err("on or off".into()),
    }
}

/// Parses a key that a header can carry.
fn key(text: &str) -> Result<Secret, String> {
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if plain { Ok(Secret(text.to_owned())) } else { Err(String::new()) }
}

pub(super) fn log_filter(text: &str) -> Result<String, String> {
    tracing_subscriber::EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|_| "a level (error, warn, info, debug, trace) or filters such as docket=debug,warn".into())
}

/// Returns the path of the SQLite file; `None` for PostgreSQL and for a database in memory.
pub(super) fn sqlite_file(database_url: &str) -> Option<PathBuf> {
    let rest = database_url.strip_prefix("sqlite:")?;
    let path = rest.strip_prefix("//").unwrap_or(rest).split('?').next().unwrap_or_default();
    (!path.is_empty() && path != ":memory:").then(|| PathBuf::from(path))
}
