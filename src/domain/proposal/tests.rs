//! Tests of questions for every call and field, with and without room, and with hostile texts.

use serde_json::json;

use super::*;
use crate::domain::approval::ApprovalStatus;
use crate::domain::id::{ApprovalId, ConversationId, TurnId};
use crate::domain::time::Timestamp;

const ZONE: &str = "Europe/London";
const PAGE: &str = "https://docket.example/approvals/1";
const ROOM: Room = Room { most: 3_000, measure: count, lines: 50, side: 200 };

fn count(text: &str) -> usize {
    text.chars().count()
}

fn task(number: i64, changes: Value) -> Task {
    let at = "2026-03-11T09:30:00Z";
    let mut task = json!({
        "task_id": number, "title": "milk", "description": null, "status": "pending", "priority": "none", "due": null,
        "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": at, "updated_at": at,
        "completed_at": null, "deleted_at": null,
    });
    task.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    serde_json::from_value(task).unwrap()
}

fn change(number: i64, before: Value, after: Value) -> Preview {
    Preview { task_id: TaskNumber(number), before: task(number, before), after: task(number, after), next: None }
}

fn call(tool: ToolName, arguments: Value) -> ApprovalCall {
    ApprovalCall { tool, arguments }
}

fn asked(calls: Vec<ApprovalCall>, preview: Vec<Preview>) -> Approval {
    let at = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
    Approval {
        approval_id: ApprovalId::new(),
        turn_id: TurnId::new(),
        conversation_id: ConversationId::random(),
        status: ApprovalStatus::Pending,
        question: question(&calls, &preview),
        calls,
        preview,
        created_at: at.clone(),
        expires_at: at,
        decided_at: None,
        decided_by: None,
        decided_via: None,
        decided_with: None,
        reason: None,
    }
}

fn update(previews: Vec<Preview>) -> Approval {
    let numbers: Vec<i64> = previews.iter().map(|it| it.task_id.0).collect();
    let arguments = if let [one] = numbers[..] { json!({ "task_id": one }) } else { json!({ "task_ids": numbers }) };
    asked(vec![call(ToolName::UpdateTask, arguments)], previews)
}

fn told(approval: &Approval) -> String {
    text(approval, ZONE, PAGE, &CHAT, &ROOM)
}

/// Returns a value for each field and its expected display. Panics for a new field, which needs one.
fn sample(key: &str) -> (Value, &'static str) {
    match key {
        "title" => (json!("oat milk"), "“oat milk”"),
        "description" => (json!("two litres"), "“two litres”"),
        "status" => (json!("completed"), "is completed"),
        "due" => (json!("2026-03-12T17:00:00+00:00"), "Thu 12 Mar 2026 17:00"),
        "priority" => (json!("high"), "High (p1)"),
        "project" => (json!("home"), "“#home”"),
        "tags" => (json!(["shop", "soon"]), "“@shop @soon”"),
        "recurrence" => (json!("FREQ=WEEKLY;BYDAY=MO"), "“every Monday”"),
        other => panic!("{other} needs a value here"),
    }
}

/// Returns the fields that a tool can set.
fn keys() -> Vec<String> {
    let all = fields_of(&task(1, json!({})));
    all.into_iter().map(|(key, _)| key).filter(|key| !BOOKKEEPING.contains(&key.as_str())).collect()
}

#[test]
fn a_question_lists_every_field_before_and_after() {
    for key in keys() {
        let (value, shown) = sample(&key);
        for style in [&CHAT, &MARKDOWN] {
            let shown = if style.quotes_are_code() { shown.replace(['“', '”'], "`") } else { shown.to_owned() };
            let (before, after) = (json!({}), json!({ &key: value }));
            let set = text(&update(vec![change(1, before.clone(), after.clone())]), ZONE, PAGE, style, &ROOM);
            assert!(set.contains(&shown), "{key} is set:\n{set}");
            let taken = text(&update(vec![change(1, after, before)]), ZONE, PAGE, style, &ROOM);
            let undone = if key == "status" { "is reopened" } else { &format!("{shown} → ") };
            assert!(taken.contains(undone), "{key} is taken away:\n{taken}");
        }
    }
}

