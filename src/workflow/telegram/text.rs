//! Texts and captions in a chat, and messages about unsupported content.

use crate::channels::telegram::Text;
use crate::domain::channel::{Card, ChatId};
use crate::domain::consent;
use crate::domain::text::ClientKey;
use crate::state::AppState;
use crate::usecases::{Commit, Error};

use super::reply_target::{self, Named};
use super::{Heard, put};

const NO_GROUPS: &str = "I work in private chats only. Create a new code in Docket's settings and send it to me in a \
     private chat, because everyone here has seen this one.";
const ONLY_CAPTION: &str = "I read only the caption. The file itself is not stored.";
const NOT_YOUR_WORDS: &str = "This message was forwarded, quoted or not written by you, so it does not count as an \
     answer. Please write your answer yourself, or press a button.";

/// Replies to a group that a code belongs elsewhere. A group has no outbox: the reply is sent once, or not at all.
pub fn refuse_group(state: &AppState, chat: ChatId) {
    let Some(bot) = state.telegram.clone() else { return };
    tokio::spawn(async move {
        if let Err(error) = bot.send_if_idle(chat, NO_GROUPS).await {
            tracing::debug!(%error, "a group was not answered");
        }
    });
}

impl Heard<'_> {
    /// Processes a text or a caption. Text that the sender did not write answers no question.
    pub async fn write(&self, said: &Text, bot: &str) -> Result<(), Error> {
        if !said.is_own && consent::answer(&said.text).is_some() {
            return self.tell(NOT_YOUR_WORDS).await;
        }
        if let Some(file) = &said.file {
            self.tell_once(ONLY_CAPTION, file.album.as_deref(), bot).await?;
        }
        match self.named(said).await? {
            Named::Unchanged => self.say(said, false).await,
            Named::Text(text) => self.say(&Text { text, ..said.clone() }, true).await,
            Named::Unclear => self.tell(reply_target::UNCLEAR).await,
        }
    }

    /// Sends a message once per album.
    pub async fn tell_once(&self, text: &str, album: Option<&str>, bot: &str) -> Result<(), Error> {
        let key =
            album.map(|album| ClientKey::of_server("telegram album", format_args!("{bot} {} {album}", self.chat.0)));
        let mut tx = self.state.ctx.write().await?;
        let card = Card::Said { text: text.into() };
        put(self.state, &mut tx, &self.caller, self.chat, &card, Some(key.as_ref().unwrap_or(&self.key))).await?;
        self.make_durable(tx, Commit::Chat).await
    }
}
