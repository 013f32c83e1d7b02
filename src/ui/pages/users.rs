//! Other people's accounts, for admins; for everyone else the page does not exist.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::ui::erase::Erase;
use crate::ui::fetch::Fetch;
use crate::ui::rendered::users::GetUsers;
use crate::ui::rendered::{placed, told_once};
use crate::ui::session::Session;

#[component]
pub fn UsersPage() -> impl IntoView {
    let session = Session::current();
    let shown = placed(Fetch::new(|| GetUsers {}, None));
    view! {
        <Title text="Users"/>
        <div class="page page--narrow users-page">
            <Transition>
                {move || session.is_admin().then(|| view! { <header class="page__head"><h1>"Users"</h1></header> })}
                {move || told_once(session)}
                {shown.clone()}
            </Transition>
        </div>
    }
    .erase()
}
