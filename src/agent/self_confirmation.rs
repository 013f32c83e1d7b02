//! Self-confirmation: a message that confirms its own request.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::domain::approval::{Approval, ApprovalCall};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::domain::tool::{Call, ToolName};
use crate::llm::rules;

/// The values that each tool would set, per task.
type Effects = BTreeMap<(&'static str, i64), Map<String, Value>>;

/// Returns the confirming words if the rules parse the message into exactly the calls of the approval: equal tools,
/// tasks and field values. `list` holds all of the user's tasks, or none if there are too many to resolve titles
/// safely. `canonical` converts a call to the tools' canonical form, with phrases such as "tomorrow" as dates.
pub fn confirmed(
    (message, now, zone): (&str, &Timestamp, &str),
    approval: &Approval,
    list: &[Task],
    canonical: impl Fn(Call) -> Option<ApprovalCall>,
) -> Option<String> {
    let tasks: Vec<Task> = approval.preview.iter().map(|target| target.before.clone()).collect();
    let read = rules::confirmed::read(message, &tasks, list, now, zone)?;
    let calls = read.calls.into_iter().map(canonical).collect::<Option<Vec<_>>>()?;
    (effects(&calls)? == effects(&approval.calls)?).then_some(read.words)
}

/// Returns the combined effects of calls, however they are split. `None` if a call touches no existing task or if two
/// calls conflict.
fn effects(calls: &[ApprovalCall]) -> Option<Effects> {
    let mut effects = Effects::new();
    for ApprovalCall { tool, arguments } in calls {
        if matches!(tool, ToolName::AddTask | ToolName::Undo) || tool.reads() {
            return None;
        }
        let (mut fields, mut numbers) = (arguments.as_object()?.clone(), vec![]);
        numbers.extend(fields.remove("task_id"));
        if let Some(Value::Array(many)) = fields.remove("task_ids") {
            numbers.extend(many);
        }
        for number in numbers {
            let known = effects.entry((tool.as_str(), number.as_i64()?)).or_default();
            for (name, value) in &fields {
                if known.insert(name.clone(), value.clone()).is_some_and(|other| other != *value) {
                    return None;
                }
            }
        }
    }
    (!effects.is_empty()).then_some(effects)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(calls: &[(ToolName, Value)]) -> Option<Effects> {
        let call = |(tool, arguments): &(ToolName, Value)| ApprovalCall { tool: *tool, arguments: arguments.clone() };
        effects(&calls.iter().map(call).collect::<Vec<_>>())
    }

    #[test]
    fn combined_effect_is_independent_of_how_calls_are_split() {
        let update = |arguments| (ToolName::UpdateTask, arguments);
        let together = of(&[update(json!({ "task_ids": [4, 3], "priority": "high", "due": null }))]);
        let divided = [json!({ "task_id": 3, "priority": "high" }), json!({ "task_ids": [3, 4], "due": null })];
        let divided = divided.into_iter().chain([json!({ "task_id": 4, "priority": "high" })]).map(update);
        assert!(together.is_some());
        assert_eq!(together, of(&divided.collect::<Vec<_>>()));
        for other in [
            json!({ "task_ids": [4, 3], "priority": "high" }),
            json!({ "task_ids": [4, 3], "priority": "low", "due": null }),
            json!({ "task_ids": [4, 3, 2], "priority": "high", "due": null }),
        ] {
            assert_ne!(together, of(&[update(other)]));
        }
        let title = |title: &str| update(json!({ "task_id": 3, "title": title }));
        assert_eq!(of(&[title("one"), title("another")]), None);
        assert_eq!(of(&[(ToolName::AddTask, json!({ "title": "eggs" }))]), None);
        assert_eq!(of(&[]), None);
    }
}
