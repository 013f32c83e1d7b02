//! Start, refusal to start with one clear sentence, and stop.

use std::net::TcpListener;
use std::process::Stdio;

use sqlx::{Connection, Executor, PgConnection, SqliteConnection};

use crate::app::{Client, Database, Db, Server, TestApp, complaint, docket, finish};
use crate::on_both;

/// Starts a server that must refuse; returns its error.
#[track_caller]
fn refusal(url: &str, environment: &[(&str, &str)]) -> String {
    let Err(output) = Server::start(url, environment) else { panic!("the server started") };
    assert_eq!(output.status.code(), Some(1));
    let said = complaint(&output);
    assert_eq!(said.lines().count(), 1, "one sentence: {said}");
    assert!(said.starts_with("docket: ") && said.ends_with('.'), "{said}");
    said
}

async fn sqlite() -> Database {
    Database::fresh(Db::Sqlite).await.expect("SQLite is always there")
}

#[tokio::test]
async fn a_port_in_use_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = refusal(&sqlite().await.url, &[("DOCKET_ADDR", &address)]);
    assert!(said.contains(&address) && said.contains("in use") && said.contains("DOCKET_ADDR"), "{said}");
}

#[tokio::test]
async fn an_unreachable_postgres_is_said_without_its_password() {
    let said = refusal("postgres://ann:secret@127.0.0.1:1/docket", &[]);
    assert!(said.contains("PostgreSQL cannot be reached") && !said.contains("secret"), "{said}");
}

#[tokio::test]
async fn a_read_only_database_is_said() {
    let database = sqlite().await;
    drop(Server::start(&database.url, &[]).ok());
    let path = database.url.strip_prefix("sqlite://").unwrap();
    for table in ["users", "_sqlx_migrations"] {
        // A database that needs a migration, so that the start must write.
        let mut connection = SqliteConnection::connect(&database.url).await.unwrap();
        connection.execute(sqlx::AssertSqlSafe(format!("DROP TABLE IF EXISTS {table}"))).await.ok();
    }
    let said = refusal(&format!("sqlite://{path}?mode=ro"), &[]);
    assert!(said.contains("readonly") || said.contains("read-only"), "{said}");
}

#[tokio::test]
async fn a_path_that_is_no_database_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let said = refusal(&format!("sqlite://{}", folder.path().display()), &[]);
    assert!(said.contains("cannot be used"), "{said}");
    let file = folder.path().join("letter.txt");
    std::fs::write(&file, "Dear Ann, this is not a database but a letter. ".repeat(50)).unwrap();
    let said = refusal(&format!("sqlite://{}", file.display()), &[]);
    assert!(said.contains("not a database"), "{said}");
}

on_both! {
    async fn a_database_of_a_newer_version_is_left_alone(app) {
        let TestApp { server, database } = app;
        drop(server);
        let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                     SELECT 9999, 'from the future', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
        if database.url.starts_with("sqlite") {
            SqliteConnection::connect(&database.url).await.unwrap().execute(newer).await.unwrap();
        } else {
            PgConnection::connect(&database.url).await.unwrap().execute(newer).await.unwrap();
        }
        let said = refusal(&database.url, &[]);
        assert!(said.contains("newer version of Docket"), "{said}");
        let command = finish(docket(&database.url, &["user", "list"]), "");
        assert_eq!(command.status.code(), Some(1));
        assert!(complaint(&command).contains("newer version"));
    }

    async fn health_is_told(app) {
        let anyone = Client::anonymous(&app.server.base);
        for path in ["/healthz", "/readyz"] {
            assert_eq!(anyone.get(path, &[]).await.status, 200, "{path}");
        }
    }

    async fn the_image_knows_whether_its_server_is_ready(app) {
        let image = std::fs::read_to_string("deploy/Dockerfile").expect("the Dockerfile");
        let check = image.lines().find_map(|line| line.strip_prefix("  CMD ")).expect("a check of its health");
        let check: Vec<String> = serde_json::from_str(check).expect("a list, so that no other shell reads it");
        let port = app.server.base.rsplit(':').next().expect("a port").to_owned();
        let well = || {
            let mut asked = std::process::Command::new(&check[0]);
            asked.args(&check[1..]).env("DOCKET_ADDR", format!("0.0.0.0:{port}"));
            asked.output().expect("bash").status.success()
        };
        assert!(well());
        let mut app = app;
        app.server.kill();
        assert!(!well(), "nobody is there");
        // Needed to verify https certificates, and to avoid running as root.
        assert!(image.contains("ca-certificates") && image.contains("\nUSER docket\n"), "{image}");
    }

    async fn a_stop_is_clean_and_a_start_finds_everything(app) {
        let mut app = app;
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        assert!(app.server.terminate().success());
        app.restart();
        assert_eq!(ada.at(&app.server).titles().await, ["Buy milk"]);
        app.server.kill();
        app.restart();
        assert_eq!(ada.at(&app.server).titles().await, ["Buy milk"]);
    }

    async fn the_setup_link_makes_the_first_admin_once(app) {
        let link = app.server.setup.clone().expect("a link while there is no admin");
        let (base, token) = link.split_once("/setup?token=").expect("a link to the setup page");
        assert_eq!(base, app.server.base);
        let browser = Client::browser(base);
        let fields =
            |token| [("token", token), ("name", "ada"), ("password", crate::app::PASSWORD), ("zone", "Europe/London")];
        browser.post("/api/v1/session/set-up", &fields("wrong")).await.is_error(403, "forbidden", "");
        browser.post("/api/v1/session/set-up", &fields(token)).await.ok();
        assert_eq!(browser.get("/api/v1/session/me", &[]).await.ok()["name"], "ada");
        let again = Client::browser(base).post("/api/v1/session/set-up", &fields(token)).await;
        assert!([403, 409].contains(&again.status), "{}", again.text);
        assert!(app.command(&["user", "list"], "").contains("admin"));
        let mut app = app;
        app.restart();
        assert_eq!(app.server.setup, None);
    }
}

