//! The API's description compared with the API: everything is documented, everything documented exists, and
//! answers match their schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::app::{Client, Reply, TestApp};
use crate::on_both;

const SCOPES: [&str; 6] = ["chat", "tasks:read", "tasks:write", "tasks:delete", "audit", "admin"];

/// Returns a value of the right type for each required field of an operation.
fn required(operation: &Value) -> Vec<(String, String)> {
    let sample = |name: &str, schema: &Value| match (schema["type"].as_str(), schema["format"].as_str()) {
        _ if name == "rule" => "mcp.delete_task.ask".to_owned(),
        (Some("integer"), _) => "1".to_owned(),
        (Some("boolean"), _) => "true".to_owned(),
        (_, Some("uuid")) => "01890000-0000-7000-8000-000000000000".to_owned(),
        _ => schema["enum"][0].as_str().unwrap_or("nobody").to_owned(),
    };
    let queried = operation["parameters"].as_array().into_iter().flatten().filter(|it| it["required"] == true);
    let queried = queried.map(|it| (it["name"].as_str().expect("a name"), &it["schema"]));
    let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"];
    let sent = form["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let fields = queried.chain(sent.map(|name| (name, &form["properties"][name])));
    fields.map(|(name, schema)| (name.to_owned(), sample(name, schema))).collect()
}

/// The document with its schemas.
struct Document(Value);

impl Document {
    async fn of(app: &TestApp) -> Self {
        Self(Client::anonymous(&app.server.base).get("/api/openapi.json", &[]).await.ok())
    }

    /// Checks an answer against the document's schema for its status.
    #[track_caller]
    fn check(&self, method: &str, path: &str, reply: &Reply) {
        let response = &self.0["paths"][path][method]["responses"][reply.status.to_string()];
        assert!(response.is_object(), "{method} {path}: {} is not documented: {}", reply.status, reply.text);
        let mut schema = response["content"]["application/json"]["schema"].clone();
        schema["components"] = self.0["components"].clone();
        let validator = jsonschema::validator_for(&schema).expect("the document's schemas are schemas");
        let body = reply.json();
        if let Err(error) = validator.validate(&body) {
            panic!("{method} {path}: {error} at {} in {body}", error.instance_path());
        }
    }
}

on_both! {
    async fn the_document_and_the_router_name_the_same_functions(app) {
        let document = Document::of(&app).await.0;
        assert_eq!(document["openapi"], "3.1.0");
        let documented: BTreeSet<(String, String)> = document["paths"].as_object().expect("paths").iter()
            .flat_map(|(path, item)| item.as_object().expect("an item").keys().map(move |method| (method.to_uppercase(), path.clone())))
            .collect();
        let served: BTreeSet<_> =
            docket::server::routes().into_iter().filter(|(_, path)| path.starts_with("/api/v1/")).collect();
        let missing: Vec<_> = served.difference(&documented).collect();
        assert!(missing.is_empty(), "add a row with method, path, scope, fields, answer and errors to TABLE in src/api/reference/table.rs for {missing:?}");
        let absent: Vec<_> = documented.difference(&served).collect();
        assert!(absent.is_empty(), "take the rows of {absent:?} out of src/api/reference/table.rs: the server has no such functions");
    }

    async fn answers_are_as_documented(app) {
        let document = Document::of(&app).await;
        let ada = app.user("ada");
        let check = async |method: &str, path: &str, fields: &[(&str, &str)]| {
            let reply = if method == "get" { ada.get(path, fields).await } else { ada.post(path, fields).await };
            document.check(method, path, &reply);
            reply.json()
        };
        let said = check("post", "/api/v1/chat", &[("message", "add buy milk tomorrow")]).await;
        let turn = said["turn_id"].as_str().unwrap().to_owned();
        let asked = check("post", "/api/v1/chat", &[("message", "delete task 1")]).await;
        let approval = asked["approval"]["approval_id"].as_str().unwrap().to_owned();
        check("get", "/api/v1/turns/get", &[("turn_id", &turn)]).await;
        check("get", "/api/v1/conversations/list", &[]).await;
        check("get", "/api/v1/conversations/messages", &[]).await;
        check("get", "/api/v1/approvals/list", &[]).await;
        check("get", "/api/v1/approvals/get", &[("approval_id", &approval)]).await;
        check("post", "/api/v1/approvals/extend", &[("approval_id", &approval)]).await;
        check("post", "/api/v1/approvals/decide", &[("approval_id", &approval), ("verdict", "approve")]).await;
        check("post", "/api/v1/approvals/decide", &[("approval_id", &approval), ("verdict", "approve")]).await;
        check("post", "/api/v1/tasks/restore", &[("task_id", "1")]).await;
        check("post", "/api/v1/tasks/add", &[("title", "b"), ("tags", "x"), ("due", "today 5pm"), ("recurrence", "every day")]).await;
        check("post", "/api/v1/tasks/add", &[("title", "")]).await;
        check("post", "/api/v1/tasks/add_lines", &[("lines", "c\nd p1")]).await;
        let changed = check("post", "/api/v1/tasks/update", &[("task_id", "1"), ("priority", "high")]).await;
        check("post", "/api/v1/undo", &[("change_id", changed["change_id"].as_str().unwrap())]).await;
        check("post", "/api/v1/undo", &[]).await;
        check("post", "/api/v1/tasks/complete", &[("task_id", "2")]).await;
        check("post", "/api/v1/tasks/reopen", &[("task_id", "2")]).await;
        check("post", "/api/v1/tasks/delete", &[("task_id", "2")]).await;
        check("post", "/api/v1/tasks/delete", &[("task_id", "77")]).await;
        check("get", "/api/v1/tasks/list", &[("status", "all")]).await;
        check("get", "/api/v1/tasks/counts", &[]).await;
        check("get", "/api/v1/tasks/facets", &[]).await;
        check("get", "/api/v1/tasks/get", &[("task_id", "1")]).await;
        check("post", "/api/v1/tasks/bulk", &[("task_ids", "1"), ("task_ids", "3"), ("act", "complete")]).await;
        check("get", "/api/v1/tasks/parse", &[("text", "buy milk tomorrow p1 #errands @home")]).await;
        check("get", "/api/v1/audit/list", &[]).await;
        check("get", "/api/v1/audit/turn", &[("turn_id", &turn)]).await;
        check("get", "/api/v1/audit/verify", &[]).await;
        check("get", "/api/v1/session/me", &[]).await;
        check("get", "/api/v1/session/visit", &[]).await;
        check("get", "/api/v1/settings/tokens", &[]).await;
        let stranger = Client::anonymous(&app.server.base).get("/api/v1/tasks/list", &[]).await;
        document.check("get", "/api/v1/tasks/list", &stranger);
        assert_eq!(stranger.status, 401);
    }

    async fn what_a_function_needs_is_as_documented(app) {
        let document = Document::of(&app).await.0;
        app.command(&["user", "add", "root", "--admin", "--password-stdin"], crate::app::PASSWORD);
        let scopes = |but: &str| SCOPES.into_iter().filter(|scope| *scope != but).collect::<Vec<_>>().join(",");
        let whole = app.token("root", &scopes(""));
        let lacking: BTreeMap<&str, Client> = SCOPES.into_iter().map(|scope| (scope, app.token("root", &scopes(scope)))).collect();
        let anyone = Client::anonymous(&app.server.base);
        let mut wrong = vec![];
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("an item") {
                let fields = required(operation);
                let send = async |client: &Client| {
                    let request = client.request(&method.to_uppercase(), path);
                    let request = if method == "get" { request.query(&fields) } else { request.form(&fields) };
                    request.send().await.expect("an answer").status().as_u16()
                };
                let ways: Vec<_> = operation["security"].as_array().expect("a list").iter().map(Value::to_string).collect();
                let (open, token) = (ways.is_empty(), ways.iter().any(|way| way.contains("token")));
                // Sign-in answers wrong passwords with this status.
                let unknown = send(&anyone).await == 401;
                if path != "/api/v1/session/sign-in" && unknown == open {
                    wrong.push(format!("{method} {path} without a token"));
                }
                for (scope, client) in &lacking {
                    let needed = operation["x-scopes"].as_array().is_some_and(|needed| needed.contains(&(*scope).into()));
                    let status = send(client).await;
                    // Admin functions do not exist for others.
                    let refused = status == 403 || status == 404 && path == "/api/v1/rendered/users";
                    if !open && refused != (needed || !token) {
                        wrong.push(format!("{method} {path} without {scope}: {status}"));
                    }
                }
                if !open && token == (send(&whole).await == 403) {
                    wrong.push(format!("{method} {path} with every scope"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    async fn the_page_shows_every_function_without_a_script(app) {
        let page = Client::anonymous(&app.server.base).get("/api", &[]).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        assert!(!page.text.contains("<script"), "no script");
        for (method, path) in docket::server::routes().into_iter().filter(|(_, path)| path.starts_with("/api/v1/")) {
            assert!(page.text.contains(&path), "{method} {path}");
        }
        assert!(page.text.contains("lang=\"en\"") && page.text.contains("/pkg/docket.css"));
    }
}
