//! Pieces of pages that the server alone draws: lists, tables and plain forms, as text that a page puts in its place. What they
//! are made of is not in the browser's download.

use leptos::prelude::*;

use super::browser;
use super::components::{EmptyState, Shape};
use super::erase::{Erase, Piece, held};
use super::fetch::Fetch;
use super::kept::kept;
use super::session::Session;
use crate::api::ApiError;
use crate::api::error::Code;
use crate::words::frame as words;

/// Sessions and tokens.
pub mod access;
/// Tasks from a file.
pub mod import;
/// The form behind an invitation or a link to a new password.
pub mod join;
/// What keys do.
#[cfg(feature = "ssr")]
pub mod keys;
/// Forms with a password.
#[cfg(feature = "ssr")]
pub mod password;
/// What each kind of asker may have a tool do.
pub mod policy;
/// The record as a list, and the fields that narrow it.
pub mod record;
/// Other people's accounts.
pub mod users;

/// A piece in its place, or why there is none. A page that is nobody's business is one that does not exist.
pub fn placed(piece: Fetch<String>) -> impl Fn() -> Option<Piece> + Clone {
    move || {
        piece.get().map(|found| match found {
            Ok(html) => view! { <div class="rendered" inner_html=html></div> }.erase(),
            Err(error) if error.code == Code::NotFound => view! {
                <EmptyState shape=Shape::Search title=words::NOTHING_HERE>
                    {words::IT_MAY_HAVE_MOVED} <a href="/">{words::BACK_TO_DOCKET}</a>
                </EmptyState>
            }
            .erase(),
            Err(error) => view! { <p class="error" role="alert">{error.message}</p> }.erase(),
        })
    }
}

/// A whole of `class` that the server has made, or why there is none. It stays as it stands while it is read again and is the same:
/// else what somebody presses could be gone under their hand.
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

/// A secret that the form before has made: shown once, to be copied.
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
                <h2 id="told-once">{words::COPY_IT_NOW}</h2>
                <p class="page__lead">{words::SHOWN_ONLY_ONCE}</p>
                <div class="told-once__line">
                    <input id="secret" readonly value=secret aria-label=words::SHOWN_ONCE autocomplete="off" spellcheck="false"/>
                    <button type="button" class="button button--primary told-once__copy" on:click=copy>{held(move || if copied.get() { words::COPIED } else { words::COPY })}</button>
                </div>
            </section>
        }
        .erase(),
    )
}
