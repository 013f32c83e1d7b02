//! Tools that apply one action to each named task.

use async_trait::async_trait;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::arguments::{Targets, name_targets};
use super::gate::{self, Assessed};
use super::registry::Prepared;
use super::reply;
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::tool::{Risk, ToolName};
use crate::usecases::invocations::{Applied, Operation};
use crate::usecases::tasks::Changed;
use crate::usecases::{By, Ctx, Error, Tx};

/// An action on one task.
pub type TaskAction = for<'a> fn(&'a Ctx, &'a mut Tx, By<'a>, TaskNumber) -> BoxFuture<'a, Result<Changed, Error>>;

struct Each {
    tool: ToolName,
    /// The status in the tool's answer, such as `completed`.
    status: &'static str,
    deed: TaskAction,
    arguments: Value,
    numbers: Vec<TaskNumber>,
}

/// Parses the targets of a call of `tool`.
pub fn prepare(tool: ToolName, status: &'static str, deed: TaskAction, arguments: Value) -> Prepared {
    let given: Targets =
        serde_json::from_value(arguments).map_err(|error| Invalid::because(format!("{tool}: {error}.")))?;
    let numbers = Targets::numbers(given.task_id, given.task_ids.as_deref())?;
    let mut canonical = Map::new();
    name_targets(&mut canonical, &numbers);
    Ok(Box::new(Each { tool, status, deed, arguments: canonical.into(), numbers }))
}

#[async_trait]
impl Operation for Each {
    fn tool(&self) -> ToolName {
        self.tool
    }

    fn arguments(&self) -> &Value {
        &self.arguments
    }

    fn targets(&self) -> Vec<TaskNumber> {
        self.numbers.clone()
    }

    fn risk(&self, before: &[TaskNumber]) -> Risk {
        gate::risk(&Assessed { tool: self.tool, renames: false, targets: &self.numbers, before })
    }

    async fn apply(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error> {
        let (ctx, mut changed) = (&ctx.at_once(), Vec::with_capacity(self.numbers.len()));
        for number in &self.numbers {
            changed.push((self.deed)(ctx, tx, by, *number).await?);
        }
        let told =
            |edit: &Changed| json!({ "task_id": edit.after.task_id, "status": self.status, "title": edit.after.title });
        Ok(Applied { value: reply::one_or_many(changed.iter().map(told).collect()), changed })
    }
}
