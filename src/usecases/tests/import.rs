//! Tests of importing other programs' files and Docket's own exports.

use proptest::prelude::*;

use super::*;
use crate::domain::id::MemoryId;
use crate::domain::memory::Memory;
use crate::domain::policy::Entry;
use crate::domain::task::{Due, Filter, Priority, Status, Task};
use crate::store::memories::Traits;
use crate::usecases::export::{self, Export};
use crate::usecases::import::{self, Format, Reading};
use crate::usecases::tasks;
use crate::usecases::undo::{self, Target};

const TODOIST: &str = "\u{feff}TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\n\
    meta,view_style=list,,,,,,,,\n\
    task,Buy milk @shop @home,two litres,1,1,Ada (1),,tomorrow 5pm,en,America/New_York\n\
    note,the blue ones,,,,Ada (1),,,,\n\
    ,,,,,,,,,\n\
    section,Garden,,,,,,,,\n\
    task,Water ferns,,4,1,Ada (1),,every monday,en,\n\
    task,Mow,,2,2,Ada (1),,,en,\n\
    task,Odd,,9,1,Ada (1),,,en,\n\
    task,Undated,,3,1,Ada (1),,jeden Dienstag,de,\n";

fn read(ctx: &Ctx, format: Format, file: &str) -> Reading {
    import::read(format, file.as_bytes(), &ctx.now(), "Europe/London").unwrap()
}

async fn all(ctx: &Ctx, caller: &Caller) -> Vec<Task> {
    tasks::list(ctx, caller, &Filter::default(), None, 200).await.unwrap().tasks
}

async fn exported(ctx: &Ctx, caller: &Caller, format: export::Format) -> String {
    let (mut export, mut file) = (Export::new(ctx, caller, format).unwrap(), String::new());
    while let Some(piece) = export.next().await.unwrap() {
        file += &piece;
    }
    file
}

/// Returns a task's content, without its owner and times.
fn content(task: &Task) -> impl PartialEq + std::fmt::Debug + use<> {
    let task = task.clone();
    (task.title, task.description, task.status, task.due, task.priority, task.project, task.tags, task.recurrence)
}

#[tokio::test]
async fn a_project_of_todoist_is_read_line_by_line() {
    let (_, ctx) = ctxs().await.remove(0);
    let reading = read(&ctx, Format::TodoistCsv, TODOIST);
    let told: Vec<_> = reading
        .rows
        .iter()
        .map(|row| {
            let task = &row.task;
            let due = task.due.as_ref().map(Due::to_string).unwrap_or_default();
            let tags: Vec<_> = task.tags.iter().map(|tag| tag.as_str()).collect();
            let project = task.project.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{}: {} {} {due} {project} {}", row.place, task.title, task.priority.as_str(), tags.join("+"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "line 3: Buy milk high 2026-03-12T17:00:00-04:00  shop+home",
            "line 7: Water ferns none 2026-03-16 Garden ",
            "line 8: Mow medium  Garden ",
            "line 9: Odd none  Garden ",
            "line 10: Undated low  Garden ",
        ]
    );
    assert_eq!(reading.rows[0].task.description.as_ref().unwrap().as_str(), "two litres\nthe blue ones");
    assert_eq!(reading.rows[1].task.recurrence.as_deref(), Some("FREQ=WEEKLY;BYDAY=MO"));
    let said = |all: &[import::Refused]| -> Vec<_> {
        all.iter().map(|refused| format!("{}: {}", refused.place, refused.why)).collect()
    };
    assert_eq!(reading.refused, []);
    let lost = [
        "line 8: Parent task: Docket has no sub-tasks.",
        "line 9: The priority “9” was not recognised. It is kept in the notes.",
        "line 10: The date “jeden Dienstag” was not recognised. It is kept in the notes.",
    ];
    assert_eq!(said(&reading.left_out), lost);
    assert_eq!(reading.rows[4].task.description.as_ref().unwrap().as_str(), "Date: jeden Dienstag");
    assert_eq!(reading.notes, ["1 sub-task becomes a separate task, because Docket has no sub-tasks."]);
}

