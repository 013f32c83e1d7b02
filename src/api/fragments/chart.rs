//! A chart rendered by the server: stacked bars, a legend, and an equivalent table (R-705, UX.md "Chart").

use leptos::prelude::*;

use super::chevron;
use crate::api::audit::AuditSearch;
use crate::api::views;
use crate::domain::statistics::Bucket;
use crate::messages::statistics as messages;
use crate::raw_text;

/// Width of a bar's slot and height of a chart, in view-box units.
const PLACE: usize = 10;
const HEIGHT: i64 = 100;

/// A layer of a chart: its name, its CSS modifier and its value in each bucket.
pub type Layer = (&'static str, &'static str, fn(&Bucket) -> i64);

/// A chart over time buckets.
pub struct Chart<'a> {
    pub title: &'static str,
    pub buckets: &'a [Bucket],
    /// One label per bucket.
    pub labels: &'a [String],
    /// Layers from top to bottom.
    pub layers: &'a [Layer],
    /// Formats a value.
    pub written: fn(i64) -> String,
    /// Set for a strip chart: each bar links to this search, narrowed to the bar's time.
    pub narrows: Option<&'a AuditSearch>,
}

impl Chart<'_> {
    pub fn view(&self) -> AnyView {
        let Self { title, buckets, labels, layers, .. } = *self;
        let most = buckets.iter().map(|bucket| self.sum(bucket)).max().unwrap_or_default();
        let bars = buckets.iter().zip(labels).enumerate();
        let bars = bars.map(|(at, (bucket, label))| self.bar(at, bucket, label, most)).collect_view();
        let view_box = format!("0 0 {} {HEIGHT}", buckets.len() * PLACE);
        let ends = labels.first().cloned().zip(labels.last().cloned());
        let role = if self.narrows.is_some() { "group" } else { "img" };
        view! {
            <figure class="figures__chart">
                <figcaption>{title} <span class="figures__most">{messages::MOST} {(self.written)(most)}</span></figcaption>
                <svg class="figures__svg" viewBox=view_box preserveAspectRatio="none" role=role aria-label=title>{bars}</svg>
                {ends.map(|(first, last)| view! { <p class="figures__ends"><span>{first}</span><span>{last}</span></p> })}
                {legend(layers)}
                {self.table()}
            </figure>
        }
        .into_any()
    }

    fn sum(&self, bucket: &Bucket) -> i64 {
        self.layers.iter().map(|(.., of)| of(bucket)).sum()
    }

    fn bar(&self, at: usize, bucket: &Bucket, label: &str, most: i64) -> AnyView {
        let told = self.layers.iter().rev().map(|(name, _, of)| format!("{name} {}", (self.written)(of(bucket))));
        let title = format!("{label}: {}", told.collect::<Vec<_>>().join(", "));
        let mut top = HEIGHT - scaled(self.sum(bucket), most);
        let pieces = self.layers.iter().map(|(_, look, of)| {
            let (y, height) = (top, scaled(of(bucket), most));
            top += height;
            view! { <rect class=format!("figures__bar figures__bar--{look}") x={at * PLACE + 1} y=y width={PLACE - 2} height=height></rect> }
        });
        let pieces = pieces.collect_view();
        let Some(search) = self.narrows.filter(|_| self.sum(bucket) > 0) else {
            return view! { <g>{raw_text::title(title)}{pieces}</g> }.into_any();
        };
        let (href, name) = (views::narrowed_link(search, &bucket.from, &bucket.until), title.clone());
        view! {
            <a href=href aria-label=name>
                {raw_text::title(title)}
                <rect class="figures__back" x={at * PLACE} y=0 width=PLACE height=HEIGHT></rect>
                {pieces}
            </a>
        }
        .into_any()
    }

    fn table(&self) -> AnyView {
        let heads = self.layers.iter().rev().map(|(name, ..)| view! { <th scope="col">{*name}</th> }).collect_view();
        let row = |(bucket, label): (&Bucket, &String)| {
            let cells = self.layers.iter().rev().map(|(.., of)| view! { <td>{(self.written)(of(bucket))}</td> });
            view! { <tr><th scope="row">{label.clone()}</th>{cells.collect_view()}</tr> }
        };
        let rows = self.buckets.iter().zip(self.labels).map(row).collect_view();
        view! {
            <details class="figures__twin">
                <summary>{messages::AS_A_TABLE} {chevron()}</summary>
                <div class="figures__scroll" tabindex="0" role="region" aria-label=self.title>
                    <table class="figures__table">
                        <caption class="visually-hidden">{self.title}</caption>
                        <thead><tr><th scope="col">{messages::WHEN}</th>{heads}</tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </details>
        }
        .into_any()
    }
}

