//! Limits on the shape of requests: enforced on every route, before anything is done, on both databases.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::app::{Client, Reply, TestApp};
use crate::on_both;

const FORM: &str = "application/x-www-form-urlencoded";
const SCOPES: &str = "chat,tasks:read,tasks:write,tasks:delete";

/// Returns every route, with values for the parameters of its path.
fn routes() -> impl Iterator<Item = (String, String)> {
    let filled = |path: String| path.replace("{number}", "1").replace("{id}", "1").replace("{*any}", "nothing");
    docket::server::routes().into_iter().map(move |(method, path)| (method, filled(path)))
}

/// True for functions without authentication.
fn is_open(path: &str) -> bool {
    path.starts_with("/api/v1/session/")
}

/// Sends a form body to the route, as the query of a GET.
async fn send(client: &Client, method: &str, path: &str, body: &str) -> Reply {
    let request = match method {
        "GET" => client.request(method, &format!("{path}?{body}")),
        _ => client.request(method, path).header("content-type", FORM).body(body.to_owned()),
    };
    Reply::of(request.send().await.expect("an answer")).await
}

async fn agents_answer(agent: &Client, message: &Value) -> Reply {
    let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
    Reply::of(request.json(message).send().await.expect("an answer")).await
}

/// Returns the status line of the answer to a request head whose body is announced but never sent.
async fn answer_to_a_head(app: &TestApp, path: &str) -> String {
    let address = app.server.base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: {FORM}\r\ncontent-length: 4000000\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("the head is sent");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).await.expect("an answer");
    line
}

