//! Contents of cards, rendered when sent from the present state.

use crate::domain::channel::{Button, Card, Note, Press};
use crate::domain::id::{CardId, RelinkId, TaskNumber, TurnId};
use crate::domain::proposal;
use crate::domain::receipt;
use crate::domain::task::{Due, Filter, Status, Task};
use crate::domain::task_line::TaskLine;
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::{Turn, TurnStatus};
use crate::domain::user::{Caller, Door};
use crate::domain::when;
use crate::state::AppState;
use crate::store;
use crate::store::outbox::CardRow;
use crate::usecases::{self, accounts, approvals, conversations, tasks};

use super::Error;
use super::question::{self, Asking};
use super::telegram::FAREWELL;

pub(super) const PLACEHOLDER: &str = "…";
/// Maximum number of tasks listed in a chat.
const LISTED: i64 = 50;

/// Renders a card; `None` if it is obsolete, its user is disabled, or its chat is not linked with the user any more.
pub(super) async fn note(state: &AppState, row: &CardRow) -> Result<Option<Note>, Error> {
    let Some(caller) = accounts::caller_of_user(&state.ctx, row.user, Door::Telegram).await? else { return Ok(None) };
    let link = store::telegram::of_user(&mut state.ctx.peek().await?, row.user).await?;
    let linked = link.is_some_and(|link| link.chat == row.chat);
    match &row.card {
        Card::Said { text } if text.starts_with(FAREWELL) => Ok(Some(said(text))),
        Card::Relink { relink } => of_relink(state, &caller, row, *relink, linked).await,
        _ if !linked => Ok(None),
        Card::Turn { turn } => of_turn(state, &caller, *turn).await.map(Some),
        Card::Reminder { task } => of_reminder(state, &caller, row, *task).await,
        Card::Tasks => of_tasks(state, &caller).await.map(Some),
        Card::Said { text } => Ok(Some(said(text))),
        Card::Heard => Ok(None),
    }
}

fn said(text: &str) -> Note {
    Note { text: text.to_owned(), ..Note::default() }
}

async fn of_turn(state: &AppState, caller: &Caller, id: TurnId) -> Result<Note, Error> {
    let turn = conversations::turn(&state.ctx, caller, id).await?;
    if turn.status != TurnStatus::Done {
        return Ok(said(&progress(&turn)));
    }
    let unsaid = receipt::unsaid(&turn, &state.ctx.now(), &caller.user.zone);
    let reply = turn.reply.unwrap_or_default();
    let (said, asked_again) = proposal::split(&reply);
    let text = if unsaid.is_empty() { said.to_owned() } else { format!("{}\n\n{said}", unsaid.join("\n")) };
    let mut note = Note { text, question: asked_again.unwrap_or_default().to_owned(), buttons: vec![] };
    // A turn that carries out a verdict shows only its own approval.
    if let Some(asked) = turn.approval.filter(|asked| asked.turn_id == id) {
        match approvals::settled(&state.ctx, caller, &asked) {
            Some(settled) => note.question = format!("{}\n\n{settled}", asked.asked()),
            None => {
                let asking = Asking { zone: &caller.user.zone, base: &state.config.public_url };
                note.question = question::on_telegram(&asked, asking);
                let button = |label: &str, press| Button { label: label.into(), press };
                note.buttons = vec![
                    button("Yes", Press::Approve(asked.approval_id)),
                    button("No", Press::Reject(asked.approval_id)),
                ];
            }
        }
    }
    for option in &turn.options {
        note.text += &format!("\n• {option}");
    }
    Ok(note)
}

/// Renders the relink confirmation of a chat, or its outcome. The chat belongs to another account until then.
async fn of_relink(
    state: &AppState,
    caller: &Caller,
    row: &CardRow,
    id: RelinkId,
    linked: bool,
) -> Result<Option<Note>, Error> {
    let (name, now) = (&caller.user.name, state.ctx.now());
    let mut tx = state.ctx.read().await?;
    let asked = store::telegram::relink(&mut tx, id, row.chat).await?.filter(|asked| asked.expires_at > now);
    let Some(asked) = asked else {
        let text = match linked {
            true => format!("This chat is now linked to the account **{name}**."),
            false => format!("This chat was not linked to the account **{name}**."),
        };
        return Ok((!row.messages.is_empty()).then(|| said(&text)));
    };
    let other = store::users::get(&mut tx, asked.linked).await?.map(|user| user.name.to_string()).unwrap_or_default();
    let text = format!(
        "This chat is linked to the account **{other}**. Link it to the account **{name}** instead?\n\n{other} will \
             get no more messages here, and your messages will go to {name}."
    );
    let button = |label: &str, press| Button { label: label.into(), press };
    let buttons = vec![button("Yes", Press::Link(id)), button("No", Press::KeepLink(id))];
    Ok(Some(Note { buttons, ..said(&text) }))
}

