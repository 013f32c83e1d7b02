//! One turn of the record: what came in, what was decided, what was called.

use std::collections::HashSet;

use leptos::html::Details;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReceiptLine, ReturnTo, Shape};
use crate::api::audit::{AuditRow, CallText};
use crate::api::tasks::Undo;
use crate::domain::id::TurnId;
use crate::domain::tool::Risk;
use crate::domain::turn::{Effect, ToolCall};
use crate::ui::acts::Acts;
use crate::ui::erase::Erase;
use crate::words::{audit as words, dates};

/// `with_user` shows whose turn it was; `opened` are the turns whose entries are open.
#[component]
pub fn AuditEntryItem(row: AuditRow, with_user: bool, opened: StoredValue<HashSet<TurnId>>) -> impl IntoView {
    let AuditRow { entry, at_label, said, texts, can_undo } = row;
    let undo_turn = can_undo.then(|| undo(entry.turn_id.to_string()));
    let outcome = entry.decision.outcome.as_str();
    let (head, sub) = outcome.split_once(':').unwrap_or((outcome, ""));
    let (shape, tone) = match (head, sub) {
        (_, "APPROVAL_REQUESTED") => (Shape::Clock, "waiting"),
        ("SUCCESS", _) => (Shape::Check, "success"),
        ("AMBIGUITY", _) => (Shape::Diamond, "ambiguity"),
        ("REFUSAL", _) => (Shape::Cross, "refusal"),
        _ => (Shape::Alert, "error"),
    };
    let words = entry.decision.outcome.in_words();
    let tools = entry.tool_calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>().join(", ");
    let engine = match &entry.engine_cause {
        Some(cause) => format!("{} ({cause})", entry.engine.as_str()),
        None => entry.engine.as_str().to_owned(),
    };
    let turn = entry.turn_id;
    let details = NodeRef::<Details>::new();
    // A click comes before the change that it makes.
    let turn_over = move |_| {
        let was_open = details.get().is_some_and(|details| details.has_attribute("open"));
        opened.update_value(|opened| {
            if was_open {
                opened.remove(&turn)
            } else {
                opened.insert(turn)
            };
        });
    };
    view! {
        <li class="audit-entry" id=format!("turn-{turn}")>
            <details node_ref=details class="audit-entry__details" open=opened.with_value(|opened| opened.contains(&turn))>
                <summary class="audit-entry__summary" on:click=turn_over>
                    <span class="audit-entry__at">{at_label}</span>
                    <span class="audit-entry__said">{said}</span>
                    <span class="audit-entry__tools">{tools}</span>
                    <span class=format!("audit-entry__outcome audit-entry__outcome--{tone}")><Icon shape/> {words}</span>
                    <span class="audit-entry__more"><Icon shape=Shape::Chevron/></span>
                </summary>
                <div class="audit-entry__story">
                    <p class="audit-entry__reply">{entry.reply.clone()}</p>
                    {entry.tool_calls.into_iter().zip(texts).map(call).collect_view()}
                    {undo_turn}
                    <dl class="audit-entry__facts">
                        {with_user.then(|| fact(words::USER, entry.user.clone()))}
                        {coded(words::DECISION, entry.decision.in_words(), entry.decision.code())}
                        {fact(words::UNDERSTOOD_AS, entry.intent.clone())}
                        {fact(words::ENGINE, engine)}
                        {fact(words::TOOK, dates::ms(entry.duration_ms))}
                        {fact(words::TURN, entry.turn_id.to_string())}
                    </dl>
                    <a class="audit-entry__whole" href=format!("/audit/{turn}")>{words::THE_WHOLE_STORY}</a>
                </div>
            </details>
        </li>
    }
    .erase()
}

fn fact(name: &'static str, value: String) -> impl IntoView {
    view! { <div class="audit-entry__fact"><dt>{name}</dt><dd>{value}</dd></div> }
}

/// The same of what programs call otherwise.
fn coded(name: &'static str, value: String, code: String) -> impl IntoView {
    view! { <div class="audit-entry__fact"><dt>{name}</dt><dd>{value} " " <code>{code}</code></dd></div> }
}

fn call((call, text): (ToolCall, CallText)) -> impl IntoView {
    let (shape, risk) = match call.risk {
        Risk::Low => (Shape::Dot, words::LOW_RISK),
        Risk::Medium => (Shape::Diamond, words::MEDIUM_RISK),
        Risk::High => (Shape::Alert, words::HIGH_RISK),
    };
    view! {
        <section class="audit-entry__call">
            <h3 class="audit-entry__tool">
                <code>{call.tool}</code>
                <span class=format!("audit-entry__risk audit-entry__risk--{}", call.risk.as_str())><Icon shape/> {risk}</span>
                <span class="audit-entry__status">{call.status.as_str().replace('_', " ")}
                    {(call.effect == Effect::Undone).then_some(words::UNDONE_SINCE)} " · " {dates::ms(call.duration_ms)}</span>
            </h3>
            <ul><ReceiptLine receipt=text.receipt/></ul>
            <details class="audit-entry__raw">
                <summary>{words::RAW} <Icon shape=Shape::Chevron/></summary>
                <pre class="audit-entry__json">{text.arguments}</pre>
                {(!text.answer.is_empty()).then(|| view! { <pre class="audit-entry__json">{text.answer}</pre> })}
            </details>
        </section>
    }
    .erase()
}

fn undo(turn: String) -> impl IntoView {
    let acts = Acts::current();
    view! {
        <form method="post" action=Undo::url() class="audit-entry__undo" on:submit=move |event| acts.send(event)>
            <input type="hidden" name="turn_id" value=turn/>
            <ReturnTo/>
            <button class="button button--quiet"><Icon shape=Shape::Undo/> {words::UNDO_ALL_OF_THIS_TURN}</button>
        </form>
    }
    .erase()
}
