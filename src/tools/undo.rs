//! The tool that undoes recent changes: the last action, a turn, or all changes of the last minutes.

use std::collections::HashMap;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arguments::Moment;
use super::gate;
use super::registry::{Hints, Prepared, Tool, schema_of};
use crate::domain::Invalid;
use crate::domain::id::{TaskNumber, TurnId};
use crate::domain::time::Timestamp;
use crate::domain::tool::{Risk, ToolName};
use crate::usecases::invocations::{Applied, Effects, Operation, Weight};
use crate::usecases::tasks::Changed;
use crate::usecases::undo::{self, Span, Undone};
use crate::usecases::{By, Ctx, Error, Tx};

pub const TOOL: Tool = Tool {
    name: ToolName::Undo,
    title: "Undo changes",
    description: "Undoes the person's last action, the changes of one turn, or everything of the last minutes. \
                  The person is asked first where that is more than one action, or somebody else's.",
    risk: Risk::Medium,
    hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
    input: schema_of::<Arguments>,
    output,
    prepare,
};

/// Maximum minutes of one undo: a day.
const MOST_MINUTES: i64 = 1_440;

/// Changes to undo.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// last (the last action), turn (all that one message changed) or minutes (everything of the last minutes, by anyone).
    scope: String,
    /// The number of minutes for scope minutes: 1 to 1440.
    #[schemars(range(min = 1, max = 1440))]
    #[serde(skip_serializing_if = "Option::is_none")]
    minutes: Option<i64>,
    /// The end of these minutes, an ISO date-time. Now when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// The turn for scope turn. The last one when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<String>,
}

struct Undo {
    arguments: Value,
    span: Span,
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "undone": { "type": "array", "items": { "type": "object" } },
            "left": { "type": "array", "items": { "type": "object" } },
        },
        "required": ["undone", "left"],
    })
}

fn prepare(arguments: Value, moment: &Moment) -> Prepared {
    let mut given: Arguments =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("undo: {error}.")))?;
    let stray =
        |field: &str, scope: &str| Err(Invalid::because(format!("{field} is allowed only with scope {scope}.")));
    if given.scope != "turn" && given.turn_id.is_some() {
        return stray("turn_id", "turn");
    }
    if given.scope != "minutes" && (given.minutes.is_some() || given.until.is_some()) {
        return stray("minutes", "minutes");
    }
    let span = match given.scope.as_str() {
        "last" => Span::Last,
        "turn" => Span::Turn(given.turn_id.as_deref().map(TurnId::parse).transpose()?),
        "minutes" => {
            let minutes = given.minutes.filter(|minutes| (1..=MOST_MINUTES).contains(minutes)).ok_or_else(|| {
                Invalid::because(format!("Scope minutes requires minutes, a number from 1 to {MOST_MINUTES}."))
            })?;
            let until = given.until.as_deref().map(Timestamp::parse).transpose()?.unwrap_or_else(|| moment.now.clone());
            // Fixes the end of the range, so that the call means the same when it is approved later.
            given.until = Some(until.to_string());
            Span::Between(until.plus_seconds(-60 * minutes), until)
        }
        scope => return Err(Invalid::because(format!("“{scope}” is not a scope; use last, turn or minutes."))),
    };
    Ok(Box::new(Undo { arguments: json!(given), span }))
}

#[async_trait]
impl Operation for Undo {
    fn tool(&self) -> ToolName {
        ToolName::Undo
    }

    fn arguments(&self) -> &Value {
        &self.arguments
    }

    fn targets(&self) -> Vec<TaskNumber> {
        vec![]
    }

    fn risk(&self, _before: &[TaskNumber]) -> Risk {
        TOOL.risk
    }

    async fn weigh(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>, _before: &[TaskNumber]) -> Result<Weight, Error> {
        let found = match undo::find(ctx, tx, by, &self.span).await {
            Ok(found) => found,
            Err(error @ (Error::Store(_) | Error::Fenced)) => return Err(error),
            // The call itself reports why nothing can be undone.
            Err(_) => return Ok(Weight { risk: TOOL.risk, tasks: 0, includes: Effects::default() }),
        };
        let is_asked = match undo::is_asked(ctx, tx, by, &self.span, &found).await {
            // More records follow than a search reads: a person decides.
            Err(Error::Conflict(_)) => false,
            is_asked => is_asked?,
        };
        let risk = gate::undo_risk(found.acts, found.is_own, is_asked);
        let includes = Effects { completes: found.completes(), bins: found.bins() };
        Ok(Weight { risk, tasks: found.tasks().len(), includes })
    }

    async fn apply(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error> {
        let ctx = &ctx.at_once();
        let found = undo::find(ctx, tx, by, &self.span).await?;
        let Undone { done, left } = undo::recent(ctx, tx, by, found).await?;
        let changed = joined(done);
        let each = changed.iter().map(|edit| {
            let what = what(edit);
            json!({ "task_id": edit.after.task_id, "what": what, "before": edit.before, "after": edit.after })
        });
        let left = left.iter().map(|left| json!({ "task_id": left.task_id, "why": left.why }));
        Ok(Applied { value: json!({ "undone": Vec::from_iter(each), "left": Vec::from_iter(left) }), changed })
    }
}

/// Merges the changes per task, from its first state to its last one.
fn joined(done: Vec<Changed>) -> Vec<Changed> {
    let (mut all, mut places): (Vec<Changed>, HashMap<TaskNumber, usize>) = (vec![], HashMap::new());
    for edit in done {
        match places.get(&edit.after.task_id) {
            Some(at) => {
                let before = all[*at].before.take();
                all[*at] = Changed { before, ..edit };
            }
            None => {
                places.insert(edit.after.task_id, all.len());
                all.push(edit);
            }
        }
    }
    all
}

/// Returns the resulting state of the task as a word.
fn what(edit: &Changed) -> &'static str {
    let Some(before) = &edit.before else { return "changed" };
    match (before.deleted_at.is_some(), edit.after.deleted_at.is_some()) {
        (false, true) => "deleted",
        (true, false) => "restored",
        _ if before.status == edit.after.status => "changed",
        _ => edit.after.status.as_str(),
    }
}

#[cfg(test)]
mod tests;
