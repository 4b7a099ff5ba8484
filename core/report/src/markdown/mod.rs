//! A summary for a pull request's comment, in GitHub-flavoured Markdown.

mod escape;
mod rows;

use std::fmt::Write as _;
use tare_samples::{Cause, by_cause};

use tare_samples::{FindingLevel, Outcome};
use tare_statistics::Warning;
use tare_statistics::comparison::Verdict;

use crate::answer::{Answer, Clause};
use crate::between_runs;
use crate::names::{self, Names};
use crate::order::ordered;
use crate::{sides, wording};
use escape::{code, prose};
use rows::Rows;
use tare_results::{ComparisonView, GateOutcome, GateView, NoticeLevel, NoticeView, RunEnd, RunView};

/// Bytes of a comment. GitHub takes 65,536 characters; some are left for what a caller puts around it.
const LIMIT: usize = 60_000;
/// Of those, what is kept for the lines below the tables.
const FOOT: usize = 16_000;
/// Lines of a failure's message after the first.
const LINES_OF_FAILURE: usize = 20;
/// As many rules of gates, warnings, and names of a list are told.
const TOLD: usize = 10;
/// As many tripped gates of a rule as this have a line each; of more the names are listed.
const GATES_ALONE: usize = 3;
/// Undecided rows that stand open; more of them are folded.
const OPEN_ROWS: usize = 10;

/// The answer, both sides with their commits, what changed, what couldn't be told, the rest folded; at most 60,000 bytes. What is left out is counted.
///
/// Names and messages are made harmless: in it nothing links, mentions anyone or ends a cell.
pub fn markdown_summary(view: &RunView) -> String {
    let foot = foot(view);
    let mut text = String::new();
    let _ = writeln!(text, "### {}\n", answer(view));
    if let Some(sides) = sides::of(view) {
        let _ = writeln!(text, "{}\n", sides.text(|name| code(name, false)));
    }
    if let Some(shared) = wording::of_session(&view.comparisons) {
        let _ = writeln!(text, "{}\n", prose(&shared));
    }
    if let Some(why) = wording::why_measured(&view.comparisons) {
        let _ = writeln!(text, "{}\n", prose(&why));
    }
    if let Some(ended) = &view.ended {
        let _ = writeln!(text, "**{}:** {}\n", outcome(view, ended), prose(&ended.why));
    }
    gates(&mut text, view);
    tables(&mut text, view, LIMIT.saturating_sub(foot.len()));
    text.push_str(&foot);
    text
}

/// A word for how it ended. Where gates are undecided, and those of no comparison that was measured could be decided, or one that looks different lacks its second measurement, that
/// isn't called passed.
fn outcome(view: &RunView, ended: &RunEnd) -> &'static str {
    let comparisons = &view.comparisons;
    let undecided = |pair: &ComparisonView| {
        let of_pair =
            |gate: &&GateView| (gate.base.as_ref(), &gate.variant) == (Some(&pair.base.id), &pair.candidate.id);
        comparisons.gates.iter().filter(of_pair).any(|gate| gate.outcome == GateOutcome::Undecided)
    };
    let mut measured = comparisons.judged().filter(|pair| pair.comparison.verdict != Verdict::Unchanged);
    let is_suspected = comparisons.judged().any(|pair| is_suspect(pair) && undecided(pair));
    let some_undecided = comparisons.gates.iter().any(|gate| gate.outcome == GateOutcome::Undecided);
    match ended.passed {
        false => "Failed",
        true if is_suspected || some_undecided && measured.all(undecided) => "Not decided",
        true => "Passed",
    }
}

/// It looked different, and wasn't called so.
fn is_suspect(pair: &ComparisonView) -> bool {
    pair.comparison.flag.is_some() && pair.comparison.verdict == Verdict::Inconclusive
}

/// The sentence.
fn answer(view: &RunView) -> String {
    let clauses = Answer::of(view).clauses;
    // The words of Tare's own have no other mark that Markdown reads.
    let words = |part: &String| part.replace('<', "&lt;");
    let clause = |clause: &Clause| -> String {
        let parts = clause.parts.iter().enumerate();
        parts.map(|(at, part)| if at % 2 == 1 { code(part, false) } else { words(part) }).collect()
    };
    clauses.iter().map(clause).collect::<Vec<_>>().join("; ")
}

