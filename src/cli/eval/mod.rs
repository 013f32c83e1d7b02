//! `docket eval`: runs evaluation rows through the real pipeline, each on a temporary database (R-1003).

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::Error;
use crate::api::views;
use crate::clock::Clock;
use crate::config::Config;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::state::AppState;

mod effects;
mod rows;
mod world;

use world::Cost;

/// Arguments of `docket eval`.
#[derive(Debug, Args)]
pub struct Eval {
    /// Rows as JSON Lines: single turns, dialogues or date phrases, distinguished by their content
    file: PathBuf,
    /// File for the predictions, as JSON Lines; several engines get a file each, with the engine's name before the extension
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// rules, or configured for the engine of the environment, or both to compare them: rules,configured
    #[arg(long, value_enum, value_delimiter = ',', default_value = "configured")]
    engine: Vec<Which>,
    /// Scorer to run afterwards, as `python3 SCRIPT FILE OUT --json FIGURES`; by default score.py in the folder of the rows or in
    /// its parent, if there is one. FIGURES is OUT with the extension figures.json
    #[arg(long, value_name = "SCRIPT")]
    score: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Rules,
    Configured,
}

impl Which {
    fn of(self, config: Config) -> Config {
        match self {
            Self::Rules => config.on_rules(),
            Self::Configured => config,
        }
    }
}

impl Eval {
    /// Returns the path for the predictions of an engine.
    fn out(&self, which: Which) -> PathBuf {
        if let [_] = self.engine[..] {
            return self.out.clone();
        }
        let name = which.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let ending = self.out.extension().map(|ending| format!(".{}", ending.display())).unwrap_or_default();
        self.out.with_extension(format!("{name}{ending}"))
    }
}

/// Predicts every row with each engine, writes the predictions, prints the scores if a scorer exists, and compares the engines.
pub async fn run(config: Config, mut eval: Eval) -> Result<(), Error> {
    let text = std::fs::read_to_string(&eval.file).map_err(|error| unreadable(&eval.file, &error.to_string()))?;
    eval.engine.dedup();
    let (mut table, mut broken) = (vec![], 0);
    for which in &eval.engine {
        let (config, out) = (which.of(config.clone()), eval.out(*which));
        super::refuse_own(&config, &out)?;
        let (cost, missing) = predict_all(&config, (&eval.file, &text), &out).await?;
        let figures = score(&eval, &out)?;
        table.extend(compared(&config, cost, figures));
        broken += missing;
    }
    if !table.is_empty() {
        super::print_table(&COMPARED, &table)?;
    }
    if broken > 0 {
        return Err(Error::State(format!("{broken} rows failed; see the log above.")));
    }
    Ok(())
}

/// Writes a prediction for every row of the file; returns the cost and the number of rows that failed.
async fn predict_all(config: &Config, (file, text): (&Path, &str), path: &Path) -> Result<(Cost, usize), Error> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let row = |(number, line)| match rows::parse(line) {
        Ok(row) => Ok((number, row)),
        Err(error) => Err(unreadable(file, &format!("line {}: {error}", number + 1))),
    };
    // Writes nothing if a row of the file cannot be parsed.
    let rows = lines.map(row).collect::<Result<Vec<_>, Error>>()?;
    let mut out = std::fs::File::create(path).map_err(|error| unwritable(path, &error))?;
    let (mut cost, mut broken) = (Cost::default(), 0);
    for (number, row) in rows {
        match predict(config, row).await {
            Ok((prediction, of_row)) => {
                cost.add(of_row);
                writeln!(out, "{prediction}").map_err(|error| unwritable(path, &error))?;
            }
            // A missing row is scored as wrong; the others are still useful.
            Err(error @ Error::State(_)) => {
                tracing::error!(line = number + 1, %error, "a row failed");
                broken += 1;
            }
            Err(error) => return Err(error),
        }
    }
    Ok((cost, broken))
}

/// Columns of the comparison of engines.
const COMPARED: [&str; 11] = [
    "engine",
    "model",
    "turns",
    "by rules",
    "success",
    "wrong mutations",
    "tokens in",
    "tokens out",
    "cost",
    "p50",
    "p95",
];

