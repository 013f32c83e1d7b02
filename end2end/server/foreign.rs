//! Other people's rows: for every route, a foreign id reads exactly like one that does not exist.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::app::{Client, PASSWORD, TestApp};
use crate::on_both;

/// A word that only the owner may ever read.
const SECRET: &str = "xylophone";

/// What a stranger can try at a route.
enum Try {
    /// Send these fields; `{turn}` and the like stand for the owner's ids. The answer is 404.
    Ids(&'static [(&'static str, &'static str)]),
    /// There is no id to send: the answer must not hold the owner's word.
    Look(&'static [(&'static str, &'static str)]),
    /// Nothing of anybody is here, or another test shows it.
    Nothing(#[allow(dead_code)] &'static str),
}

use Try::{Ids, Look, Nothing};

/// Every route of the server; one that is missing here fails the test.
#[rustfmt::skip]
const ROUTES: &[(&str, &str, Try)] = &[
    ("POST", "/api/v1/chat", Ids(&[("message", "show my tasks"), ("conversation_id", "{conversation}")])),
    ("GET", "/api/v1/turns/get", Ids(&[("turn_id", "{turn}")])),
    ("POST", "/api/v1/turns/stop", Ids(&[("turn_id", "{turn}")])),
    ("GET", "/api/v1/conversations/list", Look(&[])),
    ("GET", "/api/v1/conversations/messages", Ids(&[("conversation_id", "{conversation}")])),
    ("GET", "/api/v1/tasks/list", Look(&[("status", "all"), ("query", SECRET)])),
    ("GET", "/api/v1/tasks/counts", Look(&[])),
    ("GET", "/api/v1/tasks/parse", Look(&[("text", "buy milk")])),
    ("POST", "/api/v1/tasks/add", Look(&[("title", "mine")])),
    ("POST", "/api/v1/tasks/add_lines", Look(&[("lines", "#nothing")])),
    ("POST", "/api/v1/tasks/update", Ids(&[("task_id", "{task}"), ("title", "stolen")])),
    ("POST", "/api/v1/tasks/complete", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/reopen", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/delete", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/restore", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/undo", Ids(&[("change_id", "{change}")])),
    ("POST", "/api/v1/undo", Ids(&[("turn_id", "{turn}")])),
    ("POST", "/api/v1/undo", Ids(&[("invocation_id", "{turn}.0.0")])),
    ("GET", "/api/v1/approvals/list", Look(&[])),
    ("GET", "/api/v1/approvals/get", Ids(&[("approval_id", "{approval}")])),
    ("POST", "/api/v1/approvals/decide", Ids(&[("approval_id", "{approval}"), ("verdict", "approve")])),
    ("POST", "/api/v1/approvals/extend", Ids(&[("approval_id", "{approval}")])),
    ("POST", "/api/v1/approvals/again", Ids(&[("approval_id", "{approval}")])),
    ("GET", "/api/v1/audit/list", Look(&[("text", SECRET)])),
    ("GET", "/api/v1/audit/list", Look(&[("user", "ada")])),
    ("GET", "/api/v1/audit/turn", Ids(&[("turn_id", "{turn}")])),
    ("GET", "/api/v1/events", Nothing("events.rs: nobody_hears_of_others")),
    ("GET", "/api/v1/session/me", Look(&[])),
    ("GET", "/api/v1/session/visit", Look(&[])),
    ("POST", "/api/v1/session/sign-in", Nothing("it takes a name and a password")),
    ("POST", "/api/v1/session/sign-out", Nothing("it ends the session that it was sent with")),
    ("POST", "/api/v1/session/set-up", Nothing("it takes the one-time token")),
    ("POST", "/api/v1/settings/password", Nothing("it takes the account's own password")),
    ("POST", "/api/v1/settings/zone", Look(&[("zone", "Europe/Paris")])),
    ("POST", "/api/v1/settings/model", Look(&[("uses", "false")])),
    ("POST", "/api/v1/settings/model/test", Nothing("it asks the model for a greeting about nobody")),
    ("POST", "/api/v1/settings/appearance", Nothing("it sets a cookie")),
    ("GET", "/api/v1/settings/tokens", Look(&[])),
    ("POST", "/api/v1/settings/tokens/revoke", Ids(&[("token_id", "{token}")])),
    ("GET", "/", Look(&[("conversation", "{conversation}")])),
    ("GET", "/tasks", Look(&[("query", SECRET)])),
    ("GET", "/approvals", Look(&[])),
    ("GET", "/approvals/{id}", Look(&[])),
    ("GET", "/audit", Look(&[("text", SECRET)])),
    ("GET", "/settings", Look(&[])),
    ("GET", "/{*any}", Look(&[])),
    ("GET", "/sign-in", Nothing("it shows nobody's data")),
    ("GET", "/setup", Nothing("it shows nobody's data")),
    ("GET", "/healthz", Nothing("it shows nobody's data")),
    ("GET", "/readyz", Nothing("it shows nobody's data")),
];

/// The owner's ids, by the name in braces.
async fn belongings(app: &TestApp, ada: &Client) -> Vec<(&'static str, String)> {
    let added = ada.say(&format!("add buy a {SECRET}")).await;
    let asked = ada.say_after(&added, "delete task 1").await;
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let own = ada.post("/api/v1/tasks/add", &[("title", SECRET)]).await.ok();
    let tokens = app.command(&["token", "list", "--user", "ada"], "");
    vec![
        ("{turn}", text(&added["turn_id"])),
        ("{conversation}", text(&added["conversation_id"])),
        ("{approval}", text(&asked["approval"]["approval_id"])),
        ("{change}", text(&own["change_id"])),
        ("{task}", "2".to_owned()),
        ("{token}", tokens.lines().nth(1).and_then(|line| line.split(' ').next()).expect("a token").to_owned()),
        ("{id}", text(&asked["approval"]["approval_id"])),
    ]
}

/// Puts the owner's ids in place of the names in braces.
fn filled(text: &str, ids: &[(&str, String)]) -> String {
    ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(name, id))
}

on_both! {
    async fn a_foreign_id_is_not_found_at_any_route(app) {
        let ada = app.user("ada");
        let ids = belongings(&app, &ada).await;
        app.user("bob");
        let bob = Client::browser(&app.server.base);
        bob.post("/api/v1/session/sign-in", &[("name", "bob"), ("password", PASSWORD)]).await.ok();

        let served: BTreeSet<(String, String)> = docket::server::routes().into_iter().collect();
        let tried: BTreeSet<(String, String)> =
            ROUTES.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
        assert_eq!(served.difference(&tried).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "not in this table");
        assert_eq!(tried.difference(&served).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "not served any more");

        for (method, path, what) in ROUTES {
            let (Ids(fields) | Look(fields)) = what else { continue };
            let path = filled(path, &ids);
            let fields: Vec<(&str, String)> = fields.iter().map(|(name, value)| (*name, filled(value, &ids))).collect();
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let reply = if *method == "GET" { bob.get(&path, &fields).await } else { bob.post(&path, &fields).await };
            let asked_for = fields.iter().any(|(_, value)| *value == SECRET);
            if matches!(what, Ids(_)) {
                reply.is_error(404, "not_found", "");
            }
            assert!(asked_for || !reply.text.contains(SECRET), "{method} {path}: {}", reply.text);
            assert!(reply.status < 500, "{method} {path}: {}", reply.text);
        }
        for path in ["/api/v1/tasks/list", "/api/v1/audit/list"] {
            let found = bob.get(path, &[("query", SECRET), ("text", SECRET)]).await;
            assert!(!found.text.contains(SECRET), "{}", found.text);
        }

        // And nothing of the owner's has changed.
        assert_eq!(ada.titles().await.iter().filter(|title| title.contains(SECRET)).count(), 2);
        assert!(ada.tasks().await.iter().all(|task| task["status"] == "pending"));
        let pending = ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
        assert_eq!(pending.as_array().unwrap().len(), 1);
    }
}
