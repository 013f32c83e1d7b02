//! A labelled input with room for a hint.

use crate::ui::erase::Erase;
use leptos::prelude::*;

/// The children are the input itself; its `id` is the label's `id`, its hint's id is `{id}-hint`.
#[component]
pub fn Field(
    id: &'static str,
    label: &'static str,
    #[prop(optional)] hint: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="field">
            <label class="field__label" for=id>{label}</label>
            {children()}
            {(!hint.is_empty()).then(|| view! { <p class="field__hint" id=format!("{id}-hint")>{hint}</p> })}
        </div>
    }
    .erase()
}
