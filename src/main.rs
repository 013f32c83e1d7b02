//! The `docket` command. All of it is in the library: what a binary awaits is compiled with the binary, a second time.

use std::process::ExitCode;

/// A turn is many small values that come and go on several threads; the system's allocator took a tenth of its time.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// How jemalloc behaves, which reads this name when it starts; `MALLOC_CONF` in the environment goes before it. Memory that was given back
/// goes back to the system within a quarter of a second and not within ten, and all threads take theirs from one arena: what is free is
/// free for all, and as each thread keeps some at hand, they hardly wait for each other. Of what is large, such as buffers, they keep none.
#[unsafe(export_name = "malloc_conf")]
pub static MALLOC_CONF: &[u8; 45] = b"dirty_decay_ms:250,narenas:1,tcache_max:2048\0";

fn main() -> ExitCode {
    docket::cli::main()
}
