//! Identifiers: newtypes over UUIDs, and a user's own task numbers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Invalid;

/// Declares a newtype over a UUID, written in its hyphenated form.
macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $noun:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        #[cfg_attr(feature = "ssr", schemars(extend("format" = "uuid")))]
        pub struct $name(#[cfg_attr(feature = "ssr", schemars(with = "String"))] pub Uuid);

        impl $name {
            /// Creates an id of version 7, so that ids sort by creation time.
            #[cfg(feature = "ssr")]
            #[allow(clippy::new_without_default)]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// Parses the hyphenated form.
            pub fn parse(text: &str) -> Result<Self, Invalid> {
                Uuid::parse_str(text.trim())
                    .map(Self)
                    .map_err(|_| Invalid::because(concat!("That is not a valid ", $noun, " id.")))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

uuid_id!(
    /// An account.
    UserId, "user"
);
uuid_id!(
    /// An API token (the row, never the secret).
    TokenId, "token"
);
uuid_id!(
    /// A browser session (the row, never the cookie or its digest).
    SessionId, "session"
);
uuid_id!(
    /// A conversation.
    ConversationId, "conversation"
);
uuid_id!(
    /// One immutable message.
    MessageId, "message"
);
uuid_id!(
    /// The processing of one trigger.
    TurnId, "turn"
);
uuid_id!(
    /// A stored request to run a risky call.
    ApprovalId, "approval"
);
uuid_id!(
    /// One edit of one task.
    ChangeId, "change"
);
uuid_id!(
    /// A person's bulk action, whose changes are undone together.
    ActionId, "action"
);
uuid_id!(
    /// An outbox entry: a message for a channel outside the browser.
    CardId, "card"
);
uuid_id!(
    /// A question in a Telegram chat whether another account takes it over.
    RelinkId, "question"
);
uuid_id!(
    /// A notice to an account's owner.
    NoticeId, "notice"
);
uuid_id!(
    /// One memory.
    MemoryId, "memory"
);
uuid_id!(
    /// Tasks imported together from one file.
    ImportId, "import"
);

impl UserId {
    /// Owner of records without a user: the chain named `system`.
    pub const SYSTEM: Self = Self(Uuid::nil());
}

impl CardId {
    /// Returns the id right after this one.
    #[cfg(feature = "ssr")]
    #[must_use]
    pub fn next(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128().wrapping_add(1)))
    }
}

impl ConversationId {
    /// Creates an id of version 4: it appears in links and must not reveal a time (SPEC section 1).
    #[cfg(feature = "ssr")]
    pub fn random() -> Self {
        Self(Uuid::new_v4())
    }
}

/// One tool call: the turn, the step in it and the call's index in that step, both from 0. Never a provider's call id,
/// since ids of two providers may collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InvocationId {
    pub turn: TurnId,
    pub step: i32,
    pub index: i32,
}

impl fmt::Display for InvocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.turn, self.step, self.index)
    }
}

impl FromStr for InvocationId {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid::because("That is not a valid invocation id.");
        let mut parts = text.trim().splitn(3, '.');
        let mut next = || parts.next().ok_or_else(invalid);
        Ok(Self {
            turn: TurnId::parse(next()?)?,
            step: next()?.parse().map_err(|_| invalid())?,
            index: next()?.parse().map_err(|_| invalid())?,
        })
    }
}

impl Serialize for InvocationId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for InvocationId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A user's own number of a task: 1, 2, … in order of creation, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct TaskNumber(pub i64);

/// Parses a whole number, also with a fraction of zero, e.g. `3.0`.
pub fn whole(text: &str) -> Option<i64> {
    let exact = text.split_once('.').filter(|(_, rest)| !rest.is_empty() && rest.bytes().all(|byte| byte == b'0'));
    exact.map_or(text, |(whole, _)| whole).parse().ok()
}

impl TaskNumber {
    /// Parses `7`, `#7` or `7.0`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match whole(text.trim().trim_start_matches('#')) {
            Some(number) if number > 0 => Ok(Self(number)),
            _ => Err(Invalid::because(format!("“{}” is not a task number; use one like 3.", text.trim()))),
        }
    }
}

impl fmt::Display for TaskNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(feature = "ssr")]
impl schemars::JsonSchema for InvocationId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "InvocationId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "Turn, step and place in the step: `TURN.0.0`." })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_id_reads_back_what_it_wrote() {
        let id = InvocationId { turn: TurnId::new(), step: 2, index: 11 };
        assert_eq!(id.to_string().parse::<InvocationId>().unwrap(), id);
        for bad in ["", "x.1.2", "0190b1f0-0000-7000-8000-000000000000.1", "0190b1f0-0000-7000-8000-000000000000.1.b"] {
            assert!(bad.parse::<InvocationId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_task_number_is_positive_and_may_carry_a_hash() {
        assert_eq!(TaskNumber::parse(" #42 ").unwrap(), TaskNumber(42));
        for whole in ["42.0", "#42.00"] {
            assert_eq!(TaskNumber::parse(whole).unwrap(), TaskNumber(42));
        }
        for bad in ["0", "-1", "milk", "", "4.2", "42.", ".0", "4.0.0"] {
            assert!(TaskNumber::parse(bad).is_err(), "{bad}");
        }
    }
}
