//! The table of tools: name, words, risk, hints and schemas of each, and how a call of it is read.

use std::sync::Arc;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use super::arguments::Moment;
use super::{add_task, complete_task, delete_task, get_task, list_tasks, update_task};
use crate::domain::Invalid;
use crate::domain::text::shortened;
use crate::domain::tool::{Risk, ToolName, ToolSpec};
use crate::usecases::invocations::Operation;

/// A call that was read and checked, or what is wrong with it.
pub type Prepared = Result<Box<dyn Operation>, Invalid>;

/// A tool as it is offered.
pub struct Tool {
    pub name: ToolName,
    pub title: &'static str,
    /// What a model and a person read.
    pub description: &'static str,
    /// The usual risk; [`super::gate`] may raise it for one call.
    pub risk: Risk,
    pub hints: Hints,
    /// JSON Schema of the arguments.
    pub input: fn() -> Value,
    /// JSON Schema of the structured output.
    pub output: fn() -> Value,
    /// Reads and checks a call's arguments.
    pub prepare: fn(Value, &Moment) -> Prepared,
}

/// MCP's four tool annotations.
#[derive(Debug, Clone, Copy)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    /// Whether it reaches anything outside Docket; no tool does.
    pub open_world: bool,
}

/// Every tool, sorted by name.
pub const TOOLS: [Tool; 6] =
    [add_task::TOOL, complete_task::TOOL, delete_task::TOOL, get_task::TOOL, list_tasks::TOOL, update_task::TOOL];

/// The tools with what follows from their schemas, worked out once for all turns.
pub struct Registry {
    specs: Arc<[ToolSpec]>,
    /// In the order of [`TOOLS`].
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

/// Characters of why arguments do not fit.
const LONGEST_REASON: usize = 300;

impl Registry {
    /// The tools as an engine is told of them.
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.clone()
    }

    /// Checks arguments against the tool's schema and reads them.
    ///
    /// Refuses `user_id` by name: whose tasks they are is never an argument.
    pub fn prepare(&self, name: ToolName, arguments: Value, moment: &Moment) -> Prepared {
        if arguments.get("user_id").is_some() {
            return Err(Invalid::because("user_id is not an argument: the tasks are always the caller's own."));
        }
        let at = TOOLS.iter().position(|tool| tool.name == name).expect("every name has its row in the table");
        if let Err(error) = self.validators[at].validate(&arguments) {
            let place = error.instance_path().to_string();
            let place = place.trim_start_matches('/');
            let named = if place.is_empty() { String::new() } else { format!("{place}: ") };
            // It quotes what was given, whatever its length.
            let why = shortened(error.to_string(), LONGEST_REASON);
            return Err(Invalid::because(format!("The arguments of {name} do not fit: {named}{why}.")));
        }
        (TOOLS[at].prepare)(arguments, moment)
    }
}

/// The JSON Schema of a type, inlined and without its title, as providers want it.
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
