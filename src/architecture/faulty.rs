//! A planted fault for each rule, to prove that it would be caught; and its harmless twin.

use super::faults;

/// Checks that `body` in the file `path` is wrong in the way that `fault` says, or, when `fault` is empty, not at all.
#[track_caller]
fn check(path: &str, body: &str, fault: &str) {
    let found = faults(path, &format!("//! A file.\n{body}\n"));
    if fault.is_empty() {
        assert!(found.is_empty(), "{path}: {body}: {found:?}");
    } else {
        assert!(found.iter().any(|text| text.contains(fault)), "{path}: {body}: {found:?}");
    }
}

#[test]
fn each_layer_names_only_the_layers_of_its_row() {
    for (path, other) in [
        ("domain/task.rs", "store"),
        ("clock.rs", "live"),
        ("live.rs", "store"),
        ("store/tasks.rs", "clock"),
        ("llm/rules/mod.rs", "usecases"),
        ("config.rs", "store"),
        ("usecases/tasks.rs", "tools"),
        ("tools/gate.rs", "store"),
        ("agent/machine.rs", "usecases"),
        ("agent/toolbox.rs", "tools"),
        ("agent/machine.rs", "store"),
        ("memory/recall.rs", "usecases"),
        ("channels/web.rs", "store"),
        ("state.rs", "workflow"),
        ("workflow/turn.rs", "llm"),
        ("workflow/turn.rs", "api"),
        ("api/tasks.rs", "store"),
        ("ui/pages/chat.rs", "usecases"),
        ("app.rs", "api"),
        ("server/router.rs", "store"),
        ("server/router.rs", "agent"),
        ("cli/user.rs", "llm"),
        ("cli/user.rs", "memory"),
    ] {
        let layer = path.split(['/', '.']).next().unwrap();
        check(path, &format!("use crate::{other}::x;"), &format!("{layer} may not name {other}"));
        check(path, &format!("use crate::{layer}::x;"), "");
    }
    check("agent/machine.rs", "use crate::llm::Llm; use crate::domain::task::Task;", "");
    check("server/router.rs", "use crate::{api, state::AppState, workflow};", "");
    check("cli/eval.rs", "use crate::state::AppState;", "");
    check("workflow/tests.rs", "use crate::llm::scripted::Script; use crate::fault::Fault;", "");
    check("workflow/tests.rs", "use crate::api::chat;", "workflow may not name api");
    check("newlayer/mod.rs", "", "a layer that the table does not know");
}

#[test]
fn a_path_is_seen_wherever_it_stands() {
    check("agent/machine.rs", "fn f() { crate::store::open(); }", "agent may not name store");
    check("agent/machine.rs", "type T = Option<crate::store::Tx>;", "agent may not name store");
    check("agent/machine.rs", "use crate::{domain::id, store::{a, b}};", "agent may not name store");
    check("agent/machine.rs", "use crate::{\n    store,\n};", "agent may not name store");
    check("agent/machine.rs", "macro_rules! m { () => { $crate::store::open() } }", "agent may not name store");
    check("agent/machine.rs", "use docket::store;", "agent may not name store");
    check("agent/machine.rs", "use crate::*;", "crate::* is no layer");
    check("agent/machine.rs", "use crate::{self as root};", "crate::self is no layer");
    check("agent/machine.rs", "use crate::Store;", "crate::Store is no layer");
    check("agent/machine.rs", "// crate::store\nconst A: &str = \"crate::store\";", "");
}

#[test]
fn super_stays_in_its_layer() {
    check("agent/machine.rs", "use super::super::store;", "super leaves the layer");
    check("agent/mod.rs", "use super::store;", "super leaves the layer");
    check("clock.rs", "use super::live;", "super leaves the layer");
    check("clock.rs", "mod tests { use super::super::live; }", "super leaves the layer");
    check("llm/rules/mod.rs", "use super::super::super::store;", "super leaves the layer");
    check("clock.rs", "mod tests { use super::*; }", "");
    check("clock.rs", "mod tests { use super::*; } fn f() { super::live::x() }", "super leaves the layer");
    check("llm/rules/mod.rs", "use super::Llm; mod tests { use super::super::Llm; }", "");
    check("agent/machine.rs", "pub(super) fn f() { super::context::x() }", "");
}

