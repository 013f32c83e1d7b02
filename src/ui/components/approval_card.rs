//! The card of an approval: a preview with the values before and after, the safe choice first, or the verdict.

use leptos::ev::{MouseEvent, SubmitEvent};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Icon, ReturnTo, Shape};
use crate::api::approvals::{Again, ApprovalView, Decide, Extend, FieldChange, PreviewLine};
use crate::domain::approval::{ApprovalStatus, Fate};
use crate::domain::id::ApprovalId;
use crate::messages::approvals as messages;
use crate::ui::address::here;
use crate::ui::any_view::{Erase, Piece, held, whole};
use crate::ui::derived::kept;
use crate::ui::form_actions::FormActions;

/// `on_sent` runs when a verdict was sent or a link leads away. Only a card in a dialog sets it, and its reject button
/// gets the focus. The remaining time in `view` is updated in place, so that typed text stays.
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

/// Returns the key of a card in a list; a card with a new key is rebuilt.
pub fn card_key(view: &ApprovalView) -> (ApprovalId, &'static str) {
    (view.approval.approval_id, view.approval.status.as_str())
}

/// A pending approval with everything needed to decide; `fresh` has the time that is left.
fn waiting(view: ApprovalView, fresh: Signal<ApprovalView>, on_sent: Option<Callback<()>>) -> impl IntoView {
    let id = view.approval.approval_id.to_string();
    // True while a verdict is being sent. The card is rebuilt once the approval's status changes.
    let sent = RwSignal::new(false);
    let page = format!("/approvals/{id}");
    let elsewhere = here().with_untracked(|here| here.path != page);
    let lines = lines(&id, view.lines, view.more, on_sent);
    let style = if view.bins { "button button--danger" } else { "button button--primary" };
    let closing = kept(move || fresh.with(|view| view.closing));
    let left = move || {
        let soon = if closing.get() { messages::SOON_OVER } else { "" };
        fresh.with(|view| soon.to_owned() + &view.expires_label)
    };
    view! {
        <header class="approval-card__head">
            <span class="approval-card__status">
                {whole(move || match sent.get() {
                    true => view! { <span class="spinner" aria-hidden="true"></span> {messages::SENDING_YOUR_ANSWER} }.erase(),
                    false => view! { <Icon shape=Shape::Clock/> {messages::WAITING_FOR_YOU} }.erase(),
                })}
            </span>
            // Only calls of high risk need approval.
            <span class="approval-card__risk"><Icon shape=Shape::Alert/> {messages::HIGH_RISK}</span>
            <span class="approval-card__at">
                <span class="approval-card__asked">{held(move || fresh.with(|view| view.asked_label.clone()))}</span>
                {elsewhere.then(|| view! { <a class="approval-card__open" href=page on:click=leaving(on_sent)>{messages::OPEN}</a> })}
            </span>
        </header>
        <p class="approval-card__heading">{view.heading}</p>
        {view.said.map(|said| view! { <p class="approval-card__said"><span>{messages::YOU_SAID}</span> <q>{said}</q></p> })}
        {lines}
        <div class="approval-card__buttons">
            <p class="approval-card__unread">{messages::READ_ALL_OF_IT}</p>
            {verdict(id.clone(), "reject", view.no, "button", sent, on_sent)}
            {verdict(id.clone(), "approve", view.yes, style, sent, on_sent)}
        </div>
        <div class="approval-card__expiry" class=("approval-card__expiry--closing", held(move || closing.get()))>
            {whole(move || view! { <Icon shape=if closing.get() { Shape::Alert } else { Shape::Clock }/> })}
            <span>{held(left)}</span>
            {act(Extend::url(), id.clone(), messages::MORE_TIME)}
        </div>
        <details class="approval-card__why">
            <summary class="button button--quiet">{messages::DECLINE_WITH_A_REASON} <Icon shape=Shape::Chevron/></summary>
            {reasoned(id, sent, on_sent)}
        </details>
    }
}

