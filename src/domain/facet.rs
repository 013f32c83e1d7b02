//! Projects and tags with their task counts.

use serde::{Deserialize, Serialize};

/// A project or a tag, and the number of open tasks that have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Facet {
    pub name: String,
    pub count: i64,
}

/// Projects and tags of a user's open tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Facets {
    pub projects: Vec<Facet>,
    pub tags: Vec<Facet>,
}
