//! Turn detail: the message, the context, the model's replies, tool calls and changes of one turn.

use std::fmt::Display;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::timeline::{Part, part};
use super::{chevron, coded, fact, folded, html};
use crate::api::ApiError;
use crate::api::audit::Story;
use crate::api::tasks::Undo;
use crate::api::views;
use crate::domain::replay::{Decider, Replay};
use crate::domain::time::Timestamp;
use crate::domain::turn::{Cause, Effect, ToolCall};
use crate::domain::turn_detail::{Recalled, Record, Told};
use crate::domain::user::User;
use crate::domain::{conversation::Speaker, id::TurnId, when};
use crate::messages::{dates, receipts, turn_detail as messages};

/// The reader, the current time, and the list that the page belongs to.
pub struct Reader<'a> {
    pub user: &'a User,
    pub now: &'a Timestamp,
    /// Query string of the list's address, without `?`.
    pub list: &'a str,
}

impl Reader<'_> {
    pub fn instant(&self, at: &Timestamp) -> String {
        when::instant(at, self.now, &self.user.zone)
    }

    /// Returns the address of a turn's page with the same list, without a replay.
    pub fn href(&self, turn: TurnId) -> String {
        let kept = self.list.split('&').filter(|field| !field.is_empty() && !field.starts_with("replay="));
        let kept = kept.collect::<Vec<_>>().join("&");
        if kept.is_empty() { format!("/audit/{turn}") } else { format!("/audit/{turn}?{kept}") }
    }

    /// Returns the address of the turn's page with a replay by `decider`.
    fn again(&self, turn: TurnId, decider: &str) -> String {
        let href = self.href(turn);
        format!("{href}{}replay={decider}", if href.contains('?') { '&' } else { '?' })
    }

    /// Formats a time to the second: the parts of one turn are close together.
    pub fn clock(&self, at: &Timestamp) -> String {
        when::local(at, &self.user.zone).strftime(dates::TIME_TO_THE_SECOND).to_string()
    }
}

/// Renders the whole turn.
///
/// `again` is the result of a requested replay.
pub fn story(story: &Story, again: Option<&Result<Replay, ApiError>>, reader: &Reader<'_>) -> String {
    let parts = story.whole.records.iter().filter_map(|record| part(story, record, reader)).collect::<Vec<_>>();
    html(view! {
        <h2 class="story__headline" tabindex="-1">{story.row.said.clone()}</h2>
        {ways(story, reader)}
        {facts(story, reader)}
        <nav class="story__sections" aria-label=messages::SECTIONS>
            <a href="#story">{messages::STORY}</a><a href="#calls">{messages::CALLS}</a><a href="#changes">{messages::CHANGES}</a><a href="#raw">{messages::RAW}</a>
        </nav>
        <section class="story__section" id="story" aria-labelledby="story-head">
            <h3 id="story-head">{messages::STORY}</h3>
            <ol class="story__parts">
                {parts.into_iter().enumerate().map(|(at, part)| told(part, (at == 0).then(|| known(story, reader)))).collect_view()}
            </ol>
            {readings(story, reader)}
            {replay(story.row.entry.turn_id, again, reader)}
        </section>
        {calls(story, reader)}
        {changes(story, reader)}
        {raw(&story.whole.records, reader)}
    })
}

fn told(part: Part, known: Option<AnyView>) -> AnyView {
    view! {
        <li class=format!("story__part story__part--{}", part.who)>
            <p class="story__when">{part.when} {messages::record(part.record)}</p>
            <h4>{part.heading}</h4>
            {part.body}
            {known}
        </li>
    }
    .into_any()
}

/// Links to related turns.
fn ways(story: &Story, reader: &Reader<'_>) -> AnyView {
    let whole = &story.whole;
    let way = |turn: Option<TurnId>, words: &'static str| {
        turn.map(|turn| view! { <a class="button button--quiet" href=reader.href(turn)>{words}</a> })
    };
    view! {
        <nav class="story__ways" aria-label=messages::TURNS_AROUND_THIS_ONE>
            {way(whole.asked_by, messages::THE_TURN_THAT_ASKED)}
            {way(whole.answered_by, messages::THE_TURN_OF_THE_ANSWER)}
            {way(whole.before, messages::EARLIER)}
            {way(whole.after, messages::LATER)}
        </nav>
    }
    .into_any()
}

