//! Adding a task by a line of text. Understood fields appear as chips while typing, and each chip can be turned back into text.

use std::time::Duration;

use leptos::html::Input;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;
use serde_json::Value;

use super::{Each, Icon, PastedLines, ReturnTo, Shape};
use crate::api::flash::Flash;
use crate::api::tasks::{Add, Parse};
use crate::messages::tasks as messages;
use crate::ui::any_view::{Erase, Piece, held, part};
use crate::ui::form_actions::FormActions;
use crate::ui::optimistic_add::OptimisticAdd;
use crate::ui::{browser, http};

/// Debounce time before the line is parsed.
const PAUSE: Duration = Duration::from_millis(150);

#[derive(Clone, Copy)]
struct Line {
    input: NodeRef<Input>,
    /// The answer of [`Parse`].
    understood: RwSignal<Value>,
    /// The text that `understood` belongs to.
    read: StoredValue<String>,
    /// Phrases that the user turned back into text.
    plain: RwSignal<Vec<String>>,
}

impl Line {
    fn text(self) -> String {
        self.input.try_get_untracked().flatten().map(|input| input.value()).unwrap_or_default()
    }

    fn set(self, text: &str, plain: Vec<String>) {
        if let Some(input) = self.input.try_get_untracked().flatten() {
            input.set_value(text);
        }
        self.plain.try_set(plain);
        self.read();
    }

    /// Forgets the phrases that the line no longer contains.
    fn typed(self) {
        let text = self.text();
        let gone = |words: &String| !text.contains(words.as_str());
        if self.plain.with_untracked(|plain| plain.iter().any(gone)) {
            self.plain.update(|plain| plain.retain(|words| !gone(words)));
        }
    }

    /// Parses the line on the server.
    fn read(self) {
        let text = self.text();
        if text.trim().is_empty() {
            self.understood.try_set(Value::Null);
            return;
        }
        let plain = self.plain.get_untracked();
        let fields = [("text", text.as_str())].into_iter().chain(plain.iter().map(|words| ("plain[]", words.as_str())));
        let query = http::form(&fields.collect::<Vec<_>>());
        spawn_local(async move {
            let answer = http::get(Parse::PATH, &query).await.ok();
            // A slower, older answer must not replace a newer one.
            if self.text() == text && self.plain.try_get_untracked() == Some(plain) {
                self.understood.try_set(answer.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default());
                self.read.try_set_value(text);
            }
        });
    }

    /// Returns the parsed title and the labels of the other fields; the raw line until it is parsed.
    fn meaning(self) -> (String, String) {
        let text = self.text();
        let known = self.read.with_value(|read| *read == text);
        self.understood.with_untracked(|read| match read["title"].as_str().filter(|_| known) {
            Some(title) => {
                let chips = read["chips"].as_array().into_iter().flatten();
                let more: Vec<_> = chips.filter_map(|chip| chip["label"].as_str()).collect();
                (title.to_owned(), more.join(" · "))
            }
            None => (text.trim().to_owned(), String::new()),
        })
    }

    /// Turns the understood `words` back into text.
    fn keep(self, words: &Value) {
        let words = words.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        self.plain.update(|plain| plain.extend(words));
        self.read();
        if let Some(input) = self.input.get_untracked() {
            input.focus().ok();
        }
    }

    /// Returns the words of the chip that ends at the caret, with its other phrases.
    fn before_caret(self) -> Option<Value> {
        let before = browser::before_caret(&self.input.get_untracked()?)?;
        let ends = |chip: &&Value| {
            chip["words"].as_array().into_iter().flatten().any(|it| it.as_str().is_some_and(|it| before.ends_with(it)))
        };
        self.understood.with_untracked(|read| Some(read["chips"].as_array()?.iter().find(ends)?["words"].clone()))
    }
}

