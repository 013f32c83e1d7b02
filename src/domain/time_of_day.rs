//! Times of day as people say them: hours of either half of the day, and parts of the day.

use jiff::civil::Time;

/// A parsed time. For a bare hour, the half of the day is still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    pub hour: i8,
    pub minute: i8,
    /// True if the half of the day was given, or follows from the notation.
    pub sure: bool,
    /// True if the minutes were written as digits, as on a 24-hour clock.
    pub written: bool,
}

impl Clock {
    /// Returns a time whose half of the day is known.
    pub const fn sure(hour: i8, minute: i8) -> Self {
        Self { hour, minute, sure: true, written: false }
    }

    /// Applies `part` to a time whose half of the day is open.
    pub fn within(self, part: Option<Part>) -> Self {
        let hour = match part {
            _ if self.sure => self.hour,
            Some(Part::Morning) => self.hour % 12,
            Some(Part::Afternoon) => self.hour % 12 + 12,
            Some(Part::Noon) if self.hour < 11 => self.hour + 12,
            // "3 at night" is after midnight.
            Some(Part::Night) if (1..5).contains(&self.hour) => self.hour,
            Some(Part::Evening | Part::Night) if (1..12).contains(&self.hour) => self.hour + 12,
            Some(Part::Evening | Part::Night) if self.hour == 12 => 0,
            Some(Part::Noon | Part::Evening | Part::Night) | None => self.hour,
        };
        Self { hour, sure: self.sure || part.is_some(), ..self }
    }

    /// Returns the civil time. An open hour from 1 to 6 is in the afternoon.
    pub fn time(self) -> Time {
        let hour = if !self.sure && (1..=6).contains(&self.hour) { self.hour + 12 } else { self.hour };
        Time::new(hour, self.minute, 0, 0).unwrap_or(Time::midnight())
    }
}

/// A part of the day, which disambiguates hours and is a time by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Morning,
    Noon,
    Afternoon,
    Evening,
    Night,
}

impl Part {
    /// Returns the time that the part means by itself.
    pub fn clock(self) -> Clock {
        let hour = match self {
            Self::Morning => 9,
            Self::Noon => 12,
            Self::Afternoon => 15,
            Self::Evening => 19,
            Self::Night => 21,
        };
        Clock::sure(hour, 0)
    }
}
