//! `/api`: the API reference as a page without scripts, and `/api/openapi.json`.

use axum::Json;
use axum::extract::State;
use axum::response::{Html, IntoResponse};
use leptos::prelude::*;
use serde_json::Value;

use crate::api::context::session_cookie;
use crate::api::reference::{self, Answer, Entry, Kind, TABLE};
use crate::messages::reference as messages;
use crate::raw_text;
use crate::state::AppState;
use crate::ui::components::Brand;

pub async fn document(State(state): State<AppState>) -> Json<Value> {
    Json(described(&state))
}

fn described(state: &AppState) -> Value {
    reference::document(&state.config.public_url, session_cookie(state.config.secure()))
}

pub async fn page(State(state): State<AppState>) -> impl IntoResponse {
    let document = described(&state);
    let owner = Owner::new();
    let html = owner.with(|| whole(&document, &state.config.public_url).to_html());
    owner.cleanup();
    Html(format!("<!DOCTYPE html>{html}"))
}

fn whole(document: &Value, public_url: &str) -> impl IntoView + use<> {
    let example = format!(
        "curl -H \"Authorization: Bearer $DOCKET_TOKEN\" -d title=\"Buy milk\" -d due=tomorrow {public_url}/api/v1/tasks/add"
    );
    let mut sections: Vec<&str> = vec![];
    for section in TABLE.iter().map(reference::section) {
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    let sections: Vec<_> = sections.into_iter().map(group).collect();
    view! {
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                {raw_text::title(messages::API_DOCKET.to_owned())}
                <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
                <link rel="stylesheet" href="/pkg/docket.css"/>
            </head>
            <body>
                <main class="page reference">
                    <Brand/>
                    <h1>{messages::API}</h1>
                    <p>{messages::HOW_TO_ASK} <code>{messages::COMMAND_FOR_A_TOKEN}</code> "."</p>
                    <pre class="sheet sheet--padded">{example}</pre>
                    <p>{messages::AN_ERROR_IS} <code>r#"{"error":{"code":"not_found","message":"…"}}"#</code> {messages::WITH_ITS_STATUS}
                        <a href="/api/openapi.json">{messages::OPENAPI_JSON}</a>
                        {messages::AGENTS_USE} <code>{format!("{public_url}/mcp")}</code>
                        {messages::INSTEAD_OF_THIS}</p>
                    {sections}
                    <h2>{messages::TYPES}</h2>
                    {types(document)}
                </main>
            </body>
        </html>
    }
}

fn group(section: &'static str) -> impl IntoView + use<> {
    let entries: Vec<_> = TABLE.iter().filter(|entry| reference::section(entry) == section).map(one).collect();
    view! {
        <section class="reference__group" aria-labelledby=section>
            <h2 id=section>{section}</h2>
            {entries}
        </section>
    }
}

fn one(entry: &'static Entry) -> impl IntoView + use<> {
    let answers = entry.answers();
    let link = matches!(entry.answer, Answer::Json(_)).then(|| format!("#type-{}", answers.trim_matches(['[', ']'])));
    let fields: Vec<_> = entry
        .fields
        .iter()
        .map(|field| {
            view! {
                <div>
                    <dt><code>{field.name}</code>{if field.required { "" } else { messages::MAY_BE_LEFT_OUT }}</dt>
                    <dd>{field.tells}" "{values(field.kind)}</dd>
                </div>
            }
        })
        .collect();
    let errors: Vec<_> = entry.failures().iter().map(|code| code.status().to_string()).collect();
    view! {
        <article class="sheet sheet--padded">
            <h3><code>{entry.method}" "{entry.path}</code></h3>
            <p>{entry.tells}</p>
            {(!fields.is_empty()).then(|| view! { <dl>{fields}</dl> })}
            <p class="reference__note">
                {messages::ANSWERS_WITH} {match link {
                    Some(link) => view! { <a href=link>{answers}</a> }.into_any(),
                    None => view! { <code>{answers}</code> }.into_any(),
                }}
                {messages::NEEDS} {entry.needs.in_words()} {messages::ERRORS} {errors.join(", ")} "."
            </p>
        </article>
    }
}

fn values(kind: Kind) -> String {
    match kind {
        Kind::OneOf(names) => messages::one_of(&names.join(", ")),
        Kind::List => messages::REPEAT_THE_FIELD_FOR_EACH.to_owned(),
        Kind::Flag => messages::TRUE_OR_FALSE.to_owned(),
        Kind::Text | Kind::Id | Kind::Number => String::new(),
    }
}

fn types(document: &Value) -> Vec<AnyView> {
    let schemas = document["components"]["schemas"].as_object().cloned().unwrap_or_default();
    schemas
        .into_iter()
        .map(|(name, schema)| {
            let told = schema["description"].as_str().unwrap_or_default().to_owned();
            let fields: Vec<_> = schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(field, of)| {
                    view! {
                        <div>
                            <dt><code>{field.clone()}</code>" "{reference::name(of)}</dt>
                            <dd>{of["description"].as_str().unwrap_or_default().to_owned()}</dd>
                        </div>
                    }
                })
                .collect();
            let names: Vec<_> =
                schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
            let id = format!("type-{name}");
            view! {
                <article class="sheet sheet--padded" id=id>
                    <h3><code>{name}</code></h3>
                    <p>{told}</p>
                    {(!fields.is_empty()).then(|| view! { <dl>{fields}</dl> })}
                    {(!names.is_empty()).then(|| view! { <p><code>{names.join(", ")}</code></p> })}
                </article>
            }
            .into_any()
        })
        .collect()
}
