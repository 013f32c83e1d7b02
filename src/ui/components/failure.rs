//! Why something could not be read.

use leptos::prelude::*;

use crate::api::ApiError;
use crate::ui::erase::{Changing, Erase, Piece, held};

#[component]
pub fn Failure(error: impl FnMut() -> Option<ApiError> + Send + 'static) -> impl IntoView {
    said(held(error))
}

fn said(mut error: Changing<Option<ApiError>>) -> Piece {
    // One paragraph as long as there is an error, or each repetition would be announced again.
    held(move || error().map(|error| view! { <p class="error" role="alert">{error.message}</p> })).erase()
}
