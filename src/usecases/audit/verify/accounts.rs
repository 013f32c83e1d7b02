//! Accounts and tokens, compared with their records. A difference means that a row was changed by hand. Not recorded, so not compared:
//! password and token hashes, sessions, links, codes and last-seen times.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::findings::Findings;
use crate::domain::id::UserId;
use crate::domain::user::TokenKind;
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::store::{self, Tx};
use crate::usecases::Error;

/// State of a user's account and tokens as recorded so far, each with the number of its latest record.
#[derive(Debug, Default)]
pub struct Accounts {
    account: Told,
    tokens: BTreeMap<String, Told>,
}

#[derive(Debug, Default)]
struct Told {
    seq: i64,
    fields: Map<String, Value>,
}

impl Told {
    fn tell(&mut self, seq: i64, fields: &[(&str, &Value)]) {
        self.seq = seq;
        let told = fields.iter().filter(|(_, value)| !value.is_null());
        self.fields.extend(told.map(|(name, value)| ((*name).to_owned(), (*value).clone())));
    }

    /// Returns the first field that differs in the row.
    fn differs<'a>(&'a self, row: &Value) -> Option<&'a str> {
        self.fields.iter().find(|(name, value)| row[name.as_str()] != **value).map(|(name, _)| name.as_str())
    }
}

impl Accounts {
    pub fn take(&mut self, link: &Link, body: &Value) {
        let (event, seq) = (body["event"].as_str().unwrap_or_default(), link.seq);
        match Kind::parse(&link.kind) {
            Some(Kind::Account) => {
                let (yes, no) = (Value::Bool(true), Value::Bool(false));
                match event {
                    "created" => self.account.tell(
                        seq,
                        &[
                            ("name", &body["name"]),
                            ("role", &body["role"]),
                            ("zone", &body["zone"]),
                            ("created_at", &body["at"]),
                            ("disabled", &no),
                            ("uses_model", &yes),
                        ],
                    ),
                    "disabled" => self.account.tell(seq, &[("disabled", &yes)]),
                    "enabled" => self.account.tell(seq, &[("disabled", &no)]),
                    "role_changed" => self.account.tell(seq, &[("role", &body["after"])]),
                    "zone_changed" => self.account.tell(seq, &[("zone", &body["after"])]),
                    "model_choice_changed" => self.account.tell(seq, &[("uses_model", &body["after"])]),
                    _ => {}
                }
            }
            Some(Kind::Token) => {
                let told = self.tokens.entry(body["token_id"].as_str().unwrap_or_default().to_owned()).or_default();
                match event {
                    "created" => told.tell(
                        seq,
                        &[
                            ("label", &body["label"]),
                            // Older records have no kind: every token was personal.
                            ("kind", body.get("kind").unwrap_or(&json!(TokenKind::Personal))),
                            ("scopes", &body["scopes"]),
                            ("budget", &body["budget"]),
                            ("created_at", &body["at"]),
                        ],
                    ),
                    "revoked" => told.tell(seq, &[("revoked_at", &body["at"])]),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Compares the rows with the recorded state.
    pub async fn compare(mut self, tx: &mut Tx, user: UserId, found: &mut Findings) -> Result<(), Error> {
        let account = match store::users::get(tx, user).await {
            Ok(account) => account,
            Err(store::Error::Corrupt(_)) => {
                found.broken(user, self.account.seq.max(1), Kind::Account.as_str(), "its row in users cannot be read.");
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let kind = Kind::Account.as_str();
        match account {
            None if self.account.seq > 0 => found.broken(user, self.account.seq, kind, "its row in users is missing."),
            Some(_) if self.account.seq == 0 => found.broken(user, 1, "", "no record mentions the account."),
            Some(account) => {
                if let Some(field) = self.account.differs(&json!(account)) {
                    let problem = format!("users.{field} does not match the record.");
                    found.broken(user, self.account.seq, kind, problem);
                }
            }
            None => {}
        }
        self.tokens(tx, user, found).await
    }

    async fn tokens(&mut self, tx: &mut Tx, user: UserId, found: &mut Findings) -> Result<(), Error> {
        let kind = Kind::Token.as_str();
        let rows = match store::tokens::list(tx, user).await {
            Ok(rows) => rows,
            Err(store::Error::Corrupt(_)) => {
                let first = self.tokens.values().map(|told| told.seq).min().unwrap_or(1);
                found.broken(user, first, kind, "a row in tokens cannot be read.");
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        for row in rows {
            match self.tokens.remove(&row.token_id.to_string()) {
                None => found.broken(user, 1, "", format!("no record mentions token {}.", row.token_id)),
                Some(told) => {
                    let row = json!(row);
                    if !told.fields.contains_key("revoked_at") && !row["revoked_at"].is_null() {
                        found.broken(user, told.seq, kind, "tokens.revoked_at does not match the record.");
                    }
                    if let Some(field) = told.differs(&row) {
                        found.broken(user, told.seq, kind, format!("tokens.{field} does not match the record."));
                    }
                }
            }
        }
        for told in self.tokens.values() {
            found.broken(user, told.seq, kind, "its row in tokens is missing.");
        }
        Ok(())
    }
}
