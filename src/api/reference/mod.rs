//! API reference: one table of functions, from which the OpenAPI document and the page `/api` are generated. Types
//! describe themselves by their fields and doc comments.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::error::Code;
use crate::domain::user::Scope;

mod table;
pub use table::TABLE;

pub struct Entry {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The full path.
    pub path: &'static str,
    /// Description of one or two sentences.
    pub tells: &'static str,
    pub needs: Needs,
    pub fields: &'static [Field],
    pub answer: Answer,
    /// Errors besides those that every function can return.
    pub fails: &'static [Code],
}

/// Authentication that a function requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// A session, or any token.
    Anyone,
    /// A session; tokens are not accepted.
    Session,
    /// A session, or a token with all of these scopes.
    Scopes(&'static [Scope]),
}

/// The kind of a successful response.
#[derive(Clone, Copy)]
pub enum Answer {
    /// `null`.
    Done,
    /// JSON of this type.
    Json(fn(&mut SchemaGenerator) -> Schema),
    /// HTML as a JSON string, a fragment of a page.
    Piece,
    /// A file in one of several formats.
    File,
    /// Server-sent events.
    Events,
}

/// A field of a form or a query.
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    pub tells: &'static str,
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Id,
    Number,
    Flag,
    /// Strings; the field is repeated.
    List,
    OneOf(&'static [&'static str]),
}

impl Needs {
    /// Returns the end of the sentence “Needs …”.
    pub fn in_words(self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Anyone => "a session or a token".to_owned(),
            Self::Session => "a session".to_owned(),
            Self::Scopes([scope]) => format!("a session, or a token with the scope {}", scope.as_str()),
            Self::Scopes(scopes) => {
                let names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
                format!("a session, or a token with the scopes {}", names.join(", "))
            }
        }
    }
}

impl Entry {
    /// Returns every error code of the function, by status.
    pub fn failures(&self) -> Vec<Code> {
        let mut all = vec![Code::Malformed, Code::TooLarge, Code::Invalid, Code::Unavailable];
        if self.needs != Needs::Nothing {
            all.extend([Code::Unauthenticated, Code::Forbidden]);
        } else if self.method == "POST" {
            // Cross-site requests are rejected.
            all.push(Code::Forbidden);
        }
        all.extend(self.fails);
        all.sort_by_key(|code| code.status());
        all.dedup();
        all
    }

    fn turns(&self) -> bool {
        self.answers() == "Turn"
    }

    /// Returns the name of the answer's type, as the document's schemas name it.
    pub fn answers(&self) -> String {
        match self.answer {
            Answer::Done => "null".to_owned(),
            Answer::Piece => "HTML".to_owned(),
            Answer::File => "a file".to_owned(),
            Answer::Events => "text/event-stream".to_owned(),
            Answer::Json(of) => name(&of(&mut generator()).to_value()),
        }
    }
}

/// Returns a one-word name for a schema.
pub fn name(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("[{}]", name(&schema["items"])),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            kinds
                .map(|kind| if kind == "array" { format!("[{}]", name(&schema["items"])) } else { kind.to_owned() })
                .collect::<Vec<_>>()
                .join(" or ")
        }
        _ => match schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            Some(any) => any.iter().map(name).collect::<Vec<_>>().join(" or "),
            None => "any".to_owned(),
        },
    }
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .for_serialize()
        .into_generator()
}

/// Builds the OpenAPI 3.1 document of the server at `public_url`, with sessions in `cookie`.
pub fn document(public_url: &str, cookie: &str) -> Value {
    let mut generator = generator();
    let mut paths: Map<String, Value> = Map::new();
    for entry in TABLE {
        let path = paths.entry(entry.path).or_insert_with(|| json!({}));
        path[entry.method.to_lowercase()] = operation(entry, &mut generator);
    }
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Error".into(), error());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Docket", "version": env!("CARGO_PKG_VERSION"),
            "description": "Send form fields, receive JSON. Agents use /mcp instead.",
        },
        "servers": [{ "url": public_url }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "A personal token, created with \
                 `docket token create`." },
                "session": { "type": "apiKey", "in": "cookie", "name": cookie },
            },
        },
    })
}

