//! Tool policy: rules per caller kind and tool, of a user or of an admin for everyone. Rules only raise a risk.

use serde_json::{Map, Value, json};

use super::invocations::Effects;
use super::{Commit, Ctx, Error};
use crate::domain::Invalid;
use crate::domain::id::UserId;
use crate::domain::policy::{Asker, Entry, Rule, Rules};
use crate::domain::tool::{ErrorCode, Risk, ToolError, ToolName};
use crate::domain::user::{Admin, Caller, Door};
use crate::store::policies::Tried;
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};

/// Time span of a back-test, in seconds: 30 days.
const BACK_S: i64 = 30 * 86_400;

/// Owner of the rules.
#[derive(Debug, Clone, Copy)]
pub enum Whose<'a> {
    Own(&'a Caller),
    Everyones(&'a Admin),
}

/// A field of the policy matrix, with its back-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub asker: Asker,
    pub tool: ToolName,
    pub rules: Rules,
    /// Calls of the last 30 days that ran without approval; `ask` would have requested it for these.
    pub unasked: i64,
    /// Calls of the last 30 days that ran or requested approval; `deny` would have refused these.
    pub all: i64,
}

/// Returns the whole matrix, tool by tool. For everyone's rules, `own` contains them and the counts include all users.
pub async fn matrix(ctx: &Ctx, whose: Whose<'_>) -> Result<Vec<Field>, Error> {
    let mut tx = ctx.read().await?;
    let own = store::policies::list(&mut tx, whose.owner()).await?;
    let everyones = match whose {
        Whose::Own(_) => store::policies::list(&mut tx, UserId::SYSTEM).await?,
        Whose::Everyones(_) => vec![],
    };
    let user = matches!(whose, Whose::Own(_)).then(|| whose.owner());
    let tried = store::policies::tried(&mut tx, user, &ctx.now().plus_seconds(-BACK_S)).await?;
    let rule = |entries: &[Entry], asker, tool| {
        let found = entries.iter().find(|entry| (entry.asker, entry.tool) == (asker, tool));
        found.map(|entry| entry.rule).unwrap_or_default()
    };
    let field = |tool, asker| {
        let rules = Rules { own: rule(&own, asker, tool), everyones: rule(&everyones, asker, tool) };
        let counted = tried.iter().find(|it: &&Tried| (it.asker, it.tool) == (asker, tool));
        let (unasked, all) = counted.map_or((0, 0), |it| (it.unasked, it.all));
        Field { asker, tool, rules, unasked, all }
    };
    Ok(ToolName::ALL.into_iter().flat_map(|tool| Asker::ALL.map(|asker| field(tool, asker))).collect())
}

/// Changes fields in one transaction and records the changed ones.
///
/// # Errors
/// `Forbidden` outside the browser, so that a token cannot widen its own access. `Invalid` if a field is named twice.
pub async fn set(ctx: &Ctx, whose: Whose<'_>, entries: &[Entry]) -> Result<(), Error> {
    let by = whose.caller();
    if by.door != Door::Web {
        return Err(Error::Forbidden("The tool policy can be changed only in the browser, not with a token.".into()));
    }
    let same = |one: &Entry, other: &Entry| (one.asker, one.tool) == (other.asker, other.tool);
    if let Some((_, entry)) =
        entries.iter().enumerate().find(|(at, entry)| entries[..*at].iter().any(|it| same(it, entry)))
    {
        let field = format!("{}.{}", entry.asker.as_str(), entry.tool.as_str());
        return Err(Invalid::because(format!("The field {field} is given twice. Give each field once.")).into());
    }
    let (mut tx, now) = (ctx.write().await?, ctx.now());
    store::tasks::lock(&mut tx, by.id()).await?;
    let before = store::policies::list(&mut tx, whose.owner()).await?;
    for entry in entries {
        let was = before.iter().find(|it| same(it, entry)).map(|it| it.rule).unwrap_or_default();
        if was == entry.rule {
            continue;
        }
        store::policies::set(&mut tx, whose.owner(), *entry, &now).await?;
        let scope = if matches!(whose, Whose::Own(_)) { "own" } else { "everyone" };
        let body = json!({
            "event": "policy_changed", "scope": scope, "asker": entry.asker, "tool": entry.tool,
            "before": was, "after": entry.rule, "at": now,
        });
        // Recorded in the chain of the person who made the change.
        records::append(&mut tx, by.id(), Kind::Policy, &now, &body).await?;
    }
    ctx.commit_at(tx, Commit::Edit).await
}

