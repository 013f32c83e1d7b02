//! Todoist's tables: a project a file. `TYPE` tells what a line is; the priority 1 is p1, the highest, and 4 none
//! (todoist.com/help, "Format a CSV file to import into Todoist").

use jiff::tz::TimeZone;

use super::cells::Cells;
use super::{Found, Place, table};
use crate::domain::Invalid;

/// Reads an export of a project. Sections become projects, labels tags, and comments a part of the description.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let (head, lines) = table::records(text)?;
    let at = |name: &str| head.iter().position(|found| found == name);
    let (Some(kind), Some(content)) = (at("type"), at("content")) else {
        return Err(Invalid::because("The first line is not Todoist's: it must name TYPE and CONTENT."));
    };
    let mut found = Found::default();
    let (mut section, mut nested) = (String::new(), 0);
    for (place, record) in lines {
        let record = match record {
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
                nested += usize::from(!["", "1"].contains(&cell("indent")));
                found.push(place, task(content, &section, cell))?;
            }
            "section" => content.clone_into(&mut section),
            "note" => note(&mut found, place, content)?,
            // How the project is shown.
            "meta" | "" => {}
            other => found.push(place, Err(format!("Its TYPE “{other}” is not task, section or note.")))?,
        }
    }
    if nested > 0 {
        found.notes.push(format!("{nested} sub-tasks become tasks of their own: Docket's lists are flat."));
    }
    Ok(found)
}

fn task<'a>(content: &str, section: &str, cell: impl Fn(&str) -> &'a str) -> Result<Cells, String> {
    let is_label = |word: &&str| word.len() > 1 && word.starts_with('@');
    let (labels, words): (Vec<&str>, Vec<&str>) = content.split_whitespace().partition(is_label);
    let priority = match cell("priority") {
        "1" => "p1",
        "2" => "p2",
        "3" => "p3",
        "4" | "" => "p4",
        other => return Err(format!("Its PRIORITY “{other}” is not 1, 2, 3 or 4.")),
    };
    let zone = cell("timezone");
    Ok(Cells {
        title: words.join(" "),
        description: cell("description").to_owned(),
        due: cell("date").to_owned(),
        priority: priority.to_owned(),
        project: section.to_owned(),
        tags: labels.into_iter().map(|label| label.trim_start_matches('@').to_owned()).collect(),
        recurrence: String::new(),
        status: String::new(),
        zone: TimeZone::get(zone).is_ok().then(|| zone.to_owned()),
    })
}

/// A comment belongs to the task above it.
fn note(found: &mut Found, place: Place, content: &str) -> Result<(), Invalid> {
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
