//! A part of a suite, which one machine of several measures.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// More parts than this are a mistake.
const MOST: u32 = 10_000;

/// Which part, as `2/5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("write which part of how many, as 2/5: from 1/5 to 5/5, {MOST} parts at most");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let checked = |text: &str| text.parse::<u32>().ok().filter(|number| (1..=MOST).contains(number));
        let (number, of) = (checked(number).ok_or_else(wrong)?, checked(of).ok_or_else(wrong)?);
        (number <= of).then_some(Self { number, of }).ok_or_else(wrong)
    }
}

/// What a run measures of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part.
    pub shard: Shard,
    /// All groups of the suite, in their order, each with the number of the part that measures it. Empty until that is decided.
    #[serde(default)]
    pub split: Vec<(String, u32)>,
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn a_part_is_one_of_several() {
        assert_eq!("2/5".parse(), Ok(Shard { number: 2, of: 5 }));
        assert_eq!("1/1".parse::<Shard>().map(|shard| shard.to_string()), Ok("1/1".into()));
        for text in ["", "2", "0/5", "6/5", "1/0", "-1/2", "a/b", "1/2/3", "1/99999999", " 1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
