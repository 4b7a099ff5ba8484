use serde::{Deserialize, Serialize};

/// A unit of time for display; everything is stored in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// 10⁻⁹ s
    Nanoseconds,
    /// 10⁻⁶ s
    Microseconds,
    /// 10⁻³ s
    Milliseconds,
    /// 1 s
    Seconds,
}

impl TimeUnit {
    /// Nanoseconds in one of this unit.
    pub fn nanoseconds(self) -> f64 {
        match self {
            Self::Nanoseconds => 1.0,
            Self::Microseconds => 1e3,
            Self::Milliseconds => 1e6,
            Self::Seconds => 1e9,
        }
    }

    /// The SI symbol: `ns`, `µs`, `ms`, `s`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
        }
    }

    /// The unit in which `nanoseconds` reads as a number from 1 to under 1000, as far as the units reach.
    pub fn fitting(nanoseconds: f64) -> Self {
        match nanoseconds.abs() {
            t if t < 1e3 => Self::Nanoseconds,
            t if t < 1e6 => Self::Microseconds,
            t if t < 1e9 => Self::Milliseconds,
            _ => Self::Seconds,
        }
    }

    /// Reads a unit by symbol or name, singular or plural: `us`, `µs`, `microseconds`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_lowercase().as_str() {
            "ns" | "nanosecond" | "nanoseconds" => Some(Self::Nanoseconds),
            "us" | "µs" | "μs" | "microsecond" | "microseconds" => Some(Self::Microseconds),
            "ms" | "millisecond" | "milliseconds" => Some(Self::Milliseconds),
            "s" | "second" | "seconds" => Some(Self::Seconds),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeUnit;

    #[test]
    fn a_time_is_shown_with_one_to_three_digits_before_the_point() {
        assert_eq!(TimeUnit::fitting(0.2), TimeUnit::Nanoseconds);
        assert_eq!(TimeUnit::fitting(999.9), TimeUnit::Nanoseconds);
        assert_eq!(TimeUnit::fitting(-1_000.0), TimeUnit::Microseconds);
        assert_eq!(TimeUnit::fitting(2.5e6), TimeUnit::Milliseconds);
        assert_eq!(TimeUnit::fitting(1e12), TimeUnit::Seconds);
    }

    #[test]
    fn phpbench_names_and_symbols_are_units() {
        assert_eq!(TimeUnit::parse("microseconds"), Some(TimeUnit::Microseconds));
        assert_eq!(TimeUnit::parse("µs"), Some(TimeUnit::Microseconds));
        assert_eq!(TimeUnit::parse("fortnights"), None);
    }
}
