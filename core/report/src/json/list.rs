use serde_json::Value;
use tare_samples::{Case, Failure};

use super::parts::{Object, failure, notices, parameters};
use super::{Layout, VERSION};
use tare_results::NoticeView;

/// The cases that were found as the document `tare.list`, with what was said and what failed on the way.
pub fn list_document(cases: &[Case], said: &[NoticeView], failures: &[Failure], layout: Layout) -> String {
    let document = Object::default()
        .with("format", "tare.list")
        .with("version", VERSION)
        .with("cases", cases.iter().map(case).collect::<Value>())
        .with("notices", notices(said))
        .with("failures", failures.iter().map(failure).collect::<Value>());
    layout.text(&document.done())
}

fn case(case: &Case) -> Value {
    let asked = &case.settings;
    let settings = Object::default()
        .maybe("iterations", asked.iterations)
        .maybe("samples", asked.samples)
        .maybe("timeout_ms", asked.timeout_ms)
        .maybe("unit", asked.unit.map(|unit| unit.symbol()));
    Object::default()
        .with("id", case.id())
        .with("benchmark", case.benchmark.as_str())
        .with("parameters", parameters(case))
        .with("language", case.language.as_str())
        .with("file", case.file.as_str())
        .maybe("line", (case.line > 0).then_some(case.line))
        .with("groups", case.groups.clone())
        .with("settings", settings.done())
        .maybe("skipped", asked.skip.as_deref())
        .done()
}
