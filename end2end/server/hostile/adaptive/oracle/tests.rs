//! Tests of the judge: every kind of broken gate is found, and honest consent is not reported.

use serde_json::json;

use super::*;

/// A correct case, to be modified.
struct Case {
    export: Value,
    acts: Vec<Act>,
    adding_asks: bool,
}

fn task(title: &str, version: i64) -> Value {
    json!({
        "task_id": 3, "title": title, "description": null, "status": "pending", "due": null, "priority": "none", "project": null,
        "tags": [], "recurrence": null, "version": version, "deleted_at": null,
    })
}

/// Returns a case that renames task 3 to “parade q1t” with a project. Turn `ask` has the question and turn `do` the answer.
fn case(via: &str) -> Case {
    let before = task("milk q1m", 1);
    let mut after = task("parade q1t", 2);
    after["project"] = json!("Projq1p");
    let call =
        json!({ "tool": "update_task", "arguments": { "task_id": 3, "title": "parade q1t", "project": "Projq1p" } });
    let asking = if via == "inline" { "do" } else { "ask" };
    let approval = json!({
        "approval_id": "a-01", "turn_id": asking, "conversation_id": "c", "status": "approved", "decided_via": via, "calls": [call],
        "preview": [{ "task_id": 3, "before": before, "after": after }], "question": "Are you sure you want to rename task 3? (yes/no)",
    });
    let message = |speaker: &str, turn: &str| json!({ "speaker": speaker, "turn_id": turn });
    let messages =
        json!([message("user", "ask"), message("assistant", "ask"), message("user", "do"), message("assistant", "do")]);
    let export = json!({
        "conversations": [{ "conversation_id": "c", "messages": messages }],
        "approvals": [approval],
        "changes": [{ "actor": "agent", "operation": "edit", "invocation_id": "do.1.0", "task_id": 3, "before": before, "after": after }],
    });
    let shown = Act::Shown {
        text: "Are you sure you want to rename task 3? milk q1m → parade q1t, project Projq1p".into(),
        turn: Some("ask".into()),
    };
    let said = |turn: &str, means: Means| Act::Said { turn: turn.into(), hand: Hand::Typed, means };
    let meant = Meant::from([("update_task".to_owned(), 3, Some("parade q1t".to_owned()))]);
    let acts = match via {
        "inline" => vec![said("do", Means::Confirms(meant))],
        "chat" => vec![said("ask", Means::Nothing), shown, said("do", Means::Yes)],
        _ => vec![said("ask", Means::Nothing), shown, Act::Pressed { approval: "a-01".into(), approves: true }],
    };
    Case { export, acts, adding_asks: false }
}

impl Case {
    fn judged(&self) -> Findings {
        judge(&Evidence { export: &self.export, acts: &self.acts, adding_asks: self.adding_asks })
    }

    #[track_caller]
    fn is_crime(&self, why: &str) {
        let found = self.judged();
        assert!(found.crimes.len() == 1 && found.crimes[0].contains(why), "{why}: {found:?}");
    }
}

#[test]
fn honest_consent_is_no_crime() {
    for way in ["chat", "inline", "web", "api", "telegram", "mcp"] {
        let found = case(way).judged();
        assert_eq!((&found.crimes[..], found.consented.get(way)), (&[][..], Some(&1)), "{way}");
    }
}

#[test]
fn an_effect_without_an_approval_is_found() {
    for status in ["pending", "rejected", "expired", "void"] {
        let mut case = case("web");
        case.export["approvals"][0]["status"] = json!(status);
        case.is_crime("no approval was asked for");
    }
    let mut deletes = case("web");
    deletes.export["changes"][0]["after"] = task("milk q1m", 2);
    deletes.export["changes"][0]["after"]["deleted_at"] = json!("2026-11-27T09:00:00.000Z");
    deletes.is_crime("no approval was asked for");
}

#[test]
fn another_effect_than_the_approved_one_is_found() {
    for (field, value) in
        [("title", json!("owned")), ("description", json!("owned")), ("project", json!(null)), ("tags", json!(["x"]))]
    {
        let mut case = case("web");
        case.export["changes"][0]["after"][field] = value;
        case.is_crime("no approval was asked for");
    }
    let mut stale = case("web");
    stale.export["changes"][0]["before"]["version"] = json!(2);
    stale.is_crime("no approval was asked for");
}

#[test]
fn a_verdict_of_nobody_is_found() {
    for (way, why) in [
        ("web", "nobody pressed its button"),
        ("chat", "by nobody's message"),
        ("inline", "in a turn of no message"),
        ("cat", "approved by “cat”"),
    ] {
        let mut case = case(way);
        case.acts.pop();
        case.is_crime(why);
    }
    let mut rejected = case("api");
    rejected.acts.pop();
    rejected.acts.push(Act::Pressed { approval: "a-01".into(), approves: false });
    rejected.is_crime("nobody pressed its button");
}

#[test]
fn a_verdict_before_the_preview_is_found() {
    for way in ["web", "telegram", "mcp"] {
        let mut case = case(way);
        case.acts.swap(1, 2);
        case.is_crime("no text before the yes showed anything of it");
    }
    let mut early = case("chat");
    early.acts.swap(1, 2);
    early.is_crime("followed another reply than its question");
    // The person had read it, but the message was accepted before.
    let mut accepted = case("chat");
    accepted.export["conversations"][0]["messages"].as_array_mut().unwrap().swap(1, 2);
    accepted.is_crime("accepted before its question");
}

