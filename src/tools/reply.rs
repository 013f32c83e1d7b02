//! Structured output of tools that touch tasks.

use serde_json::{Value, json};

/// Returns one object unchanged and several as `{tasks: […]}`, since structured output must be an object.
pub fn one_or_many(mut each: Vec<Value>) -> Value {
    if each.len() == 1 { each.remove(0) } else { json!({ "tasks": each }) }
}

/// Returns the JSON Schema of [`one_or_many`] for tools that answer with `status`.
pub fn schema(status: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "task_id": { "type": "integer" },
            "status": { "const": status },
            "tasks": { "type": "array", "items": { "type": "object" } },
        },
        "anyOf": [{ "required": ["task_id", "status"] }, { "required": ["tasks"] }],
    })
}
