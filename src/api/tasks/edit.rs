//! The edit of a task that a form means.

use super::fields::Fields;
use crate::api::{ApiError, listed::Listed};
use crate::domain::id::TaskNumber;
use crate::domain::task::Edit;
use crate::domain::user::Caller;
use crate::domain::when;
use crate::usecases::{Ctx, tasks};

/// The words that a form showed of the task's rule and sent back are no other rule. All else is read first: what cannot be read is
/// refused before the task is looked up.
pub async fn of(
    ctx: &Ctx,
    caller: &Caller,
    number: TaskNumber,
    mut fields: Fields,
    tags: Option<Listed>,
) -> Result<Edit, ApiError> {
    let (now, zone, repeats) = (ctx.now(), &caller.user.zone, fields.recurrence.take());
    let edit = fields.edit(tags.clone(), &now, zone)?;
    let rule = match &repeats {
        Some(text) if !text.trim().is_empty() => tasks::recurrence_of(ctx, caller, number).await?,
        _ => None,
    };
    if repeats.is_none() || rule.map(|rule| when::repeats(&rule)).as_deref() == repeats.as_deref().map(str::trim) {
        return Ok(edit);
    }
    Fields { recurrence: repeats, ..fields }.edit(tags, &now, zone)
}
