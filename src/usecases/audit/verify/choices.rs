//! What people chose, as their records tell it: the tool policy, whether things are remembered, and whose chat on Telegram is
//! whose. Compared is what holds, not since when; a chat's conversation at the moment is nobody's choice and in no record.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::findings::Findings;
use crate::domain::id::UserId;
use crate::domain::policy::Entry;
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::store::{self, Tx};
use crate::usecases::Error;

/// The tables of single rows.
const MEMORY: &str = "memory_off";
const CHAT: &str = "telegram_links";

/// What a chain has told so far of its owner's choices, each with the record that told it last. What is the usual is null.
#[derive(Debug, Default)]
pub struct Choices(BTreeMap<String, (i64, Kind, Value)>);

/// What the chains of admins have told of the policy for everyone: when that was last, by whose records, and what these say.
#[derive(Debug, Default)]
pub struct Everyones(BTreeMap<String, (String, Vec<ToldBy>)>);

/// Whose chain told it, in which record, and what.
type ToldBy = (UserId, i64, Value);

impl Choices {
    /// Takes a record of the chain.
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

    /// Compares the rows with what was told.
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
                found.broken(user, seq, kind.as_str(), format!("{name} is not what was recorded."));
            }
        }
        for name in rows.into_keys() {
            found.broken(user, 1, "", format!("no record tells of {name}."));
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
            // Of two admins at the same moment nobody knows whose came last.
            last.retain(|(user, ..)| *user != link.user);
            last.push((link.user, link.seq, rule));
        }
    }

    /// Compares the rows with what was told, once all chains were read and found whole.
    pub async fn compare(self, tx: &mut Tx, found: &mut Findings) -> Result<(), Error> {
        let Some(mut rows) = policies(tx, UserId::SYSTEM, found).await? else { return Ok(()) };
        for (name, (_, last)) in self.0 {
            let row = rows.remove(&name).unwrap_or_default();
            if let Some((user, seq, _)) = last.first()
                && last.iter().all(|(.., rule)| *rule != row)
            {
                let problem = format!("{name} for everyone is not what was recorded.");
                found.broken(*user, *seq, Kind::Policy.as_str(), problem);
            }
        }
        for name in rows.into_keys() {
            found.broken(UserId::SYSTEM, 0, "", format!("no record tells of {name} for everyone."));
        }
        Ok(())
    }
}

/// The rules that are not the usual; `None` where they cannot be read, which is then noted.
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
