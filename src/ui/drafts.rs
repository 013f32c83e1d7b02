//! What the browser keeps of messages that did not go out, conversation by conversation, should the page be closed.

use leptos::prelude::*;

use super::browser;

/// What is kept of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What stands in the composer.
    Typed,
    /// Messages that were sent and are not on their way.
    Letters,
}

/// The drafts of one account.
#[derive(Clone, Copy, Default)]
pub struct Drafts {
    account: StoredValue<String>,
}

impl Drafts {
    /// Whose drafts these are, once it is known.
    pub fn are_of(self, account: String) {
        self.account.set_value(account);
    }

    /// What is kept; nothing where it is empty.
    pub fn get(self, talk: &str, kind: Kind) -> Option<String> {
        browser::kept_text(&self.name(talk, kind)).filter(|text| !text.is_empty())
    }

    pub fn keep(self, talk: &str, kind: Kind, text: &str) {
        browser::keep_text(&self.name(talk, kind), text);
    }

    /// Keeps a message and its sender's view while it is on its way, under the key that the server knows it by; `talk` is empty where
    /// it begins one.
    pub fn hold(self, key: &str, talk: &str, view: &str, text: &str) {
        browser::keep_text(&(self.way() + key), &format!("{talk}{view}\n{text}"));
    }

    /// It has arrived, or is kept as one that did not.
    pub fn let_go(self, key: &str) {
        browser::keep_text(&(self.way() + key), "");
    }

    /// The messages that were on their way when the page was closed: their keys, conversations, views and texts.
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
