//! `docket export` and `docket import`, from outside (R-1002).

use serde_json::Value;

use crate::app::{complaint, docket, finish};
use crate::on_both;

on_both! {
    async fn what_one_takes_along_another_can_bring(app) {
        let ada = app.user("ada");
        let ben = app.user("ben");
        ada.say("add buy milk tomorrow p1 @home").await;
        ada.say("add gone").await;
        ada.post("/api/v1/tasks/delete", &[("task_id", "2")]).await.ok();
        let json: Value = serde_json::from_str(&app.command(&["export", "--user", "ada", "--format", "json"], "")).expect("JSON");
        assert_eq!(json["user"]["name"], "ada");
        for (list, count) in [("tasks", 2), ("conversations", 2), ("approvals", 0), ("changes", 3), ("memories", 0)] {
            assert_eq!(json[list].as_array().expect("a list").len(), count, "{list}: {json}");
        }
        assert_eq!((&json["settings"]["zone"], &json["settings"]["memory"]), (&"Europe/London".into(), &true.into()));
        assert_eq!(json["conversations"][0]["messages"][0]["text"], "add buy milk tomorrow p1 @home");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("ada.json");
        std::fs::write(&file, json.to_string()).expect("a file");
        let file = file.to_str().expect("a UTF-8 path");
        let preview = app.command(&["import", "--user", "ben", "--format", "json", file, "--dry-run"], "");
        assert!(preview.contains("1 task would be added") && preview.contains("buy milk"), "{preview}");
        assert!(ben.titles().await.is_empty(), "a preview stores nothing");
        let said = app.command(&["import", "--user", "ben", "--format", "json", file], "");
        assert!(said.starts_with("Added 1 task;"), "{said}");
        let (theirs, mine) = (ben.tasks().await, ada.tasks().await);
        for field in ["title", "due", "priority", "tags"] {
            assert_eq!(theirs[0][field], mine[0][field], "{field}");
        }
        let again = app.command(&["import", "--user", "ben", "--format", "json", file], "");
        assert!(again.starts_with("Added 0 tasks; 1 was already on the list"), "{again}");
        ada.post("/api/v1/undo", &[("import_id", said.split_whitespace().last().expect("an id"))]).await.is_error(404, "not_found", "import");
        let undo: Vec<&str> = said.split("docket ").last().expect("a command").split_whitespace().collect();
        assert_eq!(app.command(&undo, ""), "Moved 1 task to the bin.");
        assert!(ben.titles().await.is_empty());
    }

    async fn undo_of_an_import_with_rest_skips_edited_tasks(app) {
        let ada = app.user("ada");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("list.csv");
        std::fs::write(&file, "title\nTax\nRent\n").expect("a file");
        let said = app.command(&["import", "--user", "ada", "--format", "csv", file.to_str().expect("a UTF-8 path")], "");
        let undo: Vec<&str> = said.split("docket ").last().expect("a command").split_whitespace().collect();
        ada.post("/api/v1/tasks/update", &[("task_id", "2"), ("priority", "high")]).await.ok();
        let refused = finish(docket(&app.database.url, &undo), "");
        assert_eq!(refused.status.code(), Some(1));
        let why = complaint(&refused);
        assert!(why.contains("Task #2 was edited by you") && why.contains("add --rest"), "{why}");
        assert_eq!(ada.titles().await, ["Rent", "Tax"], "nothing by half");
        let done = app.command(&[&undo[..], &["--rest"]].concat(), "");
        assert!(done.starts_with("Moved 1 task to the bin.\nNot undone: Task #2 was edited by you"), "{done}");
        assert_eq!(ada.titles().await, ["Rent"]);
        let lone = finish(docket(&app.database.url, &["import", "--user", "ada", "--rest"]), "");
        assert_eq!(lone.status.code(), Some(2), "there is no rest of what is not taken back");
    }

    async fn a_page_leads_to_ones_own_files(app) {
        let ada = app.user("ada");
        ada.say("add buy milk").await;
        app.user("ben").say("add secret").await;
        let csv = ada.get("/api/v1/export", &[("format", "csv")]).await;
        assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8"));
        assert_eq!(csv.header("content-disposition"), "attachment; filename=\"docket.csv\"");
        assert!(csv.text.starts_with('\u{feff}'), "Excel needs the mark");
        assert_eq!(csv.text.lines().count(), 2, "{}", csv.text);
        let json = ada.get("/api/v1/export", &[]).await;
        assert!(json.ok()["tasks"][0]["title"] == "buy milk" && !json.text.contains("secret"), "{}", json.text);
        ada.get("/api/v1/export", &[("format", "xml")]).await.is_error(422, "invalid", "json or csv");
        let reader = app.token("ada", "tasks:read");
        reader.get("/api/v1/export", &[("format", "json")]).await.is_error(403, "forbidden", "chat");
        assert_eq!(reader.get("/api/v1/export", &[("format", "csv")]).await.status, 200);
    }

    async fn import_with_an_invalid_row_adds_nothing_without_skip(app) {
        let ada = app.user("ada");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("list.csv");
        std::fs::write(&file, "title,due\nTax,2026-04-01\nRent,whenever\n").expect("a file");
        let file = file.to_str().expect("a UTF-8 path");
        let import = ["import", "--user", "ada", "--format", "csv", file];
        let refused = finish(docket(&app.database.url, &import), "");
        assert_eq!(refused.status.code(), Some(1));
        let said = complaint(&refused);
        assert!(said.contains("line 3") && said.contains("whenever") && said.contains("nothing was added"), "{said}");
        assert!(ada.titles().await.is_empty());
        app.command(&[&import[..], &["--skip"]].concat(), "");
        assert_eq!(ada.titles().await, ["Tax"]);
        for (arguments, part) in [
            (&["import", "--user", "ada", "--format", "xml", file][..], "not a format"),
            (&["import", "--user", "nobody", "--format", "csv", file], "nobody"),
            (&["import", "--user", "ada", "--format", "csv", "/nowhere.csv"], "Cannot read"),
            (&["import", "--user", "ada", "--undo", "7"], "not a valid import id"),
            (&["export", "--user", "ada", "--format", "xml"], "not a format"),
        ] {
            let output = finish(docket(&app.database.url, arguments), "");
            assert_eq!(output.status.code(), Some(1), "{arguments:?}");
            assert!(complaint(&output).contains(part), "{arguments:?}: {}", complaint(&output));
        }
    }
}
