//! Statistics of the audit log: tiles, and charts that each have an equivalent table.

use leptos::prelude::*;

use super::chart::{Chart, Layer};
use super::{chevron, html};
use crate::api::audit::AuditSearch;
use crate::api::views::{self, spans};
use crate::domain::statistics::{Approvals, Figures};
use crate::domain::time::Timestamp;
use crate::messages::{dates, statistics as messages};

/// Renders the statistics above the list; without data, only the export links.
pub fn figures(figures: &Figures, search: &AuditSearch, now: &Timestamp, zone: &str) -> String {
    let none = figures.whole.turns == 0 && figures.writes == 0 && figures.approvals == Approvals::default();
    html(view! {
        {(!none).then(|| counted(figures, search, now, zone))}
        <p class="figures__export">{messages::EXPORT_THESE_TURNS}
            <a href=views::export_link(search, "jsonl") download>{messages::JSON_LINES}</a> " · "
            <a href=views::export_link(search, "csv") download>{messages::CSV}</a></p>
    })
}

/// Median and p95, stacked: the upper layer is their difference.
const TIMES: [Layer; 2] = [
    (messages::NINETY_FIVE_WITHIN, "rest", |it| {
        it.counts.p95_ms.unwrap_or_default() - it.counts.p50_ms.unwrap_or_default()
    }),
    (messages::HALF_WITHIN, "main", |it| it.counts.p50_ms.unwrap_or_default()),
];
const TOKENS: [Layer; 2] =
    [(messages::OUT, "rest", |it| it.counts.tokens_out), (messages::IN, "main", |it| it.counts.tokens_in)];
const COSTS: [Layer; 1] = [(messages::KNOWN_COST, "main", |it| it.counts.cost_micros.unwrap_or_default())];
const REQUESTS: [Layer; 3] = [
    (messages::OPEN_OR_EXPIRED, "rest", |it| it.approvals.open),
    (messages::DENIED_ONES, "refusal", |it| it.approvals.denied),
    (messages::APPROVED, "success", |it| it.approvals.approved),
];
const OUTCOMES: [Layer; 4] = [
    (messages::FAILED_ONES, "error", |it| it.counts.error),
    (messages::REFUSED_ONES, "refusal", |it| it.counts.refusal),
    (messages::ASKED_BACK, "ambiguity", |it| it.counts.ambiguity),
    (messages::SUCCEEDED_ONES, "success", |it| it.counts.success),
];

fn counted(figures: &Figures, search: &AuditSearch, now: &Timestamp, zone: &str) -> AnyView {
    let labels = spans::labels(&figures.buckets, zone);
    let named = search.text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let chart = |title: &'static str, layers: &'static [Layer]| Chart {
        title,
        buckets: &figures.buckets,
        labels: &labels,
        layers,
        written: |number| views::grouped(number.unsigned_abs()),
        narrows: None,
    };
    let cost = Chart { written: |micros| views::cost(Some(micros)), ..chart(messages::COST, &COSTS) };
    // Without a known price there is no cost to draw, which is not 0.
    let cost = figures.whole.cost_micros.map(|_| cost.view());
    view! {
        <h2 class="figures__head">{spans::title(search, now, zone)}</h2>
        {named.then(|| view! { <p class="figures__note">{messages::WORDS_ARE_NOT_COUNTED}</p> })}
        {tiles(figures)}
        {Chart { narrows: Some(search), ..chart(messages::TURNS_BY_OUTCOME, &OUTCOMES) }.view()}
        <details class="figures__more">
            <summary>{messages::MORE_CHARTS} {chevron()}</summary>
            <div class="figures__charts">
                {chart(messages::TIME_TAKEN_MS, &TIMES).view()}
                {chart(messages::TOKENS, &TOKENS).view()}
                {cost}
                {chart(messages::REQUESTS_FOR_A_YES, &REQUESTS).view()}
            </div>
        </details>
    }
    .into_any()
}

fn tiles(figures: &Figures) -> AnyView {
    let whole = &figures.whole;
    let number = |number: i64| views::grouped(number.unsigned_abs());
    let ms = |ms: Option<i64>| ms.map_or_else(|| "–".to_owned(), |ms| dates::ms(number(ms)));
    let tile =
        |name: &'static str, value: String| view! { <div class="figures__tile"><dt>{name}</dt><dd>{value}</dd></div> };
    view! {
        <dl class="figures__tiles">
            {tile(messages::TURNS, number(whole.turns))}
            {tile(messages::WRITES, number(figures.writes))}
            {tile(messages::ASKED_FIRST, number(figures.approvals.asked))}
            {tile(messages::DENIED, number(figures.approvals.denied))}
            {tile(messages::ERRORS, number(whole.error))}
            {tile(messages::HALF_WITHIN_TILE, ms(whole.p50_ms))}
            {tile(messages::NINETY_FIVE_WITHIN, ms(whole.p95_ms))}
            {tile(messages::TOKENS, number(whole.tokens_in + whole.tokens_out))}
            {tile(messages::COST, views::cost(whole.cost_micros))}
        </dl>
    }
    .into_any()
}
