use serde::{Deserialize, Serialize};

/// How much a finding matters; later ones matter more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingLevel {
    /// As a measurement wants it.
    Good,
    /// It couldn't be read.
    Unknown,
    /// It may disturb some measurements.
    MayDisturb,
    /// It disturbs most measurements, or makes them worthless.
    Disturbs,
}

impl FindingLevel {
    /// `good`, `unknown`, `may-disturb`, `disturbs`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Unknown => "unknown",
            Self::MayDisturb => "may-disturb",
            Self::Disturbs => "disturbs",
        }
    }
}

/// One thing about the machine or a runtime, what it does to results, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The name of the runtime that it is about; empty for the machine.
    #[serde(default)]
    pub runtime: String,
    /// What it is about: `governor`, `steal`, `xdebug`.
    pub code: String,
    /// How much it matters.
    pub level: FindingLevel,
    /// What was seen; text from files and firmware, of bounded length, on one line and without control characters.
    pub found: String,
    /// What it does to results; empty where all is well.
    #[serde(default)]
    pub effect: String,
    /// How to mend it; empty where there is nothing to mend, or no way.
    #[serde(default)]
    pub remedy: String,
}

impl Finding {
    /// About the machine.
    pub fn new(code: &str, level: FindingLevel, found: impl Into<String>, effect: &str, remedy: &str) -> Self {
        Self {
            runtime: String::new(),
            code: code.to_owned(),
            level,
            found: found.into(),
            effect: effect.to_owned(),
            remedy: remedy.to_owned(),
        }
    }

    /// That all is well.
    pub fn good(code: &str, found: impl Into<String>) -> Self {
        Self::new(code, FindingLevel::Good, found, "", "")
    }

    /// Whether results may have suffered from it.
    pub fn matters(&self) -> bool {
        self.level >= FindingLevel::MayDisturb
    }
}

#[cfg(test)]
mod tests {
    use super::FindingLevel;

    #[test]
    fn the_worst_sorts_last() {
        let mut levels = [FindingLevel::Disturbs, FindingLevel::Good, FindingLevel::MayDisturb, FindingLevel::Unknown];
        levels.sort();
        assert_eq!(levels.map(FindingLevel::name), ["good", "unknown", "may-disturb", "disturbs"]);
    }
}
