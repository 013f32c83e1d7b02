//! The engine that needs no model: grammar, tables and no state. It reads the person's words, never the prompt.

use async_trait::async_trait;

use crate::domain::decision::Engine;
use crate::llm::{Llm, LlmError, Reply, Request};

/// Questions about what Docket can do.
mod abilities;
/// How Docket works, asked of it.
mod about;
/// Whether a pattern was fitted sensibly.
mod accept;
/// Patterns of what is to be put on the list.
mod adding;
/// Many tasks by what they have in common.
mod alike;
/// That there is something for the list.
mod announced;
/// What stands around a question about the list.
mod asking;
/// Assent that is no clear yes.
mod assent;
/// Turns that may not read tasks.
mod barred;
/// What goes on from the turn before.
mod carry;
/// Changes that start from what a task has.
mod changed;
/// Patterns of what is to be done with tasks.
mod changing;
/// The words of the grammar, found by their first letters.
mod classes;
/// What the grammar cannot read.
pub mod classifier;
/// Where a message is cut.
mod clauses;
/// Messages that confirm themselves.
pub mod confirmed;
/// Politeness, which is no part of a request.
mod courtesy;
/// Days that stand beside a request.
mod dating;
/// What other programs do.
mod devices;
/// Words that stand for signs.
mod dictated;
/// What is said so that nobody worries.
mod ease;
/// New tasks out of the words for them.
mod ending;
mod fields;
/// Messages that only make sense after the turn before.
mod follow;
/// New tasks as forms that are filled in.
mod forms;
/// What stands around requests.
mod frames;
/// The grammar: tables of patterns.
mod grammar;
/// What a message asks for.
mod intent;
/// Parts that belong together.
mod joining;
mod labelling;
/// The words of the grammar.
mod labels;
/// Deadlines that went by.
mod lateness;
/// What a statement lends to the request behind it.
mod lending;
/// Priorities as people say them.
mod levels;
mod lexicon;
/// Questions about the list.
mod lists;
/// Patterns of looking at a task and of statements.
mod looking;
/// Which tasks fit a description.
mod matching;
/// What slips and false starts were to be.
mod mending;
/// Courtesies in the midst of a request.
mod midway;
/// Names that a guess may not shorten.
mod narrowing;
/// What looks like a new task and is none.
mod nontasks;
/// What is known of a message while it is read.
mod notes;
/// The numbers of tasks.
mod numbers;
/// The list by what is on it.
mod others;
/// Two new tasks, each with its day.
mod pairs;
/// Small words that belong to a verb.
mod particles;
/// A message cut into its parts.
mod parts;
/// A small pattern language.
mod pattern;
/// The wording of replies.
mod phrase;
/// Where things go is said behind all of them.
mod placed;
/// Things that are to go elsewhere than on the list.
mod placing;
/// From a request to the next act.
mod plan;
/// By when a task is needed.
mod pressing;
/// What only tells of what kind a thing is.
mod qualities;
/// Calls that look tasks up.
mod queries;
/// One clause read into a part.
mod reading;
/// What the conversation so far tells.
mod recall;
/// Days that statements name.
mod redating;
/// The task that a remark is about.
mod remarks;
/// Where a title ends and the new one begins.
mod renaming;
/// New tasks in the place of others.
mod replacing;
/// Parts resolved into calls.
mod resolve;
/// Changes of a few words of a title.
mod rewording;
/// Statements that requests point back to.
mod said;
/// What Docket will not do.
mod scope;
/// Sets of words and phrases.
mod set;
/// Several new tasks of one request.
mod several;
/// Due dates moved by an amount.
mod shift;
/// Shopping lists by other names.
mod shops;
/// Slips of the finger.
mod slips;
/// All tasks but those that are to stay.
mod sparing;
/// Open or done, or both.
mod status;
/// What is said of a task behind the request.
mod tails;
/// Small talk.
mod talk;
/// Attempts to switch off what protects the list.
mod tampering;
/// How a task is referred to.
mod target;
/// Numbers of two words.
mod tens;
/// Messages that are asked about before anything is guessed.
mod unclear;
/// Messages that take back what was done.
mod undoing;
/// Words that only ask for time.
mod waiting;
/// Whose tasks are asked for.
mod whose;
/// A message cut into words.
mod words;

/// The rules engine. Deterministic and total: every request gets an act.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

#[async_trait]
impl Llm for Rules {
    fn engine(&self) -> Engine {
        Engine::Rules
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        let (act, intent) = plan::decide(request);
        Ok(Reply::plain(act, intent))
    }
}

#[cfg(test)]
mod tests;
