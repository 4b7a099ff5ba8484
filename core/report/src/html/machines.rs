//! Several machines that measured the same, as a table of a case.

use maud::{Markup, html};

use crate::figure::{Figure, share};
use crate::page_figures::verdict;
use crate::page_text::shortened;
use crate::wording;
use tare_results::{ComparisonView, MachineView};

/// Columns of a machine's name.
const NAME: usize = 40;

/// Machine by machine; nothing of a comparison on one.
pub(super) fn each(pair: &ComparisonView) -> Markup {
    let Some(machines) = &pair.machines else { return html! {} };
    html! {
        table class="plain stacked" {
            caption { "On each machine"
                @if let Some(between) = machines.between.filter(|between| *between > 0.0) { "; they differ by " (share(between)) " beyond their own errors" } }
            thead { tr { th scope="col" { "machine" } th scope="col" { "processor" } th scope="col" class="n" { "change" } th scope="col" class="n" { "pairs" } th scope="col" { "result" } } }
            tbody { @for machine in &machines.each { (row(machine)) } }
        }
    }
}

fn row(machine: &MachineView) -> Markup {
    html! {
        tr {
            th scope="row" { bdi { (shortened(&machine.machine, NAME)) } }
            td data-head="processor" { bdi { (shortened(&machine.kind, NAME)) } }
            @match &machine.comparison {
                Some(found) => {
                    td class="n whole" data-head="change" { @match wording::ratio(found.shown()) { Some(ratio) => (Figure::ratio(&ratio).inline()), None => (wording::reason(found)) } }
                    td class="n" data-head="pairs" { (found.pairs) }
                    td data-head="result" { (verdict(found.verdict)) }
                }
                None => { td colspan="3" data-head="result" { "not measured" } }
            }
        }
    }
}
