//! Benchmark of the rules engine on messages of 500 characters from real sentences: p50 and p99 of CPU time in
//! milliseconds. Prints a line of JSON.

use docket::domain::time::Timestamp;
use docket::llm::rules::Rules;
use docket::llm::{Entry, Llm, Request};
use serde_json::{Value, json};

/// Characters of a message.
const LENGTH: usize = 500;
/// Repetitions per message; the fastest counts, since the machine may be busy.
const TIMES: usize = 3;

/// Notes with dates, and messages of dialogues.
const NOTES: &str = include_str!("../../src/domain/when/dated.txt");
const DIALOGUES: &str = include_str!("../server/dialogues.jsonl");

fn sentences() -> Vec<String> {
    let notes = NOTES.lines().map(|line| format!("add {}", line.replace(['[', ']'], "")));
    let dialogues = DIALOGUES.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let said = dialogues.flat_map(|dialogue| {
        let turns = dialogue["turns"].as_array().cloned().unwrap_or_default();
        turns.into_iter().filter_map(|turn| turn.as_str().map(str::to_owned)).collect::<Vec<_>>()
    });
    let (notes, said): (Vec<_>, Vec<_>) = (notes.collect(), said.collect());
    // Alternates notes and dialogues, as users mix them.
    notes.iter().zip(said.iter().cycle()).flat_map(|(note, said)| [note.clone(), said.clone()]).collect()
}

/// Joins the sentences by full stops, "and", line breaks or commas into messages of [`LENGTH`] characters.
fn messages() -> Vec<String> {
    let mut messages = vec![];
    for (shift, join) in [(0, ". "), (1, " and "), (2, "\n"), (3, ", ")] {
        let mut message = String::new();
        for sentence in sentences().iter().skip(shift) {
            message += sentence;
            if message.chars().count() >= LENGTH {
                messages.push(message.chars().take(LENGTH).collect());
                message = String::new();
            } else {
                message += join;
            }
        }
    }
    messages
}

fn request(text: &str) -> Request {
    Request {
        now: Timestamp::parse("2026-03-11T09:30:00Z").expect("a time"),
        zone: "Europe/London".into(),
        prompt: String::new(),
        entries: vec![Entry::User { text: text.into() }],
        turn_start: 0,
        tools: vec![].into(),
        pending: vec![],
        carries_out: false,
        barred: vec![],
        memories: vec![],
        stood_in: false,
    }
}

/// Returns the CPU time of this thread, in milliseconds.
fn processor_ms() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local timespec, and every Linux has this clock.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) }, 0);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let read = |text: &str| {
        let request = request(text);
        let times = (0..TIMES).map(|_| {
            let begun = processor_ms();
            runtime.block_on(Rules.complete(&request)).expect("the rules always answer");
            processor_ms() - begun
        });
        times.fold(f64::MAX, f64::min)
    };
    let mut times: Vec<f64> = messages().iter().map(|message| read(message)).collect();
    times.sort_by(f64::total_cmp);
    let quantile = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    println!("{}", json!({ "p50": quantile(50), "p99": quantile(99), "messages": times.len() }));
}
