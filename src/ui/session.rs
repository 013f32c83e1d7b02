//! The signed-in account and the page's visit. Rendered into the page by the server, never fetched again.

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
    /// Fetches the visit once for the whole application and puts it into context.
    pub fn provide() {
        provide_context(Self(Fetch::new(|| GetVisit {}, None)));
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Waits until the visit is known. Pages wait for it before they fetch, so that their data is never older than the
    /// event from which [`super::live`] listens.
    pub async fn ready(self) {
        self.0.ready().await;
    }

    /// Returns the visit, or an empty one until it is known. Read it inside a `Suspense`.
    pub fn visit(self) -> Visit {
        self.0.ok().unwrap_or_default()
    }

    /// Returns the signed-in account.
    pub fn me(self) -> Option<Me> {
        self.visit().me
    }

    /// Returns true if the account may read every audit log.
    pub fn is_admin(self) -> bool {
        self.me().is_some_and(|me| me.user.role == Role::Admin)
    }

    /// Returns the message that a plain form left for this page.
    pub fn flash(self) -> Flash {
        self.visit().flash.unwrap_or_default()
    }

    pub fn theme(self) -> Theme {
        self.visit().theme
    }
}

/// Attributes of the rendered document.
#[cfg(feature = "ssr")]
pub struct Look {
    pub theme: &'static str,
    pub layout: &'static str,
    /// True if the page answers a failed plain form, and so has to work without a script.
    pub without_script: bool,
    /// True if keyboard shortcuts are off.
    pub without_shortcuts: bool,
}

/// Returns the document attributes of this request.
#[cfg(feature = "ssr")]
pub fn look() -> Look {
    use crate::api::context;
    let without_script = context::answers_a_failed_form();
    let (theme, layout) = (context::theme().as_str(), context::layout().as_str());
    Look { theme, layout, without_script, without_shortcuts: !context::shortcuts() }
}
