//! Forms of explicit orders.

use super::Effect;
use crate::domain::tool::ToolName;

/// Phrases of a kind of order: before its tasks, between tasks and value, and after the value.
pub struct Form {
    pub tool: ToolName,
    /// The only field that it sets, if any.
    pub field: Option<&'static str>,
    pub before: &'static str,
    pub between: &'static str,
    pub after: &'static str,
}

const fn form(
    tool: ToolName,
    field: Option<&'static str>,
    before: &'static str,
    between: &'static str,
    after: &'static str,
) -> Form {
    Form { tool, field, before, between, after }
}

/// All supported forms. An empty phrase between bars is optional.
pub const FORMS: [Form; 15] = [
    form(
        ToolName::DeleteTask,
        None,
        "delete|remove|erase|bin|scrap|drop|ditch|trash|junk|axe|clear|wipe|lose|chuck|discard|dump|cancel|purge|get rid of|throw away|\
         throw out|chuck out",
        "",
        "",
    ),
    form(ToolName::DeleteTask, None, "throw|chuck", "away|out", ""),
    form(ToolName::DeleteTask, None, "take", "off my list|off the list|off my todo list|off my to do list", ""),
    form(ToolName::DeleteTask, None, "put|move|throw|chuck", "in the bin|into the bin|to the bin|in the trash", ""),
    form(ToolName::CompleteTask, None, "complete|finish|close|tick off|check off|cross off|tick|check", "|off", ""),
    form(
        ToolName::CompleteTask,
        None,
        "mark|set",
        "done|as done|complete|as complete|completed|as completed|finished|as finished|off",
        "",
    ),
    form(ToolName::UpdateTask, Some("status"), "reopen|untick|uncheck|unmark", "", ""),
    form(ToolName::UpdateTask, Some("title"), "rename|retitle|change the title of|change the name of", "to|into", ""),
    form(
        ToolName::UpdateTask,
        Some("due"),
        "move|push|postpone|reschedule|put|set|change|snooze|delay|set the due date of|change the due date of|set the deadline of|\
         change the deadline of|move the due date of",
        "|to|back to|due|off to|off until",
        "",
    ),
    form(
        ToolName::UpdateTask,
        Some("priority"),
        "set|change|make|raise|lower|bump|mark|give|set the priority of|set priority of|change the priority of|raise the priority of|\
         lower the priority of",
        "|to|as|priority|to priority",
        "|priority",
    ),
    form(
        ToolName::UpdateTask,
        Some("project"),
        "move|put|file|set|add",
        "in|into|to|under|in project|into project|to project|in the project|to the project",
        "|project",
    ),
    form(ToolName::UpdateTask, Some("tags"), "tag", "|with|as", ""),
    form(ToolName::UpdateTask, Some("tags"), "add|set", "|to", "tag"),
    form(ToolName::UpdateTask, Some("description"), "set the notes of|set the note of|change the notes of", "to", ""),
    form(ToolName::UpdateTask, Some("recurrence"), "repeat|make|set", "|repeat|to|to repeat", ""),
];

impl Form {
    /// Returns true if the effect has the form's tool and sets only its field.
    pub fn does(&self, effect: &Effect<'_>) -> bool {
        let sets = |field: &str| effect.fields.len() == 1 && effect.fields.contains_key(field);
        self.tool == effect.tool && self.field.map_or(effect.fields.is_empty(), sets)
    }
}
