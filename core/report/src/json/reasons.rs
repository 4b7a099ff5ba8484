use serde_json::{Value, json};

use super::parts::Object;
use super::{Layout, VERSION};
use tare_results::{Reason, ReasonView};

/// Why each case of two revisions is measured, or what shows that it needn't be, as the document `tare.why`.
pub fn reasons_document(views: &[ReasonView], layout: Layout) -> String {
    let document = Object::default()
        .with("format", "tare.why")
        .with("version", VERSION)
        .with("cases", views.iter().map(case).collect::<Value>());
    layout.text(&document.done())
}

fn case(view: &ReasonView) -> Value {
    let (verdict, proof, why) = match &view.reason {
        Reason::Unchanged(proof) => ("unchanged", Some(proof), None),
        Reason::Differs(what) => ("differs", None, Some(what)),
        Reason::Unproven(why) => ("unproven", None, Some(why)),
        Reason::Unpaired(_) => ("unpaired", None, None),
    };
    let side = match &view.reason {
        Reason::Unpaired(side) => Some(side),
        _ => None,
    };
    Object::default()
        .with("case", view.case.as_str())
        .with("title", view.title.as_str())
        .with("finding", verdict)
        .maybe(
            "proof",
            proof.map(|proof| json!({"level": proof.level.name(), "files": proof.files, "units": proof.units})),
        )
        .maybe("why", why.map(String::as_str))
        .maybe("side", side.map(String::as_str))
        .done()
}
