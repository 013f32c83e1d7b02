//! Faults planned by an evaluation or a test: a tool call that fails, a process that dies at a commit. None in production.

use std::sync::{Arc, Mutex};

use crate::domain::tool::ToolName;

mod commit;
/// Debug builds only.
#[cfg(debug_assertions)]
pub mod crash;

pub use commit::Commit;

/// The plan of faults. Cheap to clone; clones share the plan.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    calls: Option<Arc<Mutex<Vec<Fault>>>>,
    #[cfg(debug_assertions)]
    crashes: Option<Arc<crash::Crashes>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub tool: ToolName,
    /// Number of calls still to fail.
    pub times: u32,
    pub error: String,
}

impl Faults {
    /// Creates an empty plan that can be added to.
    pub fn plan() -> Self {
        Self { calls: Some(Arc::default()), ..Self::default() }
    }

    /// Returns the plan with crashes to cause or to count.
    #[cfg(debug_assertions)]
    pub fn crashing(self, crashes: &Arc<crash::Crashes>) -> Self {
        Self { crashes: Some(crashes.clone()), ..self }
    }

    /// Adds a fault; ignored without a plan.
    pub fn add(&self, fault: Fault) {
        if let Some(plan) = &self.calls {
            plan.lock().expect("a plan is never poisoned").push(fault);
        }
    }

    /// Returns the error with which this call of `tool` must fail, if any, and consumes one planned failure.
    pub fn strike(&self, tool: ToolName) -> Option<String> {
        let mut plan = self.calls.as_ref()?.lock().expect("a plan is never poisoned");
        let fault = plan.iter_mut().find(|fault| fault.tool == tool && fault.times > 0)?;
        fault.times -= 1;
        Some(fault.error.clone())
    }

    /// Kills the process just before the commit, if planned.
    pub async fn before(&self, commit: Commit) {
        #[cfg(debug_assertions)]
        if let Some(crashes) = &self.crashes {
            crashes.reach(crash::Point { side: crash::Side::Before, commit }).await;
        }
        #[cfg(not(debug_assertions))]
        let _ = commit;
    }

    /// Kills the process once the commit is durable, if planned.
    pub async fn after(&self, commit: Commit) {
        #[cfg(debug_assertions)]
        if let Some(crashes) = &self.crashes {
            crashes.reach(crash::Point { side: crash::Side::After, commit }).await;
        }
        #[cfg(not(debug_assertions))]
        let _ = commit;
    }
}
