//! Parsing of environment variables, and the errors for invalid values.

use super::*;

/// Parses a configuration from these variables only.
fn with(set: &[(&str, &str)]) -> Result<Config, ConfigError> {
    Config::from(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
}

#[test]
fn an_empty_environment_is_a_working_configuration() {
    let config = with(&[]).unwrap();
    assert_eq!(config.addr.to_string(), "127.0.0.1:3000");
    assert_eq!(config.public_url, "http://127.0.0.1:3000");
    assert_eq!(config.sqlite_file(), Some(PathBuf::from("data/docket.db")));
    assert_eq!(config.engine, EngineChoice::Rules);
    assert!(!config.secure());
    assert_eq!(with(&[("DOCKET_WORKERS", "  ")]).unwrap().workers, 256, "an empty value counts as unset");
}

#[test]
fn client_addresses_are_hidden_behind_an_untrusted_proxy() {
    let (https, proxy) = (("DOCKET_PUBLIC_URL", "https://docket.example"), ("DOCKET_TRUSTED_PROXIES", "10.0.0.2"));
    for (set, hides) in [(vec![], false), (vec![https], true), (vec![https, proxy], false), (vec![proxy], false)] {
        assert_eq!(with(&set).unwrap().hides_addresses(), hides, "{set:?}");
    }
}

#[test]
fn auto_is_the_first_engine_that_has_what_it_needs() {
    let (openai, gemini) = (("OPENAI_API_KEY", "sk-1"), ("GEMINI_API_KEY", "g-1"));
    let local = [("DOCKET_LLM_BASE_URL", "http://127.0.0.1:11434/v1"), ("DOCKET_LLM_MODEL", "small")];
    for (set, engine) in [
        (vec![openai, gemini], EngineChoice::Openai),
        (vec![gemini, local[0], local[1]], EngineChoice::Gemini),
        (local.to_vec(), EngineChoice::Compatible),
        (vec![local[0]], EngineChoice::Rules),
        (vec![openai, ("DOCKET_ENGINE", "rules")], EngineChoice::Rules),
        (vec![openai, gemini, ("DOCKET_ENGINE", "gemini")], EngineChoice::Gemini),
    ] {
        let config = with(&set).unwrap();
        assert_eq!(config.engine, engine, "{set:?}");
        assert!(!format!("{config:?}").contains("sk-1"), "a secret is never printed");
    }
}

#[test]
fn an_engine_that_lacks_something_says_what() {
    for (set, variable) in [
        (vec![("DOCKET_ENGINE", "openai")], "OPENAI_API_KEY"),
        (vec![("DOCKET_ENGINE", "gemini"), ("OPENAI_API_KEY", "sk-1")], "GEMINI_API_KEY"),
        (vec![("DOCKET_ENGINE", "compatible")], "DOCKET_LLM_BASE_URL"),
        (vec![("DOCKET_ENGINE", "compatible"), ("DOCKET_LLM_BASE_URL", "http://h/v1")], "DOCKET_LLM_MODEL"),
        // A header cannot carry this value.
        (vec![("OPENAI_API_KEY", "two words")], "OPENAI_API_KEY"),
    ] {
        let error = with(&set).unwrap_err();
        assert_eq!(error.variable, variable, "{set:?}");
        assert!(!error.to_string().contains("two words"));
    }
}

#[test]
fn embeddings_use_the_provider_only_with_key_and_model_name() {
    let (key, model) = (("OPENAI_API_KEY", "sk-1"), ("DOCKET_EMBEDDING_MODEL", "text-embedding-3-small"));
    for (set, embedder) in [
        (vec![], None),
        (vec![key], None),
        (vec![model], None),
        (vec![key, model, ("DOCKET_ENGINE", "rules")], None),
        (vec![key, model], Some("text-embedding-3-small")),
    ] {
        assert_eq!(with(&set).unwrap().embedder(), embedder, "{set:?}");
    }
    let config = with(&[key, model, ("DOCKET_EMBEDDING_DIMENSIONS", "256")]).unwrap();
    assert_eq!(config.embedding.dimensions, Some(256));
}

#[test]
fn a_price_is_known_whole_or_not_at_all() {
    let (input, output) = (("DOCKET_PRICE_INPUT", "0.15"), ("DOCKET_PRICE_OUTPUT", "0.6"));
    assert_eq!(with(&[]).unwrap().price, None);
    assert_eq!(with(&[input, output]).unwrap().price, Some(Price { input: 150_000, output: 600_000 }));
    assert_eq!(with(&[input]).unwrap_err().variable, "DOCKET_PRICE_OUTPUT");
    assert_eq!(with(&[output]).unwrap_err().variable, "DOCKET_PRICE_INPUT");
    let wrong = with(&[input, ("DOCKET_PRICE_OUTPUT", "cheap")]).unwrap_err().to_string();
    assert!(wrong.contains("DOCKET_PRICE_OUTPUT is “cheap”") && wrong.contains("such as 0.15"), "{wrong}");
}

#[test]
fn a_wrong_value_names_its_variable_and_what_is_allowed() {
    for (name, value, allowed) in [
        ("DOCKET_ADDR", "3000", "127.0.0.1:3000"),
        ("DOCKET_DATABASE_URL", "mysql://x", "sqlite://FILE or postgres://"),
        ("DOCKET_DATABASE_URL", "sqlite://", "sqlite://FILE"),
        ("DOCKET_PUBLIC_URL", "docket.example", "http or https"),
        ("DOCKET_PUBLIC_URL", "https://docket.example/app", "without a path"),
        ("DOCKET_MAX_CONNECTIONS", "0", "a number from 1 to 1000000"),
        ("DOCKET_ENGINE", "gpt", "auto, rules, openai"),
        ("DOCKET_LLM_STREAM", "yes", "on or off"),
        ("DOCKET_MAX_TOKENS", "8193", "at most half of DOCKET_CONTEXT_TOKENS, 8192"),
        ("DOCKET_CONTEXT_TOKENS", "100", "a number from 2048"),
        ("DOCKET_LLM_TIMEOUT_MS", "fast", "a number from 100 to 600000"),
        ("DOCKET_TEMPERATURE", "3", "a number from 0 to 2"),
        ("DOCKET_TEMPERATURE", "NaN", "a number from 0 to 2"),
        ("DOCKET_MAX_STEPS", "0", "a number from 1 to 50"),
        ("DOCKET_MAX_TOOL_CALLS", "-1", "a number from 1 to 1000"),
        ("DOCKET_SQLITE_SYNCHRONOUS", "off", "full or normal"),
        ("DOCKET_APPROVAL_TTL_SECONDS", "1.5", "a number from 1"),
        ("DOCKET_LEASE_MS", "1", "a number from 100"),
        ("DOCKET_WORKERS", "0", "a number from 1"),
        ("DOCKET_SEARCH_TURNS", "0", "a number from 1"),
        ("DOCKET_RATE_LIMIT_PER_MINUTE", "-1", "a number from 0"),
        ("DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE", "60001", "a number from 0 to 60000"),
        ("DOCKET_TRUSTED_PROXIES", "10.0.0.1, proxy", "IP addresses"),
        ("DOCKET_MEMORY", "yes", "on or off"),
        ("DOCKET_EMBEDDING_DIMENSIONS", "4", "a number from 8 to 4096"),
        ("DOCKET_RETENTION_DAYS", "-1", "0 to 36500"),
        ("OPENAI_BASE_URL", "ftp://x", "http:// or https://"),
        ("DOCKET_LLM_BASE_URL", "localhost:1234", "http:// or https://"),
        ("DOCKET_LOG", "docket=loud", "a level"),
        ("DOCKET_CRASH", "after lunch", "after step 2"),
        ("DOCKET_CLOCK", "noon", "2026-11-27T09:00:00Z"),
        ("DOCKET_DATABASE_CLOCK", "noon", "2026-11-27T09:00:00Z"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "here", "http:// or https://"),
    ] {
        let error = with(&[(name, value)]).expect_err(name);
        assert_eq!(error.variable, name);
        let text = error.to_string();
        assert!(text.starts_with(name) && text.contains(allowed), "{text}");
    }
}

#[test]
fn switches_are_read_however_they_are_written() {
    for (given, expected) in
        [("on", true), ("ON", true), ("True", true), ("1", true), ("false", false), ("Off", false), ("0", false)]
    {
        let config = with(&[("DOCKET_LLM_STREAM", given)]).unwrap();
        assert_eq!(config.turn.stream, expected, "{given}");
    }
}

#[test]
fn keys_and_addresses_of_providers_are_repaired() {
    let base = "https://h.example/v1";
    for (given, expected) in [
        (base, base),
        ("https://h.example/v1/", base),
        ("https://h.example/v1//", base),
        (" \"https://h.example/v1\" ", base),
        ("'https://h.example/v1/'", base),
        ("“https://h.example/v1”", base),
        ("https://h.example/v1/chat/completions", base),
        ("https://h.example/v1/chat/completions/", base),
        ("https://h.example/v1/models", base),
        ("https://h.example/v1#top", base),
        ("https://h.example/v1/chat/completions?api-version=2024-10-21", "https://h.example/v1?api-version=2024-10-21"),
        ("https://h.example/v1/?api-version=preview", "https://h.example/v1?api-version=preview"),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
    ] {
        for (name, endpoint) in [("OPENAI_BASE_URL", "openai"), ("DOCKET_LLM_BASE_URL", "compatible")] {
            let config = with(&[(name, given)]).unwrap();
            let read = if endpoint == "openai" { config.openai } else { config.compatible };
            assert_eq!(read.base_url.as_deref(), Some(expected), "{given}");
        }
    }
    for given in ["sk-1", " sk-1 ", "\"sk-1\"", "'sk-1'", "“sk-1”", "Bearer sk-1", "\"Bearer sk-1\"", "bearer  sk-1"]
    {
        let config = with(&[("DOCKET_LLM_API_KEY", given), ("DOCKET_LLM_MODEL", &format!("'{}'", "m:1"))]).unwrap();
        assert_eq!(config.compatible.api_key.as_ref().map(Secret::reveal), Some("sk-1"), "{given}");
        assert_eq!(config.compatible.model.as_deref(), Some("m:1"));
    }
    assert_eq!(with(&[("DOCKET_LLM_API_KEY", "\"\"")]).unwrap().compatible.api_key, None, "nothing in quotes");
}

#[test]
fn invalid_keys_and_base_urls_are_refused_by_variable_name() {
    for (name, value) in [
        ("DOCKET_LLM_BASE_URL", "http://h.example/v1 http://other.example/v1"),
        ("DOCKET_LLM_BASE_URL", "http://h.example/ v1"),
        ("DOCKET_LLM_BASE_URL", "\"http://h.example/v1"),
        ("DOCKET_LLM_BASE_URL", "h.example/v1"),
        ("OPENAI_BASE_URL", "https://h.example/v1'"),
        ("OPENAI_API_KEY", "sk-1 sk-2"),
        ("OPENAI_API_KEY", "\"sk-1"),
        ("OPENAI_API_KEY", "sk-1”"),
        ("GEMINI_API_KEY", "sk\u{200b}-1"),
    ] {
        let error = with(&[(name, value)]).unwrap_err();
        assert_eq!(error.variable, name, "{value}");
        assert!(!name.ends_with("KEY") || !error.to_string().contains("sk"), "{error}");
    }
}

#[test]
fn proxies_are_named_by_address_and_by_network() {
    let proxies = |text: &str| with(&[("DOCKET_TRUSTED_PROXIES", text)]).map(|config| config.trusted_proxies.len());
    assert_eq!(proxies("10.0.0.0/8, 192.168.1.1,fd00::/8"), Ok(3));
    for bad in ["10.0.0.0/33", "10.0.0.0/8;10.1.0.0/16", "10.0.0.0-10.0.0.9", "10.*"] {
        let error = proxies(bad).unwrap_err().to_string();
        assert!(error.starts_with("DOCKET_TRUSTED_PROXIES") && error.contains("10.0.0.0/8"), "{error}");
    }
}

#[test]
fn a_password_in_a_url_is_not_shown() {
    let error = with(&[("DOCKET_DATABASE_URL", "mysql://ann:secret@db/docket")]).unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
    let config = with(&[("DOCKET_DATABASE_URL", "postgres://ann:secret@db:5432/docket?x=1")]).unwrap();
    assert_eq!(config.database_name(), "PostgreSQL at db:5432/docket");
}

#[test]
fn the_public_address_is_an_origin() {
    for (given, origin) in [
        ("https://Docket.Example/", "https://docket.example"),
        ("https://docket.example:443", "https://docket.example"),
        ("http://10.0.0.1:80", "http://10.0.0.1"),
        ("http://10.0.0.1:3000", "http://10.0.0.1:3000"),
    ] {
        assert_eq!(with(&[("DOCKET_PUBLIC_URL", given)]).unwrap().public_url, origin);
    }
    let config = with(&[("DOCKET_ADDR", "0.0.0.0:0")]).unwrap().listening_on("0.0.0.0:4711".parse().unwrap());
    assert_eq!(config.public_url, "http://127.0.0.1:4711");
    assert!(with(&[("DOCKET_PUBLIC_URL", "https://d.example")]).unwrap().secure());
}

#[test]
fn sqlite_has_a_file_unless_it_is_in_memory() {
    for (url, file) in [
        ("sqlite://data/docket.db", Some("data/docket.db")),
        ("sqlite:///var/lib/docket.db?mode=rw", Some("/var/lib/docket.db")),
        ("sqlite:docket.db", Some("docket.db")),
        ("sqlite::memory:", None),
        ("postgres://localhost/docket", None),
    ] {
        assert_eq!(with(&[("DOCKET_DATABASE_URL", url)]).unwrap().sqlite_file(), file.map(PathBuf::from), "{url}");
    }
}

#[test]
fn configuration_page_lists_every_variable() {
    let page = include_str!("../../docs/configuration.md");
    for Variable { name, default, meaning } in VARIABLES {
        let default = default.map_or("–".to_owned(), |value| format!("`{value}`"));
        let row = format!("| `{name}` | {default} | {meaning} |");
        assert!(page.contains(&row), "docs/configuration.md lacks: {row}");
    }
}
