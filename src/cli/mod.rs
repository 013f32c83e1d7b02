//! The `docket` command: serving, and what an operator does on the server's machine.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};

use crate::config::{Config, Overrides};
use crate::domain::audit::Unsigned;
use crate::server;
use crate::state::AppState;
use crate::usecases::{self, Ctx, Seal, checkpoints, private_files};

/// The record.
mod audit;
/// Copies of the database.
mod backup;
/// From SQLite to PostgreSQL and back.
mod copy;
/// Evaluations.
mod eval;
/// What a user takes along.
mod export;
/// What a user brings along.
mod import;
/// The tools over standard input and output.
mod mcp;
/// The Telegram bot.
mod telegram;
/// API tokens.
mod token;
/// Accounts.
mod user;

/// Bytes of stack of each worker thread: rendering a page nests deeply, most of all without optimisation. Untouched stack costs nothing.
const STACK: usize = 16 << 20;

/// A self-hosted todo assistant whose agent can be trusted with your list.
#[derive(Debug, Parser)]
#[command(
    name = "docket",
    version,
    after_help = "Example:\n  docket --database-url sqlite://data/docket.db serve\n\nWithout a command, docket serves. \
                  Everything else is set by environment variables; the README lists them."
)]
struct Cli {
    /// The database: sqlite://FILE or postgres://… (in place of DOCKET_DATABASE_URL)
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the site and the API (what docket does without a command)
    #[command(after_help = "Example:\n  DOCKET_ADDR=0.0.0.0:8080 docket serve")]
    Serve,
    /// Add, list, disable and enable accounts, and set their passwords
    #[command(subcommand, after_help = "Example:\n  docket user list")]
    User(user::User),
    /// Create, list and revoke API tokens
    #[command(subcommand, after_help = "Example:\n  docket token list --user ada")]
    Token(token::Token),
    /// Write a consistent copy of the SQLite database to FILE, while the server runs
    #[command(after_help = "Example:\n  docket backup /var/backups/docket-2026-11-22.db")]
    Backup(backup::Backup),
    /// Put a copy in the place of the SQLite database, which is kept beside it; the server must be stopped
    #[command(after_help = "Example:\n  docket restore /var/backups/docket-2026-11-22.db")]
    Restore(backup::Restore),
    /// Verify the record, and decide its turns again
    #[command(subcommand, after_help = "Example:\n  docket audit verify")]
    Audit(audit::Audit),
    /// Serve the tools to an MCP client on this machine, over standard input and output
    #[command(after_help = "Example:\n  DOCKET_TOKEN=dkt_… docket mcp --token-env DOCKET_TOKEN")]
    Mcp(mcp::Mcp),
    /// Tell Telegram where to send what people write, and ask how that goes
    #[command(subcommand, after_help = "Example:\n  docket telegram status")]
    Telegram(telegram::Telegram),
    /// Copy a whole database from SQLite to an empty PostgreSQL, or back, and verify the copy; the servers must be stopped
    #[command(
        after_help = "Example:\n  docket copy --from sqlite://data/docket.db --to postgres://docket@127.0.0.1/docket"
    )]
    Copy(copy::Copy),
    /// Write everything of a user to standard output: json has all, memories and settings included, csv the tasks
    #[command(after_help = "Example:\n  docket export --user ada --format json > ada.json")]
    Export(export::Export),
    /// Add the tasks of a file to a user's, all of them or none; a file that comes again adds nothing twice
    #[command(
        after_help = "Example:\n  docket import --user ada --format todoist-csv Groceries.csv --dry-run\n  docket import --user ada --undo 019aa3c4-7d1e-7f7e-8d6c-3f0b8f0f4f8e"
    )]
    Import(import::Import),
    /// Run rows of an evaluation through the whole pipeline and write the predictions
    #[command(
        after_help = "Example:\n  docket eval dev/dialogues.jsonl --out predictions/dialogues.jsonl --engine rules"
    )]
    Eval(eval::Eval),
}

