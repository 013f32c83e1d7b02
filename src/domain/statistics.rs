//! Statistics of the audit log over a period.

use serde::{Deserialize, Serialize};

/// A period and its counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Bucket {
    /// Inclusive.
    pub from: String,
    /// Exclusive.
    pub until: String,
    pub counts: Counts,
    /// Approvals requested in the period, by status.
    pub approvals: Approvals,
}

/// Counts and sums over turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "TurnCounts"))]
pub struct Counts {
    pub turns: i64,
    pub success: i64,
    pub ambiguity: i64,
    pub refusal: i64,
    pub error: i64,
    /// Median duration in milliseconds; `None` without turns.
    pub p50_ms: Option<i64>,
    /// 95th percentile of the duration in milliseconds.
    pub p95_ms: Option<i64>,
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// Micro-units of the provider's currency, for the turns whose price is known; `None` if none is.
    pub cost_micros: Option<i64>,
}

/// Approvals, counted by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "ApprovalCounts"))]
pub struct Approvals {
    pub asked: i64,
    pub approved: i64,
    pub denied: i64,
    /// Expired, void or still pending.
    pub open: i64,
}

/// All statistics of a period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Figures {
    pub whole: Counts,
    pub approvals: Approvals,
    /// Calls that changed something.
    pub writes: i64,
    /// Consecutive buckets, in order of time.
    pub buckets: Vec<Bucket>,
}

/// Sums over turns with equal bucket, outcome and duration, as aggregated by the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub bucket: usize,
    pub outcome: String,
    pub duration_ms: i64,
    pub turns: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost_micros: Option<i64>,
}

impl Counts {
    /// Adds up groups, which must be sorted by duration.
    pub fn of<'a>(piles: impl Iterator<Item = &'a Group> + Clone) -> Self {
        let mut counts = Self::default();
        for pile in piles.clone() {
            counts.turns += pile.turns;
            let head = pile.outcome.split(':').next().unwrap_or_default();
            match head {
                "SUCCESS" => counts.success += pile.turns,
                "AMBIGUITY" => counts.ambiguity += pile.turns,
                "REFUSAL" => counts.refusal += pile.turns,
                _ => counts.error += pile.turns,
            }
            counts.tokens_in += pile.tokens_in;
            counts.tokens_out += pile.tokens_out;
            counts.cost_micros = counts.cost_micros.into_iter().chain(pile.cost_micros).reduce(|a, b| a + b);
        }
        counts.p50_ms = counts.longest_of(50, piles.clone());
        counts.p95_ms = counts.longest_of(95, piles);
        counts
    }

    /// Returns the duration at a percentile.
    fn longest_of<'a>(&self, percent: i64, piles: impl Iterator<Item = &'a Group>) -> Option<i64> {
        let mut left = (self.turns * percent + 99) / 100;
        for pile in piles {
            left -= pile.turns;
            if left <= 0 {
                return Some(pile.duration_ms);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pile(outcome: &str, duration_ms: i64, turns: i64) -> Group {
        let outcome = outcome.to_owned();
        Group { bucket: 0, outcome, duration_ms, turns, tokens_in: turns, tokens_out: 0, cost_micros: None }
    }

    #[test]
    fn percentiles_are_exact_and_unknown_price_gives_no_cost() {
        let piles = [pile("SUCCESS:TASK_COMPLETED", 1, 50), pile("ERROR:CANCELLED", 7, 45), pile("REFUSAL:X", 900, 5)];
        let counts = Counts::of(piles.iter());
        assert_eq!((counts.turns, counts.success, counts.error, counts.refusal), (100, 50, 45, 5));
        assert_eq!((counts.p50_ms, counts.p95_ms), (Some(1), Some(7)));
        assert_eq!((counts.tokens_in, counts.cost_micros), (100, None));
        assert_eq!(Counts::of([].iter()), Counts::default());
        let one = Counts::of([pile("SUCCESS:RESPONSE_GIVEN", 3, 1)].iter());
        assert_eq!((one.p50_ms, one.p95_ms), (Some(3), Some(3)));
    }
}
