//! OpenMetrics text: gauges in seconds, labelled by case and runtime.

use std::fmt::Write as _;

use tare_results::VariantView;
use tare_samples::printable;
use tare_statistics::Estimate;

use super::{Exported, Written};
use crate::fault::Fault;

pub(super) fn write(exported: &Exported<'_>) -> Result<Written, Fault> {
    let mut out = String::new();
    let variants: Vec<&VariantView> =
        exported.view.variants.iter().filter(|variant| variant.summary.is_some()).collect();
    let labels: Vec<String> = variants.iter().map(|variant| labels(exported, variant)).collect();
    let mut family = |name: &str, help: &str, of: &dyn Fn(&VariantView) -> Option<f64>| {
        let _ = writeln!(out, "# TYPE {name} gauge");
        if name.ends_with("_seconds") {
            let _ = writeln!(out, "# UNIT {name} seconds");
        }
        let _ = writeln!(out, "# HELP {name} {help}");
        for (variant, labels) in variants.iter().zip(&labels) {
            if let Some(value) = of(variant).filter(|value| value.is_finite()) {
                let _ = writeln!(out, "{name}{{{labels}}} {value}");
            }
        }
    };
    let time = |part: fn(&Estimate) -> f64| {
        move |variant: &VariantView| variant.summary.as_ref().map(|summary| part(&summary.time) / 1e9)
    };
    family("tare_time_seconds", "Expected cost of a call.", &time(|time| time.estimate));
    family("tare_time_low_seconds", "Lower end of the 95 % interval of tare_time_seconds.", &time(|time| time.low));
    family("tare_time_high_seconds", "Upper end of the 95 % interval of tare_time_seconds.", &time(|time| time.high));
    family("tare_typical_seconds", "What an undisturbed call takes.", &|variant| {
        variant.summary.as_ref()?.typical.map(|typical| typical.estimate / 1e9)
    });
    family("tare_launches", "Processes that it was measured in.", &|variant| {
        variant.summary.as_ref().map(|summary| summary.launches as f64)
    });
    family("tare_samples", "Samples over all launches.", &|variant| {
        variant.summary.as_ref().map(|summary| summary.samples as f64)
    });
    out.push_str("# EOF\n");
    Ok(Written { bytes: out.into_bytes(), notices: Vec::new() })
}

fn labels(exported: &Exported<'_>, view: &VariantView) -> String {
    let variant = &view.variant;
    let origin = &exported.view.origin;
    let tool = origin.imported.as_ref().map_or("tare", |imported| &imported.tool);
    let pairs = [
        ("run", origin.id.as_str()),
        ("variant", &variant.id),
        ("benchmark", &variant.case.benchmark),
        ("parameters", variant.case.parameters.name.as_deref().unwrap_or_default()),
        ("language", &variant.case.language),
        ("runtime", &variant.runtime.name),
        ("version", &variant.runtime.version),
        ("tool", tool),
        ("commit", origin.git.get("commit").map(String::as_str).unwrap_or_default()),
    ];
    let shown = pairs.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| {
        let value = printable(value).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("{name}=\"{value}\"")
    });
    shown.collect::<Vec<_>>().join(",")
}
