//! `/tasks/import`: preview, import and undo, by a browser without a script and by a program (R-1002).

use serde_json::{Value, json};

use crate::app::{Client, Reply, TestApp};
use crate::browsing::Request;
use crate::on_both;

/// Two valid rows and two invalid ones.
const TABLE: &str = "title,due,priority,project\nBuy milk,2030-03-01,high,Home\n,2030-03-02,,\nCall “Ada” & co,,,\nNap,someday maybe,,\n";

/// Returns a person's signed-in browser.
async fn browser(app: &TestApp, name: &str) -> Client {
    app.user(name);
    let browser = Client::browser(&app.server.base);
    let signed_in =
        browser.form("/api/v1/session/sign-in", &[("name", name), ("password", crate::app::PASSWORD)]).await;
    assert_eq!(signed_in.status, 303, "{}", signed_in.text);
    browser
}

/// The boundary of a multipart form.
const MARK: &str = "----a-mark-between-parts";

/// A multipart/form-data body (RFC 7578).
struct Form(Vec<u8>);

impl Form {
    fn part(mut self, head: &str, body: &[u8]) -> Self {
        self.0.extend_from_slice(format!("--{MARK}\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes());
        self.0.extend_from_slice(body);
        self.0.extend_from_slice(b"\r\n");
        self
    }

    /// Adds a field with a browser's line ends.
    fn text(self, name: &str, text: &str) -> Self {
        self.part(&format!("name=\"{name}\""), text.replace('\n', "\r\n").as_bytes())
    }

    fn file(self, file: &[u8]) -> Self {
        self.part("name=\"file\"; filename=\"tasks.csv\"\r\nContent-Type: text/csv", file)
    }

    fn of(self, request: Request) -> Request {
        let Self(mut body) = self;
        body.extend_from_slice(format!("--{MARK}--\r\n").as_bytes());
        request.header("content-type", format!("multipart/form-data; boundary={MARK}")).body(body)
    }
}

/// Sends a form with a file as a browser does.
async fn send(browser: &Client, path: &str, form: Form) -> Reply {
    let request = form.of(browser.request("POST", path).header("accept", "text/html"));
    Reply::of(request.send().await.expect("an answer")).await
}

/// Returns the page's form: a file, and the field for its text, which may be empty.
fn chosen(file: &[u8], text: &str) -> Form {
    Form(vec![]).file(file).text("text", text).text("return_to", "/tasks/import")
}

/// Returns the hidden field of the page's last form.
fn carried(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"packed\" value=\"").expect("a form that carries the text");
    rest.split('"').next().unwrap().to_owned()
}

on_both! {
    async fn import_without_javascript_is_previewed_added_and_undone(app) {
        let browser = browser(&app, "ada").await;
        for page in ["/tasks", "/settings"] {
            assert!(browser.get(page, &[]).await.text.contains("href=\"/tasks/import\""), "{page} leads there");
        }
        let empty = browser.get("/tasks/import", &[]).await;
        assert!(empty.status == 200 && empty.text.contains("enctype=\"multipart/form-data\""), "{}", empty.text);

        let looked = send(&browser, "/api/v1/tasks/import/preview", chosen(TABLE.as_bytes(), "")).await;
        assert_eq!(looked.status, 200, "{}", looked.text);
        for part in ["2 tasks will be added", "Buy milk", "High (p1)", "#Home", "2 rows cannot be imported", "line 3", "line 5", "skip 2 rows"] {
            assert!(looked.text.contains(part), "{part}: {}", looked.text);
        }
        assert!(browser.titles().await.is_empty(), "nothing is stored by looking");
        let packed = Form(vec![]).text("packed", &carried(&looked.text));
        let again = Reply::of(packed.of(app.token("ada", "tasks:read").request("POST", "/api/v1/tasks/import/preview")).send().await.unwrap()).await.ok();
        assert_eq!((&again["add"], &again["refused"]), (&json!(2), &json!(2)), "what was looked at is what comes: {again}");

        let form = || Form(vec![]).text("format", "csv").text("packed", &carried(&looked.text)).text("return_to", "/tasks/import");
        let refused = send(&browser, "/api/v1/tasks/import", form()).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text.contains("Nothing was added: 2 rows cannot be imported. First error, line 3"), "{}", refused.text);
        assert!(browser.titles().await.is_empty());

        let done = send(&browser, "/api/v1/tasks/import", form().text("skip", "true")).await;
        assert_eq!((done.status, done.header("location")), (303, "/tasks/import"), "{}", done.text);
        let receipt = browser.get("/tasks/import", &[]).await.text;
        assert!(receipt.contains("Added 2 tasks; 2 rows skipped."), "{receipt}");
        assert_eq!(browser.titles().await.len(), 2);
        let (_, rest) = receipt.split_once("name=\"import_id\" value=\"").expect("a way to take it back");
        let id = rest.split('"').next().unwrap();
        let undone = browser.form("/api/v1/undo", &[("import_id", id), ("return_to", "/tasks/import")]).await;
        assert_eq!((undone.status, undone.header("location")), (303, "/tasks/import"), "{}", undone.text);
        assert!(browser.titles().await.is_empty());
        assert!(!browser.get("/tasks/import", &[]).await.text.contains("import_id"), "said once");
    }

