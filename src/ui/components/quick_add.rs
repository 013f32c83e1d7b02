//! Adding a task by a line of text; what was understood shows while typing.

use std::time::Duration;

use leptos::html::Input;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;

use super::{Icon, ReturnTo, Shape};
use crate::api::flash::Flash;
use crate::api::tasks::{Add, Fields, Understood, parse};
use crate::domain::task::Priority;
use crate::ui::acts::Acts;

/// How long a pause in typing is, before the line is read.
const PAUSE: Duration = Duration::from_millis(150);

/// `flash` brings back a line that a plain form could not add.
#[component]
pub fn QuickAdd(#[prop(into)] flash: Signal<Flash>) -> impl IntoView {
    let acts = Acts::current();
    let input = NodeRef::<Input>::new();
    let understood = RwSignal::new(None::<Understood>);
    let line = move || input.get_untracked().map(|input| input.value()).unwrap_or_default();
    let read = move || {
        let text = line();
        if text.trim().is_empty() {
            understood.set(None);
            return;
        }
        spawn_local(async move {
            let answer = parse(text.clone()).await.ok();
            // A slower, older answer must not cover a newer one.
            if line() == text {
                understood.set(answer);
            }
        });
    };
    let mut typed = debounce(PAUSE, move |()| read());
    let sent = StoredValue::new(String::new());
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let text = line();
        if text.trim().is_empty() {
            return;
        }
        sent.set_value(text.clone());
        acts.add.dispatch(Add { text: Some(text), fields: Fields::default(), tags: None });
        if let Some(input) = input.get_untracked() {
            input.set_value("");
        }
        understood.set(None);
    };
    // A line that could not be added comes back, unless another one has been begun.
    Effect::new(move || {
        if acts.add.value().with(|value| matches!(value, Some(Err(_))))
            && let Some(input) = input.get_untracked()
            && input.value().is_empty()
        {
            input.set_value(&sent.get_value());
        }
    });
    let before = move || flash.with(|flash| flash.typed(Add::PATH, "text"));
    let error = move || flash.with(|flash| flash.error_of(Add::PATH));
    view! {
        <form class="quick-add" method="post" action=Add::url() on:submit=send>
            <ReturnTo/>
            <label class="quick-add__line">
                <Icon shape=Shape::Plus/>
                <span class="visually-hidden">"Add a task"</span>
                <input class="quick-add__input" name="text" node_ref=input required maxlength="500" autocomplete="off"
                    placeholder="Add a task: call mum tomorrow 5pm #Family p1" value=before enterkeyhint="done"
                    on:input=move |_| typed(())/>
            </label>
            <button class="quick-add__button button">"Add"</button>
            {move || error().map(|text| view! { <p class="error quick-add__below" role="alert">{text}</p> })}
            {move || understood.get().and_then(chips)}
        </form>
    }
    .into_any()
}

/// `None` where nothing but a title was understood.
fn chips(read: Understood) -> Option<impl IntoView> {
    let mut chips = Vec::new();
    let mut chip = |shape, text: String| {
        chips.push(view! { <span class="quick-add__chip"><Icon shape/> {text}</span> });
    };
    if let Some(label) = read.due_label {
        chip(Shape::Calendar, label);
    }
    if let Some(label) = read.repeats {
        chip(Shape::Repeat, label);
    }
    if read.priority != Priority::None {
        chip(Shape::Flag, read.priority.as_str().to_owned());
    }
    if let Some(project) = read.project {
        chip(Shape::List, format!("#{project}"));
    }
    for tag in read.tags {
        chip(Shape::Dot, format!("@{tag}"));
    }
    (!chips.is_empty()).then(|| view! { <p class="quick-add__below">{chips}</p> })
}
