//! Sign-in and sign-out, tokens, scopes, limits.

use crate::app::{Client, Db, PASSWORD, Reply, TestApp};
use crate::on_both;

/// Signs in with a name and password, in this browser.
async fn sign_in(browser: &Client, name: &str, password: &str) -> Reply {
    browser.post("/api/v1/session/sign-in", &[("name", name), ("password", password)]).await
}

on_both! {
    async fn a_page_of_one_account_changes_nothing_of_another(app) {
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        for (client, title) in [(&ada, "ada's"), (&bob, "bob's")] {
            client.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        let browser = Client::browser(&app.server.base);
        sign_in(&browser, "ada", PASSWORD).await.ok();
        let page = browser.get("/tasks", &[]).await.text;
        let id = browser.get("/api/v1/session/me", &[]).await.ok()["user_id"].as_str().expect("an id").to_owned();
        assert!(page.contains(&format!("data-account=\"{id}\"")) && page.contains("name=\"account\""));
        // In another tab, of which the first tab is not notified.
        sign_in(&browser, "bob", PASSWORD).await.ok();
        let named = [("task_id", "1"), ("account", id.as_str())];
        for path in ["/api/v1/tasks/complete", "/api/v1/tasks/delete"] {
            browser.post(path, &named).await.is_error(409, "session_changed", "You are now signed in as bob");
            let told = browser.form(path, &named).await;
            assert!(told.status == 409 && told.text.contains("You are now signed in as bob"), "{}", told.text);
            browser.post(&format!("{path}?account={id}"), &named[..1]).await.is_error(409, "session_changed", "bob");
        }
        browser.get("/api/v1/tasks/list", &[("account", &id)]).await.is_error(409, "session_changed", "bob");
        browser.get("/api/v1/events", &[("account", &id)]).await.is_error(409, "session_changed", "bob");
        assert_eq!(bob.tasks().await[0]["status"], "pending");
        // Bob's own page and other clients continue to work.
        browser.post("/api/v1/tasks/complete", &named[..1]).await.ok();
        bob.post("/api/v1/tasks/add", &[("title", "more"), ("account", &id)]).await.ok();
    }

    async fn a_get_sends_no_browser_elsewhere(app) {
        let ada = app.user("ada");
        for (method, path) in docket::server::routes() {
            if method == "GET" && path.starts_with("/api/v1/") && path != "/api/v1/events" {
                let request = ada.request("GET", &path).header("accept", "text/html").header("referer", "http://evil.example/p");
                let reply = Reply::of(request.send().await.expect("an answer")).await;
                assert!(!(300..400).contains(&reply.status) && reply.header("location").is_empty(), "{path}");
            }
        }
    }

    async fn session_starts_at_sign_in_and_ends_at_sign_out(app) {
        app.user("ada");
        let browser = Client::browser(&app.server.base);
        browser.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        let reply = sign_in(&browser, "ada", PASSWORD).await;
        reply.ok();
        let cookie = reply.header("set-cookie").to_owned();
        for part in ["docket_session=", "HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert_eq!(browser.get("/api/v1/session/me", &[]).await.ok()["name"], "ada");
        // The session itself ends, not only the browser's cookie.
        let stolen = cookie.split(';').next().unwrap().to_owned();
        browser.post("/api/v1/session/sign-out", &[]).await.ok();
        browser.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        let thief = Client::anonymous(&app.server.base);
        let reply = thief.request("GET", "/api/v1/session/me").header("cookie", stolen).send().await.unwrap();
        Reply::of(reply).await.is_error(401, "unauthenticated", "");
    }

    async fn signing_out_has_the_browser_forget_what_it_keeps(app) {
        app.user("ada");
        let browser = Client::browser(&app.server.base);
        sign_in(&browser, "ada", PASSWORD).await.ok();
        let other = browser.form("/api/v1/settings/zone", &[("zone", "Europe/Paris"), ("return_to", "/settings")]).await;
        assert_eq!((other.status, other.header("clear-site-data")), (303, ""));
        let left = browser.form("/api/v1/session/sign-out", &[("return_to", "/sign-in")]).await;
        assert_eq!((left.status, left.header("location"), left.header("clear-site-data")), (303, "/sign-in", "\"storage\""));
    }

    async fn a_wrong_name_and_a_wrong_password_read_alike(app) {
        app.user("ada");
        let browser = Client::browser(&app.server.base);
        let wrong = sign_in(&browser, "ada", "wrong password").await;
        let nobody = sign_in(&browser, "nobody", PASSWORD).await;
        wrong.is_error(401, "unauthenticated", "");
        assert_eq!((nobody.status, &nobody.text), (wrong.status, &wrong.text));
        assert_eq!(wrong.header("set-cookie"), "");
    }

    async fn a_new_password_ends_other_sessions(app) {
        app.user("ada");
        let (here, there) = (Client::browser(&app.server.base), Client::browser(&app.server.base));
        sign_in(&here, "ada", PASSWORD).await.ok();
        sign_in(&there, "ada", PASSWORD).await.ok();
        let change = |current, new| [("current", current), ("new", new)];
        let path = "/api/v1/settings/password";
        assert!(here.post(path, &change("wrong password", "a new long password")).await.status >= 400);
        here.post(path, &change(PASSWORD, "short")).await.is_error(422, "invalid", "at least 10");
        here.post(path, &change(PASSWORD, "a new long password")).await.ok();
        there.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        sign_in(&there, "ada", PASSWORD).await.is_error(401, "unauthenticated", "");
        sign_in(&there, "ada", "a new long password").await.ok();
    }

    async fn a_disabled_account_is_shut_out_at_once(app) {
        let token = app.user("ada");
        let browser = Client::browser(&app.server.base);
        sign_in(&browser, "ada", PASSWORD).await.ok();
        app.command(&["user", "disable", "ada"], "");
        browser.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        token.get("/api/v1/tasks/list", &[]).await.is_error(401, "unauthenticated", "");
        assert!(sign_in(&browser, "ada", PASSWORD).await.status >= 400);
        app.command(&["user", "enable", "ada"], "");
        sign_in(&browser, "ada", PASSWORD).await.ok();
        // Earlier tokens are revoked for good.
        token.get("/api/v1/tasks/list", &[]).await.is_error(401, "unauthenticated", "");
    }

    async fn a_password_set_by_the_operator_ends_sessions(app) {
        app.user("ada");
        let browser = Client::browser(&app.server.base);
        sign_in(&browser, "ada", PASSWORD).await.ok();
        app.command(&["user", "password", "ada", "--password-stdin"], "set by the operator\n");
        browser.get("/api/v1/session/me", &[]).await.is_error(401, "unauthenticated", "");
        sign_in(&browser, "ada", "set by the operator").await.ok();
    }

    async fn a_token_does_what_its_scopes_say_and_no_more(app) {
        app.user("ada").post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        let reader = app.token("ada", "tasks:read");
        assert_eq!(reader.titles().await, ["Buy milk"]);
        reader.post("/api/v1/tasks/add", &[("title", "No")]).await.is_error(403, "forbidden", "tasks:write");
        reader.post("/api/v1/chat", &[("message", "add no")]).await.is_error(403, "forbidden", "chat");
        let writer = app.token("ada", "tasks:write");
        writer.post("/api/v1/tasks/complete", &[("task_id", "1")]).await.ok();
        writer.post("/api/v1/tasks/delete", &[("task_id", "1")]).await.is_error(403, "forbidden", "tasks:delete");
        writer.get("/api/v1/audit/list", &[]).await.is_error(403, "forbidden", "audit");
        // Changes of the account itself require a session.
        let all = app.token("ada", "chat,tasks:read,tasks:write,tasks:delete,audit");
        let change = [("current", PASSWORD), ("new", "a new long password")];
        all.post("/api/v1/settings/password", &change).await.is_error(403, "forbidden", "");
    }

    async fn a_revoked_or_invented_token_is_refused(app) {
        let ada = app.user("ada");
        ada.get("/api/v1/tasks/list", &[]).await.ok();
        let list = app.command(&["token", "list", "--user", "ada"], "");
        assert!(!list.contains(ada.token.as_deref().unwrap()), "a secret is shown once");
        let id = list.lines().nth(1).and_then(|line| line.split(' ').next()).expect("a token in the list");
        app.command(&["token", "revoke", id], "");
        for client in [ada, Client { token: Some("invented".into()), ..Client::anonymous(&app.server.base) }] {
            client.get("/api/v1/tasks/list", &[]).await.is_error(401, "unauthenticated", "token");
        }
    }
}

#[tokio::test]
async fn too_many_messages_are_answered_with_when_to_come_back() {
    let app = TestApp::start_with(Db::Sqlite, &[("DOCKET_RATE_LIMIT_PER_MINUTE", "2")]).await.unwrap();
    let ada = app.user("ada");
    for message in ["add buy milk", "add call mum"] {
        ada.say(message).await;
    }
    let reply = ada.post("/api/v1/chat", &[("message", "add water plants")]).await;
    assert_eq!(reply.status, 429, "{}", reply.text);
    let wait: u32 = reply.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    let turn = reply.json();
    assert_eq!(turn["decision"]["kind"], "REFUSE");
    assert_eq!(turn["decision"]["outcome"], "REFUSAL:RATE_LIMITED");
    let metrics = Client::anonymous(&app.server.base).get("/metrics", &[]).await.text;
    let counted = "docket_turns_total{cause=\"message\",engine=\"rules\",outcome=\"REFUSAL:RATE_LIMITED\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
    assert_eq!(ada.titles().await.len(), 2);
    // Lists and other users are unaffected.
    app.user("bob").say("add buy bread").await;
}
