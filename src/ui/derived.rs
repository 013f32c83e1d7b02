//! Values derived from fetched data.

use leptos::prelude::*;

/// A derived value. The browser names the memo itself: reading it through a `Signal` would enlarge the download.
#[cfg(not(feature = "ssr"))]
pub type Kept<T> = Memo<T>;
#[cfg(feature = "ssr")]
pub type Kept<T> = Signal<T>;

/// A derived value that notifies only when it changes.
///
/// The server computes it at each read instead. There an arriving answer wakes the `Suspense` before the memos that depend on it. A memo on
/// another thread could return its old value: the page would show an empty list next to the data of a full one, and would not hydrate.
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

/// Returns the last value that `find` found, memoised like [`kept`]; `first` until there is one.
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
