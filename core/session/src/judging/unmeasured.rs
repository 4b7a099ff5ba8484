//! What a run left unmeasured, said once.

use std::collections::BTreeSet;
use std::time::Duration;

use tare_results::{ComparisonsView, NoticeLevel, NoticeView, RunView};
use tare_samples::{MINIMUM_LAUNCHES, Outcome};
use tare_statistics::WarningCode;

use crate::judging::live;

/// Takes out of a view what was left unmeasured, and says how much that is. `total`: the time that the whole suite had, with the part of it that went before anything was measured, where that is known; where it has none, or
/// `interrupted`, somebody stopped the run.
pub(crate) fn sum_up(view: &mut RunView, total: Option<(Duration, Duration)>, interrupted: bool) {
    let compares = !view.comparisons.pairs.is_empty();
    let cut: BTreeSet<&str> = view
        .variants
        .iter()
        .filter(|variant| variant.outcome == Outcome::Interrupted)
        .map(|variant| variant.variant.id.as_str())
        .collect();
    if cut.is_empty() {
        // What is complete may have had no time for a second measurement.
        if total.is_some() && !interrupted {
            name_the_total(&mut view.comparisons);
        }
        return;
    }
    let cases = |view: &RunView| view.variants.iter().map(|view| view.variant.case.id()).collect::<BTreeSet<_>>().len();
    let all = cases(view);
    // What has enough launches is shown with its interval.
    let says = |pairs: u32| pairs >= MINIMUM_LAUNCHES;
    let is_cut = |id: &str| cut.contains(id);
    let mut kept = view.comparisons.clone();
    let judged = |view: &ComparisonsView| view.judged().filter(|pair| pair.comparison.differs.is_some()).count();
    let differing = judged(&kept);
    kept.pairs.retain(|pair| says(pair.comparison.pairs) || !(is_cut(&pair.base.id) || is_cut(&pair.candidate.id)));
    let paired: BTreeSet<&str> =
        kept.pairs.iter().flat_map(|pair| [pair.base.id.as_str(), pair.candidate.id.as_str()]).collect();
    let is_shown =
        |id: &str, has_figures: bool| !is_cut(id) || if compares { paired.contains(id) } else { has_figures };
    let shown: Vec<bool> =
        view.variants.iter().map(|view| is_shown(&view.variant.id, view.summary.is_some())).collect();
    let left_out = all - {
        let left = view.variants.iter().zip(&shown).filter(|(_, shown)| **shown);
        left.map(|(view, _)| view.variant.case.id()).collect::<BTreeSet<_>>().len()
    };
    if left_out == all && (interrupted || total.is_none()) {
        // What there is of a run that was stopped is shown, for nothing else would be.
        return;
    }
    let mut names: Vec<String> = Vec::new();
    for (variant, _) in view.variants.iter().zip(&shown).filter(|(_, shown)| !**shown) {
        let name = variant.variant.case.title();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut shown = shown.into_iter();
    view.variants.retain(|_| shown.next().unwrap_or(true));
    if compares && kept.pairs.len() < view.comparisons.pairs.len() {
        let live::Means { geometric_means, warnings } = live::means_of(&kept.pairs);
        (kept.geometric_means, kept.warnings) = (geometric_means, warnings);
        view.comparisons = kept;
    }
    if total.is_some() && !interrupted {
        // The time was over; `--resume` would have nothing to go on with.
        let cut = view.variants.iter_mut().filter(|variant| variant.outcome == Outcome::Interrupted);
        cut.for_each(|variant| variant.outcome = Outcome::Ok);
        name_the_total(&mut view.comparisons);
    }
    let unseen = differing - judged(&view.comparisons);
    if left_out > 0 {
        view.comparisons.unmeasured = left_out;
        // What is proven took no time worth speaking of.
        let with_figures = view.variants.iter().filter(|view| view.summary.is_some());
        let measured = with_figures.map(|view| view.variant.case.id()).collect::<BTreeSet<_>>().len();
        view.notices.push(told((left_out, all), &names, unseen, measured, total.filter(|_| !interrupted)));
    }
}

/// So many benchmarks that weren't measured are named; the others are counted.
const NAMED: usize = 3;

/// A comparison that ended because its time was over says so, instead of that it was interrupted.
fn name_the_total(comparisons: &mut ComparisonsView) {
    let warnings = comparisons.pairs.iter_mut().flat_map(|pair| &mut pair.comparison.warnings);
    for warning in warnings.filter(|warning| warning.is(WarningCode::Interrupted)) {
        warning.message = "the time of --total was over before more launches were made".to_owned();
        warning.remedy = "raise --total".to_owned();
    }
}

/// `names`: the benchmarks that were left out. `differing`: how many of them have something that differs.
fn told(
    (left_out, all): (usize, usize),
    names: &[String],
    differing: usize,
    measured: usize,
    total: Option<(Duration, Duration)>,
) -> NoticeView {
    let (message, remedy) = match total {
        Some((total, before)) => {
            let of_those = match differing {
                0 => String::new(),
                _ if differing == left_out => "; something differs in each of them".to_owned(),
                1 => "; something differs in one of them".to_owned(),
                _ => format!("; something differs in {differing} of them"),
            };
            let reason = if measured == 0 { "wasn't enough" } else { "was used up" };
            let spent = format!(
                "{left_out} of {all} benchmarks weren't measured: the time of --total {} {reason}{of_those}",
                seconds(total)
            );
            // As if those that are left took as long as the others; what comes before them comes once.
            let wanted = (measured + left_out) as f64 / measured.max(1) as f64;
            let enough = (before + total.saturating_sub(before).mul_f64(1.1 * wanted)).as_secs_f64().ceil();
            let remedy = match measured {
                0 => format!(
                    "listing, looking for what is unchanged, a pilot and {MINIMUM_LAUNCHES} launches of one benchmark take longer; raise --total"
                ),
                _ => format!("`--total {}` is about enough to measure all", seconds(Duration::from_secs_f64(enough))),
            };
            (spent, remedy)
        }
        None => (format!("{left_out} of {all} benchmarks weren't measured: the run was interrupted"), String::new()),
    };
    let message = match names.len() {
        0 => message,
        of if of <= NAMED => format!("{message}: {}", names.join(", ")),
        of => format!("{message}: {}, … and {} more", names[..NAMED].join(", "), of - NAMED),
    };
    NoticeView { level: NoticeLevel::Warning, message, file: String::new(), line: 0, remedy }
}

/// `120s`, `1.5s`.
fn seconds(time: Duration) -> String {
    let text = format!("{:.1}", time.as_secs_f64());
    format!("{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::told;

    #[test]
    fn what_is_left_out_is_a_line_with_what_would_be_enough() {
        let of = |left_out, total: Option<u64>| {
            let total = total.map(|seconds| (Duration::from_secs(seconds), Duration::ZERO));
            told((left_out, 60), &[], 0, 60 - left_out, total)
        };
        let spent = of(12, Some(120));
        assert_eq!(spent.message, "12 of 60 benchmarks weren't measured: the time of --total 120s was used up");
        assert_eq!(spent.remedy, "`--total 165s` is about enough to measure all");
        let none = of(60, Some(1));
        assert_eq!(none.message, "60 of 60 benchmarks weren't measured: the time of --total 1s wasn't enough");
        assert_eq!(
            none.remedy,
            "listing, looking for what is unchanged, a pilot and 6 launches of one benchmark take longer; raise --total"
        );
        // Those that are proven don't count for what the others would take.
        let proven = told(
            (12, 100),
            &["a", "b", "c", "d"].map(str::to_owned),
            3,
            8,
            Some((Duration::from_secs(100), Duration::from_secs(20))),
        );
        assert_eq!(proven.remedy, "`--total 240s` is about enough to measure all");
        let named = " was used up; something differs in 3 of them: a, b, c, … and 1 more";
        assert!(proven.message.ends_with(named), "{}", proven.message);
        assert_eq!(of(3, None).message, "3 of 60 benchmarks weren't measured: the run was interrupted");
    }
}
