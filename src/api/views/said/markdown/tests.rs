//! Replies crafted to produce far more HTML than text.

use super::*;
use crate::api::views::said::MOST_MARKUP;
use crate::raw_text::escaped;

/// Maximum length of a model's reply.
const LONGEST: usize = 20_000;

/// Returns the bytes of a page's tags, and its maximum depth of open elements.
fn structure(html: &str) -> (usize, usize) {
    let (mut bytes, mut open, mut deepest) = (0, 0_usize, 0);
    for (at, _) in html.match_indices('<') {
        let tag = html[at..].split_inclusive('>').next().expect("a tag");
        bytes += tag.len();
        match &tag[1..2] {
            "/" => open -= 1,
            _ if ["<br>", "<hr>"].contains(&tag) => {}
            _ => open += 1,
        }
        deepest = deepest.max(open);
    }
    (bytes, deepest)
}

/// Returns the words of a page.
fn words(html: &str) -> Vec<String> {
    let text = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    text.collect::<Vec<_>>().join(" ").split_whitespace().map(str::to_owned).collect()
}

fn repeated(text: &str) -> String {
    text.repeat(LONGEST / text.len())
}

/// Replies that produce, or once produced, far more HTML than text.
fn amplifiers() -> Vec<String> {
    let units = [
        ">",
        "> ",
        ">\n",
        "- ",
        "1. ",
        "+ > ",
        "*",
        "_",
        "*_",
        "**a** ",
        "*a* ",
        "a**b",
        "~~a~~ ",
        "`a` ",
        "[",
        "]",
        "![",
        "[a](",
        "[a](http://b) ",
        "<http://a>",
        "[a][b]",
        "[^a]",
        "<",
        "<a ",
        "<b>",
        "<!--",
        "&",
        "&amp;",
        "&lt;",
        "&#62;",
        "\"",
        "a\n",
        "a  \n",
        "# a\n",
        "###### a\n\n",
        "---\n",
        "```\n",
        "    a\n\n",
        "|a|\n|-|\n",
        "#1 ",
        "#7 ",
        "\\",
        "a\r",
        ">\r",
        "\t",
    ];
    let quotes = ">".repeat(LONGEST / 2);
    let address = format!("[a]: http://x.example/{}", "'".repeat(LONGEST / 2));
    let more = [
        format!("{quotes}a\n{}", "b\n".repeat(LONGEST / 4)),
        format!("{}a\n{}", "- ".repeat(LONGEST / 4), "b\n".repeat(LONGEST / 4)),
        format!("{}a\n{}", "- ".repeat(LONGEST / 4), "\n b\n".repeat(LONGEST / 8)),
        format!("{address}\n\n{}", "[a] ".repeat(LONGEST / 8)),
        format!("[a]: mailto:{}\n\n{}", "x".repeat(LONGEST / 2), "[a] ".repeat(LONGEST / 8)),
        (0..190).map(|level| format!("{}- a\n", " ".repeat(level))).collect(),
        (1..190).map(|level| format!("{}a\n\n", ">".repeat(level))).collect(),
        (1..190).map(|marks| format!("{} ", "`".repeat(marks))).collect(),
    ];
    units.iter().map(|unit| repeated(unit)).chain(more).collect()
}

fn milk() -> Task {
    let at = "2026-03-11T09:30:00Z";
    serde_json::from_value(serde_json::json!({
        "task_id": 7, "title": "\"".repeat(200), "description": null, "status": "completed", "priority": "none", "due": null,
        "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": at, "updated_at": at, "completed_at": at,
        "deleted_at": null,
    }))
    .unwrap()
}

#[test]
fn reply_costs_little_more_than_its_text() {
    for text in amplifiers() {
        let html = marked(&text, &[milk()]);
        let (name, (tags, depth)) = (text.chars().take(20).collect::<String>(), structure(&html));
        assert!(tags <= MOST_MARKUP, "{name:?}: {tags} bytes of tags");
        // A mention adds one level inside its link; the verbatim rest adds none.
        assert!(depth <= DEEPEST + 2, "{name:?}: {depth} elements deep");
        assert!(html.len() <= escaped(&text).len() + MOST_MARKUP, "{name:?}: {} bytes", html.len());
    }
}

#[test]
fn quote_marks_alone_cost_next_to_nothing() {
    for unit in [">", "> ", ">\n", "- ", "1. "] {
        let html = marked(&repeated(unit), &[]);
        assert!(html.len() < 1_000, "{unit:?}: {} bytes", html.len());
    }
}

#[test]
fn deep_text_stays_to_be_read() {
    let html = marked(&format!("{} at the end", ">".repeat(LONGEST)), &[]);
    assert_eq!(words(&html), ["at", "the", "end"]);
    let html = marked("- 1\n  - 2\n    - 3\n      - 4\n        - 5\n        - 6\n\n          7\n- 8", &[]);
    assert!(html.contains("<li>4<br>\n5<br>\n6<br>\n7"), "each on a line of its own: {html}");
    assert_eq!(words(&html), ["1", "2", "3", "4", "5", "6", "7", "8"]);
}

#[test]
fn reply_beyond_the_rendering_limit_continues_as_plain_text() {
    let reply: String = (0..1_500).map(|line| format!("- **{line}**\n")).collect();
    let html = marked(&reply, &[]);
    let (list, rest) = html.split_once("<pre>").expect("a rest");
    assert!(list.starts_with("<ul>\n<li><strong>0</strong></li>\n") && list.trim_end().ends_with("</ul>"), "{list}");
    assert!(rest.ends_with("- **1499**\n</pre>"), "{rest}");
    let shown: Vec<_> = words(&html).iter().filter_map(|word| word.trim_matches('*').parse::<usize>().ok()).collect();
    assert_eq!(shown, (0..1_500).collect::<Vec<_>>(), "nothing is lost");
}

#[test]
fn line_has_few_marks_of_quotes_and_lists() {
    for (line, left) in [
        (">".repeat(20), ">".repeat(16)),
        (format!("{}a > b", "- ".repeat(20)), format!("{} a > b", ["-"; 16].join(" "))),
        (format!("{}x", "1. > * ".repeat(7)), format!("{} x", "1. > * ".repeat(5) + "1.")),
        ("1.5 - 2 > 3".to_owned(), "1.5 - 2 > 3".to_owned()),
        (">>>>>>> theirs".to_owned(), ">>>>>>> theirs".to_owned()),
        (format!("a\r{}\r\nb", ">".repeat(17)), format!("a\n{}\nb", ">".repeat(16))),
    ] {
        assert_eq!(shallow(&line), left, "{line:?}");
    }
}