fn progress(turn: &Turn) -> String {
    let done = turn.tool_calls.iter().filter(|call| call.status == CallStatus::Ok);
    let done = done.filter_map(|call| ToolName::parse(&call.tool)).map(|tool| match tool {
        ToolName::AddTask => "Added to your list",
        ToolName::CompleteTask => "Completed",
        ToolName::DeleteTask => "Removed",
        ToolName::GetTask => "Read a task",
        ToolName::ListTasks => "Read your list",
        ToolName::Undo => "Undid changes",
        ToolName::UpdateTask => "Changed a task",
    });
    done.map(|line| format!("{line}\n")).collect::<String>() + PLACEHOLDER
}

async fn of_reminder(
    state: &AppState,
    caller: &Caller,
    row: &CardRow,
    number: TaskNumber,
) -> Result<Option<Note>, Error> {
    let task = match tasks::get(&state.ctx, caller, number).await {
        Ok(task) => task,
        Err(usecases::Error::NotFound(_)) if row.messages.is_empty() => return Ok(None),
        Err(usecases::Error::NotFound(_)) => return Ok(Some(said(&format!("Task #{number} no longer exists.")))),
        Err(error) => return Err(error.into()),
    };
    let waits = store::reminders::of_task(&mut state.ctx.peek().await?, row.user, number).await?;
    let (now, zone) = (state.ctx.now(), &caller.user.zone);
    let due = task.due.as_deref().and_then(|due| when::resolve(due, &now, zone).ok());
    let moved = due.as_ref().filter(|due| is_to_come(due, waits.as_ref(), &now, zone));
    Ok(match (row.messages.is_empty(), task.status, moved, waits) {
        (_, Status::Pending, None, None) => {
            Some(Note { buttons: answers(row.id), ..said(&reminder(&task, &now, zone)) })
        }
        // The task was completed or moved before the reminder was sent.
        (true, ..) => None,
        (false, Status::Completed, ..) => Some(said(&format!("Done: {} (#{number})", task.title))),
        (false, Status::Pending, Some(due), _) => {
            Some(said(&format!("Moved to {}: {} (#{number})", when::label(due, &now, zone), task.title)))
        }
        (false, Status::Pending, None, Some(at)) => {
            let at = when::instant(&at, &now, zone);
            Some(said(&format!("Snoozed until {at}: {} (#{number})", task.title)))
        }
    })
}

/// True if the task was moved to that future time. A snoozed task has a reminder at another time.
fn is_to_come(due: &Due, waits: Option<&Timestamp>, now: &Timestamp, zone: &str) -> bool {
    match due {
        Due::At { at, .. } => at > now && waits.is_none_or(|waits| waits == at),
        Due::Date(day) => waits.is_none() && day.to_jiff() > when::local(now, zone).date(),
    }
}

/// Renders a reminder: `Due now: buy milk (#3) · today 17:00 · #Home`.
fn reminder(task: &Task, now: &Timestamp, zone: &str) -> String {
    format!("Due now: {} (#{}){}", task.title, task.task_id, TaskLine::from(task).facts(now, zone))
}

fn answers(card: CardId) -> Vec<Button> {
    vec![
        Button { label: "Done".into(), press: Press::Done(card) },
        Button { label: "In an hour".into(), press: Press::Snooze(card) },
    ]
}

async fn of_tasks(state: &AppState, caller: &Caller) -> Result<Note, Error> {
    let (now, zone) = (state.ctx.now(), &caller.user.zone);
    let filter = Filter { status: Some(Status::Pending), ..Filter::default() };
    let list = tasks::list(&state.ctx, caller, &filter, None, LISTED).await?;
    if list.tasks.is_empty() {
        return Ok(said("You have no open tasks."));
    }
    let line = |task: &Task| format!("#{} {}", task.task_id, TaskLine::from(task).text(&now, zone));
    let more = list.total - i64::try_from(list.tasks.len()).unwrap_or_default();
    let more = (more > 0).then(|| format!("and {more} more"));
    let lines: Vec<_> = list.tasks.iter().map(line).chain(more).collect();
    Ok(said(&lines.join("\n")))
}
