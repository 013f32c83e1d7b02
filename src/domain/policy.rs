//! Tool policies per asker. A policy raises a call's risk and never lowers it.

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::tool::ToolName;

/// The origin of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Asker {
    /// A language model in a conversation.
    Agent,
    /// The built-in rules, also as a fallback for a model.
    Rules,
    /// An agent client over MCP.
    Mcp,
}

impl Asker {
    /// All askers, in display order.
    pub const ALL: [Self; 3] = [Self::Agent, Self::Rules, Self::Mcp];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Rules => "rules",
            Self::Mcp => "mcp",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL
            .into_iter()
            .find(|asker| asker.as_str() == text)
            .ok_or_else(|| Invalid::because(format!("“{text}” is not a caller of tools; use agent, rules or mcp.")))
    }
}

/// A policy for a tool; later variants are stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The call's own risk decides.
    #[default]
    Run,
    /// Every call needs approval.
    Ask,
    /// No call runs.
    Deny,
}

impl Rule {
    /// All rules, most permissive first.
    pub const ALL: [Self; 3] = [Self::Run, Self::Ask, Self::Deny];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.as_str() == text)
            .ok_or_else(|| Invalid::because(format!("“{text}” is not a rule; use run, ask or deny.")))
    }
}

/// The rules for one asker and one tool: the owner's, and the one that an admin set for all users.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    pub own: Rule,
    pub everyones: Rule,
}

impl Rules {
    /// Returns the stricter of the two.
    pub fn effective(self) -> Rule {
        self.own.max(self.everyones)
    }
}

/// One cell of the policy matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub asker: Asker,
    pub tool: ToolName,
    pub rule: Rule,
}

impl Entry {
    /// Parses `mcp.delete_task.deny`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let unread = || Invalid::because(format!("“{text}” is not a rule; write it like mcp.delete_task.deny."));
        let parts: Vec<_> = text.split('.').collect();
        let [asker, tool, rule] = parts[..] else { return Err(unread()) };
        let tool = ToolName::parse(tool).ok_or_else(unread)?;
        Ok(Self { asker: Asker::parse(asker)?, tool, rule: Rule::parse(rule)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_rule_holds() {
        for (own, everyones, effective) in [
            (Rule::Run, Rule::Run, Rule::Run),
            (Rule::Ask, Rule::Run, Rule::Ask),
            (Rule::Run, Rule::Ask, Rule::Ask),
            (Rule::Ask, Rule::Deny, Rule::Deny),
            (Rule::Deny, Rule::Ask, Rule::Deny),
        ] {
            assert_eq!(Rules { own, everyones }.effective(), effective);
        }
    }

    #[test]
    fn an_entry_is_read_from_its_three_parts() {
        let entry = Entry { asker: Asker::Mcp, tool: ToolName::DeleteTask, rule: Rule::Deny };
        assert_eq!(Entry::parse("mcp.delete_task.deny").unwrap(), entry);
        for bad in [
            "",
            "mcp.delete_task",
            "mcp.delete_task.deny.now",
            "nobody.add_task.ask",
            "mcp.launch.ask",
            "mcp.add_task.maybe",
        ] {
            assert!(Entry::parse(bad).is_err(), "{bad}");
        }
    }
}
