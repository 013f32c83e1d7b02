//! Fields of an imported row, independent of the file's format.

use crate::domain::Invalid;
use crate::domain::comparison::{is_blank, visible};
use crate::domain::id::TaskNumber;
use crate::domain::task::{Description, Due, NewTask, Priority, Project, Status, Tag, Title};
use crate::domain::text::shortened;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::usecases::accounts::known_zone;

/// Column names of the fields, in any case.
pub const FIELDS: [&str; 9] =
    ["title", "description", "due", "due_zone", "priority", "project", "tags", "recurrence", "status"];

/// Maximum length of a date with its recurrence, in bytes.
const LONGEST_DATE: usize = 120;

/// Fields of a row; an empty one has no value.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    pub title: String,
    pub description: String,
    pub due: String,
    pub priority: String,
    pub project: String,
    pub tags: Vec<String>,
    pub recurrence: String,
    pub status: String,
    /// Time zone of the row's times, if it is not the user's.
    pub zone: Option<String>,
    /// True for a row of another program. An unreadable date then goes into the notes.
    pub is_foreign: bool,
    pub exported: Exported,
}

/// Returns the project that a heading names, cut to one character above the limit. Each row copies it and reports the excess.
pub fn heading(name: Option<&str>) -> String {
    name.unwrap_or_default().trim().chars().take(Project::MAX + 1).collect()
}

/// `task_id` and `created_at` of a row from Docket's own export.
#[derive(Debug, Clone, Default)]
pub struct Exported {
    pub task_id: String,
    pub created_at: String,
}

impl Exported {
    pub fn task(&self) -> Option<(TaskNumber, Timestamp)> {
        Some((TaskNumber::parse(&self.task_id).ok()?, Timestamp::parse(&self.created_at).ok()?))
    }
}

#[derive(Debug)]
pub struct Taken {
    pub task: NewTask,
    pub is_completed: bool,
    /// Details that the task lacks, as sentences.
    pub left_out: Vec<String>,
}

