//! New tasks from a message in list form, each parsed separately.

use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::clauses::heads::Head;
use crate::llm::rules::clauses::listing::listing;
use crate::llm::rules::normalise::words::words;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{NewItem, Part};
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::{days, fields, vague};

/// Maximum items of a message.
const MOST: usize = 40;

/// Returns the new tasks of a message in list form; `None` if it is no list.
pub(in crate::llm::rules) fn listed(text: &str, now: &Timestamp, zone: &str) -> Option<Vec<Part>> {
    let listing = listing(text, now, zone)?;
    let head = &listing.head;
    let mut items: Vec<NewItem> = vec![];
    for wish in listing.wishes.iter().take(MOST) {
        // "tomorrow: bank 9am, gym 6pm", "tomorrow 9am bank, 11am dentist"
        let day = head.day.as_ref().filter(|day| day.recurrence.is_none()).map(|day| day.due.day().to_owned());
        let on_day = on_day(wish, day, items.last(), now, zone);
        items.push(wished(on_day.as_deref().unwrap_or(wish), now, zone)?);
    }
    let ends_with_day = listing.wishes.last().is_some_and(|last| {
        let end = last.trim_end_matches(['.', '!', ' ']).len();
        when::find(last, now, zone).iter().any(|found| found.span.end == end)
    });
    let open = head.project.is_none() && head.tags.is_empty();
    fields::share_last_label(&mut items, open && listing.shares_last_day);
    share(&mut items, head, listing.shares_last_day && ends_with_day);
    if items.is_empty() || items.iter().any(|item| vague::says_nothing(&item.title)) {
        return None;
    }
    let mut parts = vec![Part::Add { items, unless_there: false }];
    if !head.unused.is_empty() {
        parts.push(Part::Say(format!("I did not use “{}”.", head.unused.join(", "))));
    }
    Some(parts)
}

/// Returns an item with its only date completed if that is a time alone: by the day of the head, or of the item before if dates lead.
fn on_day(wish: &str, day: Option<String>, before: Option<&NewItem>, now: &Timestamp, zone: &str) -> Option<String> {
    let found = when::find(wish, now, zone);
    let [only] = found.as_slice() else { return None };
    let (from, to) = (only.span.start, only.span.end);
    let day = day.or_else(|| before.filter(|_| from == 0)?.due.clone())?;
    let clock = only.when.recurrence.is_none() && days::clock_only(&words(&wish[from..to]));
    clock.then(|| format!("{}{} {}", &wish[..from], day.get(..10).unwrap_or_default(), &wish[from..]))
}

/// Parses one item as a new task; `None` if it is none.
fn wished(wish: &str, now: &Timestamp, zone: &str) -> Option<NewItem> {
    let notes = Notes::of(wish, now, zone);
    let context = Context::new(wish, now, zone, &notes);
    let said = words(wish);
    let mut items = fields::items(&said, context, false, None).into_iter();
    items.next().filter(|item| items.next().is_none() && !item.title.is_empty())
}

/// Applies the heading to every new task, and the last item's date if it is meant for all.
fn share(items: &mut [NewItem], head: &Head, shares_last_day: bool) {
    let own = items.iter().filter(|item| item.due.is_some()).count();
    let last = items.last().cloned().filter(|last| shares_last_day && own == 1 && last.due.is_some());
    for item in items {
        let day = head.day.as_ref().map(|when| (when.due.as_str().to_owned(), when.recurrence.clone()));
        let day = day.or_else(|| last.as_ref().and_then(|last| Some((last.due.clone()?, last.recurrence.clone()))));
        if let Some((due, recurrence)) = day.filter(|_| item.due.is_none()) {
            item.due = Some(due);
            item.recurrence = recurrence;
        }
        item.project = item.project.take().or_else(|| head.project.clone());
        item.tags.extend(head.tags.iter().cloned());
        item.priority = item.priority.or(head.priority);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<String> {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let parts = listed(text, &now, "Europe/London").unwrap_or_default();
        let items =
            parts.into_iter().find_map(|part| if let Part::Add { items, .. } = part { Some(items) } else { None });
        items.unwrap_or_default().into_iter().map(|item| item.title).collect()
    }

    #[test]
    fn every_line_of_a_list_is_a_wish() {
        for (text, wishes) in [
            ("add\nmilk\neggs\nbread", &["milk", "eggs", "bread"][..]),
            ("add milk\neggs", &["milk", "eggs"]),
            ("need to:\n- renew passport\n- cancel gym", &["renew passport", "cancel gym"]),
            ("1. sand the door\n2. oil the hinge", &["sand the door", "oil the hinge"]),
            ("- delete task 3\n- buy milk", &[]),
            ("add milk\nthanks", &[]),
            ("hello\nhow are you", &[]),
        ] {
            assert_eq!(titles(text), wishes, "{text}");
        }
    }

    #[test]
    fn commas_divide_wishes_and_no_titles() {
        for (text, wishes) in [
            (
                "add a few things: call bo, fix the tap, and return the drill to Ana",
                &["call bo", "fix the tap", "return the drill to Ana"][..],
            ),
            ("tomorrow: soap, foil", &["soap", "foil"]),
            (
                "add renew passport, book vaccinations and cancel gym",
                &["renew passport", "book vaccinations", "cancel gym"],
            ),
            ("add wash the car and then buy soap", &["wash the car", "buy soap"]),
            ("add wash and fold the towels", &[]),
            ("add call mum and ask about the party", &[]),
            ("add dinner with Tom, Sue and Priya", &[]),
            ("add sand the door and delete task 3", &[]),
        ] {
            assert_eq!(titles(text), wishes, "{text}");
        }
    }
}
