//! Helpers shared by the tests of all layers.

pub const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
