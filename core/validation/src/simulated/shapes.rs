//! Candidates whose *shape* differs from the base's: slow work of the subject's own, which a typical call doesn't show.

use tare_simulation::{CaseTruth, Levels, Noise, Tail};

use super::Model;
use super::models::model;

const GAUSSIAN: Noise = Noise::Gaussian { spread: 0.02 };

fn plain() -> CaseTruth {
    CaseTruth { noise: GAUSSIAN, ..CaseTruth::default() }
}

fn with(tail: Tail) -> CaseTruth {
    CaseTruth { tails: vec![tail], ..plain() }
}

fn samples(share: f64, excess: f64) -> CaseTruth {
    with(Tail::Samples { share, excess, run: 1 })
}

fn launches(share: f64, excess: f64) -> CaseTruth {
    CaseTruth { launch_outliers: share, launch_outlier_excess: excess, ..plain() }
}

/// Base and candidate with different tails: expected costs that differ by 5 % or more, and typical calls that differ less, not at all, or
/// the other way round.
pub fn shapes() -> Vec<Model> {
    let candidate = |name, meaning, candidate| Model { candidate: Some(candidate), ..model(name, meaning, GAUSSIAN) };
    let base = |name, meaning, case| Model { case, candidate: Some(plain()), ..model(name, meaning, GAUSSIAN) };
    let slower_by_five = Tail::Samples { share: 0.05, excess: 1.05 / 0.99 * 20.0 - 20.0, run: 1 };
    let levels = Levels { excess: 0.15, fast_launches: 6.0, slow_launches: 3.0 };
    vec![
        candidate("1 % of samples", "1 % of the candidate's samples are six times as long", samples(0.01, 5.0)),
        candidate("5 % of samples", "5 % of the candidate's samples are twice as long", samples(0.05, 1.0)),
        candidate("30 % of samples", "30 % of the candidate's samples are twice as long", samples(0.3, 1.0)),
        candidate(
            "runs of samples",
            "5 % of the candidate's samples are twice as long, in runs of 30",
            with(Tail::Samples { share: 0.05, excess: 1.0, run: 30 }),
        ),
        candidate("1 % of launches", "1 % of the candidate's launches are six times as slow", launches(0.01, 5.0)),
        candidate("10 % of launches", "10 % of the candidate's launches are slower by half", launches(0.1, 0.5)),
        candidate(
            "between samples",
            "the candidate's calls put 5 % of their time off, to after each fifth sample",
            with(Tail::Between { every: 5, excess: 0.05 }),
        ),
        candidate("each 5th call", "is slower by a quarter", with(Tail::Periodic { every: 5, excess: 0.25 })),
        candidate("each 100th call", "costs six times as much", with(Tail::Periodic { every: 100, excess: 5.0 })),
        candidate(
            "each 10,000th call",
            "costs 501 times as much: some samples hold one, some none",
            with(Tail::Periodic { every: 10_000, excess: 500.0 }),
        ),
        candidate(
            "calls by chance",
            "one call of 20,000 costs 1,001 times as much",
            with(Tail::Calls { share: 5e-5, excess: 1_000.0 }),
        ),
        candidate(
            "levels",
            "for three launches of nine, in succession, the candidate is slower by 15 %",
            CaseTruth { levels: Some(levels), ..plain() },
        ),
        candidate(
            "typical faster, mean slower",
            "the candidate's calls are faster by 1 %, and 5 % of its samples 2.2 times as long, so that it is slower by 5 %",
            CaseTruth { time_ns: 99.0, tails: vec![slower_by_five], ..plain() },
        ),
        base("5 % of the base's samples", "are twice as long, none of the candidate's", samples(0.05, 1.0)),
        base("10 % of the base's launches", "are slower by half, none of the candidate's", launches(0.1, 0.5)),
    ]
}

/// Code that does the same, and effects that outlast a launch.
pub fn persistent() -> Vec<Model> {
    let of = |name, meaning, case| Model { case, ..model(name, meaning, GAUSSIAN) };
    let together = |correlation| CaseTruth { launch_spread: 0.005, launch_correlation: correlation, ..plain() };
    let layouts = |spread: f64| CaseTruth {
        // Each side's own part of it.
        layout_spread: spread * std::f64::consts::FRAC_1_SQRT_2,
        links: 8,
        ..plain()
    };
    vec![
        of(
            "builds",
            "each side is one build of compiled code, from sources of its own, and two of them differ by 0.3 %",
            // Each side's own part of it.
            CaseTruth { build_spread: 0.003 * std::f64::consts::FRAC_1_SQRT_2, ..plain() },
        ),
        of(
            "layouts by 3 %",
            "launches of each side go through 8 links, and two links of the same code differ by 3 % (one standard deviation)",
            layouts(0.03),
        ),
        of("layouts by 10 %", "the same, by 10 %", layouts(0.1)),
        of("launches by 0.3", "launches differ by 0.5 %, each resembles the one before by 0.3", together(0.3)),
        of("launches by 0.5", "launches differ by 0.5 %, each resembles the one before by 0.5", together(0.5)),
        of("launches by 0.8", "launches differ by 0.5 %, each resembles the one before by 0.8", together(0.8)),
    ]
}

/// Machines on which little can be decided within the usual budget, so that the smallest effect that would have been called is printed.
pub fn undecided() -> Vec<Model> {
    let launches = CaseTruth { launch_spread: 0.01, ..plain() };
    let samples = Noise::Autocorrelated { spread: 0.06, correlation: 0.9 };
    vec![
        Model { case: launches, ..model("launches by 1 %", "2 %, launches differ by 1 %", GAUSSIAN) },
        model("slow noise", "6 %, neighbouring samples correlated by 0.9", samples),
    ]
}

#[cfg(test)]
mod tests {
    use super::{persistent, shapes};

    #[test]
    fn expected_costs_differ_by_five_per_cent_or_more_both_ways() {
        let ratios: Vec<f64> = shapes().iter().map(|shape| shape.time_ratio()).collect();
        assert!(ratios.iter().all(|ratio| ratio.ln().abs() > 0.0487), "{ratios:?}");
        assert!(ratios.iter().any(|&ratio| ratio < 1.0) && ratios.iter().any(|&ratio| ratio > 1.2));
    }

    #[test]
    fn typical_calls_do_not_show_it() {
        for shape in shapes() {
            let (low, high) = shape.typical_ratios([4_000, 4_000]);
            match shape.name {
                "each 5th call" | "each 100th call" => assert!((low - 1.05).abs() < 1e-3, "{}: {low}", shape.name),
                "typical faster, mean slower" => assert!(high < 0.993 && shape.time_ratio() > 1.049, "{high}"),
                _ => assert!(low <= 1.0 + 1e-9 && high < 1.04, "{}: {low} to {high}", shape.name),
            }
        }
    }

    #[test]
    fn with_the_same_tail_on_both_sides_it_is_identical_code() {
        for shape in shapes() {
            let alike = shape.alike();
            assert_eq!(alike.time_ratio(), 1.0, "{}", shape.name);
            assert!(alike.case.expected_time_ns() > 104.0, "{}: the tail is lost", shape.name);
        }
        assert!(persistent().iter().all(|model| model.time_ratio() == 1.0));
    }
}
