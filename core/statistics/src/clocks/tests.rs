//! Clocks whose every fault is known, read on simulated time.

use super::{Blocks, ClockFigures, Exchange, Finding, Rate, Series, Spread, findings, look, rate};

/// What a read takes on the simulated machine, and what its loop does.
const READ_NS: f64 = 20.0;
const LOOP_NS: f64 = 1.5;

/// A clock that shows `shows(true time)`, on a machine of its own.
struct Simulated<F> {
    now: f64,
    reads: u64,
    shows: F,
}

impl<F: Fn(f64) -> f64> Simulated<F> {
    fn new(shows: F) -> Self {
        Self { now: 1_000.0, reads: 0, shows }
    }

    /// Every 997th read the machine does something else for 30 µs.
    fn read(&mut self) -> i64 {
        self.reads += 1;
        self.now += READ_NS + LOOP_NS + (self.reads % 3) as f64;
        if self.reads.is_multiple_of(997) {
            self.now += 30_000.0;
        }
        (self.shows)(self.now).floor() as i64
    }

    fn pairs(&mut self, pairs: usize, skip: u64) -> Vec<i64> {
        let mut values = Vec::new();
        for _ in 0..pairs {
            values.extend([self.read(), self.read()]);
            for _ in 0..skip {
                self.read();
            }
        }
        values
    }

    fn exchange(&mut self) -> Exchange {
        let before = self.now;
        self.now += 15_000.0;
        let value = self.read() as f64;
        self.now += 15_000.0;
        Exchange { before, value, after: self.now }
    }
}

/// Everything that `tare clock` does with a clock: an exchange, readings, blocks, and an exchange ten seconds later.
fn judge(shows: impl Fn(f64) -> f64) -> (ClockFigures, Option<Rate>, Vec<&'static str>) {
    let mut clock = Simulated::new(shows);
    let start = clock.exchange();
    let close = clock.pairs(10_000, 0);
    let wide = clock.pairs(2_000, 500);
    let reads = 100;
    let blocks = vec![((READ_NS + 1.0 + LOOP_NS) * reads as f64) as u64; 50];
    let empty = vec![(LOOP_NS * reads as f64) as u64; 50];
    clock.now += 10e9;
    let end = clock.exchange();
    let close = Series { values: &close, skip: 0 };
    let seen =
        look(close, &[close, Series { values: &wide, skip: 500 }], Blocks { blocks: &blocks, empty: &empty, reads });
    let rate = seen.granularity().and_then(|step| rate(start, end, step));
    let names = findings(&seen, rate).iter().map(Finding::name).collect();
    (seen, rate, names)
}

#[test]
fn a_clean_clock_gives_no_finding() {
    let (seen, rate, names) = judge(|now| now);
    assert_eq!(names, [""; 0]);
    assert_eq!((seen.backward_steps, seen.stalled_reads), (0, 0));
    assert!(seen.step.unwrap() >= READ_NS && seen.step.unwrap() < 30.0, "{seen:?}");
    let read = seen.read.unwrap();
    assert!((read.median - READ_NS - 1.0).abs() < 0.02, "the loop is taken off: {read:?}");
    let rate = rate.unwrap();
    assert!(rate.ppm.abs() <= rate.uncertainty_ppm && rate.uncertainty_ppm < 5.0, "{rate:?}");
}

#[test]
fn steps_of_a_microsecond_are_found() {
    let (seen, _, names) = judge(|now| (now / 1_000.0).floor() * 1_000.0);
    assert_eq!(names, ["coarse"]);
    assert_eq!(seen.step, Some(1_000.0));
    assert!(seen.stalled_reads as f64 > 0.9 * seen.reads as f64, "{seen:?}");
}

#[test]
fn steps_of_four_milliseconds_are_found() {
    let (seen, _, names) = judge(|now| (now / 4e6).floor() * 4e6);
    assert_eq!(names, ["coarse"]);
    assert_eq!(seen.step, Some(4e6));
}

