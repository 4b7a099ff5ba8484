use serde_json::Value;

use super::parts::{Object, strings};
use super::{Layout, VERSION};
use crate::{NoiseRow, NoiseView};

/// What identical code showed as the document `tare.doctor`. Ratios are 1 where there is no noise.
pub fn noise_document(view: &NoiseView, layout: Layout) -> String {
    let (interleaved, sequential) = view.floors();
    let floor = Object::default().maybe("interleaved", interleaved).maybe("one_after_the_other", sequential).done();
    let noise = Object::default()
        .with("pairs", view.pairs)
        .with("floor", floor)
        .with("subjects", view.rows.iter().map(row).collect::<Value>());
    let document = Object::default()
        .with("format", "tare.doctor")
        .with("version", VERSION)
        .with("machine", strings(&view.machine))
        .maybe("runtime", view.runtime.as_ref().map(|runtime| runtime.name.clone()))
        .maybe("runtime_version", view.runtime.as_ref().map(|runtime| runtime.version.clone()))
        .with("noise", noise.done());
    layout.text(&document.done())
}

fn row(row: &NoiseRow) -> Value {
    let object = Object::default().with("subject", row.subject.as_str());
    let object = match &row.interleaved {
        Some(ratio) => object.estimate("interleaved", ratio),
        None => object,
    };
    object.maybe("one_after_the_other", row.one_after_the_other.filter(|ratio| ratio.is_finite())).done()
}
