//! The page of the commands, generated from their `--help`.

use std::fmt::Write as _;

use clap::{Arg, Command};

use super::cell;

/// Returns the generated part of `docs/cli.md`.
pub(super) fn page() -> String {
    let mut docket = crate::cli::command();
    docket.build();
    let mut text = String::new();
    for command in docket.get_subcommands().filter(|command| command.get_name() != "help") {
        write_command(&mut text, command, "docket", 2);
    }
    text
}

/// Writes the section of a command, or of each of its subcommands.
fn write_command(text: &mut String, command: &Command, parent: &str, level: usize) {
    let name = format!("{parent} {}", command.get_name());
    let (heading, about) = ("#".repeat(level), about(command));
    let line = if text.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{line}{heading} {name}\n\n{about}");
    if command.has_subcommands() {
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            write_command(text, sub, &name, level + 1);
        }
        return;
    }
    let usage = command.clone().render_usage().to_string();
    let _ = writeln!(text, "\nUsage: `{}`", usage.trim_start_matches("Usage:").trim());
    let arguments: Vec<&Arg> = command.get_arguments().filter(|arg| is_listed(arg)).collect();
    if !arguments.is_empty() {
        let _ = writeln!(text, "\n| argument | meaning |\n| --- | --- |");
    }
    for arg in arguments {
        let _ = writeln!(text, "| `{arg}` | {} |", meaning(arg));
    }
    write_example(text, command);
}

/// Returns the sentence that says what a command does.
fn about(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    format!("{about}.")
}

/// Returns true if the argument needs a row: its help says something, and it belongs to this command alone.
fn is_listed(arg: &Arg) -> bool {
    let is_common = arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
    arg.get_help().is_some() && !is_common
}

/// Returns the help of an argument, with its values and its default.
fn meaning(arg: &Arg) -> String {
    let mut text = arg.get_help().map(|help| cell(&help.to_string())).unwrap_or_default();
    if !arg.get_action().takes_values() {
        return text;
    }
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if !values.is_empty() {
        let _ = write!(text, " (one of: {})", values.join(", "));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() {
        let _ = write!(text, " (default: {})", defaults.join(", "));
    }
    text.trim().to_owned()
}

/// Writes the example as a block of shell, and the paragraphs after it as text.
fn write_example(text: &mut String, command: &Command) {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines: Vec<&str> = help.lines().skip(1).collect();
    let example: Vec<&str> = lines.iter().map_while(|line| line.strip_prefix("  ")).collect();
    let _ = writeln!(text, "\n```sh\n{}\n```", example.join("\n"));
    let rest = lines[example.len()..].join("\n");
    if !rest.trim().is_empty() {
        let _ = writeln!(text, "\n{}", rest.trim());
    }
}
