//! Export of all of a user's data (R-1002), streamed in chunks. Each chunk is read in its own snapshot, so changes made during the export
//! may appear in part.

use serde::Serialize;

use super::import::{guarded, listed};
use super::{Ctx, Error, require};
use crate::domain::Invalid;
use crate::domain::conversation::Conversation;
use crate::domain::erasure::ERASED;
use crate::domain::id::MemoryId;
use crate::domain::policy::Entry;
use crate::domain::task::{Due, Filter, Task};
use crate::domain::user::{Caller, Scope};
use crate::store;
use crate::store::task_order::{Cursor, SortKey};
use crate::store::tasks::Stored;

/// Rows per chunk.
const PIECE: i64 = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// All data.
    Json,
    /// Tasks only.
    Csv,
}

impl Format {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv),
            _ => Err(Invalid::because(format!("“{text}” is not a format; use json or csv."))),
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }
}

/// Columns of the CSV table; [`super::import`] reads them.
const COLUMNS: [&str; 15] = [
    "task_id",
    "title",
    "description",
    "status",
    "due",
    "due_zone",
    "priority",
    "project",
    "tags",
    "recurrence",
    "version",
    "created_at",
    "updated_at",
    "completed_at",
    "deleted_at",
];

/// A running export. Call [`Export::next`] until it returns `None`.
pub struct Export {
    ctx: Ctx,
    caller: Caller,
    format: Format,
    part: Part,
    /// True if the current list has an item already.
    begun: bool,
}

/// The next part to write.
enum Part {
    Head,
    /// Open and completed tasks, then those in the bin.
    Tasks {
        binned: bool,
        after: Option<Cursor>,
    },
    /// Remaining conversations, the next one last.
    Conversations(Option<Vec<Conversation>>),
    Approvals,
    /// After this change's record number.
    Changes(i64),
    /// Before this memory.
    Memories(Option<MemoryId>),
    Settings,
    End,
}

impl Export {
    /// Exports the caller's data. CSV requires `tasks:read`, JSON also `chat` and `audit`.
    pub fn new(ctx: &Ctx, caller: &Caller, format: Format) -> Result<Self, Error> {
        require(caller, Scope::TasksRead)?;
        if format == Format::Json {
            require(caller, Scope::Chat)?;
            require(caller, Scope::Audit)?;
        }
        Ok(Self { ctx: ctx.clone(), caller: caller.clone(), format, part: Part::Head, begun: false })
    }

