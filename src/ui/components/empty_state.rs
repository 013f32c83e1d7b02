//! The content of an empty page or list: what belongs here, and one suggested action.

use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::any_view::{Contents, Erase};

#[component]
pub fn EmptyState(shape: Shape, title: &'static str, children: Contents) -> impl IntoView {
    view! {
        <div class="empty-state">
            <Icon shape/>
            <p class="empty-state__title">{title}</p>
            <p class="empty-state__text">{children.erase()}</p>
        </div>
    }
    .erase()
}
