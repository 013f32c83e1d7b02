//! A page or list without anything in it: says what belongs here and teaches one act.

use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::erase::{Contents, Erase};

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
