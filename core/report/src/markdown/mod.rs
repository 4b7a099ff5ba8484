//! A summary for a pull request's comment, in GitHub-flavoured Markdown.

mod escape;
mod rows;

use std::fmt::Write as _;

use tare_samples::{FindingLevel, Outcome};
use tare_statistics::Warning;
use tare_statistics::comparison::Verdict;

use crate::between_runs;
use crate::wording;
use escape::{code, prose};
use rows::Rows;
use tare_results::{ComparisonView, GateOutcome, GateView, RunView};

/// Bytes of a comment. GitHub takes 65,536 characters; some are left for what a caller puts around it.
const LIMIT: usize = 60_000;
/// Of those, what is kept for the lines below the tables.
const FOOT: usize = 16_000;
/// Gates, warnings and names of a list that are told.
const TOLD: usize = 10;

/// The headline, what changed, what couldn't be told, the rest folded; at most 60,000 bytes. What is left out is counted.
///
/// Names and messages are made harmless: in it nothing links, mentions anyone or ends a cell.
pub fn markdown_summary(view: &RunView) -> String {
    let foot = foot(view);
    let mut text = String::new();
    let _ = writeln!(text, "### Tare: {}\n", headline(view));
    gates(&mut text, view);
    tables(&mut text, view, LIMIT.saturating_sub(foot.len()));
    text.push_str(&foot);
    text
}

/// Broken gates one by one, undecided ones by their rule: there may be as many as there are cases.
fn gates(text: &mut String, view: &RunView) {
    let of = |outcome| view.comparisons.gates.iter().filter(move |gate| gate.outcome == outcome);
    let paragraph = |text: &mut String, lead: &str, gate: &GateView| {
        let (title, rule) = (code(&gate.title, false), code(&gate.rule, false));
        let _ = writeln!(text, "**{lead}:** {title}, {rule}: {}\n", prose(&gate.message));
    };
    for gate in of(GateOutcome::Tripped).take(TOLD) {
        paragraph(text, "Gate tripped", gate);
    }
    more(text, of(GateOutcome::Tripped).count().saturating_sub(TOLD), "tripped gates");
    let mut rules: Vec<(&str, Vec<&GateView>)> = Vec::new();
    for gate in of(GateOutcome::Undecided) {
        match rules.iter_mut().find(|(rule, _)| *rule == gate.rule) {
            Some((_, gates)) => gates.push(gate),
            None => rules.push((&gate.rule, vec![gate])),
        }
    }
    for (rule, gates) in rules.iter().take(TOLD) {
        if let [one] = gates.as_slice() {
            paragraph(text, "Gate undecided", one);
            continue;
        }
        // What isn't compared has no row that could say so.
        let without_row = gates.iter().filter(|gate| !rows::has_row(view, gate));
        let without_row: Vec<&str> = without_row.map(|gate| gate.title.as_str()).collect();
        let which = match without_row.as_slice() {
            [] => "their rows say so".to_owned(),
            titles => listed(titles),
        };
        let _ = writeln!(text, "**Gate undecided** in {} cases, {}: {which}\n", gates.len(), code(rule, false));
    }
    more(text, rules.len().saturating_sub(TOLD), "rules that are undecided");
}

fn more(text: &mut String, left: usize, what: &str) {
    if left > 0 {
        let _ = writeln!(text, "… and {left} more {what}\n");
    }
}

/// `**2 slower**, 1 faster, 37 same` or, where nothing is compared, how many were measured.
fn headline(view: &RunView) -> String {
    let mut parts: Vec<String> = wording::counts(&view.comparisons)
        .into_iter()
        .map(|(verdict, text)| if verdict.is_difference() { format!("**{text}**") } else { text })
        .collect();
    let count = |is: fn(&Outcome) -> bool| view.variants.iter().filter(|v| is(&v.outcome)).count();
    if parts.is_empty() {
        parts.push(format!("{} measured", count(|o| matches!(o, Outcome::Ok))));
    }
    let failed = count(|o| matches!(o, Outcome::Failed(_))) + view.file_failures.len();
    if failed > 0 {
        parts.push(format!("**{failed} failed**"));
    }
    parts.join(", ")
}

fn tables(text: &mut String, view: &RunView, limit: usize) {
    let judged: Vec<&ComparisonView> = view.comparisons.judged().collect();
    if judged.is_empty() {
        Rows::of_variants(view).write(text, limit);
        return;
    }
    let shown = [Verdict::Slower, Verdict::Faster, Verdict::Inconclusive];
    let mut told: Vec<&ComparisonView> = Vec::new();
    for verdict in shown {
        let mut members: Vec<&ComparisonView> =
            judged.iter().filter(|pair| pair.comparison.verdict == verdict).copied().collect();
        if verdict.is_difference() {
            // The largest change first.
            let size =
                |pair: &ComparisonView| wording::ratio(pair.comparison.shown()).map_or(0.0, |r| r.estimate.ln().abs());
            members.sort_by(|a, b| size(b).total_cmp(&size(a)));
        }
        told.extend(members);
    }
    let same: Vec<&ComparisonView> =
        judged.iter().filter(|pair| pair.comparison.verdict == Verdict::Same).copied().collect();
    // What is folded gets a quarter at least, lest many changes leave no room to say what stayed.
    Rows::of_pairs(view, &told).write(text, if same.is_empty() { limit } else { limit / 4 * 3 });
    if !same.is_empty() {
        let _ = writeln!(text, "<details><summary>{} same</summary>\n", same.len());
        Rows::of_pairs(view, &same).write(text, limit.saturating_sub("</details>\n\n".len()));
        text.push_str("</details>\n\n");
    }
    Rows::of_allocations(view).write(text, limit);
}

