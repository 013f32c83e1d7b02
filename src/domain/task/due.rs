//! Due dates: a day, or a time in a zone.

use std::fmt;

use serde::Serialize;

use crate::domain::time::{CivilDate, Timestamp};

/// A due date. Wire form: `YYYY-MM-DD`, or RFC 3339 with the offset of the zone in which it was set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Due {
    /// A civil date: the same day wherever its owner travels.
    Date(CivilDate),
    /// A time and its IANA zone, which a recurrence needs across clock changes.
    At { at: Timestamp, zone: String, local: String },
}

impl Due {
    /// Returns the wire form.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Date(date) => date.as_str(),
            Self::At { local, .. } => local,
        }
    }

    /// Returns the due day in the zone where it was set: the first ten characters of the wire form.
    pub fn day(&self) -> &str {
        &self.as_str()[..10]
    }

    /// Returns hours and minutes in the zone where it was set (`17:00`), if it has a time.
    pub fn time(&self) -> Option<&str> {
        match self {
            Self::Date(_) => None,
            Self::At { local, .. } => local.get(11..16),
        }
    }

    /// Returns the zone of a time; a day has none.
    pub fn zone(&self) -> Option<&str> {
        match self {
            Self::Date(_) => None,
            Self::At { zone, .. } => Some(zone),
        }
    }

    /// Creates a time in a zone, to the second as in the wire form; `None` if the zone is unknown.
    #[cfg(feature = "ssr")]
    pub fn at(at: Timestamp, zone: &str) -> Option<Self> {
        let at = at.to_second();
        let zoned = at.to_jiff().in_tz(zone).ok()?;
        let local = zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        Some(Self::At { at, zone: zone.to_owned(), local })
    }
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Due {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_due_time_is_written_where_it_was_set() {
        let at = Timestamp::parse("2026-03-29T16:00:00Z").unwrap();
        let due = Due::at(at, "Europe/London").unwrap();
        assert_eq!(due.as_str(), "2026-03-29T17:00:00+01:00");
        assert_eq!((due.day(), due.time(), due.zone()), ("2026-03-29", Some("17:00"), Some("Europe/London")));
    }
}
