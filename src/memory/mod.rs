//! What earlier conversations left behind: what comes to mind, and by what it is found. Nothing is kept here between turns; what
//! is remembered stands in the database.

/// Texts as vectors.
pub mod embed;
/// What comes to mind.
pub mod recall;
/// Summing up older messages.
pub mod summarise;
/// A text as searches see it.
pub mod words;

#[cfg(test)]
mod tests;
