//! The page of an invitation or a password-reset link.

use leptos::prelude::*;

use crate::messages::sign_in as messages;
use crate::ui::address::{here, title};
use crate::ui::any_view::{Erase, held};
use crate::ui::browser;
use crate::ui::components::{Brand, Wait};
use crate::ui::fetch::Fetch;
use crate::ui::fragments::join::GetJoin;
use crate::ui::fragments::placed;

#[component]
pub fn JoinPage() -> impl IntoView {
    let address = here();
    let token = move || address.with(|here| here.field("token")).unwrap_or_default();
    let shown = placed(Fetch::new(move || GetJoin { token: token() }, None));
    // Proposes the browser's time zone, unless another one was typed.
    Effect::new(move || browser::propose_zone("zone"));
    title(messages::WELCOME);
    view! {
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <Wait>{held(shown.clone())}</Wait>
        </main>
    }
    .erase()
}
