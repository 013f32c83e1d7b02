//! Tasks, their fields, and changes to them.

use serde::{Deserialize, Serialize};

mod due;

pub use self::due::Due;
pub use super::facet::{Facet, Facets};

use super::Invalid;
use super::credential::Credential;
use super::id::{ChangeId, InvocationId, TaskNumber};
use super::rank::Rank;
use super::text::bounded_text;
use super::time::{CivilDate, Timestamp};
use super::user::Agent;

bounded_text!(
    /// A task's title: 1–200 characters on one line.
    Title, "A title", 1..=200, multiline: false
);
bounded_text!(
    /// A task's notes: at most 4,000 characters, line breaks allowed, also at the start.
    Description, "A description", 0..=4000, multiline: true, trimmed_by: super::text::without_margins
);
bounded_text!(
    /// A project's name: 1–60 characters. Projects are not nested.
    Project, "A project name", 1..=60, multiline: false
);
bounded_text!(
    /// One tag without its `@`: 1–40 characters.
    Tag, "A tag", 1..=40, multiline: false
);

impl Tag {
    /// Maximum number of tags per task.
    pub const MOST: usize = 20;

    /// Parses the tags of one task, with or without their `@`.
    ///
    /// # Errors
    /// A sentence if there are more than [`Tag::MOST`], which is checked first, or if one is invalid.
    pub fn several<'t>(texts: impl IntoIterator<Item = &'t str>) -> Result<Vec<Self>, Invalid> {
        let texts: Vec<_> = texts.into_iter().take(Self::MOST + 1).collect();
        if texts.len() > Self::MOST {
            return Err(Invalid::because(format!("A task can have at most {} tags.", Self::MOST)));
        }
        texts.into_iter().map(|text| Self::parse(text.trim().trim_start_matches('@'))).collect()
    }
}
/// Status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pending,
    Completed,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Completed => "completed",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text.trim() {
            "pending" => Ok(Self::Pending),
            "completed" => Ok(Self::Completed),
            _ => Err(Invalid::because(format!("“{text}” is not a status; use pending or completed."))),
        }
    }
}

/// Priority of a task; `p1` is high, `p4` none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    #[default]
    None,
    Low,
    Medium,
    High,
}

impl Priority {
    /// All priorities, lowest first.
    pub const ALL: [Self; 4] = [Self::None, Self::Low, Self::Medium, Self::High];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Parses the name or `p1`…`p4`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text.trim().to_lowercase().as_str() {
            "none" | "p4" => Ok(Self::None),
            "low" | "p3" => Ok(Self::Low),
            "medium" | "p2" => Ok(Self::Medium),
            "high" | "p1" => Ok(Self::High),
            _ => Err(Invalid::because(format!("“{text}” is not a priority; use none, low, medium or high."))),
        }
    }

    /// Returns 0 for none … 3 for high, which is stored so that it sorts.
    pub fn rank(self) -> i32 {
        self as i32
    }

    /// Returns the inverse of [`Priority::rank`]; none if out of range.
    pub fn from_rank(rank: i32) -> Self {
        usize::try_from(rank).ok().and_then(|rank| Self::ALL.get(rank).copied()).unwrap_or_default()
    }
}

/// A task as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Task {
    pub task_id: TaskNumber,
    pub title: Title,
    pub description: Option<Description>,
    pub status: Status,
    /// Wire form of [`Due`].
    pub due: Option<String>,
    pub priority: Priority,
    pub project: Option<Project>,
    pub tags: Vec<Tag>,
    /// RFC 5545 RRULE without its `RRULE:`; a leading `!` counts from completion instead of from the due date.
    pub recurrence: Option<String>,
    /// Position among the tasks of its day, if its owner moved it by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<Rank>,
    /// 1 when created, incremented by every change.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    /// Set while the task is in the bin.
    pub deleted_at: Option<Timestamp>,
}

impl Task {
    /// Returns what remains after a purge: number, status and times. Only a purged task has an empty title.
    pub fn emptied(&self) -> Self {
        Self {
            title: Title(String::new()),
            description: None,
            due: None,
            priority: Priority::None,
            project: None,
            tags: vec![],
            recurrence: None,
            rank: None,
            task_id: self.task_id,
            status: self.status,
            version: self.version,
            created_at: self.created_at.clone(),
            updated_at: self.updated_at.clone(),
            completed_at: self.completed_at.clone(),
            deleted_at: self.deleted_at.clone(),
        }
    }
}

