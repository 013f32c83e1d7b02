//! Prompts and resources: closed tables, and the tool call that reads each resource.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, Prompt, PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::{Value, json};

use crate::domain::id::TaskNumber;
use crate::domain::tool::{CallResult, CallStatus, ToolName};

/// Name, title, description and text of a prompt.
type Words = (&'static str, &'static str, &'static str, &'static str);

const PROMPTS: [Words; 2] = [
    (
        "plan_my_day",
        "Plan my day",
        "Reviews the tasks that are overdue or due today, and proposes an order.",
        "Plan my day with Docket. List my tasks that are overdue and those due today, then the others that are pending with high \
         priority. Propose an order with a rough time for each, the shortest list that is honest. Say what could wait and for how \
         long. Change nothing before I agree; then set the due dates and priorities that we settled on, one call for each task.",
    ),
    (
        "weekly_review",
        "Weekly review",
        "Reviews completed tasks, and tasks due within a week.",
        "Let us do my weekly review with Docket. First list what I have completed, in a few lines. Then list what is overdue, and ask \
         me of each whether to do it, move it or drop it. Then list what is due within the week and say where it is too much for a \
         day. Last, name tasks without a date that have waited longest. Change nothing before I agree.",
    ),
];

/// Path, title and description of a list, and its arguments for `list_tasks`.
type List = (&'static str, &'static str, &'static str, fn() -> Value);

const LISTS: [List; 4] = [
    ("today", "Today", "Open tasks due today.", || json!({ "status": "pending", "due": "today" })),
    ("overdue", "Overdue", "Open tasks that are overdue.", || json!({ "status": "pending", "due": "overdue" })),
    ("week", "This week", "Open tasks due within the week.", || json!({ "status": "pending", "due": "week" })),
    ("pending", "Open tasks", "All open tasks, up to 200.", || json!({ "status": "pending", "limit": 200 })),
];

const ROOT: &str = "docket://tasks/";
const JSON: &str = "application/json";

pub fn prompts() -> Vec<Prompt> {
    let prompt = |(name, title, description, _): Words| Prompt::new(name, Some(description), None).with_title(title);
    PROMPTS.map(prompt).into()
}

pub fn prompt(name: &str) -> Result<GetPromptResult, ErrorData> {
    let unknown = || {
        let known = PROMPTS.map(|(name, ..)| name).join(" and ");
        ErrorData::invalid_params(format!("There is no prompt named {name}; use {known}."), None)
    };
    let (_, _, description, words) = PROMPTS.into_iter().find(|(known, ..)| *known == name).ok_or_else(unknown)?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)]).with_description(description))
}

pub fn resources() -> Vec<Resource> {
    let resource = |(path, title, description, _): List| {
        Resource::new(format!("{ROOT}{path}"), path)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON)
    };
    LISTS.map(resource).into()
}

pub fn templates() -> Vec<ResourceTemplate> {
    let one = ResourceTemplate::new(format!("{ROOT}{{number}}"), "task")
        .with_title("A task")
        .with_description("One task by its number.")
        .with_mime_type(JSON);
    vec![one]
}

/// Returns the tool call that reads a resource.
pub fn call_for(uri: &str) -> Result<(ToolName, Value), ErrorData> {
    let absent = || ErrorData::resource_not_found(format!("There is no resource {uri}."), Some(json!({ "uri": uri })));
    let path = uri.strip_prefix(ROOT).ok_or_else(absent)?;
    if let Some((.., arguments)) = LISTS.into_iter().find(|(known, ..)| *known == path) {
        return Ok((ToolName::ListTasks, arguments()));
    }
    let number = TaskNumber::parse(path).map_err(|_| absent())?;
    Ok((ToolName::GetTask, json!({ "task_id": number })))
}

/// Returns true if a change of the task can affect the resource; with `None`, if a new day can. A list may contain any task.
pub fn shows(uri: &str, task: Option<TaskNumber>) -> bool {
    let Some(path) = uri.strip_prefix(ROOT) else { return false };
    LISTS.iter().any(|(known, ..)| *known == path) || task.is_some() && TaskNumber::parse(path).ok() == task
}

/// Converts the result of reading a resource, or its error.
pub fn contents(uri: &str, result: &CallResult) -> Result<ReadResourceResult, ErrorData> {
    if result.status != CallStatus::Ok {
        let message = result.value["message"].as_str().unwrap_or("The resource cannot be read.").to_owned();
        return Err(match result.value["error"].as_str() {
            Some("not_found") => ErrorData::resource_not_found(message, Some(json!({ "uri": uri }))),
            _ => ErrorData::invalid_request(message, None),
        });
    }
    let text = ResourceContents::text(result.value.to_string(), uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![text]))
}
