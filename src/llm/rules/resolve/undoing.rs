//! The call that undoes changes.

use serde_json::json;

use crate::domain::tool::{Call, ToolName};
use crate::llm::rules::read::intent::Undo;
use crate::llm::rules::resolve::steps::call;

pub(in crate::llm::rules) fn undone(undo: Undo) -> Call {
    let arguments = match undo {
        Undo::Last => json!({ "scope": "last" }),
        Undo::Turn => json!({ "scope": "turn" }),
        Undo::Minutes(minutes) => json!({ "scope": "minutes", "minutes": minutes }),
    };
    call(ToolName::Undo, arguments)
}
