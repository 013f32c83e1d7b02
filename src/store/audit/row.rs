//! A row of the audit log as the database returns it.

use sqlx::FromRow;

use super::Row;
use crate::domain::credential::Credential;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome};
use crate::domain::id::{ConversationId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn::Cause;
use crate::store::credentials::Starter;
use crate::store::{Error, messages};

#[derive(FromRow)]
pub(super) struct Raw {
    turn_id: TurnId,
    user_id: UserId,
    kind: String,
    outcome: String,
    engine: String,
    engine_cause: Option<String>,
    duration_ms: i64,
    at: Timestamp,
    name: String,
    conversation_id: ConversationId,
    cause: String,
    texts: Option<String>,
    message: Option<String>,
    #[sqlx(flatten)]
    starter: Starter,
    token_name: Option<String>,
    device: Option<String>,
}

impl Raw {
    /// Adds names to the credential. For an ended session the device comes from the message.
    fn by(&self, starter: Option<Credential>) -> Option<Credential> {
        let said = self.message.as_deref().and_then(messages::by).and_then(|by| by.device);
        let device = said.or_else(|| self.device.clone()).filter(|device| !device.is_empty());
        starter.map(|starter| Credential { token: self.token_name.clone(), device, ..starter })
    }
}

impl TryFrom<Raw> for Row {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self, Error> {
        let corrupt = |what: &str| Error::Corrupt(format!("a decision with a bad {what}"));
        let by = raw.by(raw.starter.read()?);
        let texts = raw.texts.as_deref().map(serde_json::from_str).transpose();
        Ok(Self {
            turn_id: raw.turn_id,
            user: raw.user_id,
            user_name: raw.name,
            conversation_id: raw.conversation_id,
            cause: Cause::parse(&raw.cause).ok_or_else(|| corrupt("cause"))?,
            by,
            decision: Decision {
                kind: DecisionKind::parse(&raw.kind).ok_or_else(|| corrupt("kind"))?,
                outcome: Outcome::parse(&raw.outcome).ok_or_else(|| corrupt("outcome"))?,
            },
            engine: Engine::parse(&raw.engine).ok_or_else(|| corrupt("engine"))?,
            engine_cause: raw.engine_cause,
            duration_ms: raw.duration_ms,
            at: raw.at,
            texts: texts.map_err(|_| corrupt("body"))?,
            message: raw.message.as_deref().map(messages::text).transpose()?,
        })
    }
}