/// Why a command did not do it: one sentence for stderr.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    #[error(transparent)]
    Server(#[from] server::Error),
    #[error(transparent)]
    Refused(#[from] usecases::Error),
    #[error("{0}")]
    State(String),
    /// PostgreSQL does that by tools of its own.
    #[error("PostgreSQL has its own tools for that: back it up with pg_dump and restore it with pg_restore.")]
    NotSqlite,
    #[error("The record is broken: {0}.")]
    Broken(String),
    /// Nothing is broken, as far as that can be told without signatures.
    #[error("{} Use --allow-unsigned to accept that.", .0.sentence())]
    Unsigned(Unsigned),
    #[error("{0}")]
    Token(String),
    #[error("Cannot read the password from standard input: {0}.")]
    Stdin(std::io::Error),
    #[error("Cannot write to standard output: {0}.")]
    Stdout(#[from] std::io::Error),
}

/// Runs the command that the process was started with, to its end.
pub fn main() -> ExitCode {
    keep_files_private();
    let cli = Cli::parse();
    if !matches!(cli.command, None | Some(Command::Serve | Command::Mcp(_))) {
        end_with_the_reader();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(run(cli)),
        Err(error) => Err(Error::State(format!("The threads to work with cannot be started: {error}."))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("docket: {error}");
            ExitCode::from(error.status())
        }
    }
}

impl Error {
    /// Returns the exit status; wrong usage has 2.
    fn status(&self) -> u8 {
        match self {
            Self::Unsigned(_) => 3,
            _ => 1,
        }
    }
}

/// Gives every file that the process creates to its owner alone, whatever umask it was started with. Before there are threads.
fn keep_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Has the process end as others do when whoever reads its output has gone (`docket user list | head -1`): what is done is done by
/// then, and a panic would say otherwise. A server has other pipes, which must not end it.
fn end_with_the_reader() {
    #[cfg(unix)]
    // SAFETY: it sets what a signal does, to what it does by default, while the process has one thread.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Runs what the arguments say.
async fn run(cli: Cli) -> Result<(), Error> {
    let config = Config::from_env(&Overrides { database_url: cli.database_url })?;
    match cli.command.unwrap_or(Command::Serve) {
        Command::Serve => {
            log_to_stderr(&config);
            Ok(server::serve(config).await?)
        }
        Command::User(command) => {
            let adds = matches!(command, user::User::Add { .. });
            let state = if adds { open_or_make(config).await? } else { open(config).await? };
            // A new database is signed while it is empty: nobody has to vouch for it later.
            sign_new(&state.ctx).await;
            user::run(&state, command).await?;
            sign_new(&state.ctx).await;
            Ok(())
        }
        Command::Backup(command) => backup::make(&config, &command),
        Command::Restore(command) => backup::restore(&config, &command).await,
        Command::Mcp(command) => mcp::run(config, command).await,
        Command::Audit(command) => audit::run(config, command).await,
        Command::Telegram(command) => telegram::run(&config, command).await,
        Command::Copy(command) => copy::run(command).await,
        Command::Export(command) => export::run(&open(config).await?.ctx, &command).await,
        Command::Import(command) => import::run(&open(config).await?.ctx, command).await,
        Command::Eval(command) => eval::run(config, command).await,
        Command::Token(command) => {
            let ctx = &open(config).await?.ctx;
            token::run(ctx, command).await?;
            sign_new(ctx).await;
            Ok(())
        }
    }
}

/// The state for a command that works on the database beside a running server. A wrong path is no empty database of which all is well.
async fn open(config: Config) -> Result<AppState, Error> {
    if let Some(file) = config.sqlite_file().filter(|file| !file.exists()) {
        return Err(Error::State(format!(
            "There is no database at {}: name it with --database-url or DOCKET_DATABASE_URL (`docket serve` and `docket user add` \
             make one).",
            file.display()
        )));
    }
    open_or_make(config).await
}

/// The same for a command that one may begin with.
async fn open_or_make(config: Config) -> Result<AppState, Error> {
    AppState::open(config).await.map_err(|error| Error::State(error.to_string()))
}

/// Refuses a file for a command's output that the database or its record lives in.
fn refuse_own(config: &Config, file: &Path) -> Result<(), Error> {
    let seal = Seal::new(config.checkpoint_key.clone(), config.checkpoint_log.clone());
    if private_files::is_own(file, config.sqlite_file(), &seal) {
        let own = "belongs to the database or its record: choose another name.";
        return Err(Error::State(format!("{} {own}", file.display())));
    }
    Ok(())
}

/// Signs the record of a SQLite database that has no checkpoint yet, so that it verifies before a server has served it. What the
/// command did is done in any case.
async fn sign_new(ctx: &Ctx) {
    if let Err(error) = checkpoints::begin_new(ctx).await {
        eprintln!("docket: The record was not signed: {error}");
    }
}

/// Structured logs go to stderr; stdout is for what a person asked for.
fn log_to_stderr(config: &Config) {
    // Every agent's call opens an MCP connection in memory; that is no news unless asked for.
    // Its warnings repeat what an outside agent was answered, which may hold somebody's words.
    let quiet = if config.log.contains("rmcp") { "" } else { "rmcp=error," };
    // The client of the models writes whole answers into its errors; ours say what is needed, without anybody's words.
    let filter = tracing_subscriber::EnvFilter::new(format!("{quiet}{},async_openai=off", config.log));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours).init();
}

/// Ends the program as wrong usage, exit status 2.
fn usage(message: &str) -> ! {
    Cli::command().error(ErrorKind::MissingRequiredArgument, message).exit()
}

/// The first line of standard input, without its end.
fn password_from_stdin(asked: bool) -> Result<String, Error> {
    if !asked {
        usage("a password is read from standard input only: add --password-stdin");
    }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(Error::Stdin)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Writes lines of columns, each as wide as its widest entry.
fn print_table(head: &[&str], rows: &[Vec<String>]) -> Result<(), Error> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut out = std::io::stdout().lock();
    let mut line = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(out, "{}", padded.join("  ").trim_end())
    };
    line(head.to_vec())?;
    for row in rows {
        line(row.iter().map(String::as_str).collect())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_shows_an_example() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Example:\n  "), "{} has no example", command.get_name());
            command.get_subcommands().filter(|sub| sub.get_name() != "help").for_each(check);
        }
        Cli::command().debug_assert();
        check(&Cli::command());
    }
}
