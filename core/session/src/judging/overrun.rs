//! What is said of a budget that couldn't be kept.

use tare_engine::Overrun;
use tare_samples::MINIMUM_LAUNCHES;
use tare_samples::TimeUnit;

/// One line; `of`: groups in all.
pub(crate) fn described(overrun: &Overrun, of: usize) -> String {
    format!(
        "the budget of {} was too small for {} of {of} case{}: a pilot and {MINIMUM_LAUNCHES} launches are the least, and took up to {}; --launches makes fewer",
        time(overrun.budget_ns),
        overrun.groups,
        if of == 1 { "" } else { "s" },
        time(overrun.took_ns)
    )
}

/// With three digits or so: `1 ms`, `0.41 s`.
fn time(ns: f64) -> String {
    let (value, symbol) = if ns < 1e8 {
        (ns / TimeUnit::fitting(ns).nanoseconds(), TimeUnit::fitting(ns).symbol())
    } else {
        (ns / 1e9, "s")
    };
    let decimals = if value < 10.0 { 2 } else { 0 };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {symbol}")
}

#[cfg(test)]
mod tests {
    use super::{Overrun, described};

    #[test]
    fn budget_and_least_stand_in_one_line() {
        let overrun = Overrun { groups: 2, budget_ns: 1e6, took_ns: 412_345_678.0 };
        assert_eq!(
            described(&overrun, 3),
            "the budget of 1 ms was too small for 2 of 3 cases: a pilot and 6 launches are the least, and took up to 0.41 s; --launches makes fewer"
        );
        let long = Overrun { groups: 1, budget_ns: 2e9, took_ns: 30.2e9 };
        assert!(
            described(&long, 1).contains("the budget of 2 s was too small for 1 of 1 case: "),
            "{}",
            described(&long, 1)
        );
        assert!(described(&long, 1).contains("up to 30 s"), "{}", described(&long, 1));
    }
}