/// Scales to `HEIGHT`; a positive part is at least 1, so that it is visible.
fn scaled(part: i64, most: i64) -> i64 {
    if part <= 0 { 0 } else { (part * HEIGHT / most.max(1)).max(1) }
}

fn legend(layers: &[Layer]) -> AnyView {
    let key = |(name, look, _): &Layer| {
        view! { <li><span class=format!("figures__key figures__key--{look}") aria-hidden="true"></span>{*name}</li> }
    };
    view! { <ul class="figures__legend">{layers.iter().rev().map(key).collect_view()}</ul> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::statistics::Counts;

    fn bucket(day: u32, success: i64, error: i64) -> Bucket {
        let counts = Counts { turns: success + error, success, error, ..Counts::default() };
        let at = |day: u32| format!("2026-03-{day:02}T00:00:00Z");
        Bucket { from: at(day), until: at(day + 1), counts, ..Bucket::default() }
    }

    /// Returns the heights of the bars of one look, in order of time.
    fn heights(html: &str, look: &str) -> Vec<i64> {
        let bars = html.split("<rect ").filter(|rect| rect.contains(&format!("figures__bar--{look}\"")));
        let height = |rect: &str| rect.split("height=\"").nth(1)?.split('"').next()?.parse().ok();
        bars.filter_map(height).collect()
    }

    fn drawn(buckets: &[Bucket], narrows: Option<&AuditSearch>) -> String {
        let labels: Vec<_> = (1..=buckets.len()).map(|day| format!("{day} March")).collect();
        let layers: [Layer; 2] =
            [("errors", "error", |it| it.counts.error), ("success", "success", |it| it.counts.success)];
        let written = |number: i64| format!("<{number}>");
        Chart { title: "Turns", buckets, labels: &labels, layers: &layers, written, narrows }.view().to_html()
    }

    #[test]
    fn chart_bars_scale_to_the_maximum_and_match_the_table() {
        let html = drawn(&[bucket(1, 30, 10), bucket(2, 0, 0), bucket(3, 200, 0), bucket(4, 1, 0)], None);
        assert_eq!(heights(&html, "success"), [15, 0, 100, 1], "what is there at all is seen");
        assert_eq!(heights(&html, "error"), [5, 0, 0, 0]);
        // Errors are stacked on top of successes: 100 - 15 - 5.
        assert!(html.contains(r#"y="80""#) && html.contains(r#"y="85""#), "{html}");
        let table = html.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
        let cells: Vec<_> = table.split("<td>").skip(1).filter_map(|cell| cell.split("</td>").next()).collect();
        let told = [
            "&lt;30&gt;",
            "&lt;10&gt;",
            "&lt;0&gt;",
            "&lt;0&gt;",
            "&lt;200&gt;",
            "&lt;0&gt;",
            "&lt;1&gt;",
            "&lt;0&gt;",
        ];
        assert_eq!(cells, told, "each bar's numbers, as the chart writes them");
        assert!(html.contains("1 March: success &lt;30&gt;, errors &lt;10&gt;"), "{html}");
    }

    #[test]
    fn chart_bar_links_to_its_period_with_the_current_filter() {
        let search = AuditSearch { tool: Some("add_task".to_owned()), ..AuditSearch::default() };
        let html = drawn(&[bucket(1, 3, 0), bucket(2, 0, 0)], Some(&search));
        let links: Vec<_> = html.split("<a href=\"").skip(1).filter_map(|link| link.split('"').next()).collect();
        assert_eq!(links.len(), 1, "nothing happened on the second day: {links:?}");
        assert!(links[0].contains("tool=add_task") && links[0].contains("since=2026-03-01"), "{links:?}");
        assert!(!drawn(&[bucket(1, 3, 0)], None).contains("<a "));
    }
}
