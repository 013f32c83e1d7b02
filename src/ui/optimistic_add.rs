//! Optimistic rows of quick add: each is shown at once, and removed if the server refuses it.

use std::time::Duration;

use leptos::prelude::*;

use crate::api::tasks::TaskRow;
use crate::domain::id::TaskNumber;

/// Time that an added row stays if no list on the page shows it, as when it belongs to another view.
const STAY: Duration = Duration::from_secs(2);

/// A task that is being added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    /// Serial number of the row on this page.
    pub count: u32,
    pub title: String,
    /// Labels of the other fields that were understood, joined by ` · `.
    pub more: String,
    /// Number of the created task; `None` until the server has answered.
    pub task: Option<TaskNumber>,
}

/// The tasks that are being added, from context.
#[derive(Clone, Copy)]
pub struct OptimisticAdd {
    pub rows: RwSignal<Vec<NewRow>>,
    last: StoredValue<u32>,
}

impl OptimisticAdd {
    pub fn provide() {
        provide_context(Self { rows: RwSignal::new(vec![]), last: StoredValue::new(0) });
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Shows a new row and returns its serial number.
    pub fn begin(self, title: String, more: String) -> u32 {
        let count = self.last.get_value() + 1;
        self.last.set_value(count);
        self.rows.update(|rows| rows.push(NewRow { count, title, more, task: None }));
        count
    }

    /// Ends a row: keeps it for `STAY` if a task was created, and removes it otherwise.
    pub fn end(self, count: u32, task: Option<i64>) {
        let Some(task) = task else { return self.take(count) };
        // The page may be gone when the answer arrives.
        let shown = self.rows.try_update(|rows| {
            if let Some(row) = rows.iter_mut().find(|row| row.count == count) {
                row.task = Some(TaskNumber(task));
            }
        });
        if shown.is_none() {
            return;
        }
        set_timeout(move || self.take(count), STAY);
    }

    /// Removes the rows that `list` shows itself. Tracks the rows, so call it in an effect.
    pub fn yield_to(self, list: &[TaskRow]) {
        let listed = |row: &NewRow| row.task.is_some_and(|task| list.iter().any(|it| it.task.task_id == task));
        if self.rows.with(|rows| rows.iter().any(listed)) {
            self.rows.update(|rows| rows.retain(|row| !listed(row)));
        }
    }

    fn take(self, count: u32) {
        if self.rows.try_with_untracked(|rows| rows.iter().any(|row| row.count == count)) == Some(true) {
            self.rows.update(|rows| rows.retain(|row| row.count != count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_finds_the_page_gone_and_does_nothing() {
        let owner = Owner::new();
        let adding = owner.with(|| {
            OptimisticAdd::provide();
            OptimisticAdd::current()
        });
        let count = adding.begin("milk".to_owned(), String::new());
        owner.cleanup();
        adding.end(count, Some(1));
        adding.end(count, None);
    }
}
