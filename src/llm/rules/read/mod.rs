//! Parsing of requests into intents, targets and fields, with scoring of alternatives. Input: a message; output: [`intent::Part`]s.

pub(in crate::llm::rules) mod abilities;
/// Questions about confirmations, and closing remarks.
pub(in crate::llm::rules) mod about;
/// Plausibility checks of a pattern's captures.
pub(in crate::llm::rules) mod accept;
/// Patterns of new tasks.
pub(in crate::llm::rules) mod adding;
/// Groups of tasks by a common property.
pub(in crate::llm::rules) mod alike;
/// Announcements of an item without its title.
pub(in crate::llm::rules) mod announced;
/// Phrases around a question about the list.
pub(in crate::llm::rules) mod asking;
/// Assent that is no clear yes.
pub(in crate::llm::rules) mod assent;
/// Dates relative to another date.
pub(in crate::llm::rules) mod beforehand;
/// Commands for groups of tasks.
pub(in crate::llm::rules) mod bulk;
pub(in crate::llm::rules) mod captured;
/// Patterns of changes to existing tasks.
pub(in crate::llm::rules) mod changing;
pub(in crate::llm::rules) mod chores;
/// Word classes with lookup by first letter.
pub(in crate::llm::rules) mod classes;
pub mod classifier;
/// Patterns that empty a field or skip an occurrence.
pub(in crate::llm::rules) mod clearing;
pub(in crate::llm::rules) mod context;
/// Stretches that continue the preceding words.
pub(in crate::llm::rules) mod continuing;
/// Courtesies around a request.
pub(in crate::llm::rules) mod courtesy;
/// Detection of words that no field contains.
pub(in crate::llm::rules) mod coverage;
/// Splitting of a message into clauses.
pub(in crate::llm::rules) mod cuts;
/// Dates next to a request.
pub(in crate::llm::rules) mod dating;
/// Dates and times of a clause.
pub(in crate::llm::rules) mod days;
/// Requests for other programs.
pub(in crate::llm::rules) mod devices;
/// Reassurances.
pub(in crate::llm::rules) mod ease;
/// Questions that a page of the application answers.
pub(in crate::llm::rules) mod elsewhere;
/// Several new tasks in one stretch.
pub(in crate::llm::rules) mod enumerating;
/// Questions about the world.
pub(in crate::llm::rules) mod facts;
pub(in crate::llm::rules) mod fields;
/// Questions about completed tasks.
pub(in crate::llm::rules) mod finished;
/// Questions about the task to begin with.
pub(in crate::llm::rules) mod first;
/// New tasks in the form of labelled fields.
pub(in crate::llm::rules) mod forms;
/// Fields of a message's own new tasks.
pub(in crate::llm::rules) mod given;
pub(in crate::llm::rules) mod grammar;
/// Parsing of a clause by the grammar.
pub(in crate::llm::rules) mod grammatical;
pub(in crate::llm::rules) mod intent;
/// Merging of parts.
pub(in crate::llm::rules) mod joining;
/// Changes of projects and tags.
pub(in crate::llm::rules) mod labelling;
pub(in crate::llm::rules) mod labels;
/// Questions about missed deadlines.
pub(in crate::llm::rules) mod lateness;
/// Statements that supply the object of the next request.
pub(in crate::llm::rules) mod lending;
/// Priorities in words.
pub(in crate::llm::rules) mod levels;
pub(in crate::llm::rules) mod lexicon;
/// New tasks in list form.
pub(in crate::llm::rules) mod listed;
pub(in crate::llm::rules) mod lists;
/// Patterns of reading a task, and of statements.
pub(in crate::llm::rules) mod looking;
pub(in crate::llm::rules) mod names;
/// Clauses that resemble a new task.
pub(in crate::llm::rules) mod nontasks;
pub(in crate::llm::rules) mod notes;
/// Two new tasks, each with its date.
pub(in crate::llm::rules) mod pairs;
/// Particles that belong to a verb.
pub(in crate::llm::rules) mod particles;
/// Splitting of a message into parts.
pub(in crate::llm::rules) mod parts;
pub(in crate::llm::rules) mod pattern;
pub(in crate::llm::rules) mod periods;
/// Destinations that follow several items.
pub(in crate::llm::rules) mod placed;
/// Destinations other than the list.
pub(in crate::llm::rules) mod placing;
/// Bare references to a task.
pub(in crate::llm::rules) mod pointing;
/// Sentences that ask for nothing.
pub(in crate::llm::rules) mod preface;
/// Deadlines after a task.
pub(in crate::llm::rules) mod pressing;
/// Qualities that name no item.
pub(in crate::llm::rules) mod qualities;
/// Parsing of one clause.
pub(in crate::llm::rules) mod reading;
/// Dates of statements.
pub(in crate::llm::rules) mod redating;
/// Ends of recurrences.
pub(in crate::llm::rules) mod repeating;
/// New tasks that replace others.
pub(in crate::llm::rules) mod replacing;
/// Partial changes of a title.
pub(in crate::llm::rules) mod rewording;
pub(in crate::llm::rules) mod rule;
/// Statements that requests refer to.
pub(in crate::llm::rules) mod said;
/// Requests outside Docket's scope.
pub(in crate::llm::rules) mod scope;
/// Scoring of alternative meanings.
pub(in crate::llm::rules) mod score;
/// Several new tasks in one request.
pub(in crate::llm::rules) mod several;
pub(in crate::llm::rules) mod shift;
/// Other names of shopping lists.
pub(in crate::llm::rules) mod shops;
/// Symbols at the edges of a title.
pub(in crate::llm::rules) mod signs;
/// Bulk commands with exceptions.
pub(in crate::llm::rules) mod sparing;
pub(in crate::llm::rules) mod status;
/// Fields after a request.
pub(in crate::llm::rules) mod tails;
pub(in crate::llm::rules) mod talk;
/// Attempts to disable safeguards.
pub(in crate::llm::rules) mod tampering;
/// References to tasks.
pub(in crate::llm::rules) mod target;
/// Questions about a project, tag or subject.
pub(in crate::llm::rules) mod topics;
/// Messages that need a question.
pub(in crate::llm::rules) mod unclear;
/// Titles that name nothing.
pub(in crate::llm::rules) mod vague;
/// Words that only ask for time.
pub(in crate::llm::rules) mod waiting;
/// Questions about other people's tasks.
pub(in crate::llm::rules) mod whose;
/// Chores without “add”.
pub(in crate::llm::rules) mod wish;
