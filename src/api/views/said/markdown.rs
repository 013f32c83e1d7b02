//! Renders a model's Markdown as HTML of bounded size and depth, for any nesting, repetition or links.

use std::borrow::Cow;
use std::collections::HashSet;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::{Budget, Chips};
use crate::domain::receipt::lines_by_code;
use crate::domain::task::Task;
use crate::domain::task_mention::pieces;
use crate::domain::text::unix_lines;
use crate::domain::turn::ToolCall;

/// Maximum depth of nested elements.
const DEEPEST: usize = 8;
/// Maximum number of quote and list markers read at the start of a line. The parser visits all of them on each line.
const MOST_MARKS: usize = 16;
/// Bytes of HTML around the rest that is shown verbatim.
const REST: usize = 11;
/// Elements that the HTML may contain.
const ELEMENTS: [&str; 14] =
    ["a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "span", "strong", "ul"];
/// URL schemes that links may have.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Renders Markdown (CommonMark): headings as bold paragraphs, images as their text, links with their host, HTML as text. Once
/// the [`Budget`] is spent, the rest is shown verbatim.
pub fn marked(text: &str, tasks: &[Task]) -> String {
    let source = shallow(text);
    // An escape is no part of a title.
    let mut page = Page::new(Chips::new(&text.replace('\\', ""), tasks));
    for (event, place) in Parser::new_ext(&source, Options::ENABLE_STRIKETHROUGH).into_offset_iter() {
        if !page.take(event) {
            page.end_with(&source[place.start..]);
            break;
        }
    }
    let mut all = String::with_capacity(text.len() * 2);
    html::push_html(&mut all, page.events.into_iter());
    // The events above produce only these elements; a later version of the parser might produce others.
    ammonia::Builder::new()
        .tags(ELEMENTS.into())
        .allowed_classes(
            [("a", ["task-chip"].into()), ("span", ["task-chip__title", "task-chip__state"].into())].into(),
        )
        .tag_attributes([("a", ["href"].into()), ("ol", ["start"].into())].into())
        .generic_attributes([].into())
        .url_schemes(SCHEMES.into())
        .link_rel(Some("noopener noreferrer nofollow"))
        .clean(&all)
        .to_string()
}

/// Escapes the lines in which code reports the turn's calls, because a title may contain any sign.
pub fn literal(text: &str, calls: &[ToolCall]) -> String {
    let by_code: HashSet<String> = calls.iter().flat_map(lines_by_code).collect();
    let line = |line: &str| if by_code.contains(line) { escaped(line) } else { line.to_owned() };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Puts a backslash before each sign of a line except that of a mention.
fn escaped(line: &str) -> String {
    let (mut all, mut chars) = (String::with_capacity(line.len() * 2), line.chars().peekable());
    while let Some(c) = chars.next() {
        let mentions = c == '#' && chars.peek().is_some_and(char::is_ascii_digit);
        if c.is_ascii_punctuation() && !mentions {
            all.push('\\');
        }
        all.push(c);
    }
    all
}

/// Limits each line to [`MOST_MARKS`] markers at its start.
fn shallow(text: &str) -> Cow<'_, str> {
    let text = unix_lines(text);
    if text.lines().all(|line| surplus(line).is_none()) {
        return text;
    }
    let mut flat = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match surplus(line) {
            Some((from, until)) => flat.extend([&line[..from], &line[until..]]),
            None => flat.push_str(line),
        }
    }
    flat.into()
}

/// Returns the byte range of the surplus markers of a line.
fn surplus(line: &str) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let (mut at, mut count, mut from) = (0, 0, 0);
    loop {
        let start = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let Some(length) = mark(&bytes[start..]) else { break };
        at = start + length;
        count += 1;
        if count == MOST_MARKS {
            from = at;
        }
    }
    (count > MOST_MARKS).then_some((from, at))
}

/// Returns the length of the quote or list marker that the bytes begin with.
fn mark(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length = match bytes.get(digits)? {
        b'>' if digits == 0 => return Some(1),
        b'-' | b'+' | b'*' if digits == 0 => 1,
        b'.' | b')' if (1..10).contains(&digits) => digits + 1,
        _ => return None,
    };
    bytes.get(length).is_none_or(u8::is_ascii_whitespace).then_some(length)
}

/// Returns the host or mail address that a link leads to; `None` for relative and disallowed addresses.
fn host(address: &str) -> Option<String> {
    if let Some(to) = address.strip_prefix("mailto:") {
        return Some(to.to_owned());
    }
    let parsed: http::Uri = address.parse().ok()?;
    let scheme = parsed.scheme_str().filter(|scheme| SCHEMES.contains(scheme));
    scheme.and(parsed.host()).map(str::to_owned)
}

struct Open<'a> {
    /// False if the element is omitted but its content is kept.
    shown: bool,
    /// True if its content begins on a new line.
    block: bool,
    /// True if mentions inside the element are not linked.
    aside: bool,
    ends: Vec<Event<'a>>,
}

/// An element about to open: its end, its first events and their size in bytes of HTML.
struct Element<'a> {
    open: Open<'a>,
    starts: Vec<Event<'a>>,
    cost: usize,
}

