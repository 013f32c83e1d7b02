//! Hidden fields of a plain form: the page to return to, and the account of the page. A referer may be stripped, so the form names the
//! page itself.

use leptos::prelude::*;

use crate::ui::address::here;
use crate::ui::any_view::{Erase, held};
use crate::ui::http::account;

/// Longest query in bytes that a form repeats: a page has many forms.
pub const LONGEST: usize = 2_000;

#[component]
pub fn ReturnTo(
    /// Name of the field: `page` if success leads to another page than the form's.
    #[prop(default = "return_to")]
    name: &'static str,
    /// True if the form can begin a conversation: success then leads to the latest one.
    #[prop(optional)]
    begins: bool,
) -> impl IntoView {
    let address = here();
    let whole = move || address.with(|here| if here.search.len() > LONGEST { here.path.clone() } else { here.whole() });
    let new = move || begins && address.with(|here| here.field("c").as_deref() == Some("new"));
    let here = held(move || if new() { "/".to_owned() } else { whole() });
    let page = begins.then(|| view! { <input type="hidden" name="page" value=held(whole)/> }.erase());
    let account = Some(account()).filter(|account| !account.is_empty());
    let account = account.map(|account| view! { <input type="hidden" name="account" value=account/> }.erase());
    view! { <input type="hidden" name=name value=here/> {page} {account} }.erase()
}
