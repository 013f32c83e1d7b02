//! The engine, and whether it may be a model.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::failed;
use crate::api::session::Visit;
use crate::api::settings::{SetModel, TestModel};
use crate::messages::settings as messages;
use crate::ui::any_view::{Erase, Piece};
use crate::ui::components::ReturnTo;

pub fn section(visit: &Visit) -> Piece {
    let me = visit.me.as_ref();
    let engine = me.map(|me| me.engine.clone()).unwrap_or_default();
    let model = me.filter(|me| me.has_model).map(|me| me.user.uses_model);
    view! {
        <section class="sheet sheet--padded" aria-labelledby="model">
            <h2 id="model">{messages::ASSISTANT}</h2>
            <p>{engine}</p>
            {failed(visit, TestModel::PATH)}
            {failed(visit, SetModel::PATH)}
            <p><a href="/settings/memory">{messages::WHAT_DOCKET_REMEMBERS}</a></p>
            {model.map(|uses| view! {
                <div class="stack__actions">
                    <form method="post" action=TestModel::url()>
                        <ReturnTo/>
                        <button class="button">{messages::TEST_THE_MODEL}</button>
                    </form>
                    <form method="post" action=SetModel::url()>
                        <ReturnTo/>
                        <input type="hidden" name="uses" value=(!uses).to_string()/>
                        <button class="button">{if uses { messages::ANSWER_ME_WITHOUT_IT } else { messages::ANSWER_ME_WITH_THE_MODEL }}</button>
                    </form>
                </div>
            })}
        </section>
    }
    .erase()
}
