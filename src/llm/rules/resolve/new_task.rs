//! Calls for new tasks.

use serde_json::{Map, Value, json};

use crate::domain::task::{Status, Task};
use crate::domain::tool::ToolName;
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::read::intent::{NewItem, Part};
use crate::llm::rules::read::scope;
use crate::llm::rules::resolve::steps::{Known, Step, call};

/// Returns a question if the shopping list's name matches an existing task; else `None`.
fn shop_taken(title: &str, shop: Option<&String>, known: &Known) -> Option<Part> {
    let shop = shop?;
    let fit = matching::find(shop, known.tasks, Status::Pending, matching::LIKELY);
    (fit != Fit::None).then(|| scope::add_or_find(title))
}

/// Returns the call that adds a task, or the reason against it.
pub(in crate::llm::rules) fn add(item: &NewItem, unless_there: bool, known: &Known) -> Step {
    if let Some(Part::Ask { question, options }) = shop_taken(&item.title, item.shop.as_ref(), known) {
        return Step::Ask { question, options, several: false };
    }
    if unless_there {
        let pending: Vec<Task> = known.tasks.iter().filter(|task| task.status == Status::Pending).cloned().collect();
        if let Some(id) = matching::present(&item.title, &pending) {
            return Step::Say(format!("“{}” is already on your list as task #{id}, so I added nothing.", item.title));
        }
    }
    if item.title.chars().count() > 200 {
        return Step::Ask {
            question: "That title is too long; at most 200 characters fit. How should the task be called?".into(),
            options: vec![],
            several: false,
        };
    }
    let mut fields = Map::new();
    fields.insert("title".into(), json!(item.title));
    for (name, value) in [
        ("description", &item.description),
        ("due", &item.due),
        ("project", &item.project),
        ("recurrence", &item.recurrence),
    ] {
        if let Some(value) = value {
            fields.insert(name.into(), json!(value));
        }
    }
    if let Some(priority) = item.priority {
        fields.insert("priority".into(), json!(priority.as_str()));
    }
    if !item.tags.is_empty() {
        fields.insert("tags".into(), json!(item.tags));
    }
    Step::Call(call(ToolName::AddTask, Value::Object(fields)))
}
