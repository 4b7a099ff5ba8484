//! What about the machine and the runtimes may have disturbed a run.

use std::path::Path;

use tare_machine::fitness::{self, Moment, Span};
use tare_plan::Group;
use tare_samples::{Finding, FindingLevel, Runtime};

use crate::job::Job;
use crate::judging::addresses;

/// A run under watch: the counters are read before and after, nothing in between.
pub(crate) struct Watch {
    /// About the runtimes, and where their code lies; and what an interrupted run was stored with.
    others: Vec<Finding>,
    standing: Vec<Finding>,
    before: Moment,
}

/// Judges what can be judged before anything is measured: a few milliseconds of reading files.
pub(crate) fn before_the_run(job: &Job, groups: &[Group]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = standing(job);
    findings.extend(of_runtimes(groups));
    worth_keeping(findings)
}

/// What stands still on this machine.
fn standing(job: &Job) -> Vec<Finding> {
    fitness::of_machine(Path::new("/"), &job.origin.machine, &job.workers)
}

fn of_runtimes(groups: &[Group]) -> Vec<Finding> {
    let mut seen: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    for runtime in groups.iter().flat_map(|group| &group.variants).map(|planned| &planned.variant.runtime) {
        if !seen.contains(&runtime.name.as_str()) {
            seen.push(&runtime.name);
            findings.extend(of_runtime(runtime));
        }
    }
    findings
}

impl Watch {
    /// Reads the counters; call it when the machine is ours.
    pub(crate) fn begin(job: &Job, groups: &[Group]) -> Self {
        let earlier = if job.resumed { job.origin.findings.clone() } else { Vec::new() };
        let mut others = of_runtimes(groups);
        if groups.iter().any(|group| !group.pairs.is_empty()) {
            others.push(addresses::finding());
        }
        others.extend(earlier.into_iter().filter(|finding| finding.runtime.is_empty()));
        Self { others, standing: standing(job), before: Moment::read(Path::new("/")) }
    }

    /// What may have disturbed the run, the worst first.
    pub(crate) fn end(self) -> Vec<Finding> {
        let span = Span { when: "while it was measured", longer: "--budget" };
        let moving = fitness::of_span(&self.before, &Moment::read(Path::new("/")), span);
        let mut findings: Vec<Finding> = fitness::joined(self.standing, moving);
        for other in self.others {
            // What disturbed the first part of a run that was resumed hasn't gone away.
            let known = |finding: &&mut Finding| finding.runtime == other.runtime && finding.code == other.code;
            match findings.iter_mut().find(known) {
                Some(finding) if finding.level < other.level => *finding = other,
                Some(_) => {}
                None => findings.push(other),
            }
        }
        worth_keeping(findings)
    }
}

/// Those that may have disturbed it, the worst first.
fn worth_keeping(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| finding.level >= FindingLevel::MayDisturb);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}

/// How fit a runtime is to be measured on.
pub fn of_runtime(runtime: &Runtime) -> Vec<Finding> {
    let findings = fitness::of_runtime(&runtime.language, &runtime.facts);
    findings.into_iter().map(|finding| Finding { runtime: runtime.name.clone(), ..finding }).collect()
}
