//! User choices, compared with their records: tool policy, memory setting and linked Telegram chat. Compares values, not their times. A
//! chat's current conversation is not recorded.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::findings::Findings;
use crate::domain::id::UserId;
use crate::domain::policy::Entry;
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::store::{self, Tx};
use crate::usecases::Error;

/// Tables with one row per user.
const MEMORY: &str = "memory_off";
const CHAT: &str = "telegram_links";

/// Choices of a user as recorded so far, each with its latest record. A default value is null.
#[derive(Debug, Default)]
pub struct Choices(BTreeMap<String, (i64, Kind, Value)>);

/// Policy for everyone as recorded in admins' chains: per rule, the time of the latest change and its records.
#[derive(Debug, Default)]
pub struct Everyones(BTreeMap<String, (String, Vec<ToldBy>)>);

/// User and number of a record, and the rule that it states.
type ToldBy = (UserId, i64, Value);

impl Choices {
    /// Applies a record of the chain.
    pub fn take(&mut self, link: &Link, body: &Value, everyones: &mut Everyones) {
        let Some(kind) = Kind::parse(&link.kind) else { return };
        let (name, chosen) = match (kind, body["event"].as_str().unwrap_or_default()) {
            (Kind::Account, "memory_choice_changed") => {
                (MEMORY.to_owned(), if body["after"] == true { Value::Null } else { Value::Bool(true) })
            }
            (Kind::Account, "telegram_linked") => {
                (CHAT.to_owned(), json!({ "chat": body["chat"], "name": body["name"], "since": body["at"] }))
            }
            (Kind::Account, "telegram_unlinked") => (CHAT.to_owned(), Value::Null),
            (Kind::Policy, "policy_changed") => {
                let name = field(body["asker"].as_str().unwrap_or_default(), body["tool"].as_str().unwrap_or_default());
                let rule = if body["after"] == "run" { Value::Null } else { body["after"].clone() };
                if body["scope"] == "everyone" {
                    everyones.tell(name, link, rule);
                    return;
                }
                (name, rule)
            }
            _ => return,
        };
        self.0.insert(name, (link.seq, kind, chosen));
    }

    /// Compares the rows with the recorded choices.
    pub async fn compare(self, tx: &mut Tx, user: UserId, found: &mut Findings) -> Result<(), Error> {
        let Some(mut rows) = policies(tx, user, found).await? else { return Ok(()) };
        if !store::memories::is_on(tx, user).await? {
            rows.insert(MEMORY.to_owned(), Value::Bool(true));
        }
        if let Some(link) = store::telegram::of_user(tx, user).await? {
            rows.insert(CHAT.to_owned(), json!({ "chat": link.chat, "name": link.name, "since": link.linked_at }));
        }
        for (name, (seq, kind, chosen)) in self.0 {
            if rows.remove(&name).unwrap_or_default() != chosen {
                found.broken(user, seq, kind.as_str(), format!("{name} does not match the record."));
            }
        }
        for name in rows.into_keys() {
            found.broken(user, 1, "", format!("no record mentions {name}."));
        }
        Ok(())
    }
}

impl Everyones {
    fn tell(&mut self, name: String, link: &Link, rule: Value) {
        let (at, last) = self.0.entry(name).or_default();
        if link.at > *at {
            at.clone_from(&link.at);
            last.clear();
        }
        if link.at == *at {
            // If two admins changed a rule at the same time, either may have been last.
            last.retain(|(user, ..)| *user != link.user);
            last.push((link.user, link.seq, rule));
        }
    }

    /// Compares the rows with the recorded policy. Requires that all chains were read and are intact.
    pub async fn compare(self, tx: &mut Tx, found: &mut Findings) -> Result<(), Error> {
        let Some(mut rows) = policies(tx, UserId::SYSTEM, found).await? else { return Ok(()) };
        for (name, (_, last)) in self.0 {
            let row = rows.remove(&name).unwrap_or_default();
            if let Some((user, seq, _)) = last.first()
                && last.iter().all(|(.., rule)| *rule != row)
            {
                let problem = format!("{name} for everyone does not match the record.");
                found.broken(*user, *seq, Kind::Policy.as_str(), problem);
            }
        }
        for name in rows.into_keys() {
            found.broken(UserId::SYSTEM, 0, "", format!("no record mentions {name} for everyone."));
        }
        Ok(())
    }
}

/// Returns the rules that differ from the default; `None` after reporting an unreadable row.
async fn policies(tx: &mut Tx, user: UserId, found: &mut Findings) -> Result<Option<BTreeMap<String, Value>>, Error> {
    match store::policies::list(tx, user).await {
        Ok(entries) => {
            let rule = |entry: &Entry| Value::from(entry.rule.as_str());
            let row = |entry: &Entry| (field(entry.asker.as_str(), entry.tool.as_str()), rule(entry));
            Ok(Some(entries.iter().map(row).collect()))
        }
        Err(store::Error::Corrupt(_)) => {
            found.broken(user, 1, "", "a row in policies cannot be read.");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn field(asker: &str, tool: &str) -> String {
    format!("policies ({asker}.{tool})")
}