#[tokio::test]
async fn a_table_names_its_columns_in_any_case_and_order() {
    let (_, ctx) = ctxs().await.remove(0);
    let reading =
        read(&ctx, Format::Csv, "Due;TITLE;Colour;Tags;status\n2026-04-01;Tax;red;a,@b;Completed\n;;;;\n;Rent;;;\n");
    assert_eq!(reading.rows.len(), 2);
    let tax = &reading.rows[0];
    assert_eq!(
        (tax.task.title.as_str(), tax.task.due.as_ref().unwrap().as_str(), tax.completed),
        ("Tax", "2026-04-01", true)
    );
    assert_eq!(tax.task.tags.len(), 2);
    assert_eq!(reading.notes, ["Unknown columns were left out: colour."]);
    for (format, file, part) in [
        (Format::Csv, "name,when\nTax,today\n", "including title"),
        (Format::Csv, "title\n", "no tasks"),
        (Format::TodoistCsv, "title\nTax\n", "TYPE and CONTENT"),
        (Format::Json, "{\"tasks\": 3}", "no list of tasks"),
        (Format::Json, "[{\"title\": ", "not JSON"),
    ] {
        let refused = import::read(format, file.as_bytes(), &ctx.now(), "UTC").unwrap_err().to_string();
        assert!(refused.contains(part), "{file}: {refused}");
    }
    let latin = import::read(Format::Csv, b"title\ncaf\xe9\n", &ctx.now(), "UTC").unwrap_err().to_string();
    assert!(latin.contains("UTF-8"), "{latin}");
    let many = format!("title\n{}", "x\n".repeat(5001));
    assert!(
        import::read(Format::Csv, many.as_bytes(), &ctx.now(), "UTC")
            .unwrap_err()
            .to_string()
            .contains("more than 5000 rows")
    );
}

#[tokio::test]
async fn an_import_adds_once_and_is_taken_back_whole() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let by = By::person(&ana);
        add(&ctx, &ana, titled("mine")).await;
        let file = "title,status\nmilk,\nmilk,\nold,completed\n";
        let done = done!(ctx, |tx| import::run(&ctx, tx, by, read(&ctx, Format::Csv, file))).unwrap();
        assert_eq!((done.added, done.already), (3, 0), "{db}: equal rows are two tasks");
        assert_eq!(all(&ctx, &ana).await[3].status, Status::Completed, "{db}");
        let more = format!("{file}eggs,\n");
        assert_eq!(import::already(&ctx, &ana, &read(&ctx, Format::Csv, &more)).await.unwrap(), 3, "{db}");
        let again = done!(ctx, |tx| import::run(&ctx, tx, by, read(&ctx, Format::Csv, &more))).unwrap();
        assert_eq!((again.added, again.already), (1, 3), "{db}");
        let first = Target::Import(done.import_id.unwrap());
        let undone = done!(ctx, |tx| undo::all(&ctx, tx, by, first)).unwrap();
        assert_eq!(undone.len(), 3, "{db}");
        let titles: Vec<_> = all(&ctx, &ana).await.iter().map(|task| task.title.to_string()).collect();
        assert_eq!(titles, ["mine", "eggs"], "{db}");
        conflict(done!(ctx, |tx| undo::all(&ctx, tx, by, first)), "This has already been undone.");
        let after = done!(ctx, |tx| import::run(&ctx, tx, by, read(&ctx, Format::Csv, file))).unwrap();
        assert_eq!((after.added, after.already), (3, 0), "{db}: what was taken back comes again");
        let ben = person(&ctx, "ben").await;
        let import = Target::Import(after.import_id.unwrap());
        not_found(done!(ctx, |tx| undo::all(&ctx, tx, By::person(&ben), import)), "There is no such import.");
    }
}

/// Returns the due zones of a user's tasks.
async fn zones(ctx: &Ctx, caller: &Caller) -> Vec<Option<String>> {
    let mut tx = ctx.read().await.unwrap();
    let found = store::tasks::list(&mut tx, caller.id(), &Filter::default(), None, 200).await.unwrap();
    found.into_iter().map(|stored| stored.due.and_then(|due| due.zone().map(str::to_owned))).collect()
}

