//! `docket audit`: the record, verified, written out and decided again.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Error;
use crate::config::Config;
use crate::domain::audit::{Unsigned, Verification};
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
    #[command(
        after_help = "Example:\n  docket audit verify --user ada\n  docket audit verify --bundle record.jsonl\n\nExit status: 0 \
                      if all of it verifies, 1 if something is broken, 3 if nothing is broken but signatures could not be checked, \
                      since the checkpoint key or the checkpoint log is missing. With --allow-unsigned that is 0 as well."
    )]
    Verify(Verify),
    /// Repair a record that an older version erased so that it no longer verifies, by adding a signed record to each chain
    #[command(
        after_help = "Example:\n  docket audit amend\n\nNothing is rewritten. If anything else is broken, nothing is amended and \
                      the exit status is 1."
    )]
    Amend(Amend),
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
    /// Accept a record whose signatures cannot be checked
    #[arg(long)]
    allow_unsigned: bool,
}

#[derive(Debug, Args)]
pub struct Amend {
    /// Only this user's record
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

/// Refuses a record whose signatures could not be checked, or says so where that is accepted.
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