    /// Returns the next chunk of the file; `None` at its end.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        match std::mem::replace(&mut self.part, Part::End) {
            Part::Head => {
                self.part = Part::Tasks { binned: false, after: None };
                Ok(Some(self.head()?))
            }
            Part::Tasks { binned, after } => self.tasks(binned, after).await.map(Some),
            Part::Conversations(left) => self.conversation(left).await.map(Some),
            Part::Approvals => {
                let mut tx = self.ctx.read().await?;
                let approvals = store::approvals::list(&mut tx, self.caller.id(), None, i64::MAX).await?;
                self.part = Part::Changes(0);
                Ok(Some(self.items(&approvals)? + &self.opening("changes")))
            }
            Part::Changes(after) => self.changes(after).await.map(Some),
            Part::Memories(before) => self.memories(before).await.map(Some),
            Part::Settings => self.settings().await.map(Some),
            Part::End => Ok(None),
        }
    }

    fn head(&mut self) -> Result<String, Error> {
        match self.format {
            // Excel reads a file without a byte-order mark in the system's code page.
            Format::Csv => Ok(format!("\u{feff}{}", row(COLUMNS.iter().map(|&name| name.to_owned()))?)),
            Format::Json => {
                let (user, at) = (json(&self.caller.user)?, self.ctx.now());
                Ok(format!(
                    "{{\"docket\":{},\"exported_at\":\"{at}\",\"user\":{user},\"tasks\":[",
                    json(&env!("CARGO_PKG_VERSION"))?
                ))
            }
        }
    }

    async fn tasks(&mut self, binned: bool, after: Option<Cursor>) -> Result<String, Error> {
        let filter = Filter { binned, ..Filter::default() };
        let found = store::tasks::list(&mut self.ctx.read().await?, self.caller.id(), &filter, after, PIECE).await?;
        let last = found.last().map(|last| Cursor { key: SortKey::Number, number: last.task.task_id });
        let more = i64::try_from(found.len()).is_ok_and(|count| count == PIECE);
        self.part = match (more, binned, self.format) {
            (true, ..) => Part::Tasks { binned, after: last },
            (false, false, _) => Part::Tasks { binned: true, after: None },
            (false, true, Format::Csv) => Part::End,
            (false, true, Format::Json) => Part::Conversations(None),
        };
        let mut piece = match self.format {
            Format::Csv => found.iter().map(line).collect::<Result<_, _>>()?,
            Format::Json => self.items(&found.iter().map(Row::of).collect::<Vec<_>>())?,
        };
        if matches!(self.part, Part::Conversations(_)) {
            piece += &self.opening("conversations");
        }
        Ok(piece)
    }

    /// Writes one conversation with all its messages.
    async fn conversation(&mut self, left: Option<Vec<Conversation>>) -> Result<String, Error> {
        let mut tx = self.ctx.read().await?;
        let user = self.caller.id();
        let mut left = match left {
            Some(left) => left,
            None => {
                let mut all = store::conversations::list(&mut tx, user, None, true, None, i64::MAX).await?;
                all.extend(store::conversations::list(&mut tx, user, None, false, None, i64::MAX).await?);
                all
            }
        };
        let Some(next) = left.pop() else {
            self.part = Part::Approvals;
            return Ok(self.opening("approvals"));
        };
        let mut said = store::conversations::messages(&mut tx, user, next.conversation_id, None, i64::MAX).await?;
        said.reverse();
        let messages: Vec<_> = said
            .iter()
            .map(|said| serde_json::json!({ "message_id": said.message_id, "turn_id": said.turn_id, "speaker": said.speaker, "text": said.text.as_deref().unwrap_or(ERASED), "at": said.at }))
            .collect();
        let piece = self.items(&[With { conversation: next, messages }])?;
        self.part = Part::Conversations(Some(left));
        Ok(piece)
    }

    async fn changes(&mut self, after: i64) -> Result<String, Error> {
        let found = store::changes::page(&mut self.ctx.read().await?, self.caller.id(), after, PIECE).await?;
        let last = found.last().map(|(seq, _)| *seq);
        let changes: Vec<_> = found.into_iter().map(|(_, entry)| entry.change).collect();
        let piece = self.items(&changes)?;
        Ok(match last {
            Some(last) => {
                self.part = Part::Changes(last);
                piece
            }
            None => {
                self.part = Part::Memories(None);
                piece + &self.opening("memories")
            }
        })
    }

    async fn memories(&mut self, before: Option<MemoryId>) -> Result<String, Error> {
        let found = store::memories::list(&mut self.ctx.read().await?, self.caller.id(), before, PIECE).await?;
        self.part = match found.last() {
            Some(last) => Part::Memories(Some(last.memory_id)),
            None => Part::Settings,
        };
        self.items(&found)
    }

    /// Writes the user's settings and the end of the file.
    async fn settings(&self) -> Result<String, Error> {
        let mut tx = self.ctx.read().await?;
        let user = &self.caller.user;
        let rules = store::policies::list(&mut tx, user.user_id).await?;
        let rule = |it: &Entry| format!("{}.{}.{}", it.asker.as_str(), it.tool.as_str(), it.rule.as_str());
        let linked = store::telegram::of_user(&mut tx, user.user_id).await?;
        let settings = serde_json::json!({
            "zone": user.zone,
            "uses_model": user.uses_model,
            "memory": store::memories::is_on(&mut tx, user.user_id).await?,
            "policy": rules.iter().map(rule).collect::<Vec<_>>(),
            "telegram": linked.map(|link| link.name),
        });
        let erased = store::erasures::count(&mut tx, user.user_id).await?;
        Ok(format!("],\"settings\":{},\"erased_texts\":{erased}}}\n", json(&settings)?))
    }

    /// Ends one list and opens the next.
    fn opening(&mut self, name: &str) -> String {
        self.begun = false;
        format!("],\"{name}\":[")
    }

    /// Writes items of the current list.
    fn items<T: Serialize>(&mut self, items: &[T]) -> Result<String, Error> {
        let mut text = String::new();
        for item in items {
            text += if std::mem::replace(&mut self.begun, true) { ",\n" } else { "\n" };
            text += &json(item)?;
        }
        Ok(text)
    }
}

#[derive(Serialize)]
struct With {
    #[serde(flatten)]
    conversation: Conversation,
    messages: Vec<serde_json::Value>,
}

/// A task with its due zone: the task's own form contains only the offset.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    task: &'a Task,
    due_zone: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn of(stored: &'a Stored) -> Self {
        Self { task: &stored.task, due_zone: stored.due.as_ref().and_then(Due::zone) }
    }
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value)
        .map_err(|error| store::Error::Corrupt(format!("a value that is no JSON ({error})")).into())
}

fn line(stored: &Stored) -> Result<String, Error> {
    let text = |value: Option<String>| value.unwrap_or_default();
    let Row { task, due_zone } = Row::of(stored);
    let cells: [String; COLUMNS.len()] = [
        task.task_id.to_string(),
        task.title.to_string(),
        text(task.description.as_ref().map(ToString::to_string)),
        task.status.as_str().to_owned(),
        text(task.due.clone()),
        text(due_zone.map(str::to_owned)),
        task.priority.as_str().to_owned(),
        text(task.project.as_ref().map(ToString::to_string)),
        listed(&task.tags),
        text(task.recurrence.clone()),
        task.version.to_string(),
        task.created_at.to_string(),
        task.updated_at.to_string(),
        text(task.completed_at.as_ref().map(ToString::to_string)),
        text(task.deleted_at.as_ref().map(ToString::to_string)),
    ];
    row(cells)
}

/// Returns a CSV line in which spreadsheets recognise no formula.
fn row(cells: impl IntoIterator<Item = String>) -> Result<String, Error> {
    let mut writer = csv::Writer::from_writer(vec![]);
    let cells: Vec<_> = cells.into_iter().map(guarded).collect();
    let written = writer.write_record(&cells).map_err(|error| error.to_string()).and_then(|()| {
        let bytes = writer.into_inner().map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|error| error.to_string())
    });
    written.map_err(|why| store::Error::Corrupt(format!("a row that is no CSV ({why})")).into())
}
