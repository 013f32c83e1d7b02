//! Tests of calls written as text.

use serde_json::json;

use super::*;

#[track_caller]
fn calls(text: &str, expected: &[(&str, Value)]) {
    let Written::Calls(found) = read(text) else { panic!("{text}: {:?}", read(text)) };
    let found: Vec<(&str, Value)> =
        found.iter().map(|(name, arguments)| (bare_name(name), object(arguments).unwrap())).collect();
    assert_eq!(found, expected, "{text}");
}

fn milk() -> Value {
    json!({ "title": "buy milk" })
}

#[test]
fn a_call_is_read_in_every_notation() {
    for text in [
        "<tool_call>\n{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}\n</tool_call>",
        "<tool_call>{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}",
        "<tool_call>\n{\"arguments\": {\"title\": \"buy milk\"}, \"name\": \"add_task\"}\n</tool_call><|im_end|>",
        "<tool_calls>[{\"name\": \"add_task\", \"arguments\": \"{\\\"title\\\": \\\"buy milk\\\"}\"}]</tool_calls>",
        "<think>They want milk.</think>\n<tool_call>{\"name\":\"add_task\",\"arguments\":{\"title\":\"buy milk\"}}</tool_call>",
        "<tool_call>\n<function=add_task>\n<parameter=title>\nbuy milk\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>add_task\n<arg_key>title</arg_key>\n<arg_value>buy milk</arg_value>\n</tool_call>",
        "<function=add_task>{\"title\": \"buy milk\"}</function>",
        "<function_call>{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}</function_call>",
        "<function_calls>\n<invoke name=\"add_task\">\n<parameter name=\"title\">buy milk</parameter>\n</invoke>\n</function_calls>",
        "<minimax:tool_call>\n<invoke name=\"add_task\"><parameter name=\"title\">buy milk</parameter></invoke>\n</minimax:tool_call>",
        "[TOOL_CALLS] [{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}]",
        "[TOOL_CALLS][{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}, \"id\": \"abc123def\"}]</s>",
        "[TOOL_CALLS]add_task[ARGS]{\"title\": \"buy milk\"}",
        "[TOOL_CALLS]add_task[CALL_ID]VvvODy9mT[ARGS]{\"title\": \"buy milk\"}",
        "[TOOL_CALLS]add_task{\"title\": \"buy milk\"}",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add_task\n```json\n{\"title\": \"buy milk\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add_task<｜tool▁sep｜>{\"title\": \"buy milk\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.add_task:0<|tool_call_argument_begin|>{\"title\": \"buy milk\"}<|tool_call_end|><|tool_calls_section_end|>",
        "<|python_tag|>{\"name\": \"add_task\", \"parameters\": {\"title\": \"buy milk\"}}<|eom_id|>",
        "<|python_tag|>add_task.call(title=\"buy milk\")",
        "<|tool_call_start|>[add_task(title='buy milk')]<|tool_call_end|>",
        "[add_task(title=\"buy milk\")]",
        "functools[{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}]",
        "functions.add_task({\"title\": \"buy milk\"})",
        "functions.add_task {\"title\": \"buy milk\"}",
        "```tool_code\nprint(default_api.add_task(title=\"buy milk\"))\n```",
        "```json\n{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}\n```",
        "```\n{\"tool\": \"add_task\", \"args\": {\"title\": \"buy milk\"}}\n```",
        "```tool_call\n{\"name\": \"functions.add_task\", \"arguments\": {\"title\": \"buy milk\"}}",
        "{\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}",
        "{\"name\": \"add_task\", \"parameters\": {\"title\": \"buy milk\"}}",
        "{\"action\": \"add_task\", \"action_input\": {\"title\": \"buy milk\"}}",
        "{\"function\": {\"name\": \"add_task\", \"arguments\": \"{\\\"title\\\":\\\"buy milk\\\"}\"}, \"type\": \"function\"}",
        "{\"tool_calls\": [{\"type\": \"function\", \"function\": {\"name\": \"add_task\", \"arguments\": {\"title\": \"buy milk\"}}}]}",
        "{\"add_task\": {\"title\": \"buy milk\"}}",
        "<|channel|>commentary to=functions.add_task <|constrain|>json<|message|>{\"title\": \"buy milk\"}<|call|>",
        "<|channel|>analysis<|message|>They want milk.<|end|><|start|>assistant<|channel|>commentary to=functions.add_task <|constrain|>json<|message|>{\"title\":\"buy milk\"}<|call|>",
        "<|start|>assistant to=functions.add_task<|channel|>commentary json<|message|>{\"title\":\"buy milk\"}",
        "analysisThey want milk.assistantcommentary to=functions.add_task json{\"title\": \"buy milk\"}",
        "commentary to=functions.add_task json{\"title\": \"buy milk\"}",
    ] {
        calls(text, &[("add_task", milk())]);
    }
}

#[test]
fn several_calls_are_read_in_their_order() {
    let expected = [("complete_task", json!({ "task_id": 3 })), ("list_tasks", json!({}))];
    for text in [
        "<tool_call>{\"name\": \"complete_task\", \"arguments\": {\"task_id\": 3}}</tool_call>\n<tool_call>{\"name\": \"list_tasks\", \"arguments\": {}}</tool_call>",
        "[TOOL_CALLS] [{\"name\": \"complete_task\", \"arguments\": {\"task_id\": 3}}, {\"name\": \"list_tasks\"}]",
        "[{\"name\": \"complete_task\", \"arguments\": {\"task_id\": 3}}, {\"name\": \"list_tasks\", \"arguments\": null}]",
        "[complete_task(task_id=3), list_tasks()]",
        "[TOOL_CALLS]complete_task[ARGS]{\"task_id\": 3}[TOOL_CALLS]list_tasks[ARGS]{}",
        "functions.complete_task({\"task_id\": 3})\nfunctions.list_tasks({})",
    ] {
        calls(text, &expected);
    }
}

#[test]
fn machine_text_that_is_no_whole_call_is_hidden() {
    for text in [
        "Sure! <tool_call>{\"name\": \"add_task\", \"arguments\": {\"title\": \"milk\"}}</tool_call>",
        "<tool_call>{\"name\": \"add_task\", \"arguments\": {\"title\": \"milk\"}}</tool_call> I added it.",
        "I will call:\n```json\n{\"name\": \"add_task\", \"arguments\": {\"title\": \"milk\"}}\n```",
        "<tool_call>{\"name\": \"add_task\", \"arguments\": {\"title\": \"milk\"",
        "<tool_call>{'name': 'add_task', 'arguments': {'title': 'milk'}}</tool_call>",
        "Adding {\"name\": \"add_task\", \"arguments\": {\"title\": \"milk\"}} now.",
        "{\"name\": \"add_task\", \"arguments\": {\"title\": \"mi",
        "{\"title\": \"milk\", \"due\": \"tomorrow\"}",
        "```json\n{\"title\": \"milk\"}\n```",
        "```json\n{\"tool\": \"add_task\", \"title\": \"milk\"}\n```",
        "add_task(title=\"milk\")",
        "I ran add_task({\"title\": \"milk\"}).",
        "I used functions.add_task for it.",
        "[TOOL_CALLS]",
        "Hello <|channel|>commentary to=browser.search<|message|>{\"q\": \"milk\"}",
        "<|channel|>commentary to=functions.add_task<|message|>{\"title\": \"mi<|call|>",
        "<|channel|>commentary to=functions.add_task<|message|>{\"title\":\"x\"}<|call|><|start|>assistant<|channel|>final<|message|>Added.",
        "<｜tool▁calls▁begin｜>",
        "The model said <|python_tag|>.",
        "<start_function_call>call:add_task{title:<escape>milk<escape>}<end_function_call>",
        "<tool_response>{\"tasks\": []}</tool_response>",
        "<x:function_calls><x:invoke name=\"add_task\"><x:parameter name=\"title\">milk</x:parameter></x:invoke></x:function_calls>",
        "<step:invoke name=\"launch\">",
        "Thought: they want milk.\nAction: add_task\nAction Input: {\"title\": \"milk\"}",
        "Thought: they want milk.",
        "<add_task><title>milk</title></add_task>",
        "<tool name=\"add_task\">{\"title\": \"milk\"}</tool>",
        "<use_mcp_tool><server_name>docket</server_name></use_mcp_tool>",
        "✿FUNCTION✿: add_task\n✿ARGS✿: {\"title\": \"milk\"}",
        "**Tool:** add_task **Arguments:** {\"title\": \"milk\"}",
        "tool: add_task\narguments:\n  title: milk",
        "{\"reply\": \"<tool_call>\"}",
        "{\"reply\": \"Hello.\", \"name\": \"add_task\"}",
    ] {
        assert_eq!(read(text), Written::Machine, "{text}");
    }
}

#[test]
fn words_stay_words_without_the_signs_around_them() {
    for (text, words) in [
        ("I added “milk”.", "I added “milk”."),
        ("I added “milk”.<|im_end|>", "I added “milk”."),
        ("<|channel|>final<|message|>Hello.<|return|>", "Hello."),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello.", "Hello."),
        ("<|channel|>commentary<|message|>Hello.<|end|>", "Hello."),
        ("<|channel|>final Hello.", "Hello."),
        ("analysisThe person greets. Answer.assistantfinalHello.", "Hello."),
        ("assistantfinalHello.", "Hello."),
        ("<|im_start|>assistant\nHello.", "Hello."),
        ("Tasks: [1] {milk}, a < b > c, `code`", "Tasks: [1] {milk}, a < b > c, `code`"),
        ("Here:\n```\nbuy milk\n```", "Here:\n```\nbuy milk\n```"),
        ("analysis of the budget is due friday", "analysis of the budget is due friday"),
        ("commentary on it follows", "commentary on it follows"),
        ("It needs add_task, which is a tool.", "It needs add_task, which is a tool."),
        ("#3 [x] done (really)", "#3 [x] done (really)"),
        ("{\"reply\": \"Hello.\"}", "Hello."),
        ("{\"role\": \"assistant\", \"content\": \"Hello.\"}", "Hello."),
        ("<|begin_of_box|>Hello.<|end_of_box|>", "Hello."),
        ("<seed:think>They greet.</seed:think>Hello.", "Hello."),
        ("<reasoning>Hm.</reasoning><answer>Hello.</answer>", "Hello."),
        ("Hel\0lo\u{7}.\u{1b}[31m", "Hello."),
    ] {
        assert_eq!(read(text), Written::Words(words.into()), "{text}");
    }
}

#[test]
fn names_are_read_without_what_surrounds_them() {
    for name in [
        "add_task",
        "functions.add_task",
        "functions.add_task:0",
        "tools.add_task",
        "default_api.add_task",
        "add_task<|channel|>commentary",
        " add_task ",
        "functions:add_task",
    ] {
        assert_eq!((bare_name(name), is_known(name)), ("add_task", true), "{name}");
    }
    assert!(!is_known("launch_rocket") && !is_known("functions.launch_rocket"));
}

#[test]
fn arguments_are_an_object_whatever_they_are_wrapped_in() {
    for given in [
        json!({ "title": "buy milk" }),
        json!("{\"title\": \"buy milk\"}"),
        json!("\"{\\\"title\\\": \\\"buy milk\\\"}\""),
        json!("\"\\\"{\\\\\\\"title\\\\\\\": \\\\\\\"buy milk\\\\\\\"}\\\"\""),
        json!("```json\n{\"title\": \"buy milk\"}\n```"),
        json!("{\"title\": \"buy milk\"}<|call|>"),
        json!("{\"title\": \"buy milk\"}<|im_end|>\n"),
        json!("{}{\"title\": \"buy milk\"}"),
    ] {
        assert_eq!(object(&given), Some(milk()), "{given}");
    }
    for nothing in [json!(null), json!(""), json!(" "), json!("null"), json!("{}"), json!("\"\"")] {
        assert_eq!(object(&nothing), Some(json!({})), "{nothing}");
    }
    for odd in [
        json!("milk"),
        json!([1]),
        json!("[1]"),
        json!(3),
        json!("{\"a\":1} {\"b\":2}"),
        json!("{\"a\":,}"),
        json!(true),
    ] {
        assert_eq!(object(&odd), None, "{odd}");
    }
}

#[test]
fn lists_in_each_other_have_a_bound() {
    let list = |depth: usize| format!("[add_task(title=\"milk\", tags={}{})]", "[".repeat(depth), "]".repeat(depth));
    assert!(matches!(read(&list(4)), Written::Calls(_)));
    // Each level would use a stack frame.
    assert_eq!(read(&list(60_000)), Written::Machine);
    assert_eq!(read(&format!("x(a={}", "[".repeat(64_000))), Written::Words(format!("x(a={}", "[".repeat(64_000))));
}
