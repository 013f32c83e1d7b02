//! The composition root: the configuration made into what use cases, workers and doors need. It holds no user's data.

use std::sync::Arc;

use leptos::config::LeptosOptions;

use crate::clock::Clock;
use crate::config::{Config, Synchronous};
use crate::live::Live;
use crate::store::{self, Store};
use crate::usecases::{Ctx, Limits};

/// What a process knows. Cheap to clone.
#[derive(Clone)]
pub struct AppState {
    pub ctx: Ctx,
    pub config: Arc<Config>,
    pub leptos: LeptosOptions,
}

impl AppState {
    /// Opens the configured database, with the real clock.
    pub async fn open(config: Config) -> Result<Self, store::Error> {
        let store = Store::open(&config.database_url, config.sqlite_synchronous == Synchronous::Full).await?;
        let limits = Limits {
            approval_ttl_s: config.approval_ttl_seconds,
            messages_per_minute: config.rate_limit_per_minute.into(),
            lease_ms: config.lease_ms,
        };
        let ctx = Ctx::new(store, Live::default(), Clock::Real, limits);
        let leptos = LeptosOptions::builder().output_name("docket").site_addr(config.addr).build();
        Ok(Self { ctx, config: Arc::new(config), leptos })
    }
}
