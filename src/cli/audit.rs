//! `docket audit`: the record, verified, written out and decided again.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Error;
use crate::config::Config;
use crate::domain::audit::Verification;
use crate::usecases::{audit, checkpoints};

/// The record as a file that is verified without the database.
mod bundle;
/// The record as a file that is read.
mod export;
/// Turns decided again.
mod replay;

#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Check that nothing in the record was edited, removed, added or put in another order, and that the checkpoints hold
    #[command(after_help = "Example:\n  docket audit verify --user ada\n  docket audit verify --bundle record.jsonl")]
    Verify(Verify),
    /// Sign what was added to the record since the last checkpoint, as the server does every minute
    #[command(after_help = "Example:\n  docket audit checkpoint")]
    Checkpoint,
    /// Write turns of the record to standard output, newest first: a JSON object a line, or a table. That they were taken is recorded
    #[command(
        after_help = "Example:\n  docket audit export --format csv --since 2026-11-01 --user ada > ada.csv\n\nA time \
                      without an offset is meant in the user's zone, else in UTC."
    )]
    Export(export::Export),
    /// Write the record, its checkpoints and their public key to FILE, to be verified without the database
    #[command(after_help = "Example:\n  docket audit export-bundle record.jsonl --user ada")]
    ExportBundle(bundle::Export),
    /// Decide a turn again from its record, offline and without effects
    #[command(
        after_help = "Example:\n  docket audit replay 01a20558-dbfa-7693-816f-4dee4a89b3dd --engine rules\n\nPrints “same \
                      decision”, or what differs or cannot be replayed and exits with 1."
    )]
    Replay(replay::Replay),
}

#[derive(Debug, Args)]
pub struct Verify {
    /// Only this user's record
    #[arg(long)]
    user: Option<String>,
    /// A file that `docket audit export-bundle` wrote, in place of the database
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    bundle: Option<PathBuf>,
    /// The public key that the bundle must be signed with
    #[arg(long, value_name = "KEY", requires = "bundle")]
    key: Option<String>,
}

pub async fn run(config: Config, command: Audit) -> Result<(), Error> {
    match command {
        Audit::Verify(Verify { bundle: Some(file), key, .. }) => bundle::verify(&file, key.as_deref()),
        Audit::Verify(Verify { user, .. }) => {
            told(&audit::verify_all(&super::open(config).await?.ctx, user.as_deref()).await?)
        }
        Audit::Checkpoint => {
            let number = checkpoints::make_now(&super::open(config).await?.ctx).await?;
            println!("checkpoint {number}");
            Ok(())
        }
        Audit::Export(command) => export::run(&super::open(config).await?.ctx, command).await,
        Audit::ExportBundle(command) => bundle::export(&super::open(config).await?.ctx, &command).await,
        Audit::Replay(command) => replay::run(&super::open(config).await?, command).await,
    }
}

/// Prints what is broken, or that nothing is.
fn told(report: &Verification) -> Result<(), Error> {
    if report.broken.is_empty() {
        println!("{}", report.sentence());
        return Ok(());
    }
    for broken in &report.broken {
        println!("{broken}");
    }
    Err(Error::Broken(report.sentence()))
}
