//! Benchmark files that `--benchmarks` lent to the base: what they measure may not be there yet.

use tare_plan::Group;
use tare_request::Request;
use tare_results::{ComparisonsView, NoticeLevel, NoticeView, UnpairedView, VariantView};
use tare_samples::{FailureKind, Outcome};

use crate::judging::live::{label, mark_unmeasured, title};
use crate::measuring::recorder::Recorder;

/// A warning where the sides have different benchmark files: one's are measured on both, or each has its own.
pub(crate) fn notice(request: &Request) -> Option<NoticeView> {
    if !request.benchmarks_differ {
        return None;
    }
    let (how, remedy) = match request.revising.benchmarks.as_deref() {
        Some(giver) => {
            let giver = if giver == "." { "the working tree" } else { giver };
            let remedy = "what changed in them isn't compared; to compare that too, measure each side with its own (leave --benchmarks out)";
            (format!("those of {giver} are measured on both"), remedy.to_owned())
        }
        None => {
            let side = request.sides.last().map_or("NAME", |side| if side.working_tree { "." } else { &side.name });
            let remedy =
                format!("a difference may be that of a benchmark; --benchmarks {side} measures both with the same");
            ("each side is measured with its own".to_owned(), remedy)
        }
    };
    Some(NoticeView {
        level: NoticeLevel::Warning,
        message: format!("the benchmark files of the two sides differ, and {how}"),
        file: String::new(),
        line: 0,
        remedy,
    })
}

/// Marks variants that weren't measured. A case that throws on the base with the candidate's benchmark files is only in the candidate: the base hasn't got what it
/// measures. What ends its process or gives no answer has failed, as anywhere.
pub(crate) fn mark(
    request: &Request,
    groups: &[Group],
    (variants, comparisons): (&mut [VariantView], &mut ComparisonsView),
    recorder: &mut Recorder<'_>,
) {
    mark_unmeasured(groups, variants, recorder);
    let Some(giver) = request.lent_to_base() else { return };
    for group in groups {
        for pair in group.pairs.iter().filter(|pair| !pair.control) {
            let [base, candidate] = [pair.base, pair.candidate].map(|at| &group.variants[at].variant);
            let of = |id: &str| variants.iter().position(|view| view.variant.id == id);
            let (Some(at), Some(other)) = (of(&base.id), of(&candidate.id)) else { continue };
            let (Outcome::Failed(failure), false) =
                (&variants[at].outcome, matches!(variants[other].outcome, Outcome::Failed(_)))
            else {
                continue;
            };
            if !matches!(failure.kind, FailureKind::Exception | FailureKind::Load | FailureKind::Provider) {
                continue;
            }
            let why = format!("{} fails with the benchmark files of {giver}: {}", label(base), failure.message);
            variants[at].outcome = Outcome::Skipped(why);
            recorder.keep(|store, run| store.put_outcome(run, &base.id, &variants[at].outcome, None));
            comparisons
                .unpaired
                .push(UnpairedView { title: title(&candidate.case, &candidate.case), side: label(candidate) });
        }
    }
}
