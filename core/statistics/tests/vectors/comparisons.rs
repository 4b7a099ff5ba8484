use serde::Deserialize;
use serde_json::Value;
use tare_statistics::Estimate;
use tare_statistics::comparison::{
    Location, PairRatio, geometric_mean as mean_of, holm as adjusted_by_holm, minimum_detectable_effect,
};

use crate::{assert_near, cases};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Holm {
    p_values: Vec<f64>,
    adjusted: Vec<f64>,
}

pub(crate) fn holm(file: &Value) -> usize {
    let cases = cases::<Holm>(file);
    for case in &cases {
        let found = adjusted_by_holm(&case.p_values);
        assert_eq!(found.len(), case.adjusted.len());
        for (found, &expected) in found.iter().zip(&case.adjusted) {
            assert_near(*found, expected, 1e-13, 0.0, &format!("{:?}", case.p_values));
        }
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GeometricMean {
    ratios: Vec<[f64; 3]>,
    estimate: f64,
    low: f64,
    high: f64,
}

pub(crate) fn geometric_mean(file: &Value) -> usize {
    let cases = cases::<GeometricMean>(file);
    for case in &cases {
        let ratios: Vec<Estimate> =
            case.ratios.iter().map(|&[estimate, low, high]| Estimate { estimate, low, high }).collect();
        let found = mean_of(&ratios).unwrap();
        for (found, expected) in [(found.estimate, case.estimate), (found.low, case.low), (found.high, case.high)] {
            assert_near(found, expected, 1e-12, 0.0, &format!("{:?}", case.ratios));
        }
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Detectable {
    standard_error: f64,
    degrees_of_freedom: f64,
    level: f64,
    margin: f64,
    power: f64,
    effect: f64,
}

pub(crate) fn detectable(file: &Value) -> usize {
    let cases = cases::<Detectable>(file);
    for case in &cases {
        let found = minimum_detectable_effect(
            case.standard_error,
            case.degrees_of_freedom,
            case.level,
            case.margin,
            case.power,
        );
        let what = format!("{} at {}, power {}", case.degrees_of_freedom, case.level, case.power);
        assert_near(found, case.effect, 1e-7, 0.0, &what);
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Located {
    name: String,
    pairs: Vec<Vec<f64>>,
    mean: f64,
    standard_error: f64,
    freedom: f64,
}

pub(crate) fn location(file: &Value) -> usize {
    let cases = cases::<Located>(file);
    for case in &cases {
        let pairs: Vec<PairRatio> =
            case.pairs.iter().map(|rounds| PairRatio::of_rounds(rounds.clone(), 0.0).unwrap()).collect();
        let found = Location::of(&pairs).unwrap();
        // The root is that of a sum of steps' integrals: exact but for rounding.
        assert_near(found.mean, case.mean, 1e-10, 1e-13, &case.name);
        assert_near(found.standard_error, case.standard_error, 1e-9, 0.0, &case.name);
        assert_near(found.freedom, case.freedom, 1e-12, 0.0, &case.name);
    }
    cases.len()
}
