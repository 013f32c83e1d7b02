//! `docket copy`: from SQLite to PostgreSQL and back.

use clap::Args;

use super::{Error, open_or_make};
use crate::config::{Config, Overrides};
use crate::server::lock;
use crate::state::AppState;
use crate::usecases::{CheckpointSigner, copying};

#[derive(Debug, Args)]
pub struct Copy {
    /// The database to copy from; it is not changed
    #[arg(long, value_name = "URL")]
    from: String,
    /// The empty database to copy to
    #[arg(long, value_name = "URL")]
    to: String,
}

pub async fn run(command: Copy) -> Result<(), Error> {
    let [from, to] = [command.from, command.to].map(|url| Config::from_env(&Overrides { database_url: Some(url) }));
    let (from, to) = (from?, to?);
    if let Some(file) = from.sqlite_file().filter(|file| !file.is_file()) {
        return Err(Error::State(format!("There is no file {}.", file.display())));
    }
    // Held until the command ends: the copy would miss what a server writes meanwhile.
    let _locks = (lock::take(&from)?, lock::take(&to)?);
    let names = (from.database_name(), to.database_name());
    let seal = CheckpointSigner::new(from.checkpoint_key.clone(), from.checkpoint_log.clone());
    let from = AppState::open_as_is(from).await.map_err(|error| Error::State(error.to_string()))?;
    let to = open_or_make(to).await?;
    let (copied, unsigned) = copying::copy(&from.ctx, &to.ctx, &seal).await?;
    println!("Copied {} rows in {} tables from {} to {}.", copied.rows, copied.tables, names.0, names.1);
    println!("All row counts and the ends of {} hash chains match.", copied.chains);
    if let Some(why) = unsigned {
        println!("{}", why.sentence());
    }
    Ok(())
}