/// Set by a microsecond once, it still lags by up to 4 ms: that is no rate of hundreds of ppm.
#[test]
fn one_small_step_makes_no_rate_of_a_coarse_clock() {
    let (seen, rate, names) = judge(|now| (now / 4e6).floor() * 4e6 + if now > 5e6 { 1_000.0 } else { 0.0 });
    assert_eq!((seen.step, seen.usual_step), (Some(1_000.0), Some(4e6)));
    let rate = rate.unwrap();
    assert!(rate.ppm.abs() > 10.0 && rate.ppm.abs() <= rate.uncertainty_ppm, "{rate:?}");
    assert_eq!(names, ["coarse"]);
}

#[test]
fn steps_of_a_microsecond_in_a_clock_of_doubles_are_found() {
    // PHP's microtime(true): seconds since 1970, of which a double holds 238 ns.
    let (seen, _, names) = judge(|now| {
        let seconds = 1.8e9 + (now / 1_000.0).floor() * 1e-6;
        ((seconds - 1.8e9) * 1e9).round()
    });
    assert_eq!(names, ["coarse"]);
    assert!((seen.step.unwrap() - 1_000.0).abs() < 240.0, "{seen:?}");
}

#[test]
fn steps_back_are_found() {
    let (seen, _, names) = judge(|now| if (now / 50_000.0).floor() % 2.0 == 1.0 { now - 700.0 } else { now });
    assert_eq!(names, ["backward"]);
    assert!(seen.backward_steps > 1, "{seen:?}");
    let furthest = seen.furthest_back.unwrap();
    assert!(furthest > 600.0 && furthest < 700.0, "{furthest}");
}

#[test]
fn a_stall_is_found_and_a_pause_of_the_reader_is_none() {
    let (seen, _, names) = judge(|now| if (100_000.0..200_000.0).contains(&now) { 100_000.0 } else { now });
    assert_eq!(names, ["stalled"]);
    let standstill = seen.longest_standstill.unwrap();
    assert!(standstill > 30_000.0 && standstill < 110_000.0, "{standstill}");
}

#[test]
fn a_clock_that_never_moves_is_found() {
    let mut clock = Simulated::new(|_| 5.0);
    let values = clock.pairs(1_000, 0);
    let close = Series { values: &values, skip: 0 };
    let seen = look(close, &[close], Blocks { blocks: &[2_000], empty: &[100], reads: 100 });
    assert_eq!((seen.step, seen.stalled_reads), (None, seen.reads));
    assert_eq!(findings(&seen, None)[0].name(), "stalled");
}

#[test]
fn a_rate_off_by_fifty_ppm_is_found_either_way() {
    for ppm in [50.0, -50.0] {
        let (_, rate, names) = judge(|now| now * (1.0 + ppm * 1e-6));
        assert_eq!(names, ["rate"], "{ppm}");
        let rate = rate.unwrap();
        assert!((rate.ppm - ppm).abs() <= rate.uncertainty_ppm, "{rate:?}");
    }
}

#[test]
fn a_rate_that_can_not_be_told_from_the_references_is_no_finding() {
    let at = |before: f64, value: f64| Exchange { before, value, after: before + 1e6 };
    let rate = rate(at(0.0, 0.0), at(1e9, 1e9 + 5e5), 0.0).unwrap();
    assert!(rate.ppm > 400.0 && rate.uncertainty_ppm > 900.0, "{rate:?}");
    assert_eq!(findings(&ClockFigures::default(), Some(rate)), []);
}

#[test]
fn the_tightest_exchange_counts() {
    let wide = Exchange { before: 0.0, value: 1.0, after: 10.0 };
    let tight = Exchange { before: 20.0, value: 21.0, after: 22.0 };
    assert_eq!(Exchange::tightest(&[wide, tight, wide]), Some(tight));
    assert_eq!(Exchange::tightest(&[]), None);
    assert_eq!(super::rate(tight, tight, 1.0), None);
}

#[test]
fn nothing_read_is_nothing_seen() {
    assert_eq!(look(Series::default(), &[], Blocks::default()), ClockFigures::default());
    assert_eq!(Spread::of(Vec::new()), None);
}

#[test]
fn hostile_readings_do_no_harm() {
    let values = [i64::MIN, i64::MAX, i64::MIN, 0, 0, i64::MAX];
    let close = Series { values: &values, skip: u64::MAX / 8 };
    let seen = look(close, &[close], Blocks { blocks: &[u64::MAX], empty: &[0], reads: u64::MAX });
    assert_eq!(seen.backward_steps, 1);
}
