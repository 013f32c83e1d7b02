//! Tells the compiler where the built site lies, so that a release carries it inside (`src/server/assets.rs`).

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    site(&PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")));
}

/// Writes `site.bin`: for each file of the folder that `DOCKET_SITE` names a line of its path, a tag of its content and its length, divided by
/// tabs, and then the content. A file with a `.gz` twin is left out; the server unpacks the twin for the rare client that accepts no encoding.
/// Without a site (tests, a plain `cargo build`) the file is empty.
fn site(out: &Path) {
    println!("cargo:rerun-if-env-changed=DOCKET_SITE");
    let (mut files, mut all) = (vec![], vec![]);
    if let Some(site) = env::var_os("DOCKET_SITE").map(PathBuf::from) {
        println!("cargo:rerun-if-changed={}", site.display());
        collect(&site, &mut files);
        files.sort_unstable();
        let packed: HashSet<PathBuf> = files
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "gz"))
            .map(|path| path.with_extension(""))
            .collect();
        for path in files.into_iter().filter(|path| !packed.contains(path)) {
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
