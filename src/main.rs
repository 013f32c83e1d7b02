//! The `docket` command. All of it is in the library: what a binary awaits is compiled with the binary, a second time.

use std::process::ExitCode;

fn main() -> ExitCode {
    docket::cli::main()
}
