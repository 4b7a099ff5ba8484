use tare_samples::{Imported, Outcome, Runtime, Spent};

use super::TableOptions;
use super::line::{Page, Style};
use crate::figure::time;
use crate::sides;
use crate::text::{abbreviated, one_line};
use tare_results::{RunView, VariantView};

/// Facts about a runtime that change its speed, in the order in which they are shown.
const FACTS: [&str; 8] = ["revision", "opcache", "jit", "xdebug", "debug", "zts", "gc", "optimisation"];
/// Facts that are on or off, whatever a worker calls that.
const SWITCHES: [&str; 8] = ["opcache", "jit", "xdebug", "debug", "zts", "gc", "optimisation", "turbo"];
/// What identifies a machine at a glance, in the order in which it is shown.
const MACHINE: [&str; 10] =
    ["cpu", "cpus", "os", "kernel", "virtualisation", "governor", "turbo", "clocksource", "workers", "lanes"];

/// Where the figures come from: how much evidence, which run, runtime and machine; with `verbose` where the time went.
pub(super) fn write(page: &mut Page, view: &RunView, options: &TableOptions) {
    page.gap();
    if let Some(spent) = view.spent.as_ref().filter(|_| options.verbose) {
        page.phrases(0, (Style::Dim, ""), Style::Dim, ", ", &shares(spent));
    }
    let outcomes = outcomes(view);
    if outcomes.len() > 1 || view.variants.is_empty() {
        page.phrases(0, (Style::Plain, ""), Style::Plain, ", ", &outcomes);
    }
    let mut run = evidence(&view.variants);
    match &view.origin.imported {
        Some(imported) => run.extend(origin(imported)),
        None if run.is_empty() => {}
        None => run.push(format!("seed {}", view.origin.seed)),
    }
    run.push(identity(view));
    if !view.origin.tags.is_empty() {
        run.push(tags(view));
    }
    foreign(page, &run);
    // Commits stand below the answer, where there are two sides.
    let commits = sides::of(view).is_some_and(|sides| sides.have_commits());
    for phrases in runtimes(&view.variants, options.verbose, commits) {
        foreign(page, &phrases);
    }
    let machine = machine(view, options.verbose);
    if !machine.is_empty() {
        foreign(page, &machine);
    }
}

/// A stored run in a line: what a column of a table side by side stands for.
pub(super) fn brief(page: &mut Page, tag: &str, view: &RunView) {
    let mut phrases = vec![view.origin.started.clone(), identity(view)];
    phrases.extend(evidence(&view.variants));
    phrases.extend(runtimes(&view.variants, false, false).iter().map(|runtime| runtime.join(" ")));
    let outcomes = outcomes(view);
    if outcomes.len() > 1 {
        phrases.extend(outcomes);
    }
    let lead = super::block::name(page, &format!("{tag}: "), 40);
    page.phrases(0, (Style::Dim, &lead), Style::Dim, ", ", &phrases);
}

/// Which tool measured it, in which file it said so, and where the start comes from if the file doesn't tell.
fn origin(imported: &Imported) -> Vec<String> {
    let tool = format!("{} {}", imported.tool, imported.version);
    let mut phrases =
        vec![format!("measured by {}", one_line(tool.trim())), format!("imported from {}", one_line(&imported.file))];
    if !imported.time_told {
        phrases.push("start unknown: the file was last written then".to_owned());
    }
    phrases
}

fn identity(view: &RunView) -> String {
    format!("run {}{}", view.origin.id, if view.stored { "" } else { " (not stored)" })
}

fn tags(view: &RunView) -> String {
    let tags: Vec<String> = view.origin.tags.iter().map(|tag| one_line(tag)).collect();
    format!("{} {}", if tags.len() == 1 { "tag" } else { "tags" }, tags.join(" "))
}

/// `18 measured, 1 failed, 1 skipped`; only those there are. What failed is counted as it is told: files too.
fn outcomes(view: &RunView) -> Vec<String> {
    let count = |is: fn(&Outcome) -> bool| view.variants.iter().filter(|v| is(&v.outcome)).count();
    // Nothing is measured of a case that is unchanged.
    let measured = view.variants.iter().filter(|v| v.outcome == Outcome::Ok && v.summary.is_some()).count();
    let counts = [
        (measured, "measured"),
        (view.failures(), "failed"),
        (count(|o| matches!(o, Outcome::Skipped(_))), "skipped"),
        (count(|o| matches!(o, Outcome::Interrupted)), "interrupted"),
    ];
    let found: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    match (&found[..], counts[0].0) {
        ([], _) if view.comparisons.unmeasured > 0 => vec!["0 measured".to_owned()],
        ([], _) => vec!["no cases".to_owned()],
        // A run in which nothing went well must not look like one in which nothing went wrong.
        (some, 0) => std::iter::once("0 measured".to_owned()).chain(some.iter().cloned()).collect(),
        _ => found,
    }
}

