use tare_statistics::metric::{AmountVerdict, MetricComparison};

use super::TableOptions;
use super::columns;
use super::line::{Page, Style};
use super::reported::figure;
use crate::figure::Figure;
use crate::names::Names;
use crate::text::one_line;
use crate::wording;
use tare_results::{ComparisonView, RunView, metric_comparisons};

/// Of so many pairs all figures are shown; of more those that differ.
const FEW: usize = 3;

/// What compared sides tell beside their time, a table a pair: CPU time, memory, what an author counts.
pub(super) fn write(page: &mut Page, view: &RunView, options: &TableOptions) {
    let found = metric_comparisons(view);
    let names = Names::of_comparisons(&view.comparisons);
    let all = found.len() <= FEW || options.verbose;
    for pair in view.comparisons.judged() {
        let Some(figures) = found.get(&(pair.base.id.as_str(), pair.candidate.id.as_str())) else { continue };
        let differs = |figure: &&MetricComparison| matches!(figure.verdict, AmountVerdict::More | AmountVerdict::Less);
        let shown: Vec<&MetricComparison> = figures.iter().filter(|figure| all || differs(figure)).collect();
        if !shown.is_empty() {
            page.gap();
            // One comparison was named above.
            let sides = if found.len() > 1 { sides(pair, &names) + ", " } else { String::new() };
            // All figures of a run together are wrong in 1 %.
            let title = format!("{sides}intervals of {:.2} %", 100.0 * figures[0].confidence);
            page.prose(0, (Style::Bold, "beside time "), Style::Dim, &title);
            columns::write(page, &["base", "candidate", "change", "verdict"], &rows(&shown));
        }
    }
}

fn sides(pair: &ComparisonView, names: &Names) -> String {
    let of = match names.short(&pair.title) {
        own if own == pair.candidate.label => String::new(),
        own => format!(" of {own}"),
    };
    one_line(&format!("{} against {}{of}", pair.candidate.label, pair.base.label))
}

fn rows(figures: &[&MetricComparison]) -> Vec<(String, Vec<String>)> {
    let row = |one: &&MetricComparison| {
        let ((name, base), (_, candidate)) = (figure(&one.name, one.base), figure(&one.name, one.candidate));
        let change = Figure::ratio(&one.ratio).inline();
        (name, vec![base, candidate, change, wording::amount_verdict(one.verdict).to_owned()])
    };
    figures.iter().map(row).collect()
}
