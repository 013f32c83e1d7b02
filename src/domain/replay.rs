//! A recorded turn decided again.

use serde::{Deserialize, Serialize};

use super::decision::Decision;
use super::id::TurnId;

/// Who decides again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Decider {
    /// The machine, over the recorded replies: it must come to the recorded decision.
    #[default]
    Recorded,
    /// The rules, as if they had been asked; nothing runs.
    Rules,
}

impl Decider {
    /// Reads `recorded` or `rules`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "recorded" => Some(Self::Recorded),
            "rules" => Some(Self::Rules),
            _ => None,
        }
    }
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "DecidedAgain"))]
pub struct Made {
    /// `None` where it would have gone on with a call whose result nobody knows.
    pub decision: Option<Decision>,
    pub intent: String,
    pub reply: String,
    /// Choices offered with a question.
    pub options: Vec<String>,
    /// The calls, each as its tool and arguments.
    pub calls: Vec<String>,
}

/// A turn decided again, beside what was recorded of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Replay {
    pub turn_id: TurnId,
    pub decider: Decider,
    pub same: bool,
    pub recorded: Made,
    /// `None` where the recorded steps do not follow from each other.
    pub made: Option<Made>,
    /// What differs, a sentence each.
    pub differences: Vec<String>,
}

impl Replay {
    /// Compares what was made again with what was recorded.
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
            ("understood as", quoted(&self.intent), quoted(&other.intent)),
            ("calls", listed(&self.calls), listed(&other.calls)),
            ("reply", quoted(&self.reply), quoted(&other.reply)),
            ("choices", listed(&self.options), listed(&other.options)),
        ];
        let differ = fields.into_iter().filter(|(_, was, is)| was != is);
        differ.map(|(field, was, is)| format!("{field}: {was} → {is}")).collect()
    }
}