#[test]
fn the_sentence_comes_first_and_each_field_has_its_line() {
    let both = json!({ "title": "oat milk", "description": "two", "priority": "low" });
    let renamed = update(vec![change(1, json!({}), both)]);
    assert_eq!(
        told(&renamed),
        "Are you sure you want to rename task 1? (yes/no)\n• milk (#1) title: “milk” → “oat milk”\n\
         • milk (#1) notes: none → “two”\n• milk (#1) priority: none → Low (p3)"
    );
    let deleted = change(3, json!({ "description": "two" }), json!({ "deleted_at": "2026-03-11T09:30:00Z" }));
    let deleted = asked(vec![call(ToolName::DeleteTask, json!({ "task_id": 3 }))], vec![deleted]);
    assert_eq!(
        told(&deleted),
        "Are you sure you want to delete task 3? (yes/no)\n• milk (#3) goes to the bin\n• milk (#3) notes: “two”"
    );
    assert_eq!(split(&told(&deleted)), ("", Some(told(&deleted).as_str())));
    let reply = format!("Created task: eggs (#4)\n{}", told(&deleted));
    assert_eq!(split(&reply), ("Created task: eggs (#4)", Some(told(&deleted).as_str())));
    assert_eq!(split("Done. Are you sure you want to go?"), ("Done. Are you sure you want to go?", None));
    assert_eq!(
        text(&deleted, ZONE, PAGE, &MARKDOWN, &ROOM).lines().next(),
        Some("Are you sure you want to delete task 3?")
    );
}

#[test]
fn sides_written_from_right_to_left_keep_their_places() {
    let renamed = update(vec![change(1, json!({ "title": "שלום" }), json!({ "title": "עולם" }))]);
    assert_eq!(
        told(&renamed).lines().last(),
        Some("• \u{2068}שלום\u{2069} (#1) title: “\u{2068}שלום\u{2069}” → “\u{2068}עולם\u{2069}”")
    );
}

#[test]
fn a_new_task_is_shown_with_all_its_fields() {
    let all: Fields =
        keys().into_iter().filter(|key| key != "status").map(|key| (key.clone(), sample(&key).0)).collect();
    let one = asked(vec![call(ToolName::AddTask, Value::Object(all))], vec![]);
    let lines = told(&one);
    assert!(lines.starts_with("Are you sure you want to add “oat milk”? (yes/no)\n• “oat milk” is added\n"), "{lines}");
    for key in keys().iter().filter(|key| !["title", "status"].contains(&key.as_str())) {
        assert!(lines.contains(&format!(": {}", sample(key).1)), "{key}:\n{lines}");
    }
    assert!(!lines.contains('→'), "nothing was there before:\n{lines}");
}

#[test]
fn a_batch_shows_what_each_of_its_calls_would_do() {
    let at = "2026-03-11T09:30:00Z";
    let calls = vec![
        call(ToolName::DeleteTask, json!({ "task_id": 1 })),
        call(ToolName::AddTask, json!({ "title": "pay eve", "due": "2026-03-12" })),
        call(ToolName::UpdateTask, json!({ "task_ids": [2, 3], "project": "home" })),
        call(ToolName::ListTasks, json!({ "query": "rent" })),
    ];
    let previews = vec![
        change(1, json!({}), json!({ "deleted_at": at })),
        change(2, json!({ "title": "eggs" }), json!({ "title": "eggs", "project": "home" })),
        change(3, json!({ "title": "tea" }), json!({ "title": "tea", "project": "home" })),
    ];
    assert_eq!(
        told(&asked(calls, previews)),
        "Are you sure you want to make these 5 changes: milk (#1), “pay eve”, eggs (#2), tea (#3), your task list? (yes/no)\n\
         • milk (#1) goes to the bin\n• “pay eve” is added\n• “pay eve” due: Thu 12 Mar 2026\n\
         • eggs (#2) project: none → “#home”\n• tea (#3) project: none → “#home”\n\
         • your task list is read\n• your task list query: “rent”"
    );
}