/// Means, noise floor, cases without a partner, failures, warnings, the machine, how to read it: [`FOOT`] bytes at most.
fn foot(view: &RunView) -> String {
    let comparisons = &view.comparisons;
    let mut lines: Vec<String> = Vec::new();
    for mean in comparisons.geometric_means.iter().take(TOLD) {
        if let Some(ratio) = wording::ratio(mean.ratio) {
            let of = if mean.group.is_empty() { "all".to_owned() } else { code(&mean.group, false) };
            let change = rows::figure(&ratio);
            let candidate = code(&mean.candidate_label, false);
            let without: Vec<&str> = mean.left_out.iter().map(String::as_str).collect();
            let without = if without.is_empty() { String::new() } else { format!("; without {}", listed(&without)) };
            lines.push(format!("Geometric mean over {of} ({} cases), {candidate}: {change}{without}", mean.cases));
        }
    }
    if let Some(floor) = comparisons.noise_floor() {
        lines.push(format!("Noise floor: {}", wording::noise(&floor).join(", ")));
    }
    for (side, titles) in wording::unpaired(comparisons) {
        lines.push(format!("Only in {}: {}", code(side, false), listed(&titles)));
    }
    lines.extend(wording::rescaled(comparisons).map(|text| prose(&text)));
    failures(&mut lines, view);
    lines.extend(comparisons.warnings.iter().map(|warning| warned(warning, &[], true)));
    let warnings = wording::warnings(comparisons);
    lines.extend(warnings.iter().take(TOLD).map(|told| warned(told.warning, &told.titles, told.alike)));
    if warnings.len() > TOLD {
        lines.push(format!("… and {} more warnings", warnings.len() - TOLD));
    }
    let disturbing = view.origin.findings.iter().filter(|finding| finding.level == FindingLevel::Disturbs);
    let disturbing: Vec<String> =
        disturbing.take(TOLD).map(|finding| code(&format!("{} {}", finding.code, finding.found), false)).collect();
    if !disturbing.is_empty() {
        lines.push(format!("**Disturbed by** {}", disturbing.join(", ")));
    }
    let ends = ends(view);
    let mut text = String::new();
    let room = FOOT.saturating_sub(ends.len());
    let mut left = 0;
    for line in lines {
        if text.len() + line.len() + 2 <= room {
            text.push_str(&line);
            text.push_str("\n\n");
        } else {
            left += 1;
        }
    }
    more(&mut text, left, "notes");
    text + &ends
}

/// The machine, and how to read the tables.
fn ends(view: &RunView) -> String {
    let origin = &view.origin;
    let facts = ["cpu", "cpus", "os", "virtualisation", "governor"].iter().filter_map(|fact| {
        let value = origin.machine.get(*fact)?;
        Some(match *fact {
            "cpus" => format!("{value} CPUs"),
            "governor" => format!("governor {value}"),
            "virtualisation" => match value.as_str() {
                "yes" | "true" => "virtual machine".to_owned(),
                "" | "no" | "none" | "false" => return None,
                kind => format!("virtual machine ({kind})"),
            },
            _ => value.clone(),
        })
    });
    let facts: Vec<String> = facts.chain([format!("run {}", origin.id)]).map(|fact| code(&fact, false)).collect();
    let mut text = format!("<sub>Machine: {}</sub>\n\n", facts.join(", "));
    if view.comparisons.judged().next().is_some() {
        let _ = writeln!(
            text,
            "<sub>How to read it: a change counts only where its whole interval lies beyond the margin, and if it was \
             measured live, a second, fresh measurement has to show it too; `undecided (would have seen x)`: a difference of x is called in four of five such comparisons ({}).</sub>",
            wording::settings(&view.comparisons)
        );
    } else {
        let differing = match between_runs::phrase(view.variants.iter()) {
            Some(phrase) => format!(" What runs differ by beyond their launches (standard deviation): {phrase}."),
            None => String::new(),
        };
        let _ = writeln!(
            text,
            "<sub>How to read it: time per call; the cost of loop, call and clock is subtracted.{differing}</sub>"
        );
    }
    text
}

fn failures(lines: &mut Vec<String>, view: &RunView) {
    let failed = view.variants.iter().filter_map(|v| match &v.outcome {
        Outcome::Failed(failure) => Some((v.title(), failure)),
        _ => None,
    });
    let all: Vec<_> = failed.chain(view.file_failures.iter().map(|f| (f.file.clone(), f))).collect();
    for (title, failure) in all.iter().take(TOLD) {
        lines.push(format!("**Failed:** {}: {}: {}", code(title, false), failure.kind, prose(&failure.message)));
    }
    if all.len() > TOLD {
        lines.push(format!("… and {} more failures", all.len() - TOLD));
    }
}

fn listed(titles: &[&str]) -> String {
    let mut names: Vec<String> = titles.iter().take(TOLD).map(|title| code(title, false)).collect();
    if titles.len() > TOLD {
        names.push(format!("… and {} more", titles.len() - TOLD));
    }
    names.join(", ")
}

fn warned(warning: &Warning, titles: &[&str], alike: bool) -> String {
    let about = if titles.is_empty() { String::new() } else { format!(" ({})", listed(titles)) };
    let lead = if alike { "" } else { "e.g. " };
    let mut text = format!("**Warning** {}{about}: {lead}{}", code(&warning.code, false), prose(&warning.message));
    if !warning.remedy.trim().is_empty() {
        let _ = write!(text, " → {}", prose(&warning.remedy));
    }
    text
}
