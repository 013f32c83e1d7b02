//! Import from a file: the form, the preview and the receipt.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::api::ApiError;

/// Renders the page below its heading: form, preview or receipt.
#[server(name = GetImport, prefix = "/api/v1", endpoint = "rendered/import", input = GetUrl)]
pub async fn import() -> Result<String, ApiError> {
    use crate::api::context;
    use crate::api::import::{PreviewImport, RunImport, preview};
    use crate::domain::user::Scope;
    use leptos::server_fn::ServerFn;
    context::caller(Scope::TasksRead)?;
    let flash = [RunImport::PATH, PreviewImport::PATH].into_iter().find_map(context::left_by).unwrap_or_default();
    let field = |name: &str| flash.typed.iter().find(|(field, _)| field == name).map(|(_, text)| text.clone());
    let looks = flash.path == PreviewImport::PATH || flash.error.is_some();
    let text = looks.then(|| field("text").unwrap_or_default());
    let found = match &text {
        Some(text) => Some(preview(Some(text.clone()), field("format")).await),
        None => None,
    };
    let mut error = flash.error.clone();
    if let (Some(Err(unread)), None) = (&found, &error) {
        context::status(unread.status());
        error = Some(unread.message.clone());
    }
    let preview = found.and_then(Result::ok);
    Ok(show::page(preview, text.as_deref().unwrap_or_default(), error, flash.done.clone().zip(field("import_id"))))
}

#[cfg(feature = "ssr")]
mod show {
    use leptos::prelude::*;
    use leptos::server_fn::ServerFn;

    use crate::api::import::{ImportPreview, ImportProblem, ImportRow, PreviewImport, RunImport};
    use crate::api::packed::pack;
    use crate::api::tasks::Undo;
    use crate::messages::{counts, import as messages, tasks};
    use crate::raw_text::TextArea;

    const HERE: &str = "/tasks/import";
    /// Largest text in bytes that is shown again for corrections. A longer one is corrected in its file.
    const EDITABLE: usize = 256 * 1024;

    /// `done` is the outcome and the id of the import, for its undo.
    pub fn page(
        preview: Option<ImportPreview>,
        text: &str,
        error: Option<String>,
        done: Option<(String, String)>,
    ) -> String {
        view! {
            {error.map(|error| view! { <p class="error" role="alert">{error}</p> })}
            {done.map(|(done, id)| receipt(done, id))}
            {preview.map(|preview| looked_at(preview, text))}
            {form(text)}
        }
        .to_html()
    }

    fn form(text: &str) -> impl IntoView + use<> {
        let text = if text.len() > EDITABLE { "" } else { text };
        view! {
            <form class="sheet sheet--padded import-form" method="post" action=PreviewImport::url() enctype="multipart/form-data">
                <h2>{messages::A_FILE_OR_ITS_TEXT}</h2>
                <p class="page__lead">
                    {messages::WHICH_FILES}
                </p>
                <label for="import-file">{messages::FILE}</label>
                <input id="import-file" type="file" name="file" accept=".csv,.json,.txt,text/csv,application/json"/>
                <label for="import-text">{messages::OR_PASTE_IT}</label>
                <TextArea text=text.to_owned() {..} id="import-text" name="text" rows="6" spellcheck="false"/>
                <input type="hidden" name="return_to" value=HERE/>
                <div class="stack__actions"><button class="button button--primary">{messages::LOOK_AT_IT_FIRST}</button></div>
            </form>
        }
    }

