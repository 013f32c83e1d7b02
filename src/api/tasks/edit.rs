//! The edit that a form requests.

use super::fields::Fields;
use super::{due_input, tags_input};
use crate::api::{ApiError, repeated_field::RepeatedField};
use crate::domain::id::TaskNumber;
use crate::domain::task::Edit;
use crate::domain::user::Caller;
use crate::domain::when;
use crate::usecases::{Ctx, tasks};

/// Parses the edit. A recurrence, due date or tags equal to the text that the form showed are no change: that text may be less
/// exact than the stored value. Invalid fields are rejected before the task is looked up.
pub async fn of(
    ctx: &Ctx,
    caller: &Caller,
    number: TaskNumber,
    (mut fields, mut tags, clear): (Fields, Option<RepeatedField>, Option<RepeatedField>),
) -> Result<Edit, ApiError> {
    fields.clear(&mut tags, clear)?;
    let (now, zone, repeats) = (ctx.now(), &caller.user.zone, fields.recurrence.take());
    fields.edit(tags.clone(), &now, zone)?;
    let shown =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let (due, rule, one) = (shown(&fields.due), shown(&repeats), tags.as_ref().map(|tags| tags.0.join(", ")));
    let tagged = one.as_ref().is_some_and(|tags| !tags.trim().is_empty());
    if due.is_none() && rule.is_none() && !tagged {
        return Fields { recurrence: repeats, ..fields }.edit(tags, &now, zone);
    }
    let task = tasks::to_change(ctx, caller, number).await?;
    if due.as_ref().is_some_and(|due| *due == due_input(task.due.as_deref())) {
        fields.due = None;
    } else if let (Some(due), Some(day)) = (&due, task.due.as_deref().and_then(|due| due.get(..10)))
        && when::only_time(due, &now, zone)
        && *day >= *when::local(&now, zone).date().to_string()
    {
        // A time alone keeps the day, unless that is past.
        fields.due = Some(format!("{day} {due}"));
    }
    let same_rule = rule.is_some() && rule == task.recurrence.as_deref().map(when::repeats);
    let same_tags = tagged && one.is_some_and(|tags| tags.trim() == tags_input(&task.tags));
    let recurrence = repeats.filter(|_| !same_rule);
    Fields { recurrence, ..fields }.edit(tags.filter(|_| !same_tags), &now, zone)
}
