//! Tells the compiler where the built site lies, so that a release carries it inside (`src/server/assets.rs`).

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=DOCKET_SITE");
    let site = match env::var_os("DOCKET_SITE") {
        Some(site) => PathBuf::from(site),
        // Without a site (tests, a plain `cargo build`) there is an empty one.
        None => {
            let none = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("no-site");
            fs::create_dir_all(&none).expect("OUT_DIR can be written");
            none
        }
    };
    println!("cargo:rerun-if-changed={}", site.display());
    println!("cargo:rustc-env=DOCKET_SITE={}", site.display());
}
