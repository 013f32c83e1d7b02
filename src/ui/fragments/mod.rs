//! HTML fragments that only the server renders: lists, tables and plain forms. Their code is not part of the browser's download.

use leptos::prelude::*;

use super::any_view::{Erase, Piece, held};
use super::browser;
use super::components::{EmptyState, Shape};
use super::derived::kept;
use super::fetch::Fetch;
use super::session::Session;
use crate::api::ApiError;
use crate::api::error::Code;
use crate::messages::layout as messages;

/// Sessions and tokens.
pub mod access;
pub mod import;
/// Invitations and password resets.
pub mod join;
/// The palette and the sheet of shortcuts.
#[cfg(feature = "ssr")]
pub mod keys;
#[cfg(feature = "ssr")]
pub mod password;
/// The tool policy.
pub mod policy;
/// The audit log as a list, and its filters.
pub mod record;
/// User administration.
pub mod users;

/// Renders a fragment or its error. `NotFound` looks like a page that does not exist.
pub fn placed(piece: Fetch<String>) -> impl Fn() -> Option<Piece> + Clone {
    move || {
        piece.get().map(|found| match found {
            Ok(html) => view! { <div class="rendered" inner_html=html></div> }.erase(),
            Err(error) if error.code == Code::NotFound => view! {
                <EmptyState shape=Shape::Search title=messages::NOTHING_HERE>
                    {messages::IT_MAY_HAVE_MOVED} <a href="/">{messages::BACK_TO_DOCKET}</a>
                </EmptyState>
            }
            .erase(),
            Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
        })
    }
}

/// Renders the server's HTML in an element of `class`, or its error. A fetch that returns the same HTML keeps the
/// elements, so that no button vanishes under a press.
pub fn html(
    class: &'static str,
    found: impl Fn() -> Option<Result<String, ApiError>> + Send + Sync + 'static,
) -> Piece {
    let found = kept(found);
    let whole = move || {
        found.get().map(|found| match found {
            Ok(html) => view! { <div class=class inner_html=html></div> }.erase(),
            Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
        })
    };
    held(whole).erase()
}

/// A secret that the last form created: shown once, to be copied.
pub fn told_once(session: Session) -> Option<Piece> {
    let secret = session.flash().secret?;
    let copied = RwSignal::new(false);
    let copy = move |_| {
        browser::copy("secret");
        copied.set(true);
    };
    Some(
        view! {
            <section class="sheet sheet--padded told-once" aria-labelledby="told-once">
                <h2 id="told-once">{messages::COPY_IT_NOW}</h2>
                <p class="page__lead">{messages::SHOWN_ONLY_ONCE}</p>
                <div class="told-once__line">
                    <input id="secret" readonly value=secret aria-label=messages::SHOWN_ONCE autocomplete="off" spellcheck="false"/>
                    <button type="button" class="button button--primary told-once__copy" on:click=copy>{held(move || if copied.get() { messages::COPIED } else { messages::COPY })}</button>
                </div>
            </section>
        }
        .erase(),
    )
}
