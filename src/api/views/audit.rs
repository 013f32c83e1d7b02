//! View models of turns in the audit log, and filters from searches.

use super::{approval, receipt};
use crate::api::ApiError;
use crate::api::audit::{AuditPage, AuditRow, AuditSearch, CallText, Searched};
use crate::api::chat::Receipt;
use crate::api::context::encoded;
use crate::domain::approval::ApprovalStatus;
use crate::domain::audit::{AuditEntry, AuditFilter};
use crate::domain::erasure::ERASED;
use crate::domain::id::ConversationId;
use crate::domain::time::Timestamp;
use crate::domain::turn::{Cause, Effect, ToolCall};
use crate::domain::user::User;
use crate::domain::{Invalid, when};
use crate::messages::audit as messages;
use crate::usecases::audit::Listed;

/// Converts a turn of the audit log for the reader.
pub fn audit(entry: AuditEntry, now: &Timestamp, reader: &User) -> AuditRow {
    // Only one's own changes can be undone, even by an admin.
    let mine = entry.user == reader.name.as_str();
    let stands = |call: &ToolCall| mine && call.effect == Effect::Stands;
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let text = |call: &ToolCall| CallText {
        arguments: pretty(&call.arguments),
        answer: match (&call.error, &call.result) {
            (Some(error), _) => error.message.clone(),
            (None, Some(result)) => pretty(result),
            (None, None) => String::new(),
        },
        receipt: Receipt { can_undo: stands(call), ..receipt(call, now, &reader.zone) },
    };
    AuditRow {
        at_label: when::instant(&entry.at, now, &reader.zone),
        said: said(&entry, now, &reader.zone),
        texts: entry.tool_calls.iter().map(text).collect(),
        can_undo: entry.tool_calls.iter().filter(|call| stands(call)).count() > 1,
        entry,
    }
}

pub fn audit_page(page: Listed, now: &Timestamp, reader: &User) -> AuditPage {
    let searched = |to: Timestamp| Searched { to_label: when::instant(&to, now, &reader.zone), to };
    AuditPage {
        items: page.items.into_iter().map(|entry| audit(entry, now, reader)).collect(),
        next: page.next,
        searched: page.searched.map(searched),
    }
}

/// Describes the trigger of a turn.
fn said(entry: &AuditEntry, now: &Timestamp, zone: &str) -> String {
    match entry.cause {
        Cause::Message if entry.message.is_none() && entry.reply == ERASED => ERASED.to_owned(),
        Cause::Message => entry.message.clone().unwrap_or_else(|| messages::MESSAGE_REMOVED.to_owned()),
        Cause::Mcp if entry.intent.is_empty() => messages::CALL_BY_AN_OUTSIDE_AGENT.to_owned(),
        Cause::Mcp => entry.intent.clone(),
        Cause::Approval => entry.approval.clone().map_or_else(
            || messages::VERDICT_ON_A_REQUEST.to_owned(),
            |asked| {
                let way = match asked.status {
                    ApprovalStatus::Approved => messages::YES_TO,
                    ApprovalStatus::Rejected => messages::NO_TO,
                    ApprovalStatus::Pending | ApprovalStatus::Expired => messages::NO_ANSWER_TO,
                    // Approved, but the task had changed.
                    ApprovalStatus::Void => messages::TOO_LATE_FOR,
                };
                format!("{way}: {}", approval(asked, now, zone).heading.trim_end_matches('?'))
            },
        ),
    }
}

/// Converts a search into a filter. A day covers the whole day in the reader's zone.
pub fn audit_filter(search: &AuditSearch, zone: &str) -> Result<AuditFilter, ApiError> {
    let given = |field: &Option<String>| field.clone().filter(|text| !text.trim().is_empty());
    let bound = |field: &Option<String>, days: i64| {
        given(field).map(|text| day_or_instant(text.trim(), days, zone)).transpose()
    };
    Ok(AuditFilter {
        since: bound(&search.since, 0)?,
        until: bound(&search.until, 1)?,
        tool: given(&search.tool),
        outcome: given(&search.outcome),
        kind: given(&search.kind),
        engine: given(&search.engine),
        risk: given(&search.risk),
        conversation: given(&search.conversation).map(|id| ConversationId::parse(&id)).transpose()?,
        actor: given(&search.actor).map(|name| actor(&name)).transpose()?,
        user: given(&search.user),
        text: given(&search.text),
    })
}

/// Parses a trigger by its name in the audit log.
fn actor(name: &str) -> Result<Cause, Invalid> {
    Cause::parse(name).ok_or_else(|| Invalid::because(messages::sets_nothing_off(name)))
}

/// Returns the address that exports the turns of a search.
pub fn export_link(search: &AuditSearch, format: &str) -> String {
    let search = AuditSearch { cursor: None, ..search.clone() };
    format!("/api/v1/audit/export?{}", query(&[("format", format)], &search))
}

/// Returns the address of a search with another time span.
pub fn narrowed_link(search: &AuditSearch, since: &str, until: &str) -> String {
    let (since, until) = (Some(since.to_owned()), Some(until.to_owned()));
    format!("/audit?{}", query(&[], &AuditSearch { since, until, cursor: None, ..search.clone() }))
}

/// Returns the non-empty fields of a search with their names.
pub fn search_fields(search: &AuditSearch) -> Vec<(&'static str, String)> {
    let search = search.clone();
    let fields = [
        ("since", search.since),
        ("until", search.until),
        ("tool", search.tool),
        ("outcome", search.outcome),
        ("kind", search.kind),
        ("engine", search.engine),
        ("risk", search.risk),
        ("conversation", search.conversation),
        ("actor", search.actor),
        ("user", search.user),
        ("text", search.text),
        ("cursor", search.cursor),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?))).collect()
}

/// Encodes a search as a query string.
fn query(first: &[(&'static str, &str)], search: &AuditSearch) -> String {
    let first = first.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let pairs = first.chain(search_fields(search)).map(|(name, value)| format!("{name}={}", encoded(&value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Parses an instant, or a day as its start plus `days` days.
fn day_or_instant(text: &str, days: i64, zone: &str) -> Result<Timestamp, Invalid> {
    let Ok(date) = text.parse::<jiff::civil::Date>().map_err(|_| ()) else { return Timestamp::parse(text) };
    if text.len() > 10 {
        return Timestamp::parse(text);
    }
    let unknown = || Invalid::because(messages::outside_the_calendar(text));
    let date = date.checked_add(jiff::Span::new().days(days)).map_err(|_| unknown())?;
    Ok(date.in_tz(zone).map_err(|_| unknown())?.timestamp().into())
}
