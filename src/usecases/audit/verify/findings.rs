//! Findings of a verification: the first broken record of each chain, and state that is compared once all chains are read.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::choices::Everyones;
use crate::domain::audit::Broken;
use crate::domain::id::{TaskNumber, UserId};
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::store::{self, Tx};
use crate::usecases::{Error, superseded};

/// Findings so far. Memory grows with users and with tasks whose last change is erased, not with records.
#[derive(Debug, Default)]
pub struct Findings {
    pub records: u64,
    pub chains: u64,
    /// Recorded policy for everyone.
    pub everyones: Everyones,
    /// Number of erased texts.
    pub erased: u64,
    /// Number of records that an amendment covers.
    pub amended: u64,
    first: BTreeMap<UserId, (i64, String, String)>,
    /// The first checkpoint with a problem: its number and the problem.
    checkpoint: Option<(i64, String)>,
    /// Number of rows that each user's records of a kind require.
    rows: HashMap<(UserId, &'static str), i64>,
    /// Expiry of extended approvals, by id as text.
    extended: HashMap<String, Value>,
    /// Superseded verdicts, with the number of the verdict that superseded each.
    replaced: HashMap<(UserId, i64), i64>,
    /// Last verdicts that superseded others without naming them.
    unnamed: Vec<(UserId, i64)>,
    /// Approvals of last verdicts, according to erasures and amendments.
    approvals: HashMap<(UserId, i64), Value>,
    /// Tasks that were compared with a record in place of an erased change.
    standing: HashSet<(UserId, TaskNumber)>,
}

impl Findings {
    /// Reports a broken record; only the first of each chain is kept. `problem` continues the text `record 7 (message): `.
    pub fn broken(&mut self, user: UserId, seq: i64, kind: &str, problem: impl Into<String>) {
        let known = self.first.get(&user);
        if known.is_none_or(|(first, _, _)| seq < *first) {
            self.first.insert(user, (seq, kind.to_owned(), problem.into()));
        }
    }

    /// Reports a problem with the checkpoint of that number, or with all for 0; only the first is kept.
    pub fn checkpoint(&mut self, number: i64, problem: impl Into<String>) {
        if self.checkpoint.as_ref().is_none_or(|(first, _)| number < *first) {
            self.checkpoint = Some((number, problem.into()));
        }
    }

    /// Reports that a chain ends at record `last`, although a checkpoint signed it up to `seq`.
    pub fn cut(&mut self, user: UserId, seq: i64, number: i64, last: i64) {
        self.broken(
            user,
            last + 1,
            "",
            format!("the record is missing: checkpoint {number} signed the chain up to record {seq}."),
        );
    }

    /// Reports that record `seq` is not the one that a checkpoint signed. `met` is the last matching signed record before it, or 0.
    pub fn rewritten(&mut self, user: UserId, seq: i64, kind: &str, number: i64, met: i64) {
        let since = if met == 0 { "from the beginning".to_owned() } else { format!("after record {met}") };
        let problem = format!("it is not the record that checkpoint {number} signed: the chain was rewritten {since}.");
        self.broken(user, seq, kind, problem);
    }

    /// Returns true if a record of the chain is broken. Consequences of that need no finding.
    pub fn is_broken(&self, user: UserId) -> bool {
        self.first.contains_key(&user)
    }

    pub fn is_whole(&self) -> bool {
        self.first.is_empty()
    }

    /// Counts a row that a record of this kind requires; -1 counts a row that was found.
    pub fn count(&mut self, user: UserId, kind: &str, change: i64) {
        if let Some(kind) = Kind::parse(kind) {
            *self.rows.entry((user, kind.as_str())).or_default() += change;
        }
    }

    /// Returns the number of rows of the kind that each user lacks, negative for excess rows.
    pub fn balances(&self, kind: Kind) -> Vec<(UserId, i64)> {
        let of_kind = self.rows.iter().filter(|((_, of), _)| *of == kind.as_str());
        of_kind.map(|((user, _), count)| (*user, *count)).collect()
    }

    /// Stores statements about a row that another record covers.
    pub fn expect_later(&mut self, link: &Link, body: &Value) {
        if link.kind == Kind::ApprovalExtension.as_str()
            && let Some(id) = body["approval_id"].as_str()
        {
            self.extended.insert(id.to_owned(), body["expires_at"].clone());
        }
        if link.kind == Kind::ApprovalVerdict.as_str() {
            self.expect_last(link, body);
        }
    }

