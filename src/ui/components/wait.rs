//! Where a page reads what it fetches: the old content stays while newer is on its way.

use leptos::prelude::*;

use crate::ui::erase::{Contents, Erase};

/// One `Transition` for all that wait, instead of one for each content.
#[component]
pub fn Wait(children: Contents) -> impl IntoView {
    view! { <Transition>{children.erase()}</Transition> }.erase()
}
