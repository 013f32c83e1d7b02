//! Recent changes for an undo without an id: of the last action, of a turn, or of a time span.

use std::collections::HashSet;

use super::{Undone, partly, take_back, whole};
use crate::domain::channel::Card;
use crate::domain::consent;
use crate::domain::conversation::Speaker;
use crate::domain::decision::DecisionKind;
use crate::domain::id::{ActionId, ChangeId, TaskNumber, TurnId, UserId};
use crate::domain::task::{Actor, Change, Operation, Status, Task};
use crate::domain::time::Timestamp;
use crate::domain::turn::SenderView;
use crate::domain::user::{Caller, Scope};
use crate::store::changes::{Entry, Past};
use crate::store::decisions::DecisionRow;
use crate::store::{self, Tx};
use crate::usecases::changes::{self, Changed, Standing};
use crate::usecases::{By, Ctx, Error, require};

/// Maximum age of the last action, in seconds.
const LAST_S: i64 = 3600;
/// Maximum number of changes in one undo. An import is undone by its id, as bulk work.
const LAST: usize = 1_000;
/// Maximum number of changes whose titles an order may name.
const NAMED: usize = 10;
/// Records per query.
const AT_ONCE: i64 = 100;
/// Maximum number of events since the sender's view that are searched.
const NEWER: i64 = 1_000;
/// Maximum number of records searched, all inside the write transaction of the undo.
const SEARCHED: usize = 2_500;

/// A selection of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// The caller's last action within the last hour, by hand or by a message.
    Last,
    /// One turn; without an id the caller's last one within the last hour.
    Turn(Option<TurnId>),
    /// All changes of that time, by anyone.
    Between(Timestamp, Timestamp),
}

/// Matching changes, newest first.
#[derive(Debug, Clone)]
pub struct Recent {
    entries: Vec<Entry>,
    /// Number of actions that made them: turns, and single actions by hand.
    pub acts: usize,
    /// True if the caller made all of them.
    pub is_own: bool,
}

impl Recent {
    fn new(entries: Vec<Entry>, caller: &Caller) -> Self {
        let acts: HashSet<_> = entries.iter().map(|entry| Act::of(&entry.change, entry.action)).collect();
        let is_own = entries.iter().all(|entry| is_own(&entry.change, caller));
        Self { entries, acts: acts.len(), is_own }
    }

    /// Returns true if the turn made all of the changes.
    fn is_of(&self, turn: TurnId) -> bool {
        self.entries.iter().all(|entry| Act::of(&entry.change, entry.action) == Act::Turn(turn))
    }

    /// Returns true if the undo moves a task to the bin.
    pub fn bins(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.change.operation, Operation::Add | Operation::Restore))
    }

    /// Returns true if the undo completes a task again.
    pub fn completes(&self) -> bool {
        let completed = |task: &Task| task.status == Status::Completed;
        self.entries
            .iter()
            .any(|entry| entry.change.before.as_ref().is_some_and(completed) && !completed(&entry.change.after))
    }

    /// Returns the titles and numbers of the changed tasks before and after the changes; none of many tasks, whose titles have any word.
    fn names(&self) -> impl Iterator<Item = String> {
        let few = self.entries.iter().filter(|_| self.entries.len() <= NAMED);
        let states = few.flat_map(|entry| entry.change.before.iter().chain([&entry.change.after]));
        states.flat_map(|task| [task.title.to_string(), task.task_id.to_string()])
    }

    /// Returns the numbers of the changed tasks, without duplicates.
    pub fn tasks(&self) -> Vec<TaskNumber> {
        let mut tasks: Vec<_> = self.entries.iter().map(|entry| entry.change.task_id).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }
}

/// Changes that were made together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Act {
    Hand(ActionId),
    Turn(TurnId),
    /// A change from before actions by hand were recorded.
    Alone(ChangeId),
}

impl Act {
    fn of(change: &Change, action: Option<ActionId>) -> Self {
        let turn = change.invocation_id.map(|call| Self::Turn(call.turn));
        turn.or(action.map(Self::Hand)).unwrap_or(Self::Alone(change.change_id))
    }
}

/// True if the caller made the change: a person by hand or by a message to Docket, an agent by its calls.
fn is_own(change: &Change, caller: &Caller) -> bool {
    match (&caller.agent, change.actor) {
        (None, actor) => matches!(actor, Actor::User | Actor::Agent),
        (Some(agent), Actor::External) => change.agent.as_ref().is_some_and(|by| by.token_id == agent.token_id),
        (Some(_), Actor::User | Actor::Agent | Actor::System) => false,
    }
}

