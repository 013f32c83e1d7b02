//! Memories of earlier conversations: recall, embedding and summaries. The module keeps no state between turns;
//! memories are stored in the database.

/// Texts as vectors.
pub mod embed;
/// Extraction of facts to remember.
pub mod facts;
pub mod recall;
pub mod summarise;
/// Tokenisation of texts for search.
pub mod words;

#[cfg(test)]
mod tests;