/// Gates by their rule, one by one where they are few: there may be as many as there are cases, and the table has their figures.
fn gates(text: &mut String, view: &RunView) {
    let shared = Names::of_comparisons(&view.comparisons);
    let name = |gate: &GateView| shared.short(&names::of_gate(gate, &view.comparisons)).to_owned();
    let paragraph = |text: &mut String, lead: &str, gate: &GateView| {
        let (title, rule) = (code(&name(gate), false), code(&gate.rule, false));
        let _ = writeln!(text, "**{lead}:** {title}, {rule}: {}\n", prose(&gate.message));
    };
    let outcomes = [(GateOutcome::Tripped, "tripped", GATES_ALONE), (GateOutcome::Undecided, "undecided", 1)];
    for (outcome, word, alone) in outcomes {
        let mut rules: Vec<(&str, Vec<&GateView>)> = Vec::new();
        for gate in view.comparisons.gates.iter().filter(|gate| gate.outcome == outcome) {
            match rules.iter_mut().find(|(rule, _)| *rule == gate.rule) {
                Some((_, gates)) => gates.push(gate),
                None => rules.push((&gate.rule, vec![gate])),
            }
        }
        for (rule, gates) in rules.iter().take(TOLD) {
            if gates.len() <= alone {
                gates.iter().for_each(|gate| paragraph(text, &format!("Gate {word}"), gate));
                continue;
            }
            let titles: Vec<String> = gates.iter().map(|gate| name(gate)).collect();
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            let _ = writeln!(text, "**{} gates {word}**, {}: {}\n", gates.len(), code(rule, false), listed(&titles));
        }
        more(text, rules.len().saturating_sub(TOLD), &format!("rules that are {word}"));
    }
}

fn more(text: &mut String, left: usize, what: &str) {
    if left > 0 {
        let _ = writeln!(text, "… and {left} more {what}\n");
    }
}

fn tables(text: &mut String, view: &RunView, limit: usize) {
    let judged: Vec<&ComparisonView> = ordered(view.comparisons.judged()).into_iter().map(|(_, pair)| pair).collect();
    if judged.is_empty() {
        Rows::of_variants(view).write(text, limit);
        return;
    }
    let of = |verdicts: &[Verdict]| -> Vec<&ComparisonView> {
        judged.iter().filter(|pair| verdicts.contains(&pair.comparison.verdict)).copied().collect()
    };
    let (mut told, mut undecided) = (of(&[Verdict::Slower, Verdict::Faster]), of(&[Verdict::Inconclusive]));
    if undecided.len() <= OPEN_ROWS {
        told.append(&mut undecided);
    }
    // What may be a slowdown isn't folded.
    let (suspects, undecided): (Vec<_>, Vec<_>) = undecided.into_iter().partition(|pair| is_suspect(pair));
    told.extend(suspects);
    let folds = [undecided, of(&[Verdict::Same]), of(&[Verdict::Unchanged])];
    // What is folded gets a quarter at least, lest many changes leave no room to say what stayed.
    let is_folded = folds.iter().any(|pairs| !pairs.is_empty());
    Rows::of_pairs(view, &told).write(text, if is_folded { limit / 4 * 3 } else { limit });
    for pairs in folds.iter().filter(|pairs| !pairs.is_empty()) {
        let verdict = pairs[0].comparison.verdict;
        let covers = wording::proven(pairs.iter().filter_map(|pair| pair.comparison.proof.as_ref()));
        let covers = covers.map_or_else(String::new, |covers| format!(": {covers}"));
        let _ = writeln!(text, "<details><summary>{} {}{covers}</summary>\n", pairs.len(), wording::word(verdict));
        let rows =
            if verdict == Verdict::Unchanged { Rows::of_proofs(view, pairs) } else { Rows::of_pairs(view, pairs) };
        rows.write(text, limit.saturating_sub("</details>\n\n".len()));
        text.push_str("</details>\n\n");
    }
    Rows::of_allocations(view).write(text, limit);
}

