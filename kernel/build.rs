//! Compiles the text tables of linear models to binary ones.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::read::GzDecoder;

#[path = "../src/domain/linear_model/hash.rs"]
mod hash;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for (text, width) in [
        ("../src/agent/claims/claims.tsv.gz", 2),
        ("../src/llm/rules/read/classifier/intents.tsv.gz", 13),
        ("../src/llm/rules/read/classifier/slots.tsv.gz", 1),
    ] {
        println!("cargo:rerun-if-changed={text}");
        let mut lines = String::new();
        let packed = fs::File::open(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        GzDecoder::new(packed).read_to_string(&mut lines).unwrap_or_else(|error| panic!("{text}: {error}"));
        let name = Path::new(text.trim_end_matches(".tsv.gz")).file_name().expect("the text of a table has a name");
        fs::write(out.join(name).with_extension("bin"), table(&lines, width)).expect("OUT_DIR can be written");
    }
}

/// Converts lines of a feature, a tab and comma-separated weights to records of hash and `width` weights, sorted by hash. An
/// empty weight is 0.
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
