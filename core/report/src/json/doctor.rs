use serde_json::Value;
use tare_samples::Finding;

use super::noise::noise;
use super::parts::{Object, failure, strings};
use super::{Layout, VERSION};
use tare_results::{DoctorView, RuntimeFitness};

/// How fit machine and runtimes are, as the document `tare.doctor`: all findings, in the order in which they were looked for.
pub fn doctor_document(view: &DoctorView, layout: Layout) -> String {
    let measured_on = view.noise.as_ref().and_then(|noise| noise.runtime.as_ref());
    let document = Object::default()
        .with("format", "tare.doctor")
        .with("version", VERSION)
        .with("machine", strings(&view.machine))
        .with("findings", findings(&view.findings))
        .with("runtimes", view.runtimes.iter().map(runtime).collect::<Value>())
        .with("not_installed", view.not_installed.clone())
        .maybe("runtime", measured_on.map(|runtime| runtime.name.clone()))
        .maybe("runtime_version", measured_on.map(|runtime| runtime.version.clone()))
        .maybe("noise", view.noise.as_ref().map(noise))
        .maybe("interrupted", view.interrupted.then_some(true));
    layout.text(&document.done())
}

fn runtime(runtime: &RuntimeFitness) -> Value {
    Object::default()
        .with("name", runtime.name.as_str())
        .with("language", runtime.language.as_str())
        .maybe("version", (!runtime.version.is_empty()).then_some(runtime.version.as_str()))
        .with("findings", findings(&runtime.findings))
        .maybe("failure", runtime.failure.as_ref().map(failure))
        .done()
}

pub(super) fn findings(findings: &[Finding]) -> Value {
    let finding = |finding: &Finding| {
        Object::default()
            .maybe("runtime", (!finding.runtime.is_empty()).then_some(finding.runtime.as_str()))
            .with("code", finding.code.as_str())
            .with("level", finding.level.name())
            .with("found", finding.found.as_str())
            .with("effect", finding.effect.as_str())
            .with("remedy", finding.remedy.as_str())
            .done()
    };
    findings.iter().map(finding).collect()
}
