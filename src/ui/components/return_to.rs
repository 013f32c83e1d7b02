//! Hidden fields of a plain form: the page to return to, and the account of the page. A referer may be stripped, so the form names the
//! page itself.

use leptos::prelude::*;

use crate::ui::address::here;
use crate::ui::call::account;
use crate::ui::erase::{Erase, held};

/// Bytes of a query that a form repeats: a page has many forms.
const LONGEST: usize = 2_000;

#[component]
pub fn ReturnTo(
    /// `page` says where the form stands, where what follows its success is another page.
    #[prop(default = "return_to")]
    name: &'static str,
    /// What is said begins a conversation where there is none: a form that succeeds comes back to it, as the latest one.
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
