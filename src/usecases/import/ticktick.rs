//! TickTick backups: a CSV table below a block with date, version and statuses (help.ticktick.com, "Backup & Import").

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::cells::Cells;
use super::table;
use super::{Found, Place, SUB_TASK};
use crate::domain::Invalid;

/// Maximum number of lines above the header, with a margin.
const BLOCK: usize = 12;

/// Returns the offset of the header; `None` if the text is not from TickTick.
pub fn head(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n').take(BLOCK) {
        let line_names = |name: &str| table::cells(line).any(|cell| cell == name);
        if ["list name", "title", "status"].into_iter().all(line_names) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Reads a backup. Lists become projects; notes are skipped.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let Some(begin) = head(text) else {
        return Err(Invalid::because(
            "This is not a TickTick file: no line contains the columns List Name, Title and Status.",
        ));
    };
    let above = text[..begin].matches('\n').count() as u64;
    let (head, lines) = table::records(&text[begin..])?;
    let at = |name: &str| head.iter().position(|found| found == name);
    let (mut found, mut nested) = (Found::default(), 0);
    for line in lines {
        let place = line.place.below(above);
        found.beyond(place, &line);
        let record = match line.record {
            Ok(record) => record,
            Err(why) => {
                found.push(place, Err(why))?;
                continue;
            }
        };
        let cell = |name: &str| at(name).and_then(|at| record.get(at)).unwrap_or_default().trim();
        if cell("kind").eq_ignore_ascii_case("note") {
            found.push(place, Err("This entry is a note, not a task.".into()))?;
            continue;
        }
        if !cell("parentid").is_empty() {
            nested += 1;
            found.leave_out(place, SUB_TASK.to_owned());
        }
        task(&mut found, place, cell)?;
    }
    if nested > 0 {
        found.notes.push(super::flattened(nested));
    }
    Ok(found)
}

fn task<'a>(found: &mut Found, place: Place, cell: impl Fn(&str) -> &'a str) -> Result<(), Invalid> {
    let priority = match cell("priority") {
        "" | "0" => "none",
        "1" => "low",
        "3" => "medium",
        "5" => "high",
        other => {
            found.leave_out(place, format!("Priority “{other}”: it must be 0, 1, 3 or 5."));
            "none"
        }
    };
    let status = match cell("status") {
        "" | "0" => "",
        // 2 means archived: completed and hidden.
        "1" | "2" => "completed",
        "-1" => return found.push(place, Err("This task is marked as “won't do”.".into())),
        other => {
            found.leave_out(place, format!("Status “{other}”: it must be 0, 1 or 2."));
            ""
        }
    };
    let zone = Some(cell("timezone")).filter(|zone| !zone.is_empty());
    let start = cell("start date");
    let due = Some(cell("due date")).filter(|due| !due.is_empty()).unwrap_or(start);
    let all_day = cell("is all day").eq_ignore_ascii_case("true");
    let list = cell("list name");
    let cells = Cells {
        title: cell("title").to_owned(),
        description: cell("content").to_owned(),
        due: day_or_time(due, zone, all_day).unwrap_or_else(|| due.to_owned()),
        priority: priority.to_owned(),
        project: if list == "Inbox" { String::new() } else { list.to_owned() },
        tags: cell("tags").split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect(),
        recurrence: cell("repeat").trim_start_matches("RRULE:").to_owned(),
        status: status.to_owned(),
        zone: zone.map(str::to_owned),
        is_foreign: true,
        ..Cells::default()
    };
    if !start.is_empty() && start != due {
        found.leave_out(place, format!("Start date {start}: a task has only one date."));
    }
    if !cell("reminder").is_empty() {
        found.leave_out(place, "Reminder: Docket reminds you at the due time.".to_owned());
    }
    for (name, what) in [("folder name", "Folder"), ("column name", "Column")] {
        if !cell(name).is_empty() {
            found.leave_out(place, format!("{what}: {}.", cell(name)));
        }
    }
    found.completion(place, cell("completed time"));
    found.dated |= !cell("created time").is_empty();
    found.push(place, Ok(cells))
}

/// Converts a TickTick instant (`2026-06-27T07:30:00+0000`) to a date, or to a time in its zone.
fn day_or_time(text: &str, zone: Option<&str>, all_day: bool) -> Option<String> {
    let at = jiff::fmt::strtime::parse("%Y-%m-%dT%H:%M:%S%z", text).and_then(|parts| parts.to_timestamp());
    let at: Timestamp = at.or_else(|_| text.parse()).ok()?;
    let there = at.to_zoned(zone.and_then(|zone| TimeZone::get(zone).ok()).unwrap_or(TimeZone::UTC));
    Some(if all_day { there.date().to_string() } else { there.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string() })
}
