//! Settings: one section per file, with plain forms, since nothing here needs a script.

use leptos::prelude::*;

use crate::api::session::Visit;
use crate::api::telegram::TelegramSection;
use crate::messages::settings as messages;
use crate::ui::address::title;
use crate::ui::any_view::{Erase, Piece, held};
use crate::ui::components::Wait;
use crate::ui::fetch::Fetch;
use crate::ui::fragments::access::GetAccess;
use crate::ui::fragments::policy::GetPolicy;
use crate::ui::fragments::{placed, told_once};
use crate::ui::session::Session;

mod account;
mod appearance;
/// The engine.
mod assistant;
/// Export and import.
mod data;
mod telegram;

#[component]
pub fn SettingsPage() -> impl IntoView {
    let session = Session::current();
    let policy = placed(Fetch::new(|| GetPolicy {}, None));
    let access = placed(Fetch::new(|| GetAccess {}, None));
    let telegram = Fetch::new(|| TelegramSection {}, None);
    title(messages::SETTINGS);
    view! {
        <div class="page page--narrow settings-page">
            <header class="page__head"><h1>{messages::SETTINGS}</h1></header>
            <Wait>
                {held(move || sections(session))}
                {held(move || telegram::section(telegram.ok()))}
                <section class="sheet sheet--padded" aria-labelledby="policy">
                    <h2 id="policy">{messages::TOOL_POLICY}</h2>
                    <p class="page__lead">{messages::WHAT_THE_POLICY_IS}</p>
                    {held(policy.clone())}
                </section>
                {held(move || told_once(session))}
                {held(access.clone())}
                {data::section()}
            </Wait>
        </div>
    }
    .erase()
}

/// The sections in order; each shows the errors of its forms.
fn sections(session: Session) -> Piece {
    let visit = session.visit();
    view! {
        {account::signed_in(&visit)}
        {assistant::section(&visit)}
        {appearance::section(&visit)}
        {account::zone(&visit)}
    }
    .erase()
}

/// Returns the error of the form that called `path`, if it was just refused.
fn failed(visit: &Visit, path: &str) -> Option<Piece> {
    let error = visit.flash.as_ref()?.error_of(path)?;
    Some(view! { <p class="error" role="alert">{error}</p> }.erase())
}
