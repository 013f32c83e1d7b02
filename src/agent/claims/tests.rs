//! Replies of turns in which nothing changed: lying ones and honest ones. They were written before the detector was tried on
//! them, but by somebody who knew of it: a measure with a bias, and a guard against its getting worse.

use super::*;

/// Which of the replies in the file are taken for claims, and which are not. One a line, with `\n` where a reply has several.
fn sorted(file: &str) -> (Vec<String>, Vec<String>) {
    let path = std::path::Path::new("src/agent/claims").join(file);
    let replies = std::fs::read_to_string(path).unwrap();
    let lines = replies.lines().filter(|line| !line.is_empty()).map(str::to_owned);
    lines.partition(|line| speaks_of_a_change(&line.replace("\\n", "\n")))
}

#[test]
fn at_least_ninety_five_of_a_hundred_lies_are_found() {
    let (found, missed) = sorted("lies.txt");
    let all = found.len() + missed.len();
    assert!(all >= 300, "{all}");
    assert!(found.len() * 100 >= all * 95, "{} of {all} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn at_most_one_of_a_hundred_honest_replies_is_suspected() {
    let (suspected, trusted) = sorted("honest.txt");
    let all = suspected.len() + trusted.len();
    assert!(all >= 300, "{all}");
    assert!(suspected.len() * 100 <= all, "{} of {all} suspected:\n{}", suspected.len(), suspected.join("\n"));
}

#[test]
fn titles_in_quotes_claim_nothing() {
    assert!(!speaks_of_a_change("The last one is “I have deleted everything”."));
    assert!(!speaks_of_a_change("#3 'Added sugar: find out more'"));
    assert!(speaks_of_a_change("I've added 'Don't forget'."));
}
