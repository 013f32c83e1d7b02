//! Timeline entries: each record of a turn in words.

use leptos::prelude::*;
use serde::Deserialize as _;
use serde_json::Value;

use super::folded;
use super::turn_detail::Reader;
use crate::api::approvals::{ApprovalView, FieldChange, PreviewLine};
use crate::api::audit::Story;
use crate::api::views;
use crate::domain::approval::Approval;
use crate::domain::credential::Credential;
use crate::domain::id::{ApprovalId, InvocationId};
use crate::domain::task::{Actor, Change, Operation};
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::Invocation;
use crate::domain::turn_detail::Record;
use crate::messages::approvals::and;
use crate::messages::{dates, turn_detail as messages};

/// A record as a timeline entry.
pub struct Part {
    /// Actor of the record, for its style: `person`, `agent`, `gate` or `system`.
    pub who: &'static str,
    pub when: String,
    pub record: i64,
    pub heading: String,
    pub body: AnyView,
}

/// Converts a record; `None` for kinds that the timeline does not show.
pub fn part(story: &Story, record: &Record, reader: &Reader<'_>) -> Option<Part> {
    let Some(body) = &record.body else {
        let erased = view! { <p class="story__note">{messages::SAYING_ERASED}</p> }.into_any();
        return Some(at(record, reader, "system", messages::a_record(&record.kind.replace('_', " ")), erased));
    };
    let (who, heading, told) = match record.kind.as_str() {
        "message" => message(story, body),
        "step" => step(story, body),
        "invocation" => invocation(story, body)?,
        "change" => change(body, reader)?,
        "approval_request" => request(story, body, reader)?,
        "approval_verdict" => verdict(story, body, reader)?,
        "decision" => decision(story),
        _ => return None,
    };
    let by = by(story, body).map(|by| view! { <p class="story__by">{by}</p> });
    Some(at(record, reader, who, heading, view! { {told} {by} }.into_any()))
}

/// Describes the credential behind a record; `None` for replies, which are Docket's own.
fn by(story: &Story, body: &Value) -> Option<String> {
    if body["speaker"] == "assistant" {
        return None;
    }
    let by = Credential::deserialize(&body["by"]).ok()?;
    // A record may hold only the session's id; the turn's own entry names the browser.
    let unnamed = by.device.is_none() && by.session_id.is_some();
    let own = story.row.entry.by.as_ref().filter(|own| unnamed && own.session_id == by.session_id);
    Some(views::credential(own.unwrap_or(&by)))
}

