/// What is known of a warning, whatever figures it comes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarningEntry {
    /// Its stable name, as reports and JSON have it.
    pub code: &'static str,
    /// What it is about.
    pub about: Subject,
    /// How much it takes away.
    pub severity: Severity,
    /// What was seen.
    pub cause: &'static str,
    /// What that means for the figures.
    pub effect: &'static str,
    /// What to do, as a rule; a warning of a result says it with its figures.
    pub remedy: &'static str,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The figures of a case.
    Samples,
    /// Variants that were measured together.
    Comparison,
    /// Stored runs that are compared.
    Stored,
    /// Targets under load.
    Load,
}

impl Subject {
    /// All, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Samples, Self::Comparison, Self::Stored, Self::Load];

    /// A heading for its warnings.
    pub fn title(self) -> &'static str {
        match self {
            Self::Samples => "Figures of a case",
            Self::Comparison => "Comparisons",
            Self::Stored => "Comparisons of stored runs",
            Self::Load => "Loads",
        }
    }
}

/// How much a warning takes away from a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing: the figures hold, and the reader should know it.
    Note,
    /// Something: the figures say less than they seem to.
    Doubt,
    /// A verdict: it stays open because of it.
    Open,
    /// The figure: there is none.
    Void,
}

impl Severity {
    /// `note`, `doubt`, `open`, `void`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Doubt => "doubt",
            Self::Open => "open",
            Self::Void => "void",
        }
    }
}