impl Cells {
    /// Sets the field of that name; returns false if there is no such field.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let field = match name {
            "title" => &mut self.title,
            "due" => &mut self.due,
            "priority" => &mut self.priority,
            "project" => &mut self.project,
            "recurrence" => &mut self.recurrence,
            "status" => &mut self.status,
            "task_id" => &mut self.exported.task_id,
            "created_at" => &mut self.exported.created_at,
            "due_zone" => {
                self.zone = given(value).map(str::to_owned);
                return true;
            }
            "tags" => {
                self.tags = tags(value);
                return true;
            }
            "description" => {
                value.clone_into(&mut self.description);
                return true;
            }
            _ => return false,
        };
        value.trim().clone_into(field);
        true
    }

    /// Converts the fields to a task. A value that is too long is cut, and added to the notes in full as far as these have room.
    pub fn task(&self, now: &Timestamp, zone: &str) -> Result<Taken, Invalid> {
        let mut kept = Kept { notes: self.description.clone(), left_out: vec![] };
        let own = match self.zone.as_deref().map(|zone| known_zone(zone).map_err(|why| (zone, why))).transpose() {
            Ok(own) => own,
            Err((unknown, _)) if self.is_foreign => {
                kept.left_out.push(format!("Time zone “{unknown}”: unknown, so yours is used."));
                None
            }
            Err((_, why)) => return Err(why),
        };
        let zone = own.as_deref().unwrap_or(zone);
        let mut task = NewTask::titled(self.title(&mut kept)?);
        if let Some(due) = value(&self.due) {
            match self.moment(due, now, zone) {
                Ok((due, rule)) => (task.due, task.recurrence) = (Some(due), rule),
                Err(_) if self.is_foreign => kept.keep("Date", due),
                Err(why) => return Err(ambiguous(due).unwrap_or(why)),
            }
        }
        if let Some(rule) = value(&self.recurrence) {
            match when::resolve_recurrence(rule, now, zone) {
                Ok((rule, first)) => (task.recurrence, task.due) = (Some(rule), task.due.or(first)),
                Err(_) if self.is_foreign => kept.keep("Repetition", rule),
                Err(why) => return Err(why),
            }
        }
        if let Some(name) = value(&self.priority) {
            match priority(name) {
                Some(read) => task.priority = read,
                None => kept.keep("Priority", name),
            }
        }
        if let Some(name) = given(&self.project).map(|name| name.trim_start_matches('#')) {
            match Project::parse(name) {
                Ok(project) => task.project = Some(project),
                Err(_) if name.chars().count() > Project::MAX => {
                    kept.keep_long("Project", name, &characters(Project::MAX))
                }
                Err(why) => return Err(why),
            }
        }
        task.tags = self.tags(&mut kept)?;
        let status = match value(&self.status).map(|name| status(name).map_err(|_| name)).transpose() {
            Ok(status) => status,
            Err(name) => {
                kept.keep("Status", name);
                None
            }
        };
        // Its first line may be empty.
        task.description = kept.description()?;
        let left_out = kept.left_out;
        Ok(Taken { task, is_completed: status == Some(Status::Completed), left_out })
    }

    fn title(&self, kept: &mut Kept) -> Result<Title, Invalid> {
        let count = self.title.trim().chars().count();
        if count <= Title::MAX {
            return Title::parse(&self.title);
        }
        let cut: String = self.title.trim().chars().take(Title::MAX - 1).collect();
        kept.keep_long("Title", self.title.trim(), &characters(Title::MAX));
        Title::parse(&format!("{}…", cut.trim_end()))
    }

    /// Returns as many tags as a task may have; the others go into the notes.
    fn tags(&self, kept: &mut Kept) -> Result<Vec<Tag>, Invalid> {
        let mut tags: Vec<Tag> = vec![];
        let mut others: Vec<&str> = vec![];
        for name in self.tags.iter().map(String::as_str).filter(|name| !is_blank(name)) {
            let long = name.chars().count() > Tag::MAX;
            match if long { None } else { Some(Tag::parse(name.trim().trim_start_matches(['@', '#']))?) } {
                Some(tag) if tags.len() < Tag::MOST => tags.push(tag),
                _ => others.push(name),
            }
        }
        if !others.is_empty() {
            kept.keep_long("Tags", &others.join(", "), &format!("{} of {} characters each", Tag::MOST, Tag::MAX));
        }
        Ok(tags)
    }

    /// Returns the date and the rule of a `due` field. Other programs may write a quick-add line (`every 2 weeks starting 7 Dec`).
    fn moment(&self, due: &str, now: &Timestamp, zone: &str) -> Result<(Due, Option<String>), Invalid> {
        if let Some(found) =
            Some(due).filter(|due| due.len() <= LONGEST_DATE).and_then(|due| when::parse(due, now, zone))
        {
            return Ok((found.due, found.recurrence));
        }
        if self.is_foreign && due.len() <= LONGEST_DATE {
            let read = when::quick_add(&format!("{TITLE} {due}"), now, zone);
            if let Some(found) = read.due.filter(|_| read.title == TITLE) {
                return Ok((found, read.recurrence));
            }
        }
        when::resolve(due, now, zone).map(|due| (due, None))
    }

    /// Serialises the row's fields; different rows have different bytes.
    pub fn said(&self) -> Vec<u8> {
        let description = self.description.trim();
        let single =
            [&self.title, description, &self.due, &self.priority, &self.project, &self.recurrence, &self.status];
        serde_json::to_vec(&(single, &self.tags, &self.zone)).expect("texts are JSON")
    }
}

/// Notes of a row and the details that its task lacks.
struct Kept {
    notes: String,
    left_out: Vec<String>,
}

impl Kept {
    /// Adds an unreadable value to the notes.
    fn keep(&mut self, name: &str, text: &str) {
        self.add(name, text);
        self.left_out
            .push(format!("The {} “{text}” was not recognised. It is kept in the notes.", name.to_lowercase()));
    }

