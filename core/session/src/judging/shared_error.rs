//! Sessions: comparisons that share one error, as `--session` asks for it. The store counts them, statistics says what
//! each may spend.

use tare_plan::Group;
use tare_request::Request;
use tare_results::{ComparisonView, ComparisonsView, SessionView};
use tare_statistics::comparison::{FAMILY_WISE_ERROR, Verdict, session_left, session_level};
use tare_store::Store;

use crate::error::Error;

/// Refuses a session that can't be counted.
pub(crate) fn check(request: &Request, stores: bool) -> Result<(), Error> {
    let Some(name) = &request.comparing.session else { return Ok(()) };
    if !stores {
        return Err(Error::usage(format!(
            "--session {name}: the store counts the comparisons of a session; leave --no-store out, or --session"
        )));
    }
    if request.part.is_some() {
        return Err(Error::usage(format!(
            "--session {name}: --shard measures a part of a comparison, whose verdicts come when parts are merged; \
             measure all of it here, or leave --session out"
        )));
    }
    Ok(())
}

/// Refuses a session for a run that compares nothing. `compares`: it would, if both sides had cases.
pub(crate) fn check_compares(request: &Request, compares: bool) -> Result<(), Error> {
    match &request.comparing.session {
        Some(name) if !compares => Err(Error::usage(format!(
            "--session {name}: a session is of comparisons, and nothing is compared here; compare revisions \
             (`tare compare`), several runtimes (--runtime) or a base (--base), or leave it out"
        ))),
        _ => Ok(()),
    }
}

/// Counts the run in its session, where it claims anything: what is proven to be unchanged spends nothing. Call it
/// before the first launch, and before the request is stored: a run that is resumed keeps its number.
pub(crate) fn count(request: &mut Request, groups: &[Group], store: &mut dyn Store, run: &str) -> Result<(), Error> {
    let claims = groups.iter().flat_map(|group| &group.pairs).any(|pair| !pair.control);
    if let (Some(name), true) = (&request.comparing.session, claims) {
        request.settings.session = Some(store.count_comparison(name, run).map_err(Error::store)?);
    }
    Ok(())
}

/// Says in the comparisons which session they are counted in. A mean over them has no second measurement, and no part
/// of the session's error: it is called different only where a case of them is.
pub(crate) fn apply(request: &Request, comparisons: &mut ComparisonsView) {
    let Some((name, number)) = request.comparing.session.clone().zip(request.settings.session) else { return };
    let (level, left) = (session_level(number), session_left(number));
    comparisons.session = Some(SessionView { name, number, level, error: FAMILY_WISE_ERROR, left });
    let ComparisonsView { pairs, geometric_means, .. } = comparisons;
    for mean in geometric_means {
        let is_called = |pair: &ComparisonView| {
            let labels = (&pair.base.label, &pair.candidate.label);
            labels == (&mean.base_label, &mean.candidate_label) && Some(pair.comparison.verdict) == mean.verdict
        };
        if mean.verdict.is_some_and(Verdict::is_difference) && !pairs.iter().any(is_called) {
            mean.verdict = Some(Verdict::Inconclusive);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use tare_definition::{Project, Selection};
    use tare_results::{ComparisonKind, GroupMean, SideView};
    use tare_statistics::Estimate;
    use tare_statistics::comparison::{Comparison, Rule};

    use super::*;

    fn comparisons(of_row: Verdict) -> ComparisonsView {
        let side = |label: &str| SideView { id: label.to_owned(), label: label.to_owned(), time: None };
        let comparison = Comparison { verdict: of_row, ..Comparison::without_ratio(&Rule::default(), Vec::new()) };
        let pair = ComparisonView {
            title: "a".to_owned(),
            base: side("old"),
            candidate: side("new"),
            kind: ComparisonKind::Live,
            comparison,
            machine_code: None,
            machines: None,
            work: None,
            work_by: Vec::new(),
        };
        let mean = GroupMean {
            group: String::new(),
            base_label: "old".to_owned(),
            candidate_label: "new".to_owned(),
            base: None,
            candidate: None,
            ratio: Some(Estimate { estimate: 0.98, low: 0.97, high: 0.99 }),
            confidence: 0.99,
            cases: 2,
            left_out: Vec::new(),
            unchanged: 0,
            verdict: Some(Verdict::Faster),
            within: None,
        };
        ComparisonsView { pairs: vec![pair], geometric_means: vec![mean], ..ComparisonsView::default() }
    }

    #[test]
    fn a_mean_is_called_in_a_session_only_where_a_case_is() {
        let project = Project { root: PathBuf::from("/project"), ..Project::default() };
        let mut request = Request::of_selection(&Selection::default(), "/project".into(), &project).unwrap();
        let verdict = |request: &Request, of_row| {
            let mut view = comparisons(of_row);
            apply(request, &mut view);
            (view.geometric_means[0].verdict, view.session.map(|session| session.number))
        };
        assert_eq!(verdict(&request, Verdict::Inconclusive), (Some(Verdict::Faster), None), "outside of a session");
        request.comparing.session = Some("a".to_owned());
        assert_eq!(verdict(&request, Verdict::Inconclusive), (Some(Verdict::Faster), None), "not counted");
        request.settings.session = Some(7);
        assert_eq!(verdict(&request, Verdict::Inconclusive), (Some(Verdict::Inconclusive), Some(7)));
        assert_eq!(verdict(&request, Verdict::Slower), (Some(Verdict::Inconclusive), Some(7)));
        assert_eq!(verdict(&request, Verdict::Faster), (Some(Verdict::Faster), Some(7)));
    }
}
