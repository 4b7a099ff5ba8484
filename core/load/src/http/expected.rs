//! Which statuses an answer may have.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Statuses of complete answers. Those below are of interim ones.
const ALL: RangeInclusive<u16> = 200..=599;

/// Statuses that aren't failures, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expected([u64; 10]);

/// Why a text names no statuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a status; write 200, 2xx, or several as 2xx,304 (statuses of answers are from 200 to 599)")]
pub struct ExpectedError(String);

impl Expected {
    const NONE: Self = Self([0; 10]);
    /// Every 2xx.
    pub const STANDARD: Self = Self::NONE.with(200, 299);

    /// What loads took for a success before they said what they expect.
    pub fn below_400() -> Self {
        Self::NONE.with(200, 399)
    }

    /// The statuses from `first` to `last`, too.
    const fn with(mut self, first: u16, last: u16) -> Self {
        let mut status = first;
        while status <= last {
            self.0[(status / 64) as usize] |= 1 << (status % 64);
            status += 1;
        }
        self
    }

    /// Whether an answer of this status is no failure.
    pub fn contains(&self, status: u16) -> bool {
        self.0.get(usize::from(status / 64)).is_some_and(|bits| bits >> (status % 64) & 1 == 1)
    }
}

impl Default for Expected {
    /// Every 2xx.
    fn default() -> Self {
        Self::STANDARD
    }
}

impl FromStr for Expected {
    type Err = ExpectedError;

    /// Reads `2xx,304`.
    fn from_str(text: &str) -> Result<Self, ExpectedError> {
        text.split(',').map(str::trim).try_fold(Self::NONE, |all, part| {
            let wrong = || ExpectedError(part.escape_debug().to_string());
            let class = part.strip_suffix("xx").or_else(|| part.strip_suffix("XX"));
            let statuses = match (part.len(), class) {
                (3, Some(class)) => class.parse::<u16>().map(|class| (class * 100, class * 100 + 99)),
                (3, None) if part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    part.parse::<u16>().map(|status| (status, status))
                }
                _ => return Err(wrong()),
            };
            let (first, last) = statuses.ok().filter(|(first, _)| ALL.contains(first)).ok_or_else(wrong)?;
            Ok(all.with(first, last))
        })
    }
}

/// As it is read: whole classes, and what there is of the others.
impl fmt::Display for Expected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for class in 2..=5_u16 {
            let of_class = (class * 100..class * 100 + 100).filter(|status| self.contains(*status));
            if of_class.clone().count() == 100 {
                write!(out, "{between}{class}xx")?;
                between = ",";
                continue;
            }
            for status in of_class {
                write!(out, "{between}{status}")?;
                between = ",";
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Expected {
    type Error = ExpectedError;

    fn try_from(text: String) -> Result<Self, ExpectedError> {
        text.parse()
    }
}

impl From<Expected> for String {
    fn from(expected: Expected) -> Self {
        expected.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Expected;

    #[test]
    fn patterns_name_statuses() {
        let of = |text: &str| {
            let expected: Expected = text.parse().unwrap();
            (0..=u16::MAX).filter(|status| expected.contains(*status)).collect::<Vec<u16>>()
        };
        assert_eq!(of("2xx"), (200..300).collect::<Vec<_>>());
        assert_eq!(of(" 204 , 5XX ,304"), [204, 304].into_iter().chain(500..600).collect::<Vec<_>>());
        assert_eq!("2xx".parse(), Ok(Expected::default()));
        assert_eq!("2xx,3xx".parse(), Ok(Expected::below_400()));
        for text in ["2xx", "204,304,5xx", "200,404"] {
            assert_eq!(text.parse::<Expected>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_names_no_status_is_refused() {
        for text in [
            "",
            "2",
            "2x",
            "xx",
            "1xx",
            "6xx",
            "0xx",
            "100",
            "199",
            "600",
            "999",
            "+20",
            "2xx,",
            "20O",
            "-xx",
            "\u{1b}[2J",
        ] {
            let error = text.parse::<Expected>().unwrap_err().to_string();
            assert!(error.contains("is not a status; write 200") && !error.contains('\u{1b}'), "{error}");
        }
    }
}
