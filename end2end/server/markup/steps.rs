//! Every page in every view, every form that can fail, and every HTML fragment.

use super::words::Words;
use super::world::{World, csv};

/// The account whose browser shows it.
#[derive(Debug, Clone, Copy)]
pub enum Who {
    Ada,
    Root,
    Nobody,
}

#[derive(Debug, Clone, Copy)]
pub enum How {
    Page,
    /// A form sent by a browser without a script, with the resulting page.
    Form,
    /// An answer of the API that contains HTML.
    Pieces,
}

#[derive(Debug)]
pub struct Step {
    pub who: Who,
    pub how: How,
    pub path: String,
    pub fields: Vec<(&'static str, String)>,
}

fn step(who: Who, how: How, path: impl Into<String>, fields: &[(&'static str, &str)]) -> Step {
    let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Step { who, how, path: path.into(), fields }
}

/// Returns all steps, in an order that is equal for both worlds.
pub fn steps(world: &World) -> Vec<Step> {
    let mut all = vec![];
    for who in [Who::Ada, Who::Root] {
        all.extend(fixed(world, who));
        all.extend(named(world.words, who));
        all.extend(world.turns.iter().map(|turn| step(who, How::Page, format!("/audit/{turn}"), &[])));
    }
    all.extend(own(world));
    all.extend(pieces(world));
    all.extend(forms(world.words, world));
    all.extend(strangers(world.words));
    all
}

/// Returns the pages with a fixed address.
fn fixed(world: &World, who: Who) -> Vec<Step> {
    let page = |path: &str| step(who, How::Page, path, &[]);
    let mut all: Vec<_> = [
        "/",
        "/?c=new",
        "/tasks",
        "/tasks?view=today",
        "/tasks?view=upcoming",
        "/tasks?view=all",
        "/tasks?view=done",
        "/tasks?view=bin",
        "/tasks/as-of",
        "/tasks/import",
        "/conversations",
        "/approvals",
        "/audit",
        "/settings",
        "/settings/memory",
        "/admin/users",
        "/api",
        "/nowhere",
    ]
    .map(page)
    .into();
    all.push(step(who, How::Page, "/tasks/as-of", &[("at", &world.then)]));
    all.push(step(who, How::Page, "/audit", &[("user", "ada"), ("verify", "now")]));
    all.push(step(who, How::Page, format!("/audit/{}", world.turns[0]), &[("replay", "rules")]));
    all.push(step(who, How::Page, format!("/audit/{}", world.turns[1]), &[("replay", "recorded")]));
    all
}

/// Returns the pages whose address contains hostile strings.
fn named(words: Words, who: Who) -> Vec<Step> {
    let mut all = vec![];
    for at in [0, 3, 5, 6, 9, 11, 12] {
        let (line, tag) = (words.line(at, 60), words.word(at, 40));
        let page = |path: &str, fields: &[(&'static str, &str)]| step(who, How::Page, path, fields);
        all.extend([
            page("/", &[("c", &line), ("before", &line)]),
            page("/tasks", &[("view", "all"), ("q", &line)]),
            page("/tasks", &[("view", "all"), ("project", &line)]),
            page("/tasks", &[("view", "all"), ("tag", &tag)]),
            page("/tasks", &[("view", &line), ("cursor", &line)]),
            page("/tasks/as-of", &[("at", &line)]),
            page("/conversations", &[("q", &line)]),
            page("/conversations", &[("before", &line)]),
            page("/settings/memory", &[("query", &line)]),
            page("/settings/memory", &[("before", &line)]),
            page("/audit", &[("text", &line)]),
            page("/audit", &[("tool", &line), ("user", &line), ("conversation", &line)]),
            page(
                "/audit",
                &[("since", &line), ("until", &line), ("outcome", &line), ("kind", &line), ("cursor", &line)],
            ),
        ]);
        let encoded: String = line.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for folder in ["tasks", "approvals", "audit", "nowhere"] {
            all.push(step(who, How::Page, format!("/{folder}/{encoded}"), &[]));
        }
    }
    all
}

/// Returns the pages of ada's tasks, conversations and approvals.
fn own(world: &World) -> Vec<Step> {
    let page = |path: String| step(Who::Ada, How::Page, path, &[]);
    let mut all: Vec<_> = (1..=world.tasks).map(|number| page(format!("/tasks/{number}?view=all"))).collect();
    all.extend(world.conversations.iter().map(|id| page(format!("/?c={id}"))));
    all.extend(world.approvals.iter().map(|id| page(format!("/approvals/{id}"))));
    all
}

/// Returns the API calls that return HTML fragments.
fn pieces(world: &World) -> Vec<Step> {
    let words = world.words;
    let mut all = vec![];
    for who in [Who::Ada, Who::Root] {
        let piece =
            |path: &str, fields: &[(&'static str, &str)]| step(who, How::Pieces, format!("/api/v1/{path}"), fields);
        let line = words.line(5, 60);
        all.extend([
            piece("rendered/filters", &[]),
            piece("rendered/filters", &[("text", &line), ("tool", &line), ("user", &line)]),
            piece("rendered/access", &[]),
            piece("rendered/import", &[]),
            piece("rendered/policy", &[]),
            piece("audit/overview", &[("text", &line), ("verify", "now")]),
            piece("tasks/as_of/page", &[("at", &line)]),
            piece("memories/page", &[("query", &line)]),
            piece("telegram/section", &[]),
        ]);
        all.extend(world.turns.iter().take(10).map(|turn| piece("audit/story", &[("turn_id", turn), ("list", &line)])));
    }
    let piece =
        |who, path: &str, fields: &[(&'static str, &str)]| step(who, How::Pieces, format!("/api/v1/{path}"), fields);
    all.push(piece(Who::Ada, "rendered/record", &[]));
    all.push(piece(Who::Root, "rendered/record", &[("user", "ada")]));
    all.push(piece(Who::Ada, "memories/page", &[]));
    all.push(piece(Who::Root, "rendered/users", &[]));
    all.push(piece(Who::Nobody, "rendered/join", &[("token", &words.line(0, 60))]));
    all.extend(
        world.conversations.iter().map(|id| piece(Who::Ada, "conversations/messages", &[("conversation_id", id)])),
    );
    all
}

/// Returns forms that fail, and two that succeed: the page shows the input and the result.
fn forms(words: Words, world: &World) -> Vec<Step> {
    let mut all = vec![];
    for at in [0, 5, 6, 11] {
        let (line, text, draft) = (words.line(at, 150), words.text(at), words.long(2, 9_000));
        let conversation = &world.conversations[0];
        let table = format!("title,description,due\n\"{0}\",\"{1}\",\n\"{0}\",,\"{0}\"\n", csv(&line), csv(&text));
        let too_long = words.long(at, 250);
        let form =
            |path: &str, fields: &[(&'static str, &str)]| step(Who::Ada, How::Form, format!("/api/v1/{path}"), fields);
        all.extend([
            form(
                "tasks/update",
                &[
                    ("task_id", "1"),
                    ("title", &line),
                    ("due", &line),
                    ("recurrence", &line),
                    ("project", &line),
                    ("tags[0]", &line),
                    ("description", &text),
                    ("return_to", "/tasks/1"),
                ],
            ),
            form(
                "tasks/update",
                &[("task_id", "1"), ("title", &too_long), ("description", &text), ("return_to", "/tasks?view=all")],
            ),
            form("tasks/add", &[("title", &line), ("due", &line), ("text", &line), ("return_to", "/tasks?view=all")]),
            form("tasks/add", &[("text", &too_long), ("return_to", "/")]),
            form("tasks/add_lines", &[("lines", &format!("a\n{too_long}")), ("return_to", "/")]),
            form("tasks/delete", &[("task_id", &line), ("return_to", &line)]),
            form("chat", &[("message", &draft), ("page", "/?c=new"), ("return_to", "/")]),
            form("chat", &[("message", &line), ("conversation_id", &line), ("return_to", "/")]),
            form("tasks/import/preview", &[("text", &table), ("return_to", "/tasks/import")]),
            form("tasks/import/preview", &[("text", &text), ("format", &line), ("return_to", "/tasks/import")]),
            form("tasks/import", &[("text", &table), ("format", "csv"), ("return_to", "/tasks/import")]),
            form(
                "conversations/rename",
                &[("conversation_id", conversation), ("title", &too_long), ("return_to", "/conversations")],
            ),
            form(
                "approvals/decide",
                &[("approval_id", &line), ("verdict", &line), ("reason", &line), ("return_to", "/approvals")],
            ),
            form("undo", &[("turn_id", &line), ("return_to", "/audit")]),
            form("memories/forget", &[("memory_id", &line), ("return_to", "/settings/memory")]),
            form(
                "settings/tokens/create",
                &[
                    ("name", &too_long),
                    ("scopes[0]", "chat"),
                    ("budget", &line),
                    ("kind", &line),
                    ("return_to", "/settings#tokens"),
                ],
            ),
            form("settings/zone", &[("zone", &line), ("return_to", "/settings")]),
            form("settings/password", &[("current", &line), ("new", &line), ("return_to", "/settings")]),
            form("settings/erase", &[("password", &line), ("before", &line), ("return_to", "/settings#erase")]),
            form("settings/appearance", &[("theme", &line), ("return_to", "/settings")]),
            form("settings/model/test", &[("return_to", "/settings#model")]),
            // These succeed with a message.
            form("tasks/add", &[("title", &line), ("return_to", "/tasks?view=all")]),
            form("tasks/add", &[("title", "plain"), ("return_to", &line)]),
            form(
                "conversations/rename",
                &[("conversation_id", conversation), ("title", &words.line(at, 80)), ("return_to", "/conversations")],
            ),
        ]);
        let admin =
            |path: &str, fields: &[(&'static str, &str)]| step(Who::Root, How::Form, format!("/api/v1/{path}"), fields);
        all.extend([
            admin("admin/users/invite", &[("name", &line), ("role", &line), ("return_to", "/admin/users")]),
            admin("admin/users/invite", &[("name", &line), ("return_to", "/admin/users")]),
            admin("admin/users/disable", &[("name", &line), ("return_to", "/admin/users")]),
            admin(
                "admin/users/erase",
                &[("name", "ada"), ("sure", &line), ("before", &line), ("return_to", "/admin/users")],
            ),
        ]);
    }
    all
}

/// Returns the steps of visitors without a session.
fn strangers(words: Words) -> Vec<Step> {
    let mut all = vec![];
    for at in [0, 2, 5, 6, 11, 12] {
        let line = words.line(at, 60);
        let page = |path: &str, fields: &[(&'static str, &str)]| step(Who::Nobody, How::Page, path, fields);
        let form = |path: &str, fields: &[(&'static str, &str)]| {
            step(Who::Nobody, How::Form, format!("/api/v1/{path}"), fields)
        };
        all.extend([
            page("/sign-in", &[("return_to", &line), ("name", &line)]),
            page("/join", &[("token", &line)]),
            page("/setup", &[("token", &line)]),
            form("session/sign-in", &[("name", &line), ("password", &line), ("return_to", &line)]),
            form("session/join", &[("token", &line), ("password", &line), ("zone", &line)]),
            form("session/set-up", &[("token", &line), ("name", &line), ("password", "x"), ("zone", &line)]),
        ]);
    }
    all
}
