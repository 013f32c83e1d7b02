//! Microsoft To Do: CSV exports of Outlook tasks, and JSON of Microsoft Graph (`todoTask`), as tasks or lists.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bounded::{Bounded, refusal};
use super::cells::{Cells, heading};
use super::table;
use super::{Found, LINES, Place, html, too_many};
use crate::domain::Invalid;

/// Maximum number of categories, of steps and of days of a task.
const FEW: usize = 200;
/// Maximum nesting of lists; each level is parsed again.
const DEEPEST: usize = 3;

/// Returns true if the line is the header of an Outlook task table.
pub fn is_head(line: &str) -> bool {
    let names = |name: &str| table::cells(line).any(|cell| cell == name);
    names("subject") && (names("due date") || names("% complete"))
}

/// Returns true if the JSON is from Microsoft Graph.
pub fn is_theirs(text: &str) -> bool {
    ["\"dueDateTime\"", "\"importance\"", "\"wellknownListName\"", "\"isReminderOn\""]
        .iter()
        .any(|name| text.contains(name))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DateOrder {
    DayFirst,
    MonthFirst,
}

/// Reads an Outlook table. Categories become tags.
pub fn read_table(text: &str) -> Result<Found, Invalid> {
    let (head, lines) = table::records(text)?;
    let at = |name: &str| head.iter().position(|found| found == name);
    if at("subject").is_none() {
        return Err(Invalid::because("This is not an Outlook file: the first line must contain the column Subject."));
    }
    let dates = lines.iter().filter_map(|line| line.record.as_ref().ok()?.get(at("due date")?));
    let order = order_of(dates);
    let mut found = Found::default();
    for line in lines {
        found.beyond(line.place, &line);
        match line.record {
            Err(why) => found.push(line.place, Err(why))?,
            Ok(record) => {
                let place = line.place;
                let cell = |name: &str| at(name).and_then(|at| record.get(at)).unwrap_or_default().trim();
                row(&mut found, place, order, cell)?;
            }
        }
    }
    Ok(found)
}

fn row<'a>(
    found: &mut Found,
    place: Place,
    order: Option<DateOrder>,
    cell: impl Fn(&str) -> &'a str,
) -> Result<(), Invalid> {
    let (due, priority) = (cell("due date"), cell("priority").to_lowercase());
    let done = cell("status").eq_ignore_ascii_case("completed") || cell("% complete").starts_with("100");
    let cells = Cells {
        title: cell("subject").to_owned(),
        description: cell("notes").to_owned(),
        due: date(due, order).map_or_else(|| due.to_owned(), |date| date.to_string()),
        priority: if priority == "normal" { String::new() } else { priority },
        tags: cell("categories")
            .split([';', ','])
            .map(str::trim)
            .filter(|tag| !tag.is_empty())
            .map(str::to_owned)
            .collect(),
        status: if done { "completed" } else { "" }.to_owned(),
        is_foreign: true,
        ..Cells::default()
    };
    for (name, what) in [("start date", "Start date"), ("contacts", "Contacts")] {
        let text = cell(name);
        if !text.is_empty() && text != due {
            found.leave_out(place, format!("{what}: {text}."));
        }
    }
    if !cell("reminder date").is_empty() && !cell("reminder on/off").eq_ignore_ascii_case("false") {
        found.leave_out(
            place,
            format!("Reminder: {}.", [cell("reminder date"), cell("reminder time")].join(" ").trim_end()),
        );
    }
    progress(found, place, done, cell);
    found.push(place, Ok(cells))
}

/// Reports partial progress, and details that a task has no field for.
fn progress<'a>(found: &mut Found, place: Place, done: bool, cell: impl Fn(&str) -> &'a str) {
    let (status, percent) = (cell("status"), cell("% complete").trim_end_matches('%').trim());
    if !done && !["", "not started", "notstarted"].contains(&status.to_lowercase().as_str()) {
        found.leave_out(place, format!("Status {status}: imported as open."));
    }
    let is_part = percent.parse::<f32>().is_ok_and(|part| part > 0.0);
    if !done && is_part {
        found.leave_out(place, format!("Progress: {percent} %."));
    }
    if ["true", "private", "yes"].contains(&cell("private").to_lowercase().as_str()) {
        found.leave_out(place, "Private flag.".to_owned());
    }
    found.completion(place, cell("date completed"));
}

/// Splits a numeric date into its three numbers, in the file's order.
fn parts(text: &str) -> Option<[i16; 3]> {
    let day = text.split_whitespace().next()?;
    let numbers = day.split(['/', '.', '-']).map(str::parse).collect::<Result<Vec<i16>, _>>().ok()?;
    numbers.try_into().ok()
}

