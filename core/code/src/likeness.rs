//! What a comparison found.

/// What a comparison found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Likeness {
    /// All that is reached from the entries is proven to be the same.
    Same(SameCode),
    /// Something that is reached differs.
    Different {
        /// The first function found to differ, or to use data that does; its name as its source has it. Empty where that is the
        /// benchmark itself, which the compiler has made a part of the SDK's loop around it.
        function: String,
    },
    /// Neither could be shown.
    Unknown {
        /// The reason, a clause in plain English without a full stop.
        why: String,
    },
}

/// Code that is the same in both programs: how much was compared, and what of it begins elsewhere within its cache line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameCode {
    /// How many functions were reached and compared; parts that the compiler split off (`.cold`) count on their own.
    pub functions: usize,
    /// The first function, nearest to the entries, that lies elsewhere within its 64-byte line. Parts for rare paths
    /// (`.cold`) are named only if nothing else moved, functions of the SDK, which surround what is timed, never.
    pub moved: Option<Moved>,
}

/// A function that begins at another place within its 64-byte cache line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Its name as its source has it.
    pub function: String,
    /// Bytes from the beginning of the line in the base, 0 to 63.
    pub base: u8,
    /// Bytes from the beginning of the line in the candidate, 0 to 63.
    pub candidate: u8,
}
