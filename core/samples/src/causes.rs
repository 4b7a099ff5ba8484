//! Failures by their cause: what keeps one file from being loaded keeps twenty, mostly.

use crate::Failure;

/// A failure, and whom it befell, in their order.
pub struct Cause<'f> {
    /// The first that said it.
    pub failure: &'f Failure,
    /// Names or places of all that did.
    pub of: Vec<String>,
}

/// Each cause once. Failures in several places have one cause if they say the same.
pub fn by_cause<'f>(failures: impl Iterator<Item = (String, &'f Failure)>) -> Vec<Cause<'f>> {
    let said = |failure: &'f Failure| {
        let Failure { kind, message, remedy, stdout, stderr, trace, .. } = failure;
        // Traces name the place.
        let trace = if failure.line == 0 { trace.as_str() } else { "" };
        (*kind, message, remedy, stdout, stderr, trace)
    };
    let mut causes: Vec<Cause<'f>> = Vec::new();
    for (of, failure) in failures {
        match causes.iter_mut().find(|cause| said(cause.failure) == said(failure)) {
            Some(cause) => cause.of.push(of),
            None => causes.push(Cause { failure, of: vec![of] }),
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use crate::{Failure, FailureKind};

    use super::by_cause;

    #[test]
    fn what_says_the_same_is_one_cause_and_what_printed_something_else_another() {
        let failure = |message: &str, line: u64, stderr: &str| Failure {
            line,
            stderr: stderr.to_owned(),
            ..Failure::new(FailureKind::Load, message.to_owned(), "install it")
        };
        let all = [failure("a", 1, ""), failure("b", 1, ""), failure("a", 2, ""), failure("a", 1, "more")];
        let causes = by_cause(all.iter().enumerate().map(|(at, failure)| (at.to_string(), failure)));
        let of: Vec<Vec<String>> = causes.into_iter().map(|cause| cause.of).collect();
        assert_eq!(of, [vec!["0", "2"], vec!["1"], vec!["3"]]);
    }
}