/// What to know of the result, and folded how it was measured: [`FOOT`] bytes at most.
fn foot(view: &RunView) -> String {
    let comparisons = &view.comparisons;
    let shared = Names::of_comparisons(comparisons);
    let short = |titles: &[&str]| listed(&titles.iter().map(|title| shared.short(title)).collect::<Vec<_>>());
    let mut lines: Vec<String> = Vec::new();
    let mut folded: Vec<String> = Vec::new();
    for mean in comparisons.geometric_means.iter().take(TOLD) {
        if let Some(ratio) = wording::ratio(mean.ratio) {
            let of = if mean.group.is_empty() { "all".to_owned() } else { code(&mean.group, false) };
            let change = rows::figure(&ratio);
            let candidate = code(&mean.candidate_label, false);
            let said = wording::said_of_mean(mean);
            let said = if said.is_empty() { said } else { format!(", {said}") };
            let is_unchanged = |title: &str| {
                let mut of_title = comparisons.judged().filter(|pair| pair.title == title);
                of_title.any(|pair| pair.comparison.verdict == Verdict::Unchanged)
            };
            let without: Vec<&str> =
                mean.left_out.iter().map(String::as_str).filter(|one| !is_unchanged(one)).collect();
            let without = if without.is_empty() { String::new() } else { format!("; without {}", short(&without)) };
            folded
                .push(format!("Geometric mean over {of} ({} cases), {candidate}: {change}{said}{without}", mean.cases));
        }
    }
    for (side, titles) in wording::unpaired(comparisons) {
        lines.push(format!("Only in {}: {}", code(side, false), short(&titles)));
    }
    failures(&mut lines, view);
    // What was left out, or understood differently. What could not be loaded is among the failures.
    let notices: Vec<&NoticeView> = view.notices.iter().filter(|notice| notice.level == NoticeLevel::Warning).collect();
    for notice in notices.iter().take(TOLD) {
        let remedy = if notice.remedy.is_empty() { String::new() } else { format!(" → {}", prose(&notice.remedy)) };
        lines.push(format!("**Note:** {}{remedy}", prose(&notice.message)));
    }
    if notices.len() > TOLD {
        lines.push(format!("… and {} more notes", notices.len() - TOLD));
    }
    // What may have made a difference that is called has to be seen beside it.
    let differs = |title: &&str| {
        let mut of_title = comparisons.judged().filter(|pair| pair.title == **title);
        of_title.any(|pair| pair.comparison.verdict.is_difference())
    };
    let any = comparisons.judged().any(|pair| pair.comparison.verdict.is_difference());
    for warning in &comparisons.warnings {
        if any { &mut lines } else { &mut folded }.push(warned(warning, "", true));
    }
    let warnings = wording::warnings(comparisons);
    for told in warnings.iter().take(TOLD) {
        let line = warned(told.warning, &format!(" ({})", short(&told.titles)), told.alike);
        if told.titles.iter().any(differs) { &mut lines } else { &mut folded }.push(line);
    }
    if warnings.len() > TOLD {
        folded.push(format!("… and {} more warnings", warnings.len() - TOLD));
    }
    if let Some(floor) = comparisons.noise_floor() {
        folded.push(format!("Noise floor: {}", wording::noise(&floor).join(", ")));
    }
    folded.extend(wording::rescaled(comparisons).map(|text| prose(&text)));
    let disturbing = view.origin.findings.iter().filter(|finding| finding.level == FindingLevel::Disturbs);
    let disturbing: Vec<String> =
        disturbing.take(TOLD).map(|finding| code(&format!("{} {}", finding.code, finding.found), false)).collect();
    if !disturbing.is_empty() {
        folded.push(format!("**Disturbed by** {}", disturbing.join(", ")));
    }
    let ends = ends(view);
    let room = FOOT.saturating_sub(ends.len() + 200);
    let mut text = String::new();
    bounded(&mut text, &lines, room / 2);
    let _ = writeln!(text, "<details><summary>How it was measured</summary>\n");
    bounded(&mut text, &folded, room / 2);
    text + &ends + "\n</details>\n"
}

/// The lines that fit into so many bytes; the others are counted.
fn bounded(text: &mut String, lines: &[String], room: usize) {
    let end = text.len() + room;
    let mut left = 0;
    for line in lines {
        if text.len() + line.len() + 2 <= end {
            text.push_str(line);
            text.push_str("\n\n");
        } else {
            left += 1;
        }
    }
    more(text, left, "notes");
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
            "<sub>How to read it: slower and faster are called only where the whole interval lies beyond the margin ({}), and, if it was measured live, a second, \
             fresh measurement agrees. `same within x`: they differ by no more than x. `unchanged`: nothing that the case executes or reads differs, so it wasn't measured.</sub>",
            wording::settings(&view.comparisons)
        );
    } else {
        let differing = match between_runs::phrase(view.variants.iter()) {
            Some(phrase) => {
                format!(" Differences between runs beyond those of launches (standard deviation): {phrase}.")
            }
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
    let all = by_cause(failed.chain(view.file_failures.iter().map(|f| (f.file.clone(), f))));
    for Cause { failure, of } in all.iter().take(TOLD) {
        let titles: Vec<&str> = of.iter().map(String::as_str).filter(|title| !title.is_empty()).collect();
        let of = if titles.is_empty() { String::new() } else { format!("{}: ", listed(&titles)) };
        let mut said = failure.message.lines().filter(|line| !line.trim().is_empty());
        let first = prose(said.next().unwrap_or_default());
        // What a command printed stands below it.
        lines.push(format!("**Failed:** {of}{}: {first}", failure.kind));
        lines.extend(said.take(LINES_OF_FAILURE).map(|line| code(line.trim(), false)));
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

fn warned(warning: &Warning, about: &str, alike: bool) -> String {
    let lead = if alike { "" } else { "e.g. " };
    let mut text = format!("**Warning** {}{about}: {lead}{}", code(&warning.code, false), prose(&warning.message));
    if !warning.remedy.trim().is_empty() {
        let _ = write!(text, " → {}", prose(&warning.remedy));
    }
    text
}
