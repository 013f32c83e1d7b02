//! JSON Schema in Gemini's dialect: a single type, `nullable` instead of a null type, and no rejected keywords.

use serde_json::{Map, Value, json};

const REFUSED: &[&str] = &["$schema", "title", "additionalProperties", "default", "format", "const", "examples"];

/// Converts a schema to Gemini's dialect.
pub fn for_gemini(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut out = Map::new();
    for (key, value) in fields.iter().filter(|(key, _)| !REFUSED.contains(&key.as_str())) {
        match (key.as_str(), value) {
            ("type", Value::Array(types)) => {
                out.insert(
                    "type".into(),
                    types.iter().find(|kind| *kind != "null").cloned().unwrap_or(json!("string")),
                );
                if types.iter().any(|kind| kind == "null") {
                    out.insert("nullable".into(), json!(true));
                }
            }
            ("anyOf" | "oneOf", Value::Array(choices)) => {
                let mut real = choices.iter().filter(|choice| choice["type"] != "null");
                if let Value::Object(one) = real.next().map(for_gemini).unwrap_or_default() {
                    out.extend(one);
                }
                if choices.iter().any(|choice| choice["type"] == "null") {
                    out.insert("nullable".into(), json!(true));
                }
            }
            // Property names are not keywords.
            ("properties", Value::Object(properties)) => {
                let each = properties.iter().map(|(name, schema)| (name.clone(), for_gemini(schema)));
                out.insert("properties".into(), Value::Object(each.collect()));
            }
            ("items", items) => {
                out.insert("items".into(), for_gemini(items));
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_single_and_properties_keep_their_names() {
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": {
                "title": { "type": ["string", "null"], "maxLength": 200, "title": "Title" },
                "task_id": { "anyOf": [{ "type": "integer", "format": "int64", "minimum": 1 }, { "type": "null" }] },
                "tags": { "type": ["array", "null"], "items": { "type": "string", "format": "x" } },
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "title": { "type": "string", "nullable": true, "maxLength": 200 },
                "task_id": { "type": "integer", "nullable": true, "minimum": 1 },
                "tags": { "type": "array", "nullable": true, "items": { "type": "string" } },
            },
        });
        assert_eq!(for_gemini(&schema), expected);
    }
}
