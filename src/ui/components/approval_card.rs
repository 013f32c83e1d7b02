//! A request that waits for a yes: the tool's own before and after, the safe choice first; or what became of it.

use leptos::ev::{MouseEvent, SubmitEvent};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::approvals::{Again, ApprovalView, Decide, Extend, FieldChange, PreviewLine};
use crate::domain::approval::{ApprovalStatus, Fate};
use crate::domain::id::ApprovalId;
use crate::ui::acts::Acts;
use crate::ui::address::here;
use crate::ui::erase::{Erase, Piece, held, whole};
use crate::ui::kept::kept;
use crate::words::approvals as words;

/// `on_sent` runs when a verdict was sent or a link leads away; the card stands in a dialog then, and the safe choice has the focus. The
/// time that is left of `view` is kept fresh while the card stays, with what is typed into it.
#[component]
pub fn ApprovalCard(
    #[prop(into)] view: Signal<ApprovalView>,
    #[prop(optional, into)] on_sent: Option<Callback<()>>,
) -> impl IntoView {
    let now = view.get_untracked();
    let status = now.approval.status;
    let class = format!("approval-card approval-card--{}", status.as_str());
    let label = now.heading.clone();
    let content =
        if status == ApprovalStatus::Pending { waiting(now, view, on_sent).erase() } else { settled(now).erase() };
    view! { <section class=class data-row="" aria-label=label>{content}</section> }.erase()
}

/// What makes a card another one: those of a list are made anew with it.
pub fn card_key(view: &ApprovalView) -> (ApprovalId, &'static str) {
    (view.approval.approval_id, view.approval.status.as_str())
}

/// What is asked, with everything needed to answer; `fresh` says it with the time that is left now.
fn waiting(view: ApprovalView, fresh: Signal<ApprovalView>, on_sent: Option<Callback<()>>) -> impl IntoView {
    let id = view.approval.approval_id.to_string();
    // An answer is on its way; the card becomes another one by what comes of it.
    let sent = RwSignal::new(false);
    let page = format!("/approvals/{id}");
    let elsewhere = here().with_untracked(|here| here.path != page);
    let lines = lines(&id, view.lines, view.more, on_sent);
    let style = if view.bins { "button button--danger" } else { "button button--primary" };
    let closing = kept(move || fresh.with(|view| view.closing));
    let left = move || {
        let soon = if closing.get() { words::SOON_OVER } else { "" };
        fresh.with(|view| soon.to_owned() + &view.expires_label)
    };
    view! {
        <header class="approval-card__head">
            <span class="approval-card__status">
                {whole(move || match sent.get() {
                    true => view! { <span class="spinner" aria-hidden="true"></span> {words::SENDING_YOUR_ANSWER} }.erase(),
                    false => view! { <Icon shape=Shape::Clock/> {words::WAITING_FOR_YOU} }.erase(),
                })}
            </span>
            // Only what is high asks.
            <span class="approval-card__risk"><Icon shape=Shape::Alert/> {words::HIGH_RISK}</span>
            <span class="approval-card__at">
                <span class="approval-card__asked">{held(move || fresh.with(|view| view.asked_label.clone()))}</span>
                {elsewhere.then(|| view! { <a class="approval-card__open" href=page on:click=leaving(on_sent)>{words::OPEN}</a> })}
            </span>
        </header>
        <p class="approval-card__heading">{view.heading}</p>
        {view.said.map(|said| view! { <p class="approval-card__said"><span>{words::YOU_SAID}</span> <q>{said}</q></p> })}
        {lines}
        <div class="approval-card__buttons">
            <p class="approval-card__unread">{words::READ_ALL_OF_IT}</p>
            {verdict(id.clone(), "reject", view.no, "button", sent, on_sent)}
            {verdict(id.clone(), "approve", view.yes, style, sent, on_sent)}
        </div>
        <div class="approval-card__expiry" class=("approval-card__expiry--closing", held(move || closing.get()))>
            {whole(move || view! { <Icon shape=if closing.get() { Shape::Alert } else { Shape::Clock }/> })}
            <span>{held(left)}</span>
            {act(Extend::url(), id.clone(), words::MORE_TIME)}
        </div>
        <details class="approval-card__why">
            <summary class="button button--quiet">{words::DECLINE_WITH_A_REASON} <Icon shape=Shape::Chevron/></summary>
            {reasoned(id, sent, on_sent)}
        </details>
    }
}

/// What became of it, in one line; the rest behind it.
fn settled(view: ApprovalView) -> impl IntoView {
    let shape = match view.approval.status {
        ApprovalStatus::Approved => Shape::Check,
        ApprovalStatus::Rejected => Shape::Cross,
        ApprovalStatus::Expired => Shape::Clock,
        ApprovalStatus::Pending | ApprovalStatus::Void => Shape::Repeat,
    };
    let id = view.approval.approval_id.to_string();
    let lines = lines(&id, view.lines, view.more, None);
    // What was erased cannot be asked again.
    let asks_again = view.approval.status == ApprovalStatus::Expired && !view.approval.is_erased();
    let again = asks_again.then(|| act(Again::url(), id, words::ASK_AGAIN));
    view! {
        <details class="approval-card__settled">
            <summary class="approval-card__outcome">
                <Icon shape/> <span>{view.settled_label}</span> <span class="approval-card__more"><Icon shape=Shape::Chevron/></span>
            </summary>
            {lines}
            {view.decided_label.map(|label| view! { <p class="approval-card__decided">{label}</p> })}
            {view.approval.reason.map(|reason| view! { <p class="approval-card__decided"><q>{reason}</q></p> })}
        </details>
        {again}
    }
}

