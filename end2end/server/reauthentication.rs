//! Browser actions that need a password entry within ten minutes, and what a new password revokes in addition to sessions.

use serde_json::Value;

use crate::app::{Client, PASSWORD, TestApp, complaint, docket, finish};
use crate::on_both;

const CREATE: &str = "/api/v1/settings/tokens/create";
const CHANGE: &str = "/api/v1/settings/password";
const NEW: &str = "another good one";

/// Returns the form that calls `path` from a fragment of the settings page.
async fn form(browser: &Client, piece: &str, path: &str) -> String {
    let html = browser.get(piece, &[]).await.ok();
    let html = html.as_str().expect("a piece of a page").to_owned();
    let form = html.split("<form ").find(|form| form.contains(&format!("action=\"{path}\"")));
    form.unwrap_or_else(|| panic!("no form calls {path}: {html}")).split("</form>").next().expect("its text").to_owned()
}

/// Returns the number of an account's active tokens.
fn tokens(app: &TestApp, name: &str) -> usize {
    app.command(&["token", "list", "--user", name], "").lines().filter(|line| line.contains(" active ")).count()
}

on_both! {
    async fn token_creation_requires_a_recent_password_in_a_browser_session(app) {
        let program = app.user("ada");
        let ada = app.browser("ada").await;
        let fields = [("name", "phone"), ("scopes", "tasks:read")];
        let with = |password: &'static str| [fields[0], fields[1], ("password", password)];
        program.post(CREATE, &fields).await.is_error(403, "forbidden", "Creating a token requires a browser session");
        program.post(CREATE, &with(PASSWORD)).await.is_error(403, "forbidden", "browser");
        ada.post(CREATE, &fields).await.ok();
        app.database.forget_passwords().await;
        ada.post(CREATE, &fields).await.is_error(403, "forbidden", "requires your password");
        ada.post(CREATE, &with("")).await.is_error(403, "forbidden", "requires your password");
        ada.post(CREATE, &with("wrong wrong wrong")).await.is_error(422, "invalid", "The password is wrong. Nothing was changed.");
        assert_eq!(tokens(&app, "ada"), 2, "the test's own and the first");
        ada.post(CREATE, &with(PASSWORD)).await.ok();
        ada.post(CREATE, &fields).await.ok();
        assert_eq!(tokens(&app, "ada"), 4);
        // The operator's command needs no password.
        app.token("ada", "tasks:read");
    }

    async fn token_form_asks_for_the_password_and_keeps_its_input(app) {
        app.user("ada");
        let ada = app.browser("ada").await;
        let piece = "/api/v1/rendered/access";
        assert!(!form(&ada, piece, CREATE).await.contains("type=\"password\""), "it was entered a moment ago");
        app.database.forget_passwords().await;
        // The page was opened earlier, so its form has no password field.
        let sent = [
            ("name", "my phone"), ("kind", "personal"), ("scopes", "chat"), ("scopes", "audit"), ("budget", "7"),
            ("return_to", "/settings#tokens"),
        ];
        let refused = ada.form(CREATE, &sent).await;
        assert_eq!((refused.status, refused.header("location")), (303, "/settings#tokens"));
        let page = ada.get("/settings", &[]).await.text;
        let shown = page.split("<form ").find(|form| form.contains(&format!("action=\"{CREATE}\""))).expect("the form");
        let shown = shown.split("</form>").next().unwrap();
        assert!(page.contains("Creating a token requires your password"), "{page}");
        assert!(shown.contains("id=\"token-password\"") && shown.contains("value=\"my phone\"") && shown.contains("value=\"7\""), "{shown}");
        let checked: Vec<&str> = shown.split("<input ").filter(|field| field.contains(" checked")).collect();
        let values: Vec<&str> = checked.iter().filter_map(|field| field.split("value=\"").nth(1)?.split('"').next()).collect();
        assert_eq!(values, ["personal", "chat", "audit"], "{shown}");
        let done = ada.form(CREATE, &[&sent[..], &[("password", PASSWORD)]].concat()).await;
        assert_eq!(done.status, 303);
        assert!(ada.get("/settings", &[]).await.text.contains("Copy it now"));
        assert!(!form(&ada, piece, CREATE).await.contains("type=\"password\""), "it was entered a moment ago");
    }

    async fn wrong_passwords_are_throttled_with_those_of_signing_in(app) {
        app.user("ada");
        let ada = app.browser("ada").await;
        let mut last = None;
        for _ in 0..7 {
            last = Some(ada.post(CREATE, &[("name", "x"), ("scopes", "chat"), ("password", "wrong wrong wrong")]).await);
        }
        last.expect("an answer").is_error(429, "rate_limited", "Wait");
        let elsewhere = Client::browser(&app.server.base);
        let reply = elsewhere.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await;
        assert_eq!(reply.status, 429, "{}", reply.text);
    }

    async fn admin_actions_that_outlast_the_session_require_the_password(app) {
        app.command(&["user", "add", "root", "--password-stdin", "--admin"], PASSWORD);
        app.user("ada");
        let (root, program) = (app.browser("root").await, app.token("root", "admin,audit,chat"));
        let acts: [(&str, &[(&str, &str)]); 4] = [
            ("/api/v1/admin/users/invite", &[("name", "eve")]),
            ("/api/v1/admin/users/reset", &[("name", "ada")]),
            ("/api/v1/admin/users/role", &[("name", "ada"), ("role", "admin")]),
            ("/api/v1/admin/users/erase", &[("name", "ada"), ("sure", "ada")]),
        ];
        app.database.forget_passwords().await;
        for (path, fields) in acts {
            program.post(path, fields).await.is_error(403, "forbidden", "requires a browser session");
            root.post(path, fields).await.is_error(403, "forbidden", "requires your password");
            let shown = form(&root, "/api/v1/rendered/users", path).await;
            assert!(shown.contains("name=\"password\"") && shown.contains("type=\"password\""), "{shown}");
        }
        assert!(!app.command(&["user", "list"], "").contains("eve"));
        for (path, fields) in acts {
            app.database.forget_passwords().await;
            root.post(path, &[fields, &[("password", PASSWORD)]].concat()).await.ok();
            assert!(!form(&root, "/api/v1/rendered/users", path).await.contains("type=\"password\""), "{path}");
        }
        let kept = [("name", "Fay"), ("role", "admin"), ("return_to", "/admin/users")];
        app.database.forget_passwords().await;
        assert_eq!(root.form(acts[0].0, &kept).await.status, 303);
        let page = root.get("/admin/users", &[]).await.text;
        assert!(page.contains("value=\"Fay\"") && page.contains("id=\"invite-password\""), "{page}");
        // Revoking access needs no password, and a token may do it.
        app.database.forget_passwords().await;
        root.post("/api/v1/admin/users/disable", &[("name", "ada")]).await.ok();
        program.post("/api/v1/admin/users/enable", &[("name", "ada")]).await.ok();
    }

    async fn password_change_revokes_tokens_and_unlinks_chats_only_if_selected(app) {
        let program = app.user("ada");
        let (ada, there) = (app.browser("ada").await, app.browser("ada").await);
        let shown = form(&ada, "/api/v1/rendered/access", CHANGE).await;
        for name in ["revoke_tokens", "unlink_chats"] {
            let field = shown.split("<input ").find(|field| field.contains(&format!("name=\"{name}\""))).expect(name);
            assert!(field.contains("type=\"checkbox\"") && !field.contains(" checked"), "{field}");
        }
        assert!(shown.contains("Revoke all API tokens") && shown.contains("Unlink Telegram"), "{shown}");
        ada.post(CHANGE, &[("current", PASSWORD), ("new", NEW)]).await.ok();
        there.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        program.get("/api/v1/tasks/list", &[]).await.ok();
        let ticked = [("current", NEW), ("new", PASSWORD), ("revoke_tokens", "true"), ("unlink_chats", "true")];
        let done = ada.form(CHANGE, &[&ticked[..], &[("return_to", "/settings")]].concat()).await;
        assert_eq!((done.status, done.header("location")), (303, "/settings"), "{}", done.text);
        program.get("/api/v1/tasks/list", &[]).await.is_error(401, "unauthenticated", "");
        ada.get("/api/v1/session/me", &[]).await.ok();
        assert!(app.command(&["audit", "verify"], "").starts_with("verified"));
    }

    async fn reset_link_page_preselects_revoking_tokens(app) {
        app.command(&["user", "add", "root", "--password-stdin", "--admin"], PASSWORD);
        let program = app.user("ada");
        let root = app.browser("root").await;
        let link = async || {
            let made = root.post("/api/v1/admin/users/reset", &[("name", "ada")]).await.ok();
            let Value::String(link) = &made["link"] else { panic!("no link: {made}") };
            link.split_once("token=").expect("a token").1.to_owned()
        };
        let browser = Client::browser(&app.server.base);
        let token = link().await;
        let page = browser.get("/api/v1/rendered/join", &[("token", &token)]).await.ok();
        let page = page.as_str().unwrap();
        for name in ["revoke_tokens", "unlink_chats"] {
            let field = page.split("<input ").find(|field| field.contains(&format!("name=\"{name}\""))).expect(name);
            assert!(field.split('>').next().unwrap().contains(" checked"), "{field}");
        }
        browser.post("/api/v1/session/join", &[("token", &token), ("password", NEW)]).await.ok();
        program.get("/api/v1/tasks/list", &[]).await.ok();
        let token = link().await;
        let fields = [("token", token.as_str()), ("password", PASSWORD), ("revoke_tokens", "true")];
        browser.post("/api/v1/session/join", &fields).await.ok();
        program.get("/api/v1/tasks/list", &[]).await.is_error(401, "unauthenticated", "");
        // An invited account has nothing to revoke.
        let made = root.post("/api/v1/admin/users/invite", &[("name", "eve")]).await.ok();
        let token = made["link"].as_str().unwrap().split_once("token=").unwrap().1.to_owned();
        let page = browser.get("/api/v1/rendered/join", &[("token", &token)]).await.text;
        assert!(!page.contains("revoke_tokens"), "{page}");
    }

    async fn the_command_ends_tokens_and_chats_by_its_flags(app) {
        let program = app.user("ada");
        let run = |flags: &[&str]| {
            let arguments = [&["user", "password", "ada", "--password-stdin"], flags].concat();
            app.command(&arguments, PASSWORD)
        };
        let said = run(&[]);
        assert!(!said.contains("Revoked") && !said.contains("Telegram"), "{said}");
        program.get("/api/v1/tasks/list", &[]).await.ok();
        let said = run(&["--revoke-tokens", "--unlink-chats"]);
        assert!(said.contains("Revoked all API tokens of ada") && said.contains("No Telegram chat is linked to ada"), "{said}");
        program.get("/api/v1/tasks/list", &[]).await.is_error(401, "unauthenticated", "");
        let export = app.command(&["audit", "verify"], "");
        assert!(export.starts_with("verified"), "{export}");
        let refused = finish(docket(&app.database.url, &["user", "password", "nobody", "--password-stdin", "--revoke-tokens"]), PASSWORD);
        assert!(!refused.status.success() && complaint(&refused).contains("nobody"), "{}", complaint(&refused));
    }
}
