//! The audit log as a list: a row for each turn, and the filters.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;
use crate::api::audit::{AuditSearch, Rows};

/// Lists turns of the audit log, newest first. An admin's first view of another user's turn is recorded.
#[server(name = GetRecord, prefix = "/api/v1", endpoint = "rendered/record", input = GetUrl)]
pub async fn record(#[server(flatten)] search: AuditSearch) -> Result<Rows, ApiError> {
    use crate::api::{audit, context};
    use crate::domain::user::Scope;
    let page = audit::list(search).await?;
    let (_, reader) = context::caller(Scope::Audit)?;
    let rows = page.items.into_iter().map(|row| show::row(row, &reader.user)).collect();
    Ok(Rows { rows, next: page.next, searched: page.searched })
}

/// Renders the filters with the values of the search, valid or not.
#[server(name = GetFilters, prefix = "/api/v1", endpoint = "rendered/filters", input = GetUrl)]
pub async fn filters(#[server(flatten)] search: AuditSearch) -> Result<String, ApiError> {
    use crate::api::context;
    use crate::domain::user::{Role, Scope};
    let (_, reader) = context::caller(Scope::Audit)?;
    Ok(show::filters(search, reader.user.role == Role::Admin))
}

#[cfg(feature = "ssr")]
mod show {
    use leptos::prelude::*;

    use crate::api::audit::{AuditRow, AuditSearch, Row};
    use crate::domain::decision::{DecisionKind, Engine};
    use crate::domain::tool::ToolName;
    use crate::domain::turn::Effect;
    use crate::domain::user::User;
    use crate::messages::audit as messages;
    use crate::ui::components::{Field, Icon, Shape};

    pub fn row(row: AuditRow, reader: &User) -> Row {
        let AuditRow { entry, at_label, said, .. } = row;
        let outcome = entry.decision.outcome;
        let (head, sub) = outcome.as_str().split_once(':').unwrap_or((outcome.as_str(), ""));
        let (shape, tone) = match (head, sub) {
            (_, "APPROVAL_REQUESTED") => (Shape::Clock, "waiting"),
            ("SUCCESS", _) => (Shape::Check, "success"),
            ("AMBIGUITY", _) => (Shape::Diamond, "ambiguity"),
            ("REFUSAL", _) => (Shape::Cross, "refusal"),
            _ => (Shape::Alert, "error"),
        };
        let others = (entry.user != reader.name.as_str()).then(|| view! { <b>{entry.user} ": "</b> });
        let tools = entry.tool_calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>().join(", ");
        let undone = entry.tool_calls.iter().filter(|call| call.effect == Effect::Undone).count();
        let html = view! {
            <span class="audit-row__at">{at_label}</span>
            <span class="audit-row__said">{others} {said}</span>
            <span class="audit-row__tools">{tools} {(undone > 0).then_some(messages::UNDONE_SINCE)}</span>
            <span class=format!("audit-row__outcome audit-row__outcome--{tone}")><Icon shape/> {outcome.in_words()}</span>
        };
        Row { turn_id: entry.turn_id, at: entry.at, undone, html: html.to_html() }
    }

    pub fn filters(search: AuditSearch, admin: bool) -> String {
        let kept = AuditSearch { text: None, outcome: None, cursor: None, ..search.clone() };
        let more = kept != AuditSearch::default();
        let (text, outcome) = (search.text.clone(), search.outcome.clone());
        let outcomes = [
            ("SUCCESS", messages::SUCCESS),
            ("AMBIGUITY", messages::QUESTION_ASKED),
            ("REFUSAL", messages::REFUSED),
            ("ERROR", messages::ERROR),
        ];
        view! {
            <form class="audit-page__filters sheet" method="get" action="/audit" role="search" aria-label=messages::FILTER_THE_RECORD>
                <div class="audit-page__first">
                    <Field id="audit-text" label=messages::WORDS>
                        <input id="audit-text" type="search" name="text" data-keys="/" value=text autocomplete="off"/>
                    </Field>
                    <Field id="audit-outcome" label=messages::OUTCOME>
                        {choose("audit-outcome", "outcome", &outcomes, outcome)}
                    </Field>
                    <div class="audit-page__buttons">
                        <button class="button button--primary">{messages::FILTER}</button>
                        <a class="button button--quiet" href="/audit">{messages::CLEAR}</a>
                    </div>
                </div>
                <details class="audit-page__more" open=more>
                    <summary class="button button--quiet">{messages::MORE_FILTERS} <Icon shape=Shape::Chevron/></summary>
                    {fields(search, admin)}
                </details>
            </form>
        }
        .to_html()
    }

    /// The filters that are collapsed at first.
    fn fields(search: AuditSearch, admin: bool) -> impl IntoView {
        let kinds = DecisionKind::ALL.map(|kind| (kind.as_str(), kind.in_words()));
        let actors =
            [("message", messages::A_MESSAGE), ("approval", messages::A_VERDICT), ("mcp", messages::AN_OUTSIDE_AGENT)];
        let risks = [("low", messages::LOW), ("medium", messages::MEDIUM), ("high", messages::HIGH)];
        let tools = ToolName::ALL.map(|tool| (tool.as_str(), tool.as_str()));
        let engines = Engine::ALL.map(|engine| (engine.as_str(), engine.as_str()));
        let AuditSearch { since, until, tool, kind, engine, risk, conversation, actor, user, .. } = search;
        view! {
            <div class="audit-page__fields">
                <Field id="audit-tool" label=messages::TOOL>{choose("audit-tool", "tool", &tools, tool)}</Field>
                <Field id="audit-risk" label=messages::RISK>{choose("audit-risk", "risk", &risks, risk)}</Field>
                <Field id="audit-engine" label=messages::ENGINE>{choose("audit-engine", "engine", &engines, engine)}</Field>
                <Field id="audit-kind" label=messages::DECISION>{choose("audit-kind", "kind", &kinds, kind)}</Field>
                <Field id="audit-actor" label=messages::SET_OFF_BY>{choose("audit-actor", "actor", &actors, actor)}</Field>
                <Field id="audit-conversation" label=messages::CONVERSATION>
                    <input id="audit-conversation" name="conversation" value=conversation autocomplete="off"/>
                </Field>
                <Field id="audit-since" label=messages::FROM>
                    <input id="audit-since" type=date(since.as_ref()) name="since" value=since/>
                </Field>
                <Field id="audit-until" label=messages::TO>
                    <input id="audit-until" type=date(until.as_ref()) name="until" value=until/>
                </Field>
                {admin.then(|| view! {
                    <Field id="audit-user" label=messages::USER>
                        <input id="audit-user" name="user" value=user autocomplete="off"/>
                    </Field>
                })}
            </div>
        }
    }

    /// Returns the input type: `date` for a day, `text` for an instant, which the charts' bars link to.
    fn date(value: Option<&String>) -> &'static str {
        if value.is_some_and(|value| value.len() > 10) { "text" } else { "date" }
    }

    fn choose(
        id: &'static str,
        name: &'static str,
        options: &[(&'static str, &'static str)],
        chosen: Option<String>,
    ) -> impl IntoView + use<> {
        let options = options.iter().map(|&(value, label)| {
            view! { <option value=value selected=chosen.as_deref() == Some(value)>{label}</option> }
        });
        view! {
            <select id=id name=name>
                <option value="">{messages::ANY}</option>
                {options.collect_view()}
            </select>
        }
    }
}
