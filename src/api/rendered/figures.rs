//! Statistics of the audit log: tiles, and charts that each have an equivalent table.

use leptos::prelude::*;

use super::chart::{Chart, Layer};
use super::{chevron, html};
use crate::api::audit::AuditSearch;
use crate::api::wording::{self, spans};
use crate::domain::statistics::{Approvals, Figures};
use crate::domain::time::Timestamp;
use crate::words::{dates, figures as words};

/// Renders the statistics above the list; without data, only the export links.
pub fn figures(figures: &Figures, search: &AuditSearch, now: &Timestamp, zone: &str) -> String {
    let none = figures.whole.turns == 0 && figures.writes == 0 && figures.approvals == Approvals::default();
    html(view! {
        {(!none).then(|| counted(figures, search, now, zone))}
        <p class="figures__export">{words::EXPORT_THESE_TURNS}
            <a href=wording::export_link(search, "jsonl") download>{words::JSON_LINES}</a> " · "
            <a href=wording::export_link(search, "csv") download>{words::CSV}</a></p>
    })
}

/// Median and p95, stacked: the upper layer is their difference.
const TIMES: [Layer; 2] = [
    (words::NINETY_FIVE_WITHIN, "rest", |it| {
        it.counts.p95_ms.unwrap_or_default() - it.counts.p50_ms.unwrap_or_default()
    }),
    (words::HALF_WITHIN, "main", |it| it.counts.p50_ms.unwrap_or_default()),
];
const TOKENS: [Layer; 2] =
    [(words::OUT, "rest", |it| it.counts.tokens_out), (words::IN, "main", |it| it.counts.tokens_in)];
const COSTS: [Layer; 1] = [(words::KNOWN_COST, "main", |it| it.counts.cost_micros.unwrap_or_default())];
const REQUESTS: [Layer; 3] = [
    (words::OPEN_OR_EXPIRED, "rest", |it| it.approvals.open),
    (words::DENIED_ONES, "refusal", |it| it.approvals.denied),
    (words::APPROVED, "success", |it| it.approvals.approved),
];
const OUTCOMES: [Layer; 4] = [
    (words::FAILED_ONES, "error", |it| it.counts.error),
    (words::REFUSED_ONES, "refusal", |it| it.counts.refusal),
    (words::ASKED_BACK, "ambiguity", |it| it.counts.ambiguity),
    (words::SUCCEEDED_ONES, "success", |it| it.counts.success),
];

fn counted(figures: &Figures, search: &AuditSearch, now: &Timestamp, zone: &str) -> AnyView {
    let labels = spans::labels(&figures.buckets, zone);
    let named = search.text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let chart = |title: &'static str, layers: &'static [Layer]| Chart {
        title,
        buckets: &figures.buckets,
        labels: &labels,
        layers,
        written: |number| wording::grouped(number.unsigned_abs()),
        narrows: None,
    };
    let cost = Chart { written: |micros| wording::cost(Some(micros)), ..chart(words::COST, &COSTS) };
    // Without a known price there is no cost to draw, which is not 0.
    let cost = figures.whole.cost_micros.map(|_| cost.view());
    view! {
        <h2 class="figures__head">{spans::title(search, now, zone)}</h2>
        {named.then(|| view! { <p class="figures__note">{words::WORDS_ARE_NOT_COUNTED}</p> })}
        {tiles(figures)}
        {Chart { narrows: Some(search), ..chart(words::TURNS_BY_OUTCOME, &OUTCOMES) }.view()}
        <details class="figures__more">
            <summary>{words::MORE_CHARTS} {chevron()}</summary>
            <div class="figures__charts">
                {chart(words::TIME_TAKEN_MS, &TIMES).view()}
                {chart(words::TOKENS, &TOKENS).view()}
                {cost}
                {chart(words::REQUESTS_FOR_A_YES, &REQUESTS).view()}
            </div>
        </details>
    }
    .into_any()
}

fn tiles(figures: &Figures) -> AnyView {
    let whole = &figures.whole;
    let number = |number: i64| wording::grouped(number.unsigned_abs());
    let ms = |ms: Option<i64>| ms.map_or_else(|| "–".to_owned(), |ms| dates::ms(number(ms)));
    let tile =
        |name: &'static str, value: String| view! { <div class="figures__tile"><dt>{name}</dt><dd>{value}</dd></div> };
    view! {
        <dl class="figures__tiles">
            {tile(words::TURNS, number(whole.turns))}
            {tile(words::WRITES, number(figures.writes))}
            {tile(words::ASKED_FIRST, number(figures.approvals.asked))}
            {tile(words::DENIED, number(figures.approvals.denied))}
            {tile(words::ERRORS, number(whole.error))}
            {tile(words::HALF_WITHIN_TILE, ms(whole.p50_ms))}
            {tile(words::NINETY_FIVE_WITHIN, ms(whole.p95_ms))}
            {tile(words::TOKENS, number(whole.tokens_in + whole.tokens_out))}
            {tile(words::COST, wording::cost(whole.cost_micros))}
        </dl>
    }
    .into_any()
}