#[tokio::test]
async fn an_export_read_back_says_the_same() {
    for (db, ctx) in ctxs().await {
        let ana = person(&ctx, "ana").await;
        let file = "title,description,due,due_zone,priority,project,tags,recurrence,status\n\
            \"=1+1, \"\"x\"\"\",\"two\nlines\",2026-05-01T17:00,America/New_York,p1,Café,\"a b,c\",,\n\
            '=x,,2026-05-01,,low,,\"[\"\"a,b\"\",\"\"c;d\"\"]\",every monday,\nDone,,,,,,[x],,completed\n";
        done!(ctx, |tx| import::run(&ctx, tx, By::person(&ana), read(&ctx, Format::Csv, file))).unwrap();
        let binned = add(&ctx, &ana, titled("binned")).await;
        done!(ctx, |tx| tasks::delete(&ctx, tx, By::person(&ana), binned.task_id, None)).unwrap();
        for (way, back) in [(export::Format::Json, Format::Json), (export::Format::Csv, Format::Csv)] {
            let ben = person(&ctx, &format!("ben{}", way.as_str())).await;
            let file = exported(&ctx, &ana, way).await;
            assert!(file.contains("binned"), "{db}: the bin is in it");
            let reading = read(&ctx, back, &file);
            assert!(reading.refused.is_empty() && reading.notes.len() == 2, "{db}: {reading:?}");
            done!(ctx, |tx| import::run(&ctx, tx, By::person(&ben), reading)).unwrap();
            let (own, his) = (all(&ctx, &ana).await, all(&ctx, &ben).await);
            let both = |tasks: &[Task]| tasks.iter().map(content).collect::<Vec<_>>();
            assert_eq!(both(&his), both(&own), "{db}: {file}");
            assert_eq!(zones(&ctx, &ben).await, [Some("America/New_York".to_owned()), None, None], "{db}: {file}");
        }
        let csv = exported(&ctx, &ana, export::Format::Csv).await;
        assert!(csv.lines().all(|line| !line.contains(",=") && !line.contains("\"=1")), "{db}: no formulas: {csv}");
        let json: serde_json::Value = serde_json::from_str(&exported(&ctx, &ana, export::Format::Json).await).unwrap();
        assert_eq!(json["changes"].as_array().unwrap().len(), 5, "{db}");
        assert_eq!(json["tasks"][0]["priority"], Priority::High.as_str(), "{db}");
    }
}

#[tokio::test]
async fn what_is_remembered_and_what_one_chose_go_along() {
    for (db, ctx) in ctxs().await {
        let (ana, ben) = (person(&ctx, "ana").await, person(&ctx, "ben").await);
        let conversation_id = ConversationId::random();
        let memory = Memory {
            memory_id: MemoryId::new(),
            text: "Ana drinks tea.".into(),
            conversation_id,
            first_record: 1,
            last_record: 1,
            created_at: ctx.now(),
        };
        let rule = Entry::parse("mcp.delete_task.deny").unwrap();
        let mut tx = ctx.write().await.unwrap();
        store::conversations::create(&mut tx, ana.id(), conversation_id, "Hello", &ctx.now()).await.unwrap();
        let traits = Traits { terms: vec![], embedder: String::new(), vector: vec![] };
        store::memories::insert(&mut tx, ana.id(), &memory, &traits).await.unwrap();
        store::memories::switch_off(&mut tx, ana.id(), &ctx.now()).await.unwrap();
        store::policies::set(&mut tx, ana.id(), rule, &ctx.now()).await.unwrap();
        ctx.commit(tx).await.unwrap();
        let file = exported(&ctx, &ana, export::Format::Json).await;
        let own: serde_json::Value = serde_json::from_str(&file).unwrap();
        assert_eq!(own["memories"], serde_json::json!([memory]), "{db}");
        let chosen = serde_json::json!({
            "zone": "Europe/London", "uses_model": true, "memory": false, "policy": ["mcp.delete_task.deny"], "telegram": null,
        });
        assert_eq!(own["settings"], chosen, "{db}");
        let file = exported(&ctx, &ben, export::Format::Json).await;
        let his: serde_json::Value = serde_json::from_str(&file).unwrap();
        let nothing = serde_json::json!([]);
        assert_eq!((&his["memories"], &his["settings"]["policy"]), (&nothing, &nothing), "{db}");
        assert_eq!(his["settings"]["memory"], true, "{db}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Each row of any file is imported or refused exactly once.
    #[test]
    fn no_file_makes_a_reader_fall(
        head in "(TYPE,CONTENT,PRIORITY,DATE|title,due,tags,priority|.{0,20})",
        lines in prop::collection::vec("(task|section|note|)[,;\"\t\\PC]{0,40}", 0..12),
        format in prop::sample::select(Format::ALL.to_vec()),
    ) {
        let file = format!("{head}\n{}", lines.join("\n"));
        let now = crate::domain::time::Timestamp::parse(testing::NOW).unwrap();
        if let Ok(reading) = import::read(format, file.as_bytes(), &now, "Europe/London") {
            let (taken, refused) = (reading.rows.len(), reading.refused.len());
            prop_assert!(taken + refused <= lines.len() && taken + refused > 0);
            let mut places: Vec<_> = reading.rows.iter().map(|row| row.place.to_string()).collect();
            places.extend(reading.refused.iter().map(|refused| refused.place.to_string()));
            places.sort();
            places.dedup();
            prop_assert_eq!(places.len(), taken + refused);
        }
    }

    /// The rows of a preview are stored all or none.
    #[test]
    fn an_import_is_never_stored_by_half(
        titles in prop::collection::vec("[a-z ]{0,5}", 1..20),
        tags in 0_usize..40,
        committed in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = store::Store::open("sqlite::memory:", false).await.unwrap();
            let clock = crate::clock::Clock::set(crate::domain::time::Timestamp::parse(testing::NOW).unwrap());
            let ctx = Ctx::new(store, crate::live::Live::default(), clock, crate::usecases::Limits::default());
            let ana = person(&ctx, "ana").await;
            let many: Vec<_> = (0..tags).map(|tag| format!("t{tag}")).collect();
            let file = format!("title,tags\n{}\nlast,\"{}\"\n", titles.join("\n"), many.join(","));
            let reading = read(&ctx, Format::Csv, &file);
            let long = reading.left_out.iter().any(|it| it.why.contains("at most 20"));
            assert_eq!(long, tags > 20, "{:?}", reading.left_out);
            let rows = reading.rows.len();
            let mut tx = ctx.write().await.unwrap();
            assert_eq!(import::run(&ctx, &mut tx, By::person(&ana), reading).await.unwrap().added, rows);
            if committed {
                ctx.commit(tx).await.unwrap();
            } else {
                drop(tx);
            }
            assert_eq!(all(&ctx, &ana).await.len(), if committed { rows } else { 0 });
            store::testing::assert_invariants(&ctx.store);
        });
    }
}

