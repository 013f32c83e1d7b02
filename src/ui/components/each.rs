//! A keyed list whose rows keep their elements while it changes.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::any_view::{Erase, Piece};

/// A row that is still to be built. Rows with the same key are the same row.
struct Row {
    key: u64,
    make: Box<dyn FnOnce() -> Piece + Send>,
}

/// `key` identifies the rows of `each`. One instance of `For` serves all lists, whatever their rows contain.
#[component]
pub fn Each<T, K, V>(
    each: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> K + Send + 'static,
    children: impl Fn(T) -> V + Send + Sync + 'static,
) -> impl IntoView
where
    T: Send + 'static,
    K: Hash + 'static,
    V: Erase + 'static,
{
    let children = Arc::new(children);
    rows(Box::new(move || {
        let row = |item: T| {
            let mut hasher = DefaultHasher::new();
            key(&item).hash(&mut hasher);
            let children = children.clone();
            Row { key: hasher.finish(), make: Box::new(move || children(item).erase()) }
        };
        each().into_iter().map(row).collect()
    }))
}

fn rows(each: Box<dyn Fn() -> Vec<Row> + Send>) -> Piece {
    view! { <For each key=|row| row.key let:row>{(row.make)()}</For> }.erase()
}