/// A task to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    pub title: Title,
    pub description: Option<Description>,
    pub due: Option<Due>,
    pub priority: Priority,
    pub project: Option<Project>,
    pub tags: Vec<Tag>,
    pub recurrence: Option<String>,
}

impl NewTask {
    /// Creates a task with only a title.
    pub fn titled(title: Title) -> Self {
        Self {
            title,
            description: None,
            due: None,
            priority: Priority::None,
            project: None,
            tags: vec![],
            recurrence: None,
        }
    }
}

/// Fields to set. The outer `None` keeps a field; an inner `None` clears it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    pub title: Option<Title>,
    pub description: Option<Option<Description>>,
    pub due: Option<Option<Due>>,
    pub priority: Option<Priority>,
    pub project: Option<Option<Project>>,
    pub tags: Option<Vec<Tag>>,
    pub recurrence: Option<Option<String>>,
    pub status: Option<Status>,
}

/// Filter of a task list. Every field narrows it; by default it matches all tasks that are not in the bin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub status: Option<Status>,
    /// Words that title or notes must contain, in any order, ignoring case and accents.
    pub query: Option<String>,
    /// True if the query's accents must match.
    pub accents: bool,
    pub due: Option<DueFilter>,
    /// Period in which tasks were completed.
    pub completed: Option<CompletedFilter>,
    pub priority: Option<Priority>,
    pub project: Option<Project>,
    pub tag: Option<Tag>,
    /// True to list the bin instead.
    pub binned: bool,
    pub order: super::rank::Order,
}

/// A range of due dates, resolved in the owner's zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueFilter {
    /// First day, inclusive; `None` is open.
    pub from: Option<CivilDate>,
    /// Last day, inclusive; `None` is open.
    pub to: Option<CivilDate>,
    /// For overdue tasks: on the last day, only times before this one match.
    pub before: Option<Timestamp>,
}

/// A period, resolved in the owner's zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedFilter {
    /// Inclusive.
    pub from: Timestamp,
    /// Exclusive.
    pub until: Timestamp,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    Add,
    Complete,
    Reopen,
    Update,
    Delete,
    Restore,
    /// Final deletion after the retention period in the bin. Neither state of the change has texts.
    Purge,
}

impl Operation {
    pub const ALL: [Self; 7] =
        [Self::Add, Self::Complete, Self::Reopen, Self::Update, Self::Delete, Self::Restore, Self::Purge];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Complete => "complete",
            Self::Reopen => "reopen",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Restore => "restore",
            Self::Purge => "purge",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.as_str() == text)
            .ok_or_else(|| Invalid::because(format!("“{text}” is not an operation on a task.")))
    }
}

/// Author of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Actor {
    /// The owner, on a page or through the API.
    User,
    /// Docket's agent in a turn.
    Agent,
    /// An agent client over MCP.
    External,
    /// Docket itself, when a period has expired.
    System,
}

impl Actor {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::External => "external",
            Self::System => "system",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "user" => Ok(Self::User),
            "agent" => Ok(Self::Agent),
            "external" => Ok(Self::External),
            "system" => Ok(Self::System),
            _ => Err(Invalid::because(format!("“{text}” is not an actor."))),
        }
    }
}

/// One edit of one task by anyone, used by undo, history and time travel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub change_id: ChangeId,
    pub task_id: TaskNumber,
    pub operation: Operation,
    pub actor: Actor,
    /// The agent client that made it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The token of the owner's own program that made it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Agent>,
    /// The token or session that caused it; `None` without one, and for changes from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
    /// The tool call that made it, if one did.
    pub invocation_id: Option<InvocationId>,
    /// The change that this one undoes, if it does.
    pub undoes: Option<ChangeId>,
    /// `None` for a new task.
    pub before: Option<Task>,
    pub after: Task,
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_trimmed_bounded_and_on_one_line() {
        assert_eq!(Title::parse("  buy milk ").unwrap().as_str(), "buy milk");
        assert!(Title::parse(&"é".repeat(200)).is_ok());
        for bad in ["", "   ", "a\nb", "bell\u{7}", &"x".repeat(201)] {
            assert!(Title::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_priority_survives_its_rank() {
        for priority in Priority::ALL {
            assert_eq!(Priority::from_rank(priority.rank()), priority);
            assert_eq!(Priority::parse(priority.as_str()).unwrap(), priority);
        }
        assert_eq!(Priority::parse("P1").unwrap(), Priority::High);
    }
}
