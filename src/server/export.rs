//! `/api/v1/export`: all data of the caller, as a file that is streamed while it is generated (R-1002).

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures::TryStreamExt as _;
use futures::stream;
use serde::Deserialize;

use super::errors;
use super::router::Served;
use crate::api::ApiError;
use crate::api::error::Code;
use crate::domain::user::Caller;
use crate::messages::errors as messages;
use crate::usecases::Error;
use crate::usecases::export::{Export, Format};

/// Query parameter: `json` (everything, the default) or `csv` (the tasks).
#[derive(Debug, Default, Deserialize)]
pub struct Asked {
    format: Option<String>,
}

/// Streams the caller's own data.
pub async fn export(State(served): State<Served>, Query(asked): Query<Asked>, request: Request) -> Response {
    let Some(caller) = request.extensions().get::<Option<Caller>>().cloned().flatten() else {
        return errors::response(Code::Unauthenticated, messages::SIGN_IN_OR_SEND_A_TOKEN);
    };
    let begun = Format::parse(asked.format.as_deref().unwrap_or("json"))
        .map_err(ApiError::from)
        .and_then(|format| Ok((format, Export::new(&served.state.ctx, &caller, format)?)));
    let (format, export) = match begun {
        Ok(begun) => begun,
        Err(error) => return errors::of(&error),
    };
    let (bulk, account) = (served.state.ctx.bulk.clone(), caller.id());
    let pieces = stream::try_unfold(export, move |mut export| {
        let bulk = bulk.clone();
        async move {
            let next = move || async move { Ok::<_, Error>(export.next().await?.map(|piece| (piece, export))) };
            bulk.run(account, next).await
        }
    });
    // On an error the connection is aborted, so that the client sees an incomplete download.
    let pieces = pieces.inspect_err(|error| tracing::error!(?error, "an export was aborted"));
    let mut response = Response::new(Body::from_stream(pieces));
    let (kind, name) = match format {
        Format::Json => ("application/json", "attachment; filename=\"docket.json\""),
        Format::Csv => ("text/csv; charset=utf-8", "attachment; filename=\"docket.csv\""),
    };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(name));
    response
}
