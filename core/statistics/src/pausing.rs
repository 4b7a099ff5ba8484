//! What pairs of `pause` and `resume` in a call leave unknown of it on an out-of-order CPU. Measured on atomic additions with and without
//! pairs of 24 to 63 ns, in Go and C++, on two families of CPUs (decision 3).

/// How much of a pair may hide behind the subject, or be hidden in the null's loop and not here, at most, as a share of the pair: up to
/// 12 % were seen in Go and 16 % in C++.
const HIDDEN: f64 = 0.18;
/// How much faster or slower what follows a clock read may go than without it, at most. It is the subject's own time, but not that of the
/// subject without pairs, which is asked for. Up to 3.4 % were seen.
const PACE: f64 = 0.035;
/// How long in all, in times of the pair: the pace is as ever after some microseconds. Up to 3.5 pairs were seen.
const PACE_AT_MOST_PAIRS: f64 = 4.0;

/// Half the width of the interval in which the time of a call without pairs lies, in nanoseconds, for a call of `time_ns` with pairs that
/// cost `pairs_ns`, already taken off.
pub(crate) fn unknown_ns(pairs_ns: f64, time_ns: f64) -> f64 {
    let pairs_ns = pairs_ns.abs();
    HIDDEN * pairs_ns + (PACE * time_ns.abs()).min(PACE_AT_MOST_PAIRS * pairs_ns)
}

#[cfg(test)]
mod tests {
    use super::unknown_ns;

    #[test]
    fn what_follows_a_pair_changes_its_pace_for_a_while() {
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        near(unknown_ns(0.0, 1e6), 0.0);
        near(unknown_ns(24.0, 0.0), 4.32);
        near(unknown_ns(24.0, 2_000.0), 4.32 + 70.0);
        near(unknown_ns(24.0, 1e6), 4.32 + 96.0);
        near(unknown_ns(-24.0, -2_000.0), 74.32);
    }
}
