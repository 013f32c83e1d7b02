//! Who is signed in and what the page was opened with. Rendered into the page by the server, never asked for again.

use leptos::prelude::*;

use super::fetch::Fetch;
use crate::api::flash::Flash;
use crate::api::session::{GetVisit, Me, Visit};
use crate::api::settings::Theme;
use crate::domain::user::Role;

/// The page's visit, from context.
#[derive(Clone, Copy)]
pub struct Session(Fetch<Visit>);

impl Session {
    /// Fetches the visit and puts it into context, once for the whole application.
    pub fn provide() {
        provide_context(Self(Fetch::new(|| GetVisit {}, None)));
    }

    /// The session of the application around the caller.
    pub fn current() -> Self {
        expect_context()
    }

    /// Waits until the visit is known. Pages wait for it before they fetch, so that their data is never older than the
    /// event from which [`super::live`] listens.
    pub async fn ready(self) {
        self.0.ready().await;
    }

    /// The visit, or an empty one while it is not known. Read it inside a `Suspense`.
    pub fn visit(self) -> Visit {
        self.0.ok().unwrap_or_default()
    }

    /// The signed-in account.
    pub fn me(self) -> Option<Me> {
        self.visit().me
    }

    /// Whether the signed-in account may read everyone's record.
    pub fn is_admin(self) -> bool {
        self.me().is_some_and(|me| me.user.role == Role::Admin)
    }

    /// What a plain form left to be said.
    pub fn flash(self) -> Flash {
        self.visit().flash.unwrap_or_default()
    }

    /// The chosen look.
    pub fn theme(self) -> Theme {
        self.visit().theme
    }
}

/// How the document is rendered.
#[cfg(feature = "ssr")]
pub struct Look {
    pub theme: &'static str,
    pub layout: &'static str,
    /// The page answers a failed plain form and must work as it stands.
    pub without_script: bool,
    /// Single keys do nothing.
    pub without_shortcuts: bool,
}

/// The look that this request asks for.
#[cfg(feature = "ssr")]
pub fn look() -> Look {
    use crate::api::context;
    let without_script = context::answers_a_failed_form();
    let (theme, layout) = (context::theme().as_str(), context::layout().as_str());
    Look { theme, layout, without_script, without_shortcuts: !context::shortcuts() }
}
