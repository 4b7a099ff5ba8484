//! What controls say of all comparisons together.

use tare_results::ComparisonsView;
use tare_statistics::{Warning, WarningCode};

use crate::judging::figures::percent;

/// Identical code that differed by more than the margin: then a difference that is called can be noise.
pub(crate) fn above_margin(view: &ComparisonsView) -> Option<Warning> {
    let floor = view.noise_floor()?;
    let margins = view.judged().map(|pair| pair.comparison.margin).filter(|margin| margin.is_finite());
    let margin = margins.min_by(f64::total_cmp)?;
    (floor.error > margin).then(|| Warning {
        code: WarningCode::NoiseFloor.into(),
        message: format!(
            "identical code differed by {}, more than the margin of {}: the machine may cause differences of this size",
            percent(floor.error),
            percent(margin)
        ),
        remedy: "make the machine quieter (`tare doctor` says how), or set a --margin above the noise floor".into(),
    })
}

#[cfg(test)]
mod tests {
    use tare_results::{ComparisonKind, ComparisonView, SideView};
    use tare_statistics::Estimate;
    use tare_statistics::comparison::{Comparison, Rule};

    use super::above_margin;
    use crate::judging::live::with_means;

    fn pair(kind: ComparisonKind, ratio: f64) -> ComparisonView {
        let side = || SideView { id: "a".to_owned(), label: "a".to_owned(), time: None };
        let ratio = Some(Estimate { estimate: ratio, low: ratio - 0.001, high: ratio + 0.001 });
        let comparison = Comparison { ratio, pairs: 20, ..Comparison::without_ratio(&Rule::default(), Vec::new()) };
        let (base, candidate) = (side(), side());
        ComparisonView {
            title: "sort".to_owned(),
            base,
            candidate,
            kind,
            comparison,
            machine_code: None,
            machines: None,
            work: None,
            work_by: Vec::new(),
        }
    }

    #[test]
    fn noise_above_the_margin_is_a_warning_of_all_comparisons() {
        let beside = |error: f64| {
            let pairs = vec![
                pair(ComparisonKind::Live, 1.1),
                pair(ComparisonKind::Control, 1.001),
                pair(ComparisonKind::Control, 1.0 - error),
            ];
            with_means(pairs).warnings
        };
        assert_eq!(beside(0.004), []);
        let [warning] = &beside(0.008)[..] else { panic!("one warning") };
        assert_eq!(warning.code, "noise-floor");
        assert!(warning.message.starts_with("identical code differed by 0.81 %, more than the margin of 0.5 %"));
        // Without a comparison that it could put in doubt it is no warning, and without a control there is no floor.
        assert_eq!(above_margin(&with_means(vec![pair(ComparisonKind::Control, 1.1)])), None);
        assert_eq!(above_margin(&with_means(vec![pair(ComparisonKind::Live, 1.1)])), None);
    }
}
