//! The detectable effect by simulation: it is found as often as it says.

use tare_statistics::comparison::{Verdict, minimum_detectable_effect};
use tare_statistics::{Estimate, student};

use crate::source::Source;

#[test]
fn the_power_is_the_stated_one() {
    const RUNS: usize = 20_000;
    let (error, level, margin) = (0.02, 0.01, 0.005);
    for freedom in [3u32, 5, 8, 20] {
        for power in [0.5, 0.8, 0.95] {
            let freedom_f = f64::from(freedom);
            let effect = minimum_detectable_effect(error, freedom_f, level, margin, power);
            let critical = student::quantile(1.0 - level / 2.0, freedom_f);
            let mut source = Source::new(79);
            let found = (0..RUNS)
                .filter(|_| {
                    let centre = effect.ln_1p() + error * source.gaussian();
                    let squares: f64 = (0..freedom).map(|_| source.gaussian().powi(2)).sum();
                    let reach = critical * error * (squares / freedom_f).sqrt();
                    let (low, high) = ((centre - reach).exp(), (centre + reach).exp());
                    Verdict::of(&Estimate { estimate: centre.exp(), low, high }, margin) == Verdict::Slower
                })
                .count();
            let share = found as f64 / RUNS as f64;
            println!("{freedom} degrees of freedom, power {power}: {share}");
            // Four standard errors of the share.
            assert!((share - power).abs() < 0.015, "{freedom} degrees of freedom, power {power}: {share}");
        }
    }
}