#[test]
fn no_layer_hides_another() {
    check("tools/mod.rs", "pub use crate::usecases::tasks;", "tools hands on what belongs to usecases");
    check("tools/mod.rs", "pub(crate) use crate::usecases::tasks;", "tools hands on what belongs to usecases");
    check("tools/mod.rs", "pub use crate::{usecases::tasks};", "tools hands on what belongs to usecases");
    check("usecases/mod.rs", "pub use crate::store::Store;", "usecases hands on what belongs to store");
    check("usecases/mod.rs", "pub use crate::store::Tx;", "");
    check("tools/mod.rs", "use crate as root;", "crate under another name");
    check("tools/mod.rs", "extern crate self as root;", "crate under another name");
    check("tools/mod.rs", "include!(\"../store/mod.rs\");", "include! hides");
    check("tools/mod.rs", "#[path = \"../store/mod.rs\"] mod store;", "#[path] hides");
    check("tools/mod.rs", "pub use registry::Tool; pub use self::gate::check; pub use crate::tools::gate;", "");
    check("agent/prompt.rs", "const TEXT: &str = include_str!(\"constitution.md\");", "");
}

#[test]
fn each_fenced_crate_stays_behind_its_fence() {
    for (path, name, inside) in [
        ("usecases/tasks.rs", "sqlx", "store/tasks.rs"),
        ("cli/eval.rs", "jiff_sqlx", "store/tasks.rs"),
        ("server/router.rs", "libsqlite3_sys", "store/mod.rs"),
        ("server/router.rs", "rusqlite", "store/mod.rs"),
        ("cli/eval.rs", "sqlx_core", "store/tasks.rs"),
        ("llm/mod.rs", "async_openai", "llm/openai.rs"),
        ("agent/machine.rs", "rmcp", "agent/toolbox.rs"),
        ("server/router.rs", "rmcp", "server/mcp.rs"),
        ("app.rs", "web_sys", "ui/live.rs"),
        ("api/tasks.rs", "js_sys", "ui/live.rs"),
        ("api/context.rs", "axum", "server/router.rs"),
        ("state.rs", "tower", "server/router.rs"),
        ("api/mod.rs", "tower_http", "server/router.rs"),
        ("ui/mod.rs", "leptos_axum", "api/context.rs"),
        ("ui/pages/chat.rs", "Memo", "ui/derived.rs"),
        ("config.rs", "clap", "cli/mod.rs"),
    ] {
        let fault = format!("{name} is fenced into");
        check(path, &format!("use {name}::x;"), &fault);
        check(path, &format!("#[derive({name}::X)] struct A;"), &fault);
        check(path, &format!("use {name} as other;"), &fault);
        check(path, &format!("extern crate {name};"), &fault);
        check(inside, &format!("use {name}::x;"), "");
    }
    check("state.rs", "let x = std::env::var(\"HOME\");", "env is fenced into");
    check("state.rs", "use std::env;", "env is fenced into");
    check("state.rs", "use std::{env, fs}; let x = env::var(\"HOME\");", "env is fenced into");
    check("config.rs", "let x = std::env::var(\"HOME\");", "");
    check("state.rs", "const VERSION: &str = env!(\"CARGO_PKG_VERSION\");", "");
}

#[test]
fn nothing_outlives_a_turn() {
    for path in ["agent/a.rs", "llm/rules/a.rs", "tools/a.rs", "usecases/a.rs", "memory/a.rs", "workflow/a.rs"] {
        check(path, "static SEEN: u8 = 0;", "static could outlive a turn");
        for cache in ["Mutex", "RwLock", "OnceLock", "OnceCell", "LazyLock", "LazyCell", "DashMap"] {
            check(path, &format!("struct A {{ seen: {cache}<u8> }}"), &format!("{cache} could outlive a turn"));
        }
        check(path, "thread_local! { }", "thread_local could outlive a turn");
        check(path, "lazy_static! { }", "lazy_static could outlive a turn");
        check(path, "const NAME: &'static str = \"static\";", "");
    }
    check("server/live.rs", "static COUNT: AtomicU64 = AtomicU64::new(0);", "");
}

