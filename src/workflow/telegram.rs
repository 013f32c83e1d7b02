//! Updates from Telegram: durable when [`receive`] returns, and processed exactly once.

use crate::channels::telegram::{Text, Unreadable, Update, What};
use crate::domain::approval::{DecidedVia, Verdict};
use crate::domain::channel::{Card, ChatId, Press};
use crate::domain::id::{ApprovalId, CardId, ConversationId, TaskNumber};
use crate::domain::queue_depth::Dropped;
use crate::domain::text::{ClientKey, shortened};
use crate::domain::user::Caller;
use crate::domain::when;
use crate::state::AppState;
use crate::store::outbox::NewCard;
use crate::store::{self, Tx};
use crate::usecases::{By, Commit, Error, tasks, telegram, undo};

use super::inbox::{self, IncomingMessage, Source};
use super::reminders;

mod linking;
mod reply_target;
mod text;

/// Maximum number of earlier turns searched for an undo.
const LOOK_BACK: i64 = 20;

const HELP: &str = "You can write to me as in the browser: “add buy milk tomorrow 5pm”, “what's due today”, “done \
     with 3”.\n/tasks shows your open tasks, /undo reverts my last change, /stop cancels the current request, /new \
     starts a new conversation, /unlink disconnects this chat from your account.";
/// Beginning of [`UNLINKED`], in each release.
pub(super) const FAREWELL: &str = "This chat is no longer linked.";
/// The only message to a chat after it was unlinked.
pub(super) const UNLINKED: &str =
    "This chat is no longer linked. To link a chat again, create a code in Docket's settings.";
const ONLY_TEXT: &str = "I can read only text messages. Please send your message as text.";
const EDITED: &str =
    "I do not read edited messages, so your first version counts. Please send the change as a new message.";
/// Words that start a message; with a slash before them, the message is treated as if it had none.
const SPOKEN: &str = "add|new|done|complete|finish|delete|remove|move|rename|reopen|show|find|search|due|snooze|remind";
/// Maximum length of an unknown command in the reply, in characters.
const LONGEST_COMMAND: usize = 40;
const NOTHING_RUNS: &str = "Nothing is running.";
const NOTHING_TO_UNDO: &str = "There is nothing to undo in this conversation.";
const HEARD: &str = "This was already done.";
const FRESH: &str = "New conversation. How can I help?";

/// An update of a linked chat.
struct Heard<'a> {
    state: &'a AppState,
    caller: Caller,
    chat: ChatId,
    conversation: Option<ConversationId>,
    /// Idempotency key: equal for repeats of the update.
    key: ClientKey,
    /// Telegram's time of the update, in Unix seconds.
    date: i64,
}

/// Processes an update. An update of an unlinked chat or a disabled user is only counted.
///
/// # Errors
/// Errors of the database: nothing was stored, and Telegram must repeat the update.
pub async fn receive(state: &AppState, update: Update) -> Result<(), Error> {
    if update.what == What::CodeInGroup {
        text::refuse_group(state, update.chat);
        return Ok(());
    }
    let bot = state.telegram.as_ref().map_or("", |bot| bot.id());
    let key = ClientKey::of_server("telegram", format_args!("{bot} {}", update.id));
    let Some((caller, conversation)) = telegram::caller_of_chat(&state.ctx, update.chat).await? else {
        return stranger(state, &update, &key).await;
    };
    let heard = Heard { state, caller, chat: update.chat, conversation, key, date: update.date };
    match &update.what {
        What::Text(said) if said.is_own && said.text.starts_with('/') => heard.command(said, &update).await,
        What::Text(said) => heard.write(said, bot).await,
        What::Press { press, message, answer_to } => heard.press(*press, *message, answer_to).await,
        What::Edited => heard.tell(EDITED).await,
        What::CodeInGroup => Ok(()),
        What::Other { album } => heard.tell_once(ONLY_TEXT, album.as_deref(), bot).await,
    }
}

