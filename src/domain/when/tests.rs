//! Tables of phrases and their meanings.

use proptest::prelude::*;

use super::*;
use crate::domain::day_filter::span_of;
use crate::domain::time::spent;

/// A Wednesday morning in London, in winter time.
fn now() -> Timestamp {
    Timestamp::parse("2026-03-11T09:30:00Z").unwrap()
}

/// Asserts the due date and the rule of a phrase, in wire form.
fn check(phrase: &str, due: &str, rule: Option<&str>) {
    let when = parse(phrase, &now(), "Europe/London");
    let read = when.as_ref().map(|when| (when.due.as_str(), when.recurrence.as_deref()));
    assert_eq!(read, Some((due, rule)), "{phrase}");
}

#[test]
fn words_in_a_row_that_lead_dates_are_none() {
    for text in ["at on at on at on friday", "mid late mid late friday", "for at about around by tomorrow"] {
        let found = find(text, &now(), "Europe/London");
        // The last of them may introduce one.
        assert!(found.iter().all(|it| it.span.start > 0), "{text}: {found:?}");
    }
}

#[test]
fn days_are_read_as_people_say_them() {
    for (phrase, due) in [
        ("today", "2026-03-11"),
        ("tod", "2026-03-11"),
        ("tom", "2026-03-12"),
        ("Tomorrow evening", "2026-03-12T19:00:00+00:00"),
        ("fri", "2026-03-13"),
        ("this friday", "2026-03-13"),
        ("next friday", "2026-03-20"),
        ("friday week", "2026-03-20"),
        ("next mon", "2026-03-16"),
        ("wednesday", "2026-03-18"),
        ("next week", "2026-03-16"),
        ("this weekend", "2026-03-14"),
        ("end of month", "2026-03-31"),
        ("by end of day tomorrow", "2026-03-12"),
        ("by the end of the day on friday", "2026-03-13"),
        ("by the end of next month", "2026-04-30"),
        ("in 3 days", "2026-03-14"),
        ("3d", "2026-03-14"),
        ("2w", "2026-03-25"),
        ("in 1mo", "2026-04-11"),
        ("a week from friday", "2026-03-20"),
        ("the day before christmas", "2026-12-24"),
        ("two days after easter", "2026-04-07"),
        ("thanksgiving", "2026-11-26"),
        ("in four business days", "2026-03-17"),
        ("jan 27", "2027-01-27"),
        ("27 jan", "2027-01-27"),
        ("27th", "2026-03-27"),
        ("29 February", "2028-02-29"),
        ("27.03.2026", "2026-03-27"),
        ("10/Aug/2027", "2027-08-10"),
        ("friday the 13th", "2026-03-13"),
        ("third Wednesday of next month", "2026-04-15"),
        ("3 days ago", "2026-03-08"),
        ("this arvo", "2026-03-11T15:00:00+00:00"),
        ("later today", "2026-03-11"),
        ("day after tmrw", "2026-03-13"),
        ("by the twenty-first", "2026-03-21"),
        ("the thirtieth", "2026-03-30"),
    ] {
        check(phrase, due, None);
    }
}

#[test]
fn times_are_read_with_their_day() {
    for (phrase, due) in [
        ("5pm", "2026-03-11T17:00:00+00:00"),
        ("at 5", "2026-03-11T17:00:00+00:00"),
        ("9am", "2026-03-12T09:00:00+00:00"),
        ("17:00", "2026-03-11T17:00:00+00:00"),
        ("8.30pm", "2026-03-11T20:30:00+00:00"),
        ("ten past 9 in the evening", "2026-03-11T21:10:00+00:00"),
        ("quarter to 9 tonight", "2026-03-11T20:45:00+00:00"),
        ("noon tomorrow", "2026-03-12T12:00:00+00:00"),
        ("midnight", "2026-03-12T00:00:00+00:00"),
        ("friday at 3", "2026-03-13T15:00:00+00:00"),
        ("tonight 9:30", "2026-03-11T21:30:00+00:00"),
        ("in an hour and a half", "2026-03-11T11:00:00+00:00"),
        ("in 1.5 hours", "2026-03-11T11:00:00+00:00"),
        ("in two and a half hours", "2026-03-11T12:00:00+00:00"),
        ("two and a half days from now", "2026-03-13T21:30:00+00:00"),
        ("nine on sunday", "2026-03-15T09:00:00+00:00"),
        ("tomorrow arvo at 4", "2026-03-12T16:00:00+00:00"),
        ("in 1d 2hr 5min", "2026-03-12T11:35:00+00:00"),
        ("friday 19h", "2026-03-13T19:00:00+00:00"),
        ("tomorrow at 8h", "2026-03-12T08:00:00+00:00"),
        ("may 5th 2027 at noon", "2027-05-05T12:00:00+01:00"),
        ("2026-03-27 17:00", "2026-03-27T17:00:00+00:00"),
        ("2026-07-01T10:00:00-04:00", "2026-07-01T15:00:00+01:00"),
        ("from 5pm to 6pm", "2026-03-11T17:00:00+00:00"),
    ] {
        check(phrase, due, None);
    }
}

