//! The table of tools: name, texts, risk, hints and schemas, and the parsing of calls.

use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use super::arguments::Moment;
use super::normalise::normalised;
use super::{add_task, complete_task, delete_task, get_task, list_tasks, undo, update_task};
use crate::domain::Invalid;
use crate::domain::text::shortened;
use crate::domain::tool::{Risk, ToolName, ToolSpec};
use crate::usecases::invocations::Operation;

/// A validated call, or the error in it.
pub type Prepared = Result<Box<dyn Operation>, Invalid>;

/// A tool definition.
pub struct Tool {
    pub name: ToolName,
    pub title: &'static str,
    /// Description for models and people.
    pub description: &'static str,
    /// The default risk; [`super::gate`] may raise it for one call.
    pub risk: Risk,
    pub hints: Hints,
    /// Returns the JSON Schema of the arguments.
    pub input: fn() -> Value,
    /// Returns the JSON Schema of the structured output.
    pub output: fn() -> Value,
    /// Parses and validates a call's arguments.
    pub prepare: fn(Value, &Moment) -> Prepared,
}

/// MCP's four tool annotations.
#[derive(Debug, Clone, Copy)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    /// True if the tool reaches anything outside Docket; no tool does.
    pub open_world: bool,
}

/// Every tool, sorted by name.
pub const TOOLS: [Tool; 7] = [
    add_task::TOOL,
    complete_task::TOOL,
    delete_task::TOOL,
    get_task::TOOL,
    list_tasks::TOOL,
    undo::TOOL,
    update_task::TOOL,
];

/// The tools with their compiled schemas, built once for all turns.
pub struct Registry {
    specs: Arc<[ToolSpec]>,
    /// Schema validators in the order of [`TOOLS`].
    validators: Vec<Validator>,
}

impl Default for Registry {
    fn default() -> Self {
        let reading = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(false);
        let validator = |tool: &Tool| reading.build(&(tool.input)()).expect("a tool's schema is a valid one");
        let spec = |tool: &Tool| ToolSpec {
            name: tool.name.to_string(),
            description: tool.description.to_owned(),
            risk: tool.risk,
            schema: (tool.input)().into(),
        };
        Self { specs: TOOLS.iter().map(spec).collect(), validators: TOOLS.iter().map(validator).collect() }
    }
}

/// Maximum characters of a schema error.
const LONGEST_REASON: usize = 300;

impl Registry {
    /// Returns the tool specifications for engines.
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.clone()
    }

    /// Normalises the arguments, validates them against the tool's schema and parses them.
    ///
    /// Rejects `user_id` explicitly, since the owner of the tasks is never an argument.
    pub fn prepare(&self, name: ToolName, arguments: Value, moment: &Moment) -> Prepared {
        if arguments.get("user_id").is_some() {
            return Err(Invalid::because("user_id is not an argument: the tasks are always the caller's own."));
        }
        let at = TOOLS.iter().position(|tool| tool.name == name).expect("every name has its row in the table");
        let arguments = normalised(self.specs[at].schema.value(), arguments);
        if let Err(error) = self.validators[at].validate(&arguments) {
            let place = error.instance_path().to_string();
            let place = place.trim_start_matches('/');
            let named = if place.is_empty() { String::new() } else { format!("{place}: ") };
            // The error quotes the value; a long value would hide the reason.
            let quoted = match error.kind() {
                ValidationErrorKind::Enum { options } => allowed(&error.instance().to_string(), options),
                _ => error.to_string(),
            };
            let is_long = quoted.chars().nth(LONGEST_REASON).is_some();
            let why = if is_long { shortened(error.masked().to_string(), LONGEST_REASON) } else { quoted };
            return Err(Invalid::because(format!("The arguments of {name} are invalid: {named}{why}.")));
        }
        (TOOLS[at].prepare)(arguments, moment)
    }
}

/// Returns the error for a value outside an enum.
fn allowed(value: &str, options: &Value) -> String {
    let names: Vec<_> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    format!("{value} is not one of {} or {last}", others.join(", "))
}

/// Returns the JSON Schema of a type, inlined and without a title, as providers require.
pub(super) fn schema_of<T: schemars::JsonSchema>() -> Value {
    let settings =
        schemars::generate::SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("title");
        fields.remove("$schema");
        fields.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}