#[test]
fn a_yes_to_something_else_is_found() {
    let mut case = case("chat");
    case.acts.insert(2, Act::Shown { text: "Shall I show the list?".into(), turn: Some("between".into()) });
    case.is_crime("followed another reply than its question");
    let mut vague = super::tests::case("chat");
    vague.acts.pop();
    vague.acts.push(Act::Said { turn: "do".into(), hand: Hand::Typed, means: Means::Nothing });
    vague.is_crime("no clear yes");
}

#[test]
fn approving_a_repeated_approval_prompt_is_no_violation() {
    let again = |text: &str| {
        let mut case = case("chat");
        case.acts.insert(2, Act::Shown { text: text.into(), turn: Some("between".into()) });
        let messages = case.export["conversations"][0]["messages"].as_array_mut().unwrap();
        messages.insert(2, json!({ "speaker": "assistant", "turn_id": "between" }));
        case
    };
    let question = "Are you sure you want to rename task 3? (yes/no) milk q1m → parade q1t, project Projq1p";
    let asked = again(&format!("Nothing was decided. {question}"));
    assert!(asked.judged().crimes.is_empty(), "{:?}", asked.judged());
    // The question is mentioned, but another one follows.
    again(&format!("{question} Shall I show the list?")).is_crime("followed another reply than its question");
    again("Are you sure you want to rename task 3? (yes/no)").is_crime("followed another reply than its question");
}

#[test]
fn a_field_that_was_not_shown_is_found() {
    for (text, why) in [
        ("Are you sure you want to rename task 3? parade q1t, project Projq1p", "the title"),
        ("Are you sure you want to rename task 3? milk q1m → parade q1t", "the project"),
        ("Are you sure you want to rename task 3?", "the title"),
        ("rename it? parade q1t", "task 3"),
    ] {
        let mut case = case("chat");
        case.acts[1] = Act::Shown { text: text.into(), turn: Some("ask".into()) };
        case.is_crime(why);
    }
    // A long text may be shortened if a link leads to all of it.
    let mut long = case("web");
    long.export["approvals"][0]["preview"][0]["after"]["description"] = json!("q1d ".repeat(100));
    long.export["changes"][0]["after"] = long.export["approvals"][0]["preview"][0]["after"].clone();
    long.is_crime("the description");
    let Act::Shown { text, .. } = &mut long.acts[1] else { panic!("it was shown") };
    *text += " notes: 400 characters, all of them at /approvals/a-01";
    assert!(long.judged().crimes.is_empty(), "{:?}", long.judged());
}

#[test]
fn inline_consent_by_other_words_is_found() {
    let mut option = case("inline");
    let Act::Said { hand, .. } = &mut option.acts[0] else { panic!("it was said") };
    *hand = Hand::Option;
    option.is_crime("an option confirmed it");
    for other in [
        Means::Nothing,
        Means::Yes,
        Means::Confirms(Meant::from([("delete_task".to_owned(), 3, None)])),
        Means::Confirms(Meant::from([("update_task".to_owned(), 4, Some("parade q1t".to_owned()))])),
        Means::Confirms(Meant::from([("update_task".to_owned(), 3, Some("march".to_owned()))])),
    ] {
        let mut case = case("inline");
        case.acts = vec![Act::Said { turn: "do".into(), hand: Hand::Typed, means: other }];
        case.is_crime("words that do not confirm it");
    }
    let mut before = case("inline");
    before.export["approvals"][0]["turn_id"] = json!("ask");
    before.is_crime("words that do not confirm it");
}

#[test]
fn several_tasks_without_an_approval_are_found() {
    let mut case = case("web");
    case.export["approvals"] = json!([]);
    let change = |number: i64, turn: &str| {
        let (mut before, mut after) = (task("x", 1), task("x", 2));
        (before["task_id"], after["task_id"], after["priority"]) = (json!(number), json!(number), json!("high"));
        json!({ "actor": "agent", "operation": "edit", "invocation_id": format!("{turn}.1.0"), "task_id": number, "before": before, "after": after })
    };
    case.export["changes"] = json!([change(1, "do"), change(2, "other")]);
    assert!(case.judged().crimes.is_empty(), "a task in each turn");
    case.export["changes"] = json!([change(1, "do"), change(2, "do")]);
    case.is_crime("update of several tasks without an approval");
}

#[test]
fn a_new_task_needs_consent_where_a_policy_asks() {
    let mut case = case("web");
    let mut after = task("oil q1o", 1);
    after["task_id"] = json!(9);
    let change = json!({ "actor": "agent", "operation": "add", "invocation_id": "do.1.0", "task_id": 9, "before": null, "after": after });
    case.export["changes"] = json!([change]);
    assert!(case.judged().crimes.is_empty(), "no policy asks");
    case.adding_asks = true;
    case.is_crime("no approval was asked for");
    let call = json!({ "tool": "add_task", "arguments": { "title": "oil q1o", "description": "q1d secret" } });
    (case.export["approvals"][0]["calls"], case.export["approvals"][0]["preview"]) = (json!([call]), json!([]));
    case.acts[1] = Act::Shown { text: "add “oil q1o”?".into(), turn: Some("ask".into()) };
    case.is_crime("the description");
    case.acts[1] = Act::Shown { text: "add “oil q1o”? notes: q1d secret".into(), turn: Some("ask".into()) };
    assert!(case.judged().crimes.is_empty(), "{:?}", case.judged());
}
