//! Instants and civil dates as text that sorts. Text, because the browser has no calendar and needs none:
//! whatever it shows about time was worded by the server.

use std::fmt;

use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use super::Invalid;

/// An instant in UTC: RFC 3339 with exactly three decimals and `Z`, so that text order is time order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
#[cfg_attr(feature = "ssr", schemars(extend("format" = "date-time")))]
pub struct Timestamp(String);

impl Timestamp {
    /// The text itself.
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

    /// Whether a text that is a time is this type's text of it.
    fn as_written(text: &[u8]) -> bool {
        // A leap second is read as the one before it.
        matches!(text, [_, _, _, _, b'-', _, _, b'-', _, _, b'T', _, _, b':', _, _, b':', tens, _, b'.', _, _, _, b'Z'] if *tens != b'6')
    }

    impl Timestamp {
        /// Reads RFC 3339 with any offset and precision; what is below a millisecond is cut.
        pub fn parse(text: &str) -> Result<Self, Invalid> {
            let at = text.parse::<jiff::Timestamp>().map_err(|_| {
                Invalid::because(format!("“{text}” is not a time; write it like 2026-03-11T17:00:00Z."))
            })?;
            // Times come from the database as they are written here.
            Ok(if as_written(text.as_bytes()) { Self(text.to_owned()) } else { at.into() })
        }

        /// The instant for calculations.
        pub fn to_jiff(&self) -> jiff::Timestamp {
            self.0.parse().expect("a Timestamp is only made from a jiff::Timestamp")
        }

        /// The instant `seconds` later (earlier when negative).
        pub fn plus_seconds(&self, seconds: i64) -> Self {
            self.plus_ms(seconds.saturating_mul(1000))
        }

        /// The instant `ms` milliseconds later (earlier when negative), within the calendar's range.
        pub fn plus_ms(&self, ms: i64) -> Self {
            let at = self.to_jiff().saturating_add(SignedDuration::from_millis(ms));
            Self::from(at.expect("a duration has no calendar units"))
        }

        /// Milliseconds from `earlier` to this instant; negative when `earlier` is later.
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
        /// Reads `YYYY-MM-DD`.
        pub fn parse(text: &str) -> Result<Self, Invalid> {
            text.parse::<jiff::civil::Date>()
                .map(Self::from)
                .map_err(|_| Invalid::because(format!("“{text}” is not a date; write it like 2026-03-11.")))
        }

        /// The date for calculations.
        pub fn to_jiff(&self) -> jiff::civil::Date {
            self.0.parse().expect("a CivilDate is only made from a jiff date")
        }
    }
}

/// A date of the calendar without a time and without a zone: `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CivilDate(String);

impl CivilDate {
    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Processor time of this thread, as Linux counts it, since other tests want some as well; elsewhere the clock's.
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
    fn a_time_is_read_as_it_is_written_in_one_way_only() {
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
