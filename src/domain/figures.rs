//! The record in figures, over a span of time.

use serde::{Deserialize, Serialize};

/// A stretch of time and what happened in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Bucket {
    /// Inclusive.
    pub from: String,
    /// Exclusive.
    pub until: String,
    pub counts: Counts,
    /// Requests for a yes that were made in it, by what became of them.
    pub approvals: Approvals,
}

/// Turns, counted and added up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "TurnCounts"))]
pub struct Counts {
    pub turns: i64,
    pub success: i64,
    pub ambiguity: i64,
    pub refusal: i64,
    pub error: i64,
    /// Half of the turns took no longer, in milliseconds; `None` where there was none.
    pub p50_ms: Option<i64>,
    /// 95 of 100 turns took no longer.
    pub p95_ms: Option<i64>,
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// Micro-units of the provider's currency, of the turns whose price is known; `None` where none is.
    pub cost_micros: Option<i64>,
}

/// Requests for a yes, counted by where they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "ApprovalCounts"))]
pub struct Approvals {
    pub asked: i64,
    pub approved: i64,
    pub denied: i64,
    /// Expired, void or still waiting.
    pub open: i64,
}

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Figures {
    pub whole: Counts,
    pub approvals: Approvals,
    /// Calls that changed something.
    pub writes: i64,
    /// In the order of time, without a gap.
    pub buckets: Vec<Bucket>,
}

/// Turns of one outcome that took equally long, with what they took together: what a database adds up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pile {
    pub bucket: usize,
    pub outcome: String,
    pub duration_ms: i64,
    pub turns: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost_micros: Option<i64>,
}

impl Counts {
    /// Adds up piles, of which those that took less time come first.
    pub fn of<'a>(piles: impl Iterator<Item = &'a Pile> + Clone) -> Self {
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

    /// How long the slowest of the quickest `percent` turns took.
    fn longest_of<'a>(&self, percent: i64, piles: impl Iterator<Item = &'a Pile>) -> Option<i64> {
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

    fn pile(outcome: &str, duration_ms: i64, turns: i64) -> Pile {
        let outcome = outcome.to_owned();
        Pile { bucket: 0, outcome, duration_ms, turns, tokens_in: turns, tokens_out: 0, cost_micros: None }
    }

    #[test]
    fn percentiles_are_exact_and_a_price_that_nobody_knows_is_not_nothing() {
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
