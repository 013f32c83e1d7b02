//! The link from the conversation to the list on narrow screens: the number of open tasks, or of changed ones.

use leptos::prelude::*;

use super::{Icon, Shape};
use crate::api::tasks::TaskRows;
use crate::domain::id::TaskNumber;
use crate::messages::chat as messages;
use crate::ui::any_view::{Erase, held};
use crate::ui::derived::kept;
use crate::ui::fetch::Fetch;

/// Numbers and versions of tasks.
type Seen = Vec<(TaskNumber, i64)>;

/// Leads to the element `to`, which the stylesheet shows while the address names it. Reads `open` inside the surrounding `Transition`.
#[component]
pub fn TaskPeek(open: Fetch<TaskRows>, to: &'static str) -> impl IntoView {
    let seen = RwSignal::new(None::<Seen>);
    Effect::new(move || {
        if seen.with(Option::is_none)
            && let Some(rows) = open.ok()
        {
            seen.set(Some(versions(&rows)));
        }
    });
    // Opening and closing the list changes the hash, also by the back button.
    Effect::new(move |_| {
        let moved = window_event_listener(leptos::ev::hashchange, move |_| seen.set(None));
        on_cleanup(move || moved.remove());
    });
    let text = kept(move || {
        let rows = open.ok();
        let news = |rows: &TaskRows| seen.with(|seen| seen.as_ref().map_or(0, |seen| changed(seen, rows)));
        match rows.as_ref().map_or(0, news) {
            0 => messages::open_tasks(rows.map_or(0, |rows| rows.total)),
            news => messages::changed(news),
        }
    });
    view! {
        <a class="task-peek" id="peek" href=format!("#{to}")>
            <Icon shape=Shape::List/> <span>{held(move || text.get())}</span> <span class="task-peek__more"><Icon shape=Shape::Chevron/></span>
        </a>
    }
    .erase()
}

fn versions(rows: &TaskRows) -> Seen {
    rows.tasks.iter().map(|row| (row.task.task_id, row.task.version)).collect()
}

/// Returns the number of tasks added, changed or removed since `seen`. A missing task does not count if the list has more pages.
fn changed(seen: &Seen, rows: &TaskRows) -> usize {
    let now = versions(rows);
    let news = now.iter().filter(|task| !seen.contains(task)).count();
    let left = seen.iter().filter(|(number, _)| rows.next.is_none() && !now.iter().any(|(it, _)| it == number)).count();
    news + left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::components::starters::rows;

    #[test]
    fn what_came_changed_and_left_is_counted_once() {
        let seen: Seen = vec![(TaskNumber(1), 1), (TaskNumber(2), 1), (TaskNumber(3), 1)];
        let mut now = rows(&[("a", "Today", None), ("b", "Today", None), ("d", "Today", None)]);
        for (row, (number, version)) in now.tasks.iter_mut().zip([(1, 1), (2, 2), (4, 1)]) {
            row.task.task_id = TaskNumber(number);
            row.task.version = version;
        }
        assert_eq!(changed(&seen, &now), 3, "2 changed, 4 came, 3 left");
        assert_eq!(changed(&versions(&now), &now), 0);
        now.next = Some("more".to_owned());
        assert_eq!(changed(&seen, &now), 2);
    }
}
