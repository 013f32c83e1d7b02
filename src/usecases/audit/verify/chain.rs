//! Verification of one chain: consecutive numbers, each hash, each text against its digest, and finally the head.

use std::collections::BTreeMap;

use serde_json::Value;

use super::findings::Findings;
use super::succession::Succession;
use crate::domain::id::UserId;
use crate::store::audited_columns::Table;
use crate::store::chains::{Head, Link};
use crate::store::records::{self, Kind};
use crate::usecases::erasure::Rows;
use crate::usecases::superseded::{self, Superseded};

/// State of the verification after a link.
#[derive(Debug)]
pub struct Chain {
    user: UserId,
    seq: i64,
    hash: Vec<u8>,
    /// Ranges of erased texts, by the record of their erasure.
    erased: BTreeMap<i64, Vec<(i64, i64)>>,
    /// Ranges that each erasure lists.
    listed: BTreeMap<i64, Vec<(i64, i64)>>,
    /// Columns of the erased texts' rows, by the record that covers them.
    rows: BTreeMap<i64, Rows>,
    /// Digest of the rows that each erasure states.
    rows_told: BTreeMap<i64, String>,
    /// Columns of each verdict's row, as far as its record still shows them.
    verdicts: BTreeMap<i64, Verdict>,
    /// Superseded verdicts stated by erasures and amendments, with the number and kind of the stating record.
    superseded: Vec<(i64, String, Superseded)>,
    succession: Succession,
}

/// Columns of a verdict's row, as far as its record still shows them.
#[derive(Debug)]
enum Verdict {
    Columns(Vec<Value>),
    /// Digest of the columns, from the erasure's mark.
    Digest(Vec<u8>),
}

impl Verdict {
    /// Returns true if the columns are those of the verdict. A version with fewer columns may have stated them.
    fn has(&self, columns: &[Value]) -> bool {
        match self {
            Self::Columns(own) => !columns.is_empty() && own.starts_with(columns),
            Self::Digest(said) => Table::of(Kind::ApprovalVerdict).is_some_and(|table| table.holds(said, columns, &[])),
        }
    }
}

impl Chain {
    pub fn new(user: UserId) -> Self {
        Self {
            user,
            seq: 0,
            hash: vec![0; 32],
            erased: BTreeMap::new(),
            listed: BTreeMap::new(),
            rows: BTreeMap::new(),
            rows_told: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            superseded: vec![],
            succession: Succession::default(),
        }
    }

    /// Returns the number of the last link.
    pub fn seen(&self) -> i64 {
        self.seq
    }

    /// Verifies the next link; returns its body unless it is erased or wrong.
    pub fn take(&mut self, link: &Link, found: &mut Findings) -> Option<Value> {
        found.records += 1;
        found.chains += u64::from(self.seq == 0);
        found.count(link.user, &link.kind, 1);
        let expected = self.seq + 1;
        let hash = records::link(link.user.0.as_bytes(), link.seq, &link.previous, &link.kind, &link.at, &link.digest);
        let problem = if link.seq != expected {
            Some((expected, "", "the record is missing."))
        } else if link.previous != self.hash {
            Some((link.seq, link.kind.as_str(), "it does not link to the record before it."))
        } else if hash[..] != link.hash[..] {
            Some((link.seq, link.kind.as_str(), "its hash does not match its contents."))
        } else if Kind::parse(&link.kind).is_none() {
            Some((link.seq, link.kind.as_str(), "its kind is unknown."))
        } else {
            None
        };
        if let Some((seq, kind, problem)) = problem {
            found.broken(link.user, seq, kind, problem);
        }
        (self.seq, self.hash) = (link.seq, link.hash.clone());
        let body = self.body(link, found);
        match &body {
            Some(body) if problem.is_none() => self.succession.take(link, body, found),
            Some(_) => {}
            None => self.succession.skip(link),
        }
        body
    }