/// Infers the order of all dates in a file; `None` if both or neither fit.
fn order_of<'a>(dates: impl Iterator<Item = &'a str>) -> Option<DateOrder> {
    let (mut day_first, mut month_first) = (false, false);
    for [first, second, _] in dates.filter_map(parts).filter(|[first, ..]| *first < 1000) {
        day_first |= first > 12;
        month_first |= second > 12;
    }
    match (day_first, month_first) {
        (true, false) => Some(DateOrder::DayFirst),
        (false, true) => Some(DateOrder::MonthFirst),
        _ => None,
    }
}

/// Parses a date of Outlook; `None` if it is ambiguous.
fn date(text: &str, order: Option<DateOrder>) -> Option<Date> {
    let [first, second, third] = parts(text)?;
    let (year, month, day) = match order {
        _ if first >= 1000 => (first, second, third),
        _ if first == second => (third, first, second),
        // Dates with dots have the day first.
        Some(DateOrder::DayFirst) => (third, second, first),
        None if text.contains('.') => (third, second, first),
        Some(DateOrder::MonthFirst) => (third, first, second),
        None => return None,
    };
    let year = if (0..100).contains(&year) { year + 2000 } else { year };
    Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
}

/// A page of Graph results, a list, or a task.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Item<'a> {
    #[serde(alias = "lists", borrow)]
    value: Option<Bounded<&'a RawValue, LINES>>,
    #[serde(alias = "children", borrow)]
    tasks: Option<Bounded<&'a RawValue, LINES>>,
    display_name: Option<String>,
    wellknown_list_name: Option<String>,
    title: Option<String>,
    body: Option<Body>,
    status: Option<String>,
    importance: Option<String>,
    due_date_time: Option<Moment>,
    categories: Bounded<String, FEW>,
    recurrence: Option<Recurrence>,
    checklist_items: Bounded<Step, FEW>,
    is_reminder_on: bool,
    reminder_date_time: Option<Moment>,
    completed_date_time: Option<Moment>,
    has_attachments: bool,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Body {
    content: String,
    content_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Moment {
    date_time: String,
    time_zone: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Step {
    display_name: String,
    is_checked: bool,
}

#[derive(Deserialize)]
struct Recurrence {
    pattern: Pattern,
    range: Option<Range>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Pattern {
    #[serde(rename = "type")]
    kind: String,
    interval: u32,
    days_of_week: Bounded<String, FEW>,
    day_of_month: u32,
    index: String,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Range {
    #[serde(rename = "type")]
    kind: String,
    end_date: String,
    number_of_occurrences: u32,
}

/// Reads Graph JSON: tasks, or lists of tasks, which become projects. Checklists become lines of the notes.
pub fn read_json(text: &str, zone: &str) -> Result<Found, Invalid> {
    let whole = if text.trim_start().starts_with('[') {
        Item { value: Some(serde_json::from_str(text).map_err(bad)?), ..Item::default() }
    } else {
        serde_json::from_str(text).map_err(bad)?
    };
    let (mut found, mut number) = (Found::default(), 0);
    collect(&mut found, &mut number, whole, &Around { project: String::new(), depth: 0, zone })?;
    Ok(found)
}

fn bad(error: serde_json::Error) -> Invalid {
    refusal(" of Microsoft To Do", &error)
}

/// Context of a list of tasks.
struct Around<'a> {
    project: String,
    /// Number of enclosing lists.
    depth: usize,
    zone: &'a str,
}

/// Collects an item's tasks. Lists may be nested up to [`DEEPEST`], directly or in `value`.
fn collect(found: &mut Found, number: &mut u64, item: Item<'_>, around: &Around<'_>) -> Result<(), Invalid> {
    let own = item.display_name.filter(|_| item.wellknown_list_name.as_deref() != Some("defaultList"));
    let project = own.map_or_else(|| around.project.clone(), |name| heading(Some(&name)));
    let within = Around { project, depth: around.depth + 1, zone: around.zone };
    let inner = item.value.into_iter().chain(item.tasks).flat_map(|list| list.0);
    for json in inner {
        let item: Item<'_> = serde_json::from_str(json.get()).map_err(bad)?;
        if within.depth <= DEEPEST && item.title.is_none() && (item.value.is_some() || item.tasks.is_some()) {
            collect(found, number, item, &within)?;
            continue;
        }
        *number += 1;
        if *number > LINES as u64 {
            return Err(too_many());
        }
        task(found, Place::Entry(*number), item, &within.project, around.zone)?;
    }
    Ok(())
}

fn task(found: &mut Found, place: Place, item: Item<'_>, project: &str, zone: &str) -> Result<(), Invalid> {
    let body = item.body.filter(|body| !body.content.trim().is_empty());
    let is_html = body.as_ref().is_some_and(|body| body.content_type.eq_ignore_ascii_case("html"));
    if is_html {
        found.leave_out(place, "Formatting of the notes, which are HTML.".to_owned());
    }
    let steps = item.checklist_items.0.iter().map(|step| {
        let mark = if step.is_checked { "[x]" } else { "[ ]" };
        format!("{mark} {}", step.display_name)
    });
    let notes = body.map(|body| body.content.replace("\r\n", "\n").trim().to_owned());
    let notes = notes.map(|notes| if is_html { html::text(&notes) } else { notes });
    let priority = item.importance.filter(|level| level != "normal").unwrap_or_default();
    if item.is_reminder_on {
        let at = item.reminder_date_time.map(|at| format!(", {}", at.date_time)).unwrap_or_default();
        found.leave_out(place, format!("Reminder{at}: Docket reminds you at the due time."));
    }
    if item.has_attachments {
        found.leave_out(place, "Attachments.".to_owned());
    }
    if let Some(status @ ("inProgress" | "waitingOnOthers" | "deferred")) = item.status.as_deref() {
        found.leave_out(place, format!("Status {status}: imported as open."));
    }
    found.completion(place, item.completed_date_time.as_ref().map_or("", |at| &at.date_time));
    let cells = Cells {
        title: item.title.unwrap_or_default(),
        description: notes.into_iter().chain(steps).collect::<Vec<_>>().join("\n"),
        due: item.due_date_time.map(|due| day(&due, zone)).unwrap_or_default(),
        priority,
        project: project.to_owned(),
        tags: item.categories.0,
        recurrence: item.recurrence.map(|repeats| rule(&repeats)).unwrap_or_default(),
        status: if item.status.as_deref() == Some("completed") { "completed" } else { "" }.to_owned(),
        is_foreign: true,
        ..Cells::default()
    };
    found.push(place, Ok(cells))
}

/// Returns the date of a due time: To Do stores dates as midnight in some zone.
fn day(due: &Moment, zone: &str) -> String {
    let Ok(at) = due.date_time.parse::<DateTime>() else { return due.date_time.clone() };
    let from = due.time_zone.as_deref().and_then(|zone| TimeZone::get(zone).ok());
    match from.and_then(|from| Some((at.to_zoned(from).ok()?, TimeZone::get(zone).ok()?))) {
        Some((at, here)) if at.hour() != 0 || at.minute() != 0 => at.with_time_zone(here).date().to_string(),
        _ => at.date().to_string(),
    }
}

/// Converts Graph's recurrence pattern to a rule (RFC 5545), or to a phrase that names the pattern.
fn rule(repeats: &Recurrence) -> String {
    let Pattern { kind, interval, days_of_week, day_of_month, index } = &repeats.pattern;
    let days = || {
        let short = days_of_week.0.iter().map(|day| day.chars().take(2).collect::<String>().to_uppercase());
        short.collect::<Vec<_>>().join(",")
    };
    let place = match index.as_str() {
        "second" => "2",
        "third" => "3",
        "fourth" => "4",
        "last" => "-1",
        _ => "1",
    };
    let rule = match kind.as_str() {
        "daily" => "FREQ=DAILY".to_owned(),
        "weekly" => format!("FREQ=WEEKLY;BYDAY={}", days()),
        "absoluteMonthly" => format!("FREQ=MONTHLY;BYMONTHDAY={day_of_month}"),
        "relativeMonthly" if days_of_week.0.len() == 1 => format!("FREQ=MONTHLY;BYDAY={place}{}", days()),
        "absoluteYearly" => "FREQ=YEARLY".to_owned(),
        other => return format!("{other} {interval}"),
    };
    let (head, tail) = rule.split_once(';').map_or((rule.as_str(), ""), |(head, tail)| (head, tail));
    let mut parts = vec![head.to_owned()];
    parts.extend((*interval > 1).then(|| format!("INTERVAL={interval}")));
    parts.extend(Some(tail.to_owned()).filter(|tail| !tail.is_empty()));
    match &repeats.range {
        Some(range) if range.kind == "endDate" => parts.push(format!("UNTIL={}", range.end_date.replace('-', ""))),
        Some(range) if range.kind == "numbered" => parts.push(format!("COUNT={}", range.number_of_occurrences)),
        _ => {}
    }
    parts.join(";")
}
