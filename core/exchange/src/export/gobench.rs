//! benchfmt: a line for each launch with its time, and its typical call. Of a single launch its samples are all that scatters: a line for each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use tare_samples::{fnv1a, printable};

use super::names::word;
use super::{Exported, ExportedVariant, Written, measured_by};
use crate::fault::Fault;

pub(super) fn write(exported: &Exported<'_>) -> Result<Written, Fault> {
    let origin = &exported.view.origin;
    let mut out = String::new();
    // benchstat makes a table for each set of values: what differs from run to run is a remark, so that two files stand side by side.
    let mut head = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "{name}: {}", printable(value).trim());
        }
    };
    let machine = |name: &str| origin.machine.get(name).map(String::as_str).unwrap_or_default();
    head("cpu", machine("cpu"));
    head("# run", &origin.id);
    head("tool", &measured_by(origin));
    head("# commit", origin.git.get("commit").map(String::as_str).unwrap_or_default());
    let owns: BTreeSet<_> = exported.variants.iter().map(own).collect();
    // One for all of it says nothing that tells the lines apart.
    let remark = if owns.len() > 1 { "" } else { "# " };
    let mut runtime = None;
    let mut words: BTreeMap<(String, (&str, &str)), usize> = BTreeMap::new();
    for variant in &exported.variants {
        *words.entry((bare_name(variant), own(variant))).or_default() += 1;
    }
    let mut notices = Vec::new();
    for variant in &exported.variants {
        if variant.times.is_empty() {
            notices.push(format!("{} has no samples, and is left out", printable(&variant.name())));
            continue;
        }
        if variant.times.iter().any(|(time, samples)| *time < 0.0 || samples.iter().any(|sample| *sample < 0.0)) {
            // Readers of the format refuse the whole file for one of them.
            notices.push(format!("{} has times below 0, and is left out", printable(&variant.name())));
            continue;
        }
        let own = own(variant);
        if runtime != Some(own) {
            // An empty value takes back what was said before.
            let (name, label) = (printable(own.0), printable(own.1));
            let _ = writeln!(out, "{remark}runtime: {}\n{remark}label: {}", name.trim(), label.trim());
            runtime = Some(own);
        }
        let of_samples = variant.times.len() == 1;
        if of_samples {
            out.push_str("line: sample\n");
        }
        lines(&mut out, variant, &name_of(variant, &words));
        if of_samples {
            out.push_str("line:\n");
        }
    }
    Ok(Written { bytes: out.into_bytes(), notices })
}

/// What tells variants of a case apart.
fn own<'v>(variant: &'v ExportedVariant<'_>) -> (&'v str, &'v str) {
    (&variant.view.variant.runtime.name, &variant.view.variant.label)
}

/// The name that no other variant of this runtime and label has: `a b` and `a_b` are one word. A hash of the whole name tells them apart, since a number by
/// their order would be another benchmark's in the next file.
fn name_of<'v>(variant: &'v ExportedVariant<'_>, words: &BTreeMap<(String, (&'v str, &'v str)), usize>) -> String {
    let word = (bare_name(variant), own(variant));
    match words.get(&word) {
        Some(2..) => format!("{}~{:08x}", word.0, fnv1a(variant.view.variant.id.bytes()) as u32),
        _ => word.0,
    }
}

fn bare_name(variant: &ExportedVariant<'_>) -> String {
    let case = &variant.view.variant.case;
    let own = case.benchmark.strip_prefix("Benchmark").unwrap_or(&case.benchmark);
    let mut name = word(own);
    // After the word comes no small letter, else it is no benchmark to a reader of the format.
    if name.chars().next().is_none_or(char::is_lowercase) {
        name.insert(0, '/');
    }
    if let [(setting, processors)] = case.parameters.values.as_slice()
        && variant.view.variant.is_imported()
        && setting == "GOMAXPROCS"
        && processors.bytes().all(|byte| byte.is_ascii_digit())
    {
        return format!("{name}-{processors}");
    }
    if let Some(set) = &case.parameters.name {
        let _ = write!(name, "/{}", word(set));
    }
    // `-8` at the end would be read as a number of processors.
    if name.rsplit_once('-').is_some_and(|(_, end)| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit())) {
        name.push('_');
    }
    name
}

fn lines(out: &mut String, variant: &ExportedVariant<'_>, name: &str) {
    // Counted once for all launches, so each line says the same.
    let allocated = variant
        .view
        .calibration
        .as_ref()
        .and_then(|calibration| calibration.reported.allocations)
        .map(|one| format!(" {} B/op {} allocs/op", one.bytes_per_call(), one.per_call()))
        .unwrap_or_default();
    let work = variant.view.calibration.as_ref().and_then(|calibration| calibration.work.as_ref());
    // Of several threads a part is counted.
    let executed = work
        .filter(|work| !work.several_threads())
        .map(|work| work.per_call())
        .filter(|count| count.is_finite() && *count >= 0.0);
    let allocated = executed.map_or(allocated.clone(), |count| format!("{allocated} {count} instructions/op"));
    let processed = variant.view.calibration.as_ref().and_then(|calibration| calibration.reported.bytes);
    let rate = |time: f64| match processed.filter(|_| time > 0.0) {
        Some(bytes) => format!(" {} MB/s", bytes as f64 / time * 1e3),
        None => String::new(),
    };
    if let [(_, samples)] = variant.times.as_slice() {
        let calls = (variant.calls(0) / samples.len().max(1) as u64).max(1);
        for sample in samples {
            let _ = writeln!(out, "Benchmark{name} {calls} {sample} ns/op{}{allocated}", rate(*sample));
        }
        return;
    }
    for (number, (time, samples)) in variant.times.iter().enumerate() {
        let mut sorted = samples.clone();
        tare_statistics::quantile::sort(&mut sorted);
        let _ = write!(out, "Benchmark{name} {} {time} ns/op{}", variant.calls(number), rate(*time));
        if let Some(median) = tare_statistics::quantile::median(&sorted) {
            let _ = write!(out, " {median} typical-ns/op");
        }
        let _ = writeln!(out, "{allocated}");
    }
}
