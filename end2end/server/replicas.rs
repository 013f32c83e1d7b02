//! Several processes on one database, and restarts: no process holds state that another needs.

use serde_json::Value;

use crate::app::{Client, Db, TestApp};
use crate::on_both;

/// A dialogue in which messages depend on earlier ones.
const DIALOGUE: [&str; 8] = [
    "add buy milk",
    "add call the dentist",
    "add water the plants",
    "show my tasks",
    "complete the second one",
    "delete task 1",
    "yes",
    "show my tasks",
];

/// Returns decision and calls, without ids and times.
fn essence(turn: &Value) -> String {
    let calls: Vec<String> = turn["tool_calls"]
        .as_array()
        .expect("calls")
        .iter()
        .map(|call| format!("{} {} {}", call["tool"], call["arguments"], call["status"]))
        .collect();
    format!("{} {} {calls:?}", turn["decision"], turn["reply"])
}

/// Holds the dialogue, alternating the clients.
async fn hold(clients: &[Client], messages: &[&str]) -> Vec<String> {
    let mut turn: Option<Value> = None;
    let mut all = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let client = &clients[at % clients.len()];
        let next = match &turn {
            Some(before) => client.say_after(before, message).await,
            None => client.say(message).await,
        };
        all.push(essence(&next));
        turn = Some(next);
    }
    all
}

/// One dialogue of `dialogues.jsonl`: the initial list and the person's messages.
#[derive(serde::Deserialize)]
struct Dialogue {
    about: String,
    tasks: Vec<Seed>,
    turns: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Seed {
    title: String,
    done: bool,
}

/// Holds a dialogue on its own list, alternating the clients.
async fn hold_one(dialogue: &Dialogue, clients: &[Client]) -> Vec<String> {
    for seed in &dialogue.tasks {
        let task = clients[0].post("/api/v1/tasks/add", &[("title", &seed.title)]).await.ok();
        if seed.done {
            let number = task["task_id"].to_string();
            clients[0].post("/api/v1/tasks/complete", &[("task_id", &number)]).await.ok();
        }
    }
    let turns: Vec<&str> = dialogue.turns.iter().map(String::as_str).collect();
    let mut all = hold(clients, &turns).await;
    all.push(format!("{:?}", clients[0].titles().await));
    all
}

#[tokio::test]
async fn two_processes_in_turn_decide_as_one() {
    let Some(app) = TestApp::start(Db::Postgres).await else { return };
    let other = app.another();
    let dialogues: Vec<Dialogue> =
        include_str!("dialogues.jsonl").lines().map(|line| serde_json::from_str(line).expect("a dialogue")).collect();
    assert_eq!(dialogues.len(), 20);
    for (at, dialogue) in dialogues.iter().enumerate() {
        let (ada, bob) = (app.user(&format!("ada{at}")), app.user(&format!("bob{at}")));
        let alternating = hold_one(dialogue, &[ada.clone(), ada.at(&other)]).await;
        assert_eq!(alternating, hold_one(dialogue, &[bob]).await, "{}", dialogue.about);
    }
}

on_both! {
    async fn a_dialogue_goes_on_after_a_restart(app) {
        let mut app = app;
        let bob = hold(&[app.user("bob")], &DIALOGUE).await;
        let ada = app.user("ada");
        let mut turn: Option<Value> = None;
        let mut all = Vec::new();
        for (at, message) in DIALOGUE.iter().enumerate() {
            // Alternates SIGTERM and a power cut.
            match at {
                4 => app.restart(),
                6 => {
                    app.server.kill();
                    app.server = app.another();
                }
                _ => {}
            }
            let ada = ada.at(&app.server);
            let next = match &turn {
                Some(before) => ada.say_after(before, message).await,
                None => ada.say(message).await,
            };
            all.push(essence(&next));
            turn = Some(next);
        }
        assert_eq!(all, bob);
    }
}