#[tokio::test]
async fn long_heading_is_held_once_and_each_row_says_so() {
    let (_, ctx) = ctxs().await.remove(0);
    let name = "s".repeat(100_000);
    let rows = "task,a\n".repeat(3);
    for (format, file) in [
        (Format::TodoistCsv, format!("TYPE,CONTENT\nsection,{name}\n{rows}")),
        (
            Format::GoogleJson,
            format!(
                r#"{{"kind":"tasks#taskLists","items":[{{"title":"{name}","items":[{{"title":"a"}},{{"title":"b"}},{{"title":"c"}}]}}]}}"#
            ),
        ),
        (
            Format::MicrosoftJson,
            format!(r#"[{{"displayName":"{name}","tasks":[{{"title":"a"}},{{"title":"b"}},{{"title":"c"}}]}}]"#),
        ),
    ] {
        let reading = read(&ctx, format, &file);
        assert_eq!((reading.rows.len(), reading.left_out.len()), (3, 3), "{format:?}");
        assert!(reading.rows.iter().all(|row| row.task.project.is_none()), "{format:?}");
        let said = &reading.left_out[0].why;
        assert!(said.contains("at most") && said.len() < 1_000, "{format:?}: {said}");
    }
}

#[tokio::test]
async fn lists_of_json_are_read_no_further_than_their_bounds() {
    let (_, ctx) = ctxs().await.remove(0);
    let many = "{},".repeat(60_000);
    let few = "\"\",".repeat(300);
    let deep = |depth: usize| format!(r#"{}{{"title":"a"}}{}"#, r#"{"value":["#.repeat(depth), "]}".repeat(depth));
    for (format, file, said) in [
        // The rest after the bound is not even JSON.
        (Format::MicrosoftJson, format!(r#"{{"importance":"","value":[{many}oops"#), "more than 5000 rows"),
        (
            Format::MicrosoftJson,
            format!(r#"{{"value":[{{"title":"a","categories":[{few}""]}}]}}"#),
            "a list with more than 200 entries",
        ),
        (Format::GoogleJson, format!(r#"{{"kind":"tasks#tasks","items":[{many}oops"#), "more than 5000 rows"),
        (Format::Json, format!("[{many}{{}}]"), "more than 5000 rows"),
    ] {
        let why = import::read(format, file.as_bytes(), &ctx.now(), "Europe/London").unwrap_err().0;
        assert!(why.contains(said), "{format:?}: {why}");
    }
    assert_eq!(read(&ctx, Format::MicrosoftJson, &deep(3)).rows.len(), 1);
    assert_eq!(read(&ctx, Format::MicrosoftJson, &deep(60)).refused.len(), 1, "no task has only lists");
}