#[tokio::test]
async fn second_server_on_a_database_is_refused_but_commands_work() {
    let app = TestApp::start(Db::Sqlite).await.unwrap();
    let said = refusal(&app.database.url, &[]);
    assert!(said.contains("Another Docket server"), "{said}");
    app.user("ada");
    let TestApp { mut server, database } = app;
    server.kill();
    Server::start(&database.url, &[]).unwrap_or_else(|output| panic!("{}", complaint(&output)));
}

#[tokio::test]
async fn a_wrong_setting_names_its_variable() {
    let database = sqlite().await;
    let url = database.url.clone();
    let said = refusal(&url, &[("DOCKET_WORKERS", "many")]);
    assert!(said.contains("DOCKET_WORKERS") && said.contains("a number from 1"), "{said}");
    let said = refusal(&url, &[("DOCKET_ENGINE", "openai")]);
    assert!(said.contains("OPENAI_API_KEY must be set"), "{said}");
    Server::start(&url, &[("OPENAI_API_KEY", "sk-unused")]).expect("nobody is asked at the start");
}

#[tokio::test]
async fn a_command_that_only_looks_makes_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("elsewhere").join("docket.db");
    let url = format!("sqlite://{}", file.display());
    for arguments in [
        &["audit", "verify"][..],
        &["user", "list"],
        &["export", "--user", "ada", "--format", "csv"],
        &["token", "list", "--user", "ada"],
        &["mcp", "--token-env", "HOME"],
    ] {
        let output = finish(docket(&url, arguments), "");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = complaint(&output);
        assert!(said.lines().count() == 1 && said.contains("There is no database at"), "{arguments:?}: {said}");
        assert!(!file.exists(), "{arguments:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_whose_reader_has_gone_ends_without_a_complaint() {
    use std::os::unix::process::ExitStatusExt as _;

    let database = sqlite().await;
    drop(Server::start(&database.url, &[]).ok());
    let mut command = docket(&database.url, &["audit", "verify"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.signal(), complaint(&output).as_str()), (Some(13), ""), "SIGPIPE");
}

#[tokio::test]
async fn commands_explain_themselves() {
    let database = sqlite().await;
    let url = database.url.clone();
    let help = finish(docket(&url, &["audit", "verify", "--help"]), "");
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.status.success() && text.contains("Example:\n  "), "{text}");
    for arguments in [&["fly"][..], &["user", "add"], &["user", "add", "ada"], &["token", "create", "--user", "ada"]] {
        assert_eq!(finish(docket(&url, arguments), "").status.code(), Some(2), "{arguments:?}");
    }
    for (arguments, input, part) in [
        (&["user", "add", "ada", "--password-stdin"][..], "short", "at least 10"),
        (&["user", "add", "A da", "--password-stdin"], "long enough it is", "letters"),
        (&["user", "add", "ada", "--password-stdin", "--timezone", "Mars/Base"], "long enough it is", "Mars/Base"),
        (&["user", "disable", "nobody"], "", "nobody"),
        (&["token", "create", "--user", "nobody", "--name", "x"], "", "nobody"),
        (&["token", "create", "--user", "ada", "--name", "x", "--scope", "fly"], "", "is not a scope"),
        (&["token", "revoke", "7"], "", "not a valid token id"),
        (&["audit", "verify", "--user", "nobody"], "", "no user called nobody"),
    ] {
        let output = finish(docket(&url, arguments), input);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = complaint(&output);
        assert!(said.lines().count() == 1 && said.contains(part), "{arguments:?}: {said}");
    }
}
