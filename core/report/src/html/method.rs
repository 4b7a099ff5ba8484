//! How it was measured: a paragraph that can stand in a paper, made from the run's own facts.

use std::collections::BTreeMap;

use maud::{Markup, html};
use tare_samples::{About, Imported, Runtime};

use crate::between_runs;
use crate::page_text::{command, shortened};
use crate::runtime_names::language_name;
use crate::text::abbreviated;
use crate::wording;
use tare_results::{ComparisonKind, ComparisonView, RunView};
use tare_statistics::comparison::Verdict;

/// Facts of the machine that decide how fast it is, in this order, with what stands before them.
const MACHINE: [(&str, &str); 9] = [
    ("cpu", ""),
    ("os", ""),
    ("kernel", "kernel "),
    ("virtualisation", "virtualisation "),
    ("governor", "frequency governor "),
    ("turbo", "turbo "),
    ("clocksource", "clock source "),
    ("workers", "workers "),
    ("lanes", "lanes "),
];
/// Facts of a runtime that change its speed, in this order.
const SPEED: [&str; 16] = [
    "implementation",
    "compiler",
    "flags",
    "optimisation",
    "optimize",
    "opcache",
    "jit",
    "xdebug",
    "debug",
    "zts",
    "gc",
    "gil",
    "GOGC",
    "GOMAXPROCS",
    "race",
    "turbo",
];
/// Columns of a fact.
const FACT: usize = 80;
/// Runtimes and revisions that are told.
const MOST: usize = 12;
/// Bytes of a command.
pub(super) const COMMAND: usize = 2_000;

pub(super) fn method(view: &RunView, again: Option<&str>) -> Markup {
    html! {
        section id="method" {
            h2 { "How it was measured" }
            p { (paragraph(view)) }
            @match again {
                Some(again) => {
                    @match machines(view) {
                        0 => p { "The command that does it again:" },
                        _ => p { "The command that does it again, on each machine; " code { "tare merge --replicas" } " of their stores then makes this report:" },
                    }
                    (command(&shortened(again, COMMAND)))
                }
                None => { p { "The command that made this run is not stored." } }
            }
        }
    }
}

/// Sentences without markup, to be copied.
fn paragraph(view: &RunView) -> String {
    let origin = &view.origin;
    if let Some(imported) = &origin.imported {
        return foreign(view, imported);
    }
    let mut said = vec![format!(
        "Measured with Tare {} (correction policy {}) on {}, run {}, seed {}.",
        shortened(&origin.tare, FACT),
        origin.policy,
        day(&origin.started),
        shortened(&origin.id, FACT),
        origin.seed
    )];
    said.extend(machine(&origin.machine));
    said.extend(runtimes(view));
    let proven = view.comparisons.count(Verdict::Unchanged);
    if proven > 0 {
        said.push(format!(
            "In {proven} comparisons everything that the case executes or reads is equal on both sides; Tare didn't measure these."
        ));
    }
    if view.variants.iter().all(|variant| variant.summary.is_none()) {
        said.extend(code(view));
        return said.join(" ");
    }
    said.extend(evidence(view));
    said.push(
        "The cost of the clock, the loop and the call was measured with an empty benchmark in the same rounds and subtracted.".to_owned(),
    );
    said.push(
        "The time of a call is the mean over launches of each launch's mean elapsed time per call, other processes' use of the core subtracted \
         where the runtime reports CPU time; its 95 % interval is Student's t over launches, widened where successive launches are correlated, with \
         the uncertainty of clock and call added in quadrature."
            .to_owned(),
    );
    said.extend(between_runs::phrase(view.variants.iter()).map(|phrase| {
        format!("Standard deviation between runs beyond that of launches, in the same quadrature: {phrase}.")
    }));
    said.extend(comparisons(view));
    said.extend(code(view));
    said.join(" ")
}

/// The same of a run that another tool measured.
fn foreign(view: &RunView, imported: &Imported) -> String {
    let origin = &view.origin;
    let tool = format!("{} {}", imported.tool, imported.version);
    let on = day(&origin.started);
    let when = match imported.time_told {
        true => format!("on {on}"),
        false => format!("at an unknown time (the file was last written on {on})"),
    };
    let mut said = vec![format!(
        "Measured with {} {when}, and imported from {} as run {}.",
        shortened(tool.trim(), FACT),
        shortened(&imported.file, FACT),
        shortened(&origin.id, FACT)
    )];
    said.extend(machine(&origin.machine));
    said.extend(runtimes(view));
    let taken_off = match imported.tool == tare_samples::OWN_TOOL {
        true => {
            "The cost of the clock, the loop and the call was measured beside them and subtracted before they were exported; its uncertainty is not in them."
        }
        false => {
            "Times are as that tool gave them: the cost of the clock, the loop and the call was not measured, and not subtracted."
        }
    };
    said.push(taken_off.to_owned());
    said.push(
        "An interval is that of the tool where it gives one at 95 %, else Student's t over processes, or over the samples of the only process, in their order and wider where neighbours go together; \
         where the file holds neither there is none."
            .to_owned(),
    );
    if view.comparisons.judged().next().is_some() {
        said.push(
            "Changes are ratios of candidate to base; their intervals cover only the scatter within each run. There is no verdict, since a change of the \
             machine between the runs would look like a change of the code."
                .to_owned(),
        );
    }
    said.extend(code(view));
    said.join(" ")
}

/// The day and the minute of an RFC 3339 time, in UTC.
pub(super) fn day(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(minute)) if started.is_ascii() && started.ends_with('Z') => {
            shortened(&format!("{day} at {minute} UTC"), FACT)
        }
        _ => shortened(started, FACT),
    }
}