impl<'a> Element<'a> {
    fn of(tag: Tag<'a>) -> Self {
        let element = |starts: Vec<Tag<'a>>, aside, block, cost| {
            let ends = starts.iter().rev().map(|tag| Event::End(tag.to_end())).collect();
            let starts = starts.into_iter().map(Event::Start).collect();
            Self { open: Open { shown: true, block, aside, ends }, starts, cost }
        };
        match tag {
            Tag::Image { .. } | Tag::HtmlBlock => element(vec![], false, false, 0),
            Tag::Link { ref dest_url, .. } => {
                let Some(host) = host(dest_url) else { return element(vec![], false, false, 0) };
                // Each byte may be percent-encoded or written as a character reference.
                let cost = 80 + 6 * dest_url.len() + 6 * host.len();
                let mut link = element(vec![tag], true, false, cost);
                link.open.ends.push(Event::Text(format!(" ({host})").into()));
                link
            }
            Tag::Heading { .. } => element(vec![Tag::Paragraph, Tag::Strong], false, true, 25),
            // Drops the name of the language, which is not displayed.
            Tag::CodeBlock(_) => element(vec![Tag::CodeBlock(CodeBlockKind::Indented)], true, true, 27),
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => element(vec![tag], false, false, 17),
            Tag::Paragraph | Tag::Item => element(vec![tag], false, true, 10),
            other => element(vec![other], false, true, 28),
        }
    }
}

/// The rendered output, as a list of events.
struct Page<'a, 't> {
    chips: Chips<'t>,
    budget: Budget,
    events: Vec<Event<'a>>,
    open: Vec<Open<'a>>,
    /// Number of open elements that are shown, and of those without links.
    depth: usize,
    asides: usize,
    /// True after an omitted block has ended: the next text begins a line.
    breaks: bool,
}

impl<'a, 't> Page<'a, 't> {
    fn new(chips: Chips<'t>) -> Self {
        let mut budget = Budget::default();
        budget.take(REST);
        Self { chips, budget, events: vec![], open: vec![], depth: 0, asides: 0, breaks: false }
    }

    /// Adds an event; returns false if the budget has no room for it.
    fn take(&mut self, event: Event<'a>) -> bool {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => {
                self.end();
                true
            }
            Event::SoftBreak | Event::HardBreak => self.push(Event::HardBreak, 5),
            Event::Rule => self.push(Event::Rule, 5),
            Event::Code(_) => self.begin_line() && self.push(event, 13),
            Event::Html(text) | Event::InlineHtml(text) => self.begin_line() && self.push(Event::Text(text), 0),
            Event::Text(text) if self.asides == 0 => self.begin_line() && self.speak(&text),
            other => self.begin_line() && self.push(other, 0),
        }
    }

    fn push(&mut self, event: Event<'a>, cost: usize) -> bool {
        let room = self.budget.take(cost);
        if room {
            self.events.push(event);
        }
        room
    }

    fn start(&mut self, tag: Tag<'a>) -> bool {
        // A list and its entries are shown together or not at all.
        let shown = match tag {
            Tag::Item => self.open.last().is_some_and(|list| list.shown),
            Tag::List(_) => self.depth + 2 <= DEEPEST,
            _ => self.depth < DEEPEST,
        };
        let mut element = Element::of(tag);
        if shown {
            if !self.budget.take(element.cost) {
                return false;
            }
            self.events.append(&mut element.starts);
            self.depth += 1;
        } else {
            element.open.ends.clear();
            self.breaks |= element.open.block;
        }
        element.open.shown = shown;
        self.asides += usize::from(element.open.aside);
        self.open.push(element.open);
        true
    }

    fn end(&mut self) {
        let Some(mut open) = self.open.pop() else { return };
        self.asides -= usize::from(open.aside);
        self.depth -= usize::from(open.shown);
        self.breaks = !open.shown && open.block;
        self.events.append(&mut open.ends);
    }

    /// Separates omitted content from the text that follows.
    fn begin_line(&mut self) -> bool {
        let inline = match self.events.last() {
            Some(Event::Text(_) | Event::Code(_) | Event::InlineHtml(_)) => true,
            Some(Event::End(tag)) => {
                matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link)
            }
            _ => false,
        };
        let breaks = std::mem::take(&mut self.breaks) && inline;
        !breaks || self.push(Event::HardBreak, 5)
    }

    /// Adds text with links for mentioned tasks.
    fn speak(&mut self, text: &str) -> bool {
        let Self { chips, budget, events, .. } = self;
        pieces(text, |piece| match piece {
            Ok(text) => events.push(Event::Text(CowStr::from(text.to_owned()))),
            Err(number) => events.push(match chips.html(number, budget) {
                Some(html) => Event::InlineHtml(html.into()),
                None => Event::Text(format!("#{number}").into()),
            }),
        });
        true
    }

    /// Closes all open elements and shows the rest of the source verbatim.
    fn end_with(&mut self, rest: &'a str) {
        while !self.open.is_empty() {
            self.end();
        }
        self.events.extend([
            Event::InlineHtml("<pre>".into()),
            Event::Text(rest.trim_start_matches('\n').into()),
            Event::InlineHtml("</pre>".into()),
        ]);
    }
}

#[cfg(test)]
mod tests;
