//! The system prompt, built anew for each call of a model. Its beginning is the same from call to call; the clock comes last.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::domain::time::Timestamp;
use crate::domain::tool::{Risk, ToolSpec};

/// Role, personality, rules and bounds.
pub const CONSTITUTION: &str = include_str!("constitution.md");

/// SHA-256 of the constitution in hexadecimal: every decision names the one in force.
pub fn constitution_hash() -> String {
    Sha256::digest(CONSTITUTION).iter().fold(String::with_capacity(64), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string succeeds");
        text
    })
}

/// The prompt for an engine that may call `tools`.
pub fn render(tools: &[ToolSpec], now: &Timestamp, zone: &str) -> String {
    let mut prompt = CONSTITUTION.trim_end().to_owned();
    if tools.is_empty() {
        prompt.push_str("\n\nNo tools are available: answer from what is known.\n");
    } else {
        prompt.push_str("\n\nYour tools\n");
        for tool in tools {
            let risk = tool.risk.as_str();
            writeln!(prompt, "- {} ({risk} risk): {}", tool.name, tool.description)
                .expect("writing to a string succeeds");
        }
    }
    if tools.iter().any(|tool| tool.risk == Risk::Medium) {
        prompt.push_str("\nTell the person what every medium-risk action did.\n");
    }
    let local = now.to_jiff().in_tz(zone).map(|local| local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    let local = local.unwrap_or_else(|_| now.to_string());
    writeln!(prompt, "\nIt is {local} in {zone}.").expect("writing to a string succeeds");
    prompt
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, risk: Risk) -> ToolSpec {
        ToolSpec { name: name.into(), description: "Does it.".into(), risk, schema: json!({}) }
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn calls_at_different_times_share_everything_but_the_clock() {
        let tools = [tool("add_task", Risk::Medium), tool("get_task", Risk::Low)];
        let first = render(&tools, &at("2026-03-11T09:30:00Z"), "Europe/London");
        let later = render(&tools, &at("2026-03-11T10:45:00Z"), "Europe/London");
        let (first, later) = (first.split_once("\nIt is ").unwrap(), later.split_once("\nIt is ").unwrap());
        assert_eq!(first.0, later.0);
        assert_eq!(first.1, "2026-03-11T09:30:00+00:00 in Europe/London.\n");
    }

    #[test]
    fn the_medium_line_stands_only_where_such_a_tool_is_offered() {
        let line = "what every medium-risk action did";
        let now = at("2026-03-11T09:30:00Z");
        assert!(render(&[tool("add_task", Risk::Medium)], &now, "UTC").contains(line));
        assert!(!render(&[tool("get_task", Risk::Low)], &now, "UTC").contains(line));
        assert!(render(&[], &now, "UTC").contains("No tools are available"));
    }
}
