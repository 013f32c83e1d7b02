//! Erasure of messages through every interface: with a re-entered password, by an admin, by the command.

use crate::app::{Db, PASSWORD, TestApp, complaint, docket, finish};
use crate::on_both;

const PATH: &str = "/api/v1/settings/erase";

/// Returns the output of `docket audit verify`.
fn verified(app: &TestApp) -> String {
    app.command(&["audit", "verify"], "").trim().to_owned()
}

on_both! {
    async fn erasing_own_texts_needs_the_password_and_a_browser_session(app) {
        let token = app.user("ada");
        token.say("add pack for zanzibar").await;
        let ada = app.browser("ada").await;
        token.post(PATH, &[("password", PASSWORD)]).await.is_error(403, "forbidden", "browser");
        ada.post(PATH, &[("password", "wrong password")]).await.is_error(422, "invalid", "The password is wrong. Nothing was changed.");
        ada.post(PATH, &[("password", PASSWORD), ("before", "some day")]).await.is_error(422, "invalid", "not a time");
        ada.post(PATH, &[("password", PASSWORD), ("before", "2999-01-01")]).await.is_error(422, "invalid", "in the future");
        let none = ada.post(PATH, &[("password", PASSWORD), ("before", "2020-01-01")]).await.ok();
        assert_eq!(none["texts"], 0, "{none}");
        assert!(!verified(&app).contains("erased"));
        let done = ada.post(PATH, &[("password", PASSWORD)]).await.ok();
        assert!(done["texts"].as_u64().unwrap() >= 6, "{done}");
        assert!(verified(&app).ends_with(&format!("({} texts erased)", done["texts"])), "{}", verified(&app));
        assert_eq!(ada.titles().await, ["pack for zanzibar"], "the list stays");
        let list = ada.get("/api/v1/audit/list", &[("text", "zanzibar")]).await;
        assert!(list.ok()["items"].as_array().is_none_or(Vec::is_empty), "{}", list.text);
        let list = ada.get("/api/v1/audit/list", &[]).await;
        assert!(list.text.contains("This text was erased.") && !list.text.contains("zanzibar"), "{}", list.text);
        for path in ["/", "/audit", "/approvals", "/conversations", "/settings"] {
            let page = ada.request("GET", path).header("accept", "text/html").send().await.unwrap();
            assert_eq!(page.status(), 200, "{path}");
        }
    }

    async fn the_form_in_the_settings_works_without_a_script(app) {
        app.user("ada").say("add pack for zanzibar").await;
        let ada = app.browser("ada").await;
        let section = ada.get("/api/v1/rendered/access", &[]).await.text;
        assert!(section.contains("settings/erase") && section.contains("type=\\\"password\\\""), "{section}");
        let wrong = ada.form(PATH, &[("password", "wrong password"), ("return_to", "/settings#erase")]).await;
        assert_eq!((wrong.status, wrong.header("location")), (303, "/settings#erase"));
        let right = ada.form(PATH, &[("password", PASSWORD), ("before", ""), ("return_to", "/settings#erase")]).await;
        assert_eq!(right.status, 303);
        assert!(right.header("set-cookie").contains("docket_flash"), "{}", right.header("set-cookie"));
        assert!(verified(&app).contains("texts erased"));
    }

    async fn an_admin_erases_somebody_elses_who_is_named_twice(app) {
        app.command(&["user", "add", "root", "--password-stdin", "--admin"], PASSWORD);
        let (bob, eve) = (app.user("bob"), app.user("eve"));
        bob.say("add pack for zanzibar").await;
        eve.say("add pack for timbuktu").await;
        let root = app.browser("root").await;
        let path = "/api/v1/admin/users/erase";
        root.post(path, &[("name", "bob"), ("sure", "bo")]).await.is_error(422, "invalid", "Type bob to confirm");
        root.post(path, &[("name", "root"), ("sure", "root")]).await.is_error(409, "conflict", "your settings");
        root.post(path, &[("name", "nobody"), ("sure", "nobody")]).await.is_error(404, "not_found", "nobody");
        assert!(!verified(&app).contains("erased"));
        root.post(path, &[("name", "bob"), ("sure", "bob")]).await.ok();
        assert!(verified(&app).contains("texts erased"));
        assert!(root.get("/api/v1/rendered/users", &[]).await.text.contains("admin/users/erase"));
        let record = eve.get("/api/v1/audit/list", &[]).await.text;
        assert!(record.contains("timbuktu"), "another's texts stay: {record}");
    }

    async fn the_command_erases_and_says_so(app) {
        let bob = app.user("bob");
        bob.say("add pack for zanzibar").await;
        // Nothing is erased without confirmation, or with a wrong name.
        for typed in ["", "yes\n", "Bobby\n"] {
            let failed = finish(docket(&app.database.url, &["user", "erase", "bob"]), typed);
            assert!(!failed.status.success() && complaint(&failed).contains("nothing was erased"), "{failed:?}");
        }
        let failed = finish(docket(&app.database.url, &["user", "erase", "bob", "--yes", "--before", ""]), "");
        assert!(complaint(&failed).contains("--before is empty."), "{failed:?}");
        let said = app.command(&["user", "erase", "bob", "--before", "2020-01-01", "--yes"], "");
        assert_eq!(said.trim(), "bob has no texts to erase.");
        let said = app.command(&["user", "erase", "bob"], "bob\n");
        assert!(said.starts_with("Erased ") && said.trim_end().ends_with("texts of bob; their hashes are kept."), "{said}");
        assert!(verified(&app).contains("texts erased"));
        let failed = finish(docket(&app.database.url, &["user", "erase", "nobody"]), "");
        assert_eq!(failed.status.code(), Some(1));
        bob.say("add milk").await;
        assert!(verified(&app).contains("texts erased"), "the server goes on");
    }
}

#[tokio::test]
async fn erase_command_purges_the_files_of_a_running_server() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let bob = app.user("bob");
    let turn = bob.say("hello zanzibar").await;
    assert!(turn["reply"].is_string());
    let file = app.database.url.trim_start_matches("sqlite://").to_owned();
    let holding = || {
        let files = ["", "-wal", "-shm"].map(|end| format!("{file}{end}"));
        let holds = |file: &String| std::fs::read(file).unwrap_or_default().windows(8).any(|part| part == b"zanzibar");
        files.into_iter().filter(holds).collect::<Vec<_>>()
    };
    assert!(!holding().is_empty(), "it is looked for where it is");
    app.command(&["user", "erase", "bob", "--yes"], "");
    assert_eq!(holding(), Vec::<String>::new());
}
