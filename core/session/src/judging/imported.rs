//! Comparisons of runs that another tool measured.

use tare_results::VariantView;
use tare_samples::Origin;
use tare_statistics::comparison::{Comparison, Rule, compare_given};
use tare_statistics::{Warning, WarningCode};

/// Two runs of another tool: what it gave, beside each other.
pub(crate) fn given(base: &VariantView, candidate: &VariantView, rule: &Rule) -> Comparison {
    let (Some(base), Some(candidate)) = (&base.summary, &candidate.summary) else {
        let message = "one of the runs has no time of this case".to_owned();
        let remedy = "import a file that has one".to_owned();
        return Comparison::without_ratio(
            rule,
            vec![Warning { code: WarningCode::NoLaunches.into(), message, remedy }],
        );
    };
    let launches = base.launches.min(candidate.launches);
    compare_given(&base.time, &candidate.time, rule, launches)
}

/// Why runs can't be compared of which another tool measured at least one: what they call the time isn't the same, or machines are known to
/// differ. What a file doesn't tell of its machine is no reason.
pub(crate) fn foreign(base: &Origin, candidate: &Origin) -> Option<Warning> {
    let tool = |origin: &Origin| origin.imported.as_ref().map_or("tare", |imported| &imported.tool).to_owned();
    let (of_base, of_candidate) = (tool(base), tool(candidate));
    if of_base != of_candidate {
        return Some(Warning {
            code: WarningCode::ToolsDiffer.into(),
            message: format!(
                "the runs were measured by {of_base} and {of_candidate}: each defines the time of a call differently"
            ),
            remedy: "compare runs of one tool, or measure both sides with `tare compare`".to_owned(),
        });
    }
    let differ = |fact: &&str| match (base.machine.get(*fact), candidate.machine.get(*fact)) {
        (Some(base), Some(candidate)) => base != candidate,
        _ => false,
    };
    let fact = ["cpu", "cpus", "arch"].into_iter().find(differ)?;
    Some(Warning {
        code: WarningCode::MachinesDiffer.into(),
        message: format!(
            "the runs come from different machines: {fact} {} and {}",
            base.machine[fact], candidate.machine[fact]
        ),
        remedy: "measure both on one machine".to_owned(),
    })
}
