//! Singular and plural: the only place with a language's plural rules. English has two forms; a language with more
//! chooses among them here.

/// Returns the form of a word for `count`.
pub fn plural<'a>(count: impl TryInto<u64>, one: &'a str, many: &'a str) -> &'a str {
    if matches!(count.try_into(), Ok(1)) { one } else { many }
}

/// `1 task`, `3 tasks`.
pub fn counted(count: impl TryInto<u64> + Copy + std::fmt::Display, one: &str, many: &str) -> String {
    format!("{count} {}", plural(count, one, many))
}

pub fn tasks(count: impl TryInto<u64> + Copy + std::fmt::Display) -> String {
    counted(count, "task", "tasks")
}

/// Rows of an imported table.
pub fn rows(count: impl TryInto<u64> + Copy + std::fmt::Display) -> String {
    counted(count, "row", "rows")
}

pub fn samples(count: impl TryInto<u64> + Copy + std::fmt::Display) -> String {
    counted(count, "sample", "samples")
}

pub fn characters(count: impl TryInto<u64> + Copy + std::fmt::Display) -> String {
    counted(count, "character", "characters")
}

/// `3,912 characters`.
pub fn characters_grouped(count: usize) -> String {
    format!("{} {}", grouped(count), plural(count, "character", "characters"))
}

/// `1,234,567`.
pub fn grouped(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `once`, `3 times`.
pub fn times(count: impl TryInto<u64> + Copy + std::fmt::Display) -> String {
    if plural(count, "once", "") == "once" { "once".to_owned() } else { format!("{count} times") }
}

#[test]
fn one_is_told_from_many() {
    assert_eq!([0, 1, 2].map(tasks), ["0 tasks", "1 task", "2 tasks"]);
    assert_eq!([1_i64, 3].map(times), ["once", "3 times"]);
    assert_eq!(rows(1_u64), "1 row");
}
