//! Projects and tags of the caller's open tasks.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Ctx, Error, require};
use crate::domain::comparison::key;
use crate::domain::task::{Facet, Facets};
use crate::domain::user::{Caller, Scope};
use crate::store;

/// Maximum number of projects, and of tags.
const MOST: i64 = 200;
/// Maximum number of distinct tag sets read.
const SETS: i64 = 2_000;

/// Returns the most frequent projects and tags of the caller's open tasks, by name.
pub async fn of_open(ctx: &Ctx, caller: &Caller) -> Result<Facets, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let projects = store::facets::projects(&mut tx, caller.id(), MOST).await?;
    // Spellings that differ in case count as one tag, shown as the first.
    let mut tags: BTreeMap<String, Facet> = BTreeMap::new();
    for (set, count) in store::facets::tags(&mut tx, caller.id(), SETS).await? {
        for name in set {
            tags.entry(key(&name)).or_insert(Facet { name, count: 0 }).count += count;
        }
    }
    let projects = projects.into_iter().map(|(name, count)| Facet { name, count }).collect();
    Ok(Facets { projects: by_name(projects), tags: by_name(tags.into_values().collect()) })
}

/// Selects the facets with the most tasks, ordered by comparison key.
fn by_name(mut facets: Vec<Facet>) -> Vec<Facet> {
    facets.sort_by_key(|facet| Reverse(facet.count));
    facets.truncate(usize::try_from(MOST).expect("a small number"));
    facets.sort_by_cached_key(|facet| key(&facet.name));
    facets
}
