//! Unsent messages in the browser's storage, per conversation, in case the page is closed.

use leptos::prelude::*;

use super::browser;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The text in the composer.
    Typed,
    /// Submitted messages that failed or wait.
    Letters,
}

/// The drafts of one account.
#[derive(Clone, Copy, Default)]
pub struct Drafts {
    account: StoredValue<String>,
}

impl Drafts {
    /// Sets the account of the drafts.
    pub fn are_of(self, account: String) {
        self.account.set_value(account);
    }

    /// Returns the stored draft; `None` if it is empty.
    pub fn get(self, talk: &str, kind: Kind) -> Option<String> {
        browser::kept_text(&self.name(talk, kind)).filter(|text| !text.is_empty())
    }

    pub fn keep(self, talk: &str, kind: Kind, text: &str) {
        browser::keep_text(&self.name(talk, kind), text);
    }

    /// Stores a message that is being sent under its idempotency key, with its sender's view as form fields. `talk` is
    /// empty if it begins a conversation.
    pub fn hold(self, key: &str, talk: &str, view: &str, text: &str) {
        browser::keep_text(&(self.way() + key), &format!("{talk}{view}\n{text}"));
    }

    /// Removes a message that has arrived or is stored as unsent.
    pub fn let_go(self, key: &str) {
        browser::keep_text(&(self.way() + key), "");
    }

    /// Returns messages that were being sent when the page was closed: key, conversation, view and text.
    pub fn on_their_way(self) -> Vec<(String, String, String, String)> {
        let way = self.way();
        let held = |name: String| {
            let kept = browser::kept_text(&name)?;
            let (talk, text) = kept.split_once('\n')?;
            let (talk, view) = talk.split_once('&').unwrap_or((talk, "seen=0"));
            Some((name.strip_prefix(&way)?.to_owned(), talk.to_owned(), format!("&{view}"), text.to_owned()))
        };
        browser::kept_names(&way).into_iter().filter_map(held).collect()
    }

    fn way(self) -> String {
        self.of() + ">"
    }

    fn name(self, talk: &str, kind: Kind) -> String {
        let kind = match kind {
            Kind::Typed => "",
            Kind::Letters => "+",
        };
        self.of() + talk + kind
    }

    fn of(self) -> String {
        browser::DRAFTS.to_owned() + &self.account.try_get_value().unwrap_or_default() + " "
    }
}
