//! A labelled input with an optional hint.

use crate::ui::any_view::{Contents, Erase};
use leptos::prelude::*;

/// The children are the input, whose `id` must be `id`. The id of its hint is `{id}-hint`.
#[component]
pub fn Field(
    id: &'static str,
    label: &'static str,
    #[prop(optional)] hint: &'static str,
    children: Contents,
) -> impl IntoView {
    view! {
        <div class="field">
            <label class="field__label" for=id>{label}</label>
            {children.erase()}
            {(!hint.is_empty()).then(|| view! { <p class="field__hint" id=format!("{id}-hint")>{hint}</p> })}
        </div>
    }
    .erase()
}
