//! Runs that another tool measured, beside each other.

use super::{Comparison, Rule};
use crate::summary::Estimate;
use crate::warning::{Warning, WarningCode};

/// The ratio of two times as their tool gave them. Such runs have no reference kernels, so a change of the machine between
/// them looks like a change of the code: the interval covers only the scatter within each run, and there is no verdict. Without intervals of both the
/// ratio has none; with a time at 0 there is no ratio.
pub fn compare_given(base: &Estimate, candidate: &Estimate, rule: &Rule, launches: u64) -> Comparison {
    let imported = warning(
        WarningCode::Imported,
        "both runs were measured by another tool: a change of the machine between them looks like a change of the code, and the interval covers \
         only the scatter within each run"
            .to_owned(),
        "measure both sides with `tare compare` to get a verdict",
    );
    let found = match ratio(base, candidate) {
        Some(ratio) => Comparison::of_ratio(rule, ratio, Some(imported)),
        None => {
            let message = format!(
                "the times are {} and {} ns, and at least one has no interval, so their ratio has none either",
                base.estimate, candidate.estimate
            );
            let remedy = "import files that hold samples, or several results of each benchmark";
            let doubts = vec![imported, warning(WarningCode::NoInterval, message, remedy)];
            let quotient = candidate.estimate / base.estimate;
            let ratio = (quotient > 0.0 && quotient.is_finite()).then(|| Estimate::unbounded(quotient));
            Comparison { ratio, ..Comparison::without_ratio(rule, doubts) }
        }
    };
    Comparison { pairs: u32::try_from(launches).unwrap_or(u32::MAX), ..found }
}

/// With an interval in quadrature on the logarithmic scale, on either side.
fn ratio(base: &Estimate, candidate: &Estimate) -> Option<Estimate> {
    let whole = |side: &Estimate| side.is_bounded() && side.low > 0.0;
    if !whole(base) || !whole(candidate) {
        return None;
    }
    let down = (candidate.estimate / candidate.low).ln().hypot((base.high / base.estimate).ln());
    let up = (candidate.high / candidate.estimate).ln().hypot((base.estimate / base.low).ln());
    let estimate = candidate.estimate / base.estimate;
    let of = |value: f64| value.clamp(f64::MIN_POSITIVE, f64::MAX);
    Some(Estimate { estimate: of(estimate), low: of(estimate * (-down).exp()), high: of(estimate * up.exp()) })
}

fn warning(code: WarningCode, message: String, remedy: &str) -> Warning {
    Warning { code: code.into(), message, remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Estimate, Rule, compare_given};
    use crate::comparison::Verdict;

    #[test]
    fn a_ratio_of_given_times_has_the_interval_of_both_and_never_a_verdict() {
        let side = |estimate: f64, share: f64| Estimate { estimate, low: estimate / share, high: estimate * share };
        let found = compare_given(&side(100.0, 1.03), &side(300.0, 1.04), &Rule::default(), 8);
        let ratio = found.ratio.unwrap();
        let reach = (1.03f64.ln().hypot(1.04f64.ln())).exp();
        assert!((ratio.estimate - 3.0).abs() < 1e-12);
        assert!((ratio.high - 3.0 * reach).abs() < 1e-9 && (ratio.low - 3.0 / reach).abs() < 1e-9);
        assert_eq!((found.verdict, found.pairs), (Verdict::Inconclusive, 8));
        assert_eq!(found.warnings[0].code, "imported");
    }

    #[test]
    fn without_intervals_the_ratio_has_none_either() {
        let known = Estimate { estimate: 5.0, low: 4.0, high: 6.0 };
        let zero = Estimate { estimate: 0.0, low: 0.0, high: 0.0 };
        for (base, candidate, ratio) in [
            (Estimate::unbounded(4.0), known, Some(1.25)),
            (known, Estimate::unbounded(10.0), Some(2.0)),
            (zero, known, None),
            (known, zero, None),
        ] {
            let found = compare_given(&base, &candidate, &Rule::default(), 1);
            assert_eq!(found.ratio, ratio.map(Estimate::unbounded));
            assert_eq!((found.verdict, found.warnings[1].code.as_str()), (Verdict::Inconclusive, "no-interval"));
        }
    }
}
