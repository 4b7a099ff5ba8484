use super::line::{Page, Style};
use super::{columns, memory};
use crate::allocations::{TITLES, are_worth_a_column, cells, compared};
use crate::names::Names;
use crate::text::one_line;
use tare_results::RunView;

/// What compared sides allocate, a row each where it differs and a line for the rest; of what isn't compared a row each, where the table
/// above has no columns for it.
pub(super) fn write(page: &mut Page, view: &RunView, verbose: bool) {
    if view.comparisons.is_empty() {
        if are_worth_a_column(&view.variants) {
            let counted = |variant| cells(variant).into_iter().collect::<Option<Vec<String>>>();
            let names = memory::names(&view.variants);
            let rows = view.variants.iter().filter_map(|one| Some((memory::name(one, &names), counted(one)?)));
            let rows = rows.collect::<Vec<_>>();
            page.gap();
            columns::write(page, &TITLES, &rows);
        }
        return;
    }
    let compared = compared(view, verbose);
    if compared.rows.is_empty() && compared.alike == 0 {
        return;
    }
    page.gap();
    let mut line = page.line();
    line.push(Style::Bold, "allocations").push(Style::Dim, " a call, base and candidate");
    if compared.rows.is_empty() {
        line.push(Style::Dim, ": the same on both sides");
        page.put(line);
        return;
    }
    page.put(line);
    let names = Names::of_comparisons(&view.comparisons);
    let rows: Vec<(String, Vec<String>)> = compared
        .rows
        .into_iter()
        .map(|(pair, cells)| {
            let sides = || format!("{} vs {}", pair.candidate.label, pair.base.label);
            (
                one_line(&if pair.title.is_empty() { sides() } else { names.short(&pair.title).to_owned() }),
                cells.to_vec(),
            )
        })
        .collect();
    columns::write(page, &[TITLES[0], "change", TITLES[1], "change"], &rows);
    let others = match compared.alike {
        0 => return,
        1 => "1 other case allocates".to_owned(),
        alike => format!("{alike} other cases allocate"),
    };
    page.prose(0, (Style::Dim, ""), Style::Dim, &format!("{others} the same on both sides"));
}