#[test]
fn each_file_says_what_it_is_and_stays_short() {
    assert_eq!(faults("domain/a.rs", "use std::fmt;\n").len(), 1);
    assert_eq!(faults("domain/a.rs", "").len(), 1);
    check("domain/a.rs", &"\n".repeat(399), "401 lines");
    check("domain/utils.rs", "", "“utils” says nothing");
    check("store/helpers/mod.rs", "", "“helpers” says nothing");
    check("common/mod.rs", "", "“common” says nothing");
    check("domain/misc.rs", "", "“misc” says nothing");
}

#[test]
fn raw_text_elements_have_one_place() {
    for name in ["textarea", "title", "script", "style", "noscript", "iframe", "plaintext"] {
        let fault = format!("<{name}> is rendered by raw_text.rs alone");
        for path in ["ui/pages/chat.rs", "api/fragments/chart.rs", "server/reference.rs", "app.rs"] {
            check(path, &format!("fn f() {{ view! {{ <{name}>{{x}}</{name}> }} }}"), &fault);
        }
        for body in [
            format!("fn f() {{ view! {{ <p><{name} id=\"a\"/></p> }} }}"),
            format!("fn f() {{ view! {{ <{name} {{..more}}/> }} }}"),
            format!("fn f() {{ leptos::html::{name}().child(x) }}"),
            format!("fn f() {{ svg::{name}() }}"),
            format!("use leptos::html::{name};"),
            format!("use leptos::html::{{Input, {name}}};"),
            format!("use leptos::html::*; fn f() {{ {name}().child(x) }}"),
            format!("fn f() {{ leptos::html::custom(\"{name}\") }}"),
            format!("fn f() {{ document().create_element(\"{name}\") }}"),
            format!("fn f() {{ format!(\"<{name}>{{x}}\") }}"),
            format!("fn f() {{ let a = r#\"<{} class=\"b\">\"#; }}", name.to_uppercase()),
            format!("fn f() {{ \"</{name} >\" }}"),
        ] {
            check("ui/pages/chat.rs", &body, &fault);
            check("api/telegram.rs", &body, &fault);
        }
        check("raw_text.rs", &format!("fn f() {{ view! {{ <{name}>{{x}}</{name}> }} }}"), "");
    }
    check("ui/address.rs", "fn f() { leptos_meta::Title(x); }", "leptos_meta does not escape");
    check("app.rs", "use leptos_meta::*;", "leptos_meta does not escape");
    check("app.rs", "use leptos_meta::{MetaTags, Style};", "leptos_meta does not escape");
    check("app.rs", "fn f() { leptos_meta::provide_meta_context(); view! { <leptos_meta::MetaTags/> } }", "");
    for body in [
        "fn f() { title(messages::TASKS); task.title(); }",
        "fn title() {} fn f() -> bool { a < title && b }",
        "use leptos::html::{Input, Textarea}; type T = NodeRef<Textarea>;",
        "fn f() { view! { <TextArea text=x {..} name=\"y\"/> } }",
        "fn f() { view! { <p title=x style=y>{z}</p> } }",
        "#[cfg(test)] mod tests { fn f() { g(\"<script>alert(1)</script>\"); } }",
    ] {
        check("ui/pages/chat.rs", body, "");
    }
}

#[test]
fn few_files_write_html_by_hand() {
    let fault = "HTML is put together by hand";
    for body in
        ["format!(\"<p>{text}</p>\")", "all.push_str(\"</a>\")", "format!(\"<{tag}>\")", "r#\"<a href=\"x\">\"#"]
    {
        check("api/chat.rs", &format!("fn f() {{ {body} }}"), fault);
        check("ui/fragments/mod.rs", &format!("fn f() {{ {body} }}"), fault);
        check("api/telegram.rs", &format!("fn f() {{ {body} }}"), "");
    }
    check("api/chat.rs", "fn f() { \"1 < 2\"; \"a <= b\"; \"<!DOCTYPE html>\"; }", "");
    check("channels/telegram/text.rs", "fn f() { format!(\"<{tag}>\") }", "");
}
