//! Timestamps and civil dates as text that sorts. They are text because the browser has no calendar: the server words all times
//! that it shows.

use std::fmt;

use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use super::Invalid;

/// A time in UTC: RFC 3339 with exactly three decimals and `Z`, so that text order is time order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
#[cfg_attr(feature = "ssr", schemars(extend("format" = "date-time")))]
pub struct Timestamp(String);

impl Timestamp {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(feature = "ssr")]
mod server {
    use jiff::SignedDuration;

    use super::{CivilDate, Invalid, Timestamp};

    impl From<jiff::Timestamp> for Timestamp {
        fn from(at: jiff::Timestamp) -> Self {
            Self(format!("{at:.3}"))
        }
    }

    /// Returns true if a valid time is written in this type's format.
    fn as_written(text: &[u8]) -> bool {
        // The parser reads a leap second as the second before it.
        matches!(text, [_, _, _, _, b'-', _, _, b'-', _, _, b'T', _, _, b':', _, _, b':', tens, _, b'.', _, _, _, b'Z'] if *tens != b'6')
    }

    impl Timestamp {
        /// Parses RFC 3339 with any offset and precision. Truncates to milliseconds.
        pub fn parse(text: &str) -> Result<Self, Invalid> {
            let at = text.parse::<jiff::Timestamp>().map_err(|_| {
                Invalid::because(format!("“{text}” is not a time; write it like 2026-03-11T17:00:00Z."))
            })?;
            // Fast path for times from the database, which have this format.
            Ok(if as_written(text.as_bytes()) { Self(text.to_owned()) } else { at.into() })
        }

        /// Returns the time for calculations.
        pub fn to_jiff(&self) -> jiff::Timestamp {
            self.0.parse().expect("a Timestamp is only made from a jiff::Timestamp")
        }

        /// Returns the beginning of the time's second.
        #[must_use]
        pub fn to_second(&self) -> Self {
            Self(format!("{}.000Z", &self.0[..self.0.len() - ".000Z".len()]))
        }

        /// Returns the time `seconds` later (earlier if negative).
        pub fn plus_seconds(&self, seconds: i64) -> Self {
            self.plus_ms(seconds.saturating_mul(1000))
        }

        /// Returns the time `ms` milliseconds later (earlier if negative), within the calendar's range.
        pub fn plus_ms(&self, ms: i64) -> Self {
            let at = self.to_jiff().saturating_add(SignedDuration::from_millis(ms));
            Self::from(at.expect("a duration has no calendar units"))
        }

        /// Returns the milliseconds from `earlier` to this time; negative if `earlier` is later.
        pub fn ms_since(&self, earlier: &Self) -> i64 {
            i64::try_from(self.to_jiff().duration_since(earlier.to_jiff()).as_millis()).unwrap_or(i64::MAX)
        }
    }

    impl From<jiff::civil::Date> for CivilDate {
        fn from(date: jiff::civil::Date) -> Self {
            Self(date.to_string())
        }
    }

    impl CivilDate {
        /// Parses `YYYY-MM-DD`.
        pub fn parse(text: &str) -> Result<Self, Invalid> {
            text.parse::<jiff::civil::Date>()
                .map(Self::from)
                .map_err(|_| Invalid::because(format!("“{text}” is not a date; write it like 2026-03-11.")))
        }

        /// Returns the date for calculations.
        pub fn to_jiff(&self) -> jiff::civil::Date {
            self.0.parse().expect("a CivilDate is only made from a jiff date")
        }
    }
}

/// A calendar date without time and zone: `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CivilDate(String);

impl CivilDate {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the CPU time of this thread on Linux, which parallel tests do not affect; elsewhere the wall-clock time.
#[cfg(test)]
pub fn spent() -> std::time::Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    let clock = || std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time after 1970");
    nanoseconds.map_or_else(clock, std::time::Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_order_is_time_order() {
        let whole = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let later = Timestamp::parse("2026-03-11T09:30:00.5Z").unwrap();
        assert_eq!(whole.as_str(), "2026-03-11T09:30:00.000Z");
        assert!(whole < later);
        assert_eq!(later.ms_since(&whole), 500);
        assert_eq!(whole.plus_ms(500), later);
    }

    #[test]
    fn timestamp_is_normalised_to_one_format() {
        for (text, read) in [
            ("2026-03-11T09:30:00.500Z", "2026-03-11T09:30:00.500Z"),
            ("2026-03-11T11:30:00.500+02:00", "2026-03-11T09:30:00.500Z"),
            ("2026-03-11T09:30:00.5009Z", "2026-03-11T09:30:00.500Z"),
            ("2026-03-11 09:30:00.500Z", "2026-03-11T09:30:00.500Z"),
            ("2026-03-11t09:30:00.500z", "2026-03-11T09:30:00.500Z"),
            ("2026-03-11T09:30:00,500Z", "2026-03-11T09:30:00.500Z"),
            ("2016-12-31T23:59:60.000Z", "2016-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().as_str(), read, "{text}");
        }
        for none in ["2026-02-30T09:30:00.000Z", "2026-03-11T25:30:00.000Z", "2026-03-11T09:30:00.000"] {
            Timestamp::parse(none).unwrap_err();
        }
    }
}
