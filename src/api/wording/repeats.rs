//! Recurrence rules in words.

/// `every Monday`, `every 2 weeks`, `every month on the 27th`; the rule itself where there are no words for it.
pub fn repeats(rule: &str) -> String {
    let from_completion = rule.starts_with('!');
    let parts = rule.trim_start_matches('!').split(';').filter_map(|part| part.split_once('='));
    let part = |name: &str| parts.clone().find(|(found, _)| *found == name).map(|(_, value)| value);
    let unit = match part("FREQ") {
        Some("DAILY") => "day",
        Some("WEEKLY") => "week",
        Some("MONTHLY") => "month",
        Some("YEARLY") => "year",
        _ => return rule.to_owned(),
    };
    let every = match part("INTERVAL") {
        None | Some("1") => format!("every {unit}"),
        Some(count) => format!("every {count} {unit}s"),
    };
    let text = match (part("BYDAY"), part("BYMONTHDAY")) {
        (Some("MO,TU,WE,TH,FR"), None) if unit == "week" => every.replace("week", "weekday"),
        (Some(days), None) if every == "every week" => format!("every {}", weekdays(days)),
        (Some(days), None) => format!("{every} on {}", weekdays(days)),
        (None, Some("-1")) => format!("{every} on the last day"),
        (None, Some(day)) => format!("{every} on the {day}."),
        _ => every,
    };
    let text = text.trim_end_matches('.').to_owned();
    if from_completion { format!("{text} from completion") } else { text }
}

/// `Monday, Friday`; an ordinal stays before its day: `3rd Friday`, `last Friday`.
fn weekdays(days: &str) -> String {
    let name = |day: &str| {
        let (nth, code) = day.split_at(day.len().saturating_sub(2));
        let day = match code {
            "MO" => "Monday",
            "TU" => "Tuesday",
            "WE" => "Wednesday",
            "TH" => "Thursday",
            "FR" => "Friday",
            "SA" => "Saturday",
            "SU" => "Sunday",
            other => other,
        };
        match nth {
            "" => day.to_owned(),
            "1" => format!("1st {day}"),
            "2" => format!("2nd {day}"),
            "3" => format!("3rd {day}"),
            "-1" => format!("last {day}"),
            n => format!("{n}th {day}"),
        }
    };
    days.split(',').map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::repeats;

    #[test]
    fn a_rule_reads_as_people_say_it() {
        for (rule, words) in [
            ("FREQ=DAILY", "every day"),
            ("FREQ=WEEKLY;BYDAY=MO", "every Monday"),
            ("FREQ=WEEKLY;BYDAY=MO,FR", "every Monday, Friday"),
            ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
            ("FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
            ("FREQ=MONTHLY;BYDAY=3FR", "every month on 3rd Friday"),
            ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
            ("!FREQ=DAILY;INTERVAL=3", "every 3 days from completion"),
            ("X", "X"),
        ] {
            assert_eq!(repeats(rule), words, "{rule}");
        }
    }
}
