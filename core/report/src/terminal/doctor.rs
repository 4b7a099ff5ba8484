//! What `tare doctor` found: the worst first, each with its remedy; what is good in a paragraph.

use tare_samples::{Finding, FindingLevel};

use super::TableOptions;
use super::line::{Page, Style};
use super::{block, noise};
use crate::text::one_line;
use tare_results::{DoctorView, RuntimeFitness};

/// Where findings begin; the words before say how much they matter.
const INDENT: usize = 13;
/// Columns of a finding that is only mentioned.
const LONGEST: usize = 100;
/// What identifies a machine at a glance.
const MACHINE: [&str; 5] = ["cpu", "cpus", "os", "kernel", "memory"];

/// The machine, each runtime, the noise floor where it was measured, and how many findings matter.
pub fn doctor_report(view: &DoctorView, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    block::heading(&mut page, "machine");
    machine(&mut page, view);
    findings(&mut page, &view.findings, options.verbose);
    for runtime in &view.runtimes {
        page.gap();
        of_runtime(&mut page, runtime, options.verbose);
    }
    if !view.not_installed.is_empty() {
        page.gap();
        page.phrases(0, (Style::Dim, "not installed: "), Style::Dim, ", ", &view.not_installed);
    }
    if let Some(view) = &view.noise {
        page.gap();
        block::heading(&mut page, "noise floor");
        noise::write(&mut page, view);
    }
    if view.interrupted {
        page.gap();
        page.prose(0, (Style::Yellow, "interrupted: "), Style::Plain, "the report shows only what was ready by then");
    }
    page.gap();
    summary(&mut page, view);
    page.finish()
}

fn machine(page: &mut Page, view: &DoctorView) {
    let fact = |name: &str| {
        let value = view.machine.get(name)?;
        let value = match name {
            "cpus" => format!("{} {}", one_line(value), if value == "1" { "CPU" } else { "CPUs" }),
            "kernel" => format!("kernel {}", one_line(value)),
            _ => one_line(value),
        };
        Some(block::name(page, &value, 60))
    };
    let facts: Vec<String> = MACHINE.iter().filter_map(|name| fact(name)).collect();
    if !facts.is_empty() {
        page.phrases(0, (Style::Dim, ""), Style::Dim, ", ", &facts);
    }
}

fn of_runtime(page: &mut Page, runtime: &RuntimeFitness, verbose: bool) {
    let mut name = format!("{} {}", runtime.language, runtime.version);
    if runtime.name != runtime.language {
        name = format!("{}: {name}", runtime.name);
    }
    block::heading(page, name.trim_end());
    if let Some(failure) = &runtime.failure {
        page.prose(0, (Style::Red, &lead("failed")), Style::Plain, &failure.message);
        if !failure.remedy.trim().is_empty() {
            page.prose(INDENT, (Style::Plain, "→ "), Style::Plain, &failure.remedy);
        }
        return;
    }
    if runtime.findings.is_empty() {
        page.prose(0, (Style::Dim, &lead("unknown")), Style::Plain, "Tare knows no rule to judge it by");
    }
    findings(page, &runtime.findings, verbose);
}

fn findings(page: &mut Page, findings: &[Finding], verbose: bool) {
    let of = |level: FindingLevel| findings.iter().filter(move |finding| finding.level == level);
    for (level, style, word) in [
        (FindingLevel::Disturbs, Style::Red, "disturbs"),
        (FindingLevel::MayDisturb, Style::Yellow, "may disturb"),
        (FindingLevel::Unknown, Style::Dim, "unknown"),
    ] {
        for finding in of(level) {
            page.prose(0, (style, &lead(word)), Style::Plain, &what(finding));
            if (verbose || level != FindingLevel::Unknown) && !finding.effect.is_empty() {
                page.prose(INDENT, (Style::Plain, ""), Style::Dim, &one_line(&finding.effect));
            }
            if !finding.remedy.is_empty() {
                page.prose(INDENT, (Style::Plain, "→ "), Style::Plain, &one_line(&finding.remedy));
            }
        }
    }
    let good: Vec<String> = of(FindingLevel::Good)
        .map(|finding| block::name(page, &format!("{} {}", one_line(&finding.code), one_line(&finding.found)), LONGEST))
        .collect();
    if !good.is_empty() {
        let lead = lead("good");
        if verbose {
            page.prose(0, (Style::Green, &lead), Style::Plain, &good.join("\n"));
        } else {
            page.phrases(0, (Style::Green, &lead), Style::Plain, "; ", &good);
        }
    }
}

fn what(finding: &Finding) -> String {
    format!("{}: {}", one_line(&finding.code), one_line(&finding.found))
}

/// A word that fills the column before findings.
fn lead(word: &str) -> String {
    format!("{word:<INDENT$}")
}

fn summary(page: &mut Page, view: &DoctorView) {
    let all = view.findings.iter().chain(view.runtimes.iter().flat_map(|runtime| &runtime.findings));
    let count = |wanted: FindingLevel| all.clone().filter(|finding| finding.level == wanted).count();
    let failed = view.runtimes.iter().filter(|runtime| runtime.failure.is_some()).count();
    let counts = [
        (failed, "failed"),
        (count(FindingLevel::Disturbs), "disturb"),
        (count(FindingLevel::MayDisturb), "may disturb"),
        (count(FindingLevel::Unknown), "unknown"),
        (count(FindingLevel::Good), "good"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if !counts.is_empty() {
        page.phrases(0, (Style::Plain, ""), Style::Plain, ", ", &counts);
    }
}
