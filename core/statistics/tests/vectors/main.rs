//! Every vector beside `vectors/generate.py` against what SciPy, statsmodels and NumPy say.

// Helpers of a test fail as tests do; the lint only knows functions marked as tests.
#![allow(clippy::unwrap_used)]

mod comparisons;
mod distributions;
mod samples;
mod trends;

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The cases of a vector file, each of which must have exactly the keys of `T`.
fn cases<T: DeserializeOwned>(file: &Value) -> Vec<T> {
    let cases = file["cases"].as_array().expect("a vector file has cases");
    cases.iter().map(|case| serde_json::from_value(case.clone()).unwrap_or_else(|e| panic!("{e}: {case}"))).collect()
}

/// Panics unless `found` is within `relative` of `expected`, or within `absolute`.
#[track_caller]
fn assert_near(found: f64, expected: f64, relative: f64, absolute: f64, what: &str) {
    let near = (found - expected).abs() <= absolute.max(relative * expected.abs());
    assert!(near, "{what}: {found:e}, SciPy says {expected:e}");
}

#[test]
fn every_vector_agrees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut seen = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name == "generate.py" {
            continue;
        }
        let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let checked = match name.as_str() {
            "descriptive.json" => samples::descriptive(&file),
            "density.json" => samples::density(&file),
            "density_of_many.json" => samples::density_of_many(&file),
            "mean_interval.json" => samples::mean_interval(&file),
            "normal.json" => distributions::normal(&file),
            "student.json" => distributions::student(&file),
            "order_statistics.json" => distributions::order_statistics(&file),
            "kendall.json" => trends::kendall(&file),
            "theil_sen.json" => trends::theil_sen(&file),
            "holm.json" => comparisons::holm(&file),
            "geometric_mean.json" => comparisons::geometric_mean(&file),
            "detectable.json" => comparisons::detectable(&file),
            "location.json" => comparisons::location(&file),
            _ => panic!("{name}: no test reads this vector; add it here or remove it"),
        };
        assert_eq!(checked, file["cases"].as_array().unwrap().len(), "{name}: cases left unread");
        assert!(checked > 0, "{name} is empty");
        seen.push(name);
    }
    assert_eq!(seen.len(), 13, "vectors are missing; only {seen:?} are there");
}
