//! Tells the compiler where the built site lies, so that a release carries it inside (`src/server/assets.rs`), and makes
//! tables of the texts of linear models.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// What features are called in the tables.
#[path = "src/domain/linear/hash.rs"]
mod hash;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    site(&out);
    for (text, width) in [
        ("src/agent/claims/claims.tsv", 2),
        ("src/llm/rules/classifier/intents.tsv", 13),
        ("src/llm/rules/classifier/slots.tsv", 1),
    ] {
        let text = Path::new(text);
        println!("cargo:rerun-if-changed={}", text.display());
        let lines = fs::read_to_string(text).unwrap_or_else(|error| panic!("{}: {error}", text.display()));
        let name = text.file_stem().expect("the text of a table has a name");
        fs::write(out.join(name).with_extension("bin"), table(&lines, width)).expect("OUT_DIR can be written");
    }
}

fn site(out: &Path) {
    println!("cargo:rerun-if-env-changed=DOCKET_SITE");
    let site = match env::var_os("DOCKET_SITE") {
        Some(site) => PathBuf::from(site),
        // Without a site (tests, a plain `cargo build`) there is an empty one.
        None => {
            let none = out.join("no-site");
            fs::create_dir_all(&none).expect("OUT_DIR can be written");
            none
        }
    };
    println!("cargo:rerun-if-changed={}", site.display());
    println!("cargo:rustc-env=DOCKET_SITE={}", site.display());
}

/// Records of a feature's hash and its `width` weights, sorted by the hash, of lines of a feature, a tab and the weights divided
/// by commas; one that is empty is 0.
fn table(lines: &str, width: usize) -> Vec<u8> {
    let mut records: Vec<(u64, Vec<i16>)> = vec![];
    for line in lines.lines() {
        let (feature, told) = line.split_once('\t').expect("a tab divides a feature from its weights");
        let weight = |told: &str| if told.is_empty() { 0 } else { told.parse().expect("a weight has 16 bits") };
        let weights: Vec<i16> = told.split(',').map(weight).collect();
        assert_eq!(weights.len(), width, "weights of {feature}");
        records.push((hash::hash(feature), weights));
    }
    records.sort_unstable();
    assert!(records.windows(2).all(|pair| pair[0].0 != pair[1].0), "two features have the same hash");
    let bytes = |(hash, weights): &(u64, Vec<i16>)| {
        let weights = weights.iter().flat_map(|weight| weight.to_le_bytes());
        hash.to_le_bytes().into_iter().chain(weights).collect::<Vec<u8>>()
    };
    records.iter().flat_map(bytes).collect()
}
