//! Tokens, punctuation and word lists of a message as typed. Input: text; output: [`token::Word`] with byte offsets.

/// Vocabulary around requests.
pub(in crate::llm::rules) mod frames;
pub(in crate::llm::rules) mod matching;
pub(in crate::llm::rules) mod numbers;
pub(in crate::llm::rules) mod set;
pub(in crate::llm::rules) mod token;