#[test]
fn recurrences_have_a_first_date_and_a_rule() {
    for (phrase, due, rule) in [
        ("every day", "2026-03-11", "FREQ=DAILY"),
        ("every day at 9am", "2026-03-12T09:00:00+00:00", "FREQ=DAILY"),
        ("every weekday", "2026-03-11", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every mon, fri", "2026-03-13", "FREQ=WEEKLY;BYDAY=MO,FR"),
        ("every other week", "2026-03-11", "FREQ=WEEKLY;INTERVAL=2"),
        ("every 3rd friday", "2026-03-20", "FREQ=MONTHLY;BYDAY=3FR"),
        ("last friday of every month", "2026-03-27", "FREQ=MONTHLY;BYDAY=-1FR"),
        ("every last day", "2026-03-31", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("every 27th", "2026-03-27", "FREQ=MONTHLY;BYMONTHDAY=27"),
        ("5th March of every year", "2027-03-05", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5"),
        ("quarterly", "2026-03-11", "FREQ=MONTHLY;INTERVAL=3"),
        ("once a year on 9 october", "2026-10-09", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=9"),
        ("yearly on the 9th of october", "2026-10-09", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=9"),
        ("once a month on the first monday", "2026-04-06", "FREQ=MONTHLY;BYDAY=1MO"),
        ("once a week on fridays", "2026-03-13", "FREQ=WEEKLY;BYDAY=FR"),
        ("every! 3 days", "2026-03-11", "!FREQ=DAILY;INTERVAL=3"),
    ] {
        check(phrase, due, Some(rule));
    }
}

#[test]
fn what_is_no_date_is_left_alone() {
    for text in [
        "",
        "sun cream",
        "room 204",
        "The 5th Wave",
        "Renovation",
        "monitor",
        "may",
        "second",
        "3/4",
        "twice a week",
        "the second",
        "twenty-first",
        "nine",
        "🙂",
    ] {
        assert_eq!(parse(text, &now(), "Europe/London"), None, "{text}");
    }
    assert!(resolve("banana", &now(), "Europe/London").unwrap_err().0.contains("banana"));
}

#[test]
fn a_clock_change_keeps_the_hour_that_was_said() {
    let eve = Timestamp::parse("2026-03-28T22:15:00Z").unwrap();
    let due = |phrase| parse(phrase, &eve, "Europe/London").unwrap().due.to_string();
    assert_eq!(due("tomorrow at 8am"), "2026-03-29T08:00:00+01:00");
    assert_eq!(due("in 12 hours"), "2026-03-29T11:15:00+01:00");
    // A skipped time moves past the gap.
    assert_eq!(due("tomorrow at 1:30am"), "2026-03-29T02:30:00+01:00");
    assert_eq!(parse("5pm", &now(), "Nowhere/At-all").unwrap().due.as_str(), "2026-03-11T17:00:00+00:00");
}

#[test]
fn quick_add_takes_marks_and_dates_out_of_a_title() {
    for (line, title, due) in [
        ("buy milk tomorrow 5pm #Home @errand p1", "buy milk", Some("2026-03-12T17:00:00+00:00")),
        ("pay rent 27th", "pay rent", Some("2026-03-27")),
        ("tomorrow meeting at 10 AM", "meeting", Some("2026-03-12T10:00:00+00:00")),
        ("\"call mom tomorrow\"", "call mom tomorrow", None),
        ("read The 5th Wave", "read The 5th Wave", None),
        ("watch Tomorrow Never Dies", "watch Tomorrow Never Dies", None),
        ("email joe@example.com friday", "email joe@example.com", Some("2026-03-13")),
        ("call Tom", "call Tom", None),
        ("buy sun cream", "buy sun cream", None),
        ("mother's day gift", "mother's day gift", None),
        ("meeting at 5 Elm Street", "meeting at 5 Elm Street", None),
        ("task #12 follow up", "task #12 follow up", None),
        ("gym from 5 to 7", "gym", Some("2026-03-11T17:00:00+00:00")),
        ("wash the kit before saturdays match", "wash the kit before saturdays match", None),
        ("pump the balls for sundays game tomorrow", "pump the balls for sundays game", Some("2026-03-12")),
        ("read Darkness at Noon on Saturday", "read Darkness at Noon", Some("2026-03-14")),
        ("parents' evening thursday", "parents' evening", Some("2026-03-12")),
        ("Halloween", "Halloween", None),
        ("read chapter nine on sunday", "read chapter nine", Some("2026-03-15")),
        ("plan the twenty-first birthday", "plan the twenty-first birthday", None),
        ("find the arvo playlist", "find the arvo playlist", None),
    ] {
        let read = quick_add(line, &now(), "Europe/London");
        assert_eq!((read.title.as_str(), read.due.as_ref().map(Due::as_str)), (title, due), "{line}");
    }
    let read = quick_add("buy milk #Home @errand p1", &now(), "Europe/London");
    assert_eq!((read.project.as_deref(), read.tags.as_slice()), (Some("Home"), &["errand".to_owned()][..]));
    assert_eq!(read.spans.iter().map(|span| span.kind.as_str()).collect::<Vec<_>>(), ["project", "tag", "priority"]);
}

#[test]
fn a_recurrence_may_say_when_it_begins() {
    for (line, title, due, rule) in [
        ("dentist friday every 6 months", "dentist", "2026-03-13", "FREQ=MONTHLY;INTERVAL=6"),
        ("every 6 months dentist friday 3pm", "dentist", "2026-03-13T15:00:00+00:00", "FREQ=MONTHLY;INTERVAL=6"),
        ("yoga until 30 june every day", "yoga", "2026-03-11", "FREQ=DAILY;UNTIL=20260630"),
        ("water plants tomorrow, every 3 days", "water plants", "2026-03-12", "FREQ=DAILY;INTERVAL=3"),
    ] {
        let read = quick_add(line, &now(), "Europe/London");
        let found = (read.title.as_str(), read.due.as_ref().map(Due::as_str), read.recurrence.as_deref());
        assert_eq!(found, (title, Some(due), Some(rule)), "{line}");
        assert_eq!(read.spans.len(), 2, "{line}");
    }
    // A recurrence with its first day at the end is one phrase.
    let read = quick_add("gym every monday at 7am from 6 may", &now(), "Europe/London");
    let found = (read.title.as_str(), read.due.as_ref().map(Due::as_str), read.recurrence.as_deref());
    assert_eq!(found, ("gym", Some("2026-05-11T07:00:00+01:00"), Some("FREQ=WEEKLY;BYDAY=MO")));
    // Friday does not match the rule, and is not marked as a beginning.
    let read = quick_add("send every monday report on friday", &now(), "Europe/London");
    assert_eq!((read.title.as_str(), read.recurrence), ("send every monday report", None));
}

/// Phrases, their due dates and their rules; "-" for phrases that are no date.
const PHRASES: &str = include_str!("phrases.txt");

#[test]
fn phrases_mean_what_the_table_says() {
    for line in PHRASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (phrase, meaning) = line.split_once(" = ").unwrap();
        let read = parse(phrase, &now(), "Europe/London").map(|when| match when.recurrence {
            Some(rule) => format!("{} {rule}", when.due),
            None => when.due.to_string(),
        });
        assert_eq!(read.as_deref().unwrap_or("-"), meaning, "{phrase}");
    }
}

/// Lines of quick add, their titles and their due dates.
const LINES: &str = include_str!("lines.txt");

#[test]
fn lines_are_read_whole_or_left_alone() {
    for line in LINES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (line, meaning) = line.split_once(" = ").unwrap();
        let read = quick_add(line, &now(), "Europe/London");
        let found = match (&read.due, &read.recurrence) {
            (Some(due), Some(rule)) => format!("{} | {due} {rule}", read.title),
            (Some(due), None) => format!("{} | {due}", read.title),
            (None, _) => read.title,
        };
        assert_eq!(found, meaning, "{line}");
    }
}

/// Well-known titles of books and films, many of them with words that occur in dates.
const TITLES: &str = include_str!("titles.txt");

/// Notes to oneself that contain only a date in brackets.
const DATED: &str = include_str!("dated.txt");

/// Returns the title from quick add, and true if it found a date.
fn added(line: &str) -> (String, bool) {
    let read = quick_add(line, &now(), "Europe/London");
    (read.title, read.due.is_some() || read.recurrence.is_some())
}

#[test]
fn date_parser_misreads_at_most_two_percent_of_titles() {
    let words = "day night noon midnight morning evening afternoon weekend week month year hour minute christmas easter \
                 halloween thanksgiving january february march april may june july august september october november \
                 december sun eve tomorrow yesterday now later eight five three ten";
    let misread: Vec<&str> = TITLES.lines().filter(|title| added(title) != ((*title).to_owned(), false)).collect();
    assert!(misread.len() * 100 <= TITLES.lines().count() * 2, "{} titles: {misread:#?}", misread.len());
    for title in misread {
        let lower = title.to_lowercase();
        let dateless =
            !lower.contains(|c: char| c.is_ascii_digit()) && !words.split(' ').any(|word| lower.contains(word));
        assert!(!dateless, "no word of {title} is a date's");
    }
    for title in TITLES.lines() {
        assert_eq!(added(&format!("\"{title}\"")), (title.to_owned(), false), "in quotes");
        assert_eq!(added(&format!("read “{title}”")), (format!("read “{title}”"), false), "in quotes");
    }
}

#[test]
fn every_date_in_a_note_to_oneself_is_read() {
    for line in DATED.lines() {
        let (before, rest) = line.split_once('[').unwrap();
        let (date, after) = rest.split_once(']').unwrap();
        let read = quick_add(&format!("{before}{date}{after}"), &now(), "Europe/London");
        let when = parse(date, &now(), "Europe/London").unwrap();
        let title = format!("{before}{after}").trim_matches([' ', ':']).to_owned();
        assert_eq!(
            (read.title.trim_matches([' ', ':']), read.due, read.recurrence),
            (title.as_str(), Some(when.due), when.recurrence),
            "{line}"
        );
    }
}

#[test]
fn words_turned_back_into_text_say_nothing() {
    for (line, plain, title, due, project) in [
        ("read Tomorrow tonight", "tonight", "read Tomorrow tonight", None, None),
        ("call mum tomorrow 5pm", "tomorrow 5pm", "call mum tomorrow 5pm", None, None),
        ("film friday on monday", "monday", "film on monday", Some("2026-03-13"), None),
        ("next tomorrow week", "tomorrow", "next tomorrow week", None, None),
        ("fix #bug friday", "#bug", "fix #bug", Some("2026-03-13"), None),
        ("fix #bugs friday", "#bug", "fix", Some("2026-03-13"), Some("bugs")),
        ("buy p1 today", "", "buy", Some("2026-03-11"), None),
        ("café à midi friday", "à", "café à midi", Some("2026-03-13"), None),
    ] {
        let read = quick_add_but(line, &[plain.to_owned()], &now(), "Europe/London");
        let found = (read.title.as_str(), read.due.as_ref().map(Due::as_str), read.project.as_deref());
        assert_eq!(found, (title, due, project), "{line} without {plain}");
    }
}

#[test]
fn labels_name_near_days() {
    let zone = "Europe/London";
    for (phrase, text) in [
        ("today", "Today"),
        ("tomorrow 5pm", "Tomorrow 17:00"),
        ("friday", "Fri 13 Mar"),
        ("11 mar 2027", "11 Mar 2027"),
    ] {
        assert_eq!(label(&resolve(phrase, &now(), zone).unwrap(), &now(), zone), text);
    }
    let late = |phrase: &str| overdue(&now(), zone).holds(&resolve(phrase, &now(), zone).unwrap());
    assert!(late("yesterday") && !late("today"));
}

#[test]
fn filters_are_spans_of_days() {
    let span = |filter: &str| {
        let span = span_of(filter, &now(), "Europe/London")?;
        Some((span.from.map(|day| day.to_string()), span.to.map(|day| day.to_string())))
    };
    let day = |text: &str| Some(text.to_owned());
    assert_eq!(span("today"), Some((day("2026-03-11"), day("2026-03-11"))));
    assert_eq!(span("week"), Some((day("2026-03-11"), day("2026-03-17"))));
    assert_eq!(span("overdue"), Some((None, day("2026-03-10"))));
    assert_eq!(span("blue"), None);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,80}", words in "((every|next|in|the|last|at|[0-9]{1,4}|day|mon|of|half|pm|!|-|:|/|jan|5th|a) ?){0,12}") {
        for text in [&text, &words] {
            let _ = parse(text, &now(), "America/New_York");
            let line = quick_add(text, &now(), "Asia/Kolkata");
            for span in line.spans {
                prop_assert!(text.get(span.start..span.end).is_some());
            }
        }
    }
}

/// Returns the CPU time for parsing `piece` repeated to a length in characters; best of three.
fn reading(piece: &str, letters: usize) -> std::time::Duration {
    let text: String = piece.chars().cycle().take(letters).collect();
    let once = || {
        let begun = spent();
        quick_add_but(&text, &["a".to_owned()], &now(), "Europe/London");
        spent() - begun
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn date_parsing_time_is_linear_in_input_length(piece in "([0-9]|\\PC|a|#b|@c|p1|every|next|on|the|5th|of|half|past|in|\"|'|“|”|,|:|-|/| ){1,5} ?") {
        let (short, long) = (reading(&piece, 2000), reading(&piece, 8000));
        // Four times the length: quadratic parsing would take sixteen times as long.
        prop_assert!(long <= short * 8 + std::time::Duration::from_millis(30), "{piece:?}: {short:?}, {long:?}");
    }
}
