//! Repair of typos, fillers, corrections and asides; phrases for the list are folded into one word. Input: text; output: [`words::words`].

/// Parts of a request that its own message takes back.
pub(in crate::llm::rules) mod contrast;
pub(in crate::llm::rules) mod corrections;
/// Dictated punctuation.
pub(in crate::llm::rules) mod dictated;
/// Phrases that request a new task.
pub(in crate::llm::rules) mod leads;
/// Repair of typos and false starts.
pub(in crate::llm::rules) mod mending;
/// Courtesies in the middle of a request.
pub(in crate::llm::rules) mod midway;
/// Descriptions of the list by its contents.
pub(in crate::llm::rules) mod others;
/// Turns of phrase.
pub(in crate::llm::rules) mod rewriting;
/// Typos in words of the grammar.
pub(in crate::llm::rules) mod slips;
/// Fields in words.
pub(in crate::llm::rules) mod spoken_fields;
/// Numbers of two words.
pub(in crate::llm::rules) mod tens;
pub(in crate::llm::rules) mod words;
