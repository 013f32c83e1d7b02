//! Two control functions next to the tools: asking the person and declining. With them every provider expresses all four kinds
//! of decision unambiguously; plain text is an answer. They are actions of the engine and never tool calls.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::super::{Act, Unclear};
use super::reply::cut;

pub const ASK: &str = "ask_person";
pub const DECLINE: &str = "decline_request";

/// Maximum options of a question, and maximum characters of an option.
const OPTIONS: usize = 6;
const OPTION: usize = 80;

/// Returns true if `name` is a control function.
pub fn is_one(name: &str) -> bool {
    name == ASK || name == DECLINE
}

/// Returns both functions as tool definitions.
pub fn functions() -> [Box<RawValue>; 2] {
    let text = |words: &str| json!({ "type": "string", "description": words });
    let ask = json!({
        "type": "object",
        "properties": {
            "question": text("One short question to the person."),
            "options": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Up to 6 answers to choose from, each worded as the person would send it, such as “complete task 3”. \
                                Leave it out where any answer is possible.",
            },
            "about": {
                "type": "string",
                "enum": ["request", "task"],
                "description": "request: it is unclear what is wanted. task: it is unclear which task is meant.",
            },
        },
        "required": ["question"],
    });
    let decline = json!({
        "type": "object",
        "properties": { "reason": text("What to tell the person, in one or two sentences: why not, and what you can do instead.") },
        "required": ["reason"],
    });
    [
        function(
            ASK,
            "Asks the person one question and ends your turn. Use it whenever a request is unclear or several tasks fit.",
            &ask,
        ),
        function(
            DECLINE,
            "Declines what you cannot or must not do and ends your turn. Use it for whatever is not about this list.",
            &decline,
        ),
    ]
}

/// Returns a tool definition; `parameters` is a JSON Schema.
pub fn function(name: &str, description: &str, parameters: &impl Serialize) -> Box<RawValue> {
    #[derive(Serialize)]
    struct Function<'a, P> {
        function: Named<'a, P>,
        r#type: &'a str,
    }
    #[derive(Serialize)]
    struct Named<'a, P> {
        description: &'a str,
        name: &'a str,
        parameters: &'a P,
    }
    let function = Named { description, name, parameters };
    to_raw_value(&Function { function, r#type: "function" }).expect("a schema has a text")
}

/// Returns the action of a control function; `None` for tools and for empty texts.
pub fn act(name: &str, arguments: &Value) -> Option<Act> {
    let text = |field: &str| arguments[field].as_str().map(str::trim).filter(|text| !text.is_empty());
    match name {
        ASK => Some(Act::Ask {
            question: cut(text("question")?.to_owned()),
            options: options(&arguments["options"]),
            why: if arguments["about"] == "task" { Unclear::Target } else { Unclear::Intent },
        }),
        DECLINE => Some(Act::Refuse { text: cut(text("reason")?.to_owned()) }),
        _ => None,
    }
}

fn options(given: &Value) -> Vec<String> {
    let mut options: Vec<String> = vec![];
    for option in given.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let option = option.trim();
        if !option.is_empty() && option.chars().count() <= OPTION && !options.iter().any(|other| other == option) {
            options.push(option.to_owned());
        }
    }
    options.truncate(OPTIONS);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_keeps_a_few_short_choices() {
        let options = json!(["complete task 3", " complete task 3 ", "", "complete task 4", 5, "x".repeat(81)]);
        let asked = act(ASK, &json!({ "question": " Which one? ", "options": options, "about": "task" })).unwrap();
        let options = vec!["complete task 3".to_owned(), "complete task 4".to_owned()];
        assert_eq!(asked, Act::Ask { question: "Which one?".into(), options, why: Unclear::Target });
    }

    #[test]
    fn control_call_without_text_or_with_tool_name_is_ignored() {
        assert_eq!(act(ASK, &json!({ "question": " " })), None);
        assert_eq!(act(DECLINE, &json!({})), None);
        assert_eq!(act("add_task", &json!({ "question": "What?" })), None);
        assert_eq!(act(DECLINE, &json!({ "reason": "No." })), Some(Act::Refuse { text: "No.".into() }));
    }
}
