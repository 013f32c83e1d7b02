//! Where the reader is. The server asks Leptos's router. The browser has a small way of its own between pages
//! (`browser/travel.rs`): that router's types for each page would be a part of the download that no reader needs.

use leptos::prelude::*;

use super::call;
use super::kept::Kept;
#[cfg(feature = "hydrate")]
use super::kept::kept;
#[cfg(not(feature = "ssr"))]
use super::kept::latest;
use crate::domain::id::TaskNumber;
use crate::words::frame as words;

/// The address of a page: what stands behind the origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    pub path: String,
    /// What follows `?`, without it.
    pub search: String,
}

impl Address {
    /// What is between the slashes of the path, at `at` from 0 on.
    pub fn part(&self, at: usize) -> Option<String> {
        self.path.split('/').filter(|part| !part.is_empty()).nth(at).map(str::to_owned)
    }

    /// The value of `name` in the query, if it is there.
    pub fn field(&self, name: &str) -> Option<String> {
        self.fields().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// The same page with `name` in its query as `value`, or without it.
    pub fn with(&self, name: &str, value: Option<&str>) -> String {
        let others = self.without(name);
        let field = value.map(|value| call::form(&[(name, value)]));
        let fields = [Some(others).filter(|others| !others.is_empty()), field];
        Self { path: self.path.clone(), search: fields.into_iter().flatten().collect::<Vec<_>>().join("&") }.whole()
    }

    /// The query without `name`.
    fn without(&self, name: &str) -> String {
        let others: Vec<_> = self.fields().filter(|(field, _)| field != name).collect();
        let others: Vec<_> = others.iter().map(|(field, value)| (field.as_str(), value.as_str())).collect();
        call::form(&others)
    }

    /// The page of a task, beside the list that is shown here.
    pub fn task(&self, number: TaskNumber) -> String {
        let of_tasks = self.path == "/tasks" || self.path.starts_with("/tasks/");
        let list = if of_tasks { self.search.clone() } else { String::new() };
        Self { path: format!("/tasks/{number}"), search: list }.whole()
    }

    /// The story of a turn, beside the list of the record that is shown here.
    pub fn turn(&self, turn: &str) -> String {
        Self { path: format!("/audit/{turn}"), search: self.without("replay") }.whole()
    }

    /// The list of the record without what stands beside it.
    pub fn record(&self) -> String {
        Self { path: "/audit".to_owned(), search: self.without("replay") }.whole()
    }

    /// The page in one piece.
    pub fn whole(&self) -> String {
        if self.search.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.search) }
    }

    fn fields(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.search.split('&').filter(|pair| !pair.is_empty());
        pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(name, value)| (plain(name), plain(value)))
    }
}

/// What `text` says without `+` and `%20`.
fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut read = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).and_then(|code| std::str::from_utf8(code).ok());
        match (byte, code.and_then(|code| u8::from_str_radix(code, 16).ok())) {
            (b'%', Some(meant)) => {
                read.push(meant);
                at += 2;
            }
            (b'+', _) => read.push(b' '),
            _ => read.push(byte),
        }
        at += 1;
    }
    String::from_utf8(read).unwrap_or_default()
}

/// The address of the page around the caller. A page that is being left keeps its own.
#[cfg(feature = "ssr")]
pub fn here() -> Kept<Address> {
    let url = leptos_router::hooks::use_url();
    Signal::derive(move || {
        url.with(|url| Address { path: url.path().to_owned(), search: url.search().trim_start_matches('?').to_owned() })
    })
}

#[cfg(not(feature = "ssr"))]
pub fn here() -> Kept<Address> {
    expect_context::<Here>().0
}

/// An address, from context.
#[cfg(not(feature = "ssr"))]
#[derive(Clone, Copy)]
struct Here(Kept<Address>);

/// How many links the reader has followed, from context.
#[derive(Clone, Copy)]
struct Steps(RwSignal<u32>);

