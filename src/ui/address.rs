//! The current address. The server asks Leptos's router. The browser uses `browser/travel.rs`, since the router's types
//! for each page would enlarge the download.

use leptos::prelude::*;

use super::derived::Kept;
#[cfg(feature = "hydrate")]
use super::derived::kept;
#[cfg(not(feature = "ssr"))]
use super::derived::latest;
use super::http;
use crate::domain::id::TaskNumber;
use crate::messages::layout as messages;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    pub path: String,
    /// The query without `?`.
    pub search: String,
}

impl Address {
    /// Returns the segment of the path at the index `at`, from 0.
    pub fn part(&self, at: usize) -> Option<String> {
        self.path.split('/').filter(|part| !part.is_empty()).nth(at).map(str::to_owned)
    }

    /// Returns the decoded value of the query field `name`.
    pub fn field(&self, name: &str) -> Option<String> {
        self.fields().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// Returns this address with the query field `name` set to `value`, or without the field.
    pub fn with(&self, name: &str, value: Option<&str>) -> String {
        let others = self.without(name);
        let field = value.map(|value| http::form(&[(name, value)]));
        let fields = [Some(others).filter(|others| !others.is_empty()), field];
        Self { path: self.path.clone(), search: fields.into_iter().flatten().collect::<Vec<_>>().join("&") }.whole()
    }

    fn without(&self, name: &str) -> String {
        let others: Vec<_> = self.fields().filter(|(field, _)| field != name).collect();
        let others: Vec<_> = others.iter().map(|(field, value)| (field.as_str(), value.as_str())).collect();
        http::form(&others)
    }

    /// Returns the address of a task, next to the list that is shown here.
    pub fn task(&self, number: TaskNumber) -> String {
        let of_tasks = self.path == "/tasks" || self.path.starts_with("/tasks/");
        let list = if of_tasks { self.search.clone() } else { String::new() };
        Self { path: format!("/tasks/{number}"), search: list }.whole()
    }

    /// Returns the address of a turn's detail, next to the audit log with its current filters.
    pub fn turn(&self, turn: &str) -> String {
        Self { path: format!("/audit/{turn}"), search: self.without("replay") }.whole()
    }

    /// Returns the address of the audit log with its current filters and no turn open.
    pub fn record(&self) -> String {
        Self { path: "/audit".to_owned(), search: self.without("replay") }.whole()
    }

    /// Returns path and query as one string.
    pub fn whole(&self) -> String {
        if self.search.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.search) }
    }

    fn fields(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.search.split('&').filter(|pair| !pair.is_empty());
        pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(name, value)| (plain(name), plain(value)))
    }
}

/// Decodes `+` and percent escapes; returns an empty string if the result is not UTF-8.
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

/// Returns the address of the page around the caller. A page that is being left keeps its address.
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

#[cfg(not(feature = "ssr"))]
#[derive(Clone, Copy)]
struct Here(Kept<Address>);

/// Number of followed links, from context.
#[derive(Clone, Copy)]
struct Steps(RwSignal<u32>);

/// Returns the number of followed links, including links to the page that is already shown.
pub fn steps() -> RwSignal<u32> {
    use_context::<Steps>().map_or_else(|| RwSignal::new(0), |steps| steps.0)
}

/// Puts address and link count into context and follows links from now on.
#[cfg(feature = "hydrate")]
pub fn provide() {
    use super::browser::travel;
    let (now, steps) = (RwSignal::new(travel::current()), RwSignal::new(0));
    travel::watch(now, steps);
    provide_context(Here(kept(move || now.get())));
    provide_context(Steps(steps));
}

/// Gives the page that is being built an address that stops changing once `is_mine` returns false. Otherwise a page
/// that is being left would fetch its data again, for the address of the next page.
#[cfg(not(feature = "ssr"))]
pub fn settle(here: Kept<Address>, is_mine: impl Fn(&Address) -> bool + Send + Sync + 'static) {
    let mine = move || Some(here.get()).filter(|now| is_mine(now));
    provide_context(Here(latest(here.get_untracked(), mine)));
}

#[cfg(feature = "ssr")]
pub fn title(page: &str) {
    crate::raw_text::document_title(&messages::page_title(page));
}

#[cfg(not(feature = "ssr"))]
pub fn title(page: &str) {
    document().set_title(&messages::page_title(page));
}

#[cfg(test)]
mod tests {
    use super::{Address, TaskNumber};

    fn at(path: &str, search: &str) -> Address {
        Address { path: path.to_owned(), search: search.to_owned() }
    }

    #[test]
    fn query_fields_are_decoded_leniently() {
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
    fn turn_address_keeps_the_list_filter_but_drops_the_replay() {
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
