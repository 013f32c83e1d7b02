//! Tests of imported rows and of the details that they lose.

use super::*;
use crate::usecases::import::{self, Format, Reading};

fn read(ctx: &Ctx, format: Format, file: &str) -> Reading {
    import::read(format, file.as_bytes(), &ctx.now(), "Europe/London").unwrap()
}

#[tokio::test]
async fn rows_are_taken_and_what_they_lose_is_listed() {
    let (_, ctx) = ctxs().await.remove(0);
    let (long, many) = ("x".repeat(250), (0..30).map(|at| format!("t{at}")).collect::<Vec<_>>().join(","));
    for (format, file, task, lost) in [
        (Format::Csv, "Task,Deadline,Importance,List,Notes\nTea,2030-03-01,urgent,Home,green\n".to_owned(), "Tea 2030-03-01 high Home green", vec![]),
        (Format::Csv, "# exported today\nMy list\nname|due\nTea|n/a\n".to_owned(), "Tea  none  ", vec![]),
        (Format::Csv, "title,due,priority,recurrence,status\nTea,-,2,no,Done\n".to_owned(), "Tea  medium  ", vec![]),
        (Format::Csv, "title,due\nTea,2030-03-01,and more,\n".to_owned(), "Tea 2030-03-01 none  ", vec!["without a column name: and more"]),
        (Format::Csv, "title,title\nTea,Coffee\n".to_owned(), "Tea  none  ", vec!["Another title: “Coffee”"]),
        (Format::Csv, format!("title,tags\nTea,\"{many}\"\n"), "Tea  none  Tags: t20, t21, t22, t23, t24, t25, t26, t27, t28, t29", vec!["at most 20"]),
        (Format::Csv, format!("title,project\nTea,{long}\n"), &format!("Tea  none  Project: {long}"), vec!["at most 60"]),
        (Format::Csv, format!("title,due\r{long},\r"), &format!("{}…  none  Title: {long}", &long[..199]), vec!["at most 200"]),
        (Format::Json, r#"["Tea"]"#.to_owned(), "Tea  none  ", vec![]),
        (Format::Json, r#"[{"title":"Tea","completed_at":"2026-01-02T03:04:05Z","status":"completed"}]"#.to_owned(), "Tea  none  ", vec!["Completion time: 2026-01-02"]),
        (
            Format::TodoistCsv,
            "TYPE,CONTENT,TIMEZONE,DATE\ntask,Tea,Mars/Base,2030-03-01\nnote,\"See [[file {\"\"file_name\"\": \"\"a.pdf\"\", \"\"file_url\"\": \"\"https://x/a\"\"}]]\",,\n".to_owned(),
            "Tea 2030-03-01 none  See Attachment: a.pdf https://x/a",
            vec!["Attachment", "Time zone “Mars/Base”"],
        ),
        (
            Format::MicrosoftCsv,
            "Subject,Due Date,Reminder Date,Reminder Time,% Complete,Status,Private\nTea,2030-03-25,2030-03-25,08:30,50%,In Progress,True\n".to_owned(),
            "Tea 2030-03-25 none  ",
            vec!["Reminder: 2030-03-25 08:30", "Status In Progress", "Progress: 50", "Private"],
        ),
        (
            Format::GoogleJson,
            r#"{"kind":"tasks#tasks","items":[{"title":"Tea","starred":true,"scheduled_time":[{"start":"2030-01-01T14:30:00Z"}],"links":[{"description":"Mail","link":"https://x/m"}],"completed":"2026-01-02T00:00:00Z"}]}"#.to_owned(),
            "Tea  none  Mail https://x/m",
            vec!["Star", "Scheduled time: 2030-01-01", "Links", "Completion time: 2026-01-02"],
        ),
        (
            Format::MicrosoftJson,
            r#"[{"title":"Tea","importance":"normal","hasAttachments":true,"body":{"content":"<p>a &amp; b</p>","contentType":"html"}}]"#.to_owned(),
            "Tea  none  a & b",
            vec!["HTML", "Attachments"],
        ),
    ] {
        let reading = read(&ctx, format, &file);
        assert_eq!((reading.rows.len(), reading.refused.len()), (1, 0), "{file}: {reading:?}");
        let row = &reading.rows[0].task;
        let due = row.due.as_ref().map(|due| due.as_str().to_owned()).unwrap_or_default();
        let project = row.project.as_ref().map(ToString::to_string).unwrap_or_default();
        let notes = row.description.as_ref().map(|notes| notes.as_str().to_owned()).unwrap_or_default();
        assert_eq!(format!("{} {due} {} {project} {notes}", row.title, row.priority.as_str()), task, "{file}");
        let said: Vec<_> = reading.left_out.iter().map(|it| it.why.as_str()).collect();
        assert_eq!(said.len(), lost.len(), "{file}: {said:?}");
        assert!(said.iter().zip(&lost).all(|(said, lost)| said.contains(lost)), "{file}: {said:?}");
    }
}

#[tokio::test]
async fn files_that_cannot_be_read_are_named() {
    let (_, ctx) = ctxs().await.remove(0);
    for (file, part) in [
        (&b""[..], "is empty"),
        (b" \n\n", "is empty"),
        (b"PK\x03\x04rest", "workbook"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
        (b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "Calendar"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"buy milk\ncall Ann\n", "plain list"),
        (b"title,due\nTea,today\n\"Milk,today\nEggs,today\n", "in line 3 is never closed"),
    ] {
        let why = import::read(Format::Csv, file, &ctx.now(), "UTC").unwrap_err().0;
        assert!(why.contains(part), "{why}");
    }
    let reading = read(&ctx, Format::Csv, "title,due\nTea,09/12/2030\n");
    assert!(reading.refused[0].why.contains("2030-12-09 or 2030-09-12"), "{reading:?}");
}
