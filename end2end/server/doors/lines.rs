//! Lines on the standard input of `docket mcp` that are no requests.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use super::{table, text};
use crate::app::{Db, TestApp, docket};

#[tokio::test]
async fn unreadable_line_gets_an_error_and_the_next_is_read() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    app.user("ada");
    let agent = app.token("ada", "tasks:read,tasks:write");
    let mut command = docket(&app.database.url, &["mcp"]);
    command.env("DOCKET_TOKEN", agent.token.expect("a token"));
    let mut child = command.spawn().expect("the binary runs");
    let (mut input, output) =
        (child.stdin.take().expect("stdin is piped"), child.stdout.take().expect("stdout is piped"));
    let mut lines = BufReader::new(output).lines();
    let mut ask = |line: &str| -> Value {
        writeln!(input, "{line}").expect("it reads");
        serde_json::from_str(&lines.next().expect("an answer").expect("text")).expect("JSON on standard output")
    };
    let client =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client });
    // Also before the handshake.
    assert_eq!(ask("hello")["error"]["code"], -32_700);
    assert_eq!(ask(&hello.to_string())["result"]["serverInfo"]["name"], "docket");
    for row in table("arguments-lines") {
        let answer = ask(text(&row, "line"));
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&row["code"], &row["id"]),
            "{}: {answer}",
            text(&row, "why")
        );
        let listed = ask(&json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" }).to_string());
        assert!(listed["result"]["tools"].is_array(), "{}: {listed}", text(&row, "why"));
    }
    drop(input);
    assert!(child.wait().expect("it ends").success(), "it ends with its input");
}
