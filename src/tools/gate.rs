//! Risk assessment of a call: a function of the operation, the changed fields and the number of tasks touched.

use crate::domain::id::TaskNumber;
use crate::domain::tool::{Risk, ToolName};

/// Number of distinct existing tasks per tool and turn from which a call needs approval.
const BULK: usize = 2;

/// Input of the risk assessment.
#[derive(Debug, Clone, Copy)]
pub struct Assessed<'a> {
    pub tool: ToolName,
    /// True if the call changes a title.
    pub renames: bool,
    /// The existing tasks that the call touches.
    pub targets: &'a [TaskNumber],
    /// The existing tasks that the tool has already touched in this turn.
    pub before: &'a [TaskNumber],
}

/// Returns the risk of a call. Adding several tasks is not bulk, since no existing task is touched.
pub fn risk(call: &Assessed<'_>) -> Risk {
    let own = match call.tool {
        ToolName::GetTask | ToolName::ListTasks => return Risk::Low,
        ToolName::AddTask => return Risk::Medium,
        ToolName::DeleteTask => Risk::High,
        ToolName::UpdateTask if call.renames => Risk::High,
        // [`undo_risk`] assesses an undo by the changes found.
        ToolName::CompleteTask | ToolName::Undo | ToolName::UpdateTask => Risk::Medium,
    };
    let mut touched: Vec<_> = call.before.iter().chain(call.targets).collect();
    touched.sort_unstable();
    touched.dedup();
    if touched.len() >= BULK { own.max(Risk::High) } else { own }
}

/// Returns the risk of an undo of `acts` actions. The caller's own last action runs at once, even if a task moves to
/// the bin. Several actions and changes of others need approval, and so does an undo that nobody asked for in the turn.
pub fn undo_risk(acts: usize, is_own: bool, is_asked: bool) -> Risk {
    if acts <= 1 && is_own && is_asked { Risk::Medium } else { Risk::High }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tool: ToolName, renames: bool, before: &[i64], targets: &[i64], expected: Risk) {
        let numbers = |list: &[i64]| list.iter().copied().map(TaskNumber).collect::<Vec<_>>();
        let (before, targets) = (numbers(before), numbers(targets));
        assert_eq!(risk(&Assessed { tool, renames, targets: &targets, before: &before }), expected);
    }

    #[test]
    fn reading_is_low_and_adding_any_number_is_medium() {
        check(ToolName::ListTasks, false, &[], &[], Risk::Low);
        check(ToolName::GetTask, false, &[1, 2, 3], &[4], Risk::Low);
        check(ToolName::AddTask, false, &[1, 2, 3], &[], Risk::Medium);
    }

    #[test]
    fn deleting_and_renaming_are_high() {
        check(ToolName::DeleteTask, false, &[], &[1], Risk::High);
        check(ToolName::UpdateTask, true, &[], &[1], Risk::High);
        check(ToolName::UpdateTask, false, &[], &[1], Risk::Medium);
        check(ToolName::CompleteTask, false, &[], &[1], Risk::Medium);
    }

    #[test]
    fn undo_asks_for_several_acts_and_for_changes_of_others() {
        for (acts, is_own, is_asked, expected) in [
            (1, true, true, Risk::Medium),
            (2, true, true, Risk::High),
            (1, false, true, Risk::High),
            (1, true, false, Risk::High),
        ] {
            assert_eq!(undo_risk(acts, is_own, is_asked), expected, "{acts} {is_own} {is_asked}");
        }
    }

    #[test]
    fn second_distinct_task_of_a_tool_has_high_risk() {
        check(ToolName::CompleteTask, false, &[1], &[2], Risk::High);
        check(ToolName::CompleteTask, false, &[1], &[1], Risk::Medium);
        check(ToolName::CompleteTask, false, &[], &[1, 2], Risk::High);
        check(ToolName::UpdateTask, false, &[7], &[8], Risk::High);
    }
}
