//! Tests of bundles tampered with line by line: both verifiers find every change in every chain.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::*;
use crate::usecases::audit::{bundle, verify_bundle};

/// Lines of a bundle: those before the chains, and each chain from its first line to its head.
#[derive(Clone)]
struct Parts {
    before: Vec<Value>,
    chains: Vec<Vec<Value>>,
}

impl Parts {
    fn of(text: &str) -> Self {
        let mut parts = Self { before: vec![], chains: vec![] };
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            match line["line"].as_str().unwrap() {
                "chain" => parts.chains.push(vec![line]),
                "record" | "head" => parts.chains.last_mut().unwrap().push(line),
                "end" => {}
                _ => parts.before.push(line),
            }
        }
        parts
    }

    /// Returns the lines as a file, with a correct last line.
    fn text(&self) -> String {
        let records = self.chains.iter().flatten().filter(|line| line["line"] == "record").count();
        let (chains, checkpoints) = (self.chains.len(), self.before.len() - 1);
        let end = json!({ "line": "end", "records": records, "chains": chains, "checkpoints": checkpoints });
        let lines = self.before.iter().chain(self.chains.iter().flatten()).chain([&end]);
        lines.map(|line| format!("{line}\n")).collect()
    }
}

/// A change of a chain's lines at a record, given the next chain unchanged; returns the number of the first broken record.
type Way = (&'static str, fn(&mut Vec<Value>, usize, &[Value]) -> i64);

fn seq(at: usize) -> i64 {
    i64::try_from(at).unwrap()
}

fn set(lines: &mut [Value], at: usize, field: &str, value: &str) -> i64 {
    assert_ne!(lines[at][field], value);
    lines[at][field] = value.into();
    seq(at)
}

const SEVENS: &str = "0707070707070707070707070707070707070707070707070707070707070707";

#[rustfmt::skip]
const WAYS: &[Way] = &[
    ("edit a kind", |lines, at, _| set(lines, at, "kind", "reading")),
    ("edit a time", |lines, at, _| set(lines, at, "at", "2020-02-02T02:02:02.002Z")),
    ("edit a digest", |lines, at, _| set(lines, at, "digest", SEVENS)),
    ("edit a link", |lines, at, _| set(lines, at, "previous", SEVENS)),
    ("edit a hash", |lines, at, _| set(lines, at, "hash", SEVENS)),
    ("edit a salt", |lines, at, _| set(lines, at, "salt", SEVENS)),
    ("edit a text", |lines, at, _| { let text = format!("{} ", lines[at]["body"].as_str().unwrap()); set(lines, at, "body", &text) }),
    ("delete a text", |lines, at, _| { lines[at].as_object_mut().unwrap().remove("body"); seq(at) }),
    ("claim an erasure", |lines, at, _| {
        lines[at].as_object_mut().unwrap().remove("body");
        lines[at]["erased_by"] = 1.into();
        seq(at)
    }),
    ("delete a record", |lines, at, _| { lines.remove(at); seq(at) }),
    ("insert a record", |lines, at, _| { let again = lines[at].clone(); lines.insert(at, again); seq(at) + 1 }),
    ("swap two", |lines, at, _| { lines.swap(at, at + 1); seq(at) }),
    ("move a record", |lines, at, _| { let moved = lines.remove(at); lines.insert(at + 7, moved); seq(at) }),
    ("splice", |lines, at, other| { lines[at] = other[at].clone(); seq(at) }),
    ("cut", |lines, at, _| {
        let hash = lines[at]["hash"].clone();
        lines.truncate(at + 1);
        lines.push(json!({ "line": "head", "seq": at, "hash": hash }));
        seq(at) + 1
    }),
    ("write anew", |lines, at, _| { write_anew(lines, at); signed(seq(at)) }),
];

fn hex(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Rewrites the chain from the record on, with other salts and matching hashes, up to the head.
fn write_anew(lines: &mut [Value], at: usize) {
    let user = Uuid::parse_str(lines[0]["user"].as_str().unwrap()).unwrap();
    let mut previous = unhex(&lines[at]["previous"]);
    let (head, records) = lines.split_last_mut().unwrap();
    for line in &mut records[at..] {
        let digest = records::digest(&[1; 16], line["body"].as_str().unwrap());
        let [kind, time] = ["kind", "at"].map(|field| line[field].as_str().unwrap().to_owned());
        let hash = records::link(user.as_bytes(), line["seq"].as_i64().unwrap(), &previous, &kind, &time, &digest);
        line["salt"] = hex(&[1; 16]);
        (line["digest"], line["previous"], line["hash"]) = (hex(&digest), hex(&previous), hex(&hash));
        previous = hash.to_vec();
    }
    head["hash"] = hex(&previous);
}

/// Returns the findings of both programs.
fn found(file: &Path) -> [String; 2] {
    let own = verify_bundle(std::io::BufReader::new(std::fs::File::open(file).unwrap()), None).unwrap();
    let own = own.report.broken.iter().map(|broken| format!("{broken}\n")).collect();
    let other = Command::new("python3")
        .current_dir(crate::domain::testing::REPOSITORY)
        .arg("end2end/record/verify.py")
        .arg(file)
        .output()
        .expect("python3 runs");
    assert_eq!(other.status.code(), Some(1), "{}", String::from_utf8_lossy(&other.stderr));
    [own, String::from_utf8(other.stdout).unwrap()]
}

#[tokio::test]
async fn both_verifiers_find_the_same_break_in_tampered_bundles() {
    let record = Record::of(worlds().await.swap_remove(0), 20).await;
    let mut text = vec![];
    bundle::write_all(&record.world.state.ctx, None, &mut text).await.unwrap();
    let honest = Parts::of(std::str::from_utf8(&text).unwrap());
    // A hundred records between a first line and a head; users without actions have shorter chains.
    let is_long = |lines: &Vec<Value>| lines.len() == 102;
    let others: Vec<_> = honest.chains.iter().filter(|lines| is_long(lines)).cloned().collect();
    assert_eq!(others.len(), 20);
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut cases = 0;
    for round in 0..WAYS.len() {
        let (mut spoilt, mut expected) = (honest.clone(), vec![]);
        for (chain, lines) in spoilt.chains.iter_mut().filter(|lines| is_long(lines)).enumerate() {
            let (_, spoil) = WAYS[(chain + round) % WAYS.len()];
            // Far enough from the end for a move.
            let at = (chain * 5 + round * 13) % 93 + 1;
            let first = spoil(lines, at, &others[(chain + 1) % others.len()]);
            expected.push(format!("{}, record {first}", lines[0]["name"].as_str().unwrap()));
        }
        std::fs::write(file.path(), spoilt.text()).unwrap();
        let [own, other] = found(file.path());
        assert_eq!(own, other);
        let named: Vec<&str> = own.lines().map(|line| line.split([':', '(']).next().unwrap().trim()).collect();
        assert_eq!(named, expected, "round {round}: {own}");
        cases += expected.len();
    }
    println!("{cases} chains in bundles, spoilt and found by both");
}
