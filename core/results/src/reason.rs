use tare_samples::Proof;

/// Why a case of two revisions is measured, or what shows that it needn't be.
#[derive(Debug, Clone, PartialEq)]
pub struct ReasonView {
    /// The case, as people call it.
    pub title: String,
    /// Its identity.
    pub case: String,
    /// What is known.
    pub reason: Reason,
}

/// What is known of a case before it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Nothing that it executes or reads differs.
    Unchanged(Proof),
    /// This differs, a clause.
    Differs(String),
    /// Whether something differs can't be told, a clause.
    Unproven(String),
    /// It is compared with nothing: the side that has it.
    Unpaired(String),
}
