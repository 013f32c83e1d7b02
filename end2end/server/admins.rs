//! Account administration in the browser, sessions, tokens, the tool policy, and security headers under https.

use crate::app::{Client, Db, PASSWORD, Reply, TestApp};
use crate::on_both;

/// Returns the browser of a user called ada.
async fn a_user(app: &TestApp) -> Client {
    app.user("ada");
    app.browser("ada").await
}

/// Returns the browser of an admin called root.
async fn root(app: &TestApp) -> Client {
    app.command(&["user", "add", "root", "--password-stdin", "--admin"], PASSWORD);
    app.browser("root").await
}

/// Returns the token of a newly created link.
fn token_of(made: &serde_json::Value) -> String {
    let link = made["link"].as_str().expect("a link");
    link.split_once("/join?token=").expect("a token").1.to_owned()
}

on_both! {
    async fn an_admin_invites_somebody_who_chooses_the_password(app) {
        let root = root(&app).await;
        let made = root.post("/api/v1/admin/users/invite", &[("name", "Ada")]).await.ok();
        let token = token_of(&made);
        let browser = Client::browser(&app.server.base);
        let page = browser.get("/join", &[("token", &token)]).await;
        assert!(page.status == 200 && page.text.contains("Choose a password for"), "{}", page.text);
        let join = [("token", token.as_str()), ("password", PASSWORD), ("zone", "Asia/Tokyo")];
        assert_eq!(browser.post("/api/v1/session/join", &join).await.ok()["zone"], "Asia/Tokyo");
        assert_eq!(browser.get("/api/v1/session/me", &[]).await.ok()["name"], "ada");
        browser.post("/api/v1/session/join", &join).await.is_error(403, "forbidden", "already used or has expired");
        assert!(browser.get("/join", &[("token", &token)]).await.text.contains("already used or has expired"));

        let list = root.get("/api/v1/admin/users/list", &[]).await.ok();
        let rows: Vec<_> = list.as_array().unwrap().iter().map(|it| (it["name"].clone(), it["role"].clone(), it["state"].clone())).collect();
        assert_eq!(serde_json::json!(rows), serde_json::json!([["ada", "user", "active"], ["root", "admin", "active"]]));
        root.post("/api/v1/admin/users/role", &[("name", "ada"), ("role", "admin")]).await.ok();
        root.post("/api/v1/admin/users/role", &[("name", "ada"), ("role", "user")]).await.ok();
        root.post("/api/v1/admin/users/role", &[("name", "root"), ("role", "user")]).await.is_error(409, "conflict", "only admin");
        root.post("/api/v1/admin/users/disable", &[("name", "root")]).await.is_error(409, "conflict", "only admin");
        root.post("/api/v1/admin/users/disable", &[("name", "ada")]).await.ok();
        browser.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        root.post("/api/v1/admin/users/reset", &[("name", "ada")]).await.is_error(409, "conflict", "enable");
        root.post("/api/v1/admin/users/enable", &[("name", "ada")]).await.ok();
        let reset = root.post("/api/v1/admin/users/reset", &[("name", "ada")]).await.ok();
        let join = [("token", token_of(&reset)), ("password", "another good one".to_owned())];
        let join: Vec<_> = join.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // In a browser where another user was signed in: that session ends.
        let shared = app.browser("root").await;
        let sessions = async || root.get("/api/v1/settings/sessions", &[]).await.ok().as_array().unwrap().len();
        assert_eq!(sessions().await, 2);
        shared.post("/api/v1/session/join", &join).await.ok();
        assert_eq!(shared.get("/api/v1/session/me", &[]).await.ok()["name"], "ada");
        assert_eq!(sessions().await, 1);
        for (fields, status) in [(&[("name", "nobody")][..], 404), (&[("name", "no name!")][..], 422), (&[][..], 400)] {
            for act in ["disable", "enable", "reset"] {
                let reply = root.post(&format!("/api/v1/admin/users/{act}"), fields).await;
                assert_eq!(reply.status, status, "{act} {fields:?}: {}", reply.text);
            }
        }
        root.post("/api/v1/admin/users/invite", &[("name", "ada")]).await.is_error(409, "conflict", "already");
        root.post("/api/v1/admin/users/role", &[("name", "ada"), ("role", "king")]).await.is_error(400, "malformed", "role");
    }

    async fn users_page_is_admin_only_and_works_without_javascript(app) {
        let root = root(&app).await;
        app.user("ada");
        let ada = app.browser("ada").await;
        let page = ada.get("/admin/users", &[]).await;
        assert!(page.status == 404 && !page.text.contains("Tool policy for everyone"), "{} {}", page.status, page.text);
        assert_eq!(Client::anonymous(&app.server.base).get("/admin/users", &[]).await.status, 303);
        let page = root.get("/admin/users", &[]).await;
        assert!(page.status == 200 && page.text.contains("Tool policy for everyone"), "{}", page.status);
        let back = ("return_to", "/admin/users");
        let made = root.form("/api/v1/admin/users/invite", &[("name", "eve"), back]).await;
        assert_eq!((made.status, made.header("location")), (303, "/admin/users"), "{}", made.text);
        let told = root.get("/admin/users", &[]).await.text;
        assert!(told.contains("/join?token=") && told.contains("Copy it now"), "shown");
        assert!(!root.get("/admin/users", &[]).await.text.contains("/join?token="), "once");
        let refused = root.form("/api/v1/admin/users/invite", &[("name", "EVE"), back]).await;
        assert_eq!(refused.status, 303, "{}", refused.text);
        let told = root.get("/admin/users", &[]).await.text;
        assert!(told.contains("already a user called eve") && told.contains(r#"value="EVE""#), "{told}");
        let done = root.form("/api/v1/admin/users/disable", &[("name", "ada"), back]).await;
        assert_eq!(done.status, 303, "{}", done.text);
        assert!(root.get("/admin/users", &[]).await.text.contains("ada is disabled."));
        assert_eq!(ada.get("/", &[]).await.header("location"), "/sign-in?return_to=/");
    }

    async fn sessions_and_tokens_are_managed_on_the_settings_page(app) {
        app.user("ada");
        let (here, there) = (app.browser("ada").await, app.browser("ada").await);
        let list = here.get("/api/v1/settings/sessions", &[]).await.ok();
        assert_eq!(list.as_array().unwrap().len(), 2);
        let other = list.as_array().unwrap().iter().find(|it| it["current"] == false).expect("another");
        let fields = [("session_id", other["session_id"].as_str().unwrap())];
        here.post("/api/v1/settings/sessions/end", &fields).await.ok();
        there.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        here.post("/api/v1/settings/sessions/end", &fields).await.is_error(404, "not_found", "no such session");
        here.post("/api/v1/settings/sessions/end", &[("session_id", "7")]).await.is_error(400, "malformed", "session id");
        let there = app.browser("ada").await;
        assert_eq!(here.post("/api/v1/settings/sessions/end-others", &[]).await.ok()["ended"], 1);
        there.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");

        let fields = [("name", "phone"), ("scopes", "tasks:read"), ("scopes", "chat")];
        let made = here.post("/api/v1/settings/tokens/create", &fields).await.ok();
        let phone = Client { token: made["token"].as_str().map(str::to_owned), ..Client::anonymous(&app.server.base) };
        assert!(phone.tasks().await.is_empty());
        assert!(app.command(&["token", "list", "--user", "ada"], "").contains("120/h"), "an agent's budget unless another is named");
        phone.post("/api/v1/tasks/add", &[("title", "no")]).await.is_error(403, "forbidden", "tasks:write");
        phone.post("/api/v1/settings/tokens/create", &fields).await.is_error(403, "forbidden", "browser");
        for (fields, status) in [
            (&[("name", ""), ("scopes", "chat")][..], 422),
            (&[("name", "x")][..], 422),
            (&[("name", "x"), ("scopes", "everything")][..], 400),
            (&[("name", "x"), ("scopes", "admin")][..], 422),
        ] {
            let reply = here.post("/api/v1/settings/tokens/create", fields).await;
            assert_eq!(reply.status, status, "{fields:?}: {}", reply.text);
        }
        let page = here.get("/settings", &[]).await.text;
        assert!(page.contains("Signed in") && page.contains("phone") && !page.contains(made["token"].as_str().unwrap()));
        here.post("/api/v1/settings/tokens/revoke", &[("token_id", made["token_id"].as_str().unwrap())]).await.ok();
        phone.get("/api/v1/tasks/list", &[]).await.is_error(401, "unauthenticated", "");
    }

    async fn policy_from_the_settings_page_applies_in_chat(app) {
        let root = root(&app).await;
        let token = app.user("ada");
        let ada = app.browser("ada").await;
        ada.say("add milk").await;
        let policy = ada.get("/api/v1/settings/policy/list", &[]).await.ok();
        let field = |policy: &serde_json::Value| {
            policy.as_array().unwrap().iter().find(|it| it["asker"] == "rules" && it["tool"] == "add_task").unwrap().clone()
        };
        assert_eq!((&field(&policy)["unasked"], &field(&policy)["own"]), (&1.into(), &"run".into()));
        assert!(ada.get("/settings", &[]).await.text.contains("would have asked once"));
        let form = ada.form("/api/v1/settings/policy", &[("rule", "rules.add_task.ask"), ("rule", "mcp.add_task.deny"), ("return_to", "/settings#policy")]).await;
        assert_eq!((form.status, form.header("location")), (303, "/settings#policy"), "{}", form.text);
        assert_eq!(ada.say("add eggs").await["approval"]["status"], "pending");
        root.post("/api/v1/admin/policy/set", &[("rule", "rules.add_task.deny")]).await.ok();
        let denied = ada.say("add bread").await;
        assert!(denied["reply"].as_str().unwrap().contains("An admin can change this"), "{denied}");
        assert_eq!(ada.titles().await, ["milk"]);
        for rule in ["", "rules.add_task", "rules.add_task.maybe", "cat.add_task.ask"] {
            ada.post("/api/v1/settings/policy", &[("rule", rule)]).await.is_error(400, "malformed", "");
        }
        token.post("/api/v1/settings/policy", &[("rule", "rules.add_task.run")]).await.is_error(403, "forbidden", "browser");
    }

    async fn guessing_passwords_is_told_when_to_come_back(app) {
        app.user("ada");
        let browser = Client::browser(&app.server.base);
        let mut last = None;
        for _ in 0..7 {
            let reply = browser.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", "wrong wrong wrong")]).await;
            last = Some(reply);
        }
        let last = last.expect("an answer");
        last.is_error(429, "rate_limited", "Wait");
        let wait: i64 = last.header("retry-after").parse().expect("seconds");
        assert!((1..=3).contains(&wait), "{wait}");
    }

    async fn nothing_is_changed_by_a_get(app) {
        let token = app.user("ada");
        token.say("add milk").await;
        let ada = app.browser("ada").await;
        // Every request updates the last activity, to within minutes; scheduled jobs of the server change their own tables.
        ada.get("/api/v1/session/me", &[]).await.ok();
        let state = || app.database.dump(&["jobs", "checkpoints", "checkpoint_heads"]);
        let before = state().await;
        assert!(before.len() > 30 && before["tasks"].len() == 1 && before["records"].len() > 5, "{before:?}");
        for (method, path) in docket::server::routes() {
            if method == "POST" {
                // A POST route does not accept GET, and no page shares its address.
                let reply = ada.get(&path, &[("task_id", "1"), ("title", "x"), ("message", "add x")]).await;
                // Agents are asked for a token first.
                let refused = if path == "/mcp" { &[401][..] } else { &[404, 405] };
                assert!(refused.contains(&reply.status), "{path}: {}", reply.status);
            } else if path != "/api/v1/events" {
                ada.get(&path, &[("task_id", "1"), ("title", "x"), ("message", "add x"), ("act", "delete")]).await;
            }
        }
        let after = state().await;
        for (table, rows) in &before {
            assert_eq!(&after[table], rows, "{table}");
        }

        // An admin's access to other users' data is recorded (R-705); nothing else changes.
        let root = root(&app).await;
        root.get("/api/v1/session/me", &[]).await.ok();
        let before = state().await;
        for (_, path) in docket::server::routes().into_iter().filter(|(method, _)| method == "GET") {
            if path != "/api/v1/events" {
                root.get(&path, &[("task_id", "1"), ("title", "x"), ("act", "delete"), ("user", "ada")]).await;
            }
        }
        let after = state().await;
        let changed: Vec<_> = before.keys().filter(|table| after[*table] != before[*table]).map(String::as_str).collect();
        assert_eq!(changed, ["bodies", "heads", "readings", "records"]);
    }

    async fn an_admin_sees_when_everybody_was_here_last(app) {
        let root = root(&app).await;
        root.post("/api/v1/admin/users/invite", &[("name", "eve")]).await.ok();
        app.command(&["user", "add", "ada", "--password-stdin"], PASSWORD);
        let seen = async || {
            let list = root.get("/api/v1/admin/users/list", &[]).await.ok();
            let seen = |name| list.as_array().unwrap().iter().find(|it| it["name"] == name).expect(name)["seen"].clone();
            ["ada", "eve", "root"].map(seen)
        };
        let [ada, eve, own] = seen().await;
        assert_eq!((ada, eve), ("Never signed in".into(), "Never signed in".into()), "nobody came yet");
        assert!(own.as_str().is_some_and(|own| own.starts_with("Last seen ")), "{own}");
        // Requests with a browser and with a token both count.
        app.browser("ada").await.get("/api/v1/session/me", &[]).await.ok();
        let [ada, eve, _] = seen().await;
        assert!(ada.as_str().is_some_and(|ada| ada.starts_with("Last seen ")), "{ada}");
        assert_eq!(eve, "Never signed in");
        let page = root.get("/admin/users", &[]).await.text;
        assert!(page.contains(ada.as_str().unwrap()) && page.contains("Never signed in"), "{page}");
        app.command(&["user", "add", "bob", "--password-stdin"], PASSWORD);
        app.token("bob", "tasks:read").tasks().await;
        let list = root.get("/api/v1/admin/users/list", &[]).await.ok();
        assert!(list.to_string().matches("Last seen ").count() == 3, "{list}");
    }

    async fn every_route_refuses_a_body_that_is_too_large(app) {
        let (ada, agent) = (a_user(&app).await, app.token("ada", "tasks:read"));
        for (method, path) in docket::server::routes() {
            // In a form, a file of 4 MB may take three bytes per character. Unauthenticated requests have a smaller limit.
            let (most, told) = match path.as_str() {
                path if path.starts_with("/api/v1/tasks/import") => (3 * 4096 + 64, 4096),
                "/telegram/webhook" => (64, 64),
                path if path.starts_with("/api/v1/session/") || !(path.starts_with("/api/v1/") || path.starts_with("/mcp")) => (16, 16),
                _ => (256, 256),
            };
            let (large, told) = ("a".repeat((most + 44) * 1024), format!("{told} KB"));
            let sender = if path.starts_with("/mcp") { &agent } else { &ada };
            let request = sender.request(&method, &path).header("content-type", "application/x-www-form-urlencoded").body(format!("x={large}"));
            let reply = Reply::of(request.send().await.expect("an answer")).await;
            // Agents get the error in their protocol's form.
            if path.starts_with("/mcp") {
                assert!(reply.status == 413 && reply.text.contains("256 KB"), "{} {}", reply.status, reply.text);
            } else {
                reply.is_error(413, "too_large", &told);
            }
        }
    }
}

#[tokio::test]
async fn cookies_under_https_use_the_host_prefix_and_hsts() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let addr = free.to_string();
    let environment = [("DOCKET_PUBLIC_URL", "https://docket.example"), ("DOCKET_ADDR", addr.as_str())];
    let app = TestApp::start_with(Db::Sqlite, &environment).await.expect("SQLite is always there");
    app.user("ada");
    // A proxy that terminates https.
    let proxy = Client::anonymous(&format!("http://{addr}"));
    let reply = proxy.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await;
    reply.ok();
    let cookie = reply.header("set-cookie").to_owned();
    assert!(cookie.starts_with("__Host-docket_session=") && !cookie.contains("Domain"), "{cookie}");
    for part in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(reply.header("strict-transport-security").starts_with("max-age="), "{:?}", reply.headers);
    // The other cookies too: the theme, and the message of a failed form.
    let session = cookie.split(';').next().expect("a cookie").to_owned();
    let set = async |path: &str, fields: &[(&str, &str)]| {
        let request = proxy.request("POST", path).header("accept", "text/html").header("cookie", &session);
        let reply = Reply::of(request.form(fields).send().await.expect("an answer")).await;
        let set: Vec<_> =
            reply.headers.get_all("set-cookie").iter().map(|it| it.to_str().unwrap().to_owned()).collect();
        for cookie in &set {
            assert!(
                cookie.starts_with("__Host-docket_") && cookie.contains("; Path=/;") && cookie.ends_with("; Secure"),
                "{cookie}"
            );
        }
        set
    };
    let look = set("/api/v1/settings/appearance", &[("theme", "dark"), ("shortcuts", "false")]).await;
    assert_eq!(
        look.iter().filter(|it| it.contains("_theme=dark") || it.contains("_shortcuts=off")).count(),
        2,
        "{look:?}"
    );
    let page = proxy.request("GET", "/sign-in").header("cookie", "__Host-docket_theme=dark").send().await.unwrap();
    assert!(page.text().await.unwrap().contains("data-theme=\"dark\""), "and is read by that name");
    let told = set("/api/v1/settings/password", &[("current", "wrong wrong"), ("new", PASSWORD)]).await;
    assert!(told.iter().any(|it| it.starts_with("__Host-docket_flash=")), "{told:?}");
    let value = cookie.split(';').next().expect("a cookie");
    for (cookie, status) in [(value.to_owned(), 200), (value.trim_start_matches("__Host-").to_owned(), 401)] {
        let request = proxy.request("GET", "/api/v1/session/me").header("cookie", cookie);
        assert_eq!(request.send().await.expect("an answer").status(), status);
    }
}
