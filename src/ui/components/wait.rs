//! The boundary in which a page reads its fetches: the old content stays until newer content arrives.

use leptos::prelude::*;

use crate::ui::any_view::{Contents, Erase};

/// One instance of `Transition` for all content, instead of one per type.
#[component]
pub fn Wait(children: Contents) -> impl IntoView {
    view! { <Transition>{children.erase()}</Transition> }.erase()
}
