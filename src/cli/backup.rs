//! `docket backup` and `docket restore`: copies of the SQLite file.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::Error;
use crate::clock::Clock;
use crate::config::Config;
use crate::server::lock;
use crate::usecases::{CheckpointSigner, backup, checkpoints};

#[derive(Debug, Args)]
pub struct Backup {
    /// Path of the copy
    file: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub struct Restore {
    /// The copy that `docket backup` wrote; it is not changed
    file: PathBuf,
    /// Accept records that are newer than the copy's newest checkpoint
    #[arg(long)]
    allow_unsigned: bool,
}

pub async fn make(config: &Config, command: &Backup) -> Result<(), Error> {
    let database = config.sqlite_file().ok_or(Error::NotSqlite)?;
    super::refuse_own(config, &command.file)?;
    let seal = Arc::new(CheckpointSigner::new(config.checkpoint_key.clone(), config.checkpoint_log.clone()));
    backup::make(&database, &command.file, command.force, &seal, &Clock::Real).await?;
    println!("Copied {} to {}.", database.display(), command.file.display());
    Ok(())
}

pub async fn restore(config: &Config, command: &Restore) -> Result<(), Error> {
    let database = config.sqlite_file().ok_or(Error::NotSqlite)?;
    // Held until the command ends, so that no server starts meanwhile.
    let _lock = lock::take(config)?;
    let seal = CheckpointSigner::new(config.checkpoint_key.clone(), config.checkpoint_log.clone());
    let restored = backup::restore(&command.file, &database, &seal, &Clock::Real, command.allow_unsigned).await?;
    let log = checkpoints::put_log_away(&seal, &Clock::Real)?;
    println!("Restored {} from {}.", database.display(), command.file.display());
    if let Some(log) = log {
        println!("The checkpoint log is kept as {}.", log.display());
    }
    if let Some(kept) = restored.kept {
        println!("The previous database is kept as {}.", kept.display());
    }
    if let Some(why) = restored.unsigned {
        println!("{}", why.sentence());
    }
    Ok(())
}
