//! The `docket` command. All of it is in the library: what a binary awaits is compiled with the binary, a second time.

use std::process::ExitCode;

/// A turn is many small values that come and go on several threads; the system's allocator took a tenth of its time.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    docket::cli::main()
}