/// A decided approval: the outcome in one line, the details behind it.
fn settled(view: ApprovalView) -> impl IntoView {
    let shape = match view.approval.status {
        ApprovalStatus::Approved => Shape::Check,
        ApprovalStatus::Rejected => Shape::Cross,
        ApprovalStatus::Expired => Shape::Clock,
        ApprovalStatus::Pending | ApprovalStatus::Void => Shape::Repeat,
    };
    let id = view.approval.approval_id.to_string();
    let lines = lines(&id, view.lines, view.more, None);
    // An erased approval cannot be requested again.
    let asks_again = view.approval.status == ApprovalStatus::Expired && !view.approval.is_erased();
    let again = asks_again.then(|| act(Again::url(), id, messages::ASK_AGAIN));
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

/// Returns a handler that sends a verdict, unless one is already being sent.
fn answering(sent: RwSignal<bool>, on_sent: Option<Callback<()>>) -> impl Fn(SubmitEvent) + Copy + 'static {
    let acts = FormActions::current();
    move |event: SubmitEvent| {
        if sent.get_untracked() {
            event.prevent_default();
            return;
        }
        sent.set(true);
        acts.submit_then(event, move |answer| {
            // The card may be gone when the answer arrives. After a success the state stays until the list is newer.
            if answer.is_err() {
                sent.try_set(false);
            }
        });
        if let Some(on_sent) = on_sent {
            on_sent.run(());
        }
    }
}

/// A form that rejects with a reason for the model.
fn reasoned(id: String, sent: RwSignal<bool>, on_sent: Option<Callback<()>>) -> impl IntoView {
    let send = answering(sent, on_sent);
    view! {
        <form method="post" action=Decide::url() class="approval-card__reason" on:submit=send>
            <input type="hidden" name="approval_id" value=id/>
            <input type="hidden" name="verdict" value="reject"/>
            <ReturnTo/>
            // The label contains its input, since ids would clash: dialog and conversation may show the same approval.
            <label>
                {messages::WHY_NOT}
                <input name="reason" maxlength="500" required autocomplete="off"/>
            </label>
            <button class="button" aria-disabled=held(move || sent.get().then_some("true"))>{messages::DECLINE}</button>
        </form>
    }
    .erase()
}

/// A form with one button that acts on the approval without deciding it.
fn act(action: &'static str, id: String, label: &'static str) -> impl IntoView {
    let acts = FormActions::current();
    view! {
        <form method="post" action=action on:submit=move |event| acts.submit(event)>
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

/// Returns icon and label of a task's fate, unless its changed fields show it.
fn mark(fate: Fate) -> Option<(Shape, &'static str)> {
    match fate {
        Fate::Added => Some((Shape::Plus, messages::NEW)),
        Fate::Binned => Some((Shape::Bin, messages::TO_THE_BIN)),
        Fate::Restored => Some((Shape::Undo, messages::OUT_OF_THE_BIN)),
        Fate::Unchanged => Some((Shape::Check, messages::STAYS_AS_IT_IS)),
        Fate::Changed | Fate::Completed | Fate::Reopened | Fate::Read => None,
    }
}

/// A field before and after; only one value if the task is added, binned or read.
fn change(change: FieldChange, fate: Fate, one_sided: bool) -> impl IntoView {
    let values = if one_sided {
        let value = if fate == Fate::Binned { change.before } else { change.after };
        view! { <span class="approval-card__value">{value}</span> }.erase()
    } else {
        view! {
            <del class="approval-card__value"><span class="visually-hidden">{messages::BEFORE}</span>{change.before}</del>
            <Icon shape=Shape::Arrow/>
            <ins class="approval-card__value"><span class="visually-hidden">{messages::AFTER}</span>{change.after}</ins>
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

/// Returns a handler that closes the dialog around the card, for links that lead away.
fn leaving(on_sent: Option<Callback<()>>) -> impl Fn(MouseEvent) + 'static {
    move |_| {
        if let Some(on_sent) = on_sent {
            on_sent.run(());
        }
    }
}

/// The lines of the preview, and a link to the rest if there are more.
fn lines(id: &str, lines: Vec<PreviewLine>, more: Option<String>, on_sent: Option<Callback<()>>) -> Piece {
    let page = format!("/approvals/{id}");
    let more = more.map(|more| {
        view! { <p class="approval-card__rest">{messages::and(&more)} " " <a href=page on:click=leaving(on_sent)>{messages::SHOW_EVERYTHING}</a></p> }
    });
    view! { <ul class="approval-card__lines">{lines.into_iter().map(line).collect_view()}</ul> {more} }.erase()
}
