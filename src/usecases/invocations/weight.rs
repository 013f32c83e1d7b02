//! Weight of a call: its risk, and what it touches and effects.

use crate::domain::tool::{Risk, ToolName};

/// Risk of a call and number of existing tasks that it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    pub risk: Risk,
    pub tasks: usize,
    pub includes: Effects,
}

/// Effects of other tools that a call includes, so that their policies hold as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effects {
    /// A task is completed.
    pub completes: bool,
    /// A task moves to the bin.
    pub bins: bool,
}

impl Effects {
    /// Returns the tools with these effects.
    pub fn tools(self) -> impl Iterator<Item = ToolName> {
        let tools = [self.completes.then_some(ToolName::CompleteTask), self.bins.then_some(ToolName::DeleteTask)];
        tools.into_iter().flatten()
    }
}
