//! Results of erasing texts.

use serde::{Deserialize, Serialize};

use super::id::{ChangeId, TurnId};
use super::task::{Actor, Operation};
use super::time::Timestamp;

/// Placeholder for an erased text.
pub const ERASED: &str = "This text was erased.";

/// Result of an erasure for one account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Erased {
    /// The account's name.
    pub user: String,
    /// End of the erased period, inclusive.
    pub until: Timestamp,
    /// Number of erased texts: messages, steps, calls, decisions, reasons and changes.
    pub texts: u64,
}

impl Erased {
    /// Returns one line without a full stop.
    pub fn sentence(&self) -> String {
        match self.texts {
            0 => format!("{} has no texts to erase", self.user),
            1 => format!("Erased one text of {}; its hash is kept", self.user),
            texts => format!("Erased {texts} texts of {}; their hashes are kept", self.user),
        }
    }
}

/// A change whose text is erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BareChange {
    pub change_id: ChangeId,
    pub operation: Operation,
    pub actor: Actor,
    /// The turn that made it, if one did.
    pub turn_id: Option<TurnId>,
    pub at: Timestamp,
}
