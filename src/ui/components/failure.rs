//! The error of a failed fetch.

use leptos::prelude::*;

use crate::api::ApiError;
use crate::ui::any_view::{Changing, Erase, Piece, held};

#[component]
pub fn Failure(error: impl FnMut() -> Option<ApiError> + Send + 'static) -> impl IntoView {
    said(held(error))
}

fn said(mut error: Changing<Option<ApiError>>) -> Piece {
    // One paragraph while there is an error: a new one would be announced again.
    held(move || error().map(|error| view! { <p class="error" role="alert">{error.message}</p> })).erase()
}