fn facts(story: &Story, reader: &Reader<'_>) -> AnyView {
    let (entry, whole) = (&story.row.entry, &story.whole);
    let engine = match (&whole.model, &entry.engine_cause) {
        (Some(model), None) => format!("{} · {model}", entry.engine.as_str()),
        (_, Some(cause)) => format!("{} ({cause})", entry.engine.as_str()),
        (None, None) => entry.engine.as_str().to_owned(),
    };
    let tokens = match (whole.tokens_in, whole.tokens_out) {
        (None, None) => "–".to_owned(),
        (into, out) => {
            let grouped = |tokens: Option<i64>| views::grouped(tokens.unwrap_or_default().unsigned_abs());
            messages::in_and_out(&grouped(into), &grouped(out), whole.tokens_estimated)
        }
    };
    view! {
        <dl class="story__facts sheet">
            {coded(messages::DECISION, entry.decision.in_words(), entry.decision.code())}
            {fact(messages::UNDERSTOOD_AS, entry.intent.clone())}
            {fact(messages::BY, engine)}
            {fact(messages::WHOSE, entry.user.clone())}
            {fact(messages::ACCEPTED, reader.instant(&whole.accepted_at))}
            {entry.by.as_ref().map(|by| fact(messages::STARTED, views::credential(by)))}
            {fact(messages::TOOK, dates::ms(entry.duration_ms))}
            {fact(messages::TOKENS, tokens)}
            {fact(messages::COST, views::cost(whole.cost_micros))}
            {whole.trace_id.clone().map(|trace| fact(messages::TRACE, trace))}
        </dl>
    }
    .into_any()
}

/// Returns true if the turn has a record of that kind whose body was erased.
fn erased(story: &Story, kind: &str) -> bool {
    story.whole.records.iter().any(|record| record.kind == kind && record.body.is_none())
}

/// Renders the context that the engine had, besides the turn's own message.
fn known(story: &Story, reader: &Reader<'_>) -> AnyView {
    let whole = &story.whole;
    let Some(basis) = &whole.basis else {
        let why = match story.row.entry.cause {
            _ if erased(story, "decision") => messages::KNOWN_BUT_ERASED,
            Cause::Mcp => messages::NOT_KNOWN_HERE,
            Cause::Message | Cause::Approval => messages::NOT_KEPT_YET,
        };
        return view! { <p class="story__note">{why}</p> }.into_any();
    };
    let said = |told: &Told| {
        let who =
            if told.speaker == Speaker::User { story.row.entry.user.clone() } else { messages::DOCKET.to_owned() };
        let text = told.text.clone().unwrap_or_else(|| messages::ERASED.to_owned());
        view! {
            <li><a href=reader.href(told.turn_id)>{who}</a> ": " {text} " " <code>{told.message_id.to_string()}</code></li>
        }
    };
    let asked = whole.records.iter().find_map(|record| record.body.as_ref()?["reply"]["asked"]["prompt"].as_str());
    let came_to_mind = |recalled: &Recalled| {
        let text = recalled.text.clone().unwrap_or_else(|| messages::FORGOTTEN.to_owned());
        view! { <li>{text} " " <code>{recalled.memory_id.to_string()}</code></li> }
    };
    let none = whole.memories.is_empty();
    let known = messages::known(whole.context.len(), whole.memories.len(), basis.pending.len());
    view! {
        <details class="story__known">
            <summary>{known} {chevron()}</summary>
            <ol class="story__context">{whole.context.iter().map(said).collect_view()}</ol>
            <h5 hidden=none>{messages::MEMORIES_THAT_CAME_TO_MIND}</h5>
            <ul class="story__context" hidden=none>{whole.memories.iter().map(came_to_mind).collect_view()}</ul>
            <dl class="story__digests">
                {fact(messages::CLOCK, messages::clock(&reader.instant(&whole.accepted_at), &basis.zone))}
                {fact(messages::LIMITS, messages::limits(basis.max_steps, basis.max_calls))}
                {fact(messages::ENDED_SINCE, basis.course.in_words())}
                {fact(messages::CONSTITUTION, whole.constitution.clone().filter(|hash| !hash.is_empty()).unwrap_or_else(|| "–".to_owned()))}
                {fact(messages::PROMPT, asked.unwrap_or("–"))}
            </dl>
        </details>
    }
    .into_any()
}

fn readings(story: &Story, reader: &Reader<'_>) -> Option<AnyView> {
    let readings = &story.whole.readings;
    let line = |it: &crate::domain::turn_detail::Reading| {
        view! { <li>{it.reader.clone()} ", " {reader.instant(&it.at)} {messages::record(it.record)}</li> }
    };
    (!readings.is_empty()).then(|| {
        view! {
            <details class="story__known">
                <summary>{messages::read_by_an_admin(readings.len())} {chevron()}</summary>
                <ul class="story__context">{readings.iter().map(line).collect_view()}</ul>
            </details>
        }
        .into_any()
    })
}

