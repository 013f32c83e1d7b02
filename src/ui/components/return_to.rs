//! Where a plain form comes back to: the page it stands on. The referer may be stripped, so the form says it itself.

use leptos::prelude::*;
use leptos_router::hooks::use_url;

#[component]
pub fn ReturnTo(
    /// `page` says where the form stands, where what follows its success is another page.
    #[prop(default = "return_to")]
    name: &'static str,
) -> impl IntoView {
    let url = use_url();
    let here = move || {
        url.with(|url| match url.search() {
            "" => url.path().to_owned(),
            search => format!("{}?{}", url.path(), search.trim_start_matches('?')),
        })
    };
    view! { <input type="hidden" name=name value=here/> }
}
