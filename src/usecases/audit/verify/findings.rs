//! What was found broken: the first record of each chain, and what is only known once all chains were read.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::choices::Everyones;
use crate::domain::audit::Broken;
use crate::domain::id::{TaskNumber, UserId};
use crate::store::chains::Link;
use crate::store::records::Kind;
use crate::store::{self, Tx};
use crate::usecases::{Error, superseded};

/// What a verification has found so far. It grows with users and with tasks whose last change is erased, not with records.
#[derive(Debug, Default)]
pub struct Findings {
    pub records: u64,
    pub chains: u64,
    /// What was told of the policy for everyone.
    pub everyones: Everyones,
    /// Texts that were erased.
    pub erased: u64,
    /// Records about which amendments state what their erasures did not.
    pub amended: u64,
    /// The first broken record of each chain.
    first: BTreeMap<UserId, (i64, String, String)>,
    /// The first thing wrong with a checkpoint, by its number.
    checkpoint: Option<(i64, String)>,
    /// How many rows each user's records of a kind call for.
    rows: HashMap<(UserId, &'static str), i64>,
    /// Until when requests that were extended wait, by their ids as text.
    extended: HashMap<String, Value>,
    /// Verdicts that a later one of the same request took the place of, with the number of that one.
    replaced: HashMap<(UserId, i64), i64>,
    /// Last verdicts that superseded others without naming them.
    unnamed: Vec<(UserId, i64)>,
    /// The approvals of last verdicts, by the verdicts that erasures and amendments state as superseded by them.
    approvals: HashMap<(UserId, i64), Value>,
    /// Tasks that were compared with a record in the place of an erased change.
    standing: HashSet<(UserId, TaskNumber)>,
}

impl Findings {
    /// Notes that a record is broken; of a chain's several the first one counts. `problem` goes on after `record 7 (message): `.
    pub fn broken(&mut self, user: UserId, seq: i64, kind: &str, problem: impl Into<String>) {
        let known = self.first.get(&user);
        if known.is_none_or(|(first, _, _)| seq < *first) {
            self.first.insert(user, (seq, kind.to_owned(), problem.into()));
        }
    }

    /// Notes that something is wrong with the checkpoint of that number, or with all for 0; the first one counts.
    pub fn checkpoint(&mut self, number: i64, problem: impl Into<String>) {
        if self.checkpoint.as_ref().is_none_or(|(first, _)| number < *first) {
            self.checkpoint = Some((number, problem.into()));
        }
    }

    /// Notes that a chain ends with the record numbered `last`, although a checkpoint has signed it up to `seq`.
    pub fn cut(&mut self, user: UserId, seq: i64, number: i64, last: i64) {
        self.broken(
            user,
            last + 1,
            "",
            format!("it is missing: checkpoint {number} signed the chain up to record {seq}."),
        );
    }

    /// Notes that the record numbered `seq` is not the one that a checkpoint has signed; of those that others have signed the
    /// record `met` is the last one before it, or 0.
    pub fn rewritten(&mut self, user: UserId, seq: i64, kind: &str, number: i64, met: i64) {
        let since = if met == 0 { "from its beginning".to_owned() } else { format!("after record {met}") };
        let problem = format!("it is not the one that checkpoint {number} signed: the chain was written anew {since}.");
        self.broken(user, seq, kind, problem);
    }

    /// Whether something of the chain was found broken, so that what follows from it is no finding of its own.
    pub fn is_broken(&self, user: UserId) -> bool {
        self.first.contains_key(&user)
    }

    /// Whether nothing was found broken.
    pub fn is_whole(&self) -> bool {
        self.first.is_empty()
    }

    /// Notes that a record of this kind calls for a row, or with -1 that the row was seen.
    pub fn count(&mut self, user: UserId, kind: &str, change: i64) {
        if let Some(kind) = Kind::parse(kind) {
            *self.rows.entry((user, kind.as_str())).or_default() += change;
        }
    }

    /// Returns the number of rows of the kind that each user lacks; below 0 where there are too many.
    pub fn balances(&self, kind: Kind) -> Vec<(UserId, i64)> {
        let of_kind = self.rows.iter().filter(|((_, of), _)| *of == kind.as_str());
        of_kind.map(|((user, _), count)| (*user, *count)).collect()
    }

    /// Keeps what a record says about a row that another record vouches for.
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

    /// Of a request's verdicts the last one alone calls for its row.
    fn expect_last(&mut self, link: &Link, body: &Value) {
        if let Some(earlier) = body["replaces"].as_i64() {
            self.supersede(link.user, earlier, link.seq, None);
        } else if superseded::is_unnamed(body) {
            self.unnamed.push((link.user, link.seq));
        }
    }

    /// Notes that verdict `by` superseded verdict `seq`, which calls for no row of its own. `approval` is the approval of both where
    /// only a record of an erasure or an amendment states that.
    pub fn supersede(&mut self, user: UserId, seq: i64, by: i64, approval: Option<&Value>) {
        let kind = Kind::ApprovalVerdict.as_str();
        if self.replaced.insert((user, seq), by).is_none() {
            self.count(user, kind, -1);
        }
        if let Some(id) = approval
            && self.approvals.insert((user, by), id.clone()).is_some_and(|known| known != *id)
        {
            self.broken(user, seq, kind, format!("it is about another approval than record {by}, which replaced it."));
        }
    }

    /// Counts the verdicts that superseded others without naming them, once all that erasures and amendments state is known.
    pub fn count_unnamed(&mut self) {
        let named: HashSet<(UserId, i64)> = self.replaced.iter().map(|((user, _), by)| (*user, *by)).collect();
        for (user, seq) in std::mem::take(&mut self.unnamed) {
            if !named.contains(&(user, seq)) {
                self.count(user, Kind::ApprovalVerdict.as_str(), -1);
            }
        }
    }

    /// Returns the approval that the verdict has to be about because of what it superseded; each once.
    pub fn take_approval(&mut self, user: UserId, seq: i64) -> Option<Value> {
        self.approvals.remove(&(user, seq))
    }

    /// Returns the last verdicts whose approvals nobody took: no row names them.
    pub fn approvals_left(&mut self) -> Vec<(UserId, i64)> {
        self.approvals.drain().map(|(verdict, _)| verdict).collect()
    }

    /// Notes that a task was compared with a record in the place of its last change.
    pub fn stand(&mut self, user: UserId, task: TaskNumber) {
        self.standing.insert((user, task));
    }

    /// Returns true if the task was compared with a record in the place of its last change.
    pub fn stands(&self, user: UserId, task: TaskNumber) -> bool {
        self.standing.contains(&(user, task))
    }

    /// The verdict that took the place of the one with that number, if one did.
    pub fn replaced_by(&self, user: UserId, seq: i64) -> Option<i64> {
        self.replaced.get(&(user, seq)).copied()
    }

    /// Until when the request of that id waits, if it was extended.
    pub fn extended(&self, id: &Value) -> Option<&Value> {
        self.extended.get(id.as_str()?)
    }

    /// What is broken, with the names of the owners.
    pub async fn named(&self, tx: &mut Tx) -> Result<Vec<Broken>, Error> {
        let mut names = HashMap::new();
        for user in self.first.keys() {
            let name = match *user {
                UserId::SYSTEM => "system".to_owned(),
                // An account that cannot be read has no name.
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

    /// What is broken; an owner without a name is called by their id.
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
