//! `docket audit replay`: checks that a turn would be decided again as it was.

use clap::Args;

use crate::cli::Error;
use crate::domain::id::TurnId;
use crate::domain::replay::{Decider, Replay as Replayed};
use crate::state::AppState;
use crate::usecases;
use crate::workflow::replay;

#[derive(Debug, Args)]
pub struct Replay {
    /// The turn's id, as the audit log shows it
    #[arg(required_unless_present = "all")]
    turn: Option<String>,
    /// Replay every completed turn
    #[arg(long, conflicts_with = "turn")]
    all: bool,
    /// Decide from the recorded replies, or by the rules
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
        let replay = replay::of_any(state, turn, decider).await?;
        print(&replay, None);
        if !replay.same {
            return Err(Error::State("The replay reached a different decision.".into()));
        }
    }
    println!("same decision");
    Ok(())
}

/// Replays every turn, and skips and counts erased ones. A turn that cannot be replayed is reported at the end and does not stop
/// the others.
async fn all(state: &AppState, turns: &[TurnId], decider: Decider) -> Result<(), Error> {
    let (mut different, mut erased, mut stuck) = (0, 0, vec![]);
    for turn in turns {
        match replay::unless_erased(state, *turn, decider).await {
            Ok(Ok(replay)) => {
                print(&replay, Some(*turn));
                different += usize::from(!replay.same);
            }
            Ok(Err(_)) => erased += 1,
            Err(error) => stuck.push((turn, error)),
        }
    }
    if erased > 0 {
        println!("skipped {erased} erased turns");
    }
    for (turn, error) in &stuck {
        println!("{turn} cannot be replayed: {error}");
    }
    let of = turns.len() - erased;
    match (different, stuck.len()) {
        (0, 0) => println!("replayed {of} turns: same decision"),
        (different, 0) => return Err(Error::State(format!("{different} of {of} turns reached a different decision."))),
        (0, stuck) => return Err(Error::State(format!("{stuck} of {of} turns cannot be replayed."))),
        (different, stuck) => {
            let told = format!("{different} of {of} turns reached a different decision, {stuck} cannot be replayed.");
            return Err(Error::State(told));
        }
    }
    Ok(())
}

/// Prints the differences, with the turn's id if several turns are replayed.
fn print(replay: &Replayed, turn: Option<TurnId>) {
    for line in &replay.differences {
        match turn {
            Some(turn) => println!("{turn} {line}"),
            None => println!("{line}"),
        }
    }
}
