//! Reminders that await an answer, each until it is answered or dismissed, in every tab of the browser.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::browser;
#[cfg(feature = "hydrate")]
use super::http;
use super::session::Session;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reminder {
    pub task: i64,
    pub title: String,
    /// The task's due date when it was sent, in wire form.
    due: Option<String>,
}

impl Reminder {
    /// Parses a `reminder.due` event or a stored reminder.
    fn read(data: &Value) -> Option<Self> {
        let text = |field: &str| data[field].as_str().map(str::to_owned);
        Some(Self { task: data["task_id"].as_i64()?, title: text("title")?, due: text("due") })
    }

    fn write(&self) -> Value {
        json!({ "task_id": self.task, "title": self.title, "due": self.due })
    }

    /// Returns true if the task, from an event or an answer, is still open and due at the same time.
    fn holds(&self, task: &Value) -> bool {
        let open = task["status"] == "pending" && task["deleted_at"].is_null();
        open && task["due"].as_str() == self.due.as_deref()
    }
}

/// The unanswered reminders, oldest first, from context. All tabs share one storage entry: an answer in one tab counts
/// in all, and closing the page answers nothing.
#[derive(Clone, Copy)]
pub struct Reminders {
    waiting: RwSignal<Vec<Reminder>>,
    /// Name of the storage entry; empty until the account is known.
    name: StoredValue<String>,
}

impl Reminders {
    pub fn provide(session: Session) -> Self {
        let reminders = Self { waiting: RwSignal::new(vec![]), name: StoredValue::new(String::new()) };
        provide_context(reminders);
        // Follows the changes of other tabs.
        #[cfg(feature = "hydrate")]
        let told =
            window_event_listener_untyped("storage", move |_| reminders.show(reminders.kept().unwrap_or_default()));
        #[cfg(feature = "hydrate")]
        on_cleanup(move || told.remove());
        #[cfg(feature = "hydrate")]
        Effect::new(move |open: Option<bool>| match (open, session.me()) {
            (Some(true), _) => true,
            (_, Some(me)) => {
                reminders.open(&me.user.user_id.to_string());
                true
            }
            (_, None) => false,
        });
        #[cfg(not(feature = "hydrate"))]
        let _ = session;
        reminders
    }

    pub fn current() -> Self {
        expect_context()
    }

    pub fn all(self) -> Vec<Reminder> {
        self.waiting.get()
    }

    /// Handles a `reminder.due` event. Each task has one reminder at most.
    pub fn hear(self, data: &Value) {
        if let Some(reminder) = Reminder::read(data) {
            self.change(|waiting| {
                waiting.retain(|it| it.task != reminder.task);
                waiting.push(reminder);
            });
        }
    }

    /// Removes the reminder of a task that was completed, deleted or rescheduled.
    pub fn settle(self, task: &Value) {
        let Some(number) = task["task_id"].as_i64() else { return };
        if self.waiting.with_untracked(|waiting| waiting.iter().any(|it| it.task == number && !it.holds(task))) {
            self.answer(number);
        }
    }

    /// Removes a reminder that was answered or dismissed.
    pub fn answer(self, task: i64) {
        self.change(|waiting| waiting.retain(|it| it.task != task));
    }

    /// Restores a reminder at the front, since its answer did not arrive.
    pub fn put_back(self, reminder: Reminder) {
        self.change(|waiting| {
            waiting.retain(|it| it.task != reminder.task);
            waiting.insert(0, reminder);
        });
    }

    /// Changes the stored reminders. Another tab may have changed them since this one read them.
    fn change(self, change: impl FnOnce(&mut Vec<Reminder>)) {
        let mut waiting = self.kept().unwrap_or_else(|| self.waiting.get_untracked());
        change(&mut waiting);
        if let Some(name) = self.name.try_get_value().filter(|name| !name.is_empty()) {
            let all: Vec<_> = waiting.iter().map(Reminder::write).collect();
            browser::keep_text(&name, &json!(all).to_string());
        }
        self.show(waiting);
    }

    fn show(self, waiting: Vec<Reminder>) {
        if self.waiting.try_get_untracked().is_some_and(|before| before != waiting) {
            self.waiting.set(waiting);
        }
    }

    /// Returns the stored reminders; `None` if there are none.
    fn kept(self) -> Option<Vec<Reminder>> {
        let kept = browser::kept_text(&self.name.try_get_value().filter(|name| !name.is_empty())?)?;
        let all: Value = serde_json::from_str(&kept).ok()?;
        Some(all.as_array()?.iter().filter_map(Reminder::read).collect())
    }

    /// Shows the account's stored reminders, and removes those that are out of date.
    #[cfg(feature = "hydrate")]
    fn open(self, account: &str) {
        // With the drafts' prefix, since sign-out removes those.
        self.name.set_value(format!("{}{account} !", browser::DRAFTS));
        self.show(self.kept().unwrap_or_default());
        for reminder in self.waiting.get_untracked() {
            leptos::task::spawn_local(async move {
                let query = http::form(&[("task_id", &reminder.task.to_string())]);
                match http::get("/api/v1/tasks/get", &query).await {
                    Ok(life) => self.settle(&serde_json::from_str::<Value>(&life).unwrap_or_default()["task"]),
                    Err(error) if error.code == crate::api::error::Code::NotFound => self.answer(reminder.task),
                    Err(_) => {}
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reminders() -> Reminders {
        Reminders { waiting: RwSignal::new(vec![]), name: StoredValue::new(String::new()) }
    }

    fn due(task: i64) -> Value {
        json!({ "task_id": task, "title": format!("task {task}"), "due": "2026-03-11T09:00:00Z" })
    }

    fn waiting(reminders: Reminders) -> Vec<i64> {
        reminders.waiting.get_untracked().iter().map(|it| it.task).collect()
    }

    #[test]
    fn simultaneous_reminders_wait_until_each_is_answered() {
        Owner::new().with(|| {
            let reminders = reminders();
            for task in [1, 2, 1, 3] {
                reminders.hear(&due(task));
            }
            assert_eq!(waiting(reminders), [2, 1, 3]);
            reminders.answer(1);
            assert_eq!(waiting(reminders), [2, 3]);
            let second = reminders.waiting.get_untracked()[1].clone();
            reminders.answer(3);
            reminders.put_back(second);
            assert_eq!(waiting(reminders), [3, 2]);
        });
    }

    #[test]
    fn reminder_closes_when_its_task_is_done_deleted_or_moved() {
        Owner::new().with(|| {
            let task = |number: i64, field: &str, value: &str| {
                let mut task = json!({ "task_id": number, "status": "pending", "due": "2026-03-11T09:00:00Z", "deleted_at": null });
                task[field] = json!(value);
                task
            };
            let reminders = reminders();
            (1..=5).for_each(|number| reminders.hear(&due(number)));
            reminders.settle(&task(1, "title", "another title"));
            assert_eq!(waiting(reminders), [1, 2, 3, 4, 5]);
            reminders.settle(&task(2, "status", "completed"));
            reminders.settle(&task(3, "deleted_at", "2026-03-11T09:01:00Z"));
            reminders.settle(&task(4, "due", "2026-03-12T09:00:00Z"));
            reminders.settle(&task(7, "status", "completed"));
            assert_eq!(waiting(reminders), [1, 5]);
        });
    }
}