/// Renders the replay links, and the result of a requested replay.
fn replay(turn: TurnId, again: Option<&Result<Replay, ApiError>>, reader: &Reader<'_>) -> AnyView {
    let answer = again.map(|again| match again {
        Err(error) => view! { <p class="story__failed" role="status">{error.message.clone()}</p> }.into_any(),
        Ok(replay) if replay.same => {
            view! { <p class="story__same" role="status">{messages::same_decision(decider(replay.decider))}</p> }
                .into_any()
        }
        Ok(replay) => {
            let lines = replay.differences.iter().map(|line| view! { <li>{line.clone()}</li> }).collect_view();
            view! {
                <div role="status">
                    <p class="story__differs">{messages::another_decision(decider(replay.decider))}</p>
                    <ul class="story__details">{lines}</ul>
                </div>
            }
            .into_any()
        }
    });
    view! {
        <p class="story__replay">
            <a class="button" href=reader.again(turn, "recorded")>{messages::DECIDE_AGAIN_FROM_THE_RECORD}</a>
            <a class="button button--quiet" href=reader.again(turn, "rules")>{messages::WHAT_WOULD_THE_RULES_DO}</a>
        </p>
        {answer}
    }
    .into_any()
}

fn decider(decider: Decider) -> &'static str {
    match decider {
        Decider::Recorded => messages::THE_RECORDED_REPLIES,
        Decider::Rules => messages::THE_RULES,
    }
}

/// Renders every tool call, with an Undo form if the reader may undo it.
fn calls(story: &Story, reader: &Reader<'_>) -> AnyView {
    let row = &story.row;
    let (id, place) = (row.entry.turn_id, reader.href(row.entry.turn_id));
    let line = |(call, text): (&ToolCall, &crate::api::audit::CallText)| {
        let label = receipts::undo_of(&text.receipt.verb, &text.receipt.text);
        let undo = text
            .receipt
            .can_undo
            .then(|| undo(&place, "invocation_id", call.invocation_id, messages::UNDO, Some(label)));
        let status = call.status.as_str().replace('_', " ");
        view! {
            <li class="story__call sheet">
                <h4><code>{call.tool.clone()}</code> " " {views::risk(call.risk)}</h4>
                <p>{text.receipt.verb.clone()} " " {text.receipt.text.clone()}</p>
                <p class="story__when">{status}{(call.effect == Effect::Undone).then_some(messages::UNDONE_SINCE)}
                    " · " {dates::ms(call.duration_ms)} " · " <code>{call.invocation_id.to_string()}</code></p>
                {folded(messages::ARGUMENTS, &call.arguments)}
                {call.result.as_ref().map(|result| folded(messages::RESULT, result))}
                {call.error.as_ref().map(|error| view! { <p class="story__failed">{error.message.clone()}</p> })}
                {undo}
            </li>
        }
    };
    let none = row.entry.tool_calls.is_empty();
    let whole = row.can_undo.then(|| undo(&place, "turn_id", id, messages::UNDO_ALL_OF_THIS_TURN, None));
    view! {
        <section class="story__section" id="calls" aria-labelledby="calls-head">
            <h3 id="calls-head">{messages::CALLS}</h3>
            {erased(story, "invocation").then(|| view! { <p class="story__note">{messages::CALLS_ERASED}</p> })}
            {(none && !erased(story, "invocation")).then(|| view! { <p class="story__note">{messages::NO_TOOL_WAS_CALLED}</p> })}
            <ul class="story__calls">{row.entry.tool_calls.iter().zip(&row.texts).map(line).collect_view()}</ul>
            {whole}
        </section>
    }
    .into_any()
}

/// A plain form that returns to `place`, the turn's page. `label` names the undone change if the button's text does not.
fn undo(place: &str, name: &'static str, id: impl Display, words: &'static str, label: Option<String>) -> AnyView {
    view! {
        <form method="post" action=Undo::url() class="story__undo">
            <input type="hidden" name=name value=id.to_string()/>
            <input type="hidden" name="return_to" value=place.to_owned()/>
            <button class="button" aria-label=label>{words}</button>
        </form>
    }
    .into_any()
}

fn changes(story: &Story, reader: &Reader<'_>) -> AnyView {
    let tables = super::timeline::changes(story, reader);
    let none = tables.is_empty();
    view! {
        <section class="story__section" id="changes" aria-labelledby="changes-head">
            <h3 id="changes-head">{messages::CHANGES}</h3>
            {erased(story, "change").then(|| view! { <p class="story__note">{messages::CHANGES_ERASED}</p> })}
            {(none && !erased(story, "change")).then(|| view! { <p class="story__note">{messages::NOTHING_WAS_CHANGED}</p> })}
            {tables}
        </section>
    }
    .into_any()
}

fn raw(records: &[Record], reader: &Reader<'_>) -> AnyView {
    let line = |record: &Record| {
        let text = match &record.body {
            Some(body) => serde_json::to_string_pretty(body).unwrap_or_default(),
            None => messages::ERASED.to_owned(),
        };
        view! {
            <details class="story__raw">
                <summary>{messages::raw_record(record.record, &record.kind.replace('_', " "), &reader.clock(&record.at))} {chevron()}</summary>
                <pre class="story__json" tabindex="0">{text}</pre>
            </details>
        }
    };
    view! {
        <section class="story__section" id="raw" aria-labelledby="raw-head">
            <h3 id="raw-head">{messages::RAW}</h3>
            {records.iter().map(line).collect_view()}
        </section>
    }
    .into_any()
}
