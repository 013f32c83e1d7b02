//! `docket telegram`: the bot's webhook.

use clap::Subcommand;

use super::Error;
use crate::channels::telegram::Telegram as Bot;
use crate::config::{Config, Secret};

#[derive(Debug, Subcommand)]
pub enum Telegram {
    /// Set the webhook, so that Telegram sends messages to DOCKET_PUBLIC_URL
    #[command(after_help = "Example:\n  DOCKET_PUBLIC_URL=https://docket.example docket telegram set-webhook")]
    SetWebhook,
    /// Show the webhook and the state of its delivery
    #[command(after_help = "Example:\n  docket telegram status")]
    Status,
}

pub async fn run(config: &Config, command: Telegram) -> Result<(), Error> {
    let missing = |what: &str| Error::State(format!("{what} is not set; docs/telegram.md says how to create a bot."));
    let token = config.telegram.token.as_ref().ok_or_else(|| missing("DOCKET_TELEGRAM_TOKEN"))?;
    let bot = Bot::new(&config.telegram.api, token.reveal());
    let failed = |error: crate::channels::telegram::Failure| Error::State(format!("{error}."));
    match command {
        Telegram::SetWebhook => {
            let secret = config.telegram.secret.as_ref().map(Secret::reveal);
            let secret = secret.ok_or_else(|| missing("DOCKET_TELEGRAM_SECRET"))?;
            let url = format!("{}/telegram/webhook", config.public_url);
            bot.set_webhook(&url, secret).await.map_err(failed)?;
            println!("Telegram now sends updates to {url}.");
        }
        Telegram::Status => {
            let name = bot.name().await.map_or_else(|| "(unknown)".to_owned(), |name| format!("@{name}"));
            let hook = bot.webhook().await.map_err(failed)?;
            let url = if hook.url.is_empty() { "none; run docket telegram set-webhook" } else { &hook.url };
            println!("Bot: {name}\nWebhook: {url}\nPending updates: {}", hook.pending_update_count);
            if let Some(error) = hook.last_error_message {
                println!("Last error: {error}");
            }
        }
    }
    Ok(())
}
