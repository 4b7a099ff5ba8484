//! What is compared with what, and how a comparison ends early.

use crate::program::{Program, Word};

/// One place of the base and the place of the candidate that must hold the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub(crate) base: u64,
    pub(crate) candidate: u64,
}

/// A pair of programs.
#[derive(Clone, Copy)]
pub(crate) struct Programs<'a> {
    pub(crate) base: &'a Program,
    pub(crate) candidate: &'a Program,
}

/// How a place is referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Via {
    /// It is jumped to or called.
    Branch,
    /// So many bytes there are read or written.
    Access(u64),
    /// So many bytes there are written, and not read.
    Store(u64),
    /// Its address is taken, and what is done with it isn't known.
    Address,
    /// What isn't known is added to its address: what is meant may begin or end elsewhere.
    Indexed,
}

/// Who refers to a place.
#[derive(Debug, Clone)]
pub(crate) struct From {
    /// The function of the base from which it was reached.
    pub(crate) function: String,
    /// Whether it is sure that the place is reached. If not, a difference there proves nothing either way.
    pub(crate) certain: bool,
}

/// Why the walk ends.
#[derive(Debug)]
pub(crate) enum Stop {
    Different(String),
    Unknown(String),
}

impl Pair {
    pub(crate) fn plus(self, offset: u64) -> Self {
        Self { base: self.base.wrapping_add(offset), candidate: self.candidate.wrapping_add(offset) }
    }

    pub(crate) fn minus(self, offset: u64) -> Self {
        Self { base: self.base.wrapping_sub(offset), candidate: self.candidate.wrapping_sub(offset) }
    }
}

impl From {
    /// What a difference in `function` means.
    pub(crate) fn differs_in(&self, function: &str) -> Stop {
        if self.certain {
            Stop::Different(function.to_owned())
        } else {
            Stop::Unknown(format!("{function} differs, and whether it is used by {} isn't known", self.function))
        }
    }

    /// What a difference in what the function uses means.
    pub(crate) fn differs(&self) -> Stop {
        if self.certain {
            Stop::Different(self.function.clone())
        } else {
            Stop::Unknown(format!("something differs that {} may use", self.function))
        }
    }

    pub(crate) fn doubtful(&self) -> Self {
        Self { function: self.function.clone(), certain: false }
    }
}

impl<'a> Programs<'a> {
    /// The words the loader writes at a pair of places.
    pub(crate) fn words(self, at: Pair) -> (Option<&'a Word>, Option<&'a Word>) {
        (self.base.words.get(&at.base), self.candidate.words.get(&at.candidate))
    }

    /// Whether either program says itself where libraries are found.
    pub(crate) fn have_own_libraries(self) -> bool {
        self.base.own_libraries || self.candidate.own_libraries
    }

    /// Whether addresses can stand in either program without a relocation.
    pub(crate) fn absolute(self) -> bool {
        !self.base.position_independent || !self.candidate.position_independent
    }

    /// Whether both are addresses of something mapped.
    pub(crate) fn mapped(self, at: Pair) -> bool {
        self.base.section(at.base).is_some() && self.candidate.section(at.candidate).is_some()
    }
}
