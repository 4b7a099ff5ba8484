//! Where files differ: whether the code that a case can reach differs.

use tare_reach::{Difference, Look, Seen};
use tare_request::Request;

use super::look::Source;
use super::pairs::Pair;
use super::{Finding, Sides, by_files};

/// Compares the code of a source's cases.
pub(super) struct Code<'a> {
    source: &'a Source<'a>,
    sides: &'a Sides,
    request: &'a Request,
}

impl<'a> Code<'a> {
    pub(super) fn new(source: &'a Source<'a>, sides: &'a Sides, request: &'a Request) -> Self {
        Self { source, sides, request }
    }

    /// What is found of a pair whose files differ so.
    pub(super) fn judge(
        &mut self,
        _pair: &Pair<'_>,
        differences: &[&Difference],
        _look: &Look,
        _seen: &Seen,
        files: usize,
    ) -> Finding {
        let [base, candidate] = self.source.starts(self.sides);
        if base != candidate {
            return Finding::Unproven("its processes are started differently".to_owned());
        }
        let _ = self.request;
        match differences.first() {
            None => by_files(files),
            Some(first) => Finding::Differs(first.shown()),
        }
    }
}
