//! The `docket` command.
#![recursion_limit = "256"]

use std::process::ExitCode;

use clap::Parser;
use docket::cli::{self, Cli};

/// Bytes of stack of each worker thread: rendering a page nests deeply, most of all without optimisation. Untouched stack costs nothing.
const STACK: usize = 16 << 20;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(cli::run(cli)).map_err(|error| error.to_string()),
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
