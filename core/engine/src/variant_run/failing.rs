//! A variant that fails, skips itself, or is given up.

use std::mem;

use tare_samples::{Failure, FailureKind, Outcome};
use tare_worker::Launcher;

use super::VariantRun;
use super::process::Process;

/// What to do about a benchmark that skips itself too late.
const SKIPS_LATE: &str =
    "let it skip itself before its first sample, in every launch or in none; or leave it out with --exclude";

impl VariantRun<'_> {
    /// Drops the launch in progress.
    pub(crate) fn abandon(&mut self) {
        // A process that hasn't been heard of yet ends with its value.
        if let Process::Open(open) = mem::take(&mut self.process) {
            open.conversation.close();
        }
    }

    /// As [`Self::fail`]; but where an answer didn't come before the time of the suite was over, that is no failure of the subject.
    pub(super) fn fail_or_cut(&mut self, launcher: &dyn Launcher, failure: Failure) {
        let is_over = self.until_ns.is_some_and(|until_ns| launcher.now_ns() >= until_ns);
        if failure.kind == FailureKind::Timeout && is_over {
            self.abandon();
            self.outcome = Some(Outcome::Interrupted);
        } else {
            self.fail(failure);
        }
    }

    /// Whether the end of the suite's time cut it off.
    pub(crate) fn is_cut(&self) -> bool {
        self.outcome == Some(Outcome::Interrupted)
    }

    /// Goes on with what was measured before it was cut off.
    pub(crate) fn forget_cut(&mut self) {
        self.outcome = self.outcome.take().filter(|outcome| *outcome != Outcome::Interrupted);
    }

    /// Marks the variant as failed, or as left out where the benchmark skips itself; the place defaults to the case's own. Once a launch
    /// of it is kept it can't be left out any more: what was measured would count for nothing.
    pub(crate) fn fail(&mut self, mut failure: Failure) {
        self.abandon();
        if failure.kind == FailureKind::Skipped {
            if self.launches.is_empty() {
                self.outcome = Some(Outcome::Skipped(failure.message));
                return;
            }
            failure.kind = FailureKind::Exception;
            failure.message = format!("the benchmark skipped itself after some samples: {}", failure.message);
            SKIPS_LATE.clone_into(&mut failure.remedy);
        }
        let case = &self.planned.variant.case;
        if failure.file.is_empty() {
            failure = failure.at(case.file.clone(), case.line);
        }
        self.outcome = Some(Outcome::Failed(failure));
    }
}
