//! What the caller's open tasks are filed under, for the links beside the list.

use std::collections::BTreeMap;

use super::{Ctx, Error, require};
use crate::domain::task::{Facet, Facets};
use crate::domain::user::{Caller, Scope};
use crate::store;

/// The projects and tags of the caller's open tasks, by name.
pub async fn of_open(ctx: &Ctx, caller: &Caller) -> Result<Facets, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let projects = store::facets::projects(&mut tx, caller.id()).await?;
    // Case makes no other tag; the first spelling stands for all.
    let mut tags: BTreeMap<String, Facet> = BTreeMap::new();
    for (set, count) in store::facets::tags(&mut tx, caller.id()).await? {
        for name in set {
            tags.entry(name.to_lowercase()).or_insert(Facet { name, count: 0 }).count += count;
        }
    }
    let projects = projects.into_iter().map(|(name, count)| Facet { name, count }).collect();
    Ok(Facets { projects, tags: tags.into_values().collect() })
}