fn verdict(
    id: String,
    verdict: &'static str,
    label: String,
    class: &'static str,
    sent: RwSignal<bool>,
    on_sent: Option<Callback<()>>,
) -> impl IntoView {
    let send = answering(sent, on_sent);
    view! {
        <form method="post" action=Decide::url() on:submit=send>
            <input type="hidden" name="approval_id" value=id/>
            <input type="hidden" name="verdict" value=verdict/>
            <ReturnTo/>
            <button class=class data-keys=(verdict == "approve").then_some("mod+enter") autofocus=verdict == "reject" && on_sent.is_some() aria-disabled=held(move || sent.get().then_some("true"))>{label}</button>
        </form>
    }
    .erase()
}

/// Sends an answer, unless one is on its way.
fn answering(sent: RwSignal<bool>, on_sent: Option<Callback<()>>) -> impl Fn(SubmitEvent) + Copy + 'static {
    let acts = Acts::current();
    move |event: SubmitEvent| {
        if sent.get_untracked() {
            event.prevent_default();
            return;
        }
        sent.set(true);
        acts.send_then(event, move |answer| {
            // The card may be gone when the answer comes. One that came stands until the list is newer.
            if answer.is_err() {
                sent.try_set(false);
            }
        });
        if let Some(on_sent) = on_sent {
            on_sent.run(());
        }
    }
}

/// A no that tells the model why.
fn reasoned(id: String, sent: RwSignal<bool>, on_sent: Option<Callback<()>>) -> impl IntoView {
    let send = answering(sent, on_sent);
    view! {
        <form method="post" action=Decide::url() class="approval-card__reason" on:submit=send>
            <input type="hidden" name="approval_id" value=id/>
            <input type="hidden" name="verdict" value="reject"/>
            <ReturnTo/>
            // Around its field and not beside it: the same request may stand in the dialog and in the conversation.
            <label>
                {words::WHY_NOT}
                <input name="reason" maxlength="500" required autocomplete="off"/>
            </label>
            <button class="button" aria-disabled=held(move || sent.get().then_some("true"))>{words::DECLINE}</button>
        </form>
    }
    .erase()
}

/// A button that does something else with the request than decide it.
fn act(action: &'static str, id: String, label: &'static str) -> impl IntoView {
    let acts = Acts::current();
    view! {
        <form method="post" action=action on:submit=move |event| acts.send(event)>
            <input type="hidden" name="approval_id" value=id/>
            <ReturnTo/>
            <button class="button button--quiet">{label}</button>
        </form>
    }
    .erase()
}

fn line(line: PreviewLine) -> impl IntoView {
    let one_sided = matches!(line.fate, Fate::Added | Fate::Binned | Fate::Read);
    let mark = mark(line.fate).map(|(shape, word)| {
        let class = if line.binned { "approval-card__mark approval-card__mark--binned" } else { "approval-card__mark" };
        view! { <span class=class><Icon shape/> {word}</span> }
    });
    view! {
        <li class="approval-card__line">
            <span class="approval-card__number">{line.task_id.map(|number| format!("#{number}"))}</span>
            <span class="approval-card__title" class=("approval-card__title--binned", line.binned)>{line.title}</span>
            {line.due_label.map(|label| view! { <span class="approval-card__due">{label}</span> })}
            {mark}
            {line.changes.into_iter().map(|it| change(it, line.fate, one_sided)).collect_view()}
        </li>
    }
    .erase()
}

/// What becomes of a task, where its fields do not say it.
fn mark(fate: Fate) -> Option<(Shape, &'static str)> {
    match fate {
        Fate::Added => Some((Shape::Plus, words::NEW)),
        Fate::Binned => Some((Shape::Bin, words::TO_THE_BIN)),
        Fate::Unchanged => Some((Shape::Check, words::STAYS_AS_IT_IS)),
        Fate::Changed | Fate::Completed | Fate::Reopened | Fate::Read => None,
    }
}

/// A field before and after; of a task that is added or binned, the field as it is.
fn change(change: FieldChange, fate: Fate, one_sided: bool) -> impl IntoView {
    let values = if one_sided {
        let value = if fate == Fate::Binned { change.before } else { change.after };
        view! { <span class="approval-card__value">{value}</span> }.erase()
    } else {
        view! {
            <del class="approval-card__value"><span class="visually-hidden">{words::BEFORE}</span>{change.before}</del>
            <Icon shape=Shape::Arrow/>
            <ins class="approval-card__value"><span class="visually-hidden">{words::AFTER}</span>{change.after}</ins>
        }
        .erase()
    };
    view! {
        <span class="approval-card__change">
            <span class="approval-card__field">{change.field}</span>
            {values}
            {change.summary.map(|summary| view! { <span class="approval-card__summary">{summary}</span> })}
        </span>
    }
    .erase()
}

/// Closes the dialog around the card, where a link leads away from it.
fn leaving(on_sent: Option<Callback<()>>) -> impl Fn(MouseEvent) + 'static {
    move |_| {
        if let Some(on_sent) = on_sent {
            on_sent.run(());
        }
    }
}

/// The lines, and what has no room among them.
fn lines(id: &str, lines: Vec<PreviewLine>, more: Option<String>, on_sent: Option<Callback<()>>) -> Piece {
    let page = format!("/approvals/{id}");
    let more = more.map(|more| {
        view! { <p class="approval-card__rest">{words::and(&more)} " " <a href=page on:click=leaving(on_sent)>{words::SHOW_EVERYTHING}</a></p> }
    });
    view! { <ul class="approval-card__lines">{lines.into_iter().map(line).collect_view()}</ul> {more} }.erase()
}
