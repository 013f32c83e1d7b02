//! `docket export`: all data of a user, on standard output.

use std::io::Write;

use clap::Args;

use super::Error;
use crate::usecases::export::{self, Format};
use crate::usecases::{self, Ctx, accounts};

#[derive(Debug, Args)]
pub struct Export {
    /// Name of the user
    #[arg(long)]
    user: String,
    /// json (everything) or csv (the tasks)
    #[arg(long)]
    format: String,
}

pub async fn run(ctx: &Ctx, command: &Export) -> Result<(), Error> {
    let format = Format::parse(&command.format).map_err(usecases::Error::from)?;
    let caller = accounts::caller_of_name(ctx, &command.user).await?;
    let mut export = export::Export::new(ctx, &caller, format)?;
    let mut out = std::io::stdout().lock();
    while let Some(piece) = export.next().await? {
        out.write_all(piece.as_bytes())?;
    }
    Ok(out.flush()?)
}
