//! The tool policy: a field for each tool and kind of caller.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

#[cfg(feature = "ssr")]
pub(super) use show::form;

/// Renders the reader's own policy.
#[server(name = GetPolicy, prefix = "/api/v1", endpoint = "rendered/policy", input = GetUrl)]
pub async fn policy() -> Result<String, ApiError> {
    use crate::api::{context, settings};
    use leptos::server_fn::ServerFn;
    let matrix = settings::policy().await?;
    let error = context::take_flash().and_then(|flash| flash.error_of(settings::SetPolicy::PATH));
    Ok(form(&matrix, settings::SetPolicy::url(), "/settings#policy", error).to_html())
}

#[cfg(feature = "ssr")]
mod show {
    use leptos::prelude::*;

    use crate::api::settings::PolicyView;
    use crate::domain::policy::{Asker, Rule};
    use crate::domain::tool::ToolName;
    use crate::messages::{counts, policy as messages};

    pub fn form(
        matrix: &[PolicyView],
        url: &'static str,
        back: &'static str,
        error: Option<String>,
    ) -> impl IntoView + use<> {
        let rows = ToolName::ALL.map(|tool| {
            let fields: Vec<_> = matrix.iter().filter(|field| field.tool == tool).map(field).collect();
            view! {
                <fieldset class="policy-form__row">
                    <legend class="policy-form__tool">{named(tool)} " " <code>{tool.as_str()}</code></legend>
                    {fields}
                </fieldset>
            }
        });
        view! {
            <form class="policy-form" method="post" action=url>
                {error.map(|error| view! { <p class="error" role="alert">{error}</p> })}
                <input type="hidden" name="return_to" value=back/>
                {rows.collect_view()}
                <div class="stack__actions"><button class="button">{messages::SAVE_THE_POLICY}</button></div>
            </form>
        }
    }

    fn field(field: &PolicyView) -> impl IntoView + use<> {
        let PolicyView { asker, tool, own, everyones, .. } = *field;
        let id = format!("{}-{}", asker.as_str(), tool.as_str());
        // An admin's rule cannot be loosened: weaker choices are not offered.
        let chosen = own.max(everyones);
        let options: Vec<_> = Rule::ALL
            .into_iter()
            .filter(|rule| *rule >= everyones)
            .map(|rule| {
                let ruled = rule == everyones && rule > Rule::Run;
                // Saving the form does not turn an admin's rule into the user's own.
                let sent = if ruled { Some(own).filter(|own| *own <= everyones).unwrap_or_default() } else { rule };
                let value = format!("{}.{}.{}", asker.as_str(), tool.as_str(), sent.as_str());
                let label = if ruled { by_an_admin(rule) } else { option(tool, rule) };
                view! { <option value=value selected=rule == chosen>{label}</option> }
            })
            .collect();
        let tested = tested(field, chosen);
        view! {
            <div class="policy-form__field">
                <label class="policy-form__asker" for=id.clone()>{who(asker)}</label>
                <select id=id name="rule">{options}</select>
                {tested.map(|tested| view! { <span class="policy-form__tested">{tested}</span> })}
            </div>
        }
    }

    /// Returns the effect that a stricter rule would have had in the last 30 days.
    fn tested(field: &PolicyView, chosen: Rule) -> Option<String> {
        match chosen {
            Rule::Run if field.unasked > 0 => Some(messages::ask_would_have_asked(&counts::times(field.unasked))),
            Rule::Run | Rule::Ask if field.all > 0 => {
                Some(messages::deny_would_have_refused(&counts::times(field.all)))
            }
            Rule::Run | Rule::Ask | Rule::Deny => None,
        }
    }

    fn who(asker: Asker) -> &'static str {
        match asker {
            Asker::Agent => messages::ASSISTANT_BY_A_MODEL,
            Asker::Rules => messages::ASSISTANT_BY_RULES,
            Asker::Mcp => messages::OUTSIDE_AGENTS,
        }
    }

    fn named(tool: ToolName) -> &'static str {
        match tool {
            ToolName::AddTask => messages::ADD_TASKS,
            ToolName::CompleteTask => messages::COMPLETE_TASKS,
            ToolName::DeleteTask => messages::DELETE_TASKS,
            ToolName::GetTask => messages::READ_A_TASK,
            ToolName::ListTasks => messages::LIST_TASKS,
            ToolName::Undo => messages::UNDO_CHANGES,
            ToolName::UpdateTask => messages::CHANGE_TASKS,
        }
    }

    fn option(tool: ToolName, rule: Rule) -> &'static str {
        match (rule, tool) {
            (Rule::Run, ToolName::DeleteTask) => messages::AS_USUAL_ASK,
            (Rule::Run, ToolName::CompleteTask) => messages::AS_USUAL_RUN_ONE_ASK,
            (Rule::Run, ToolName::Undo) => messages::AS_USUAL_RUN_OWN,
            (Rule::Run, ToolName::UpdateTask) => messages::AS_USUAL_RUN_ONE_ASK_FOR_TITLES,
            (Rule::Run, ToolName::AddTask | ToolName::GetTask | ToolName::ListTasks) => messages::AS_USUAL_RUN,
            (Rule::Ask, _) => messages::ASK_EACH_TIME,
            (Rule::Deny, _) => messages::DENY,
        }
    }

    fn by_an_admin(rule: Rule) -> &'static str {
        if rule == Rule::Deny { messages::DENIED_BY_AN_ADMIN } else { messages::ASK_EACH_TIME_BY_ADMIN }
    }
}
