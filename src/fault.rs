//! Faults that an evaluation or a test plans: "the next call of this tool fails so". None in production.

use std::sync::{Arc, Mutex};

use crate::domain::tool::ToolName;

/// What is planned to fail. Cheap to clone; clones share the plan.
#[derive(Debug, Clone, Default)]
pub enum Faults {
    #[default]
    None,
    Planned(Arc<Mutex<Vec<Fault>>>),
}

/// One planned fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub tool: ToolName,
    /// How many calls are still to fail.
    pub times: u32,
    /// The error's text.
    pub error: String,
}

impl Faults {
    /// An empty plan that can be added to.
    pub fn plan() -> Self {
        Self::Planned(Arc::default())
    }

    /// Adds a fault; without a plan this does nothing.
    pub fn add(&self, fault: Fault) {
        if let Self::Planned(plan) = self {
            plan.lock().expect("a plan is never poisoned").push(fault);
        }
    }

    /// The error with which this call of `tool` is to fail, if it is; uses one up.
    pub fn strike(&self, tool: ToolName) -> Option<String> {
        let Self::Planned(plan) = self else { return None };
        let mut plan = plan.lock().expect("a plan is never poisoned");
        let fault = plan.iter_mut().find(|fault| fault.tool == tool && fault.times > 0)?;
        fault.times -= 1;
        Some(fault.error.clone())
    }
}
