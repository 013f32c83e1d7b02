//! Source checks: every commit of a turn has a fault point, and every write of a turn checks its lease.

use std::collections::BTreeSet;

#[test]
fn nothing_of_a_turn_is_committed_without_a_name() {
    let root = &std::path::Path::new(crate::domain::testing::REPOSITORY).join("src");
    let mut folders = vec![root.join("workflow"), root.join("usecases"), root.join("api")];
    // Paths whose commits concern no turn: accounts, tokens, keys, memories, readings, copies and model checks. An evaluation's data is
    // inserted before any turn.
    let carries_none = [
        "api/views/rows/tests.rs",
        "usecases/accounts/",
        "usecases/audit.rs",
        "usecases/audit/export.rs",
        "usecases/copying.rs",
        "usecases/keys.rs",
        "usecases/memories.rs",
        "usecases/spending.rs",
        "usecases/turn_detail.rs",
        "usecases/testing.rs",
        "usecases/tests/",
        "workflow/seed.rs",
        "workflow/tests.rs",
        "workflow/tests/",
        "workflow/model_check.rs",
    ];
    let mut excused = BTreeSet::new();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let source = std::fs::read_to_string(&path).unwrap();
            let unnamed = source.matches(".commit(").count();
            // The method through which all others commit.
            let allowed = if name == "usecases/mod.rs" { 2 } else { 0 };
            match carries_none.iter().find(|place| name == **place || place.ends_with('/') && name.starts_with(**place))
            {
                Some(place) if unnamed > 0 => {
                    excused.insert(place);
                }
                Some(_) => continue,
                None => assert_eq!(unnamed, allowed, "{name} commits without saying what"),
            }
            seen += source.matches(".commit_at(").count();
        }
    }
    assert!(seen > 15, "the scan must see the source");
    let idle: Vec<_> = carries_none.iter().filter(|place| !excused.contains(place)).collect();
    assert!(idle.is_empty(), "they need no excuse: {idle:?}");
}

#[test]
fn every_write_of_a_turn_checks_its_lease() {
    // Functions of a turn that start a write, each with its check of the lease.
    let begins = [
        ("workflow/stream_reply.rs", "async fn write(", "store::turns::held("),
        ("workflow/commit_turn.rs", "pub async fn end_disabled(", "end_disabled_within(state, &mut tx"),
        ("workflow/commit_turn.rs", "pub async fn refused(", " finish(state, turn, tx, close"),
        ("workflow/commit_turn.rs", "pub async fn give_up(", " finish(state, turn, state.ctx.write()"),
        ("workflow/turn.rs", "async fn begin(", "store::turns::held("),
    ];
    // Three of them lead to the end of a turn, which checks first.
    let through = [
        ("pub async fn end_disabled_within(", "    end(state, turn, tx"),
        ("pub async fn finish(", " end(state, turn, &mut tx"),
        ("async fn end(", "store::turns::finish(tx, user, turn.id, turn.fence"),
    ];
    let src = std::path::Path::new(crate::domain::testing::REPOSITORY).join("src");
    let body = |source: &str, function: &str| {
        let (_, body) = source.split_once(function).unwrap_or_else(|| panic!("there is no {function}"));
        let end = body.find("\n    }\n").into_iter().chain(body.find("\n}\n")).min();
        body[..end.unwrap()].to_owned()
    };
    let finish = std::fs::read_to_string(src.join("workflow/commit_turn.rs")).unwrap();
    for (function, leads) in through {
        assert!(body(&finish, function).contains(leads), "{function}");
    }
    for name in ["stream_reply.rs", "commit_turn.rs", "turn.rs", "turn/round.rs", "turn/verdict.rs"] {
        let name = format!("workflow/{name}");
        let source = std::fs::read_to_string(src.join(&name)).unwrap();
        let expected: Vec<_> = begins.iter().filter(|(file, ..)| *file == name).collect();
        assert_eq!(source.matches(".write()").count(), expected.len(), "{name} writes somewhere else as well");
        for (_, function, fence) in expected {
            let body = body(&source, function);
            assert!(body.contains(".write()") && body.contains(fence), "{name}: {function}");
        }
    }
}
