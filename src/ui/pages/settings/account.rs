//! The signed-in account and its time zone.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::failed;
use crate::api::session::{SignOut, Visit};
use crate::api::settings::SetZone;
use crate::domain::user::Role;
use crate::messages::settings as messages;
use crate::ui::any_view::{Erase, Piece};
use crate::ui::browser;
use crate::ui::components::{Field, Icon, ReturnTo, Shape};

/// The account's name and the sign-out button.
pub fn signed_in(visit: &Visit) -> Piece {
    let admin = visit.me.as_ref().is_some_and(|me| me.user.role == Role::Admin);
    view! {
        <form class="sheet sheet--padded settings-page__account" method="post" action=SignOut::url()>
            <p>{messages::SIGNED_IN_AS} <strong>{name(visit)}</strong></p>
            <input type="hidden" name="return_to" value="/sign-in"/>
            <button class="button"><Icon shape=Shape::Leave/> {messages::SIGN_OUT}</button>
            {admin.then(|| view! { <a class="settings-page__users" href="/admin/users">{messages::MANAGE_USERS}</a> })}
        </form>
    }
    .erase()
}

/// The form for the time zone.
pub fn zone(visit: &Visit) -> Piece {
    let typed = visit.flash.as_ref().and_then(|flash| flash.typed(SetZone::PATH, "zone"));
    let zone = typed.or_else(|| visit.me.as_ref().map(|me| me.user.zone.clone())).unwrap_or_default();
    view! {
        <form class="sheet sheet--padded" method="post" action=SetZone::url() aria-labelledby="zone-title">
            <h2 id="zone-title">{messages::TIME_ZONE}</h2>
            {failed(visit, SetZone::PATH)}
            <ReturnTo/>
            <Field id="zone" label=messages::ZONE hint=messages::ZONE_HINT>
                <input id="zone" name="zone" required autocomplete="off" spellcheck="false" aria-describedby="zone-hint" list="zones" value=zone on:focus=move |_| browser::list_zones("zones")/>
                <datalist id="zones"></datalist>
            </Field>
            <div class="stack__actions"><button class="button">{messages::SAVE_TIME_ZONE}</button></div>
        </form>
    }
    .erase()
}

fn name(visit: &Visit) -> String {
    visit.me.as_ref().map(|me| me.user.name.to_string()).unwrap_or_default()
}