fn machine(facts: &BTreeMap<String, String>) -> Option<String> {
    let mut parts: Vec<String> = MACHINE
        .iter()
        .filter_map(|(fact, lead)| facts.get(*fact).filter(|value| !value.is_empty()).map(|value| (lead, value)))
        .map(|(lead, value)| format!("{lead}{}", shortened(value, FACT)))
        .collect();
    if let (Some(cpus), Some(first)) = (facts.get("cpus"), parts.first_mut()) {
        *first = format!("{first} with {} logical CPUs", shortened(cpus, FACT));
    }
    (!parts.is_empty()).then(|| format!("The machine: {}.", parts.join(", ")))
}

fn runtimes(view: &RunView) -> Option<String> {
    let mut shown: Vec<String> = Vec::new();
    for variant in &view.variants {
        let runtime = &variant.variant.runtime;
        let text = described(runtime);
        if !runtime.version.is_empty() && shown.len() < MOST && !shown.contains(&text) {
            shown.push(text);
        }
    }
    (!shown.is_empty()).then(|| format!("The runtime{}: {}.", if shown.len() > 1 { "s" } else { "" }, shown.join("; ")))
}

fn described(runtime: &Runtime) -> String {
    let facts =
        SPEED.iter().filter_map(|fact| runtime.facts.get_key_value(*fact)).filter(|(_, value)| !value.is_empty());
    let facts: Vec<String> = facts.map(|(fact, value)| format!("{fact} {}", shortened(value, FACT))).collect();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    format!("{} {}{facts}", shortened(language_name(&runtime.language), FACT), shortened(&runtime.version, FACT))
}

/// The revisions that are compared, or the commit that was measured.
fn code(view: &RunView) -> Option<String> {
    let mut revisions: Vec<String> = Vec::new();
    for runtime in view.variants.iter().map(|variant| &variant.variant.runtime) {
        if let Some(revision) = runtime.revision() {
            let text = format!("{} ({})", shortened(&runtime.name, FACT), shortened(&abbreviated(revision), FACT));
            if revisions.len() < MOST && !revisions.contains(&text) {
                revisions.push(text);
            }
        }
    }
    if !revisions.is_empty() {
        return Some(format!("The revisions of the code: {}.", revisions.join(", ")));
    }
    let git = &view.origin.git;
    let commit: String = git.get("commit").filter(|commit| !commit.is_empty())?.chars().take(12).collect();
    let dirty = git.get("dirty").is_some_and(|dirty| dirty == "true");
    let dirty = if dirty { ", with changes that are not committed" } else { "" };
    Some(format!("The code was commit {}{dirty}.", shortened(&commit, FACT)))
}

/// How many machines made the same comparison; 0 of a run that is one machine's.
fn machines(view: &RunView) -> usize {
    view.comparisons.judged().filter_map(|pair| pair.machines.as_ref()).map(|found| found.each.len()).max().unwrap_or(0)
}

fn evidence(view: &RunView) -> Option<String> {
    let summaries = || view.variants.iter().filter_map(|variant| variant.summary.as_ref());
    let launches = range(summaries().map(|summary| summary.launches))?;
    let samples = range(summaries().map(|summary| summary.samples))?;
    let live = view.comparisons.judged().any(|pair| pair.kind == ComparisonKind::Live);
    let turns = match live {
        true => ", one process of each side alive at once and taking turns on one core in random order",
        false => "",
    };
    Some(format!(
        "Each benchmark was measured in {launches} fresh {}{turns}, with {samples} timed samples in all.",
        if launches == "1" { "process (launch)" } else { "processes (launches)" }
    ))
}

fn range(values: impl Iterator<Item = u64> + Clone) -> Option<String> {
    let (least, most) = (values.clone().min()?, values.max()?);
    Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
}

fn comparisons(view: &RunView) -> Vec<String> {
    let judged: Vec<&ComparisonView> = view.comparisons.judged().collect();
    let Some(first) = judged.first() else { return Vec::new() };
    let about = match first.comparison.about {
        About::Time => {
            "the average cost of a call; typical calls decide where they agree with it and are known more narrowly"
        }
        About::Typical => "typical calls",
    };
    let mut said = vec![format!(
        "Changes are ratios of candidate to base with {} intervals, about {about}. A change is called slower or faster only if its whole interval lies beyond a \
         margin of {}, and the same within x where it holds 0 and reaches no farther than x.",
        wording::confidences(&view.comparisons),
        wording::margins(&view.comparisons)
    )];
    let machines = machines(view);
    if machines > 0 {
        said.push(format!(
            "{machines} machines made the same comparisons, each by itself; the figures above are of the first of them. Their ratios are pooled with random effects (Paule and Mandel; Hartung, \
             Knapp, Sidik and Jonkman), so that intervals include the differences between machines; over all cases together the probability that identical code is called different is at \
             most 1 % (Holm's correction)."
        ));
    } else if judged.iter().any(|pair| pair.kind == ComparisonKind::Live) {
        said.push(
            "A difference also has to show in a second, fresh measurement; over all cases together the probability that identical code is called \
             different is at most 1 % (Holm's correction)."
                .to_owned(),
        );
    }
    if judged.iter().any(|pair| pair.kind == ComparisonKind::Stored) {
        said.push(
            "The runs were made at different times: their times were taken relative to fixed reference kernels of the same launches, and the intervals include \
             the differences between runs of the same code, so that over all cases together identical code is called different in at most 1 % of comparisons \
             (Bonferroni's correction)."
                .to_owned(),
        );
    }
    said
}
