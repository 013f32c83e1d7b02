//! Questions about the task to begin with: "what should I do first", "what's next".

use crate::domain::task::Status;
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::intent::ListQuery;
use crate::llm::rules::read::pattern::Patterns;

const QUESTIONS: Patterns<10> = Patterns::of([
    "so|ok|okay|and? what|which TASK|one|thing|job? should|shall|must|do|can|could|would i|we need|have|want|best? to? do|start|tackle|begin|\
     work|focus on? with? first|next|now",
    "what|which TASK|one|thing|job? should|shall|do i|we start|begin|focus on? with?",
    "what|whats is? next|first up|for? me?",
    "what|whats is? my|the next|first|topmost TASK|thing|job|one? on? LIST?",
    "what|whats is? the? most urgent|important|pressing TASK|thing|job|one? right? now? on? LIST?",
    "where|with should|do|shall|what i|we should? start|begin|i? start|begin?",
    "what to do|tackle|start with? next|first|now",
    "what comes|is up next|first",
    "what now",
    "give|tell|show me my|the next TASK|thing|job",
]);

/// Parses a question about the first tasks.
pub(in crate::llm::rules) fn list(clause: &[Word]) -> Option<ListQuery> {
    QUESTIONS.fit(clause)?;
    Some(ListQuery { status: Some(Status::Pending), first: true, ..ListQuery::default() })
}