    fn body(&mut self, link: &Link, found: &mut Findings) -> Option<Value> {
        let mut broken = |problem: &str| found.broken(link.user, link.seq, &link.kind, problem);
        let Some((salt, body)) = &link.body else {
            match link.erased_by {
                Some(by) => {
                    found.erased += 1;
                    extend(self.erased.entry(by).or_default(), link.seq);
                    let rows = self.rows.remove(&by).unwrap_or_default();
                    self.rows.insert(by, rows.with(link.seq, link.said.as_ref()));
                    if let (Some(Kind::ApprovalVerdict), Some(said)) = (Kind::parse(&link.kind), &link.said) {
                        self.verdicts.insert(link.seq, Verdict::Digest(said.clone()));
                    }
                }
                None => broken("its text is missing, and no erasure is recorded."),
            }
            return None;
        };
        if link.erased_by.is_some() {
            broken("its text exists although its erasure is recorded.");
        }
        if records::digest(salt, body)[..] != link.digest[..] {
            broken("its text was changed.");
            return None;
        }
        let value: Value = match serde_json::from_str(body) {
            Ok(value) => value,
            Err(_) => {
                broken("its text is not JSON.");
                return None;
            }
        };
        if link.kind == Kind::Erasure.as_str() {
            let ranges = serde_json::from_value(value["records"].clone()).unwrap_or_default();
            self.listed.insert(link.seq, ranges);
            self.rows_told.extend(value["rows"].as_str().map(|rows| (link.seq, rows.to_owned())));
        }
        if link.kind == Kind::ApprovalVerdict.as_str()
            && let Some(table) = Table::of(Kind::ApprovalVerdict)
        {
            self.verdicts.insert(link.seq, Verdict::Columns(table.cells(&value)));
        }
        let stated = superseded::stated(&link.kind, &value);
        if link.kind == Kind::Amendment.as_str() {
            found.amended += stated.len() as u64;
        }
        self.superseded.extend(stated.into_iter().map(|it| (link.seq, link.kind.clone(), it)));
        Some(value)
    }

    /// Compares the superseded verdicts that erasures and amendments state with the records of these verdicts.
    fn superseded(&self, found: &mut Findings) {
        for (stated_by, kind, Superseded { seq, by, columns }) in &self.superseded {
            let id = columns.first().filter(|_| seq < by && self.verdicts.contains_key(by));
            match (id, self.verdicts.get(seq)) {
                (Some(id), Some(verdict)) if verdict.has(columns) => found.supersede(self.user, *seq, *by, Some(id)),
                _ => {
                    let problem = format!("its statement about record {seq} does not match that record.");
                    found.broken(self.user, *stated_by, kind, problem);
                }
            }
        }
    }

    /// Compares the last link with the head, and erased texts with the records of erasures.
    pub fn end(self, head: Option<&Head>, found: &mut Findings) {
        self.superseded(found);
        let user = self.user;
        match head {
            Some(head) if head.seq > self.seq => found.broken(user, self.seq + 1, "", "the record is missing."),
            Some(head) if head.seq < self.seq => {
                found.broken(user, head.seq + 1, "", "the record is after the end of the chain.");
            }
            Some(head) if head.hash != self.hash => {
                found.broken(user, self.seq.max(1), "", "the end of the chain does not match this record.");
            }
            None if self.seq > 0 => found.broken(user, 1, "", "the end of the chain is missing."),
            Some(_) | None => {}
        }
        for (by, ranges) in &self.erased {
            if self.listed.get(by) != Some(ranges) {
                let first = ranges.first().map_or(0, |(first, _)| *first);
                found.broken(user, first, "", format!("its text is missing, and record {by} did not erase it."));
            }
            let rows = self.rows.get(by).cloned().unwrap_or_default().in_hexadecimal();
            if self.rows_told.get(by) != Some(&rows) {
                let first = ranges.first().map_or(0, |(first, _)| *first);
                found.broken(user, first, "", format!("a digest of the texts that record {by} erased was changed."));
            }
        }
        for (by, _) in self.listed.iter().filter(|(by, ranges)| !ranges.is_empty() && !self.erased.contains_key(by)) {
            found.broken(user, *by, Kind::Erasure.as_str(), "the texts that it erased still exist.");
        }
    }
}

fn extend(ranges: &mut Vec<(i64, i64)>, seq: i64) {
    match ranges.last_mut() {
        Some((_, last)) if *last + 1 == seq => *last = seq,
        _ => ranges.push((seq, seq)),
    }
}
