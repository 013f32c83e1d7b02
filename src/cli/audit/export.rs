//! `docket audit export`: turns of the audit log, on standard output.

use std::io::Write as _;

use clap::Args;

use crate::api::audit::Form;
use crate::api::views::spans::moment_of;
use crate::cli::Error;
use crate::domain::audit::AuditFilter;
use crate::usecases::audit::export;
use crate::usecases::{self, Ctx, accounts};

#[derive(Debug, Args)]
pub struct Export {
    /// jsonl or csv
    #[arg(long)]
    format: String,
    /// Only turns since this time
    #[arg(long, value_name = "ISO")]
    since: Option<String>,
    /// Only this user's turns
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

pub async fn run(ctx: &Ctx, command: Export) -> Result<(), Error> {
    let Export { format, since, user } = command;
    let form = Form::parse(&format).map_err(usecases::Error::from)?;
    let zone = match &user {
        Some(name) => accounts::caller_of_name(ctx, name).await?.user.zone,
        None => "UTC".to_owned(),
    };
    let since = moment_of(since.as_deref(), &zone).map_err(usecases::Error::from)?;
    let mut export = export::Export::by_operator(ctx, AuditFilter { since, user, ..AuditFilter::default() }).await?;
    let mut out = std::io::stdout().lock();
    let mut first = true;
    while let Some(turns) = export.next().await? {
        out.write_all(&form.written(&turns, first))?;
        first = false;
    }
    Ok(out.flush()?)
}
