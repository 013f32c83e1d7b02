//! Where a plain form comes back to: the page it stands on. The referer may be stripped, so the form says it itself.

use leptos::prelude::*;

use crate::ui::address::here;
use crate::ui::erase::held;

#[component]
pub fn ReturnTo(
    /// `page` says where the form stands, where what follows its success is another page.
    #[prop(default = "return_to")]
    name: &'static str,
) -> impl IntoView {
    let address = here();
    let here = held(move || address.with(|here| here.whole()));
    view! { <input type="hidden" name=name value=here/> }
}