/// Counts an unreadable update, which a repeat would not fix.
///
/// # Errors
/// Errors of the database: Telegram must repeat the update.
pub async fn give_up(state: &AppState, unreadable: Unreadable) -> Result<(), Error> {
    tracing::warn!(%unreadable, "an update from Telegram was skipped");
    telegram::count(&state.ctx, Dropped::Malformed).await
}

/// Processes an update of an unlinked chat: redeems a code, answers a relink confirmation from before the chat was unlinked, and counts
/// everything else.
async fn stranger(state: &AppState, update: &Update, key: &ClientKey) -> Result<(), Error> {
    let done = match &update.what {
        What::Text(said) => match said.text.strip_prefix("/start ").map(str::trim).filter(|code| !code.is_empty()) {
            Some(code) if said.is_own => linking::link(state, update, code, key).await?,
            _ => false,
        },
        What::Press { press: Some(press), answer_to, .. } if press.decides_link() => {
            linking::answer_of_stranger(state, update.chat, *press, key, answer_to).await?
        }
        What::Press { .. } | What::Edited | What::CodeInGroup | What::Other { .. } => false,
    };
    if done { Ok(()) } else { telegram::count(&state.ctx, Dropped::Stranger).await }
}

/// Queues a card for the user; false if a card with its key exists.
async fn put(
    state: &AppState,
    tx: &mut Tx,
    caller: &Caller,
    chat: ChatId,
    card: &Card,
    key: Option<&ClientKey>,
) -> Result<bool, Error> {
    let new = NewCard { chat, card, key };
    Ok(store::outbox::insert(tx, caller.id(), &new, &state.ctx.now()).await?.is_some())
}

/// Answers a button press with a line of text. The answer is optional and short-lived, so it is not stored.
fn answer_press(state: &AppState, answer_to: &str, text: String) {
    let (Some(bot), answer_to) = (state.telegram.clone(), answer_to.to_owned()) else { return };
    tokio::spawn(async move {
        if let Err(error) = bot.answer(&answer_to, Some(&text)).await {
            tracing::debug!(%error, "a button press could not be acknowledged");
        }
    });
}

