//! What tasks are filed under.

use serde::{Deserialize, Serialize};

/// A project or a tag, and how many open tasks have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Facet {
    pub name: String,
    pub count: i64,
}

/// What a user's open tasks are filed under.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Facets {
    pub projects: Vec<Facet>,
    pub tags: Vec<Facet>,
}
