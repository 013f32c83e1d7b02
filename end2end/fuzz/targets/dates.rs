//! Fuzz target of the date parser and quick add: no text causes a panic, excessive time, or an offset outside of it.
#![no_main]

use docket::domain::time::Timestamp;
use docket::domain::when;
use docket_fuzz::{soon, text};

docket_fuzz::target!(|data| {
    let text = text(data);
    let now = Timestamp::parse("2026-03-28T22:15:00Z").expect("a time");
    for zone in ["Europe/London", "America/New_York"] {
        let _ = when::parse(&text, &now, zone);
        let line = soon(&text, || when::quick_add(&text, &now, zone));
        for span in line.spans {
            assert!(text.get(span.start..span.end).is_some(), "a span outside of the text");
        }
        if let Some(rule) = &line.recurrence {
            assert!(when::is_recurrence(rule), "{rule} is none");
            let _ = when::next_occurrence(rule, line.due.as_ref(), &now, zone);
        }
    }
});
