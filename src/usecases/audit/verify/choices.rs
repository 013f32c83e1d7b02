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

/// Policy for everyone as recorded in admins' chains: the changes of each rule.
#[derive(Debug, Default)]
pub struct Everyones(BTreeMap<String, Vec<RuleChange>>);

/// A change of a rule for everyone.
#[derive(Debug)]
struct RuleChange {
    at: String,
    user: UserId,
    seq: i64,
    before: Value,
    after: Value,
}

impl Choices {
    /// Applies a record of the chain. A choice begins with the value that the records before it state.
    pub fn take(&mut self, link: &Link, body: &Value, found: &mut Findings) {
        let Some(kind) = Kind::parse(&link.kind) else { return };
        let (name, before, chosen) = match (kind, body["event"].as_str().unwrap_or_default()) {
            (Kind::Account, "memory_choice_changed") => {
                let value = |on: &Value| if *on == true { Value::Null } else { Value::Bool(true) };
                (MEMORY.to_owned(), Some(value(&body["before"])), value(&body["after"]))
            }
            (Kind::Account, "telegram_linked") => {
                (CHAT.to_owned(), None, json!({ "chat": body["chat"], "name": body["name"], "since": body["at"] }))
            }
            (Kind::Account, "telegram_unlinked") => {
                if self.0.get(CHAT).is_none_or(|(.., chat)| chat.is_null()) {
                    found.broken(link.user, link.seq, &link.kind, "no record before it links a chat.");
                }
                (CHAT.to_owned(), None, Value::Null)
            }
            (Kind::Policy, "policy_changed") => {
                let name = field(body["asker"].as_str().unwrap_or_default(), body["tool"].as_str().unwrap_or_default());
                let rule = |rule: &Value| if rule == "run" { Value::Null } else { rule.clone() };
                let (before, after) = (rule(&body["before"]), rule(&body["after"]));
                if body["scope"] == "everyone" {
                    let (at, user, seq) = (link.at.clone(), link.user, link.seq);
                    found.everyones.0.entry(name).or_default().push(RuleChange { at, user, seq, before, after });
                    return;
                }
                (name, Some(before), after)
            }
            _ => return,
        };
        let known = self.0.get(&name).map_or(&Value::Null, |(.., known)| known);
        if before.is_some_and(|before| before != *known) {
            found.broken(link.user, link.seq, &link.kind, format!("{name} had another value before it."));
        }
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
    /// Compares the rows with the recorded policy. Requires that all chains were read and are intact.
    pub async fn compare(self, tx: &mut Tx, found: &mut Findings) -> Result<(), Error> {
        let Some(mut rows) = policies(tx, UserId::SYSTEM, found).await? else { return Ok(()) };
        for (name, changes) in self.0 {
            let recorded = |value: &Value| value.is_null() || changes.iter().any(|other| other.after == *value);
            if let Some(change) = changes.iter().find(|change| !recorded(&change.before)) {
                let problem = format!("{name} for everyone had another value before it.");
                found.broken(change.user, change.seq, Kind::Policy.as_str(), problem);
            }
            let row = rows.remove(&name).unwrap_or_default();
            // Two admins who changed the rule at the same moment may state the same value before: then either was last.
            let newest = || changes.chunk_by(|one, other| one.user == other.user).filter_map(<[_]>::last);
            let left: Vec<_> = match end(&changes) {
                Some(end) => vec![end],
                None => newest().map(|change| change.after.clone()).collect(),
            };
            if let Some(last) = newest().max_by(|one, other| one.at.cmp(&other.at)).filter(|_| !left.contains(&row)) {
                let problem = format!("{name} for everyone does not match the record.");
                found.broken(last.user, last.seq, Kind::Policy.as_str(), problem);
            }
        }
        for name in rows.into_keys() {
            found.broken(UserId::SYSTEM, 0, "", format!("no record mentions {name} for everyone."));
        }
        Ok(())
    }
}

/// Returns the value that the changes end with: begun with the default, each goes from the value before it to the one after it.
/// Their order follows from that and needs no clock. `None` if they form no such sequence.
fn end(changes: &[RuleChange]) -> Option<Value> {
    let mut arrivals = BTreeMap::from([("null".to_owned(), (1, Value::Null))]);
    for RuleChange { before, after, .. } in changes {
        arrivals.entry(before.to_string()).or_insert((0, before.clone())).0 -= 1;
        arrivals.entry(after.to_string()).or_insert((0, after.clone())).0 += 1;
    }
    let mut unbalanced = arrivals.into_values().filter(|(count, _)| *count != 0);
    unbalanced.next().filter(|(count, _)| *count == 1 && unbalanced.next().is_none()).map(|(_, end)| end)
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