    fn looked_at(preview: ImportPreview, text: &str) -> impl IntoView + use<> {
        let ImportPreview { format, add, already, rows, notes, refused, problems, details, left_out } = preview;
        let kind = match format.as_str() {
            "json" => messages::DOCKETS_JSON,
            "todoist-csv" => messages::A_BACKUP_OF_TODOIST,
            "ticktick-csv" => messages::A_BACKUP_OF_TICKTICK,
            "microsoft-csv" => messages::TASKS_OF_OUTLOOK,
            "microsoft-json" => messages::JSON_OF_MICROSOFT,
            "google-json" => messages::TASKS_OF_GOOGLE,
            _ => messages::A_TABLE,
        };
        let (tasks, count, problems_left) = (counts::tasks(add), rows.len(), refused - problems.len());
        let heading = messages::would_be_added(&tasks);
        let before = (already > 0).then(|| messages::already_there(already));
        let more = add.saturating_add(already).saturating_sub(count);
        let list = (count > 0).then(|| {
            view! {
                <ul class="import-form__rows">{rows.into_iter().map(row).collect_view()}</ul>
                {(more > 0).then(|| view! { <p>{messages::and_more(more)}</p> })}
            }
        });
        let wrong = (refused > 0).then(|| {
            view! {
                <h3>{messages::cannot_be_taken(&counts::rows(refused))}</h3>
                <ul class="import-form__problems">{problems.into_iter().map(problem).collect_view()}</ul>
                {(problems_left > 0).then(|| view! { <p>{messages::and_more(problems_left)}</p> })}
                <p>{if text.len() > EDITABLE { messages::MEND_THE_FILE_OR_LEAVE_OUT } else { messages::MEND_OR_LEAVE_OUT }}</p>
            }
        });
        let more_left = details - left_out.len();
        let lacking = (details > 0).then(|| {
            view! {
                <h3>{messages::details_left_out(details)}</h3>
                <ul class="import-form__problems">{left_out.into_iter().map(problem).collect_view()}</ul>
                {(more_left > 0).then(|| view! { <p>{messages::and_more(more_left)}</p> })}
            }
        });
        view! {
            <section class="sheet sheet--padded" aria-labelledby="import-preview">
                <h2 id="import-preview">{heading}</h2>
                <p>{messages::IT_WAS_READ_AS} {kind} ". " {before} {messages::NOTHING_IS_STORED_YET}</p>
                {list}
                {notes.into_iter().map(|note| view! { <p>{note}</p> }).collect_view()}
                {lacking}
                {wrong}
                {(add > 0).then(|| confirm(format, text, &tasks, refused))}
            </section>
        }
    }

    /// The form that imports the previewed text.
    fn confirm(format: String, text: &str, tasks: &str, refused: usize) -> impl IntoView + use<> {
        let label = if refused == 0 {
            messages::add(tasks)
        } else {
            messages::add_and_leave_out(tasks, &counts::rows(refused))
        };
        view! {
            <form method="post" action=RunImport::url() enctype="multipart/form-data">
                <input type="hidden" name="format" value=format/>
                <input type="hidden" name="packed" value=pack(text)/>
                {(refused > 0).then(|| view! { <input type="hidden" name="skip" value="true"/> })}
                <input type="hidden" name="return_to" value=HERE/>
                <div class="stack__actions"><button class="button button--primary">{label}</button></div>
            </form>
        }
    }

    fn receipt(done: String, id: String) -> impl IntoView + use<> {
        view! {
            <section class="sheet sheet--padded" aria-labelledby="import-done">
                <h2 id="import-done">{done}</h2>
                <form method="post" action=Undo::url()>
                    <input type="hidden" name="import_id" value=id/>
                    <input type="hidden" name="return_to" value=HERE/>
                    <div class="stack__actions">
                        <a class="button" href="/tasks">{messages::SHOW_MY_TASKS}</a>
                        <button class="button button--quiet">{messages::UNDO_THE_IMPORT}</button>
                    </div>
                </form>
            </section>
        }
    }

    fn row(row: ImportRow) -> impl IntoView {
        let ImportRow { place, title, due, repeats, priority, project, tags, notes, completed } = row;
        let priority = (priority != "none").then(|| tasks::priority(&priority).to_owned());
        let project = project.map(|project| format!("#{project}"));
        let status = completed.then(|| messages::DONE.to_owned());
        let tags = (!tags.is_empty()).then(|| tags.iter().map(|tag| format!("@{tag}")).collect::<Vec<_>>().join(" "));
        let meta = [Some(place), due, repeats, priority, project, tags, status, notes];
        let meta = meta.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        view! { <li><span class="import-form__title">{title}</span> <span class="import-form__meta">{meta}</span></li> }
    }

    fn problem(ImportProblem { place, why }: ImportProblem) -> impl IntoView {
        view! { <li><strong>{place}</strong> ": " {why}</li> }
    }
}