fn operation(entry: &Entry, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": entry.path.trim_start_matches("/api/v1/").replace(['/', '-'], "_"),
        "summary": entry.tells,
        "tags": [section(entry)],
        "responses": responses(entry, generator),
        "security": match entry.needs {
            Needs::Nothing => json!([]),
            Needs::Session => json!([{ "session": [] }]),
            Needs::Anyone | Needs::Scopes(_) => json!([{ "token": [] }, { "session": [] }]),
        },
    });
    if let Needs::Scopes(scopes) = entry.needs {
        operation["x-scopes"] = json!(scopes);
    }
    if entry.fields.is_empty() {
        return operation;
    }
    if entry.method == "GET" {
        let parameter = |field: &Field| {
            json!({
                "name": field.name, "in": "query", "required": field.required, "description": field.tells,
                "schema": field.schema(),
            })
        };
        operation["parameters"] = entry.fields.iter().map(parameter).collect();
    } else {
        let properties: Map<_, _> = entry
            .fields
            .iter()
            .map(|field| {
                let mut schema = field.schema();
                schema["description"] = json!(field.tells);
                (field.name.to_owned(), schema)
            })
            .collect();
        let required: Vec<_> = entry.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        let form = json!({ "type": "object", "properties": properties, "required": required });
        operation["requestBody"] = json!({ "required": !required.is_empty(), "content": { "application/x-www-form-urlencoded": { "schema": form } } });
    }
    operation
}

/// Returns the group of an entry: the first segment of its path.
pub fn section(entry: &Entry) -> &'static str {
    entry.path.trim_start_matches("/api/v1/").split('/').next().unwrap_or_default()
}

fn responses(entry: &Entry, generator: &mut SchemaGenerator) -> Value {
    let json_of = |schema: Value| json!({ "application/json": { "schema": schema } });
    let content = match entry.answer {
        Answer::Done => json_of(json!({ "type": "null" })),
        Answer::Piece => json_of(json!({ "type": "string" })),
        Answer::File => json!({
            "application/json": { "schema": {} }, "application/jsonl": { "schema": { "type": "string" } },
            "text/csv": { "schema": { "type": "string" } },
        }),
        Answer::Json(of) => json_of(of(generator).to_value()),
        Answer::Events => json!({ "text/event-stream": { "schema": { "type": "string" } } }),
    };
    let mut responses = json!({ "200": { "description": "Done.", "content": content } });
    for code in entry.failures() {
        let error = json!({ "$ref": "#/components/schemas/Error" });
        let schema = match entry.answer {
            // Over the rate limit, the body is the refusing turn; far over it, an error.
            Answer::Json(of) if code == Code::RateLimited && entry.turns() => {
                json!({ "anyOf": [of(generator), error] })
            }
            _ => error,
        };
        let mut failed = json!({ "description": told(code), "content": json_of(schema) });
        if code == Code::RateLimited {
            failed["headers"] =
                json!({ "Retry-After": { "schema": { "type": "integer" }, "description": "Seconds." } });
        }
        responses[code.status().to_string()] = failed;
    }
    responses
}

pub fn told(code: Code) -> &'static str {
    match code {
        Code::Malformed => "A field is missing or malformed.",
        Code::Unauthenticated => "There is no session and no valid token.",
        Code::Forbidden => "The token or the account is not allowed to do this, or the request came from another site.",
        Code::NotFound => "The object does not exist, or belongs to another user.",
        Code::Conflict => "The object has changed in the meantime.",
        Code::SessionChanged => "The page belongs to another account than the one that is now signed in.",
        Code::TooLarge => "The request is larger than 256 KB, or 4 MB with a file.",
        Code::Invalid => "A value is invalid; the message says which one.",
        Code::RateLimited => "The rate limit was exceeded; Retry-After says how long to wait.",
        Code::Unavailable => "The database is not available at the moment.",
    }
}

fn error() -> Value {
    let codes = [
        Code::Malformed,
        Code::Unauthenticated,
        Code::Forbidden,
        Code::NotFound,
        Code::Conflict,
        Code::SessionChanged,
        Code::TooLarge,
        Code::Invalid,
        Code::RateLimited,
        Code::Unavailable,
    ];
    json!({
        "type": "object",
        "description": "Format of every error.",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": { "type": "string", "enum": codes },
                    "message": { "type": "string", "description": "What went wrong and what to do." },
                    "retry_after": { "type": "integer", "description": "Seconds until the same request may succeed." },
                    "rest": { "type": "boolean", "description": "The other changes can be undone with `rest=true`." },
                },
                "required": ["code", "message"],
            },
        },
        "required": ["error"],
    })
}

impl Field {
    fn schema(&self) -> Value {
        match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Id => json!({ "type": "string", "format": "uuid" }),
            Kind::Number => json!({ "type": "integer", "minimum": 1 }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::List => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::OneOf(names) => json!({ "type": "string", "enum": names }),
        }
    }
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
