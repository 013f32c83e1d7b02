//! Headers, files, pages, and requests from other sites.

use crate::app::{Client, PASSWORD, Reply};
use crate::on_both;

/// Returns a browser signed in as `ada`.
async fn signed_in(app: &crate::app::TestApp) -> Client {
    app.user("ada");
    app.browser("ada").await
}

/// Returns the value of a directive of the Content-Security-Policy.
fn directive<'a>(csp: &'a str, name: &str) -> &'a str {
    csp.split(';').find_map(|part| part.trim().strip_prefix(name)).unwrap_or_default().trim()
}

on_both! {
    async fn every_page_has_a_csp_with_a_unique_nonce(app) {
        let browser = signed_in(&app).await;
        let mut nonces = std::collections::HashSet::new();
        for path in ["/", "/tasks", "/approvals", "/audit", "/settings", "/settings/memory", "/sign-in", "/nowhere"] {
            let page = browser.get(path, &[]).await;
            let csp = page.header("content-security-policy").to_owned();
            let scripts = directive(&csp, "script-src");
            assert!(!csp.contains("unsafe-inline") && !csp.contains("unsafe-eval "), "{csp}");
            assert_eq!(directive(&csp, "frame-ancestors"), "'none'", "{csp}");
            assert!(scripts.contains("'strict-dynamic'") && scripts.contains("'wasm-unsafe-eval'"), "{csp}");
            let nonce = scripts.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce").to_owned();
            if page.status < 300 {
                for script in page.text.split("<script").skip(1) {
                    let tag = script.split('>').next().unwrap();
                    assert!(tag.contains(&format!("nonce=\"{nonce}\"")), "{path}: <script{tag}>");
                }
            }
            assert!(nonces.insert(nonce), "a nonce is used once");
            for (name, value) in [("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin")] {
                assert_eq!(page.header(name), value, "{path}");
            }
        }
    }

    async fn large_responses_are_compressed_on_request(app) {
        let browser = signed_in(&app).await;
        for number in 0..40 {
            browser.post("/api/v1/tasks/add", &[("title", &format!("Task {number} of many that make a list long"))]).await.ok();
        }
        for site in ["cross-site", "same-site"] {
            let led = browser.request("GET", "/tasks?q=task").header("accept-encoding", "br").header("sec-fetch-site", site);
            assert!(!led.send().await.unwrap().headers().contains_key("content-encoding"), "{site}: its length tells too much");
        }
        for (method, path, encoding) in [
            ("GET", "/tasks?view=all", Some("br")),
            ("GET", "/api/v1/tasks/list", Some("br")),
            ("GET", "/api/v1/approvals/list", None),
        ] {
            let plain = browser.request(method, path).send().await.unwrap();
            assert!(!plain.headers().contains_key("content-encoding"), "{path}");
            let plain = plain.bytes().await.unwrap();
            let taken = browser.request(method, path).header("accept-encoding", "gzip;q=0.5, br").send().await.unwrap();
            let named = taken.headers().get("content-encoding").map(|name| name.to_str().unwrap().to_owned());
            assert_eq!(named.as_deref(), encoding, "{path}");
            if encoding.is_some() {
                assert!(taken.headers()["vary"].to_str().unwrap().contains("accept-encoding"), "{path}");
                assert!(taken.bytes().await.unwrap().len() * 3 < plain.len(), "{path}");
            }
        }
    }

    async fn strangers_are_led_to_the_sign_in_page(app) {
        app.user("ada");
        let stranger = Client::browser(&app.server.base);
        for path in ["/", "/tasks", "/approvals", "/audit", "/settings", "/settings/memory"] {
            let page = stranger.get(path, &[]).await;
            assert!((301..=308).contains(&page.status), "{path}: {}", page.status);
            assert!(page.header("location").starts_with("/sign-in"), "{path}: {}", page.header("location"));
        }
        assert_eq!(stranger.get("/sign-in", &[]).await.status, 200);
    }

    async fn an_unknown_page_is_not_found(app) {
        let browser = signed_in(&app).await;
        let page = browser.get("/no/such/page", &[]).await;
        assert_eq!((page.status, page.header("content-type").starts_with("text/html")), (404, true));
        assert_eq!(browser.get("/pkg/no-such-file.js", &[]).await.status, 404);
    }

    async fn another_sites_forms_do_nothing(app) {
        let browser = signed_in(&app).await;
        for (name, value) in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site"), ("origin", "null")] {
            let request = browser.request("POST", "/api/v1/tasks/add").form(&[("title", "planted")]).header(name, value);
            let reply = Reply::of(request.send().await.expect("an answer")).await;
            reply.is_error(403, "forbidden", "another site");
        }
        assert!(browser.titles().await.is_empty());
        let own = browser.request("POST", "/api/v1/tasks/add").form(&[("title", "own")]);
        let own = own.header("origin", &app.server.base).header("sec-fetch-site", "same-origin");
        Reply::of(own.send().await.expect("an answer")).await.ok();
    }

    async fn no_other_site_is_let_in_to_read(app) {
        let browser = signed_in(&app).await;
        for (method, path) in docket::server::routes().into_iter().filter(|(_, path)| path != "/api/v1/events") {
            for method in [method.as_str(), "OPTIONS"] {
                let request = browser.request(method, &path).header("origin", "https://evil.example");
                let request = request.header("access-control-request-method", "POST");
                let reply = Reply::of(request.send().await.expect("an answer")).await;
                let cors = reply.headers.keys().find(|name| name.as_str().starts_with("access-control-"));
                assert!(cors.is_none(), "{method} {path}: {:?}", reply.headers);
            }
        }
    }

    async fn passwords_go_into_plain_fields_that_managers_fill(app) {
        let setup = app.server.setup.clone().expect("a link");
        let setup = setup.strip_prefix(&app.server.base).expect("a path").to_owned();
        let stranger = Client::anonymous(&app.server.base);
        let mut pages = vec![stranger.get(&setup, &[]).await.text, stranger.get("/sign-in", &[]).await.text];
        pages.push(signed_in(&app).await.get("/settings", &[]).await.text);
        let fields = pages.iter().flat_map(|page| page.split("<input ").skip(1)).filter_map(|rest| rest.split('>').next());
        let named = ["name=\"password\"", "name=\"current\"", "name=\"new\""];
        let fields: Vec<&str> = fields.filter(|field| named.iter().any(|name| field.contains(name))).collect();
        for field in &fields {
            assert!(field.contains("type=\"password\""), "{field}");
            let fills = ["autocomplete=\"current-password\"", "autocomplete=\"new-password\""];
            assert!(fills.iter().any(|how| field.contains(how)) && !field.contains(" on"), "{field}");
        }
        assert_eq!(fields.len(), 5, "{fields:?}");
    }

    async fn a_plain_form_works_without_a_script(app) {
        let browser = signed_in(&app).await;
        let send = |path: &'static str, fields: &'static [(&'static str, &'static str)]| {
            let request = browser.request("POST", path).form(fields).header("accept", "text/html,application/xhtml+xml");
            let request = request.header("referer", format!("{}/tasks", app.server.base));
            async move { Reply::of(request.send().await.expect("an answer")).await }
        };
        let done = send("/api/v1/tasks/add", &[("title", "Buy milk")]).await;
        assert_eq!((done.status, done.header("location")), (303, "/tasks"), "{}", done.text);
        assert_eq!(browser.titles().await, ["Buy milk"]);
        let wrong = send("/api/v1/tasks/complete", &[("task_id", "9")]).await;
        assert_eq!(wrong.status, 404);
        assert!(wrong.header("content-type").starts_with("text/html"), "{}", wrong.text);
        let fields = &[("current", "not my password"), ("new", PASSWORD), ("return_to", "/settings")];
        let refused = send("/api/v1/settings/password", fields).await;
        assert_eq!((refused.status, refused.header("location")), (303, "/settings#password"), "{}", refused.text);
        assert!(refused.header("set-cookie").starts_with("docket_flash="), "{}", refused.header("set-cookie"));
        let chat = send("/api/v1/chat", &[("message", "complete task 1")]).await;
        assert_eq!(chat.status, 303, "{}", chat.text);
        assert_eq!(browser.tasks().await[0]["status"], "completed");
    }
}
