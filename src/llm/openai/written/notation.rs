//! A parser for texts that may be calls: envelopes, JSON, tagged parameters, and program code.

use serde_json::{Map, Value};

use super::super::markup;
use super::{WrittenCall, bare_name};

/// Elements around calls.
const ELEMENTS: [&str; 14] = [
    "tool_call",
    "tool_calls",
    "toolcall",
    "tool_use",
    "tool_uses",
    "tool_code",
    "function_call",
    "function_calls",
    "functioncall",
    "start_function_call",
    "end_function_call",
    "minimax:tool_call",
    "seed:tool_call",
    "tools",
];
/// Words around calls.
const WORDS: [&str; 5] = ["[TOOL_CALLS]", "[/TOOL_CALLS]", "[ARGS]", "functools", "<channel|>"];
/// Maximum characters of a marker such as `<|python_tag|>`.
const LONGEST_SIGN: usize = 48;
/// Maximum nesting of lists in program code.
const DEEPEST: usize = 16;
const BLANKS: [char; 3] = [',', ';', '\u{feff}'];

/// A cursor into a text.
pub struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(|sign: char| sign.is_whitespace() || BLANKS.contains(&sign));
    }

    /// Skips blanks. Returns true at the end.
    pub fn is_over(&mut self) -> bool {
        self.skip_blanks();
        self.rest.is_empty()
    }

    fn eat(&mut self, word: &str) -> bool {
        let head = self.rest.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word));
        self.rest = head.map_or(self.rest, |head| &self.rest[head.len()..]);
        head.is_some()
    }

    /// Consumes one marker of an envelope. Returns true if there was one.
    pub fn envelope(&mut self) -> bool {
        if WORDS.iter().any(|word| self.eat(word)) {
            return true;
        }
        if self.eat("[CALL_ID]") {
            self.rest = self.rest.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric() || "_-".contains(sign));
            return true;
        }
        self.sign() || self.element()
    }

    /// Consumes `<|…|>` or `<｜…｜>`.
    fn sign(&mut self) -> bool {
        for (begin, end) in [("<|", "|>"), ("<｜", "｜>")] {
            let inner = self.rest.strip_prefix(begin).and_then(|rest| rest.split_once(end));
            let Some((_, rest)) = inner.filter(|(inner, _)| inner.chars().count() <= LONGEST_SIGN) else { continue };
            self.rest = rest;
            return true;
        }
        false
    }

    /// Returns true if only markers are left.
    pub fn has_only_signs(&mut self) -> bool {
        while !self.is_over() {
            if !(self.sign() || markup::ENDS.iter().any(|end| self.eat(end))) {
                return false;
            }
        }
        true
    }

    /// Consumes `<tool_call>` or `</tool_call>`.
    fn element(&mut self) -> bool {
        let Some((tag, rest)) = self.rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) else { return false };
        let tag = tag.trim_start_matches('/').trim_end_matches('/');
        let name = tag.split_whitespace().next().unwrap_or_default();
        let known = ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name));
        if known {
            self.rest = rest;
        }
        known
    }

    /// Consumes a fenced block and returns it without its language; an unclosed block extends to the end.
    pub fn fence(&mut self) -> Option<&'a str> {
        let block = self.rest.strip_prefix("```")?;
        let (inner, rest) = block.split_once("```").unwrap_or((block, ""));
        self.rest = rest;
        let language = inner.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric() || "_-+".contains(sign));
        Some(if language.starts_with(char::is_whitespace) { language.trim() } else { inner.trim() })
    }

    /// Consumes a JSON object or list.
    pub fn json(&mut self) -> Option<Value> {
        if !self.rest.starts_with(['{', '[']) {
            return None;
        }
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        let value = values.next()?.ok()?;
        self.rest = &self.rest[values.byte_offset()..];
        Some(value)
    }

    /// Consumes the first JSON object and the text before it.
    pub fn find_json(&mut self) -> Option<Value> {
        self.rest = &self.rest[self.rest.find('{')?..];
        self.json()
    }

    /// Consumes a name of letters, digits and namespace separators.
    pub fn name(&mut self) -> Option<&'a str> {
        let is_part = |sign: char| sign.is_alphanumeric() || "_.-:".contains(sign);
        let end = self.rest.find(|sign| !is_part(sign)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        let begins = name.starts_with(|sign: char| sign.is_alphabetic() || sign == '_');
        begins.then(|| {
            self.rest = rest;
            name
        })
    }

    /// Consumes a call that names its tool first. The flag is true if its form is an envelope by itself.
    pub fn call(&mut self) -> Option<(WrittenCall, bool)> {
        if self.rest.starts_with('<') {
            return self.tagged().map(|call| (call, true));
        }
        // [add_task(title="milk")] and print(default_api.add_task(…))
        let listed = self.eat("[");
        let printed = self.eat("print(");
        let name = self.name()?;
        self.eat_signs();
        let (name, separate) = match name {
            // DeepSeek: function<｜tool▁sep｜>add_task
            "function" => (self.name()?, true),
            "call" => return None,
            name => (name.strip_prefix("call:").unwrap_or(name), false),
        };
        self.eat_signs();
        self.skip_blanks();
        let arguments = match self.rest.chars().next() {
            Some('{') => self.json()?,
            Some('`') => serde_json::from_str(self.fence()?).ok()?,
            Some('(') => self.code()?,
            Some('<') if self.rest.starts_with("<arg_key>") => self.keyed()?,
            _ => return None,
        };
        if printed {
            self.skip_blanks();
            self.eat(")");
        }
        if listed {
            self.skip_blanks();
            // More calls or the end of the list may follow.
            if !self.eat("]") && !self.rest.is_empty() {
                self.rest = self.rest.trim_start_matches(BLANKS);
            }
        } else {
            self.skip_blanks();
            self.eat("]");
        }
        let spaced = listed || printed || separate || bare_name(name) != name;
        Some(((name.to_owned(), arguments), spaced))
    }

    /// Skips markers after a name, and the word for the type of the arguments.
    fn eat_signs(&mut self) {
        loop {
            let before = self.rest.len();
            self.skip_blanks();
            let _eaten = self.sign() || self.eat("[ARGS]");
            if self.rest.starts_with("[CALL_ID]") {
                self.envelope();
            }
            if self.rest.starts_with("json") && self.rest[4..].trim_start().starts_with('{') {
                self.eat("json");
            }
            if self.rest.len() == before {
                return;
            }
        }
    }

    /// Consumes `<function=NAME>` or `<invoke name="NAME">`, with JSON or one element per parameter.
    fn tagged(&mut self) -> Option<WrittenCall> {
        let (tag, rest) = self.rest.strip_prefix('<')?.split_once('>')?;
        let kind = ["function", "invoke", "｜DSML｜invoke"].into_iter().find(|kind| tag.starts_with(kind))?;
        let name = attribute(&tag[kind.len()..])?;
        let close = format!("</{kind}>");
        let (body, rest) = rest.split_once(close.as_str()).unwrap_or((rest, ""));
        self.rest = rest;
        let body = body.trim();
        let mut parameters = Map::new();
        if body.starts_with('{') {
            return Some((name, serde_json::from_str(body).ok()?));
        }
        let mut inner = body;
        while !inner.trim().is_empty() {
            let (tag, rest) = inner.trim_start().strip_prefix('<')?.split_once('>')?;
            let kind = ["parameter", "｜DSML｜parameter"].into_iter().find(|kind| tag.starts_with(kind))?;
            let (value, rest) = rest.split_once(format!("</{kind}>").as_str())?;
            parameters.insert(attribute(&tag[kind.len()..])?, of_text(value));
            inner = rest;
        }
        Some((name, parameters.into()))
    }

    /// Consumes GLM's `<arg_key>title</arg_key><arg_value>milk</arg_value>`.
    fn keyed(&mut self) -> Option<Value> {
        let mut parameters = Map::new();
        while let Some(rest) = self.rest.trim_start().strip_prefix("<arg_key>") {
            let (key, rest) = rest.split_once("</arg_key>")?;
            let (value, rest) = rest.trim_start().strip_prefix("<arg_value>")?.split_once("</arg_value>")?;
            parameters.insert(key.trim().to_owned(), of_text(value));
            self.rest = rest;
        }
        Some(parameters.into())
    }

    /// Consumes `({"title": "milk"})` or `(title="milk", task_id=3)`.
    fn code(&mut self) -> Option<Value> {
        self.eat("(");
        self.skip_blanks();
        let mut arguments = Map::new();
        if self.rest.starts_with('{') {
            let value = self.json()?;
            self.skip_blanks();
            return self.eat(")").then_some(value);
        }
        while !self.eat(")") {
            let name = self.name()?;
            self.skip_blanks();
            if !(name.ends_with(':') || self.eat("=") || self.eat(":")) {
                return None;
            }
            self.skip_blanks();
            arguments.insert(name.trim_end_matches(':').to_owned(), self.literal(DEEPEST)?);
            self.skip_blanks();
        }
        Some(arguments.into())
    }

    /// Consumes a literal of Python or JSON, with lists nested up to `deepest` levels.
    fn literal(&mut self, deepest: usize) -> Option<Value> {
        for (word, value) in
            [("None", Value::Null), ("null", Value::Null), ("True", true.into()), ("False", false.into())]
        {
            if self.eat(word) {
                return Some(value);
            }
        }
        match self.rest.chars().next()? {
            quote @ ('"' | '\'') => self.quoted(quote).map(Value::from),
            '[' => {
                let deeper = deepest.checked_sub(1)?;
                self.eat("[");
                let mut items = vec![];
                loop {
                    self.skip_blanks();
                    if self.eat("]") {
                        return Some(items.into());
                    }
                    items.push(self.literal(deeper)?);
                }
            }
            '{' => self.json(),
            _ => {
                let end = self.rest.find(|sign: char| !(sign.is_ascii_digit() || "+-.".contains(sign)))?;
                let (number, rest) = self.rest.split_at(end);
                self.rest = rest;
                serde_json::from_str(number).ok()
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut signs = self.rest.char_indices().skip(1);
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => text.push(match signs.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                }),
                sign if sign == quote => {
                    self.rest = &self.rest[at + sign.len_utf8()..];
                    return Some(text);
                }
                sign => text.push(sign),
            }
        }
        None
    }
}

