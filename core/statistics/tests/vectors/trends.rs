use serde::Deserialize;
use serde_json::Value;
use tare_statistics::trend;

use crate::{assert_near, cases};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kendall {
    x: Vec<f64>,
    y: Vec<f64>,
    tau: f64,
    p_value: f64,
}

pub(crate) fn kendall(file: &Value) -> usize {
    let cases = cases::<Kendall>(file);
    for (index, case) in cases.iter().enumerate() {
        let what = format!("case {index}, n {}", case.x.len());
        let found = trend::kendall(&case.x, &case.y).unwrap();
        assert_near(found.tau, case.tau, 1e-13, 1e-15, &what);
        assert_near(found.p_value, case.p_value, 1e-11, 1e-16, &what);
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TheilSen {
    x: Vec<f64>,
    y: Vec<f64>,
    confidence: f64,
    slope: f64,
    intercept: f64,
    low: f64,
    high: f64,
}

pub(crate) fn theil_sen(file: &Value) -> usize {
    let cases = cases::<TheilSen>(file);
    for (index, case) in cases.iter().enumerate() {
        let what = format!("case {index}, n {}", case.x.len());
        let found = trend::theil_sen(&case.x, &case.y, case.confidence).unwrap();
        assert_near(found.slope.estimate, case.slope, 1e-13, 1e-14, &what);
        assert_near(found.intercept, case.intercept, 1e-12, 1e-13, &what);
        assert_near(found.slope.low, case.low, 1e-13, 1e-14, &what);
        assert_near(found.slope.high, case.high, 1e-13, 1e-14, &what);
    }
    cases.len()
}
