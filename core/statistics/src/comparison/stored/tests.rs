use proptest::prelude::*;

use tare_samples::About;

use super::*;
use crate::comparison::Verdict;

fn point(time: f64, kernels: &[(&str, f64)]) -> LaunchPoint {
    LaunchPoint { time, typical: time, kernels: kernels.iter().map(|&(name, time)| (name.to_owned(), time)).collect() }
}

/// Launches at these times beside kernels that stand still.
fn run(times: &[f64]) -> RunPoints {
    let kernels = [("null", 2.0), ("text", 50.0)];
    RunPoints { launches: times.iter().map(|&time| point(time, &kernels)).collect(), commit: None }
}

fn slowed(run: &RunPoints, machine: f64) -> RunPoints {
    let launch = |launch: &LaunchPoint| LaunchPoint {
        time: launch.time * machine,
        typical: launch.typical * machine,
        kernels: launch.kernels.iter().map(|(name, time)| (name.clone(), time * machine)).collect(),
    };
    RunPoints { launches: run.launches.iter().map(launch).collect(), commit: None }
}

fn codes(comparison: &Comparison) -> Vec<&str> {
    comparison.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn without_history_the_interval_is_the_priors() {
    let found = compare_stored(&run(&[100.0; 6]), &run(&[110.0; 7]), &[], &Rule::default(), 1);
    let ratio = found.ratio.unwrap();
    // 3 % in both runs, Student's t at 3 degrees of freedom and 99.5 %.
    let reach = 5.840_909_309_732_8 * 0.03 * 2f64.sqrt();
    assert!((ratio.estimate / 1.1 - 1.0).abs() < 1e-12);
    assert!(((ratio.high / 1.1).ln() / reach - 1.0).abs() < 1e-9);
    assert!(((1.1 / ratio.low).ln() / reach - 1.0).abs() < 1e-9);
    assert_eq!((found.verdict, found.pairs, found.confidence), (Verdict::Inconclusive, 6, 0.99));
    assert_eq!((found.flag, found.confirmed, codes(&found)), (None, false, vec!["little-history"]));
}

#[test]
fn a_machine_that_slows_as_its_kernels_do_changes_nothing() {
    let base = run(&[100.0, 101.0, 99.5, 100.2]);
    let candidate = run(&[120.0, 118.0, 121.0, 119.0]);
    let still = compare_stored(&base, &candidate, &[], &Rule::default(), 1);
    let slower = compare_stored(&base, &slowed(&candidate, 1.3), &[], &Rule::default(), 1);
    assert!((slower.ratio.unwrap().estimate / still.ratio.unwrap().estimate - 1.0).abs() < 1e-12);
    assert_eq!(codes(&slower), ["little-history"]);
    let elsewhere = compare_stored(&base, &slowed(&candidate, 1.6), &[], &Rule::default(), 1);
    assert_eq!(codes(&elsewhere), ["little-history", "speed-differs"]);
}

#[test]
fn launches_that_scatter_widen_the_interval() {
    let width = |base: &RunPoints, about: About| {
        let ratio = compare_stored(base, &run(&[100.0; 6]), &[], &Rule { about, ..Rule::default() }, 1).ratio.unwrap();
        (ratio.high / ratio.low).ln()
    };
    let (still, noisy) = (run(&[100.0; 6]), run(&[80.0, 95.0, 100.0, 100.0, 106.0, 125.0]));
    // One disturbed launch of many isn't what the median scatters by; the mean it is.
    let disturbed = run(&[99.0, 99.5, 100.0, 100.5, 101.0, 100.2, 99.8, 400.0]);
    let [typical, time] = [About::Typical, About::Time]
        .map(|about| [&noisy, &disturbed].map(|scattered| width(scattered, about) / width(&still, about)));
    assert!(typical[0] > 1.5 && typical[1] < 1.05, "{typical:?}");
    assert!(time[0] > 1.3 && time[1] > 3.0, "{time:?}");
}

#[test]
fn where_tails_hide_a_change_typical_calls_show_it() {
    // Each run has a launch or two that are far slower, on both sides.
    let noise = |index: usize| 1.0 + 0.01 * ((index as f64 * 0.618_034).fract() - 0.5);
    let with_tail = |number: usize, level: f64| {
        let times: Vec<f64> = (0..10)
            .map(|launch| level * noise(10 * number + launch) * if launch < 1 + number % 2 { 3.0 } else { 1.0 })
            .collect();
        let mut points = run(&times);
        for (launch, point) in points.launches.iter_mut().enumerate() {
            point.typical = level * noise(10 * number + launch + 5);
        }
        points
    };
    let history: Vec<RunPoints> = (0..30).map(|number| with_tail(number, 100.0)).collect();
    let (base, changed) = (with_tail(31, 100.0), with_tail(33, 120.0));
    let found = compare_stored(&base, &changed, &history, &Rule::default(), 1);
    assert_eq!((found.verdict, found.rests_on, found.about), (Verdict::Slower, About::Typical, About::Time));
    let same = compare_stored(&base, &with_tail(35, 100.0), &history, &Rule::default(), 1);
    assert!(!same.verdict.is_difference(), "{same:?}");
    // A tail that only one side has is a matter of expected costs.
    let mut tailed = with_tail(37, 100.0);
    for point in &mut tailed.launches {
        point.time = 1.5 * point.typical;
    }
    let clean: Vec<RunPoints> = (0..30).map(|number| run(&[100.0 * noise(number); 6])).collect();
    let found = compare_stored(&run(&[100.0; 6]), &tailed, &clean, &Rule::default(), 1);
    assert_eq!((found.verdict, found.rests_on), (Verdict::Slower, About::Time));
    let found =
        compare_stored(&run(&[100.0; 6]), &tailed, &clean, &Rule { about: About::Typical, ..Rule::default() }, 1);
    assert!(!found.verdict.is_difference() && found.about == About::Typical, "{found:?}");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let good = run(&[100.0; 6]);
    let bare = RunPoints { launches: vec![point(100.0, &[]); 6], commit: None };
    let other = RunPoints { launches: vec![point(100.0, &[("md5", 3.0)]); 6], commit: None };
    for (base, candidate, code) in [
        (&good, &bare, "no-kernels"),
        (&good, &other, "no-kernels"),
        (&run(&[100.0, 0.0]), &good, "base-below-resolution"),
        (&good, &run(&[100.0, -3.0]), "candidate-below-resolution"),
        (&good, &run(&[f64::NAN]), "candidate-below-resolution"),
        (&RunPoints::default(), &good, "no-launches"),
    ] {
        let found = compare_stored(base, candidate, &[good.clone(), good.clone()], &Rule::default(), 3);
        assert_eq!((found.ratio, found.verdict), (None, Verdict::Inconclusive), "{code}");
        assert_eq!((found.minimum_detectable_effect, codes(&found)), (None, vec![code]));
    }
}

#[test]
fn a_history_that_cannot_be_compared_counts_for_nothing() {
    let (base, candidate) = (run(&[100.0; 6]), run(&[110.0; 6]));
    let bare = RunPoints { launches: vec![point(100.0, &[("md5", 3.0)]); 6], commit: None };
    let useless = [vec![bare; 20], vec![run(&[-1.0]); 20], vec![RunPoints::default(); 20]].concat();
    let without = compare_stored(&base, &candidate, &[], &Rule::default(), 1);
    assert_eq!(compare_stored(&base, &candidate, &useless, &Rule::default(), 1), without);
    // Nor are the runs that are judged evidence on themselves.
    let judged = [base.clone(), candidate.clone()];
    assert_eq!(compare_stored(&base, &candidate, &judged, &Rule::default(), 1), without);
}

#[test]
fn a_suite_shares_the_false_alarms_among_the_cases_that_have_a_ratio() {
    let (base, candidate, nothing) = (run(&[100.0; 6]), run(&[110.0; 6]), RunPoints::default());
    let case = StoredCase { base: &base, candidate: &candidate, history: &[], doubt: None };
    let refused = StoredCase { candidate: &nothing, ..case.clone() };
    let found = compare_stored_suite(&[case.clone(), refused, case.clone(), case.clone(), case], &Rule::default());
    assert_eq!(found.len(), 5);
    assert!(found[1].ratio.is_none());
    for index in [0, 2, 3, 4] {
        assert_eq!(found[index], compare_stored(&base, &candidate, &[], &Rule::default(), 4));
        assert!((found[index].confidence - 0.9975).abs() < 1e-12);
    }
    assert!(compare_stored_suite(&[], &Rule::default()).is_empty());
}

#[test]
fn a_history_in_figures_keeps_the_places_of_its_runs() {
    let noise = |index: usize| 1.0 + 0.02 * ((index as f64 * 0.618_034).fract() - 0.5);
    let mut history: Vec<RunPoints> =
        (0..24).map(|index| run(&[if index < 12 { 100.0 } else { 130.0 } * noise(index); 4])).collect();
    history.insert(3, RunPoints::default());
    let found = History::of(&history, About::Time).unwrap();
    assert_eq!(found.runs.len(), 25);
    assert!(found.runs[3].is_none() && found.runs.iter().flatten().count() == 24);
    assert_eq!(found.changes, [13]);
    assert_eq!(found.weights, [("null".to_owned(), 0.5), ("text".to_owned(), 0.5)]);
    assert!(!found.fitted);
    assert_eq!(found.degrees_of_freedom, 22.0);
    assert!((0.004..0.008).contains(&found.standard_deviation.unwrap()), "{found:?}");
    let (raw, relative) = found.spreads().unwrap();
    assert!((raw - relative).abs() < 1e-12 && raw > 0.1);
    assert_eq!(History::of(&[], About::Time), None);
    assert_eq!(History::of(&[RunPoints::default()], About::Time), None);
    let one = History::of(&history[..1], About::Time).unwrap();
    assert_eq!((one.standard_deviation, one.degrees_of_freedom, one.spreads()), (None, 0.0, None));
}

fn any_time() -> impl Strategy<Value = f64> {
    prop_oneof![10 => 1.0f64..1000.0, 1 => prop::num::f64::ANY]
}

fn any_run() -> impl Strategy<Value = RunPoints> {
    let kernels = prop::collection::vec(("[abc]", any_time()), 0..4);
    let launch = (any_time(), kernels).prop_map(|(time, kernels)| LaunchPoint { time, typical: time, kernels });
    prop::collection::vec(launch, 0..5).prop_map(|launches| RunPoints { launches, commit: None })
}

proptest! {
    #[test]
    fn whatever_is_stored_the_figures_are_in_order(
        base in any_run(), candidate in any_run(), history in prop::collection::vec(any_run(), 0..14), family in 0usize..9,
    ) {
        let found = compare_stored(&base, &candidate, &history, &Rule::default(), family);
        if let Some(ratio) = found.ratio {
            prop_assert!(ratio.low > 0.0 && ratio.low <= ratio.estimate && ratio.estimate <= ratio.high);
            prop_assert!(ratio.high.is_finite() && found.minimum_detectable_effect.unwrap() > 0.005);
        }
        History::of(&history, About::Time);
    }

    #[test]
    fn swapping_base_and_candidate_turns_the_ratio_round(
        a in prop::collection::vec(50.0f64..200.0, 1..8), b in prop::collection::vec(50.0f64..200.0, 1..8),
        history in prop::collection::vec(prop::collection::vec(90.0f64..110.0, 1..5), 0..12),
    ) {
        let history: Vec<RunPoints> = history.iter().map(|times| run(times)).collect();
        let there = compare_stored(&run(&a), &run(&b), &history, &Rule::default(), 1);
        let back = compare_stored(&run(&b), &run(&a), &history, &Rule::default(), 1);
        let (there, back) = (there.ratio.unwrap(), back.ratio.unwrap());
        prop_assert!((there.estimate * back.estimate - 1.0).abs() < 1e-9);
        prop_assert!((there.low * back.high - 1.0).abs() < 1e-9 && (there.high * back.low - 1.0).abs() < 1e-9);
    }
}