    /// Counts only the last verdict of an approval: earlier ones have no row.
    fn expect_last(&mut self, link: &Link, body: &Value) {
        if let Some(earlier) = body["replaces"].as_i64() {
            self.supersede(link.user, earlier, link.seq, None);
        } else if superseded::is_unnamed(body) {
            self.unnamed.push((link.user, link.seq));
        }
    }

    /// Marks verdict `seq` as superseded by verdict `by`, so that it requires no row. `approval` is the approval of both, if only an
    /// erasure or an amendment states that.
    pub fn supersede(&mut self, user: UserId, seq: i64, by: i64, approval: Option<&Value>) {
        let kind = Kind::ApprovalVerdict.as_str();
        if self.replaced.insert((user, seq), by).is_none() {
            self.count(user, kind, -1);
        }
        if let Some(id) = approval
            && self.approvals.insert((user, by), id.clone()).is_some_and(|known| known != *id)
        {
            self.broken(user, seq, kind, format!("record {by}, which replaced it, is about another approval."));
        }
    }

    /// Counts verdicts that superseded others without naming them. Requires all erasures and amendments to be read.
    pub fn count_unnamed(&mut self) {
        let named: HashSet<(UserId, i64)> = self.replaced.iter().map(|((user, _), by)| (*user, *by)).collect();
        for (user, seq) in std::mem::take(&mut self.unnamed) {
            if !named.contains(&(user, seq)) {
                self.count(user, Kind::ApprovalVerdict.as_str(), -1);
            }
        }
    }

    /// Removes and returns the approval that a verdict must be about, given the verdict that it superseded.
    pub fn take_approval(&mut self, user: UserId, seq: i64) -> Option<Value> {
        self.approvals.remove(&(user, seq))
    }

    /// Returns the last verdicts whose approvals are left after [`Self::take_approval`]: no row names them.
    pub fn approvals_left(&mut self) -> Vec<(UserId, i64)> {
        self.approvals.drain().map(|(verdict, _)| verdict).collect()
    }

    /// Marks a task as compared with a record in place of its last change.
    pub fn stand(&mut self, user: UserId, task: TaskNumber) {
        self.standing.insert((user, task));
    }

    /// Returns true if the task was compared with a record in place of its last change.
    pub fn stands(&self, user: UserId, task: TaskNumber) -> bool {
        self.standing.contains(&(user, task))
    }

    /// Returns the number of the verdict that superseded this one.
    pub fn replaced_by(&self, user: UserId, seq: i64) -> Option<i64> {
        self.replaced.get(&(user, seq)).copied()
    }

    /// Returns the expiry of an extended approval.
    pub fn extended(&self, id: &Value) -> Option<&Value> {
        self.extended.get(id.as_str()?)
    }

    /// Returns the findings with their owners' names.
    pub async fn named(&self, tx: &mut Tx) -> Result<Vec<Broken>, Error> {
        let mut names = HashMap::new();
        for user in self.first.keys() {
            let name = match *user {
                UserId::SYSTEM => "system".to_owned(),
                // An unreadable account has no name.
                user => match store::users::get(tx, user).await {
                    Ok(Some(user)) => user.name.to_string(),
                    Ok(None) | Err(store::Error::Corrupt(_)) => user.to_string(),
                    Err(error) => return Err(error.into()),
                },
            };
            names.insert(*user, name);
        }
        Ok(self.listed(&names))
    }

    /// Returns the findings; an owner without a name appears as id.
    pub fn listed(&self, names: &HashMap<UserId, String>) -> Vec<Broken> {
        let chains = self.first.iter().map(|(user, (seq, kind, problem))| {
            let user = names.get(user).cloned().unwrap_or_else(|| user.to_string());
            Broken { user, seq: *seq, kind: kind.clone(), problem: problem.clone() }
        });
        let checkpoint = self.checkpoint.iter().map(|(number, problem)| Broken {
            user: String::new(),
            seq: *number,
            kind: Broken::CHECKPOINT.to_owned(),
            problem: problem.clone(),
        });
        chains.chain(checkpoint).collect()
    }
}