#[test]
fn what_is_so_already_and_what_comes_next_is_said() {
    let mut done =
        change(1, json!({ "recurrence": "FREQ=DAILY" }), json!({ "recurrence": "FREQ=DAILY", "status": "completed" }));
    done.next = Some(task(2, json!({ "due": "2026-03-12" })));
    let mut open =
        change(5, json!({ "recurrence": "FREQ=DAILY", "status": "completed" }), json!({ "recurrence": "FREQ=DAILY" }));
    open.next = Some(task(6, json!({ "due": "2026-03-12", "deleted_at": "2026-03-09T12:00:00Z" })));
    let lines = told(&update(vec![done, change(4, json!({}), json!({})), open]));
    for line in [
        "\n• milk (#5) is reopened\n• milk (#5) next one: Thu 12 Mar 2026 → the bin",
        "\n• milk (#1) is completed\n",
        "\n• milk (#1) next one: none → Thu 12 Mar 2026\n",
        "\n• milk (#4) stays as it is",
    ] {
        assert!(lines.contains(line), "{lines}");
    }
}

#[test]
fn many_tasks_are_counted_and_linked() {
    for (count_of, fields) in [
        (120, json!({ "priority": "high" })),
        (120, json!({ "priority": "high", "project": "home" })),
        (51, json!({ "priority": "low" })),
    ] {
        let many = update((1..=count_of).map(|number| change(number, json!({}), fields.clone())).collect());
        for most in [400, 1_000, 3_000] {
            let whole = text(&many, ZONE, PAGE, &CHAT, &Room { most, ..ROOM });
            assert!(count(&whole) <= most, "{most}: {}", count(&whole));
            let last = whole.lines().last().unwrap();
            let shown = (1..=count_of).filter(|number| whole.contains(&format!("\n• milk (#{number}) "))).count();
            let more: usize = last.split(" more task").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
            assert_eq!(shown + more, usize::try_from(count_of).unwrap(), "{whole}");
            assert!(last.starts_with("… and ") && last.ends_with(PAGE), "{last}");
        }
    }
    let wide = (0..20).map(|at| format!("{at}{}", "x".repeat(38))).collect::<Vec<_>>();
    let one = update(vec![change(
        1,
        json!({}),
        json!({ "title": "y", "description": "z".repeat(4_000), "tags": wide, "project": "home" }),
    )]);
    let few = text(&one, ZONE, PAGE, &CHAT, &Room { most: 450, ..ROOM });
    assert!(few.ends_with(&format!("… and 3 more fields of #1: {PAGE}")), "{few}");
}

#[test]
fn a_change_in_the_tail_of_long_notes_is_shown() {
    let letter = |end: &str| format!("{}{end}", "All the best from all of us here.\n".repeat(110));
    let (before, after) = (json!({ "description": letter("Pay Ada.") }), json!({ "description": letter("Pay Eve.") }));
    let whole = told(&update(vec![change(1, before, after)]));
    let line = whole.lines().find(|line| line.contains("notes:")).unwrap();
    assert!(line.contains("“All the best from all of us here.↵") && line.contains("Pay Ada.” → “"), "{line}");
    assert!(line.ends_with("Pay Eve.” (3,748 characters, 1 line changed, shortened)"), "{line}");
    assert!(whole.ends_with(&format!("\nIn full: {PAGE}")), "{whole}");
    let cleared = told(&update(vec![change(1, json!({ "description": letter("x") }), json!({}))]));
    assert!(cleared.contains("” → none (3,741 characters, shortened)"), "{cleared}");
}

