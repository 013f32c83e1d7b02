//! The `docket` command: serving, and what an operator does on the server's machine.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};

use crate::config::{Config, Overrides};
use crate::server;
use crate::state::AppState;
use crate::usecases;

/// Evaluations.
mod eval;
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
    #[error("Cannot read the password from standard input: {0}.")]
    Stdin(std::io::Error),
    #[error("Cannot write to standard output: {0}.")]
    Stdout(#[from] std::io::Error),
}

/// Runs the command that the process was started with, to its end.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(run(cli)).map_err(|error| error.to_string()),
        Err(error) => Err(format!("The threads to work with cannot be started: {error}.")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("docket: {error}");
            ExitCode::FAILURE
        }
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
        Command::User(command) => user::run(&open(config).await?.ctx, command).await,
        Command::Eval(command) => eval::run(config, command).await,
        Command::Token(command) => token::run(&open(config).await?.ctx, command).await,
    }
}

/// The state for a command that works on the database beside a running server.
async fn open(config: Config) -> Result<AppState, Error> {
    AppState::open(config).await.map_err(|error| Error::State(error.to_string()))
}

/// Structured logs go to stderr; stdout is for what a person asked for.
fn log_to_stderr(config: &Config) {
    // Every agent's call opens an MCP connection in memory; that is no news unless asked for.
    let quiet = if config.log.contains("rmcp") { "" } else { "rmcp=warn," };
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
