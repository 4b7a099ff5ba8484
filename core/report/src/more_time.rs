//! How much more time undecided rows need.

use tare_results::RunView;
use tare_statistics::comparison::{Comparison, Verdict};

/// More than so many times the time is said without a figure.
const MOST: f64 = 20.0;
/// An interval needn't be narrower than this to be decided, a logarithm.
const NARROW: f64 = 0.005;

/// What `undecided` means, and how many times the time would decide half of such rows, since intervals narrow by its root. `None` where there are none.
pub(crate) fn undecided(view: &RunView) -> Option<String> {
    let open = view.comparisons.judged().filter(|pair| pair.comparison.verdict == Verdict::Inconclusive);
    let unflagged = open.map(|pair| &pair.comparison).filter(|comparison| comparison.flag.is_none());
    let mut factors: Vec<f64> = unflagged.filter_map(factor).collect();
    factors.sort_by(f64::total_cmp);
    let usual = *factors.get(factors.len().checked_sub(1)? / 2)?;
    let whole = "undecided: the interval is too wide";
    // Where one time was given for all, it is what ends a comparison.
    let option = if view.comparisons.unmeasured > 0 { "--total" } else { "--budget" };
    let most = if factors.len() == 1 { "this" } else { "most of these" };
    Some(match usual {
        little if little < 1.5 => {
            format!("{whole}; up to half more time ({option}) would decide {most}")
        }
        some if some <= MOST => format!("{whole}; about {some:.0} times the time ({option}) would decide {most}"),
        _ => format!("{whole}; {most} would need more than {MOST:.0} times the time ({option})"),
    })
}

/// How many times the time narrows the interval so far that it lies within the bound of `same`, or beyond the margin.
fn factor(comparison: &Comparison) -> Option<f64> {
    let ratio = comparison.ratio?;
    let (middle, half) = (ratio.estimate.ln(), 0.5 * (ratio.high / ratio.low).ln());
    let to_same = comparison.same.ln_1p() - middle.abs();
    let to_differ = middle.abs() - comparison.margin.ln_1p();
    let needed = to_same.max(to_differ).max(NARROW);
    Some((half / needed).powi(2).max(1.0))
}

#[cfg(test)]
mod tests {
    use tare_samples::About;
    use tare_statistics::Estimate;
    use tare_statistics::comparison::{Comparison, Rule};

    use super::factor;

    fn open(estimate: f64, half: f64) -> Option<f64> {
        let rule = Rule::new(About::Time, 0.005, 0.03);
        let ratio = Estimate { estimate, low: estimate * (-half).exp(), high: estimate * half.exp() };
        factor(&Comparison { ratio: Some(ratio), ..Comparison::without_ratio(&rule, Vec::new()) })
    }

    #[test]
    fn time_goes_by_the_square_of_what_is_too_wide() {
        let same = 1.03f64.ln();
        assert!((open(1.0, 2.0 * same).unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(open(1.0, same / 2.0), Some(1.0), "never less");
        // What seems to differ by a fifth needs to be told from the margin.
        let needed = 1.2f64.ln() - 1.005f64.ln();
        assert!((open(1.2, 0.4).unwrap() - (0.4 / needed).powi(2)).abs() < 1e-9);
        // Between the two either would do, and neither is near.
        assert!(open(1.017, 0.03).unwrap() > 4.0);
    }
}
