//! Theme and keyboard shortcuts.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::session::Visit;
use crate::api::settings::{SetAppearance, Theme};
use crate::messages::settings as messages;
use crate::ui::any_view::{Erase, Piece};
use crate::ui::components::ReturnTo;

pub fn section(visit: &Visit) -> Piece {
    let chosen = visit.theme;
    view! {
        <form class="sheet sheet--padded" method="post" action=SetAppearance::url() aria-labelledby="look">
            <h2 id="look">{messages::APPEARANCE}</h2>
            <ReturnTo/>
            <fieldset class="settings-page__themes">
                <legend class="visually-hidden">{messages::APPEARANCE}</legend>
                {Theme::ALL.map(|theme| view! {
                    <label class="settings-page__theme">
                        <input type="radio" name="theme" value=theme.as_str() checked=chosen == theme/>
                        <span>{match theme { Theme::System => messages::AS_THE_DEVICE, Theme::Light => messages::LIGHT, Theme::Dark => messages::DARK }}</span>
                    </label>
                })}
            </fieldset>
            <fieldset class="settings-page__themes">
                <legend>{messages::KEYS}</legend>
                {[("true", messages::ON), ("false", messages::OFF)].map(|(value, label)| view! {
                    <label class="settings-page__theme">
                        <input type="radio" name="shortcuts" value=value checked=visit.shortcuts == (value == "true")/>
                        <span>{label}</span>
                    </label>
                })}
            </fieldset>
            <div class="stack__actions"><button class="button">{messages::SAVE_APPEARANCE}</button></div>
        </form>
    }
    .erase()
}
