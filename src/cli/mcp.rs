//! `docket mcp`: the tools over standard input and output, for a client on this machine.
//!
//! It works on the database itself, as every command does that may run beside the server: a call is one transaction that needs no
//! lease, so that two processes on one SQLite file are no more than two writers who wait for each other. What waits for a yes is
//! carried out by the server in which the yes is said. Standard output belongs to the protocol; everything else goes to stderr.

use clap::Args;
use rmcp::ServiceExt as _;
use tokio_util::sync::CancellationToken;

use super::{Error, log_to_stderr, open};
use crate::config::Config;
use crate::server::mcp::{Door, Outside};
use crate::usecases::accounts;

#[derive(Debug, Args)]
pub struct Mcp {
    /// The environment variable that holds the token whose user's list it is
    #[arg(long, value_name = "NAME", default_value = "DOCKET_TOKEN")]
    token_env: String,
}

/// Serves until the client closes standard input.
pub async fn run(config: Config, command: Mcp) -> Result<(), Error> {
    log_to_stderr(&config);
    let name = command.token_env;
    let token = Config::secret(&name).ok_or_else(|| {
        Error::Token(format!("{name} is not set: put a token into it, made with docket token create."))
    })?;
    let state = open(config).await?;
    if accounts::agent_of_token(&state.ctx, token.reveal(), None).await?.is_none() {
        return Err(Error::Token(format!(
            "The token in {name} is unknown or no longer valid; make one with docket token create."
        )));
    }
    let outside = Outside::new(state.clone(), Door::Stdio(token), CancellationToken::new());
    let served = outside.serve((tokio::io::stdin(), tokio::io::stdout())).await;
    // A client that goes away before it has said hello is no failure.
    if let Ok(running) = served {
        running.waiting().await.ok();
    }
    state.ctx.store.close().await;
    Ok(())
}