/// How many links the reader has followed: one more also where a link leads to the page that it stands on.
pub fn steps() -> RwSignal<u32> {
    use_context::<Steps>().map_or_else(|| RwSignal::new(0), |steps| steps.0)
}

/// Follows links from now on.
#[cfg(feature = "hydrate")]
pub fn provide() {
    use super::browser::travel;
    let (now, steps) = (RwSignal::new(travel::current()), RwSignal::new(0));
    travel::watch(now, steps);
    provide_context(Here(kept(move || now.get())));
    provide_context(Steps(steps));
}

/// Gives the page that is built now an address of its own, which stands still once `is_mine` denies the new one: else a page
/// that is being left would read what it shows once more, for the address of the next one.
#[cfg(not(feature = "ssr"))]
pub fn settle(here: Kept<Address>, is_mine: impl Fn(&Address) -> bool + Send + Sync + 'static) {
    let mine = move || Some(here.get()).filter(|now| is_mine(now));
    provide_context(Here(latest(here.get_untracked(), mine)));
}

/// Names the page at the top of the window.
#[cfg(feature = "ssr")]
pub fn title(page: &str) {
    crate::raw_text::document_title(&words::page_title(page));
}

#[cfg(not(feature = "ssr"))]
pub fn title(page: &str) {
    document().set_title(&words::page_title(page));
}

#[cfg(test)]
mod tests {
    use super::{Address, TaskNumber};

    fn at(path: &str, search: &str) -> Address {
        Address { path: path.to_owned(), search: search.to_owned() }
    }

    #[test]
    fn the_fields_of_a_query_are_read_as_they_were_meant() {
        let address = at("/audit", "text=caf%C3%A9+%26+100%&tool=&live=off&broken=%FF&short=%2");
        let cases = [
            ("text", Some("café & 100%")),
            ("tool", Some("")),
            ("live", Some("off")),
            ("broken", Some("")),
            ("short", Some("%2")),
            ("none", None),
        ];
        for (name, value) in cases {
            assert_eq!(address.field(name).as_deref(), value, "{name}");
        }
    }

    #[test]
    fn one_field_changes_and_the_others_stay() {
        let address = at("/audit", "text=a%20b&live=off");
        assert_eq!(address.with("live", None), "/audit?text=a%20b");
        assert_eq!(address.with("text", Some("c&d")), "/audit?live=off&text=c%26d");
        assert_eq!(at("/audit", "live=off").with("live", None), "/audit");
        assert_eq!(at("/audit", "").with("live", Some("off")), "/audit?live=off");
    }

    #[test]
    fn a_task_keeps_the_list_that_it_was_opened_from() {
        for (path, search, page) in [
            ("/tasks", "view=today&q=a%20b", "/tasks/42?view=today&q=a%20b"),
            ("/tasks/7", "project=Home", "/tasks/42?project=Home"),
            ("/tasks", "", "/tasks/42"),
            ("/", "c=new", "/tasks/42"),
        ] {
            assert_eq!(at(path, search).task(TaskNumber(42)), page, "{path}?{search}");
        }
    }

    #[test]
    fn a_turn_keeps_the_list_beside_it_and_not_what_was_asked_of_another() {
        let open = at("/audit/7", "tool=add_task&replay=rules&text=a%20b");
        assert_eq!(open.turn("8"), "/audit/8?tool=add_task&text=a%20b");
        assert_eq!(open.record(), "/audit?tool=add_task&text=a%20b");
        assert_eq!(at("/audit/7", "replay=rules").record(), "/audit");
    }

    #[test]
    fn the_parts_of_a_path_are_counted_from_0() {
        assert_eq!(at("/tasks/42", "").part(1).as_deref(), Some("42"));
        assert_eq!(at("/tasks/", "").part(1), None);
        assert_eq!(at("/", "").part(0), None);
    }
}
