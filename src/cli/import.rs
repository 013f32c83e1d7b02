//! `docket import`: tasks from files of other programs.

use std::path::PathBuf;

use clap::Args;

use super::{Error, print_table, usage};
use crate::domain::id::ImportId;
use crate::domain::user::Caller;
use crate::usecases::import::{self, Format, Reading};
use crate::usecases::undo::{self, Target, Undone};
use crate::usecases::{self, By, Commit, Ctx, accounts};

/// Rows of a file that a preview shows.
const SHOWN: usize = 5;

#[derive(Debug, Args)]
pub struct Import {
    /// Whose
    #[arg(long)]
    user: String,
    /// json (an export of Docket), csv (a head line with title, description, due, priority, project, tags, recurrence, status) or
    /// todoist-csv
    #[arg(long, required_unless_present = "undo")]
    format: Option<String>,
    /// The file
    #[arg(required_unless_present = "undo")]
    file: Option<PathBuf>,
    /// Say what would be added, and what cannot be; add nothing
    #[arg(long)]
    dry_run: bool,
    /// Add what can be added, although some rows cannot
    #[arg(long)]
    skip: bool,
    /// Take back the import of that id
    #[arg(long, value_name = "ID", conflicts_with_all = ["format", "file", "dry_run", "skip"])]
    undo: Option<String>,
    /// Of an import in whose way something is, take back what stands alone
    #[arg(long, requires = "undo")]
    rest: bool,
}

pub async fn run(ctx: &Ctx, command: Import) -> Result<(), Error> {
    let caller = accounts::caller_of_name(ctx, &command.user).await?;
    if let Some(id) = command.undo {
        return take_back(ctx, &caller, &id, command.rest).await;
    }
    let (Some(format), Some(file)) = (command.format, command.file) else { usage("give a format and a file") };
    let format = Format::parse(&format).map_err(usecases::Error::from)?;
    let bytes =
        std::fs::read(&file).map_err(|error| Error::State(format!("Cannot read {}: {error}.", file.display())))?;
    let reading = import::read(format, &bytes, &ctx.now(), &caller.user.zone).map_err(usecases::Error::from)?;
    if command.dry_run {
        let already = import::already(ctx, &caller, &reading).await?;
        return preview(&reading, already);
    }
    for refused in &reading.refused {
        eprintln!("{}: {}", refused.place, refused.why);
    }
    if !reading.refused.is_empty() && !command.skip {
        let count = reading.refused.len();
        return Err(Error::State(format!(
            "{count} rows cannot be taken, so nothing was added: mend them, or add --skip."
        )));
    }
    let mut tx = ctx.write().await?;
    let done = import::run(ctx, &mut tx, By::person(&caller), reading).await?;
    ctx.commit_at(tx, Commit::Edit).await?;
    println!("Added {} tasks; {} were there from an import before.", done.added, done.already);
    if let Some(id) = done.import_id {
        println!("To take them back: docket import --user {} --undo {id}", caller.user.name);
    }
    Ok(())
}

/// Takes back a whole import, or with `rest` what of it nothing stands in the way of.
async fn take_back(ctx: &Ctx, caller: &Caller, id: &str, rest: bool) -> Result<(), Error> {
    let target = Target::Import(ImportId::parse(id).map_err(usecases::Error::from)?);
    let (mut tx, by) = (ctx.write().await?, By::person(caller));
    let undone = if rest {
        undo::rest(ctx, &mut tx, by, target).await?
    } else {
        let whole = undo::all(ctx, &mut tx, by, target).await.map_err(|error| match error {
            usecases::Error::Partly(why) => Error::State(format!("{why} To take back the others, add --rest.")),
            other => other.into(),
        });
        Undone { done: whole?, left: vec![] }
    };
    ctx.commit_at(tx, Commit::Undo).await?;
    println!("Moved {} tasks to the bin.", undone.done.len());
    for why in &undone.left {
        println!("Left: {why}");
    }
    Ok(())
}

/// Counts, the first rows, and every row that cannot be taken.
fn preview(reading: &Reading, already: usize) -> Result<(), Error> {
    let rows = reading.rows.iter().take(SHOWN).map(|row| {
        let due = row.task.due.as_ref().map(ToString::to_string);
        let project = row.task.project.as_ref().map(ToString::to_string);
        vec![
            row.place.to_string(),
            row.task.title.to_string(),
            due.unwrap_or_default(),
            row.task.priority.as_str().to_owned(),
            project.unwrap_or_default(),
        ]
    });
    print_table(&["WHERE", "TITLE", "DUE", "PRIORITY", "PROJECT"], &rows.collect::<Vec<_>>())?;
    let new = reading.rows.len() - already;
    println!("{new} tasks would be added; {already} are there from an import before.");
    for note in &reading.notes {
        println!("{note}");
    }
    for refused in &reading.refused {
        println!("Cannot be taken: {}: {}", refused.place, refused.why);
    }
    Ok(())
}
