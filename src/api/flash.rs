//! What a page says once after something was done by a plain form, when no script ran.

use serde::{Deserialize, Serialize};

/// Most things that a sentence names.
const NAMED: usize = 5;

/// A sentence about what was just done, or why it was not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Flash {
    /// The path of the server function that the form called.
    pub path: String,
    /// What was done.
    pub done: Option<String>,
    /// A secret that is shown this once, to be copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The changes that Undo takes back.
    #[serde(default)]
    pub undo: Vec<String>,
    /// Why nothing was done.
    pub error: Option<String>,
    /// Field and value of an undo of which the rest could be taken back.
    #[serde(default)]
    pub rest: Option<(String, String)>,
    /// What was typed, to be shown again; never passwords. Without an error, what a part of the page is to show of the answer.
    #[serde(default)]
    pub typed: Vec<(String, String)>,
}

impl Flash {
    /// The field that names what an undo is about.
    pub fn rest_of(fields: impl IntoIterator<Item = (String, String)>) -> Option<(String, String)> {
        fields.into_iter().find(|(name, _)| name == "invocation_id" || name == "turn_id")
    }

    /// What was typed into `field` of the form that called `path`, if that form failed.
    pub fn typed(&self, path: &str, field: &str) -> Option<String> {
        (self.path == path && self.error.is_some())
            .then(|| self.typed.iter().find(|(name, _)| name == field).map(|(_, text)| text.clone()))
            .flatten()
    }

    /// What a part of the page is to show of the answer.
    pub fn told(&self, field: &str) -> Option<String> {
        let told = self.typed.iter().find(|(name, _)| name == field).map(|(_, text)| text.clone());
        told.filter(|_| self.error.is_none())
    }

    /// The same for every page: the text of a file stays with the part of the page that shows it.
    pub fn without_file(mut self) -> Self {
        if self.path.starts_with("/api/v1/tasks/import") {
            self.typed.retain(|(name, _)| name != "text");
        }
        self
    }

    /// The error of the form that called `path`.
    pub fn error_of(&self, path: &str) -> Option<String> {
        (self.path == path).then(|| self.error.clone()).flatten()
    }

    /// The error, where no form on the page shows it itself.
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

