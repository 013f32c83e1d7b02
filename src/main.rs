//! The `docket` command.
#![recursion_limit = "256"]

use std::process::ExitCode;

use clap::Parser;
use docket::cli::{self, Cli};

#[tokio::main]
async fn main() -> ExitCode {
    match cli::run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("docket: {error}");
            ExitCode::FAILURE
        }
    }
}
