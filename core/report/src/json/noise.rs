use serde_json::Value;

use super::parts::Object;
use tare_results::{NoiseRow, NoiseView};

/// What identical code showed. Ratios are 1 where there is no noise.
pub(super) fn noise(view: &NoiseView) -> Value {
    let (interleaved, sequential) = view.floors();
    let floor = Object::default().maybe("interleaved", interleaved).maybe("one_after_the_other", sequential).done();
    Object::default()
        .with("pairs", view.pairs)
        .with("floor", floor)
        .with("subjects", view.rows.iter().map(row).collect::<Value>())
        .done()
}

fn row(row: &NoiseRow) -> Value {
    let object = Object::default().with("subject", row.subject.as_str());
    let object = match &row.interleaved {
        Some(ratio) => object.estimate("interleaved", ratio),
        None => object,
    };
    object.maybe("one_after_the_other", row.one_after_the_other.filter(|ratio| ratio.is_finite())).done()
}