/// `flash` restores a line that a plain form could not add.
#[component]
pub fn QuickAdd(#[prop(into)] flash: Signal<Flash>) -> impl IntoView {
    let (acts, adding) = (FormActions::current(), OptimisticAdd::current());
    let line = Line {
        input: NodeRef::new(),
        understood: RwSignal::new(Value::Null),
        read: StoredValue::new(String::new()),
        plain: RwSignal::new(vec![]),
    };
    let pasted = RwSignal::new(vec![]);
    let mut paused = debounce(PAUSE, move |()| line.read());
    let send = move |event: leptos::ev::SubmitEvent| {
        let (sent, plain) = (line.text(), line.plain.get_untracked());
        if sent.trim().is_empty() {
            event.prevent_default();
            return;
        }
        let (title, more) = line.meaning();
        let row = adding.begin(title, more);
        acts.submit_then(event, move |answer| {
            adding.end(row, answer.as_ref().ok().and_then(|answer| answer["task_id"].as_i64()));
            // A line that could not be added is restored, unless another one was started.
            if answer.is_err() && line.text().is_empty() {
                line.set(&sent, plain);
            }
        });
        line.set("", vec![]);
    };
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Backspace"
            && !event.is_composing()
            && let Some(words) = line.before_caret()
        {
            event.prevent_default();
            line.keep(&words);
        }
    };
    let paste = move |event: leptos::ev::ClipboardEvent| {
        let lines = browser::pasted_lines(&event);
        if lines.len() > 1 {
            event.prevent_default();
            pasted.set(lines);
        }
    };
    let close = move || {
        pasted.set(vec![]);
        if let Some(input) = line.input.get_untracked() {
            input.focus().ok();
        }
    };
    let before = held(move || flash.with(|flash| flash.typed(Add::PATH, "text")));
    let error = move || flash.with(|flash| flash.error_of(Add::PATH));
    let plain = held(move || {
        let fields = line.plain.get().into_iter();
        fields.map(|words| view! { <input type="hidden" name="plain" value=words/> }.erase()).collect::<Vec<_>>()
    });
    view! {
        <div class="quick-add">
            <form class="quick-add__form" method="post" action=Add::url() on:submit=send>
                <ReturnTo/>
                {plain}
                <label class="quick-add__line">
                    <Icon shape=Shape::Plus/>
                    <span class="visually-hidden">{messages::ADD_A_TASK}</span>
                    <input class="quick-add__input" name="text" node_ref=line.input required maxlength="500" autocomplete="off"
                        placeholder=messages::ADD_A_TASK_SUCH_AS value=before enterkeyhint="done"
                        data-keys="q" on:input=move |_| { line.typed(); paused(()); } on:keydown=key on:paste=paste/>
                </label>
                <button class="quick-add__button button">{messages::ADD}</button>
                {part(move || error().map(|text| view! { <p class="error quick-add__below" role="alert">{text}</p> }.erase()))}
                {held(move || line.understood.with(|read| chips(read, line)))}
            </form>
            <ul class="quick-add__new" hidden=held(move || adding.rows.with(Vec::is_empty)) aria-label=messages::BEING_ADDED>
                <Each each=move || adding.rows.get() key=|row| (row.count, row.task) let:row>
                    <li class="quick-add__row">
                        <span class="quick-add__ring"></span>
                        <span class="quick-add__title">{row.title.clone()}</span>
                        <span class="quick-add__state">{if row.task.is_some() { messages::ADDED } else { messages::ADDING }}</span>
                        <span class="quick-add__more">{row.more.clone()}</span>
                    </li>
                </Each>
            </ul>
            {part(move || (!pasted.read().is_empty()).then(|| view! { <PastedLines lines=pasted.get() on_close=close/> }.erase()))}
        </div>
    }
    .erase()
}

/// Returns `None` if only a title was understood.
fn chips(read: &Value, line: Line) -> Option<Piece> {
    let chips = read["chips"].as_array()?.iter().filter_map(|chip| {
        let (label, words) = (chip["label"].as_str()?.to_owned(), chip["words"].clone());
        let shape = match chip["kind"].as_str()? {
            "due" => Shape::Calendar,
            "recurrence" => Shape::Repeat,
            "priority" => Shape::Flag,
            "project" => Shape::List,
            _ => Shape::Dot,
        };
        let told = messages::keep_it_as_text(&label);
        Some(view! {
            <button type="button" class="quick-add__chip" aria-label=told title=messages::KEEP_AS_TEXT on:click=move |_| line.keep(&words)>
                <Icon shape/> {label} <Icon shape=Shape::Cross/>
            </button>
        }.erase())
    });
    let chips: Vec<Piece> = chips.collect();
    (!chips.is_empty()).then(|| {
        view! { <div class="quick-add__below" role="group" aria-label=messages::UNDERSTOOD>{chips}</div> }.erase()
    })
}