    async fn a_program_sends_fields_or_the_file(app) {
        let ada = app.user("ada");
        let looked = ada.post("/api/v1/tasks/import/preview", &[("text", TABLE)]).await.ok();
        assert_eq!((&looked["format"], &looked["add"], &looked["refused"]), (&json!("csv"), &json!(2), &json!(2)), "{looked}");
        assert_eq!(looked["problems"][0]["place"], "line 3");
        ada.post("/api/v1/tasks/import", &[("text", TABLE)]).await.is_error(422, "invalid", "Nothing was added");
        let file = chosen(TABLE.as_bytes(), "title\nnot this\n").text("skip", "true");
        let file = file.of(ada.request("POST", "/api/v1/tasks/import"));
        let done = Reply::of(file.send().await.unwrap()).await.ok();
        assert_eq!((&done["added"], &done["already"], &done["left_out"]), (&json!(2), &json!(0), &json!(2)), "{done}");
        // Rows sent another way, with a browser's line ends, count as duplicates.
        let again = ada.post("/api/v1/tasks/import", &[("text", &TABLE.replace('\n', "\r\n")), ("skip", "true")]).await.ok();
        assert_eq!((&again["added"], &again["already"], &again["import_id"]), (&json!(0), &json!(2), &Value::Null), "{again}");
        assert_eq!(ada.titles().await.len(), 2);
        ada.post("/api/v1/undo", &[("import_id", done["import_id"].as_str().unwrap())]).await.ok();
        assert!(ada.titles().await.is_empty());

        let todoist = "TYPE,CONTENT,PRIORITY\ntask,Water plants @home,1\n";
        assert_eq!(ada.post("/api/v1/tasks/import/preview", &[("text", todoist)]).await.ok()["format"], "todoist-csv");
        let json = ada.get("/api/v1/export", &[("format", "json")]).await.text;
        assert_eq!(ada.post("/api/v1/tasks/import/preview", &[("text", &json)]).await.status, 422, "all of it is in the bin");
        let reader = app.token("ada", "tasks:read");
        assert_eq!(reader.post("/api/v1/tasks/import/preview", &[("text", TABLE)]).await.status, 200);
        reader.post("/api/v1/tasks/import", &[("text", TABLE)]).await.is_error(403, "forbidden", "tasks:write");
    }

    async fn invalid_import_files_are_refused_on_the_upload_form(app) {
        let browser = browser(&app, "ada").await;
        let preview = "/api/v1/tasks/import/preview";
        for (file, told) in [
            (b"title\nBuy m\xff\xfelk\n".to_vec(), "The file is not UTF-8 text"),
            (b"name,when\nBuy milk,today\n".to_vec(), "The first line must contain the column names"),
            (b"{\"tasks\": 7".to_vec(), "JSON"),
            (b"title\n".to_vec(), "There are no tasks in the file."),
            (b"".to_vec(), "The file is empty."),
            (format!("title\n{}", "x\n".repeat(5_001)).into_bytes(), "more than 5000 rows"),
        ] {
            let shown = String::from_utf8_lossy(&file[..file.len().min(40)]).into_owned();
            let page = send(&browser, preview, chosen(&file, "")).await;
            assert_eq!(page.status, 422, "{shown:?}: {}", page.text);
            assert!(page.header("content-type").starts_with("text/html"), "{shown:?}");
            assert!(page.text.contains(told) && page.text.contains("import-file"), "{shown:?}: {}", page.text);
        }
        let large = format!("title\n{}", "x".repeat(4 << 20));
        let page = send(&browser, preview, chosen(large.as_bytes(), "")).await;
        assert_eq!(page.status, 413, "{}", page.text);
        assert!(page.text.contains("the limit is 4096 KB") && page.text.contains("import-file"), "{}", page.text);
        let ada = app.token("ada", "tasks:read,tasks:write");
        ada.post(preview, &[("text", &large)]).await.is_error(413, "too_large", "4096 KB");
        // Larger than any other request may be, but not larger than a file may be.
        let notes = format!("title,description\n{}", format!("x,{}\n", "y".repeat(3_000)).repeat(300));
        assert_eq!(ada.post(preview, &[("text", &notes)]).await.ok()["add"], 300);
        ada.post("/api/v1/tasks/add", &[("title", "x"), ("description", &notes)]).await.is_error(413, "too_large", "256 KB");
        // Multipart forms are accepted there only.
        let elsewhere = Form(vec![]).text("title", "x").of(ada.request("POST", "/api/v1/tasks/add"));
        Reply::of(elsewhere.send().await.unwrap()).await.is_error(400, "malformed", "form fields");
        let broken = ada.request("POST", preview).header("content-type", "multipart/form-data; boundary=x").body("--x\r\n");
        Reply::of(broken.send().await.unwrap()).await.is_error(400, "malformed", "form");
        ada.post(preview, &[("text", TABLE), ("format", "xml")]).await.is_error(422, "invalid", "use one of json, csv, todoist-csv");
        // Another site's page cannot send a form.
        let forged = browser.request("POST", "/api/v1/tasks/import").header("origin", "https://evil.example");
        let forged = Reply::of(chosen(b"title\nx\n", "").of(forged).send().await.unwrap()).await;
        assert_eq!(forged.status, 403, "{}", forged.text);
        assert!(browser.titles().await.is_empty());
    }
}
