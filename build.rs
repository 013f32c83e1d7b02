//! Tells the compiler where the built site lies, so that a release carries it inside (`src/server/assets.rs`), and makes
//! tables of the texts of linear models.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::read::GzDecoder;

/// What features are called in the tables.
#[path = "src/domain/linear/hash.rs"]
mod hash;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    site(&out);
    for (text, width) in [
        ("src/agent/claims/claims.tsv.gz", 2),
        ("src/llm/rules/classifier/intents.tsv.gz", 13),
        ("src/llm/rules/classifier/slots.tsv.gz", 1),
    ] {
        println!("cargo:rerun-if-changed={text}");
        let mut lines = String::new();
        let packed = fs::File::open(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        GzDecoder::new(packed).read_to_string(&mut lines).unwrap_or_else(|error| panic!("{text}: {error}"));
        let name = Path::new(text.trim_end_matches(".tsv.gz")).file_name().expect("the text of a table has a name");
        fs::write(out.join(name).with_extension("bin"), table(&lines, width)).expect("OUT_DIR can be written");
    }
}

/// Writes `site.bin`: for each file of the folder that `DOCKET_SITE` names a line of its path, a tag of its content and its length, divided by
/// tabs, and then the content. Without a site (tests, a plain `cargo build`) it is empty.
fn site(out: &Path) {
    println!("cargo:rerun-if-env-changed=DOCKET_SITE");
    let (mut files, mut all) = (vec![], vec![]);
    if let Some(site) = env::var_os("DOCKET_SITE").map(PathBuf::from) {
        println!("cargo:rerun-if-changed={}", site.display());
        collect(&site, &mut files);
        files.sort_unstable();
        for path in files {
            let name = path.strip_prefix(&site).expect("it lies below the site").display();
            let content = fs::read(&path).expect("a file of the site can be read");
            let mut tag = DefaultHasher::new();
            content.hash(&mut tag);
            all.extend(format!("{name}\t{:016x}\t{}\n", tag.finish(), content.len()).into_bytes());
            all.extend(content);
        }
    }
    fs::write(out.join("site.bin"), all).expect("OUT_DIR can be written");
}

/// Paths of the files below `folder`, but for hidden ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the site can be read") {
        let entry = entry.expect("a folder of the site can be read");
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if !entry.file_name().to_string_lossy().starts_with('.') {
            files.push(path);
        }
    }
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
