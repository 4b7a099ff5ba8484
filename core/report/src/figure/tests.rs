use tare_samples::TimeUnit::{Microseconds, Milliseconds, Nanoseconds};
use tare_statistics::Estimate;

use super::{Columns, Figure, bound, common_unit, percent, share, time};

fn around(estimate: f64, half: f64) -> Estimate {
    Estimate { estimate, low: estimate - half, high: estimate + half }
}

#[test]
fn the_half_width_has_two_digits_and_the_estimate_its_place() {
    let shown = |estimate, half| Figure::interval(&around(estimate, half), Nanoseconds).inline();
    assert_eq!(shown(65.934, 0.8149), "65.93 ns ± 0.81");
    assert_eq!(shown(65.934, 8.149), "65.9 ns ± 8.1");
    assert_eq!(shown(1234.5, 123.0), "1230 ns ± 120");
    assert_eq!(shown(1234.5, 12.0), "1234 ns ± 12");
    assert_eq!(shown(1.5e308, 1e307), "1.50e308 ns ± 1.00e307");
    // 0.0996 rounds up into the next digit.
    assert_eq!(shown(1.0, 0.0996), "1.00 ns ± 0.10");
    assert_eq!(shown(1.0, 99.6), "0 ns ± 100");
    assert_eq!(shown(-0.001, 0.5), "0.00 ns ± 0.50");
    assert_eq!(shown(-0.31, 0.12), "-0.31 ns ± 0.12");
    assert_eq!(shown(65.934, 0.0), "65.9 ns ± 0.0");
    assert_eq!(shown(360.51, f64::INFINITY), "361 ns");
}

#[test]
fn a_lopsided_interval_is_shown_by_its_larger_half() {
    let lopsided = Estimate { estimate: 10.0, low: 9.9, high: 11.5 };
    assert_eq!(Figure::interval(&lopsided, Nanoseconds).inline(), "10.0 ns ± 1.5");
}

#[test]
fn decimal_points_stand_below_each_other() {
    let figures = [around(0.3021, 0.0118), around(65.934, 0.812), around(1918.0, 12.0)];
    let figures = figures.map(|estimate| Figure::interval(&estimate, Nanoseconds));
    let columns = figures.iter().fold(Columns::default(), Columns::with);
    let cells = figures.each_ref().map(|figure| columns.cell(figure));
    assert_eq!(cells, ["   0.302 ns ±  0.012", "  65.93  ns ±  0.81 ", "1918     ns ± 12    "]);
}

#[test]
fn a_ratio_is_a_change_in_percent_or_a_factor() {
    let shown = |estimate, low, high| Figure::ratio(&Estimate { estimate, low, high }).inline();
    assert_eq!(shown(1.0102, 1.0091, 1.0113), "+1.02 % ± 0.11");
    assert_eq!(shown(0.988, 0.9875, 0.9887), "-1.20 % ± 0.07");
    assert_eq!(shown(1.000_01, 0.99, 1.01), "0.0 % ± 1.0");
    assert_eq!(shown(1.2, 0.1, 90.0), "+20 % (-90 to +8900)");
    assert_eq!(shown(11.0, 4.06, 30.0), "11.0× (4.1 to 30.0×)");
    assert_eq!(shown(1.12, 0.5, 2.62), "+12 % (-50 to +162)");
    assert_eq!(shown(0.83, 0.72, 1.02), "-17 % (-28 to +2)", "one side is much longer");
    assert_eq!(shown(0.87, 0.72, 1.03), "-13 % ± 16");
    assert_eq!(shown(0.5001, 0.3, 0.97), "-50 % (-70 to -3)");
    assert_eq!(shown(0.9, 0.72, 0.99), "-10.0 % (-28.0 to -1.0)", "it is faster, and 8 % slower isn't in it");
    assert_eq!(shown(1.1, 1.02, 1.3), "+10.0 % (+2.0 to +30.0)");
    assert_eq!(shown(2.414, 2.38, 2.45), "2.41× ± 0.04");
    assert_eq!(shown(0.21, 0.209, 0.211), "0.210× ± 0.001");
    assert_eq!(shown(3.0, 2.999, 3.001), "3.00× ± <0.01");
    assert_eq!(shown(0.001_26, 0.001_23, 0.001_28), "0.0013× ± <0.0001");
    assert_eq!(shown(0.05, 0.049, 0.051), "0.050× ± 0.001");
    assert_eq!(shown(1e300, 1e299, f64::INFINITY), ">10000×");
    assert_eq!(shown(1e-300, 0.0, 1.0), "<0.001×");
    assert_eq!(shown(3.0, 1.0, f64::INFINITY), "3.0× (1.0 to >10000×)");
    assert_eq!(shown(1.25, 1.25, 1.25), "+25.0 % ± 0.0");
}

#[test]
fn shares_have_two_digits() {
    let shown = [0.005, 0.0132, 0.12, 0.0, 1e-7, 2.5, f64::NAN].map(share);
    assert_eq!(shown, ["0.5 %", "1.3 %", "12 %", "0 %", "<0.001 %", "250 %", ">9999 %"]);
}

#[test]
fn figures_together_share_a_unit_where_they_can() {
    assert_eq!(common_unit(&[65.0, 1900.0]), Some(Nanoseconds));
    assert_eq!(common_unit(&[900.0, 10e3, 50e3]), Some(Microseconds));
    assert_eq!(common_unit(&[155e3, 1e6, 5e6, 100e6]), Some(Milliseconds));
    assert_eq!(common_unit(&[3.1e3, 20e3, 12.23e6]), None, "further apart than by a thousand");
    assert_eq!(common_unit(&[0.3, 65.0, 100e6]), None);
    assert_eq!(common_unit(&[]), None);
}

#[test]
fn a_bound_is_rounded_up() {
    assert_eq!(bound(0.8), "0.8 ns");
    assert_eq!(bound(0.801), "0.81 ns");
    assert_eq!(bound(0.999), "1 ns");
    assert_eq!(bound(1234.0), "1.3 µs");
}

#[test]
fn plain_times_and_shares() {
    assert_eq!(time(38.0), "38 ns");
    assert_eq!(time(23.24), "23.2 ns");
    assert_eq!(time(12.3e9), "12.3 s");
    assert_eq!(time(0.0), "0 ns");
    assert_eq!([percent(0.0123), percent(0.0001), percent(0.0), percent(50.0)], ["1.2 %", "<0.1 %", "0.0 %", ">999 %"]);
}