fn evidence(variants: &[VariantView]) -> Vec<String> {
    let summaries = || variants.iter().filter_map(|v| v.summary.as_ref());
    let mut phrases = Vec::new();
    if let Some((low, high)) = extent(summaries().map(|s| s.launches)) {
        phrases.push(counted(low, high, "process", "processes"));
    }
    if let Some((low, high)) = extent(summaries().map(|s| s.samples)) {
        phrases.push(format!("{} a case", counted(low, high, "sample", "samples")));
    }
    phrases
}

fn extent(values: impl Iterator<Item = u64>) -> Option<(u64, u64)> {
    values.fold(None, |extent, value| match extent {
        Some((low, high)) => Some((value.min(low), value.max(high))),
        None => Some((value, value)),
    })
}

fn counted(low: u64, high: u64, one: &str, many: &str) -> String {
    match (low, high) {
        (1, 1) => format!("1 {one}"),
        (low, high) if low == high => format!("{low} {many}"),
        (low, high) => format!("{low} to {high} {many}"),
    }
}

/// What is said of each runtime, once: the same one at two places, as nodes of a cluster have it, reads alike, and those that differ by name alone share a line.
/// `sides`: what tells two sides of a comparison apart is said elsewhere.
fn runtimes(variants: &[VariantView], all: bool, sides: bool) -> Vec<Vec<String>> {
    let mut runtimes: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    // A runtime that never came up has no version to show; its failure is shown instead.
    for variant in variants.iter().filter(|variant| !variant.variant.runtime.version.is_empty()) {
        let runtime = &variant.variant.runtime;
        let (name, phrases) = (one_line(&runtime.name), runtime_phrases(runtime, all, sides));
        match runtimes.iter_mut().find(|(_, known)| *known == phrases) {
            Some((names, _)) if names.contains(&name) => {}
            Some((names, _)) => names.push(name),
            None => runtimes.push((vec![name], phrases)),
        }
    }
    let one = runtimes.len() == 1 && sides;
    let line = |(names, mut phrases): (Vec<String>, Vec<String>)| {
        // The language's own name says nothing beside its version.
        let is_language = |name: &String| phrases.first().is_some_and(|first| first.split(' ').next() == Some(name));
        if !(one || names.len() == 1 && is_language(&names[0])) {
            phrases[0] = format!("{}: {}", names.join(", "), phrases[0]);
        }
        phrases
    };
    runtimes.into_iter().map(line).collect()
}

fn runtime_phrases(runtime: &Runtime, all: bool, sides: bool) -> Vec<String> {
    let name = format!("{} {}", runtime.language, runtime.version);
    let shown = |fact: &str| !(sides && fact == "revision");
    let known = FACTS.iter().filter(|fact| shown(fact)).filter_map(|fact| runtime.facts.get_key_value(*fact));
    let mut phrases = vec![one_line(&name)];
    phrases.extend(known.map(|(fact, value)| format!("{fact} {}", word_of(fact, value))));
    if all {
        let rest = runtime.facts.iter().filter(|(fact, _)| *fact != "series" && !FACTS.contains(&fact.as_str()));
        phrases.extend(rest.map(|(fact, value)| format!("{} {}", one_line(fact), word_of(fact, value))));
    }
    phrases
}

fn machine(view: &RunView, all: bool) -> Vec<String> {
    let machine = &view.origin.machine;
    let mut phrases: Vec<String> = Vec::new();
    for key in MACHINE {
        match (key, machine.get(key)) {
            (_, None) => {}
            ("cpu" | "os", Some(value)) => phrases.push(one_line(value)),
            ("cpus", Some(value)) => phrases.push(format!("{} CPUs", one_line(value))),
            ("lanes", Some(value)) => phrases.push(lanes(value)),
            (key, Some(value)) => phrases.push(format!("{key} {}", word_of(key, value))),
        }
    }
    if all {
        let rest = machine.iter().filter(|(key, _)| !MACHINE.contains(&key.as_str()));
        phrases.extend(rest.map(|(key, value)| format!("{} {}", one_line(key), word_of(key, value))));
    }
    phrases
}

