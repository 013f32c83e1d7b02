//! What came of erasing texts.

use serde::{Deserialize, Serialize};

use super::id::{ChangeId, TurnId};
use super::task::{Actor, Operation};
use super::time::Timestamp;

/// What stands in the place of a text that is gone.
pub const ERASED: &str = "This text was erased.";

/// What was erased of somebody's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Erased {
    /// Whose: the account's name.
    pub user: String,
    /// Up to which moment, inclusive.
    pub until: Timestamp,
    /// How many texts went: messages, steps, calls, decisions, reasons and changes.
    pub texts: u64,
}

impl Erased {
    /// One line, without a stop.
    pub fn sentence(&self) -> String {
        match self.texts {
            0 => format!("{} had nothing to be erased", self.user),
            1 => format!("Erased one text of {}; its digest stays", self.user),
            texts => format!("Erased {texts} texts of {}; their digests stay", self.user),
        }
    }
}

/// What is left of a change whose text is erased: that it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BareChange {
    pub change_id: ChangeId,
    pub operation: Operation,
    pub actor: Actor,
    /// The turn that made it, if one did.
    pub turn_id: Option<TurnId>,
    pub at: Timestamp,
}
