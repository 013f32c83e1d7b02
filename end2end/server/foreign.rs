//! Isolation of users: on every route, a foreign id gives exactly the answer of an id that does not exist.

use std::collections::BTreeSet;

use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::app::{Client, PASSWORD, TestApp};
use crate::on_both;

/// A word that only the owner may read.
const SECRET: &str = "xylophone";

/// Objects of each kind that the owner has, and concurrent probes.
const THINGS: u8 = 60;
const AT_ONCE: usize = 8;

/// A stranger's probe of a route.
enum Try {
    /// Sends these fields, with `{turn}` and the like replaced by the owner's ids; the answer must be 404.
    Ids(&'static [(&'static str, &'static str)]),
    /// Requests a page by such an id; it must equal the page of an id that does not exist.
    Page(&'static str, &'static [(&'static str, &'static str)]),
    /// Sends no id; the answer must not contain the owner's word.
    Look(&'static [(&'static str, &'static str)]),
    /// For admins: others get 403 for any account, and nothing changes.
    Admins(&'static [(&'static str, &'static str)]),
    /// Contains no user data, or another test covers it.
    Nothing(#[allow(dead_code)] &'static str),
}

use Try::{Admins, Ids, Look, Nothing, Page};

/// Tools that take a task's number, with another required argument.
const TOOLS: [(&str, Option<(&str, &str)>); 4] =
    [("get_task", None), ("complete_task", None), ("update_task", Some(("title", "stolen"))), ("delete_task", None)];

/// Every route of the server; a missing route fails the test.
#[rustfmt::skip]
const ROUTES: &[(&str, &str, Try)] = &[
    ("POST", "/api/v1/chat", Ids(&[("message", "show my tasks"), ("conversation_id", "{conversation}")])),
    ("GET", "/api/v1/turns/get", Ids(&[("turn_id", "{turn}")])),
    ("POST", "/api/v1/turns/stop", Ids(&[("turn_id", "{turn}")])),
    ("GET", "/api/v1/conversations/list", Look(&[])),
    ("GET", "/api/v1/conversations/list", Look(&[("query", SECRET)])),
    ("POST", "/api/v1/conversations/rename", Ids(&[("conversation_id", "{conversation}"), ("title", "mine")])),
    ("POST", "/api/v1/conversations/hide", Ids(&[("conversation_id", "{conversation}")])),
    ("GET", "/api/v1/conversations/messages", Ids(&[("conversation_id", "{conversation}")])),
    ("GET", "/api/v1/tasks/list", Look(&[("status", "all"), ("query", SECRET)])),
    ("GET", "/api/v1/tasks/as_of", Look(&[("at", "2026-01-01")])),
    ("GET", "/api/v1/tasks/as_of/page", Look(&[])),
    ("POST", "/api/v1/tasks/restore", Ids(&[("task_id", "{task}"), ("as_of", "2026-01-01")])),
    ("GET", "/tasks/as-of", Look(&[])),
    ("GET", "/api/v1/tasks/counts", Look(&[])),
    ("GET", "/api/v1/tasks/facets", Look(&[])),
    ("GET", "/api/v1/tasks/get", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/bulk", Ids(&[("task_ids", "{task}"), ("act", "complete")])),
    ("GET", "/api/v1/tasks/parse", Look(&[("text", "buy milk")])),
    ("POST", "/api/v1/tasks/add", Look(&[("title", "mine")])),
    ("POST", "/api/v1/tasks/add_lines", Look(&[("lines", "#nothing")])),
    ("POST", "/api/v1/tasks/import/preview", Look(&[("text", "title\nmine")])),
    ("POST", "/api/v1/tasks/import", Look(&[("text", "nothing")])),
    ("GET", "/api/v1/rendered/import", Look(&[])),
    ("GET", "/tasks/import", Look(&[])),
    ("POST", "/api/v1/tasks/update", Ids(&[("task_id", "{task}"), ("title", "stolen")])),
    ("POST", "/api/v1/tasks/complete", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/reopen", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/delete", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/restore", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/tasks/snooze", Ids(&[("task_id", "{task}")])),
    ("POST", "/api/v1/undo", Ids(&[("change_id", "{change}")])),
    ("POST", "/api/v1/undo", Ids(&[("turn_id", "{turn}")])),
    ("POST", "/api/v1/undo", Ids(&[("invocation_id", "{turn}.0.0")])),
    ("POST", "/api/v1/undo/last", Look(&[])),
    ("POST", "/api/v1/tasks/move", Ids(&[("task_id", "{task}"), ("before", "1000000")])),
    ("POST", "/api/v1/tasks/samples/add", Look(&[])),
    ("POST", "/api/v1/tasks/samples/remove", Look(&[])),
    ("GET", "/api/v1/approvals/list", Look(&[])),
    ("GET", "/api/v1/approvals/get", Ids(&[("approval_id", "{approval}")])),
    ("POST", "/api/v1/approvals/decide", Ids(&[("approval_id", "{approval}"), ("verdict", "approve")])),
    ("POST", "/api/v1/approvals/extend", Ids(&[("approval_id", "{approval}")])),
    ("POST", "/api/v1/approvals/again", Ids(&[("approval_id", "{approval}")])),
    ("GET", "/api/v1/audit/list", Look(&[("text", SECRET)])),
    ("GET", "/api/v1/audit/list", Look(&[("user", "ada")])),
    ("GET", "/api/v1/audit/turn", Ids(&[("turn_id", "{turn}")])),
    ("GET", "/api/v1/audit/verify", Look(&[])),
    ("GET", "/api/v1/audit/verify", Ids(&[("user", "ada")])),
    ("GET", "/api/v1/audit/export", Look(&[("format", "csv")])),
    ("GET", "/api/v1/audit/figures", Look(&[])),
    ("GET", "/api/v1/audit/overview", Look(&[])),
    ("GET", "/api/v1/rendered/record", Look(&[])),
    ("GET", "/api/v1/rendered/filters", Look(&[])),
    ("GET", "/api/v1/audit/replay", Ids(&[("turn_id", "{turn}")])),
    ("GET", "/api/v1/audit/story", Ids(&[("turn_id", "{turn}")])),
    ("GET", "/api/v1/events", Nothing("events.rs: nobody_hears_of_others")),
    ("GET", "/api/v1/export", Look(&[("format", "csv")])),
    ("GET", "/api/v1/export", Look(&[])),
    ("GET", "/api/v1/session/me", Look(&[])),
    ("GET", "/api/v1/session/visit", Look(&[])),
    ("POST", "/api/v1/session/sign-in", Nothing("it takes a name and a password")),
    ("POST", "/api/v1/session/sign-out", Nothing("it ends the session that it was sent with")),
    ("POST", "/api/v1/session/set-up", Nothing("it takes the one-time token")),
    ("POST", "/api/v1/settings/password", Nothing("it takes the account's own password")),
    ("POST", "/api/v1/settings/zone", Look(&[("zone", "Europe/Paris")])),
    ("POST", "/api/v1/settings/erase", Nothing("it takes the account's own password")),
    ("POST", "/api/v1/settings/model", Look(&[("uses", "false")])),
    ("POST", "/api/v1/settings/model/test", Nothing("it asks the model for a greeting about nobody")),
    ("POST", "/api/v1/settings/appearance", Nothing("it sets a cookie")),
    ("POST", "/api/v1/telegram/link", Nothing("telegram.rs: it makes a code of one's own")),
    ("POST", "/api/v1/telegram/unlink", Nothing("telegram.rs: it has no id to send")),
    ("GET", "/api/v1/telegram/section", Look(&[])),
    ("POST", "/telegram/webhook", Nothing("telegram.rs: only Telegram may, and a chat is one person's")),
    ("GET", "/api/v1/settings/tokens", Look(&[])),
    ("POST", "/api/v1/settings/tokens/revoke", Ids(&[("token_id", "{token}")])),
    ("POST", "/api/v1/settings/notices/dismiss", Nothing("telegram/relinking.rs: another's notice is not found")),
    ("POST", "/api/v1/settings/tokens/create", Look(&[("name", "mine"), ("scopes", "chat")])),
    ("GET", "/api/v1/settings/sessions", Look(&[])),
    ("POST", "/api/v1/settings/sessions/end", Ids(&[("session_id", "{session}")])),
    ("POST", "/api/v1/settings/sessions/end-others", Look(&[])),
    ("GET", "/api/v1/settings/policy/list", Look(&[])),
    ("POST", "/api/v1/settings/policy", Look(&[("rule", "mcp.delete_task.ask")])),
    ("GET", "/api/v1/admin/users/list", Admins(&[])),
    ("POST", "/api/v1/admin/users/invite", Admins(&[("name", "eve")])),
    ("POST", "/api/v1/admin/users/reset", Admins(&[("name", "ada")])),
    ("POST", "/api/v1/admin/users/disable", Admins(&[("name", "ada")])),
    ("POST", "/api/v1/admin/users/enable", Admins(&[("name", "ada")])),
    ("POST", "/api/v1/admin/users/role", Admins(&[("name", "bob"), ("role", "admin")])),
    ("POST", "/api/v1/admin/users/erase", Admins(&[("name", "ada"), ("sure", "ada")])),
    ("GET", "/api/v1/admin/policy/list", Admins(&[])),
    ("POST", "/api/v1/admin/policy/set", Admins(&[("rule", "mcp.delete_task.ask")])),
    ("GET", "/api/v1/rendered/users", Look(&[])),
    ("GET", "/api/v1/rendered/policy", Look(&[])),
    ("GET", "/api/v1/rendered/access", Look(&[])),
    ("GET", "/api/v1/rendered/join", Look(&[("token", "guessed")])),
    ("GET", "/api/v1/session/link", Look(&[("token", "guessed")])),
    ("POST", "/api/v1/session/join", Nothing("it takes the one-time token")),
    ("GET", "/api/v1/memories/list", Look(&[])),
    ("GET", "/api/v1/memories/search", Look(&[("query", SECRET)])),
    ("GET", "/api/v1/memories/page", Look(&[("query", SECRET)])),
    // The store's tests cover a memory's own id, since creating a memory takes sixty messages.
    ("POST", "/api/v1/memories/forget", Ids(&[("memory_id", "{turn}")])),
    ("POST", "/api/v1/memories/forget_all", Look(&[])),
    ("POST", "/api/v1/memories/switch", Look(&[("on", "false")])),
    ("GET", "/", Page("", &[("c", "{conversation}")])),
    ("GET", "/tasks", Look(&[("query", SECRET)])),
    ("GET", "/conversations", Look(&[("q", SECRET)])),
    ("GET", "/tasks/{number}", Page("{task}", &[])),
    ("GET", "/approvals", Look(&[])),
    ("GET", "/approvals/{id}", Page("{approval}", &[])),
    ("GET", "/audit", Look(&[("text", SECRET)])),
    ("GET", "/audit/{id}", Page("{turn}", &[])),
    ("GET", "/settings", Look(&[])),
    ("GET", "/settings/memory", Look(&[("query", SECRET)])),
    ("GET", "/{*any}", Look(&[])),
    ("GET", "/admin/users", Look(&[])),
    ("GET", "/join", Look(&[("token", "guessed")])),
    ("GET", "/sign-in", Nothing("it shows nobody's data")),
    ("GET", "/setup", Nothing("it shows nobody's data")),
    ("POST", "/mcp", Nothing("TOOLS, below")),
    ("GET", "/api", Nothing("it shows nobody's data")),
    ("GET", "/api/openapi.json", Nothing("it shows nobody's data")),
    ("GET", "/healthz", Nothing("it shows nobody's data")),
    ("GET", "/readyz", Nothing("it shows nobody's data")),
    ("GET", "/metrics", Nothing("it shows nobody's data")),
];

/// Returns the owner's ids, by the names in braces.
async fn belongings(app: &TestApp, ada: &Client) -> Vec<(&'static str, String)> {
    let added = ada.say(&format!("add buy a {SECRET}")).await;
    let asked = ada.say_after(&added, "delete task 1").await;
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let own = ada.post("/api/v1/tasks/add", &[("title", SECRET)]).await.ok();
    let tokens = app.command(&["token", "list", "--user", "ada"], "");
    let browser = app.browser("ada").await;
    let sessions = browser.get("/api/v1/settings/sessions", &[]).await.ok();
    vec![
        ("{turn}", text(&added["turn_id"])),
        ("{conversation}", text(&added["conversation_id"])),
        ("{approval}", text(&asked["approval"]["approval_id"])),
        ("{change}", text(&own["change_id"])),
        ("{task}", "2".to_owned()),
        ("{token}", tokens.lines().nth(1).and_then(|line| line.split(' ').next()).expect("a token").to_owned()),
        ("{session}", text(&sessions[0]["session_id"])),
    ]
}

/// Returns the address of a page with `name` as the id.
fn about(path: &str, name: &str) -> String {
    path.split_once('{').map_or_else(|| path.to_owned(), |(before, _)| format!("{before}{name}"))
}

/// Returns a page without its per-request values: nonces and idempotency keys of forms.
fn still(page: &str) -> String {
    let key = page.split_once("form_key").map(|(_, rest)| rest.trim_start_matches(['"', ':', '\\']));
    let page = key.map_or_else(|| page.to_owned(), |key| page.replace(&key[..36], ""));
    let mut parts = page.split("nonce=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('"').map_or(part, |(_, rest)| rest))
}

/// Returns the answer of a route for one of the owner's objects, with the id removed from the text.
async fn told(
    caller: &Client,
    method: &str,
    path: &str,
    fields: &[(&str, &str)],
    names: &[(&str, String)],
) -> (u16, String) {
    let values: Vec<(&str, String)> = fields.iter().map(|(name, value)| (*name, filled(value, names))).collect();
    let sent: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let sent_names =
        names.iter().filter(|(name, _)| path.contains(name) || fields.iter().any(|(_, value)| value.contains(name)));
    let reply =
        if method == "GET" { caller.get(&filled(path, names), &sent).await } else { caller.post(path, &sent).await };
    let said = sent_names.fold(still(&reply.text), |text, (name, id)| {
        // On a page, the number may also occur in a drawing or colour.
        if !text.starts_with("<!DOCTYPE") {
            return text.replace(id.as_str(), name);
        }
        ["/", "#", "=", "“"].iter().fold(text, |text, before| {
            let sign = format!("{before}{id}");
            let mut parts = text.split(&sign);
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |text, part| {
                let whole = !part.starts_with(|next: char| next.is_ascii_alphanumeric());
                text + before + if whole { name } else { id.as_str() } + part
            })
        })
    });
    (reply.status, said)
}

/// Returns many sets of the owner's objects; each has one of every kind.
async fn plenty(ada: &Client, ids: &[(&'static str, String)]) -> Vec<Vec<(&'static str, String)>> {
    let rounds = (0..THINGS).map(|round| async move {
        // Letters only: a number in a title could be parsed as a task's number.
        let word: String = [b'a' + round / 26, b'a' + round % 26].map(char::from).iter().collect();
        let added = ada.say(&format!("add buy {SECRET} q{word}")).await;
        let text = |value: &Value| value.as_str().expect("an id").to_owned();
        let number = added["tool_calls"][0]["result"]["task_id"].to_string();
        let asked = ada.say_after(&added, &format!("delete task {number}")).await;
        let own = ada.post("/api/v1/tasks/add", &[("title", SECRET)]).await.ok();
        vec![
            ("{turn}", text(&added["turn_id"])),
            ("{conversation}", text(&added["conversation_id"])),
            ("{approval}", text(&asked["approval"]["approval_id"])),
            ("{change}", text(&own["change_id"])),
            ("{task}", own["task_id"].to_string()),
        ]
    });
    let made: Vec<Vec<_>> = stream::iter(rounds).buffered(AT_ONCE).collect().await;
    // There is one token and one session only.
    let whole = |round: Vec<(&'static str, String)>| {
        let rest = ids.iter().filter(|(name, _)| !round.iter().any(|(own, _)| own == name)).cloned();
        let rest: Vec<_> = rest.collect();
        round.into_iter().chain(rest).collect()
    };
    made.into_iter().map(whole).collect()
}

/// Replaces the names in braces by the owner's ids.
fn filled(text: &str, ids: &[(&str, String)]) -> String {
    ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(name, id))
}

on_both! {
    async fn a_foreign_id_is_not_found_at_any_route(app) {
        let ada = app.user("ada");
        let ids = belongings(&app, &ada).await;
        app.user("bob");
        let bob = app.browser("bob").await;

        let served: BTreeSet<(String, String)> = docket::server::routes().into_iter().collect();
        let tried: BTreeSet<(String, String)> =
            ROUTES.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
        assert_eq!(served.difference(&tried).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "not in this table");
        assert_eq!(tried.difference(&served).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "not served any more");

        for (method, path, what) in ROUTES {
            let (Ids(fields) | Page(_, fields) | Look(fields) | Admins(fields)) = what else { continue };
            let path = if let Page(name, _) = what { filled(&about(path, name), &ids) } else { (*path).to_owned() };
            let fields: Vec<(&str, String)> = fields.iter().map(|(name, value)| (*name, filled(value, &ids))).collect();
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let reply = if *method == "GET" { bob.get(&path, &fields).await } else { bob.post(&path, &fields).await };
            let asked_for = fields.iter().any(|(_, value)| *value == SECRET);
            match what {
                Ids(_) => reply.is_error(404, "not_found", ""),
                Admins(_) => reply.is_error(403, "forbidden", "admin"),
                Page(..) | Look(_) | Nothing(_) => {}
            }
            assert!(asked_for || !reply.text.contains(SECRET), "{method} {path}: {}", reply.text);
            assert!(reply.status < 500, "{method} {path}: {}", reply.text);
        }
        for path in ["/api/v1/tasks/list", "/api/v1/audit/list"] {
            let found = bob.get(path, &[("query", SECRET), ("text", SECRET)]).await;
            assert!(!found.text.contains(SECRET), "{}", found.text);
        }

        // Nothing of the owner's has changed.
        assert_eq!(ada.titles().await.iter().filter(|title| title.contains(SECRET)).count(), 2);
        assert!(ada.tasks().await.iter().all(|task| task["status"] == "pending"));
        let pending = ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
        assert_eq!(pending.as_array().unwrap().len(), 1);
    }

    async fn foreign_and_absent_ids_are_indistinguishable_in_five_thousand_probes(app) {
        let ada = app.user("ada");
        let ids = belongings(&app, &ada).await;
        let things = plenty(&ada, &ids).await;
        let before = (ada.tasks().await, ada.get("/api/v1/approvals/list", &[]).await.ok());
        let full = app.user("bob");
        app.command(&["user", "add", "root", "--password-stdin", "--admin"], PASSWORD);
        let mut callers = vec![("token", full), ("narrow token", app.token("bob", "tasks:read")), ("nobody", Client::anonymous(&app.server.base))];
        for name in ["bob", "root"] {
            let browser = app.browser(name).await;
            callers.push((name, browser));
        }
        let uuid = "0b6e9c1e-7c1e-4f7e-9d8e-2f4a6c8e0a1b".to_owned();
        let absent: Vec<(&str, String)> = ids
            .iter()
            .map(|(name, _)| (*name, if *name == "{task}" { "987654".to_owned() } else { uuid.clone() }))
            .collect();

        let mut probes = 0;
        for (method, path, what) in ROUTES {
            let (Ids(fields) | Page(_, fields)) = what else { continue };
            let path = if let Page(name, _) = what { about(path, name) } else { (*path).to_owned() };
            let path = path.as_str();
            for (who, caller) in &callers {
                // An admin may read everyone's audit log, and nothing else.
                if *who == "root" && (path.starts_with("/api/v1/audit/") || path.starts_with("/audit/")) {
                    continue;
                }
                let expected = told(caller, method, path, fields, &absent).await;
                assert!(matches!(what, Page(..)) || [401, 403, 404].contains(&expected.0), "{who} {method} {path}: {expected:?}");
                assert!(expected.0 < 500, "{who} {method} {path}: {expected:?}");
                // A single object needs a single probe.
                let sent = |names: &[(&'static str, String)]| -> Vec<String> {
                    [path].into_iter().chain(fields.iter().map(|(_, value)| *value)).map(|text| filled(text, names)).collect()
                };
                let mut seen = BTreeSet::new();
                let different = things.iter().filter(|names| seen.insert(sent(names)));
                let tries: Vec<_> = different.map(|names| told(caller, method, path, fields, names)).collect();
                let answers: Vec<_> = stream::iter(tries).buffered(AT_ONCE).collect().await;
                probes += answers.len();
                for answer in answers {
                    assert_eq!(answer, expected, "{who} {method} {path}");
                }
            }
        }
        for scope in ["tasks:read,tasks:write,tasks:delete", "tasks:read"] {
            let agent = app.token("bob", scope);
            for (tool, more) in TOOLS {
                let told = async |number: &str| {
                    let mut arguments = json!({ "task_id": number.parse::<i64>().expect("a number") });
                    if let Some((field, value)) = more {
                        arguments[field] = value.into();
                    }
                    agent.tool(tool, arguments).await.to_string().replace(number, "{task}")
                };
                let expected = told("987654").await;
                for names in &things {
                    assert_eq!(told(&filled("{task}", names)).await, expected, "{scope} {tool}");
                    probes += 1;
                }
            }
        }
        assert!(probes >= 5_000, "{probes} probes");
        assert_eq!((ada.tasks().await, ada.get("/api/v1/approvals/list", &[]).await.ok()), before, "nothing of hers has changed");
    }
}
