//! How long a group may take, and for what precision, by what the user gave. What a budget for the whole suite leaves
//! for a group is the business of `total`.

use tare_plan::Settings;
use tare_samples::MINIMUM_LAUNCHES;
use tare_statistics::Estimate;
use tare_statistics::looks::{MOST_PAIRS, MOST_PAIRS_WITH_TIME, is_precision_look};

/// The part of its budget that a comparison takes, where nothing is known yet: some are settled at once, others never.
const OF_BUDGET: f64 = 0.7;
/// A wanted precision without a budget may take its time, but not for ever: so many usual budgets.
const BUDGETS_FOR_PRECISION: f64 = 15.0;

/// Time for each comparison until it has to be settled, in nanoseconds.
pub(crate) fn of_comparison_ns(settings: &Settings) -> f64 {
    settings.comparison_budget.as_nanos() as f64
}

/// Time for each variant that is measured by itself, in nanoseconds, whatever precision is wanted.
fn of_variant_ns(settings: &Settings) -> f64 {
    settings.budget.as_nanos() as f64
}

/// Time for a group with so many variants and comparisons that something is claimed of, in nanoseconds. `comparisons`
/// is `None` where nothing is compared.
pub(crate) fn of_group_ns(settings: &Settings, variants: usize, comparisons: Option<usize>) -> f64 {
    if let Some(comparisons) = comparisons {
        return of_comparison_ns(settings) * comparisons.max(1) as f64;
    }
    let each_ns = match (settings.precision, settings.budget_given) {
        (Some(_), false) => BUDGETS_FOR_PRECISION * of_variant_ns(settings),
        _ => of_variant_ns(settings),
    };
    each_ns * variants.max(1) as f64
}

/// What one comparison of the suite takes, before anything is known of it, in nanoseconds.
pub fn foreseen_ns(settings: &Settings) -> f64 {
    OF_BUDGET * of_comparison_ns(settings)
}

/// What a group of so many variants takes, before anything is known of it, in nanoseconds.
pub(crate) fn foreseen_of_group_ns(settings: &Settings, variants: usize, compared: bool) -> f64 {
    match (compared, settings.launches) {
        (true, None) => foreseen_ns(settings),
        (true, Some(_)) => of_comparison_ns(settings),
        (false, _) => of_variant_ns(settings) * variants as f64,
    }
}

/// Launch pairs at most. A user who gives more time than usual wants to see smaller differences, and gets more of them;
/// not longer ones, which help less where launches differ, as those of a sort in C++ do by 1 %.
pub(crate) fn most_pairs(settings: &Settings) -> u32 {
    let patience = settings.comparison_budget.as_secs_f64() / Settings::default().comparison_budget.as_secs_f64();
    (f64::from(MOST_PAIRS) * patience).round().clamp(f64::from(MOST_PAIRS), f64::from(MOST_PAIRS_WITH_TIME)) as u32
}

/// Whether what is left holds no further launch of a variant that is measured by itself. A number of launches that the
/// user fixed is made however long it takes.
pub(crate) fn is_used_up(settings: &Settings, made: u32, left_ns: f64, costs_ns: f64) -> bool {
    settings.launches.is_none() && made >= MINIMUM_LAUNCHES && left_ns < costs_ns
}

/// The precision that is wanted, where a measurement is looked at after so many launches: it may end if all of its
/// times have it ([`is_precise`]).
pub(crate) fn precision_at(settings: &Settings, made: u32) -> Option<f64> {
    settings.precision.filter(|_| is_precision_look(made))
}

/// Whether a time is known as well as `--precision` asks. What can't be told from 0 has no relative precision, and
/// would keep its partners for ever.
pub(crate) fn is_precise(time: &Estimate, precision: f64) -> bool {
    time.holds(0.0) || time.half_width() <= precision * time.estimate.abs()
}
