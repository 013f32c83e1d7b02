//! Replays of recorded turns.

use serde::{Deserialize, Serialize};

use super::decision::Decision;
use super::id::TurnId;

/// Engine of a replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Decider {
    /// The state machine, over the recorded replies: it must reach the recorded decision.
    #[default]
    Recorded,
    /// The rules, as if they had been asked; no call runs.
    Rules,
}

impl Decider {
    /// Parses `recorded` or `rules`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "recorded" => Some(Self::Recorded),
            "rules" => Some(Self::Rules),
            _ => None,
        }
    }
}

/// Result of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "DecidedAgain"))]
pub struct Made {
    /// `None` if the turn would have continued with a call whose result is unknown.
    pub decision: Option<Decision>,
    pub intent: String,
    pub reply: String,
    /// Options offered with a question.
    pub options: Vec<String>,
    /// The calls, each as its tool and arguments.
    pub calls: Vec<String>,
}

/// A replayed turn and its recorded result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Replay {
    pub turn_id: TurnId,
    pub decider: Decider,
    pub same: bool,
    pub recorded: Made,
    /// `None` if the recorded steps are inconsistent.
    pub made: Option<Made>,
    /// One sentence per difference.
    pub differences: Vec<String>,
}

impl Replay {
    /// Compares the replayed result with the recorded one.
    pub fn of(turn_id: TurnId, decider: Decider, recorded: Made, made: Result<Made, String>) -> Self {
        let differences = match &made {
            Ok(made) => recorded.differences(made),
            Err(why) => vec![why.clone()],
        };
        Self { turn_id, decider, same: differences.is_empty(), recorded, made: made.ok(), differences }
    }
}

impl Made {
    fn differences(&self, other: &Self) -> Vec<String> {
        let decision = |made: &Self| {
            made.decision.map_or_else(
                || "none yet".to_owned(),
                |decision| format!("{} {}", decision.kind.as_str(), decision.outcome.as_str()),
            )
        };
        let listed = |lines: &[String]| if lines.is_empty() { "none".to_owned() } else { lines.join(", ") };
        let quoted = |text: &str| format!("“{text}”");
        let fields = [
            ("decision", decision(self), decision(other)),
            ("intent", quoted(&self.intent), quoted(&other.intent)),
            ("calls", listed(&self.calls), listed(&other.calls)),
            ("reply", quoted(&self.reply), quoted(&other.reply)),
            ("choices", listed(&self.options), listed(&other.options)),
        ];
        let differ = fields.into_iter().filter(|(_, was, is)| was != is);
        differ.map(|(field, was, is)| format!("{field}: {was} → {is}")).collect()
    }
}
