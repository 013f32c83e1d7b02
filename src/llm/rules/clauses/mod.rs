//! Messages whose form lists several requests, split before parsing. Input: text; output: [`listing::Listing`].

/// Headings of lists.
pub(in crate::llm::rules) mod heads;
/// Compounds that contain “and”.
pub(in crate::llm::rules) mod inseparable;
/// Possible boundaries between requests.
pub(in crate::llm::rules) mod joints;
/// Lists recognised by their form.
pub(in crate::llm::rules) mod listing;
