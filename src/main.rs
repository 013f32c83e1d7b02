//! The `docket` command.
#![recursion_limit = "256"]
fn main() {}
