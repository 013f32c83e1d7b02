//! What the caller's open tasks are filed under, for the links beside the list.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Ctx, Error, require};
use crate::domain::task::{Facet, Facets};
use crate::domain::user::{Caller, Scope};
use crate::store;

/// Most projects, and most tags, that are told.
const MOST: i64 = 200;
/// Sets of tags that are looked through for them.
const SETS: i64 = 2_000;

/// The projects and tags of the caller's open tasks that most of them have, by name.
pub async fn of_open(ctx: &Ctx, caller: &Caller) -> Result<Facets, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let projects = store::facets::projects(&mut tx, caller.id(), MOST).await?;
    // Case makes no other tag; the first spelling stands for all.
    let mut tags: BTreeMap<String, Facet> = BTreeMap::new();
    for (set, count) in store::facets::tags(&mut tx, caller.id(), SETS).await? {
        for name in set {
            tags.entry(name.to_lowercase()).or_insert(Facet { name, count: 0 }).count += count;
        }
    }
    let projects = projects.into_iter().map(|(name, count)| Facet { name, count }).collect();
    Ok(Facets { projects: by_name(projects), tags: by_name(tags.into_values().collect()) })
}

/// The facets with the most tasks, in the order of their names in lower case.
fn by_name(mut facets: Vec<Facet>) -> Vec<Facet> {
    facets.sort_by_key(|facet| Reverse(facet.count));
    facets.truncate(usize::try_from(MOST).expect("a small number"));
    facets.sort_by_cached_key(|facet| facet.name.to_lowercase());
    facets
}
