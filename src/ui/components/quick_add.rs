//! Adding a task by a line of text; what was understood shows while typing.

use std::time::Duration;

use leptos::html::Input;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;
use serde_json::Value;

use super::{Icon, ReturnTo, Shape};
use crate::api::flash::Flash;
use crate::api::tasks::{Add, Parse};
use crate::ui::acts::Acts;
use crate::ui::call;
use crate::ui::erase::Erase;

/// How long a pause in typing is, before the line is read.
const PAUSE: Duration = Duration::from_millis(150);

/// `flash` brings back a line that a plain form could not add.
#[component]
pub fn QuickAdd(#[prop(into)] flash: Signal<Flash>) -> impl IntoView {
    let acts = Acts::current();
    let input = NodeRef::<Input>::new();
    let understood = RwSignal::new(Value::Null);
    let line = move || input.get_untracked().map(|input| input.value()).unwrap_or_default();
    let read = move || {
        let text = line();
        if text.trim().is_empty() {
            understood.set(Value::Null);
            return;
        }
        spawn_local(async move {
            let answer = call::get(Parse::PATH, &call::form(&[("text", &text)])).await.ok();
            // A slower, older answer must not cover a newer one.
            if line() == text {
                understood.set(answer.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default());
            }
        });
    };
    let mut typed = debounce(PAUSE, move |()| read());
    let send = move |event: leptos::ev::SubmitEvent| {
        let sent = line();
        if sent.trim().is_empty() {
            event.prevent_default();
            return;
        }
        acts.send_then(event, move |answer| {
            // A line that could not be added comes back, unless another one has been begun.
            if let (Err(_), Some(input)) = (answer, input.try_get_untracked().flatten())
                && input.value().is_empty()
            {
                input.set_value(&sent);
            }
        });
        if let Some(input) = input.get_untracked() {
            input.set_value("");
        }
        understood.set(Value::Null);
    };
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
            {move || understood.with(chips)}
        </form>
    }
    .erase()
}

/// `None` where nothing but a title was understood. `read` is the answer of [`Parse`].
fn chips(read: &Value) -> Option<impl IntoView + use<>> {
    let text = |field: &str| read[field].as_str().map(str::to_owned);
    let tags = read["tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let all = [
        (Shape::Calendar, text("due_label")),
        (Shape::Repeat, text("repeats")),
        (Shape::Flag, text("priority").filter(|priority| priority != "none")),
        (Shape::List, text("project").map(|project| format!("#{project}"))),
    ];
    let all = all.into_iter().filter_map(|(shape, text)| Some((shape, text?)));
    let all = all.chain(tags.map(|tag| (Shape::Dot, format!("@{tag}"))));
    let chips = all.map(|(shape, text)| view! { <span class="quick-add__chip"><Icon shape/> {text}</span> });
    let chips = chips.collect::<Vec<_>>();
    (!chips.is_empty()).then(|| view! { <p class="quick-add__below">{chips}</p> })
}
