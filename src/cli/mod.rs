//! The `docket` command: the server, and the operator's commands on its machine.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};

use crate::config::{Config, Overrides};
use crate::domain::audit::Unsigned;
use crate::server;
use crate::state::AppState;
use crate::usecases::{self, CheckpointSigner, Ctx, checkpoints, private_files};

mod audit;
mod backup;
mod copy;
mod eval;
mod export;
mod import;
mod mcp;
mod telegram;
mod token;
mod user;

/// Stack size of a worker thread, in bytes: rendering a page nests deeply, above all without optimisation. Unused stack is free.
const STACK: usize = 16 << 20;

/// A self-hosted todo assistant whose agent can be trusted with your list.
#[derive(Debug, Parser)]
#[command(
    name = "docket",
    version,
    after_help = "Example:\n  docket --database-url sqlite://data/docket.db serve\n\nWithout a command, docket runs \
         serve. All other settings are environment variables, listed in docs/configuration.md."
)]
struct Cli {
    /// The database: sqlite://FILE or postgres://… (overrides DOCKET_DATABASE_URL)
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
    /// Replace the SQLite database by a copy, and keep the old file next to it; the server must be stopped
    #[command(after_help = "Example:\n  docket restore /var/backups/docket-2026-11-22.db")]
    Restore(backup::Restore),
    /// Verify, export and replay the audit log
    #[command(subcommand, after_help = "Example:\n  docket audit verify")]
    Audit(audit::Audit),
    /// Serve the tools to an MCP client on this machine, over standard input and output
    #[command(after_help = "Example:\n  DOCKET_TOKEN=dkt_… docket mcp --token-env DOCKET_TOKEN")]
    Mcp(mcp::Mcp),
    /// Set the bot's webhook, and show its state
    #[command(subcommand, after_help = "Example:\n  docket telegram status")]
    Telegram(telegram::Telegram),
    /// Copy a whole database from SQLite to an empty PostgreSQL, or back, and verify the copy; the servers must be stopped
    #[command(
        after_help = "Example:\n  docket copy --from sqlite://data/docket.db --to postgres://docket@127.0.0.1/docket"
    )]
    Copy(copy::Copy),
    /// Write all data of a user to standard output: json includes memories and settings, csv has the tasks only
    #[command(after_help = "Example:\n  docket export --user ada --format json > ada.json")]
    Export(export::Export),
    /// Add the tasks of a file to a user's list, all or none; importing a file again adds only tasks that are not on the list
    #[command(
        after_help = "Example:\n  docket import --user ada --format todoist-csv Groceries.csv --dry-run\n  docket import --user ada --undo 019aa3c4-7d1e-7f7e-8d6c-3f0b8f0f4f8e"
    )]
    Import(import::Import),
    /// Run evaluation rows through the whole pipeline and write the predictions
    #[command(
        after_help = "Example:\n  docket eval dev/dialogues.jsonl --out predictions/dialogues.jsonl --engine rules"
    )]
    Eval(eval::Eval),
}

/// A failed command: one sentence for stderr.
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
    #[error("This command supports SQLite only; back PostgreSQL up with pg_dump and restore it with pg_restore.")]
    NotSqlite,
    #[error("The audit log is broken: {0}.")]
    Broken(String),
    /// Nothing is broken, as far as can be checked without signatures.
    #[error("{} Use --allow-unsigned to accept that.", .0.sentence())]
    Unsigned(Unsigned),
    #[error("{0}")]
    Token(String),
    #[error("Cannot read the password from standard input: {0}.")]
    Stdin(std::io::Error),
    #[error("Cannot write to standard output: {0}.")]
    Stdout(#[from] std::io::Error),
}

/// Returns the command line's definition, from which `docs/cli.md` is generated.
#[cfg(test)]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command of this process to its end.
pub fn main() -> ExitCode {
    keep_files_private();
    let cli = Cli::parse();
    if !matches!(cli.command, None | Some(Command::Serve | Command::Mcp(_))) {
        end_with_the_reader();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(run(cli)),
        Err(error) => Err(Error::State(format!("The worker threads cannot be started: {error}."))),
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

/// Restricts every file that the process creates to its owner, whatever the umask was. Must run before there are threads.
fn keep_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Lets the process end silently if the reader of its output has gone (`docket user list | head -1`): its work is done by then,
/// and a panic would suggest otherwise. A server has other pipes, which must not end it.
fn end_with_the_reader() {
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "no safe crate resets a signal's action")]
    // SAFETY: resets a signal's action to the default while the process has one thread.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

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
            // Sign a new database while it is empty, so that no unsigned records remain.
            sign_new(&state.ctx).await;
            user::run(&state, command).await?;
            sign_new(&state.ctx).await;
            Ok(())
        }
        Command::Backup(command) => backup::make(&config, &command).await,
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

/// Opens the state for a command that may run next to a server. Fails if there is no SQLite file, so that a wrong path does not
/// create one.
async fn open(config: Config) -> Result<AppState, Error> {
    if let Some(file) = config.sqlite_file().filter(|file| !file.exists()) {
        return Err(Error::State(format!(
            "There is no database at {}. Set --database-url or DOCKET_DATABASE_URL, or create one with `docket serve` \
                 or `docket user add`.",
            file.display()
        )));
    }
    open_or_make(config).await
}

/// Opens the state, and creates a missing database.
async fn open_or_make(config: Config) -> Result<AppState, Error> {
    AppState::open(config).await.map_err(|error| Error::State(error.to_string()))
}

/// Fails if a command's output would overwrite a file of the database or its audit log.
fn refuse_own(config: &Config, file: &Path) -> Result<(), Error> {
    let seal = CheckpointSigner::new(config.checkpoint_key.clone(), config.checkpoint_log.clone());
    if private_files::is_own(file, config.sqlite_file(), &seal) {
        let own = "is a file of the database or its audit log; choose another name.";
        return Err(Error::State(format!("{} {own}", file.display())));
    }
    Ok(())
}

/// Signs the audit log of a SQLite database without a checkpoint, so that it verifies before a server has run. An error is only
/// printed, as the command has already taken effect.
async fn sign_new(ctx: &Ctx) {
    if let Err(error) = checkpoints::begin_new(ctx).await {
        eprintln!("docket: The audit log was not signed: {error}");
    }
}

/// Writes structured logs to stderr; stdout is for the output of commands.
fn log_to_stderr(config: &Config) {
    // rmcp logs every agent's in-memory connection, which is too verbose by default. Its warnings quote replies to agents, which
    // may contain users' text.
    let quiet = if config.log.contains("rmcp") { "" } else { "rmcp=error," };
    // async_openai writes whole answers into its errors; Docket's errors contain no user text.
    let filter = tracing_subscriber::EnvFilter::new(format!("{quiet}{},async_openai=off", config.log));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours).init();
}

/// Exits with status 2 for wrong usage.
fn usage(message: &str) -> ! {
    Cli::command().error(ErrorKind::MissingRequiredArgument, message).exit()
}

/// Reads the first line of standard input, without its end.
fn password_from_stdin(asked: bool) -> Result<String, Error> {
    if !asked {
        usage("the password is read from standard input: add --password-stdin");
    }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(Error::Stdin)?;
    Ok(typed(&line).to_owned())
}

/// Strips the end of a line, and the byte-order mark that some shells send first.
fn typed(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n'])
}

/// Prints a table; each column is as wide as its widest entry.
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
