//! What people do in their chats on Telegram, taken in: durable when [`receive`] returns, and once however often it is told.

use crate::channels::telegram::{Text, Unreadable, Update, What};
use crate::domain::approval::{DecidedVia, Verdict};
use crate::domain::channel::{Card, ChatId, Press};
use crate::domain::id::{ApprovalId, CardId, ConversationId, TaskNumber};
use crate::domain::load::Dropped;
use crate::domain::text::ClientKey;
use crate::domain::user::Caller;
use crate::domain::when;
use crate::state::AppState;
use crate::store::outbox::NewCard;
use crate::store::{self, Tx};
use crate::usecases::{By, Commit, Error, tasks, telegram, undo};

use super::inbox::{self, Incoming, Way};
use super::reminders;

/// Codes, and answers to what they ask.
mod linking;

/// How many turns back one looks for what can be undone.
const LOOK_BACK: i64 = 20;

const HELP: &str = "Write to me as you would in the browser: “add buy milk tomorrow 5pm”, “what's due today”, “done with 3”.\n\
                    /tasks shows what is open, /undo takes back what I did last, /stop ends what I am at, /new begins another \
                    conversation, /unlink parts this chat from your account.";
/// The one thing that is said to a chat after it was parted from its account.
pub(super) const UNLINKED: &str = "This chat is no longer linked. To link one again, make a code in Docket's settings.";
const ONLY_TEXT: &str = "I can read only text so far. Please write it in words.";
const NOTHING_RUNS: &str = "I am not at anything just now.";
const NOTHING_TO_UNDO: &str = "There is nothing in this conversation that I could take back.";
const HEARD: &str = "I have heard that already.";
const FRESH: &str = "We begin afresh. What can I do?";

/// A person who is let in, and what they did.
struct Heard<'a> {
    state: &'a AppState,
    caller: Caller,
    chat: ChatId,
    conversation: Option<ConversationId>,
    /// The same when it is told again.
    key: ClientKey,
    /// Telegram's own time of what they did, in seconds since 1970.
    date: i64,
}

/// Takes in one update. Who is not linked, or not let in any more, is only counted and hears nothing.
///
/// # Errors
/// Those of the database: then nothing was taken in, and Telegram is to tell it again.
pub async fn receive(state: &AppState, update: Update) -> Result<(), Error> {
    let bot = state.telegram.as_ref().map_or("", |bot| bot.id());
    let key = ClientKey::of_server("telegram", format_args!("{bot} {}", update.id));
    let Some((caller, conversation)) = telegram::caller_of_chat(&state.ctx, update.chat).await? else {
        return stranger(state, &update, &key).await;
    };
    let heard = Heard { state, caller, chat: update.chat, conversation, key, date: update.date };
    match &update.what {
        What::Text(said) if said.is_own && said.text.starts_with('/') => heard.command(&said.text, &update).await,
        What::Text(said) => heard.say(said).await,
        What::Press { press, message, answer_to } => heard.press(*press, *message, answer_to).await,
        What::Other => heard.tell(ONLY_TEXT).await,
    }
}

/// Counts an update that cannot be read: telling it again would not help.
///
/// # Errors
/// Those of the database, which has it told again.
pub async fn give_up(state: &AppState, unreadable: Unreadable) -> Result<(), Error> {
    tracing::warn!(%unreadable, "an update from Telegram is passed over");
    telegram::count(&state.ctx, Dropped::Malformed).await
}

/// Somebody who is not linked: the code of an account links them, a question that was asked before the chat was unlinked is
/// answered, and all else is counted.
async fn stranger(state: &AppState, update: &Update, key: &ClientKey) -> Result<(), Error> {
    let done = match &update.what {
        What::Text(said) => match said.text.strip_prefix("/start ").map(str::trim).filter(|code| !code.is_empty()) {
            Some(code) if said.is_own => linking::link(state, update, code, key).await?,
            _ => false,
        },
        What::Press { press: Some(press), answer_to, .. } if press.decides_link() => {
            linking::answer_of_stranger(state, update.chat, *press, key, answer_to).await?
        }
        What::Press { .. } | What::Other => false,
    };
    if done { Ok(()) } else { telegram::count(&state.ctx, Dropped::Stranger).await }
}

/// Puts a card at the end of the person's queue; `false` where its key brought one already.
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

/// Ends the waiting of whoever pressed a button, with a line. Nothing rests on it, and it is too late for it soon: so it is not stored.
fn answer_press(state: &AppState, answer_to: &str, text: String) {
    let (Some(bot), answer_to) = (state.telegram.clone(), answer_to.to_owned()) else { return };
    tokio::spawn(async move {
        if let Err(error) = bot.answer(&answer_to, Some(&text)).await {
            tracing::debug!(%error, "whoever pressed a button was not answered");
        }
    });
}