/// `2 cases at once`: what the fact `lanes` says, in the order in which people say it.
fn lanes(value: &str) -> String {
    let value = one_line(value);
    let (count, rest) = value.split_at(value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len()));
    match (count, rest.trim_start_matches([' ', ',']).trim()) {
        ("", _) => format!("lanes {value}"),
        ("1", "") => "1 case at once".to_owned(),
        ("1", why) => {
            let bare = why.strip_prefix('(').and_then(|why| why.strip_suffix(')'));
            format!("1 case at once, {}", bare.unwrap_or(why))
        }
        (count, "") => format!("{count} cases at once"),
        (count, why) => format!("{count} cases at once, {why}"),
    }
}

/// A fact's value as a word. Numbers of what isn't known for a switch are numbers: GOMAXPROCS 1.
fn word_of(fact: &str, value: &str) -> String {
    match value {
        "0" if SWITCHES.contains(&fact) => "off".to_owned(),
        "1" if SWITCHES.contains(&fact) => "on".to_owned(),
        "" | "false" | "no" => "off".to_owned(),
        "true" | "yes" => "on".to_owned(),
        other if fact == "revision" => one_line(&abbreviated(other)),
        other => one_line(other),
    }
}

/// Phrases that come from outside, none longer than a line: what fits on one is whole.
fn foreign(page: &mut Page, phrases: &[String]) {
    // With what separates it from the next one.
    let longest = page.width.clamp(62, 100) - 2;
    let phrases: Vec<String> = phrases.iter().map(|phrase| super::block::name(page, phrase, longest)).collect();
    page.phrases(0, (Style::Dim, ""), Style::Dim, ", ", &phrases);
}

fn shares(spent: &Spent) -> Vec<String> {
    let (wall, all) = (spent.wall_ns.max(1) as f64, spent.of_lanes_ns().max(1) as f64);
    let share = |ns: u64| format!("{:.0} %", ns as f64 / all * 100.0);
    let lanes = if spent.lanes > 1 { format!(" on {} lanes", spent.lanes) } else { String::new() };
    let inside = [("subject", spent.subjects_ns()), ("null", spent.null_ns), ("other", spent.other_ns)];
    let inside: Vec<String> = inside.iter().map(|(name, ns)| format!("{name} {}", share(*ns))).collect();
    let mut phrases =
        vec![format!("timed samples {} of {}{lanes} ({})", share(spent.timed_ns()), time(wall), inside.join(", "))];
    let outside = [
        ("start-up", spent.startup_ns),
        ("warm-in", spent.warm_ns),
        ("wire", spent.wire_ns),
        ("untimed work of workers", spent.untimed_ns),
        ("rest", spent.rest_ns()),
    ];
    phrases.extend(outside.iter().filter(|(_, ns)| *ns > 0).map(|(name, ns)| format!("{name} {}", share(*ns))));
    phrases
}

#[cfg(test)]
mod tests {
    use super::super::TableOptions;
    use super::super::line::Page;
    use super::{foreign, lanes, word_of};

    #[test]
    fn what_fits_on_a_line_is_whole() {
        let said = lanes("1, 2 at first (with more the noise was 1.9 times as large)");
        assert_eq!(said, "1 case at once, 2 at first (with more the noise was 1.9 times as large)");
        let said = lanes("2, 4 at first (with more the noise was 1.4 times as large)");
        assert_eq!(said, "2 cases at once, 4 at first (with more the noise was 1.4 times as large)");
        assert_eq!(
            lanes("1 (benchmarks work in parallel, on every CPU)"),
            "1 case at once, benchmarks work in parallel, on every CPU"
        );
        assert_eq!(lanes("3"), "3 cases at once");
        let mut page = Page::new(&TableOptions { width: 80, ..TableOptions::default() });
        foreign(&mut page, &["2 CPUs".to_owned(), said.clone(), "x".repeat(1000)]);
        let shown = page.finish();
        assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(&said), "{shown}");
        assert!(shown.len() < 300, "{shown}");
    }

    #[test]
    fn a_number_is_no_switch() {
        for (fact, value, shown) in [
            ("GOMAXPROCS", "1", "1"),
            ("cpus", "0", "0"),
            ("opcache", "1", "on"),
            ("jit", "0", "off"),
            ("race", "no", "off"),
            ("optimised", "yes", "on"),
            ("GOGC", "100", "100"),
        ] {
            assert_eq!(word_of(fact, value), shown, "{fact}");
        }
    }
}
