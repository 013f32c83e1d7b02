//! The record in figures: tiles, and charts that each have a table as their twin.

use leptos::prelude::*;

use super::{chevron, html};
use crate::api::audit::AuditSearch;
use crate::api::wording::{self, spans};
use crate::domain::figures::{Approvals, Bucket, Figures};
use crate::domain::time::Timestamp;
use crate::words::{dates, figures as words};

/// Units of a bar's place and of a chart's height.
const PLACE: usize = 10;
const HEIGHT: i64 = 100;

/// A layer of a chart: its name, its look and its number in each bucket.
type Layer = (&'static str, &'static str, fn(&Bucket) -> i64);

/// What stands above the list: of nothing there are no figures.
pub fn figures(figures: &Figures, search: &AuditSearch, now: &Timestamp, zone: &str) -> String {
    let none = figures.whole.turns == 0 && figures.writes == 0 && figures.approvals == Approvals::default();
    html(view! {
        {(!none).then(|| counted(figures, search, now, zone))}
        <p class="figures__export">{words::EXPORT_THESE_TURNS}
            <a href=wording::export_link(search, "jsonl") download>{words::JSON_LINES}</a> " · "
            <a href=wording::export_link(search, "csv") download>{words::CSV}</a></p>
    })
}

fn counted(figures: &Figures, search: &AuditSearch, now: &Timestamp, zone: &str) -> AnyView {
    let labels = spans::labels(&figures.buckets, zone);
    let named = search.text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let more = [
        chart(
            words::TIME_TAKEN_MS,
            &figures.buckets,
            &labels,
            search,
            false,
            &[
                (words::NINETY_FIVE_WITHIN, "rest", |it| {
                    it.counts.p95_ms.unwrap_or_default() - it.counts.p50_ms.unwrap_or_default()
                }),
                (words::HALF_WITHIN, "main", |it| it.counts.p50_ms.unwrap_or_default()),
            ],
        ),
        chart(
            words::TOKENS,
            &figures.buckets,
            &labels,
            search,
            false,
            &[(words::OUT, "rest", |it| it.counts.tokens_out), (words::IN, "main", |it| it.counts.tokens_in)],
        ),
        chart(
            words::REQUESTS_FOR_A_YES,
            &figures.buckets,
            &labels,
            search,
            false,
            &[
                (words::OPEN_OR_EXPIRED, "rest", |it| it.approvals.open),
                (words::DENIED_ONES, "refusal", |it| it.approvals.denied),
                (words::APPROVED, "success", |it| it.approvals.approved),
            ],
        ),
    ];
    let turns: [Layer; 4] = [
        (words::FAILED_ONES, "error", |it| it.counts.error),
        (words::REFUSED_ONES, "refusal", |it| it.counts.refusal),
        (words::ASKED_BACK, "ambiguity", |it| it.counts.ambiguity),
        (words::SUCCEEDED_ONES, "success", |it| it.counts.success),
    ];
    view! {
        <h2 class="figures__head">{spans::title(search, now, zone)}</h2>
        {named.then(|| view! { <p class="figures__note">{words::WORDS_ARE_NOT_COUNTED}</p> })}
        {tiles(figures)}
        {chart(words::TURNS_BY_OUTCOME, &figures.buckets, &labels, search, true, &turns)}
        <details class="figures__more"><summary>{words::MORE_CHARTS} {chevron()}</summary><div class="figures__charts">{more.into_iter().collect_view()}</div></details>
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

/// Bars of layers, the last one at the bottom. Those of a strip are links that narrow the time.
fn chart(
    title: &'static str,
    buckets: &[Bucket],
    labels: &[String],
    search: &AuditSearch,
    strip: bool,
    layers: &[Layer],
) -> AnyView {
    let sum = |bucket: &Bucket| layers.iter().map(|(.., of)| of(bucket)).sum::<i64>();
    let most = buckets.iter().map(sum).max().unwrap_or_default();
    let bar = |(at, (bucket, label)): (usize, (&Bucket, &String))| {
        let told = layers.iter().rev().map(|(name, _, of)| format!("{name} {}", of(bucket))).collect::<Vec<_>>();
        let title = format!("{label}: {}", told.join(", "));
        let mut top = HEIGHT - scaled(sum(bucket), most);
        let pieces = layers.iter().map(|(_, look, of)| {
            let (y, height) = (top, scaled(of(bucket), most));
            top += height;
            view! { <rect class=format!("figures__bar figures__bar--{look}") x={at * PLACE + 1} y=y width={PLACE - 2} height=height></rect> }
        });
        let pieces = pieces.collect_view();
        if strip && sum(bucket) > 0 {
            let (href, name) = (wording::narrowed_link(search, &bucket.from, &bucket.until), title.clone());
            view! {
                <a href=href aria-label=name>
                    <title>{title}</title>
                    <rect class="figures__back" x={at * PLACE} y=0 width=PLACE height=HEIGHT></rect>
                    {pieces}
                </a>
            }
            .into_any()
        } else {
            view! { <g><title>{title}</title>{pieces}</g> }.into_any()
        }
    };
    let bars = buckets.iter().zip(labels).enumerate().map(bar).collect_view();
    let view_box = format!("0 0 {} {HEIGHT}", buckets.len() * PLACE);
    let twin = table(title, buckets, labels, layers);
    let ends = labels.first().cloned().zip(labels.last().cloned());
    let role = if strip { "group" } else { "img" };
    view! {
        <figure class="figures__chart">
            <figcaption>{title} <span class="figures__most">{words::MOST} {wording::grouped(most.unsigned_abs())}</span></figcaption>
            <svg class="figures__svg" viewBox=view_box preserveAspectRatio="none" role=role aria-label=title>{bars}</svg>
            {ends.map(|(first, last)| view! { <p class="figures__ends"><span>{first}</span><span>{last}</span></p> })}
            {legend(layers)}
            {twin}
        </figure>
    }
    .into_any()
}

/// Of `HEIGHT`; what is there at all is seen.
fn scaled(part: i64, most: i64) -> i64 {
    if part <= 0 { 0 } else { (part * HEIGHT / most.max(1)).max(1) }
}

fn legend(layers: &[Layer]) -> AnyView {
    let key = |(name, look, _): &Layer| {
        view! { <li><span class=format!("figures__key figures__key--{look}") aria-hidden="true"></span>{*name}</li> }
    };
    view! { <ul class="figures__legend">{layers.iter().rev().map(key).collect_view()}</ul> }.into_any()
}

fn table(title: &'static str, buckets: &[Bucket], labels: &[String], layers: &[Layer]) -> AnyView {
    let heads = layers.iter().rev().map(|(name, ..)| view! { <th scope="col">{*name}</th> }).collect_view();
    let row = |(bucket, label): (&Bucket, &String)| {
        let cells =
            layers.iter().rev().map(|(.., of)| view! { <td>{wording::grouped(of(bucket).unsigned_abs())}</td> });
        view! { <tr><th scope="row">{label.clone()}</th>{cells.collect_view()}</tr> }
    };
    view! {
        <details class="figures__twin">
            <summary>{words::AS_A_TABLE} {chevron()}</summary>
            <div class="figures__scroll" tabindex="0" role="region" aria-label=title>
                <table class="figures__table">
                    <caption class="visually-hidden">{title}</caption>
                    <thead><tr><th scope="col">{words::WHEN}</th>{heads}</tr></thead>
                    <tbody>{buckets.iter().zip(labels).map(row).collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}
