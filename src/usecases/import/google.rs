//! Google Tasks from Takeout: `Tasks.json`, a list of task lists with their tasks (developers.google.com/tasks/reference).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::bounded::{Bounded, refusal};
use super::cells::{Cells, heading};
use super::{Found, LINES, Place, SUB_TASK, too_many};
use crate::domain::Invalid;

/// A list of lists, a list of tasks, or a task: Takeout uses the field names of one for all.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Item<'a> {
    kind: String,
    title: Option<String>,
    #[serde(borrow)]
    items: Option<Bounded<&'a RawValue, LINES>>,
    notes: Option<String>,
    status: Option<String>,
    due: Option<String>,
    parent: Option<String>,
    deleted: bool,
    task_recurrence_id: Option<String>,
    completed: Option<String>,
    links: Option<Bounded<Link, 100>>,
    starred: bool,
    scheduled_time: Option<Bounded<Scheduled, 100>>,
}

/// A link of a task, for example to an e-mail.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Link {
    description: String,
    link: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Scheduled {
    start: String,
}

/// Returns true if the JSON is from Google Tasks.
pub fn is_theirs(text: &str) -> bool {
    text.contains("\"tasks#task")
}

/// Reads task lists as projects. Google's default list, “My Tasks”, is no project.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let whole = item(text)?;
    let lists = match (whole.kind.as_str(), whole.items) {
        ("tasks#taskLists", Some(Bounded(lists))) => {
            lists.into_iter().map(|list| item(list.get())).collect::<Result<Vec<_>, _>>()?
        }
        ("tasks#tasks", items @ Some(_)) => vec![Item { items, title: whole.title, ..Item::default() }],
        _ => return Err(Invalid::because("The JSON has no task lists. Select Tasks.json from Google Takeout.")),
    };
    let (mut found, mut number, mut nested, mut deleted) = (Found::default(), 0, 0, 0);
    for list in lists {
        let project = heading(list.title.filter(|title| title != "My Tasks").as_deref());
        for task in list.items.unwrap_or_default().0 {
            number += 1;
            if number > LINES as u64 {
                return Err(too_many());
            }
            let task = item(task.get())?;
            if task.deleted {
                deleted += 1;
                continue;
            }
            let place = Place::Entry(number);
            if task.parent.is_some() {
                nested += 1;
                found.leave_out(place, SUB_TASK.to_owned());
            }
            details(&mut found, place, &task);
            if task.task_recurrence_id.is_some() {
                found.leave_out(place, "Recurrence: Google's file does not include the rule.".to_owned());
            }
            found.push(place, Ok(cells(task, &project)))?;
        }
    }
    if nested > 0 {
        found.notes.push(super::flattened(nested));
    }
    if deleted > 0 {
        found.notes.push(format!("{deleted} deleted tasks were left out."));
    }
    Ok(found)
}

/// Reports details that a task in Docket has no field for.
fn details(found: &mut Found, place: Place, task: &Item<'_>) {
    if task.starred {
        found.leave_out(place, "Star.".to_owned());
    }
    for scheduled in task.scheduled_time.iter().flat_map(|times| &times.0) {
        found.leave_out(place, format!("Scheduled time: {}.", scheduled.start));
    }
    if task.links.as_ref().is_some_and(|links| !links.0.is_empty()) {
        found.leave_out(place, "Links: their addresses are in the notes.".to_owned());
    }
    found.completion(place, task.completed.as_deref().unwrap_or_default());
}

fn item(json: &str) -> Result<Item<'_>, Invalid> {
    serde_json::from_str(json).map_err(|error| refusal("", &error))
}

fn cells(task: Item<'_>, project: &str) -> Cells {
    let done = task.status.is_some_and(|status| status == "completed");
    let links = task.links.iter().flat_map(|links| &links.0);
    let links: Vec<_> = links.map(|link| format!("{} {}", link.description, link.link).trim().to_owned()).collect();
    Cells {
        title: task.title.unwrap_or_default(),
        description: task
            .notes
            .filter(|notes| !notes.is_empty())
            .into_iter()
            .chain(links)
            .collect::<Vec<_>>()
            .join("\n"),
        // Only the date is used: the time is always midnight in UTC.
        due: task.due.map(|due| due.split('T').next().unwrap_or_default().to_owned()).unwrap_or_default(),
        project: project.to_owned(),
        status: if done { "completed" } else { "" }.to_owned(),
        is_foreign: true,
        ..Cells::default()
    }
}
