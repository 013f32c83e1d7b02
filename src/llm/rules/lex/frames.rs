//! Vocabulary around requests: openers, closers, commands and subjects outside Docket.

use crate::llm::rules::lex::set::{Index, Set, file_set};

/// Words that begin a request to Docket, and so may begin a separate part after "and".
pub(in crate::llm::rules) const COMMANDS: Index = Index::of(file_set!("frames_commands"));

/// Verbs that begin a chore.
pub(in crate::llm::rules) const CHORES: Set = file_set!("chore_verbs");

/// Commands that cannot begin the continuation of a title after "and".
pub(in crate::llm::rules) const SURE_COMMANDS: Set = file_set!("frames_sure_commands");

/// Openers without meaning.
pub(in crate::llm::rules) const OPENERS: Index = Index::of(file_set!("frames_openers"));

/// Polite forms of requests; a request follows them, even one that Docket does not know.
pub(in crate::llm::rules) const ASKING: Index = Index::of(file_set!("frames_asking"));

/// Expressions of a wish, which introduce a request only if a command follows.
pub(in crate::llm::rules) const WISHING: Index = Index::of(file_set!("frames_wishing"));

/// Closers without meaning.
pub(in crate::llm::rules) const CLOSERS: Set = file_set!("frames_closers");

/// Things outside Docket, whatever the verb.
pub(in crate::llm::rules) const FOREIGN: Index = Index::of(file_set!("frames_foreign"));

/// The user's data as a whole, which no tool reaches.
pub(in crate::llm::rules) const PRIVATE: Set = file_set!("frames_private");

/// Names by which a message addresses Docket, if punctuation follows.
pub(in crate::llm::rules) const CALLED: Index = Index::of(file_set!("frames_called"));

/// Other openers, if punctuation follows.
pub(in crate::llm::rules) const DIVIDED: Index = Index::of(file_set!("frames_divided"));
