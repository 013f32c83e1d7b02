//! Canonical and rejected arguments of an undo.

use serde_json::{Value, json};

use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;
use crate::tools::arguments::Moment;
use crate::tools::registry::Registry;

fn prepared(given: Value) -> Result<Value, String> {
    let moment = Moment { now: Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), zone: "Europe/London".into() };
    let operation = Registry::default().prepare(ToolName::Undo, given, &moment);
    operation.map(|operation| operation.arguments().clone()).map_err(|error| error.to_string())
}

#[test]
fn minutes_end_when_the_call_was_made() {
    let minutes = prepared(json!({ "scope": "minutes", "minutes": "10" })).unwrap();
    assert_eq!(minutes, json!({ "scope": "minutes", "minutes": 10, "until": "2026-03-11T09:30:00.000Z" }));
    assert_eq!(prepared(minutes.clone()).unwrap(), minutes);
    let earlier = json!({ "scope": "minutes", "minutes": 5, "until": "2026-03-11T08:00:00.000Z" });
    assert_eq!(prepared(earlier.clone()).unwrap(), earlier);
    assert_eq!(prepared(json!({ "scope": "last", "minutes": null })).unwrap(), json!({ "scope": "last" }));
    assert_eq!(prepared(json!({ "scope": "turn" })).unwrap(), json!({ "scope": "turn" }));
}

#[test]
fn arguments_that_do_not_fit_the_scope_are_refused() {
    for (given, because) in [
        (json!({}), "scope"),
        (json!({ "scope": "everything" }), "use last, turn or minutes"),
        (json!({ "scope": "minutes" }), "1 to 1440"),
        (json!({ "scope": "minutes", "minutes": 0 }), "minutes"),
        (json!({ "scope": "minutes", "minutes": 1441 }), "minutes"),
        (json!({ "scope": "minutes", "minutes": 5, "until": "noon" }), "noon"),
        (json!({ "scope": "last", "minutes": 5 }), "only with scope minutes"),
        (json!({ "scope": "last", "turn_id": "x" }), "only with scope turn"),
        (json!({ "scope": "turn", "turn_id": "x" }), "turn id"),
        (json!({ "scope": "last", "task_id": 3 }), "task_id"),
    ] {
        let why = prepared(given.clone()).unwrap_err();
        assert!(why.contains(because), "{given}: {why}");
    }
}