impl Heard<'_> {
    async fn command(&self, said: &Text, update: &Update) -> Result<(), Error> {
        let text = said.text.as_str();
        let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // Removes `@` and the bot's name.
        let command = command.split('@').next().unwrap_or_default().to_lowercase();
        match command.as_str() {
            "/start" if !rest.trim().is_empty() => {
                match linking::link(self.state, update, rest.trim(), &self.key).await? {
                    true => Ok(()),
                    false => self.tell(HELP).await,
                }
            }
            "/tasks" | "/list" => self.show(&Card::Tasks).await,
            "/undo" => self.undo().await,
            "/stop" => self.stop().await,
            "/new" => self.begin_afresh().await,
            "/unlink" => self.unlink().await,
            "/start" | "/help" => self.tell(HELP).await,
            spoken
                if SPOKEN.split('|').any(|word| spoken.strip_prefix('/') == Some(word)) && !rest.trim().is_empty() =>
            {
                self.say(&Text { text: format!("{} {rest}", &spoken[1..]), ..said.clone() }, false).await
            }
            unknown => {
                self.tell(&format!(
                    "I do not know the command {}. {HELP}",
                    shortened(unknown.to_owned(), LONGEST_COMMAND)
                ))
                .await
            }
        }
    }

    /// Accepts the text as a message, with a card for its turn. `completed` is true if code inserted its task: like an option, such a
    /// text confirms nothing itself.
    async fn say(&self, said: &Text, completed: bool) -> Result<(), Error> {
        let incoming =
            IncomingMessage { text: said.text.clone(), conversation: None, client_key: Some(self.key.clone()) };
        let way = Source {
            chat: Some(self.chat),
            written_at: Some(self.date),
            is_foreign: !said.is_own,
            option: completed,
            answers: said.answers,
            ..Source::default()
        };
        match inbox::accept_in_chat(self.state, &self.caller, incoming, way).await {
            Ok(_) => Ok(()),
            Err(Error::Invalid(why)) => self.tell(&why.0).await,
            // The chat was unlinked in the meantime.
            Err(Error::Forbidden(_)) => telegram::count(&self.state.ctx, Dropped::Stranger).await,
            // Far over the limit: earlier refusals have informed the user.
            Err(Error::RateLimited { .. }) => telegram::count(&self.state.ctx, Dropped::TooFast).await,
            Err(error) => Err(error),
        }
    }

    async fn tell(&self, text: &str) -> Result<(), Error> {
        self.show(&Card::Said { text: text.into() }).await
    }

    async fn show(&self, card: &Card) -> Result<(), Error> {
        let mut tx = self.state.ctx.write().await?;
        self.put(&mut tx, card).await?;
        self.make_durable(tx, Commit::Chat).await
    }

    async fn put(&self, tx: &mut Tx, card: &Card) -> Result<bool, Error> {
        put(self.state, tx, &self.caller, self.chat, card, Some(&self.key)).await
    }

    /// True if the update is new. Must run in the transaction that processes it; serialises concurrent repeats.
    async fn is_news(&self, tx: &mut Tx) -> Result<bool, Error> {
        store::tasks::lock(tx, self.caller.id()).await?;
        self.put(tx, &Card::Heard).await
    }

    async fn make_durable(&self, tx: Tx, at: Commit) -> Result<(), Error> {
        self.state.ctx.commit_at(tx, at).await?;
        self.state.ctx.live.wake_senders();
        Ok(())
    }

    /// Undoes the conversation's last turn with a change in effect.
    async fn undo(&self) -> Result<(), Error> {
        let (ctx, user) = (&self.state.ctx, self.caller.id());
        let mut tx = ctx.write().await?;
        store::tasks::lock(&mut tx, user).await?;
        if store::outbox::has_key(&mut tx, user, &self.key).await? {
            return ctx.commit_at(tx, Commit::Chat).await;
        }
        let turns = match self.conversation {
            Some(talk) => store::changes::turns_of(&mut tx, user, talk, LOOK_BACK).await?,
            None => vec![],
        };
        let standing = match turns[..] {
            [] => vec![],
            _ => store::changes::standing(&mut tx, Some(user), &turns).await?,
        };
        let stands = |turn: &_| standing.iter().any(|(call, stands)| call.turn == *turn && *stands);
        let Some(turn) = turns.into_iter().find(stands) else {
            drop(tx);
            return self.tell(NOTHING_TO_UNDO).await;
        };
        match undo::all(ctx, &mut tx, By::person(&self.caller), undo::Target::Turn(turn)).await {
            Ok(done) => {
                let numbers: Vec<_> = done.iter().map(|done| format!("#{}", done.after.task_id)).collect();
                let text = format!("Undid my last change to {}.", numbers.join(", "));
                self.put(&mut tx, &Card::Said { text }).await?;
                self.make_durable(tx, Commit::Undo).await
            }
            Err(Error::Conflict(why) | Error::Partly(why)) => {
                drop(tx);
                self.tell(&why).await
            }
            Err(error) => Err(error),
        }
    }

    /// Stops the conversation's open turns; their own cards show the result.
    async fn stop(&self) -> Result<(), Error> {
        let (ctx, user) = (&self.state.ctx, self.caller.id());
        let mut tx = ctx.write().await?;
        let open = match self.conversation {
            Some(talk) => store::turns::open_of(&mut tx, user, talk).await?,
            None => vec![],
        };
        if open.is_empty() {
            self.put(&mut tx, &Card::Said { text: NOTHING_RUNS.into() }).await?;
        } else {
            // Locks turns before the user's head, in the order of workers, which avoids deadlocks.
            inbox::ask_stop(&mut tx, &self.caller, &open).await?;
            if !self.is_news(&mut tx).await? {
                return Ok(());
            }
        }
        let at = if open.is_empty() { Commit::Chat } else { Commit::Stop };
        self.make_durable(tx, at).await?;
        ctx.live.wake(user, false);
        Ok(())
    }

    async fn begin_afresh(&self) -> Result<(), Error> {
        let mut tx = self.state.ctx.write().await?;
        // Locked first: a message accepted in the meantime would set the conversation again.
        store::tasks::lock(&mut tx, self.caller.id()).await?;
        if self.put(&mut tx, &Card::Said { text: FRESH.into() }).await? {
            telegram::go_on_in(&mut tx, &self.caller, None).await?;
        }
        self.make_durable(tx, Commit::Chat).await
    }

    async fn unlink(&self) -> Result<(), Error> {
        let mut tx = self.state.ctx.write().await?;
        store::tasks::lock(&mut tx, self.caller.id()).await?;
        if store::outbox::has_key(&mut tx, self.caller.id(), &self.key).await? {
            return self.state.ctx.commit_at(tx, Commit::Chat).await;
        }
        telegram::unlink(&self.state.ctx, &mut tx, &self.caller).await?;
        self.put(&mut tx, &Card::Said { text: UNLINKED.into() }).await?;
        self.make_durable(tx, Commit::Chat).await
    }

    /// Performs a button's action and answers the press with the result.
    async fn press(&self, press: Option<Press>, message: i64, answer_to: &str) -> Result<(), Error> {
        let done = match press {
            Some(Press::Approve(id)) => self.decide(id, Verdict::Approve).await,
            Some(Press::Reject(id)) => self.decide(id, Verdict::Reject).await,
            Some(Press::Done(card)) => self.answer(card, message, Answer::Done).await,
            Some(Press::Snooze(card)) => self.answer(card, message, Answer::Later).await,
            Some(press @ (Press::Link(_) | Press::KeepLink(_))) => {
                linking::answer(self.state, self.chat, press, &self.key).await.map(|(text, _)| text)
            }
            None => Ok("This button is no longer active.".into()),
        };
        let text = match done {
            Ok(text) | Err(Error::Conflict(text) | Error::NotFound(text) | Error::Forbidden(text)) => text,
            Err(error) => return Err(error),
        };
        answer_press(self.state, answer_to, text);
        Ok(())
    }

    async fn decide(&self, id: ApprovalId, verdict: Verdict) -> Result<String, Error> {
        inbox::decide(self.state, &self.caller, id, verdict, DecidedVia::Telegram, None).await?;
        Ok(match verdict {
            Verdict::Approve => "Approved.".into(),
            Verdict::Reject => "Declined.".into(),
        })
    }

    /// Applies a reminder's button to its task. If that fails, the reminder is refreshed.
    async fn answer(&self, card: CardId, message: i64, answer: Answer) -> Result<String, Error> {
        let ctx = &self.state.ctx;
        let mut tx = ctx.write().await?;
        if !self.is_news(&mut tx).await? {
            ctx.commit_at(tx, Commit::Chat).await?;
            return Ok(HEARD.into());
        }
        let number = self.show_anew(&mut tx, card, message).await?;
        let done = match answer {
            Answer::Done => tasks::complete(ctx, &mut tx, By::person(&self.caller), number, None).await.map(|_| None),
            Answer::Later => reminders::put_off(ctx, &mut tx, &self.caller, number).await.map(Some),
        };
        match done {
            Ok(None) => {
                self.make_durable(tx, Commit::Edit).await?;
                Ok("Done.".into())
            }
            Ok(Some(at)) => {
                self.make_durable(tx, Commit::Chat).await?;
                Ok(format!("I will remind you at {}.", when::instant(&at, &ctx.now(), &self.caller.user.zone)))
            }
            Err(error @ (Error::Conflict(_) | Error::NotFound(_))) => {
                self.make_durable(tx, Commit::Chat).await?;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Refreshes a reminder's card, including the pressed message; returns its task.
    async fn show_anew(&self, tx: &mut Tx, card: CardId, message: i64) -> Result<TaskNumber, Error> {
        let user = self.caller.id();
        let gone = || Error::NotFound("This reminder no longer exists.".into());
        let row = store::outbox::get(tx, user, card).await?.ok_or_else(gone)?;
        let Card::Reminder { task } = row.card else { return Err(gone()) };
        // A card sent twice, because an acknowledgement was lost, has a message that is not stored yet.
        store::outbox::add_message(tx, user, card, message).await?;
        store::outbox::refresh(tx, user, card).await?;
        Ok(task)
    }
}

/// Button of a reminder.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Done,
    Later,
}