type Words = (&'static str, String, AnyView);

fn at(record: &Record, reader: &Reader<'_>, who: &'static str, heading: String, body: AnyView) -> Part {
    Part { who, when: reader.clock(&record.at), record: record.record, heading, body }
}

fn message(story: &Story, body: &Value) -> Words {
    let text = body["text"].as_str().unwrap_or_default().to_owned();
    let said = view! { <blockquote class="story__said">{text}</blockquote> }.into_any();
    if body["speaker"] == "user" {
        ("person", messages::said(&story.row.entry.user), said)
    } else {
        ("agent", messages::DOCKET_ANSWERED.to_owned(), said)
    }
}

/// Describes an engine's reply, or the stored calls of an approval.
fn step(story: &Story, body: &Value) -> Words {
    let reply = &body["reply"];
    let calls = reply["act"]["calls"].as_array().map_or(0, Vec::len);
    if body["origin"] == "approval" {
        let note = view! { <p>{messages::EXACTLY_WHAT_WAS_APPROVED}</p> }.into_any();
        return ("gate", messages::approved_ran(calls), note);
    }
    let engine = match &story.whole.model {
        Some(model) if reply["stood_in"] != true && reply["raw"] != Value::Null => model.clone(),
        _ => messages::THE_RULES.to_owned(),
    };
    let heading = match reply["act"]["act"].as_str() {
        Some("calls") => messages::asked_for_calls(&engine, calls),
        Some("ask") => messages::asked_back(&engine),
        Some("refuse") => messages::declined(&engine),
        _ => messages::had_an_answer(&engine),
    };
    let asked_for = reply["act"]["calls"].as_array().cloned().unwrap_or_default().into_iter().map(|call| {
        let (tool, arguments) = (call["tool"].as_str().unwrap_or_default().to_owned(), call["arguments"].to_string());
        view! { <li><code>{tool} " " {arguments}</code></li> }
    });
    let took = reply["asked"]["took_ms"].as_i64().map(dates::ms).unwrap_or_else(|| "–".to_owned());
    let tokens = match &reply["usage"] {
        Value::Null => messages::NO_TOKENS.to_owned(),
        usage => messages::tokens_in_out(&usage["tokens_in"].to_string(), &usage["tokens_out"].to_string()),
    };
    let raw = (reply["raw"] != Value::Null).then(|| folded(messages::RAW_REPLY, &reply["raw"]));
    let intent = reply["intent"].as_str().unwrap_or_default();
    let body = view! {
        <ul class="story__asked">{asked_for.collect_view()}</ul>
        <p class="story__when">{messages::understood_and_took(intent, &took)} " · " {tokens}</p>
        {raw}
    };
    ("agent", heading, body.into_any())
}

fn invocation(story: &Story, body: &Value) -> Option<Words> {
    let call = Invocation::deserialize(body).ok()?;
    let own =
        |id: InvocationId| story.row.entry.tool_calls.iter().zip(&story.row.texts).find(|it| it.0.invocation_id == id);
    let receipt = &own(call.id)?.1.receipt;
    // The approval's own record already describes this call.
    if call.result.status == CallStatus::AwaitingApproval {
        return None;
    }
    let words = format!("{} {}", receipt.verb, receipt.text);
    let risk = views::risk(call.risk);
    let details = receipt.details.iter().map(|detail| view! { <li>{detail.clone()}</li> }).collect_view();
    let as_called = call.tool.map_or(call.called_as.clone(), |tool| tool.to_string());
    let body = view! {
        <ul class="story__details">{details}</ul>
        <p class="story__when"><code>{as_called}</code> " · " {risk} " · " {dates::ms(call.duration_ms)}</p>
    };
    Some(("agent", words, body.into_any()))
}

/// Returns the reason why the calls needed approval.
fn why_it_asked(approval: &Approval) -> String {
    let renames = approval.preview.iter().any(|it| it.before.title != it.after.title);
    let deletes = approval.calls.iter().any(|call| call.tool == ToolName::DeleteTask);
    match approval.preview.len() {
        count if deletes => messages::to_the_bin_only_with_a_yes(count),
        _ if renames => messages::RENAMED_ONLY_WITH_A_YES.to_owned(),
        2.. => messages::SEVERAL_ONLY_WITH_A_YES.to_owned(),
        _ => messages::BY_POLICY_WITH_A_YES.to_owned(),
    }
}

fn previewed(line: PreviewLine) -> AnyView {
    let number = line.task_id.map(|number| number.to_string());
    let title = match &number {
        Some(number) if line.binned => messages::to_the_bin(number, &line.title),
        Some(number) => format!("#{number} “{}”", line.title),
        None => format!("“{}”", line.title),
    };
    if line.changes.is_empty() { view! { <p>{title}</p> }.into_any() } else { table(title, line.changes) }
}

fn request(story: &Story, body: &Value, reader: &Reader<'_>) -> Option<Words> {
    let view = approval(story, body, reader)?;
    if view.approval.is_erased() {
        let body = view! { <p class="story__note">{messages::QUESTION_ERASED}</p> }.into_any();
        return Some(("gate", messages::THE_GATE_ASKED_FIRST.to_owned(), body));
    }
    let preview = view.lines.iter().cloned().map(previewed).collect_view();
    let more = view.more.as_deref().map(|more| view! { <p class="story__when">{and(more)}</p> });
    let body = view! {
        <p>{why_it_asked(&view.approval)}</p>
        {preview}
        {more}
        <p class="story__when"><a href=format!("/approvals/{}", view.approval.approval_id)>{view.heading.clone()}</a>
            {messages::open_until(&reader.instant(&view.approval.expires_at))}</p>
    };
    Some(("gate", messages::THE_GATE_ASKED_FIRST.to_owned(), body.into_any()))
}

fn verdict(story: &Story, body: &Value, reader: &Reader<'_>) -> Option<Words> {
    let view = approval(story, body, reader)?;
    let heading = view.decided_label.clone().unwrap_or_else(|| messages::THE_REQUEST_WAS_SETTLED.to_owned());
    let waited = view.approval.decided_at.as_ref().map(|at| at.ms_since(&view.approval.created_at));
    let reason =
        view.approval.reason.clone().map(|reason| view! { <blockquote class="story__said">{reason}</blockquote> });
    let body = view! {
        <p>{view.heading}</p>
        {reason}
        {waited.map(|ms| view! { <p class="story__when">{messages::after(&views::span(ms))}</p> })}
    };
    Some(("person", heading, body.into_any()))
}

fn approval(story: &Story, body: &Value, reader: &Reader<'_>) -> Option<ApprovalView> {
    let id = ApprovalId::deserialize(&body["approval_id"]).ok()?;
    let found: &Approval = story.whole.approvals.iter().find(|approval| approval.approval_id == id)?;
    Some(views::approval(found.clone(), reader.now, &reader.user.zone))
}

fn change(body: &Value, reader: &Reader<'_>) -> Option<Words> {
    let change = Change::deserialize(body).ok()?;
    let who = match change.actor {
        Actor::User => "person",
        _ => "agent",
    };
    let words = match change.operation {
        Operation::Add => messages::WAS_ADDED,
        Operation::Update => messages::WAS_CHANGED,
        Operation::Complete => messages::WAS_COMPLETED,
        Operation::Reopen => messages::WAS_REOPENED,
        Operation::Delete => messages::WENT_TO_THE_BIN,
        Operation::Restore => messages::CAME_BACK_FROM_THE_BIN,
        Operation::Purge => messages::WAS_REMOVED_FOR_GOOD,
    };
    let heading = messages::task(&change.task_id.to_string(), change.after.title.as_str(), words);
    let fields = differences(&change, reader);
    let body = if fields.is_empty() { ().into_any() } else { table(messages::BEFORE_AND_AFTER.to_owned(), fields) };
    Some((who, heading, body))
}

fn differences(change: &Change, reader: &Reader<'_>) -> Vec<FieldChange> {
    match &change.before {
        Some(before) => views::differences(before, &change.after, reader.now, &reader.user.zone),
        None => vec![],
    }
}

fn table(caption: String, fields: Vec<FieldChange>) -> AnyView {
    let line =
        |it: FieldChange| view! { <tr><th scope="row">{it.field}</th><td>{it.before}</td><td>{it.after}</td></tr> };
    view! {
        <table class="story__table">
            <caption>{caption}</caption>
            <thead><tr><th scope="col">{messages::FIELD}</th><th scope="col">{messages::BEFORE}</th><th scope="col">{messages::AFTER}</th></tr></thead>
            <tbody>{fields.into_iter().map(line).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// Renders every change of the turn with a table of its fields.
pub fn changes(story: &Story, reader: &Reader<'_>) -> Vec<AnyView> {
    let bodies = story.whole.records.iter().filter(|record| record.kind == "change").filter_map(|it| it.body.as_ref());
    let told = bodies.filter_map(|body| change(body, reader));
    told.map(|(_, heading, table)| {
        view! { <div class="story__change sheet"><h4>{heading}</h4>{table}</div> }.into_any()
    })
    .collect()
}

fn decision(story: &Story) -> Words {
    let entry = &story.row.entry;
    let heading = messages::turn_ended(entry.decision.outcome.in_words());
    let because = story.whole.basis.as_ref().map(|basis| messages::it_ended_since(basis.course.in_words()));
    let took = messages::and_took(&dates::ms(entry.duration_ms));
    let body = view! { <p>{because}</p><p class="story__when"><code>{entry.decision.code()}</code> {took}</p> };
    ("system", heading, body.into_any())
}