on_both! {
    async fn no_route_takes_a_nul(app) {
        let ada = app.user("ada");
        for (method, path) in routes().filter(|(_, path)| path != "/mcp" && !path.starts_with("/telegram")) {
            for body in ["x=a%00b", "a%00b=x", "x=1&title=%00"] {
                send(&ada, &method, &path, body).await.is_error(422, "invalid", "NUL");
            }
        }
        ada.get("/tasks/%00", &[]).await.is_error(422, "invalid", "NUL");
        let file = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\ntitle\na\0b\r\n--x--\r\n";
        let upload = ada.request("POST", "/api/v1/tasks/import").header("content-type", "multipart/form-data; boundary=x");
        Reply::of(upload.body(file).send().await.expect("an answer")).await.is_error(422, "invalid", "NUL");
        assert!(ada.tasks().await.is_empty());
    }

    async fn no_tool_takes_a_nul(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", SCOPES);
        let call = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let tools = agents_answer(&agent, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })).await.ok();
        for tool in tools["result"]["tools"].as_array().expect("tools") {
            for arguments in [json!({ "title": "a\0b" }), json!({ "tags": ["a", "\0"] }), json!({ "a\0": 1 })] {
                let told = agents_answer(&agent, &call(json!({ "name": tool["name"], "arguments": arguments }))).await;
                assert_eq!((told.status, told.json()["error"]["code"].as_i64()), (422, Some(-32_600)), "{}", told.text);
                assert!(told.text.contains("NUL"), "{}", told.text);
            }
        }
        for method in ["prompts/get", "resources/read", "initialize"] {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "name": "\0" } });
            assert_eq!(agents_answer(&agent, &message).await.status, 422, "{method}");
        }
        assert!(ada.tasks().await.is_empty());
    }

    async fn only_known_senders_have_a_body_read(app) {
        for (method, path) in routes().filter(|(_, path)| path.starts_with("/api/v1/") || path == "/mcp") {
            if method == "POST" && !is_open(&path) {
                let status = answer_to_a_head(&app, &path).await;
                assert!(status.starts_with("HTTP/1.1 401 "), "{path}: {status:?}");
            }
        }
        let stranger = Client::anonymous(&app.server.base);
        for (_, path) in routes().filter(|(method, path)| method == "POST" && is_open(path)) {
            let body = format!("name={}", "a".repeat(16 * 1024));
            send(&stranger, "POST", &path, &body).await.is_error(413, "too_large", "16 KB");
        }
    }

    async fn every_list_has_a_bound(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", SCOPES);
        let many = |count: usize, field: &str| vec![format!("{field}=a"); count].join("&");
        let add = async |body: String| send(&ada, "POST", "/api/v1/tasks/add", &format!("title=x&{body}")).await;
        add(many(1021, "tags")).await.is_error(400, "malformed", "1020 fields");
        add(many(21, "tags")).await.is_error(422, "invalid", "20 tags");
        add(format!("tags={}", "a,".repeat(30_000))).await.is_error(422, "invalid", "20 tags");
        add(format!("{}=1", "a".repeat(101))).await.is_error(400, "malformed", "100 bytes");
        let parse = async |body: String| send(&ada, "GET", "/api/v1/tasks/parse", &body).await;
        let plain: Vec<_> = (0..21).map(|at| format!("plain[{at}]=a")).collect();
        parse(format!("text=a&{}", plain.join("&"))).await.is_error(422, "invalid", "20 phrases");
        parse(format!("text={}", "a".repeat(1001))).await.is_error(422, "invalid", "1000 characters");
        send(&ada, "POST", "/api/v1/tasks/add", &format!("text={}", "2moro+".repeat(40_000))).await.is_error(422, "invalid", "1000");
        let tagged = agent.tool("add_task", json!({ "title": "x", "tags": vec!["a"; 21] })).await;
        assert_eq!(tagged["error"], "invalid", "{tagged}");
        let call = |tags: Vec<String>| {
            let params = json!({ "name": "add_task", "arguments": { "title": "x", "tags": tags } });
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
        };
        let told = agents_answer(&agent, &call((0..12_000).map(|at| at.to_string()).collect())).await;
        assert!(told.status == 422 && told.text.contains("1000 items"), "{} {}", told.status, told.text);
        assert!(ada.tasks().await.is_empty());
    }

    async fn a_file_has_bounds_before_it_is_a_list(app) {
        let ada = app.user("ada");
        let look = async |format: &str, text: String| {
            ada.post("/api/v1/tasks/import/preview", &[("format", format), ("text", &text)]).await
        };
        look("csv", format!("title\n{}", "a\n".repeat(600_000))).await.is_error(422, "invalid", "more than 5000 rows");
        look("csv", format!("title{}\nx\n", ",a".repeat(300))).await.is_error(422, "invalid", "the limit is 200");
        look("json", format!("[{}1]", "1,".repeat(600_000))).await.is_error(422, "invalid", "more than 5000 rows");
        let deep = format!("[{{\"title\": \"x\", \"junk\": [{}1], \"tags\": [{}\"a\"]}}]", "1,".repeat(400_000), "\"a\",".repeat(90_000));
        let read = look("json", deep).await.ok();
        assert_eq!((read["add"].as_u64(), read["refused"].as_u64()), (Some(0), Some(1)), "{read}");
        // Files of the documented size are accepted in either kind of form.
        let large = format!("title,description\n{}", format!("x,{}\n", "y".repeat(3_500)).repeat(800));
        assert_eq!(look("csv", large.clone()).await.ok()["add"], 800);
        let part = |name: &str, value: &str| format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        let upload = async |body: String| {
            let request = ada.request("POST", "/api/v1/tasks/import/preview");
            let request = request.header("content-type", "multipart/form-data; boundary=x").body(body + "--x--\r\n");
            Reply::of(request.send().await.expect("an answer")).await
        };
        assert_eq!(upload(part("format", "csv") + &part("text", &large)).await.ok()["add"], 800);
        upload(part("a", "b").repeat(1021)).await.is_error(400, "malformed", "1020 fields");
        assert!(ada.tasks().await.is_empty());
    }

    async fn no_route_fails_of_a_shape(app) {
        let ada = app.user("ada");
        let shapes = [
            "x=".to_owned() + &"%41".repeat(20_000),
            "&".repeat(60_000),
            "=".repeat(60_000),
            "x[".to_owned() + &"0][".repeat(30) + "=1",
            "x[99999999999999999999]=1&x[-1]=2&x[a]=3".to_owned(),
            "title=".to_owned() + &"9".repeat(60_000),
            "theme=".to_owned() + &"9".repeat(65_000),
            "status=".to_owned() + &"a".repeat(65_000),
            vec!["task_ids=1"; 500].join("&"),
        ];
        // The event stream does not end.
        let ends = |path: &str| path != "/mcp" && path != "/api/v1/events" && !path.starts_with("/telegram");
        for (method, path) in routes().filter(|(_, path)| ends(path)) {
            for shape in &shapes {
                let told = send(&ada, &method, &path, shape).await;
                assert!(told.status < 500, "{method} {path}?{}: {} {}", &shape[..20], told.status, told.text);
            }
        }
        assert_eq!(ada.get("/healthz", &[]).await.status, 200);
    }
}
