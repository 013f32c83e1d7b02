//! Faults that an evaluation or a test plans: a tool's call that fails, a process that dies at a commit. None in production.

use std::sync::{Arc, Mutex};

use crate::domain::tool::ToolName;

/// The commits at which a process can be made to die.
mod commit;
/// Dying there: in debug builds only.
#[cfg(debug_assertions)]
pub mod crash;

pub use commit::Commit;

/// What is planned to fail. Cheap to clone; clones share the plan.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    calls: Option<Arc<Mutex<Vec<Fault>>>>,
    #[cfg(debug_assertions)]
    crashes: Option<Arc<crash::Crashes>>,
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
        Self { calls: Some(Arc::default()), ..Self::default() }
    }

    /// The same with crashes planned or watched for.
    #[cfg(debug_assertions)]
    pub fn crashing(self, crashes: &Arc<crash::Crashes>) -> Self {
        Self { crashes: Some(crashes.clone()), ..self }
    }

    /// Adds a fault; without a plan this does nothing.
    pub fn add(&self, fault: Fault) {
        if let Some(plan) = &self.calls {
            plan.lock().expect("a plan is never poisoned").push(fault);
        }
    }

    /// The error with which this call of `tool` is to fail, if it is; uses one up.
    pub fn strike(&self, tool: ToolName) -> Option<String> {
        let mut plan = self.calls.as_ref()?.lock().expect("a plan is never poisoned");
        let fault = plan.iter_mut().find(|fault| fault.tool == tool && fault.times > 0)?;
        fault.times -= 1;
        Some(fault.error.clone())
    }

    /// Dies here, if that is planned: just before the commit.
    pub async fn before(&self, commit: Commit) {
        #[cfg(debug_assertions)]
        if let Some(crashes) = &self.crashes {
            crashes.reach(crash::Point { side: crash::Side::Before, commit }).await;
        }
        #[cfg(not(debug_assertions))]
        let _ = commit;
    }

    /// Dies here, if that is planned: once it is durable.
    pub async fn after(&self, commit: Commit) {
        #[cfg(debug_assertions)]
        if let Some(crashes) = &self.crashes {
            crashes.reach(crash::Point { side: crash::Side::After, commit }).await;
        }
        #[cfg(not(debug_assertions))]
        let _ = commit;
    }
}
