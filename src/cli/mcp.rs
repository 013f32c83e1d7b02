//! `docket mcp`: the tools over standard input and output, for a client on this machine.
//!
//! Works on the database directly, like every command that may run next to the server. A call is one transaction without a lease,
//! so two processes on one SQLite file are simply two writers. An approved call is run by the server that receives the verdict.
//! Standard output carries the protocol only; everything else goes to stderr.

use clap::Args;
use rmcp::ServiceExt as _;
use tokio_util::sync::CancellationToken;

use super::{Error, log_to_stderr, open};
use crate::config::Config;
use crate::server::mcp::stdio::Lines;
use crate::server::mcp::{Door, Outside};
use crate::usecases::accounts;

#[derive(Debug, Args)]
pub struct Mcp {
    /// Environment variable that holds the token; the list of its user is served
    #[arg(long, value_name = "NAME", default_value = "DOCKET_TOKEN")]
    token_env: String,
}

/// Serves until the client closes standard input.
pub async fn run(config: Config, command: Mcp) -> Result<(), Error> {
    log_to_stderr(&config);
    let name = command.token_env;
    let token = Config::secret(&name).ok_or_else(|| {
        Error::Token(format!(
            "{name} is not set; create a token with `docket token create` and put it into this variable."
        ))
    })?;
    let state = open(config).await?;
    if accounts::agent_of_token(&state.ctx, token.reveal(), None).await?.is_none() {
        return Err(Error::Token(format!(
            "The token in {name} is unknown or no longer valid; create a new one with `docket token create`."
        )));
    }
    let outside = Outside::new(state.clone(), Door::Stdio(token), CancellationToken::new());
    let (ends, ending) = Lines::new(tokio::io::stdin(), tokio::io::stdout()).split();
    let served = outside.serve(ends).await;
    // A client that disconnects before the handshake is no error.
    if let Ok(running) = served {
        running.waiting().await.ok();
    }
    ending.flushed().await;
    state.ctx.store.close().await;
    Ok(())
}