    /// Adds a value to the notes that exceeds its field's limits.
    fn keep_long(&mut self, name: &str, text: &str, most: &str) {
        self.add(name, text);
        let shown = shortened(text.to_owned(), SHOWN);
        let what = name.to_lowercase();
        self.left_out.push(format!(
            "The {what} “{shown}” exceeded the limit (at most {most}). The full text is kept in the notes."
        ));
    }

    fn add(&mut self, name: &str, text: &str) {
        self.notes = [self.notes.trim_end(), &format!("{name}: {text}")].join("\n").trim_start().to_owned();
    }

    /// Returns the notes, cut to the limit.
    fn description(&mut self) -> Result<Option<Description>, Invalid> {
        let count = self.notes.chars().count();
        if count > Description::MAX {
            self.notes = self.notes.chars().take(Description::MAX - 1).chain(['…']).collect();
            let lost = count - Description::MAX + 1;
            self.left_out.push(format!("The last {lost} characters of the notes: the limit is {}.", Description::MAX));
        }
        given(&self.notes).map(|_| Description::parse(&self.notes)).transpose()
    }
}

const NOTHING: [&str; 9] = ["-", "–", "—", "n/a", "na", "none", "no", "never", "null"];

/// Returns a given value, unless it is a word for none.
fn value(text: &str) -> Option<&str> {
    given(text).filter(|text| !NOTHING.contains(&text.to_lowercase().as_str()))
}

/// Parses a priority by name, number, or another program's name.
fn priority(name: &str) -> Option<Priority> {
    let name = name.to_lowercase();
    let name = match name.as_str() {
        "1" | "urgent" | "critical" | "highest" | "important" | "!!!" => "high",
        "2" | "normal" | "med" | "moderate" | "!!" => "medium",
        "3" | "lowest" | "minor" | "!" => "low",
        "4" | "0" => "none",
        name => name,
    };
    Priority::parse(name).ok()
}

/// Parses a status by name, or another program's name.
fn status(name: &str) -> Result<Status, Invalid> {
    match name.to_lowercase().as_str() {
        "done" | "complete" | "closed" | "finished" | "yes" | "true" | "x" | "✓" | "✔" | "1" => {
            Ok(Status::Completed)
        }
        "open" | "todo" | "to do" | "to-do" | "not started" | "in progress" | "waiting" | "false" | "0" => {
            Ok(Status::Pending)
        }
        name => Status::parse(name),
    }
}

/// Returns the refusal of a numeric date that is ambiguous between day-first and month-first.
fn ambiguous(text: &str) -> Option<Invalid> {
    let numbers: Vec<u16> = text.split(['/', '.', '-']).map(str::parse).collect::<Result<_, _>>().ok()?;
    let [first, second, year] = numbers[..] else { return None };
    let both = (1..=12).contains(&first) && (1..=12).contains(&second) && first != second && year > 31;
    both.then(|| {
        let (one, other) = (format!("{year}-{second:02}-{first:02}"), format!("{year}-{first:02}-{second:02}"));
        Invalid::because(format!("“{text}” could be {one} or {other}. Write the date as one of these."))
    })
}

fn characters(most: usize) -> String {
    format!("{most} characters")
}

/// Maximum length of a quoted value in a message, in characters.
const SHOWN: usize = 80;

/// Splits a cell into tags: a JSON list (see [`listed`]), or separated by commas or semicolons.
fn tags(cell: &str) -> Vec<String> {
    if let Ok(tags) = serde_json::from_str(cell) {
        return tags;
    }
    let tags = cell.split(SEPARATORS).map(str::trim).filter(|tag| !tag.is_empty());
    tags.map(str::to_owned).collect()
}

/// Joins tags into one cell: a JSON list if a tag contains a separator.
pub fn listed(tags: &[Tag]) -> String {
    let plain: Vec<_> = tags.iter().map(Tag::as_str).collect();
    if plain.iter().any(|tag| tag.contains(SEPARATORS) || tag.starts_with('[')) {
        return serde_json::json!(plain).to_string();
    }
    plain.join(",")
}

/// A title that is never part of a date.
const TITLE: &str = "xyzzy";

const SEPARATORS: [char; 2] = [',', ';'];

fn given(text: &str) -> Option<&str> {
    visible(text.trim())
}
