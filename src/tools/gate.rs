//! How risky a call is: a function of the operation, the fields it changes and how many tasks the tool touches.

use crate::domain::id::TaskNumber;
use crate::domain::tool::{Risk, ToolName};

/// From how many distinct existing tasks of one tool in one turn a call asks first.
const BULK: usize = 2;

/// What the gate needs to know of a call.
#[derive(Debug, Clone, Copy)]
pub struct Assessed<'a> {
    pub tool: ToolName,
    /// Whether it would change a title.
    pub renames: bool,
    /// The existing tasks that it touches.
    pub targets: &'a [TaskNumber],
    /// The existing tasks that the same tool has already touched in this turn.
    pub before: &'a [TaskNumber],
}

/// The risk of a call. Making several tasks is not bulk, since it touches no existing one.
pub fn risk(call: &Assessed<'_>) -> Risk {
    let own = match call.tool {
        ToolName::GetTask | ToolName::ListTasks => return Risk::Low,
        ToolName::AddTask => return Risk::Medium,
        ToolName::DeleteTask => Risk::High,
        ToolName::UpdateTask if call.renames => Risk::High,
        ToolName::CompleteTask | ToolName::UpdateTask => Risk::Medium,
    };
    let mut touched: Vec<_> = call.before.iter().chain(call.targets).collect();
    touched.sort_unstable();
    touched.dedup();
    if touched.len() >= BULK { own.max(Risk::High) } else { own }
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
    fn the_second_distinct_task_of_a_tool_in_a_turn_is_high() {
        check(ToolName::CompleteTask, false, &[1], &[2], Risk::High);
        check(ToolName::CompleteTask, false, &[1], &[1], Risk::Medium);
        check(ToolName::CompleteTask, false, &[], &[1, 2], Risk::High);
        check(ToolName::UpdateTask, false, &[7], &[8], Risk::High);
    }
}
