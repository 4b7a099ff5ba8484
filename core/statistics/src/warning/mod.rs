//! Warnings as values.

mod codes;
mod entry;

use serde::{Deserialize, Serialize};

pub use codes::WarningCode;
pub use entry::{Severity, Subject as WarningSubject, WarningEntry};

/// A warning is a value: what is wrong with a result, and what would mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Its name: that of a [`WarningCode`], in stored runs perhaps of one that there was or will be; of what disturbs the machine, of a
    /// finding.
    pub code: String,
    /// What was seen, with its figures.
    pub message: String,
    /// What the reader can do.
    pub remedy: String,
}

impl Warning {
    /// Of figures.
    pub fn new(code: WarningCode, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), remedy: remedy.into() }
    }

    /// Whether it is this one.
    pub fn is(&self, code: WarningCode) -> bool {
        self.code == code.entry().code
    }

    /// Which one it is, where this version knows it.
    pub fn known(&self) -> Option<WarningCode> {
        WarningCode::ALL.iter().copied().find(|code| self.is(*code))
    }

    /// How much it takes away from a figure, where this version knows it.
    pub fn severity(&self) -> Option<Severity> {
        self.known().map(|code| code.entry().severity)
    }
}

/// The worst first, and otherwise as they came; those of which nothing is known stand with what throws doubt.
pub fn by_severity<'a, T>(warnings: &mut [T], of: impl Fn(&T) -> &'a Warning) {
    warnings.sort_by_key(|warning| std::cmp::Reverse(of(warning).severity().unwrap_or(Severity::Doubt)));
}

impl From<WarningCode> for String {
    fn from(code: WarningCode) -> Self {
        code.entry().code.to_owned()
    }
}

impl WarningCode {
    /// Whether a verdict stays open for another reason than the margin, which the row of a comparison doesn't show.
    pub fn hides_the_reason(self) -> bool {
        matches!(self, Self::CodeMoved | Self::MeansDiffer | Self::MeanUncertain | Self::Imported)
    }

    /// The list for the documentation, in Markdown.
    pub fn documentation() -> String {
        let mut text = String::new();
        for about in WarningSubject::ALL {
            text.push_str(&format!("\n## {}\n\n", about.title()));
            text.push_str("| code | severity | cause | effect | remedy |\n| --- | --- | --- | --- | --- |\n");
            for entry in Self::ALL.iter().map(|code| code.entry()).filter(|entry| entry.about == about) {
                let WarningEntry { code, severity, cause, effect, remedy, .. } = entry;
                text.push_str(&format!("| `{code}` | {} | {cause} | {effect} | {remedy} |\n", severity.name()));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Warning, WarningCode, by_severity};

    #[test]
    fn codes_are_distinct_and_every_one_is_explained() {
        let codes: BTreeSet<&str> = WarningCode::ALL.iter().map(|code| code.entry().code).collect();
        assert_eq!(codes.len(), WarningCode::ALL.len());
        for entry in WarningCode::ALL.iter().map(|code| code.entry()) {
            assert!(entry.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", entry.code);
            for text in [entry.cause, entry.effect, entry.remedy] {
                assert!(
                    text.len() > 8 && !text.contains(['|', '\n']) && !text.ends_with('.'),
                    "{}: {text}",
                    entry.code
                );
            }
        }
    }

    #[test]
    fn a_stored_warning_is_read_whatever_its_code() {
        for (code, known) in [("drift", Some(WarningCode::Drift)), ("of-another-version", None)] {
            let json = format!(r#"{{"code":"{code}","message":"m","remedy":"r"}}"#);
            let warning: Warning = serde_json::from_str(&json).unwrap();
            assert_eq!(warning.known(), known);
            assert_eq!(serde_json::to_string(&warning).unwrap(), json);
        }
    }

    #[test]
    fn what_takes_a_figure_away_comes_before_what_takes_nothing() {
        let warning = |code: &str| Warning { code: code.to_owned(), message: String::new(), remedy: String::new() };
        let all = ["multimodal", "of-another-version", "drift", "not-measured", "code-moved", "warms-up"].map(warning);
        let mut all = all.each_ref();
        by_severity(&mut all, |warning| *warning);
        let codes: Vec<&str> = all.iter().map(|warning| warning.code.as_str()).collect();
        assert_eq!(codes, ["not-measured", "code-moved", "of-another-version", "drift", "multimodal", "warms-up"]);
    }

    /// `TARE_WRITE=1` writes the page instead.
    #[test]
    fn the_documentation_lists_all_of_them() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/warnings.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (head, _) = page.split_once("\n## ").unwrap();
        let wanted = format!("{head}{}", WarningCode::documentation());
        if std::env::var_os("TARE_WRITE").is_some() {
            std::fs::write(path, &wanted).unwrap();
            return;
        }
        assert!(
            page == wanted,
            "docs/warnings.md isn't the list of core/statistics/src/warning/codes.rs: TARE_WRITE=1 cargo test -p tare-statistics warning writes it"
        );
    }
}
