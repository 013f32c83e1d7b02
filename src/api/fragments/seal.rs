//! Integrity of the audit log: the newest checkpoint, a button that verifies the log, and the result. A plain form that
//! works without scripts.

use leptos::prelude::*;

use super::html;
use crate::api::ApiError;
use crate::api::audit::AuditSearch;
use crate::api::views;
use crate::domain::audit::{CheckpointSeen, Verification};
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::messages::audit as messages;

/// Renders the section above the statistics; `verified` is the result of a requested verification.
pub fn seal(
    newest: Option<&CheckpointSeen>,
    verified: Option<&Result<Verification, ApiError>>,
    search: &AuditSearch,
    now: &Timestamp,
    zone: &str,
) -> String {
    let kept = views::search_fields(&AuditSearch { cursor: None, ..search.clone() });
    let kept = kept.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
    let at = |at: &Timestamp| when::instant(at, now, zone);
    let grouped = |number: i64| views::grouped(number.unsigned_abs());
    let signed = match newest {
        Some(seen) if seen.signed => messages::signed(&grouped(seen.number), &at(&seen.at)),
        Some(seen) => messages::signed_by_another(&grouped(seen.number)),
        None => messages::NOT_SIGNED_YET.to_owned(),
    };
    html(view! {
        <form class="seal" method="get" action="/audit">
            {kept.collect_view()}
            <input type="hidden" name="verify" value="now"/>
            <p class="seal__signed">{signed}</p>
            <button class="button">{messages::VERIFY}</button>
            {verified.map(|verified| match verified {
                Ok(report) => outcome(report, at),
                Err(error) => view! { <p class="seal__broken" role="alert">{error.message.clone()}</p> }.into_any(),
            })}
        </form>
    })
}

fn outcome(report: &Verification, at: impl Fn(&Timestamp) -> String) -> AnyView {
    match &report.verified_through {
        Some(through) => {
            let sentence = messages::verified(&at(through), report.records, &views::grouped(report.records));
            let class = if report.unsigned.is_some() { "seal__unsigned" } else { "seal__fine" };
            let unsigned = report.unsigned.map(|why| format!(" {}", why.sentence()));
            let amended = messages::amended(report.amended, &views::grouped(report.amended)).map(|it| format!(" {it}"));
            view! { <p class=class role="status">{sentence} {amended} {unsigned}</p> }.into_any()
        }
        None => {
            let broken = report.broken.iter().map(|broken| view! { <li>{broken.to_string()}</li> });
            view! {
                <div class="seal__broken" role="alert">
                    <p>{messages::NOT_AS_WRITTEN} {report.sentence()} "."</p>
                    <ul>{broken.collect_view()}</ul>
                </div>
            }
            .into_any()
        }
    }
}
