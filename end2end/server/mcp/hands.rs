//! In whose hands a token is: an agent's works here only, a program of the person's own also over the API.

use super::*;

#[tokio::test]
async fn behind_a_proxy_that_speaks_https_its_name_and_its_pages_are_let_in_and_no_other() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let addr = free.to_string();
    let environment = [("DOCKET_PUBLIC_URL", "https://docket.example"), ("DOCKET_ADDR", addr.as_str())];
    let app = TestApp::start_with(Db::Sqlite, &environment).await.expect("SQLite is always there");
    app.user("ada");
    let agent = Client { base: format!("http://{addr}"), ..app.token("ada", ALL) };
    let own = "docket.example";
    for (host, origin, status) in [
        (own, None, 200),
        ("Docket.Example:443", None, 200),
        (addr.as_str(), None, 200),
        ("docket.example.evil.example", None, 403),
        ("evil.example", None, 403),
        (own, Some("https://docket.example"), 200),
        (addr.as_str(), Some("https://docket.example"), 200),
        (own, Some("http://docket.example"), 403),
        (own, Some("https://evil.example"), 403),
        (own, Some("https://docket.example.evil.example"), 403),
        (own, Some("null"), 403),
        ("evil.example", Some("https://evil.example"), 403),
    ] {
        let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
        let request =
            origin.iter().fold(request.header("host", host), |request, origin| request.header("origin", *origin));
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let reply = Reply::of(request.json(&body).send().await.expect("an answer")).await;
        assert_eq!(reply.status, status, "{host} {origin:?}: {}", reply.text);
    }
    let told = agent.get("/.well-known/oauth-protected-resource/mcp", &[]).await.ok();
    assert_eq!(told["resource"], "https://docket.example/mcp");
}
