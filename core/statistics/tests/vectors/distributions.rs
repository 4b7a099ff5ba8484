use serde::Deserialize;
use serde_json::Value;
use tare_statistics::rank_interval::interpolated;
use tare_statistics::{normal, student};

use crate::{assert_near, cases};

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Normal {
    Cdf { x: f64, cdf: f64 },
    Quantile { probability: f64, quantile: f64 },
}

pub(crate) fn normal(file: &Value) -> usize {
    let cases = cases::<Normal>(file);
    for case in &cases {
        match *case {
            Normal::Cdf { x, cdf } => assert_near(normal::cdf(x), cdf, 2e-13, 0.0, &format!("cdf({x})")),
            Normal::Quantile { probability, quantile } => {
                assert_near(normal::quantile(probability), quantile, 1e-14, 1e-15, &format!("quantile({probability})"));
            }
        }
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Student {
    Cdf { degrees_of_freedom: f64, t: f64, cdf: f64 },
    Quantile { degrees_of_freedom: f64, probability: f64, quantile: f64 },
}

pub(crate) fn student(file: &Value) -> usize {
    let cases = cases::<Student>(file);
    for case in &cases {
        match *case {
            Student::Cdf { degrees_of_freedom: n, t, cdf } => {
                assert_near(student::cdf(t, n), cdf, 0.0, 1e-11, &format!("cdf({t}) at {n}"));
            }
            Student::Quantile { degrees_of_freedom: n, probability, quantile } => {
                let found = student::quantile(probability, n);
                assert_near(found, quantile, 1e-10, 1e-14, &format!("quantile({probability}) at {n}"));
            }
        }
    }
    cases.len()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rank {
    n: usize,
    confidence: f64,
    depth: usize,
    attained: Option<f64>,
    low: Option<f64>,
}

pub(crate) fn order_statistics(file: &Value) -> usize {
    let cases = cases::<Rank>(file);
    for case in &cases {
        let what = format!("n {} at {}", case.n, case.confidence);
        let sorted: Vec<f64> = (1..=case.n).map(|rank| rank as f64).collect();
        let Some(attained) = case.attained else {
            assert_eq!(case.depth, 0, "{what}");
            assert_eq!(interpolated(&sorted, case.confidence), None, "{what}");
            continue;
        };
        // At the confidence that a pair of ranks has, the interval is that pair, and beyond it a wider one.
        let depth = case.depth as f64;
        let pair = interpolated(&sorted, attained - 1e-9).unwrap();
        assert_near(pair.low, depth, 0.0, 1e-3, &what);
        assert!(interpolated(&sorted, attained + 1e-9).is_none_or(|wider| wider.low < depth), "{what}");
        let narrow = interpolated(&sorted, case.confidence).unwrap();
        assert_near(narrow.low, case.low.unwrap_or(depth), 1e-9, 0.0, &what);
        assert_near(narrow.high, (case.n + 1) as f64 - narrow.low, 1e-12, 0.0, &what);
    }
    cases.len()
}
