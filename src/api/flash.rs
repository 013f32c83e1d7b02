//! Flash messages: shown once, on the next page after a plain form, if no script runs.

use crate::messages::approvals::asks;
use crate::messages::toasts as messages;
use serde::{Deserialize, Serialize};

/// Largest number of items that a sentence names.
const NAMED: usize = 5;

/// A sentence about what was just done, or why it was not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Flash {
    /// The path of the server function that the form called.
    pub path: String,
    /// The sentence after a success.
    pub done: Option<String>,
    /// A secret to be copied; shown only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Ids of the changes that Undo reverts.
    #[serde(default)]
    pub undo: Vec<String>,
    /// The sentence after a failure.
    pub error: Option<String>,
    /// Field and value of an undo whose remaining changes could be undone.
    #[serde(default)]
    pub rest: Option<(String, String)>,
    /// The submitted fields, to refill the form; never passwords. After a success: the parts of the answer that the page shows.
    #[serde(default)]
    pub typed: Vec<(String, String)>,
}

impl Flash {
    /// Returns the field that identifies the subject of an undo.
    pub fn rest_of(fields: impl IntoIterator<Item = (String, String)>) -> Option<(String, String)> {
        fields.into_iter().find(|(name, _)| name == "invocation_id" || name == "turn_id")
    }

    /// Returns the text typed into `field`, if the form that called `path` failed.
    pub fn typed(&self, path: &str, field: &str) -> Option<String> {
        (self.path == path && self.error.is_some())
            .then(|| self.typed.iter().find(|(name, _)| name == field).map(|(_, text)| text.clone()))
            .flatten()
    }

    /// Returns every value of `field`, if the form that called `path` failed.
    #[cfg(feature = "ssr")]
    pub fn typed_all(&self, path: &str, field: &str) -> Vec<String> {
        // Repeated fields arrive numbered: `scopes[0]`.
        let is_one = |name: &str| name.split('[').next() == Some(field);
        let typed = self.typed.iter().filter(|(name, _)| is_one(name)).map(|(_, text)| text.clone());
        if self.path == path && self.error.is_some() { typed.collect() } else { vec![] }
    }

    /// Returns the part `field` of the answer, if the form succeeded.
    pub fn told(&self, field: &str) -> Option<String> {
        let told = self.typed.iter().find(|(name, _)| name == field).map(|(_, text)| text.clone());
        told.filter(|_| self.error.is_none())
    }

    /// Drops the text of an imported file: only the import page shows it.
    pub fn without_file(mut self) -> Self {
        if self.path.starts_with("/api/v1/tasks/import") {
            self.typed.retain(|(name, _)| name != "text");
        }
        self
    }

    pub fn error_of(&self, path: &str) -> Option<String> {
        (self.path == path).then(|| self.error.clone()).flatten()
    }

    /// Returns the error if no form on the page shows it.
    pub fn stray_error(&self) -> Option<String> {
        let name = self.path.strip_prefix("/api/v1/").unwrap_or_default();
        let shown = ["chat", "tasks/add"].contains(&name)
            || (name == "tasks/update" && !self.typed.is_empty())
            || name.starts_with("tasks/import")
            || name.starts_with("settings/")
            || name.starts_with("admin/")
            || name.starts_with("session/");
        self.error.clone().filter(|_| !shown)
    }

    fn told_once(path: &str, answer: &serde_json::Value, field: &str) -> Option<Self> {
        let secret = answer.get(field)?.as_str()?.to_owned();
        Some(Self { path: path.to_owned(), secret: Some(secret), ..Self::default() })
    }

