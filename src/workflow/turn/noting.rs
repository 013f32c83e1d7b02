//! Requests to remember a fact: the memory, its record and the reply are stored in one transaction, without an engine.

use serde_json::json;

use super::Run;
use crate::domain::conversation::Speaker;
use crate::domain::id::MemoryId;
use crate::domain::memory::Memory;
use crate::memory::{facts, recall, words};
use crate::store::memories::{self, Traits};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};
use crate::workflow::commit_turn::TurnReply;
use crate::workflow::{Error, reply};

/// Number of newest messages searched for the turn's own.
const NEWEST: i64 = 20;

impl Run<'_> {
    /// Stores the fact that the message asks to remember; `None` for other messages, and for texts that the sender did not write: options
    /// and forwarded messages (R-1102).
    pub(super) async fn note(&mut self) -> Result<Option<(Tx, TurnReply)>, Error> {
        let Some(fact) = facts::asked(&self.message(), &self.context.now, &self.context.zone) else { return Ok(None) };
        let user = self.caller.id();
        let mut tx = self.begin().await?;
        if store::consent::view(&mut tx, user, self.turn.id).await?.option {
            return Ok(None);
        }
        if !self.state.config.memory {
            let text =
                "Memory is disabled on this server, so I saved nothing. Its operator can enable it with DOCKET_MEMORY.";
            return Ok(Some((tx, reply::noted(text.into()))));
        }
        if !memories::is_on(&mut tx, user).await? {
            let text =
                "Memory is off, so I saved nothing. Turn memory on in Settings (/settings/memory), then tell me again.";
            return Ok(Some((tx, reply::noted(text.into()))));
        }
        if memories::has(&mut tx, user, &fact).await? {
            let text =
                format!("I already remember that: “{fact}”. You can see it on the Memory page (/settings/memory).");
            return Ok(Some((tx, reply::noted(text))));
        }
        let talk = self.turn.conversation;
        let said = store::conversations::messages(&mut tx, user, talk, None, NEWEST).await?;
        let own = said.into_iter().find(|said| said.turn_id == self.turn.id && said.speaker == Speaker::User);
        let Some(own) = own else { return Ok(None) };
        let at = self.state.ctx.now();
        let memory = Memory {
            memory_id: MemoryId::new(),
            text: fact.clone(),
            conversation_id: talk,
            first_record: own.seq,
            last_record: own.seq,
            created_at: at.clone(),
        };
        let terms = recall::written(&words::terms(&fact));
        // Embedded later, together with memories of other embedders.
        let traits = Traits { terms, embedder: String::new(), vector: vec![] };
        memories::insert(&mut tx, user, &memory, &traits).await?;
        let body = json!({ "event": "memory_noted", "memory_id": memory.memory_id, "at": at });
        records::append(&mut tx, user, Kind::Account, &at, &body).await?;
        let text = format!("I will remember: “{fact}”. You can delete it on the Memory page (/settings/memory).");
        Ok(Some((tx, reply::noted(text))))
    }
}