/// Returns the name in `=NAME` or ` name="NAME"`.
fn attribute(text: &str) -> Option<String> {
    let value = match text.split_once("name=") {
        Some((_, named)) => named,
        None => text.trim_start().strip_prefix('=')?,
    };
    let value = value.trim_start();
    let name = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split_whitespace().next()?,
    };
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the value of a tagged parameter: a list or object if it parses as one, else its text.
fn of_text(value: &str) -> Value {
    let value = value.trim();
    let nested = value.starts_with(['[', '{']).then(|| serde_json::from_str(value).ok()).flatten();
    nested.unwrap_or_else(|| Value::from(value))
}

/// Returns the arguments of a call as an object, decoding nested text.
pub fn object(given: &Value) -> Option<Value> {
    /// Maximum levels of encoded text.
    const DEEPEST: usize = 3;
    let mut value = given.clone();
    for _ in 0..=DEEPEST {
        let Value::String(text) = &value else { break };
        value = unwrapped(text)?;
    }
    match value {
        Value::Null => Some(Map::new().into()),
        Value::Object(_) => Some(value),
        _ => None,
    }
}

/// Parses the JSON in a text, also in a fenced block or before end markers. Some servers send `{}` before the arguments.
fn unwrapped(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Value::Null);
    }
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut cursor = Cursor::new(text);
    if let Some(fenced) = cursor.fence() {
        return if cursor.is_over() { serde_json::from_str(fenced).ok() } else { None };
    }
    let mut value = cursor.json()?;
    if value == Value::from(Map::new()) && !cursor.is_over() {
        value = cursor.json().unwrap_or(value);
    }
    cursor.has_only_signs().then_some(value)
}