impl Whose<'_> {
    fn caller(&self) -> &Caller {
        match self {
            Self::Own(caller) => caller,
            Self::Everyones(admin) => admin.caller(),
        }
    }

    fn owner(&self) -> UserId {
        match self {
            Self::Own(caller) => caller.id(),
            Self::Everyones(_) => UserId::SYSTEM,
        }
    }
}

/// Returns a call's risk under a rule, never lower than without it.
pub(super) fn raised(risk: Risk, rule: Rule) -> Risk {
    match rule {
        Rule::Run | Rule::Deny => risk,
        Rule::Ask => risk.max(Risk::High),
    }
}

/// Returns the tool whose policy decides a call, and that policy. It is the strictest one of the called tool and of the tools whose
/// effects the call includes.
pub(super) async fn decisive(
    tx: &mut Tx,
    user: UserId,
    asker: Asker,
    (mut tool, mut rules): (ToolName, Rules),
    includes: Effects,
) -> Result<(ToolName, Rules), Error> {
    for other in includes.tools() {
        let others = store::policies::of(tx, user, asker, other).await?;
        if others.effective() > rules.effective() {
            (tool, rules) = (other, others);
        }
    }
    Ok((tool, rules))
}

/// Returns the error of a denied call, with advice for the user.
pub(super) fn denied(tool: ToolName, asker: Asker, rules: Rules) -> ToolError {
    let who = match asker {
        Asker::Agent | Asker::Rules => "the assistant",
        Asker::Mcp => "outside agents",
    };
    let what = match tool {
        ToolName::AddTask => "add tasks",
        ToolName::CompleteTask => "complete tasks",
        ToolName::DeleteTask => "delete tasks",
        ToolName::GetTask | ToolName::ListTasks => "read tasks",
        ToolName::Undo => "undo changes",
        ToolName::UpdateTask => "change tasks",
    };
    let message = if rules.everyones == Rule::Deny {
        format!("The server’s tool policy does not allow {who} to {what}. An admin can change this.")
    } else {
        format!("Your tool policy does not allow {who} to {what}. You can change this in Settings, under Tool policy.")
    };
    ToolError { error: ErrorCode::Forbidden, message, task_id: None }
}

/// Returns the result of an agent's change. If the policy denies `get_task`, the result has only each task's number and title and the
/// fields that the call set.
pub async fn visible(
    tx: &mut Tx,
    user: UserId,
    (tool, arguments): (ToolName, &Value),
    mut result: Value,
) -> Result<Value, Error> {
    let has_tasks = matches!(tool, ToolName::UpdateTask | ToolName::Undo);
    if !has_tasks || store::policies::of(tx, user, Asker::Mcp, ToolName::GetTask).await?.effective() != Rule::Deny {
        return Ok(result);
    }
    match ["tasks", "undone"].into_iter().find(|name| result[*name].is_array()) {
        Some(name) => result[name].as_array_mut().into_iter().flatten().for_each(|one| hide_states(one, arguments)),
        None => hide_states(&mut result, arguments),
    }
    Ok(result)
}

/// Replaces a task's states before and after a change by its title and the fields that the call set.
fn hide_states(changed: &mut Value, arguments: &Value) {
    let Some(fields) = changed.as_object_mut() else { return };
    fields.remove("before");
    let Some(Value::Object(after)) = fields.remove("after") else { return };
    let set = arguments.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
    for name in set.chain(["title"]) {
        if let Some(value) = after.get(name) {
            fields.entry(name).or_insert_with(|| value.clone());
        }
    }
}
