//! Values derived from what a page fetched.

use leptos::prelude::*;

/// A derived value. The browser names the memo itself: reading it through a signal of any kind weighs kilobytes.
#[cfg(not(feature = "ssr"))]
pub type Kept<T> = Memo<T>;
/// A derived value.
#[cfg(feature = "ssr")]
pub type Kept<T> = Signal<T>;

/// A derived value that is kept while its sources stay as they are.
///
/// The server computes it at each reading instead. There an answer that arrives wakes the `Suspense` around it before it
/// tells the memos that read it, so a memo on another thread could still give what it held before the answer: the page
/// would show an empty list beside the data of a full one, and would not hydrate.
#[cfg(feature = "ssr")]
pub fn kept<T>(compute: impl Fn() -> T + Send + Sync + 'static) -> Kept<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    Signal::derive(compute)
}

#[cfg(not(feature = "ssr"))]
pub fn kept<T>(compute: impl Fn() -> T + Send + Sync + 'static) -> Kept<T>
where
    T: PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| compute())
}

/// What `find` finds, kept like [`kept`]; `first` until it has found something, and the last find when there is none.
#[cfg(feature = "ssr")]
pub fn latest<T>(first: T, _find: impl Fn() -> Option<T> + Send + Sync + 'static) -> Kept<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Signal::stored(first)
}

#[cfg(not(feature = "ssr"))]
pub fn latest<T>(first: T, find: impl Fn() -> Option<T> + Send + Sync + 'static) -> Kept<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |last: Option<&T>| find().or_else(|| last.cloned()).unwrap_or_else(|| first.clone()))
}