    /// Words for what the server function at `path` answered; `None` where the page itself shows it.
    pub fn of_answer(path: &str, answer: &serde_json::Value) -> Option<Self> {
        let task = |verb: &str| Some(format!("{verb} “{}”", answer.get("title")?.as_str()?));
        let done = match path.strip_prefix("/api/v1/")? {
            "tasks/add" => task("Added")?,
            "tasks/add_lines" => format!("Added {} tasks", answer.get("tasks")?.as_array()?.len()),
            "tasks/import" => imported(answer)?,
            "tasks/bulk" => answer.get("done")?.as_str()?.to_owned(),
            "tasks/update" => task("Saved")?,
            "tasks/complete" => task("Completed")?,
            "tasks/reopen" => task("Reopened")?,
            "tasks/delete" => task("Moved to the bin:")?,
            "tasks/snooze" => format!("You are reminded again at {}", answer.get("label")?.as_str()?),
            "tasks/restore" => task("Restored")?,
            "conversations/rename" => format!("It is called “{}” now", answer.get("title")?.as_str()?),
            "conversations/hide" if answer.get("hidden")?.as_bool()? => {
                format!("Hidden: “{}”. It comes back when you write in it", answer.get("title")?.as_str()?)
            }
            "conversations/hide" => format!("Back in the list: “{}”", answer.get("title")?.as_str()?),
            "undo" => undone(answer)?,
            "approvals/decide" => answer.get("decided_label")?.as_str()?.trim_end_matches('.').to_owned(),
            "approvals/extend" => format!("More time: {}", answer.get("expires_label")?.as_str()?),
            "approvals/again" => answer.get("reply")?.as_str()?.trim_end_matches('.').to_owned(),
            "memories/forget" => "Forgotten".to_owned(),
            "memories/forget_all" => "Everything is forgotten".to_owned(),
            "memories/switch" => "Your choice is saved".to_owned(),
            "settings/password" => "Your password is changed".to_owned(),
            "settings/appearance" => "Your appearance is saved".to_owned(),
            "settings/model" => "Your choice is saved".to_owned(),
            "settings/model/test" => answer.get("text")?.as_str()?.to_owned(),
            "settings/zone" => "Your time zone is saved".to_owned(),
            "settings/policy" | "admin/policy/set" => "The tool policy is saved".to_owned(),
            "settings/sessions/end" => "That browser is signed out".to_owned(),
            "settings/sessions/end-others" => "Every other browser is signed out".to_owned(),
            "settings/tokens/create" => return Self::told_once(path, answer, "token"),
            "admin/users/invite" | "admin/users/reset" => return Self::told_once(path, answer, "link"),
            "admin/users/disable" => format!("{} is disabled", answer.get("name")?.as_str()?),
            "admin/users/enable" => format!("{} is let in again", answer.get("name")?.as_str()?),
            "admin/users/role" => {
                let role = if answer.get("role")?.as_str()? == "admin" { "an admin" } else { "a user" };
                format!("{} is {role} now", answer.get("name")?.as_str()?)
            }
            "settings/erase" | "admin/users/erase" => answer.get("told")?.as_str()?.to_owned(),
            "telegram/link" => format!("Send /start {} to the bot", answer.get("code")?.as_str()?),
            "telegram/unlink" => "Telegram is unlinked".to_owned(),
            "settings/tokens/revoke" => "The token no longer works".to_owned(),
            _ => return None,
        };
        let several = answer.get("tasks").and_then(|tasks| tasks.as_array()).map_or(&[][..], |tasks| tasks);
        let changed = several.iter().chain([answer]).filter_map(|task| task.get("change_id")?.as_str());
        let undo = changed.map(str::to_owned).collect();
        let done = if done.ends_with(')') { done } else { format!("{done}.") };
        let told =
            ["code", "url", "import_id"].into_iter().filter_map(|field| Some((field, answer.get(field)?.as_str()?)));
        let typed = told.map(|(field, text)| (field.to_owned(), text.to_owned())).collect();
        Some(Self { path: path.to_owned(), done: Some(done), undo, typed, ..Self::default() })
    }
}

/// What an import did.
fn imported(answer: &serde_json::Value) -> Option<String> {
    let count = |field: &str| answer.get(field)?.as_u64();
    let already = Some(count("already")?).filter(|count| *count > 0);
    let left = Some(count("left_out")?).filter(|count| *count > 0);
    let already = already.map(|count| format!("; {count} were there already")).unwrap_or_default();
    let left = left.map(|count| format!("; {count} were left out")).unwrap_or_default();
    Some(format!("Added {} tasks{already}{left}", count("added")?))
}

/// What was taken back, as far as a cookie has room for it.
fn undone(answer: &serde_json::Value) -> Option<String> {
    let undone = answer.get("undone")?.as_array()?;
    let titles = undone.iter().filter_map(|task| task.get("title")?.as_str()).take(NAMED);
    let titles = titles.map(|title| format!("“{title}”")).collect::<Vec<_>>().join(", ");
    let more = undone.len().checked_sub(NAMED).filter(|more| *more > 0);
    let titles = titles + &more.map(|more| format!(" and {more} more")).unwrap_or_default();
    let left = answer.get("left")?.as_array()?.iter().filter_map(|why| why.as_str());
    let left = left.take(NAMED).map(|why| format!(" Left: {why}")).collect::<String>();
    Some(format!("Undone: {titles}.{left}").trim_end_matches('.').to_owned())
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
    fn what_was_typed_comes_back_to_the_form_that_failed_only() {
        let flash = Flash {
            path: "/api/v1/tasks/add".into(),
            error: Some("A title must not be empty.".into()),
            typed: vec![("text".into(), "#home".into())],
            ..Flash::default()
        };
        assert_eq!(flash.typed("/api/v1/tasks/add", "text").as_deref(), Some("#home"));
        assert_eq!(flash.typed("/api/v1/chat", "text"), None);
    }
}
