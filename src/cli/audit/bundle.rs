//! `docket audit export-bundle` and `docket audit verify --bundle`: the audit log as a file.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{signed, told};
use crate::cli::Error;
use crate::usecases::{Ctx, audit};

#[derive(Debug, Args)]
pub struct Export {
    /// Path of the bundle; it contains all messages and changes
    file: PathBuf,
    /// Only this user's audit log
    #[arg(long)]
    user: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl Export {
    pub fn file(&self) -> &Path {
        &self.file
    }
}

pub async fn export(ctx: &Ctx, command: &Export) -> Result<(), Error> {
    let Export { file, user, force } = command;
    let failed = |error: std::io::Error| Error::State(format!("{} cannot be written: {error}.", file.display()));
    if !force && file.exists() {
        let taken = "already exists; choose another name, or add --force.";
        return Err(Error::State(format!("{} {taken}", file.display())));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Written atomically, and readable by its owner only, since it holds people's messages.
    let mut out = BufWriter::new(tempfile::NamedTempFile::new_in(folder).map_err(failed)?);
    let written = audit::bundle::write_all(ctx, user.as_deref(), &mut out).await?;
    out.flush().map_err(failed)?;
    let draft = out.into_inner().map_err(|error| failed(error.into_error()))?;
    draft.as_file().sync_all().map_err(failed)?;
    draft.persist(file).map_err(|error| failed(error.error))?;
    let (records, chains, checkpoints) = (written.records, written.chains, written.checkpoints);
    println!("Wrote {records} records, {chains} users and {checkpoints} checkpoints to {}.", file.display());
    Ok(())
}

pub fn verify(file: &Path, key: Option<&str>, allow_unsigned: bool) -> Result<(), Error> {
    let opened = File::open(file)
        .map_err(|error| Error::State(format!("The bundle {} cannot be read: {error}.", file.display())))?;
    let verified = audit::verify_bundle(BufReader::new(opened), key)?;
    told(&verified.report)?;
    if let (Some(seen), Some(key), None) = (&verified.report.checkpoint, verified.key, verified.report.unsigned) {
        println!("checkpoint {} of {} covers {} records, signed with {key}", seen.number, seen.at, seen.records);
    }
    signed(verified.report.unsigned, allow_unsigned)
}
