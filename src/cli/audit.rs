//! `docket audit`: the record, verified and decided again.

use clap::Subcommand;

use super::Error;
use crate::state::AppState;
use crate::usecases::{Ctx, audit};

/// Turns decided again.
mod replay;

#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Check that nothing in the record was edited, removed, added or put in another order
    #[command(after_help = "Example:\n  docket audit verify --user ada")]
    Verify {
        /// Only this user's record
        #[arg(long)]
        user: Option<String>,
    },
    /// Decide a turn again from its record, offline and without effects
    #[command(
        after_help = "Example:\n  docket audit replay 01a20558-dbfa-7693-816f-4dee4a89b3dd --engine rules\n\nPrints “same \
                      decision”, or what differs or cannot be replayed and exits with 1."
    )]
    Replay(replay::Replay),
}

pub async fn run(state: &AppState, command: Audit) -> Result<(), Error> {
    match command {
        Audit::Verify { user } => verify(&state.ctx, user.as_deref()).await,
        Audit::Replay(command) => replay::run(state, command).await,
    }
}

async fn verify(ctx: &Ctx, user: Option<&str>) -> Result<(), Error> {
    let report = audit::verify_all(ctx, user).await?;
    if report.broken.is_empty() {
        println!("{}", report.sentence());
        return Ok(());
    }
    for broken in &report.broken {
        println!("{broken}");
    }
    Err(Error::Broken(report.sentence()))
}