/// Undoes all changes of the caller's last action. An undo is no action, so the next undo concerns the action before.
///
/// # Errors
/// `Conflict` if the last hour has none, or if a later change prevents it.
pub async fn last(ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Vec<Changed>, Error> {
    let found = find(ctx, tx, by, &Span::Last).await?;
    whole(take_back(ctx, tx, by, found.entries).await?)
}

/// Undoes those of the matching changes that no later change prevents.
///
/// # Errors
/// `Conflict` if none can be undone.
pub async fn recent(ctx: &Ctx, tx: &mut Tx, by: By<'_>, found: Recent) -> Result<Undone, Error> {
    partly(take_back(ctx, tx, by, found.entries).await?)
}

/// Returns true if the call is its caller's wish: the first undo of a turn whose message, in the person's own words, asks for one.
/// An MCP client asks by the call itself, once: its next undo in a row needs approval. A period or a turn has to be the last action.
pub async fn is_asked(ctx: &Ctx, tx: &mut Tx, by: By<'_>, span: &Span, found: &Recent) -> Result<bool, Error> {
    let Some(call) = by.invocation else { return Ok(true) };
    let user = by.caller.id();
    let made = store::changes::of_turn(tx, user, call.turn).await?;
    if made.iter().any(|entry| entry.change.undoes.is_some()) {
        return Ok(false);
    }
    let since = ctx.now().plus_seconds(-LAST_S);
    let message = store::messages::of_turn(tx, user, call.turn, Speaker::User).await?;
    let of_assistant = *span == Span::Turn(None) && message.as_deref().is_some_and(consent::means_the_assistant);
    if *span != Span::Last && !of_assistant {
        let act = |entry: &Entry| Act::of(&entry.change, entry.action);
        let last = last_act(tx, by.caller, &since, |_| true).await?.first().map(act);
        if found.entries.iter().any(|entry| Some(act(entry)) != last) {
            return Ok(false);
        }
    }
    if by.caller.agent.is_some() {
        return Ok(!follows_undo(tx, by.caller, &since).await?);
    }
    let view = store::consent::view(tx, user, call.turn).await?;
    let orders = |message: String| consent::asks_to_undo(&message, found.names(), found.bins());
    if view.option || !message.is_some_and(orders) {
        return Ok(false);
    }
    match is_of_answered(tx, user, view, found).await? {
        Some(is_of_answered) => Ok(is_of_answered),
        None => Ok(!is_unseen(tx, user, view, found).await? && !follows_question(tx, user, call.turn, found).await?),
    }
}

/// Returns true if the sender's page had not shown one of the changes, unless the person made it by hand.
async fn is_unseen(tx: &mut Tx, user: UserId, view: SenderView, found: &Recent) -> Result<bool, Error> {
    let changes = found.entries.iter().map(|entry| &entry.change).filter(|change| !is_by_hand(change));
    let changes: HashSet<ChangeId> = changes.map(|change| change.change_id).collect();
    if changes.is_empty() {
        return Ok(false);
    }
    let newer = store::events::after(tx, user, view.seen, NEWER).await?;
    let mut made = newer.iter().filter_map(|event| ChangeId::parse(event.data["change_id"].as_str()?).ok());
    // Beyond that number, the page counts as having shown none of them.
    Ok(made.any(|change| changes.contains(&change)) || i64::try_from(newer.len()).is_ok_and(|count| count >= NEWER))
}

/// Returns true if the person made the change without the assistant and without a program's token.
fn is_by_hand(change: &Change) -> bool {
    change.invocation_id.is_none() && change.by.as_ref().is_none_or(|by| by.token_id.is_none())
}

/// Returns true if the turn of the chat message that the person replied to made the changes. “That” then means that message.
/// `None` without such a message.
async fn is_of_answered(tx: &mut Tx, user: UserId, view: SenderView, found: &Recent) -> Result<Option<bool>, Error> {
    let Some(message) = view.answers else { return Ok(None) };
    let Some(link) = store::telegram::of_user(tx, user).await? else { return Ok(None) };
    let Some(card) = store::outbox::in_message(tx, user, link.chat, message).await? else { return Ok(None) };
    Ok(Some(matches!(card, Card::Turn { turn } if found.is_of(turn))))
}

/// Returns true if the reply before the turn asked a question or answered a verdict, and did not make the changes. “That” then means
/// the question, and not what was done before it.
async fn follows_question(tx: &mut Tx, user: UserId, turn: TurnId, found: &Recent) -> Result<bool, Error> {
    let Some(turn) = store::turns::get(tx, user, turn).await? else { return Ok(false) };
    let Some(last) = store::consent::last_reply(tx, user, turn.conversation, turn.ordinal).await? else {
        return Ok(false);
    };
    let decision = store::decisions::get(tx, user, last.turn).await?;
    // A model may ask in plain text, after a read as well.
    let asks = |row: DecisionRow| row.decision.kind == DecisionKind::RequestClarification || consent::asks(&row.reply);
    let asked = last.about.is_some() || decision.is_some_and(asks);
    Ok(asked && !found.is_of(last.turn))
}

/// Returns true if the caller's newest change is an undo.
async fn follows_undo(tx: &mut Tx, caller: &Caller, since: &Timestamp) -> Result<bool, Error> {
    let mut newest = Newest::default();
    while let Some(page) = newest.page(tx, caller.id(), since).await? {
        let mut own = page.iter().filter_map(|past| past.change.as_ref()).filter(|entry| is_own(&entry.change, caller));
        if let Some(entry) = own.next() {
            return Ok(entry.change.undoes.is_some());
        }
    }
    Ok(false)
}

/// Finds the changes of a span that are still in effect.
///
/// # Errors
/// `Conflict` if there are none or too many; `NotFound` for a turn that changed nothing.
pub async fn find(ctx: &Ctx, tx: &mut Tx, by: By<'_>, span: &Span) -> Result<Recent, Error> {
    let (caller, user) = (by.caller, by.caller.id());
    require(caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, user).await?;
    let since = ctx.now().plus_seconds(-LAST_S);
    let entries = match span {
        Span::Turn(Some(turn)) => {
            let made = super::entries(tx, user, super::Target::Turn(*turn)).await?;
            made.into_iter().filter(|entry| entry.change.undoes.is_none()).collect()
        }
        Span::Last => last_act(tx, caller, &since, |_| true).await?,
        Span::Turn(None) => last_act(tx, caller, &since, |act| matches!(act, Act::Turn(_))).await?,
        Span::Between(from, to) => between(tx, user, from, to).await?,
    };
    match entries.len() {
        0 => Err(Error::Conflict(match span {
            Span::Between(..) => "There is nothing to undo in that period.".into(),
            Span::Last | Span::Turn(_) => "There is nothing to undo from the last hour.".into(),
        })),
        count if count > LAST => Err(Error::Conflict(format!(
            "The last action changed {count} tasks. Undo it where you did it, or in the history of one of the tasks."
        ))),
        _ => Ok(Recent::new(entries, caller)),
    }
}

/// Returns the changes of the caller's last matching action, newest first.
async fn last_act(
    tx: &mut Tx,
    caller: &Caller,
    since: &Timestamp,
    fits: impl Fn(&Act) -> bool,
) -> Result<Vec<Entry>, Error> {
    let (user, mut newest) = (caller.id(), Newest::default());
    let (mut found, mut last) = (vec![], None);
    while let Some(page) = newest.page(tx, user, since).await? {
        for past in page {
            let Some(entry) = past.change else { continue };
            let change = &entry.change;
            let act = Act::of(change, entry.action);
            let counts = is_own(change, caller) && change.undoes.is_none() && fits(&act);
            if last.is_some_and(|last| counts && last != act) {
                return Ok(found);
            }
            if counts && stands(tx, user, &entry).await? {
                last = Some(act);
                found.push(entry);
            }
        }
    }
    Ok(found)
}

/// Returns everyone's changes of that time, newest first, up to one above [`LAST`].
async fn between(tx: &mut Tx, user: UserId, from: &Timestamp, to: &Timestamp) -> Result<Vec<Entry>, Error> {
    let (mut found, mut newest) = (vec![], Newest::default());
    while let Some(page) = newest.page(tx, user, from).await? {
        for past in page {
            if found.len() > LAST {
                return Ok(found);
            }
            let Some(entry) = past.change.filter(|_| past.at <= *to) else { continue };
            let made = entry.change.actor != Actor::System && entry.change.undoes.is_none();
            if made && stands(tx, user, &entry).await? {
                found.push(entry);
            }
        }
    }
    Ok(found)
}

/// A cursor over a user's records, newest first.
#[derive(Default)]
struct Newest {
    oldest: Option<i64>,
    read: usize,
}

impl Newest {
    /// Reads the next page of records since that time; `None` at their end.
    ///
    /// # Errors
    /// `Conflict` beyond [`SEARCHED`] records.
    async fn page(&mut self, tx: &mut Tx, user: UserId, since: &Timestamp) -> Result<Option<Vec<Past>>, Error> {
        let mut page = store::changes::newest(tx, user, self.oldest.unwrap_or(i64::MAX), AT_ONCE).await?;
        page.truncate(page.iter().take_while(|past| past.at >= *since).count());
        let Some(past) = page.last() else { return Ok(None) };
        if self.read >= SEARCHED {
            let text =
                "There are too many changes in that period to search. Undo the change in the history of its task.";
            return Err(Error::Conflict(text.into()));
        }
        self.oldest = Some(past.seq);
        self.read += page.len();
        Ok(Some(page))
    }
}

/// True if the change is in effect: not undone, or its undo was undone.
async fn stands(tx: &mut Tx, user: UserId, entry: &Entry) -> Result<bool, Error> {
    Ok(matches!(changes::standing(tx, user, entry.clone()).await?, Standing::Through(_)))
}
