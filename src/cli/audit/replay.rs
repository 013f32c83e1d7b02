//! `docket audit replay`: whether a turn would be decided as it was.

use clap::Args;

use crate::cli::Error;
use crate::domain::id::TurnId;
use crate::domain::replay::Decider;
use crate::state::AppState;
use crate::usecases;
use crate::workflow::replay;

#[derive(Debug, Args)]
pub struct Replay {
    /// The turn's id, as the record shows it
    #[arg(required_unless_present = "all")]
    turn: Option<String>,
    /// Every turn that is done, in place of one
    #[arg(long, conflicts_with = "turn")]
    all: bool,
    /// Who decides again: the recorded replies, or the rules as if they had been asked
    #[arg(long, value_name = "recorded|rules", default_value = "recorded")]
    engine: String,
}

pub async fn run(state: &AppState, command: Replay) -> Result<(), Error> {
    let decider = replay::decider(&command.engine).map_err(usecases::Error::from)?;
    let turns = match &command.turn {
        Some(turn) => vec![TurnId::parse(turn).map_err(usecases::Error::from)?],
        None => replay::all(state).await?,
    };
    let mut different = 0;
    for turn in &turns {
        different += usize::from(!one(state, *turn, decider, command.all).await?);
    }
    if different > 0 {
        let of = if command.all { format!("{different} of {} turns", turns.len()) } else { "The turn".into() };
        return Err(Error::State(format!("{of} came to another decision.")));
    }
    if command.all {
        println!("replayed {} turns: same decision", turns.len());
    } else {
        println!("same decision");
    }
    Ok(())
}

/// Replays one turn and prints what differs; whether nothing did.
async fn one(state: &AppState, turn: TurnId, decider: Decider, named: bool) -> Result<bool, Error> {
    let replay = replay::of_any(state, turn, decider).await?;
    for line in &replay.differences {
        if named {
            println!("{turn} {line}");
        } else {
            println!("{line}");
        }
    }
    Ok(replay.same)
}
