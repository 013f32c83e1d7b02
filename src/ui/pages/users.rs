//! User administration for admins; for everyone else the page does not exist.

use leptos::prelude::*;

use crate::messages::users as messages;
use crate::ui::address::title;
use crate::ui::any_view::{Erase, held, part};
use crate::ui::components::Wait;
use crate::ui::fetch::Fetch;
use crate::ui::fragments::users::GetUsers;
use crate::ui::fragments::{placed, told_once};
use crate::ui::session::Session;

#[component]
pub fn UsersPage() -> impl IntoView {
    let session = Session::current();
    let shown = placed(Fetch::new(|| GetUsers {}, None));
    title(messages::USERS);
    view! {
        <div class="page page--narrow users-page">
            <Wait>
                {part(move || session.is_admin().then(|| view! { <header class="page__head"><h1>{messages::USERS}</h1></header> }))}
                {held(move || told_once(session))}
                {held(shown.clone())}
            </Wait>
        </div>
    }
    .erase()
}
