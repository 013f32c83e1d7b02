//! Injection of markup: no user-supplied string is anything but text on any page.

use std::collections::{HashMap, HashSet};

use futures::future::join;
use serde_json::Value;

use crate::app::{Client, Reply};
use page::Page;
use steps::{How, Step, Who, steps};
use words::{HOSTILE, Words};
use world::World;

mod page;
mod provider;
mod steps;
/// Forms saved without a change.
mod unchanged;
/// Hostile strings.
mod words;
/// Two accounts with data in every field.
mod world;

impl World {
    /// Returns the page after a step.
    async fn show(&self, step: &Step) -> Page {
        let nobody = Client::browser(&self.app.server.base);
        let client = match step.who {
            Who::Ada => &self.ada,
            Who::Root => &self.root,
            Who::Nobody => &nobody,
        };
        let fields: Vec<_> = step.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let reply = match step.how {
            How::Page | How::Pieces => client.get(&step.path, &fields).await,
            How::Form => led(client, client.form(&step.path, &fields).await).await,
        };
        assert!(reply.status < 500, "{step:?}: {}", reply.text);
        match step.how {
            How::Pieces => pieces(&reply),
            How::Page | How::Form => {
                assert!(reply.header("content-type").starts_with("text/html"), "{step:?}: {reply:?}");
                Page::read(&reply.text)
            }
        }
    }
}

/// Follows the redirect of an answer.
async fn led(client: &Client, answer: Reply) -> Reply {
    if answer.status != 303 {
        return answer;
    }
    let place = answer.header("location").split('#').next().unwrap_or_default().to_owned();
    assert!(place.starts_with('/') && !place.starts_with("//"), "{place}");
    client.get(&place, &[]).await
}

/// Returns the HTML of an answer: all of it, or its `html` fields.
fn pieces(reply: &Reply) -> Page {
    fn find(value: &Value, all: &mut String) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| find(item, all)),
            Value::Object(fields) => {
                if let Some(Value::String(html)) = fields.get("html") {
                    let class = if fields.contains_key("message_id") { "message-item__text" } else { "piece" };
                    *all += &format!("<section class=\"{class}\">{html}</section>");
                }
                fields.values().for_each(|value| find(value, all));
            }
            _ => {}
        }
    }
    let value = reply.json();
    let mut all = value.as_str().unwrap_or_default().to_owned();
    find(&value, &mut all);
    Page::fragment(&all)
}

#[tokio::test]
async fn hostile_text_is_text_on_every_page() {
    let world = |hostile| World::new(Words { hostile });
    let (hostile, innocent) = join(world(true), world(false)).await;
    assert_eq!(hostile.shape().await, innocent.shape().await, "the same was done in both");
    let (steps, twins) = (steps(&hostile), steps(&innocent));
    assert_eq!(steps.len(), twins.len(), "the same was done in both");
    let (mut texts, mut wrong) = (String::new(), vec![]);
    // Elements of pages without hostile text, by path; and elements of search pages, whose results depend on the words.
    let (mut known, mut searched) = (HashMap::<&str, HashSet<String>>::new(), vec![]);
    for (step, twin) in steps.iter().zip(&twins) {
        let (page, other) = join(hostile.show(step), innocent.show(twin)).await;
        if page.elements.len() < 2 {
            wrong.push(format!("{step:?} shows nothing"));
        }
        wrong.extend(page.faults.iter().map(|fault| format!("{step:?}: {fault}")));
        let differs = page.elements.iter().zip(&other.elements).position(|(one, other)| one != other);
        let differs = differs.or((page.elements.len() != other.elements.len()).then_some(other.elements.len()));
        known.entry(twin.path.as_str()).or_default().extend(other.elements.iter().cloned());
        if step.fields.iter().any(|(name, _)| ["q", "query", "text"].contains(name)) {
            searched.push((step, page.elements));
        } else if let Some(at) = differs {
            let part =
                |page: &Page| page.elements.iter().skip(at.saturating_sub(2)).take(5).cloned().collect::<Vec<_>>();
            wrong.push(format!("{step:?}\n  has {:?}\n  and not {:?}", part(&page), part(&other)));
        }
        texts += &page.texts;
    }
    for (step, elements) in searched {
        let strange = elements.iter().find(|element| !known[step.path.as_str()].contains(*element));
        wrong.extend(strange.map(|element| format!("{step:?}\n  has {element:?}")));
    }
    assert!(wrong.is_empty(), "{} of {} pages:\n{}", wrong.len(), steps.len(), wrong.join("\n"));
    for (what, text) in said(hostile.words) {
        assert!(texts.contains(&text), "{what} is shown nowhere as it is: {text:?}");
    }
}

/// Returns the texts that must be visible somewhere, verbatim.
fn said(words: Words) -> Vec<(&'static str, String)> {
    let mut all = vec![];
    for at in 0..HOSTILE.len() {
        let text = words.text(at);
        // A text area preserves a leading line break.
        all.extend([
            ("a title", words.line(at, 200)),
            ("notes", text),
            ("a project", words.line(at, 60)),
            ("a tag", words.word(at, 40)),
        ]);
        all.extend([("a message", format!("say {}", words.line(at, 200))), ("a memory", words.line(at, 200))]);
    }
    all.extend((0..4).map(|at| ("a token", words.line(at, 60))));
    all.extend([0, 5, 11].map(|at| ("an agent", words.line(at, 60))));
    all.extend([
        ("long notes", words.long(0, 4_000)),
        ("a conversation", words.line(0, 80)),
        ("a draft", words.long(2, 9_000)),
        ("an import", words.text(5)),
        ("a reason", words.line(1, 200)),
        ("a chat", words.line(1, 60)),
        ("a model", words.line(3, 60)),
        ("a search", words.line(12, 60)),
    ]);
    all
}
