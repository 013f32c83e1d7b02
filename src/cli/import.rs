//! `docket import`: tasks from files of other programs.

use std::path::PathBuf;

use clap::Args;

use super::{Error, print_table, usage};
use crate::domain::id::ImportId;
use crate::domain::user::Caller;
use crate::messages::{counts, import as messages};
use crate::usecases::import::{self, Format, Reading};
use crate::usecases::undo::{self, Left, Target, Undone};
use crate::usecases::{self, By, Commit, Ctx, accounts};

/// Number of rows that a preview shows.
const SHOWN: usize = 5;

#[derive(Debug, Args)]
pub struct Import {
    /// Name of the user
    #[arg(long)]
    user: String,
    /// json (an export of Docket), csv, todoist-csv, ticktick-csv, microsoft-csv (Outlook), microsoft-json (To Do) or google-json
    /// (Takeout). csv has a header with title, description, due, priority, project, tags, recurrence, status
    ///
    /// Without it, the format is detected
    #[arg(long)]
    format: Option<String>,
    /// File to import
    #[arg(required_unless_present = "undo")]
    file: Option<PathBuf>,
    /// Show what would be added and what cannot be; add nothing
    #[arg(long)]
    dry_run: bool,
    /// Add the valid rows even if others cannot be imported
    #[arg(long)]
    skip: bool,
    /// Undo the import with this id
    #[arg(long, value_name = "ID", conflicts_with_all = ["format", "file", "dry_run", "skip"])]
    undo: Option<String>,
    /// If later changes conflict with the undo, undo the independent changes
    #[arg(long, requires = "undo")]
    rest: bool,
}

pub async fn run(ctx: &Ctx, command: Import) -> Result<(), Error> {
    let caller = accounts::caller_of_name(ctx, &command.user).await?;
    if let Some(id) = command.undo {
        return take_back(ctx, &caller, &id, command.rest).await;
    }
    let Some(file) = command.file else { usage("give a file") };
    let bytes =
        std::fs::read(&file).map_err(|error| Error::State(format!("Cannot read {}: {error}.", file.display())))?;
    if bytes.len() > import::LARGEST {
        return Err(Error::State(messages::file_too_large(import::LARGEST)));
    }
    let format = match command.format {
        Some(format) => Format::parse(&format).map_err(usecases::Error::from)?,
        None => Format::of(&import::decoded(&bytes).map_err(usecases::Error::from)?),
    };
    let reading = import::read(format, &bytes, &ctx.now(), &caller.user.zone).map_err(usecases::Error::from)?;
    if command.dry_run {
        let already = import::already(ctx, &caller, &reading).await?;
        return preview(&reading, already);
    }
    for refused in &reading.refused {
        eprintln!("{}: {}", refused.place, refused.why);
    }
    if !reading.refused.is_empty() && !command.skip {
        let count = counts::rows(reading.refused.len());
        return Err(Error::State(format!(
            "{count} cannot be imported, so nothing was added; fix them, or add --skip."
        )));
    }
    let (mut tx, left_out) = (ctx.write().await?, reading.left_out.clone());
    let done = import::run(ctx, &mut tx, By::person(&caller), reading).await?;
    ctx.commit_at(tx, Commit::Edit).await?;
    let were = counts::plural(done.already, "was", "were");
    println!("Added {}; {} {were} already on the list.", counts::tasks(done.added), done.already);
    for detail in &left_out {
        println!("Left out: {}: {}", detail.place, detail.why);
    }
    if let Some(id) = done.import_id {
        println!("To undo: docket import --user {} --undo {id}", caller.user.name);
    }
    Ok(())
}

/// Undoes a whole import, or with `rest` the changes that no later change depends on.
async fn take_back(ctx: &Ctx, caller: &Caller, id: &str, rest: bool) -> Result<(), Error> {
    let target = Target::Import(ImportId::parse(id).map_err(usecases::Error::from)?);
    let (mut tx, by) = (ctx.write_many().await?, By::person(caller));
    let undone = if rest {
        undo::rest(ctx, &mut tx, by, target).await?
    } else {
        let whole = undo::all(ctx, &mut tx, by, target).await.map_err(|error| match error {
            usecases::Error::Partly(why) => Error::State(format!("{why} To undo the others, add --rest.")),
            other => other.into(),
        });
        Undone { done: whole?, left: vec![] }
    };
    ctx.commit_at(tx, Commit::Undo).await?;
    println!("Moved {} to the bin.", counts::tasks(undone.done.len()));
    for Left { why, .. } in &undone.left {
        println!("Not undone: {why}");
    }
    Ok(())
}

/// Prints counts, the first rows, and every row that cannot be imported.
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
    let are = counts::plural(already, "is", "are");
    println!("{} would be added; {already} {are} already on the list.", counts::tasks(new));
    for note in &reading.notes {
        println!("{note}");
    }
    for detail in &reading.left_out {
        println!("Left out: {}: {}", detail.place, detail.why);
    }
    for refused in &reading.refused {
        println!("Cannot be imported: {}: {}", refused.place, refused.why);
    }
    Ok(())
}
