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
    if command.all {
        return all(state, &turns, decider).await;
    }
    for turn in turns {
        if !one(state, turn, decider, false).await? {
            return Err(Error::State("The turn came to another decision.".into()));
        }
    }
    println!("same decision");
    Ok(())
}

/// Replays every turn. One that cannot be replayed is told at the end and keeps none of the others from it.
async fn all(state: &AppState, turns: &[TurnId], decider: Decider) -> Result<(), Error> {
    let (mut different, mut stuck) = (0, vec![]);
    for turn in turns {
        match one(state, *turn, decider, true).await {
            Ok(same) => different += usize::from(!same),
            Err(error) => stuck.push((turn, error)),
        }
    }
    for (turn, error) in &stuck {
        println!("{turn} cannot be replayed: {error}");
    }
    let of = turns.len();
    match (different, stuck.len()) {
        (0, 0) => println!("replayed {of} turns: same decision"),
        (different, 0) => return Err(Error::State(format!("{different} of {of} turns came to another decision."))),
        (0, stuck) => return Err(Error::State(format!("{stuck} of {of} turns cannot be replayed."))),
        (different, stuck) => {
            let told = format!("{different} of {of} turns came to another decision, {stuck} cannot be replayed.");
            return Err(Error::State(told));
        }
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