impl Heard<'_> {
    async fn command(&self, text: &str, update: &Update) -> Result<(), Error> {
        let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // In front of an @ and the bot's name.
        match command.split('@').next().unwrap_or_default() {
            "/start" if !rest.trim().is_empty() => {
                match linking::link(self.state, update, rest.trim(), &self.key).await? {
                    true => Ok(()),
                    false => self.tell(HELP).await,
                }
            }
            "/tasks" => self.show(&Card::Tasks).await,
            "/undo" => self.undo().await,
            "/stop" => self.stop().await,
            "/new" => self.begin_afresh().await,
            "/unlink" => self.unlink().await,
            _ => self.tell(HELP).await,
        }
    }

    /// A message like any other, whose turn has a card.
    async fn say(&self, said: &Text) -> Result<(), Error> {
        let incoming = Incoming { text: said.text.clone(), conversation: None, client_key: Some(self.key.clone()) };
        let way = Way {
            chat: Some(self.chat),
            written_at: Some(self.date),
            is_foreign: !said.is_own,
            answers: said.answers,
            ..Way::default()
        };
        match inbox::accept_in_chat(self.state, &self.caller, incoming, way).await {
            Ok(_) => Ok(()),
            Err(Error::Invalid(why)) => self.tell(&why.0).await,
            // Parted this very moment: a stranger's chat by now.
            Err(Error::Forbidden(_)) => telegram::count(&self.state.ctx, Dropped::Stranger).await,
            // Far over the limit: the refusals before it said so.
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

    /// Whether this is heard for the first time, in the transaction of what it does. It waits for whoever hears it at the same moment.
    async fn is_news(&self, tx: &mut Tx) -> Result<bool, Error> {
        store::tasks::lock(tx, self.caller.id()).await?;
        self.put(tx, &Card::Heard).await
    }

    async fn make_durable(&self, tx: Tx, at: Commit) -> Result<(), Error> {
        self.state.ctx.commit_at(tx, at).await?;
        self.state.ctx.live.wake_senders();
        Ok(())
    }

    /// Takes back the last turn of the conversation of which something stands.
    async fn undo(&self) -> Result<(), Error> {
        let (ctx, user) = (&self.state.ctx, self.caller.id());
        let mut tx = ctx.write().await?;
        store::tasks::lock(&mut tx, user).await?;
        if store::outbox::has_key(&mut tx, user, &self.key).await? {
            return Ok(());
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
                let text = format!("Undone: what I did last, to {}.", numbers.join(", "));
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

    /// Ends what is under way in the conversation; its own card says what came of it.
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
            // Turns before their owner's head, as those who run them write: else each could wait for the other.
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
        // First, as for every message: one that is being taken in would else set its conversation again.
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
            return Ok(());
        }
        telegram::unlink(&self.state.ctx, &mut tx, &self.caller).await?;
        self.put(&mut tx, &Card::Said { text: UNLINKED.into() }).await?;
        self.make_durable(tx, Commit::Chat).await
    }

    /// Does what the button says; whoever pressed it hears what came of it, if they still wait.
    async fn press(&self, press: Option<Press>, message: i64, answer_to: &str) -> Result<(), Error> {
        let done = match press {
            Some(Press::Approve(id)) => self.decide(id, Verdict::Approve).await,
            Some(Press::Reject(id)) => self.decide(id, Verdict::Reject).await,
            Some(Press::Done(card)) => self.answer(card, message, Answer::Done).await,
            Some(Press::Snooze(card)) => self.answer(card, message, Answer::Later).await,
            Some(press @ (Press::Link(_) | Press::KeepLink(_))) => {
                linking::answer(self.state, self.chat, press, &self.key).await.map(|(text, _)| text)
            }
            None => Ok("This button does nothing any more.".into()),
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

    /// Does with the task of a reminder what its button says. Where that was not to be done any more, the reminder is shown as it is now.
    async fn answer(&self, card: CardId, message: i64, answer: Answer) -> Result<String, Error> {
        let ctx = &self.state.ctx;
        let mut tx = ctx.write().await?;
        if !self.is_news(&mut tx).await? {
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
                Ok(format!("I remind you at {}.", when::instant(&at, &ctx.now(), &self.caller.user.zone)))
            }
            Err(error @ (Error::Conflict(_) | Error::NotFound(_))) => {
                self.make_durable(tx, Commit::Chat).await?;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Has the card of a reminder shown anew, in the pressed message as well; its task.
    async fn show_anew(&self, tx: &mut Tx, card: CardId, message: i64) -> Result<TaskNumber, Error> {
        let user = self.caller.id();
        let gone = || Error::NotFound("This reminder is gone.".into());
        let row = store::outbox::get(tx, user, card).await?.ok_or_else(gone)?;
        let Card::Reminder { task } = row.card else { return Err(gone()) };
        // Where its sending was not answered, it was sent once more, and this message is not known.
        store::outbox::add_message(tx, user, card, message).await?;
        store::outbox::refresh(tx, user, card).await?;
        Ok(task)
    }
}

/// What a button of a reminder says.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Done,
    Later,
}