    /// Describes the answer of the server function at `path`; `None` if the page itself shows it.
    pub fn of_answer(path: &str, answer: &serde_json::Value) -> Option<Self> {
        let of = |field: &str| answer.get(field)?.as_str();
        let task = |told: fn(&str) -> String| of("title").map(told);
        let done = match path.strip_prefix("/api/v1/")? {
            "tasks/add" => task(messages::added)?,
            "tasks/add_lines" => messages::added_lines(answer.get("tasks")?.as_array()?.len()),
            "tasks/import" => imported(answer)?,
            "tasks/bulk" | "tasks/move" | "tasks/samples/add" | "tasks/samples/remove" => of("done")?.to_owned(),
            "tasks/update" => task(messages::saved)?,
            "tasks/complete" => task(messages::completed)?,
            "tasks/reopen" => task(messages::reopened)?,
            "tasks/delete" => task(messages::binned)?,
            "tasks/snooze" => messages::reminded_again(of("label")?),
            "tasks/restore" => task(messages::restored)?,
            "conversations/rename" => messages::renamed(of("title")?),
            "conversations/hide" if answer.get("hidden")?.as_bool()? => messages::hidden(of("title")?),
            "conversations/hide" => messages::shown_again(of("title")?),
            "undo" | "undo/last" => undone(answer)?,
            "approvals/decide" => answer.get("decided_label")?.as_str()?.trim_end_matches('.').to_owned(),
            "approvals/extend" => messages::more_time(of("expires_label")?),
            "approvals/again" => match of("heading") {
                Some(heading) => asks(heading),
                None => of("reply")?.trim_end_matches('.').to_owned(),
            },
            "memories/forget" => messages::FORGOTTEN.to_owned(),
            "memories/forget_all" => messages::EVERYTHING_IS_FORGOTTEN.to_owned(),
            "memories/switch" => messages::YOUR_CHOICE_IS_SAVED.to_owned(),
            "settings/password" => messages::YOUR_PASSWORD_IS_CHANGED.to_owned(),
            "settings/appearance" => messages::YOUR_APPEARANCE_IS_SAVED.to_owned(),
            "settings/model" => messages::YOUR_CHOICE_IS_SAVED.to_owned(),
            "settings/model/test" => answer.get("text")?.as_str()?.to_owned(),
            "settings/zone" => messages::YOUR_TIME_ZONE_IS_SAVED.to_owned(),
            "settings/policy" | "admin/policy/set" => messages::THE_TOOL_POLICY_IS_SAVED.to_owned(),
            "settings/sessions/end" => messages::THAT_BROWSER_IS_SIGNED_OUT.to_owned(),
            "settings/sessions/end-others" => messages::EVERY_OTHER_BROWSER_SIGNED_OUT.to_owned(),
            "settings/tokens/create" => return Self::told_once(path, answer, "token"),
            "admin/users/invite" | "admin/users/reset" => return Self::told_once(path, answer, "link"),
            "admin/users/disable" => messages::is_disabled(of("name")?),
            "admin/users/enable" => messages::is_let_in_again(of("name")?),
            "admin/users/role" if of("role")? == "admin" => messages::is_admin_now(of("name")?),
            "admin/users/role" => messages::is_user_now(of("name")?),
            "settings/erase" | "admin/users/erase" => answer.get("told")?.as_str()?.to_owned(),
            "telegram/link" => messages::send_to_the_bot(of("code")?),
            "telegram/unlink" => messages::TELEGRAM_IS_UNLINKED.to_owned(),
            "settings/tokens/revoke" => messages::THE_TOKEN_NO_LONGER_WORKS.to_owned(),
            _ => return None,
        };
        let several = answer.get("tasks").and_then(|tasks| tasks.as_array()).map_or(&[][..], |tasks| tasks);
        let changed = several.iter().chain([answer]).filter_map(|task| task.get("change_id")?.as_str());
        let undo = changed.map(str::to_owned).collect();
        let done = if done.ends_with([')', '?']) { done } else { format!("{done}.") };
        let told =
            ["code", "url", "import_id"].into_iter().filter_map(|field| Some((field, answer.get(field)?.as_str()?)));
        let typed = told.map(|(field, text)| (field.to_owned(), text.to_owned())).collect();
        Some(Self { path: path.to_owned(), done: Some(done), undo, typed, ..Self::default() })
    }
}

fn imported(answer: &serde_json::Value) -> Option<String> {
    let count = |field: &str| answer.get(field)?.as_u64();
    Some(messages::imported(count("added")?, count("already")?, count("left_out")?, count("details")?))
}

/// Describes an undo, with as many titles as a cookie has room for.
fn undone(answer: &serde_json::Value) -> Option<String> {
    let undone = answer.get("undone")?.as_array()?;
    let titles = undone.iter().filter_map(|task| task.get("title")?.as_str()).take(NAMED);
    let titles = titles.map(|title| format!("“{title}”")).collect::<Vec<_>>().join(", ");
    let left = answer.get("left")?.as_array()?.iter().filter_map(|why| why.as_str()).take(NAMED).collect::<Vec<_>>();
    let told = messages::undone(&titles, undone.len().saturating_sub(NAMED), &left);
    Some(told.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completed_task_is_named_and_can_be_undone() {
        let answer = serde_json::json!({"title": "Buy milk", "change_id": "c1"});
        let flash = Flash::of_answer("/api/v1/tasks/complete", &answer).unwrap();
        assert_eq!(flash.done.as_deref(), Some("Completed “Buy milk”."));
        assert_eq!(flash.undo, ["c1"]);
        let several = serde_json::json!({"tasks": [{"change_id": "c1"}, {"change_id": "c2"}]});
        let flash = Flash::of_answer("/api/v1/tasks/add_lines", &several).unwrap();
        assert_eq!((flash.done.as_deref(), flash.undo.len()), (Some("Added 2 tasks."), 2));
        assert_eq!(Flash::of_answer("/api/v1/chat", &answer), None);
    }

    #[test]
    fn flash_returns_typed_input_to_the_failed_form_only() {
        let flash = Flash {
            path: "/api/v1/tasks/add".into(),
            error: Some("A title must not be empty.".into()),
            typed: vec![("text".into(), "#home".into())],
            ..Flash::default()
        };
        assert_eq!(flash.typed("/api/v1/tasks/add", "text").as_deref(), Some("#home"));
        assert_eq!(flash.typed("/api/v1/chat", "text"), None);
        let boxes = ["scopes[0]", "scopes[1]", "scope"].map(|name| (name.to_owned(), name.to_uppercase()));
        let flash = Flash { typed: boxes.into(), ..flash };
        assert_eq!(flash.typed_all("/api/v1/tasks/add", "scopes"), ["SCOPES[0]", "SCOPES[1]"]);
    }
}
