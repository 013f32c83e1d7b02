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

    fn name(self, talk: &str, kind: Kind) -> String {
        let kind = match kind {
            Kind::Typed => "",
            Kind::Letters => "+",
        };
        browser::DRAFTS.to_owned() + &self.account.try_get_value().unwrap_or_default() + " " + talk + kind
    }
}
