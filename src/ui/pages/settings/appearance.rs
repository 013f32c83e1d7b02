//! Light or dark.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::session::Visit;
use crate::api::settings::{SetAppearance, Theme};
use crate::ui::components::ReturnTo;
use crate::ui::erase::{Erase, Piece};

pub fn section(visit: &Visit) -> Piece {
    let chosen = visit.theme;
    view! {
        <form class="sheet sheet--padded" method="post" action=SetAppearance::url() aria-labelledby="look">
            <h2 id="look">"Appearance"</h2>
            <ReturnTo/>
            <fieldset class="settings-page__themes">
                <legend class="visually-hidden">"Appearance"</legend>
                {Theme::ALL.map(|theme| view! {
                    <label class="settings-page__theme">
                        <input type="radio" name="theme" value=theme.as_str() checked=chosen == theme/>
                        <span>{match theme { Theme::System => "As the device", Theme::Light => "Light", Theme::Dark => "Dark" }}</span>
                    </label>
                })}
            </fieldset>
            <fieldset class="settings-page__themes">
                <legend>"Keys, such as q to add a task; ? shows them"</legend>
                {[("true", "On"), ("false", "Off")].map(|(value, label)| view! {
                    <label class="settings-page__theme">
                        <input type="radio" name="shortcuts" value=value checked=visit.shortcuts == (value == "true")/>
                        <span>{label}</span>
                    </label>
                })}
            </fieldset>
            <div class="stack__actions"><button class="button">"Save appearance"</button></div>
        </form>
    }
    .erase()
}
