use serde::Deserialize;
use serde_json::Value;
use tare_statistics::mean_interval::student_interval;
use tare_statistics::{density, normal, quantile};

use crate::{assert_near, cases};

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    quantile::sort(&mut sorted);
    sorted
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Descriptive {
    name: String,
    values: Vec<f64>,
    probabilities: Vec<f64>,
    quantiles: Vec<f64>,
    median: f64,
    mad: f64,
    mean: f64,
    variance: f64,
    standard_deviation: f64,
    standard_error: f64,
}

pub(crate) fn descriptive(file: &Value) -> usize {
    let cases = cases::<Descriptive>(file);
    for case in &cases {
        let (name, values) = (&case.name, sorted(&case.values));
        assert_eq!(case.probabilities.len(), case.quantiles.len(), "{name}");
        for (&probability, &expected) in case.probabilities.iter().zip(&case.quantiles) {
            let found = quantile::quantile(&values, probability).unwrap();
            assert_near(found, expected, 1e-14, 0.0, &format!("{name}: quantile {probability}"));
        }
        // Two orders of adding may differ in the last bit of the values.
        let rounding = f64::EPSILON * values[0].abs().max(values[values.len() - 1].abs());
        let mut shuffled = case.values.clone();
        for (found, expected) in [
            (quantile::median(&values), case.median),
            (quantile::select_median(&mut shuffled), case.median),
            (quantile::mad(&values), case.mad),
            (quantile::mean(&values), case.mean),
            (quantile::variance(&case.values), case.variance),
            (quantile::standard_deviation(&values), case.standard_deviation),
            (quantile::standard_error(&values), case.standard_error),
        ] {
            assert_near(found.unwrap(), expected, 1e-12, rounding, name);
        }
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Density {
    name: String,
    values: Vec<f64>,
    silverman: f64,
    scott: f64,
    points: Vec<f64>,
    density: Vec<f64>,
    mode: f64,
    scott_mode: f64,
}

pub(crate) fn density(file: &Value) -> usize {
    let cases = cases::<Density>(file);
    for case in &cases {
        let (name, values) = (&case.name, sorted(&case.values));
        let silverman = density::silverman_bandwidth(&case.values).unwrap();
        // Scott's rule is Silverman's but for a factor.
        let scott = silverman * 0.75f64.powf(0.2);
        assert_near(silverman, case.silverman, 1e-12, 0.0, name);
        assert_near(scott, case.scott, 1e-12, 0.0, name);
        let found = density::evaluate(&values, silverman, &case.points);
        assert_eq!(found.len(), case.density.len(), "{name}");
        let highest = case.density.iter().copied().fold(0.0, f64::max);
        for (found, expected) in found.into_iter().zip(&case.density) {
            assert_near(found, *expected, 1e-10, 1e-14 * highest, name);
        }
        // Places of equal density are a matter of rounding; for two values the whole top is one.
        let step = (values[values.len() - 1] - values[0]) / 511.0;
        let slack = if case.values.len() == 2 { step } else { 1e-9 * step };
        assert_near(density::mode(&values, silverman).unwrap(), case.mode, 0.0, slack, name);
        assert_near(density::mode(&values, scott).unwrap(), case.scott_mode, 0.0, slack, name);
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Many {
    n: usize,
    sigma: f64,
    silverman: f64,
    density: Vec<f64>,
    mode: f64,
}

pub(crate) fn density_of_many(file: &Value) -> usize {
    let cases = cases::<Many>(file);
    for case in &cases {
        let what = format!("n {}, sigma {}", case.n, case.sigma);
        let scores = (1..=case.n).map(|rank| normal::quantile((rank as f64 - 0.5) / case.n as f64));
        let values: Vec<f64> =
            scores.map(|score| if case.sigma == 0.0 { score } else { (case.sigma * score).exp() }).collect();
        let bandwidth = density::silverman_bandwidth(&values).unwrap();
        assert_near(bandwidth, case.silverman, 1e-12, 0.0, &what);
        let (low, high) = (values[0], values[values.len() - 1]);
        let found = density::on_grid(&values, bandwidth, low, high, density::MODE_GRID);
        assert_eq!(found.len(), case.density.len(), "{what}");
        let highest = case.density.iter().copied().fold(0.0, f64::max);
        for (found, expected) in found.into_iter().zip(&case.density) {
            assert_near(found, *expected, 0.0, 1e-3 * highest, &what);
        }
        let step = (high - low) / 511.0;
        assert_near(density::mode(&values, bandwidth).unwrap(), case.mode, 0.0, 1.001 * step, &what);
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeanInterval {
    name: String,
    values: Vec<f64>,
    confidence: f64,
    low: f64,
    high: f64,
}

pub(crate) fn mean_interval(file: &Value) -> usize {
    let cases = cases::<MeanInterval>(file);
    for case in &cases {
        let found = student_interval(&case.values, case.confidence).unwrap();
        let width = 1e-10 * (case.high - case.low);
        assert_near(found.low, case.low, 1e-15, width, &case.name);
        assert_near(found.high, case.high, 1e-15, width, &case.name);
    }
    cases.len()
}