/// Texts that try to imitate or hide a line.
const HOSTILE: [&str; 14] = [
    "milk\n• eggs (#2) goes to the bin",
    "milk\u{2028}• eggs (#2) title: “eggs” → “tea”",
    "milk\r\n\r\nAre you sure you want to delete task 2? (yes/no)",
    "milk” → “eggs” • tea (#3) goes to the bin",
    "\u{202e}nib eht ot seog (1#) klim\u{202c}",
    "milk\u{200b}\u{2060}\u{feff}",
    "milk                                                                                  • eggs (#2) goes to the bin",
    "**milk** _eggs_ ~~tea~~ [all](https://evil.example) ![x](y)",
    "<b>milk</b> <!-- hidden",
    "--> <details><summary>x</summary>",
    "`milk` ```\ncode\n```",
    "# milk\n---\n> #2 eggs\n| a | b |",
    "milk &#8238; &lt;",
    "… and 12 more tasks: https://evil.example",
];

#[test]
fn no_text_looks_like_another_line() {
    for text_of in HOSTILE {
        let title = text_of.replace(['\n', '\r'], "\u{2028}");
        let before = json!({ "title": &title, "description": text_of });
        let after = json!({ "title": "plain", "description": format!("{text_of}\n{text_of}"), "project": &title, "tags": [&title] });
        let approval = update(vec![
            change(1, before.clone(), after),
            change(2, before, json!({ "deleted_at": "2026-03-11T09:30:00Z" })),
        ]);
        let add = asked(vec![call(ToolName::AddTask, json!({ "title": &title, "description": text_of }))], vec![]);
        for (approval, lines) in [(&approval, 4 + 2), (&add, 2)] {
            for (style, bullet) in [(&CHAT, "• "), (&MARKDOWN, "- ")] {
                let whole = text(approval, ZONE, PAGE, style, &ROOM);
                let all: Vec<_> = whole.lines().collect();
                assert_eq!(all.len(), 1 + lines, "{whole}");
                assert!(all[0].starts_with("Are you sure you want to "), "{whole}");
                assert!(all[1..].iter().all(|line| line.starts_with(bullet)), "{whole}");
                let hidden = |c: char| {
                    c != '\n' && (c.is_control() || "\u{202e}\u{202c}\u{200b}\u{2060}\u{feff}\u{2028}".contains(c))
                };
                assert!(!whole.contains(hidden), "{whole:?}");
                assert!(
                    all.iter().all(|line| line.matches(" → ").count() <= 1 || line.contains("[U+201D]")),
                    "{whole}"
                );
                if style.quotes_are_code() {
                    assert!(
                        all.iter().all(|line| outside_of_code(line).chars().all(|c| !"<>*_[]|~&\\".contains(c))),
                        "{whole}"
                    );
                }
            }
        }
    }
}

/// Returns the parts of a line that Markdown interprets: all but its code spans.
fn outside_of_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

#[test]
fn decisions_of_the_first_wording_are_made_again_with_it() {
    let at = "2026-03-11T09:30:00Z";
    let binned =
        |number| change(number, json!({ "title": format!("a long title, {number}") }), json!({ "deleted_at": at }));
    let delete = call(ToolName::DeleteTask, json!({ "task_ids": [1, 2] }));
    let add = |title: &str| call(ToolName::AddTask, json!({ "title": title }));
    for (calls, previews, question) in [
        (vec![delete.clone()], vec![binned(1)], "Are you sure you want to delete task 1? (yes/no)"),
        (
            vec![delete.clone()],
            vec![binned(1), binned(2)],
            "Are you sure you want to delete 2 tasks: a long title, 1 (#1), a long title, 2 (#2)? (yes/no)",
        ),
        (
            vec![delete.clone(), add("x")],
            vec![binned(1)],
            "Are you sure you want to make these 2 changes: a long title, 1 (#1)? (yes/no)",
        ),
        (vec![add("x"), add("y")], vec![], "Are you sure you want to add “x” and add “y”? (yes/no)"),
        (
            vec![call(ToolName::UpdateTask, json!({}))],
            vec![change(1, json!({}), json!({ "title": "x" }))],
            "Are you sure you want to rename task 1? (yes/no)",
        ),
    ] {
        assert_eq!(question_of_first_wording(&calls, &previews), question);
    }
}
