//! Behind an invitation or a link to a new password.

use leptos::prelude::*;

use crate::ui::address::{here, title};
use crate::ui::browser;
use crate::ui::components::{Brand, Wait};
use crate::ui::erase::{Erase, held};
use crate::ui::fetch::Fetch;
use crate::ui::rendered::join::GetJoin;
use crate::ui::rendered::placed;
use crate::words::door as words;

#[component]
pub fn JoinPage() -> impl IntoView {
    let address = here();
    let token = move || address.with(|here| here.field("token")).unwrap_or_default();
    let shown = placed(Fetch::new(move || GetJoin { token: token() }, None));
    // The browser's own zone is proposed, unless somebody has typed another.
    Effect::new(move || browser::propose_zone("zone"));
    title(words::WELCOME);
    view! {
        <main class="door">
            <div class="door__brand"><Brand/></div>
            <Wait>{held(shown.clone())}</Wait>
        </main>
    }
    .erase()
}
