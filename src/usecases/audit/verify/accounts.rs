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
    /// Applies a record of the chain. Reports one that contradicts the records before it: an account or a token begins with the record
    /// that creates it.
    pub fn take(&mut self, link: &Link, body: &Value, found: &mut Findings) {
        if let Some(problem) = self.problem(link, body) {
            found.broken(link.user, link.seq, &link.kind, problem);
        }
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

    /// Returns what a record of an account or a token contradicts.
    fn problem(&self, link: &Link, body: &Value) -> Option<&'static str> {
        let (event, kind) = (body["event"].as_str().unwrap_or_default(), Kind::parse(&link.kind));
        let known = &self.account.fields;
        match (kind, event) {
            (Some(Kind::Token), "revoked") => match self.tokens.get(body["token_id"].as_str().unwrap_or_default()) {
                None => Some("no record before it creates the token."),
                Some(token) => token.fields.contains_key("revoked_at").then_some("the token was revoked already."),
            },
            (Some(Kind::Account), "disabled" | "enabled" | "role_changed") if self.account.seq == 0 => {
                Some("no record before it creates the account.")
            }
            (Some(Kind::Account), "disabled") if known.get("disabled") == Some(&Value::Bool(true)) => {
                Some("the account was disabled already.")
            }
            (Some(Kind::Account), "enabled") if known.get("disabled") == Some(&Value::Bool(false)) => {
                Some("the account was enabled already.")
            }
            (Some(Kind::Account), "role_changed") if known.get("role") != Some(&body["before"]) => {
                Some("the account had another role before it.")
            }
            _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_that_contradicts_those_before_it_is_found() {
        let (user, token) = (UserId::new(), "018f0000-0000-7000-8000-000000000000");
        let created = json!({ "event": "created", "name": "ada", "role": "member" });
        let is_found = |kind: Kind, bodies: &[Value]| {
            let (mut accounts, mut found) = (Accounts::default(), Findings::default());
            for (body, seq) in bodies.iter().zip(1..) {
                let (kind, none) = (kind.as_str().to_owned(), Vec::new);
                let (digest, previous, hash, at) = (none(), none(), none(), String::new());
                let link =
                    Link { user, seq, kind, at, digest, previous, hash, body: None, erased_by: None, said: None };
                accounts.take(&link, body, &mut found);
            }
            !found.is_whole()
        };
        let role = |before: &str, after: &str| json!({ "event": "role_changed", "before": before, "after": after });
        let (disabled, enabled) = (json!({ "event": "disabled" }), json!({ "event": "enabled" }));
        let revoked = json!({ "event": "revoked", "token_id": token, "at": "2026-03-11T09:30:00Z" });
        for (kind, bodies, expected) in [
            (Kind::Account, vec![created.clone(), role("member", "admin"), disabled.clone(), enabled.clone()], false),
            (Kind::Account, vec![created.clone(), role("admin", "member")], true),
            (Kind::Account, vec![created.clone(), enabled], true),
            (Kind::Account, vec![created, disabled.clone(), disabled.clone()], true),
            (Kind::Account, vec![disabled], true),
            (Kind::Token, vec![json!({ "event": "created", "token_id": token }), revoked.clone()], false),
            (
                Kind::Token,
                vec![json!({ "event": "created", "token_id": token }), revoked.clone(), revoked.clone()],
                true,
            ),
            (Kind::Token, vec![revoked], true),
        ] {
            assert_eq!(is_found(kind, &bodies), expected, "{bodies:?}");
        }
    }
}
