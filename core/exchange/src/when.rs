//! When something was measured, as other tools write it.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// RFC 3339 in UTC with milliseconds, as a run's start is kept.
pub fn rfc3339(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// What a text says, where it says a time: with an offset, or, where it has none, in this machine's zone.
pub(crate) fn parsed(text: &str) -> Option<String> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(rfc3339(time));
    }
    if let Ok(time) = text.parse::<Zoned>() {
        return Some(rfc3339(time.timestamp()));
    }
    let civil = text.parse::<DateTime>().ok()?;
    civil.to_zoned(TimeZone::system()).ok().map(|time| rfc3339(time.timestamp()))
}

/// Of seconds since 1970.
pub(crate) fn of_seconds(seconds: f64) -> Option<String> {
    if !(0.0..4e9).contains(&seconds) {
        return None;
    }
    Timestamp::from_millisecond((seconds * 1e3) as i64).ok().map(rfc3339)
}

#[cfg(test)]
mod tests {
    use super::{of_seconds, parsed};

    #[test]
    fn times_of_tools_are_read() {
        for text in ["2026-11-24T20:48:29+00:00", "2026-11-24T21:48:29.000+01:00", "2026-11-24T20:48:29Z"] {
            assert_eq!(parsed(text).as_deref(), Some("2026-11-24T20:48:29.000Z"), "{text}");
        }
        assert!(parsed("2026-11-24 20:48:29.123456").is_some());
        assert_eq!(parsed("yesterday"), None);
        assert_eq!(of_seconds(1_700_000_000.5).as_deref(), Some("2023-11-14T22:13:20.500Z"));
        assert_eq!(of_seconds(f64::NAN), None);
    }
}
