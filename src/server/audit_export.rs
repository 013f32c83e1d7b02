//! `/api/v1/audit/export`: the turns that match a filter, as JSON Lines or CSV, streamed page by page.

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures::stream;
use serde::Deserialize;

use super::errors;
use super::router::Served;
use crate::api::ApiError;
use crate::api::audit::{AuditSearch, Form};
use crate::api::error::Code;
use crate::domain::user::{Caller, Scope};
use crate::messages::errors as messages;
use crate::usecases::Error;
use crate::usecases::audit::export::Export;

/// Query parameters: format and filter.
#[derive(Debug, Deserialize)]
pub struct Asked {
    format: Option<String>,
    #[serde(flatten)]
    search: AuditSearch,
}

/// Streams the export. A failure before the first byte is an error response; a later one aborts the stream.
pub async fn export(State(served): State<Served>, Query(asked): Query<Asked>, request: Request) -> Response {
    let caller = request.extensions().get::<Option<Caller>>().cloned().flatten();
    match begin(served, asked, caller).await {
        Ok(response) => response,
        Err(error) => errors::of(&error),
    }
}

async fn begin(served: Served, asked: Asked, caller: Option<Caller>) -> Result<Response, ApiError> {
    let unknown = || ApiError::new(Code::Unauthenticated, messages::SIGN_IN_FIRST);
    let caller = caller.ok_or_else(unknown)?;
    if !caller.may(Scope::Audit) {
        return Err(ApiError::new(Code::Forbidden, messages::TOKEN_LACKS_SCOPE_AUDIT));
    }
    let form = Form::parse(asked.format.as_deref().unwrap_or("jsonl")).map_err(ApiError::malformed)?;
    let filter = crate::api::audit::filter(&asked.search, &caller)?;
    let (bulk, account) = (served.state.ctx.bulk.clone(), caller.id());
    let page = move |mut export: Export, is_first| {
        let bulk = bulk.clone();
        let next = move || async move {
            let text = export.next().await?.map(|turns| form.written(&turns, is_first));
            Ok::<_, Error>((text, export))
        };
        async move { bulk.run(account, next).await }
    };
    let first = page(Export::new(&served.state.ctx, &caller, filter).await?, true).await?;
    let pages = stream::try_unfold(first, move |(ready, export)| {
        let next = ready.map(|text| (text, page(export, false)));
        async move {
            let Some((text, next)) = next else { return Ok::<_, Error>(None) };
            Ok(Some((text, next.await?)))
        }
    });
    let mut response = Response::new(Body::from_stream(pages));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.media_type()));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(form.disposition()));
    Ok(response)
}