/// Returns an engine's row of the comparison, without a cost if no price is known (R-804). `None` without turns.
fn compared(config: &Config, mut cost: Cost, figures: Figures) -> Option<Vec<String>> {
    if cost.turns.is_empty() {
        return None;
    }
    cost.turns.sort_unstable();
    let at = |percent: usize| {
        // Nearest-rank percentile.
        let rank = (cost.turns.len() * percent).div_ceil(100);
        format!("{} ms", cost.turns[rank - 1].as_millis())
    };
    let model = config.endpoint().and_then(|endpoint| endpoint.model.clone());
    Some(vec![
        config.engine.as_str().to_owned(),
        model.unwrap_or_else(|| "–".into()),
        cost.turns.len().to_string(),
        cost.by_rules.to_string(),
        figures.success.map_or_else(|| "–".into(), |rate| format!("{:.1} %", rate * 100.0)),
        figures.wrong_mutations.map_or_else(|| "–".into(), |rows| rows.to_string()),
        cost.tokens_in.to_string(),
        cost.tokens_out.to_string(),
        views::cost(config.price.map(|price| price.of(cost.tokens_in, cost.tokens_out))),
        at(50),
        at(95),
    ])
}

async fn predict(config: &Config, row: rows::Row) -> Result<(Value, Cost), Error> {
    match row {
        rows::Row::Single(row) => world::single(config, row).await,
        rows::Row::Dialogue(row) => world::dialogue(config, row).await,
        rows::Row::Date(row) => {
            let reference = Timestamp::parse(&row.reference).map_err(usecase)?;
            let found = when::parse(&row.phrase, &reference, &row.tz);
            let value = json!({
                "id": row.id,
                "value": found.as_ref().map(|when| when.due.as_str()),
                "rrule": found.as_ref().and_then(|when| when.recurrence.clone()),
            });
            Ok((value, Cost::default()))
        }
    }
}

/// Creates an in-memory state whose clock is set to `now`.
async fn fresh(config: &Config, now: &str) -> Result<AppState, Error> {
    let clock = Clock::set(Timestamp::parse(now).map_err(usecase)?);
    AppState::in_memory(config.clone().unlimited(), clock).await.map_err(|error| Error::State(error.to_string()))
}

/// Results of a scorer.
#[derive(Debug, Default)]
struct Figures {
    /// Share of requests or dialogues with the expected result, 0 to 1.
    success: Option<f64>,
    /// Number of rows or turns with a forbidden change.
    wrong_mutations: Option<i64>,
}

impl Figures {
    /// Parses a scorer's figures: one object per kind of rows, by name. Only the first one counts.
    fn read(text: &str) -> Self {
        let all: Value = serde_json::from_str(text).unwrap_or_default();
        let Some(kind) = all.as_object().and_then(|kinds| kinds.values().next()) else { return Self::default() };
        let rate = ["clear_request_success", "dialogue_success"].iter().find_map(|key| kind[key]["rate"].as_f64());
        Self { success: rate, wrong_mutations: kind["wrong_mutations"].as_i64() }
    }
}

/// Runs the scorer, which prints its results, and returns its figures; empty if it writes none.
fn score(eval: &Eval, out: &Path) -> Result<Figures, Error> {
    let beside = |up: usize| eval.file.ancestors().nth(up).map(|folder| folder.join("score.py"));
    let found = eval.score.clone().or_else(|| [1, 2].into_iter().filter_map(beside).find(|script| script.is_file()));
    let Some(script) = found else { return Ok(Figures::default()) };
    let figures = out.with_extension("figures.json");
    let mut scorer = std::process::Command::new("python3");
    let done = scorer.arg(&script).arg(&eval.file).arg(out).arg("--json").arg(&figures).status();
    match done {
        Ok(status) if status.success() => Ok(Figures::read(&std::fs::read_to_string(&figures).unwrap_or_default())),
        Ok(status) => Err(Error::State(format!("The scorer {} failed with {status}.", script.display()))),
        Err(error) => Err(Error::State(format!("The scorer {} cannot be run: {error}.", script.display()))),
    }
}

fn usecase(invalid: crate::domain::Invalid) -> Error {
    Error::Refused(invalid.into())
}

fn unreadable(file: &Path, why: &str) -> Error {
    Error::State(format!("{} cannot be read: {why}.", file.display()))
}

fn unwritable(file: &Path, why: &std::io::Error) -> Error {
    Error::State(format!("{} cannot be written: {why}.", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scorer_output_is_parsed_with_missing_figures_left_empty() {
        let told = r#"{"single_turn": {"clear_request_success": {"rate": 0.875, "n": 8}, "wrong_mutations": 1}}"#;
        let figures = Figures::read(told);
        assert_eq!((figures.success, figures.wrong_mutations), (Some(0.875), Some(1)));
        let figures = Figures::read(r#"{"dialogues": {"dialogue_success": {"rate": 1}}}"#);
        assert_eq!((figures.success, figures.wrong_mutations), (Some(1.0), None));
        let figures = Figures::read("no figures");
        assert_eq!((figures.success, figures.wrong_mutations), (None, None));
    }
}
