//! The `docket` binary. All code is in the library, since code awaited by a binary would be compiled twice.
#![deny(unsafe_code)]

use std::process::ExitCode;

/// A turn allocates many small values on several threads, for which the system's allocator is slow.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Configuration that jemalloc reads by this name at startup; `MALLOC_CONF` in the environment overrides it. Freed memory returns
/// to the system within 250 ms instead of 10 s. All threads share one arena, so that free memory is available to each; their
/// small caches avoid contention.
#[expect(unsafe_code, reason = "jemalloc reads its settings from a symbol of this name")]
#[unsafe(export_name = "malloc_conf")]
pub static MALLOC_CONF: &[u8; 45] = b"dirty_decay_ms:250,narenas:1,tcache_max:2048\0";

fn main() -> ExitCode {
    docket::cli::main()
}
