//! What each kind of asker may have a tool do: a field for each tool and asker.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

#[cfg(feature = "ssr")]
pub(super) use show::form;

/// The reader's own policy.
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

    /// The whole matrix as one form.
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
                <div class="stack__actions"><button class="button">"Save the policy"</button></div>
            </form>
        }
    }

    fn field(field: &PolicyView) -> impl IntoView + use<> {
        let PolicyView { asker, tool, own, everyones, .. } = *field;
        let id = format!("{}-{}", asker.as_str(), tool.as_str());
        // What an admin has ruled cannot be lowered: those choices are not there.
        let chosen = own.max(everyones);
        let options: Vec<_> = Rule::ALL
            .into_iter()
            .filter(|rule| *rule >= everyones)
            .map(|rule| {
                let ruled = rule == everyones && rule > Rule::Run;
                // What an admin has ruled is not made one's own by saving the form.
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

    /// What a stricter rule would have meant in the last 30 days.
    fn tested(field: &PolicyView, chosen: Rule) -> Option<String> {
        let times = |count: i64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        match chosen {
            Rule::Run if field.unasked > 0 => Some(format!("“Ask” would have asked {}", times(field.unasked))),
            Rule::Run | Rule::Ask if field.all > 0 => Some(format!("“Deny” would have refused {}", times(field.all))),
            Rule::Run | Rule::Ask | Rule::Deny => None,
        }
    }

    fn who(asker: Asker) -> &'static str {
        match asker {
            Asker::Agent => "Assistant, by a model",
            Asker::Rules => "Assistant, by rules",
            Asker::Mcp => "Outside agents",
        }
    }

    fn named(tool: ToolName) -> &'static str {
        match tool {
            ToolName::AddTask => "Add tasks",
            ToolName::CompleteTask => "Complete tasks",
            ToolName::DeleteTask => "Delete tasks",
            ToolName::GetTask => "Read a task",
            ToolName::ListTasks => "List tasks",
            ToolName::UpdateTask => "Change tasks",
        }
    }

    fn option(tool: ToolName, rule: Rule) -> &'static str {
        match (rule, tool) {
            (Rule::Run, ToolName::DeleteTask) => "As usual: ask",
            (Rule::Run, ToolName::CompleteTask) => "As usual: run one, ask for more",
            (Rule::Run, ToolName::UpdateTask) => "As usual: run one, ask for titles and for more",
            (Rule::Run, ToolName::AddTask | ToolName::GetTask | ToolName::ListTasks) => "As usual: run",
            (Rule::Ask, _) => "Ask each time",
            (Rule::Deny, _) => "Deny",
        }
    }

    fn by_an_admin(rule: Rule) -> &'static str {
        if rule == Rule::Deny { "Denied by an admin" } else { "Ask each time, by an admin" }
    }
}
