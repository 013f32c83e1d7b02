//! `docket audit`: verifies, exports and replays the audit log.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Error;
use crate::config::Config;
use crate::domain::audit::{Unsigned, Verification};
use crate::usecases::{audit, checkpoints};

mod bundle;
mod export;
mod replay;

#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Check that no record was edited, removed, added or reordered, and that the checkpoints hold
    #[command(
        after_help = "Example:\n  docket audit verify --user ada\n  docket audit verify --bundle record.jsonl\n\nExit status: 0 \
                      if everything verifies, 1 if something is broken, 3 if nothing is broken but signatures could not be \
                      checked because the checkpoint key or the checkpoint log is missing. --allow-unsigned turns 3 into 0."
    )]
    Verify(Verify),
    /// Repair an audit log that no longer verifies because an older version erased from it, by adding a signed record to each
    /// chain
    #[command(
        after_help = "Example:\n  docket audit amend\n\nExisting records are not rewritten. If anything else is \
             broken, nothing is amended and the exit status is 1."
    )]
    Amend(Amend),
    /// Sign the records added since the last checkpoint, as the server does every minute
    #[command(after_help = "Example:\n  docket audit checkpoint")]
    Checkpoint,
    /// Write turns to standard output, newest first, as JSON Lines or CSV. The export itself is recorded
    #[command(
        after_help = "Example:\n  docket audit export --format csv --since 2026-11-01 --user ada > ada.csv\n\nA time \
             without an offset is in the user's time zone, or in UTC without --user."
    )]
    Export(export::Export),
    /// Write the audit log, its checkpoints and their public key to FILE, to be verified without the database
    #[command(after_help = "Example:\n  docket audit export-bundle record.jsonl --user ada")]
    ExportBundle(bundle::Export),
    /// Replay the decision of a turn from its record, offline and without effects
    #[command(
        after_help = "Example:\n  docket audit replay 01a20558-dbfa-7693-816f-4dee4a89b3dd --engine rules\n\nPrints \
             “same decision”; otherwise prints the differences, or why the turn cannot be replayed, and exits with 1."
    )]
    Replay(replay::Replay),
}

#[derive(Debug, Args)]
pub struct Verify {
    /// Only this user's audit log
    #[arg(long)]
    user: Option<String>,
    /// Verify a file written by `docket audit export-bundle` instead of the database
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    bundle: Option<PathBuf>,
    /// The public key that the bundle must be signed with
    #[arg(long, value_name = "KEY", requires = "bundle")]
    key: Option<String>,
    /// Accept an audit log whose signatures cannot be checked
    #[arg(long)]
    allow_unsigned: bool,
}

#[derive(Debug, Args)]
pub struct Amend {
    /// Only this user's audit log
    #[arg(long)]
    user: Option<String>,
}

pub async fn run(config: Config, command: Audit) -> Result<(), Error> {
    match command {
        Audit::Verify(Verify { bundle: Some(file), key, allow_unsigned, .. }) => {
            bundle::verify(&file, key.as_deref(), allow_unsigned)
        }
        Audit::Verify(Verify { user, allow_unsigned, .. }) => {
            let report = audit::verify_all(&super::open(config).await?.ctx, user.as_deref()).await?;
            told(&report)?;
            signed(report.unsigned, allow_unsigned)
        }
        Audit::Amend(Amend { user }) => {
            let amended = audit::amend(&super::open(config).await?.ctx, user.as_deref()).await?;
            println!("{}", amended.report.sentence());
            if amended.records == 0 {
                println!("There was nothing to amend.");
            }
            Ok(())
        }
        Audit::Checkpoint => {
            let number = checkpoints::make_now(&super::open(config).await?.ctx).await?;
            println!("checkpoint {number}");
            Ok(())
        }
        Audit::Export(command) => export::run(&super::open(config).await?.ctx, command).await,
        Audit::ExportBundle(command) => {
            super::refuse_own(&config, command.file())?;
            bundle::export(&super::open(config).await?.ctx, &command).await
        }
        Audit::Replay(command) => replay::run(&super::open(config).await?, command).await,
    }
}

/// Fails if signatures could not be checked; prints the reason instead if that is allowed.
fn signed(unsigned: Option<Unsigned>, allowed: bool) -> Result<(), Error> {
    match unsigned {
        None => Ok(()),
        Some(why) if allowed => {
            println!("{}", why.sentence());
            Ok(())
        }
        Some(why) => Err(Error::Unsigned(why)),
    }
}

/// Prints every fault, or that there is none.
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
