//! Todoist exports: one project per file. `TYPE` is the kind of a line; priority 1 is p1, the highest, and 4 is none (todoist.com/help,
//! "Format a CSV file to import into Todoist").

use super::cells::{Cells, heading};
use super::table;
use super::{Found, Place, SUB_TASK};
use crate::domain::Invalid;

/// Reads a project. Sections become projects, labels become tags, and comments are appended to the notes.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let (head, lines) = table::records(text)?;
    let at = |name: &str| head.iter().position(|found| found == name);
    let (Some(kind), Some(content)) = (at("type"), at("content")) else {
        return Err(Invalid::because(
            "This is not a Todoist file: the first line must contain the columns TYPE and CONTENT.",
        ));
    };
    let mut found = Found::default();
    let (mut section, mut nested) = (String::new(), 0);
    for line in lines {
        let place = line.place;
        found.beyond(place, &line);
        let record = match line.record {
            Ok(record) => record,
            Err(why) => {
                found.push(place, Err(why))?;
                continue;
            }
        };
        let cell = |name: &str| at(name).and_then(|at| record.get(at)).unwrap_or_default().trim();
        let content = record.get(content).unwrap_or_default().trim();
        match record.get(kind).unwrap_or_default().trim() {
            "task" => {
                if !["", "1"].contains(&cell("indent")) {
                    nested += 1;
                    found.leave_out(place, SUB_TASK.to_owned());
                }
                found.push(place, Ok(task(content, &section, cell)))?;
                details(&mut found, place, cell);
            }
            "section" => section = heading(Some(content)),
            "note" => note(&mut found, place, &without_file(content))?,
            // Display settings of the project.
            "meta" | "" => {}
            other => found.push(place, Err(format!("TYPE “{other}” must be task, section or note.")))?,
        }
    }
    if nested > 0 {
        found.notes.push(super::flattened(nested));
    }
    Ok(found)
}

fn task<'a>(content: &str, section: &str, cell: impl Fn(&str) -> &'a str) -> Cells {
    let is_label = |word: &&str| word.len() > 1 && word.starts_with('@');
    let (labels, words): (Vec<&str>, Vec<&str>) = content.split_whitespace().partition(is_label);
    let priority = match cell("priority") {
        "1" => "p1",
        "2" => "p2",
        "3" => "p3",
        "4" | "" => "p4",
        other => other,
    };
    let zone = cell("timezone");
    let (date, deadline) = (cell("date"), cell("deadline"));
    let mut description = cell("description").to_owned();
    if !date.is_empty() && !deadline.is_empty() {
        description = [description.trim_end(), &format!("Deadline: {deadline}")].join("\n").trim_start().to_owned();
    }
    Cells {
        title: words.join(" "),
        description,
        due: if date.is_empty() { deadline } else { date }.to_owned(),
        priority: priority.to_owned(),
        project: section.to_owned(),
        tags: labels.into_iter().map(|label| label.trim_start_matches('@').to_owned()).collect(),
        zone: Some(zone).filter(|zone| !zone.is_empty()).map(str::to_owned),
        is_foreign: true,
        ..Cells::default()
    }
}

/// Reports details that a task in Docket has no field for.
fn details<'a>(found: &mut Found, place: Place, cell: impl Fn(&str) -> &'a str) {
    let deadline = cell("deadline");
    if !deadline.is_empty() {
        let where_to = if cell("date").is_empty() { "used as the due date" } else { "kept in the notes" };
        found.leave_out(place, format!("Deadline {deadline}: {where_to}."));
    }
    let duration = cell("duration");
    if !["", "None"].contains(&duration) {
        found.leave_out(place, format!("Duration: {}.", [duration, cell("duration_unit")].join(" ").trim_end()));
    }
    let responsible = cell("responsible");
    if !responsible.is_empty() {
        found.leave_out(place, format!("Assignee: {responsible}."));
    }
}

/// Replaces a comment's attachment (`[[file {…}]]`) by its name and URL.
fn without_file(content: &str) -> String {
    let Some((before, rest)) = content.split_once("[[file ") else { return content.to_owned() };
    let Some((json, after)) = rest.split_once("]]") else { return content.to_owned() };
    let Ok(file) = serde_json::from_str::<serde_json::Value>(json.trim()) else { return content.to_owned() };
    let text = |field: &str| file[field].as_str().unwrap_or_default();
    let named = format!("Attachment: {} {}", text("file_name"), text("file_url"));
    [before.trim(), named.trim(), after.trim()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Appends a comment to the notes of the task above.
fn note(found: &mut Found, place: Place, content: &str) -> Result<(), Invalid> {
    if content.contains("Attachment: ") {
        found.leave_out(
            found.rows.last().map_or(place, |(place, _)| *place),
            "Attachment: its address is in the notes.".to_owned(),
        );
    }
    match found.rows.last_mut() {
        Some((_, Ok(task))) => {
            if !task.description.is_empty() {
                task.description.push('\n');
            }
            task.description.push_str(content);
        }
        Some((_, Err(_))) => {}
        None => found.push(place, Err("There is no task above this comment.".into()))?,
    }
    Ok(())
}
