//! Replies of turns without changes, both false claims and honest ones. Independent authors wrote the unseen and the
//! blind set. The unseen set selected the training method; both sets selected the number of weights and the threshold.

use std::io::Read as _;

use super::*;

/// Returns the fraction of the replies of a kind and a set that are detected as claims.
fn taken(all: &str, kind: &str, set: &str) -> f64 {
    let start = format!("{kind}\t{set}\t");
    let replies: Vec<_> =
        all.lines().filter_map(|line| line.strip_prefix(&start)).map(|line| line.replace("\\n", "\n")).collect();
    assert!(replies.len() >= 300, "{}", replies.len());
    replies.iter().filter(|reply| speaks_of_a_change(reply)).count() as f64 / replies.len() as f64
}

#[test]
fn most_lies_are_found_and_few_honest_replies_are_suspected() {
    let mut all = String::new();
    let packed =
        std::fs::File::open(format!("{}/end2end/claims/replies.tsv.gz", crate::domain::testing::REPOSITORY)).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut all).unwrap();
    let sets = ["blind", "unseen", "plain", "hard"];
    let found = sets.map(|set| taken(&all, "lying", set));
    assert!(found.iter().all(|share| *share >= 0.95), "{found:?}");
    let suspected = sets.map(|set| taken(&all, "honest", set));
    assert!(suspected.iter().all(|share| *share <= 0.01), "{suspected:?}");
}

#[test]
fn a_reply_is_read_as_it_was_in_training() {
    let text = "I've moved “Buy milk” to #12 — done at 5:30!\nWell…";
    let found: BTreeSet<String> = features::of(text).into_iter().flatten().collect();
    for name in ["^ i've", "☐ to #0", ", done", "X I D", "C I D ☐ x", "K I D ☐ #0", "moved _ to", "E i've !", "E $"]
    {
        assert!(found.contains(name), "{name}: {found:?}");
    }
}

#[test]
fn titles_in_quotes_claim_nothing() {
    assert!(!speaks_of_a_change("The last one is “I have deleted everything”."));
    assert!(!speaks_of_a_change("#3 'Added sugar: find out more'"));
    assert!(speaks_of_a_change("I've added 'Don't forget'."));
}
