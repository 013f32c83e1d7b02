//! Values derived from what a page fetched.

use leptos::prelude::*;

/// A derived value that is kept while its sources stay as they are.
///
/// The server computes it at each reading instead. There an answer that arrives wakes the `Suspense` around it before it
/// tells the memos that read it, so a memo on another thread could still give what it held before the answer: the page
/// would show an empty list beside the data of a full one, and would not hydrate.
pub fn kept<T>(compute: impl Fn() -> T + Send + Sync + 'static) -> Signal<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    if cfg!(feature = "ssr") { Signal::derive(compute) } else { Memo::new(move |_| compute()).into() }
}

/// What `find` finds, kept like [`kept`]; `first` until it has found something, and the last find when there is none.
pub fn latest<T>(first: T, find: impl Fn() -> Option<T> + Send + Sync + 'static) -> Signal<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    if cfg!(feature = "ssr") {
        return Signal::stored(first);
    }
    Memo::new(move |last: Option<&T>| find().or_else(|| last.cloned()).unwrap_or_else(|| first.clone())).into()
}
