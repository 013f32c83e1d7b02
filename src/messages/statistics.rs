//! Statistics of the audit log.

pub const TIME_TAKEN_MS: &str = "Latency (ms)";
pub const NINETY_FIVE_WITHIN: &str = "p95";
pub const HALF_WITHIN: &str = "median";
pub const TOKENS: &str = "Tokens";
pub const REQUESTS_FOR_A_YES: &str = "Approval requests";
pub const OPEN_OR_EXPIRED: &str = "open or expired";
pub const ASKED_BACK: &str = "asked a question";
pub const TURNS_BY_OUTCOME: &str = "Turns by outcome";
pub const MORE_CHARTS: &str = "More charts";
pub const EXPORT_THESE_TURNS: &str = "Export these turns: ";
pub const JSON_LINES: &str = "JSON Lines";
pub const CSV: &str = "CSV";
pub const TURNS: &str = "Turns";
pub const WRITES: &str = "Writes";
pub const ASKED_FIRST: &str = "Approvals";
pub const DENIED: &str = "Denied";
pub const ERRORS: &str = "Errors";
pub const HALF_WITHIN_TILE: &str = "Median";
pub const COST: &str = "Cost";
pub const KNOWN_COST: &str = "of turns with a known price";
pub const MOST: &str = "max: ";
pub const WORDS_ARE_NOT_COUNTED: &str = "Statistics ignore the text search; it filters only the list.";
pub const AS_A_TABLE: &str = "As a table";
pub const WHEN: &str = "When";

pub fn no_time(text: &str) -> String {
    format!("“{text}” is not a time; use a format such as 2026-11-20T10:00.")
}

pub fn the_last_days(days: i64) -> String {
    format!("Last {days} days")
}

pub fn from_to(since: &str, until: &str) -> String {
    format!("From {since} to {until}")
}

/// Series of the charts.
pub const APPROVED: &str = "approved";
pub const DENIED_ONES: &str = "denied";
pub const FAILED_ONES: &str = "errors";
pub const REFUSED_ONES: &str = "refused";
pub const SUCCEEDED_ONES: &str = "success";
pub const IN: &str = "in";
pub const OUT: &str = "out";
