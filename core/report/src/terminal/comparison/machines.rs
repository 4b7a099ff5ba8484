//! Several machines that measured the same: what each says of a case.

use super::super::TableOptions;
use super::super::block;
use super::super::line::{Page, Style};
use crate::figure::{Figure, share};
use crate::{names, wording};
use tare_results::{ComparisonView, MachineView, RunView};

const LONGEST_NAME: usize = 60;
const LONGEST_MACHINE: usize = 30;

/// Of each case that isn't the same everywhere, and with `verbose` of all, a line a machine.
pub(super) fn write(page: &mut Page, view: &RunView, options: &TableOptions) {
    let shown = |pair: &&ComparisonView| options.verbose || is_worth_a_look(pair);
    for pair in view.comparisons.judged().filter(shown) {
        let Some(machines) = &pair.machines else { continue };
        page.gap();
        let between = machines.between.filter(|between| *between > 0.0);
        let between =
            between.map_or(String::new(), |between| format!(" (differ by {} beyond their errors)", share(between)));
        let mut line = page.line();
        line.push(
            Style::Bold,
            &block::name(page, &names::of_pair(pair, &view.comparisons), LONGEST_NAME.min(page.width / 2)),
        );
        line.push(Style::Dim, &format!(" on each machine{between}"));
        page.put(line);
        for machine in &machines.each {
            let name = block::name(page, &machine.machine, LONGEST_MACHINE);
            page.phrases(2, (Style::Dim, &format!("{name}: ")), Style::Plain, ", ", &said(machine));
        }
    }
}

/// What the mean over machines doesn't say by itself: a verdict, a difference between machines, one that has no ratio.
fn is_worth_a_look(pair: &ComparisonView) -> bool {
    let Some(machines) = &pair.machines else { return false };
    let says = |one: &MachineView| one.comparison.as_ref().map(|found| found.verdict);
    pair.comparison.verdict.is_difference()
        || machines.each.iter().any(|one| says(one) != Some(pair.comparison.verdict))
        || machines.between.is_some_and(|between| between > pair.comparison.margin)
}

fn said(machine: &MachineView) -> Vec<String> {
    let Some(found) = &machine.comparison else { return vec!["not measured".to_owned()] };
    let change = match wording::ratio(found.shown()) {
        Some(ratio) => Figure::ratio(&ratio).inline(),
        None => wording::reason(found),
    };
    let pairs = format!("{} {}", found.pairs, if found.pairs == 1 { "pair" } else { "pairs" });
    vec![change, wording::word(found.verdict).to_owned(), pairs, machine.kind.clone()]
}
