use tare_statistics::memory::{MemoryEstimate, memory};

use super::columns;
use super::line::{Page, Style};
use crate::amount::{bytes, bytes_bound};
use crate::figure::Figure;
use crate::names::Names;
use crate::text::one_line;
use crate::wording;
use tare_results::memory_comparisons;
use tare_results::{RunView, VariantView};

/// The memory of a variant; `None` where it wasn't weighed.
pub(crate) fn weighed(variant: &VariantView) -> Option<MemoryEstimate> {
    memory(variant.calibration.as_ref()?.memory.as_ref()?)
}

/// What the variants hold in memory, a row each: what the subject adds, by the kernel and by the runtime, and the whole process.
pub(super) fn write(page: &mut Page, view: &RunView) {
    let names = names(&view.variants);
    let rows: Vec<(String, MemoryEstimate)> =
        view.variants.iter().filter_map(|variant| Some((name(variant, &names), weighed(variant)?))).collect();
    let Some((_, first)) = rows.first() else { return };
    page.gap();
    let most = rows.iter().map(|(_, memory)| memory.calls).max().unwrap_or(first.calls);
    let least = rows.iter().map(|(_, memory)| memory.calls).min().unwrap_or(first.calls);
    let calls = if least == most { format!(", {}", calls(most)) } else { format!(", {least} to {most} calls") };
    let mut line = page.line();
    line.push(Style::Bold, "memory").push(
        Style::Dim,
        &format!(" at its peak{calls}, {} launches each with the subject and with the null", first.launches),
    );
    page.put(line);

    let own = rows.iter().any(|(_, memory)| memory.runtime.is_some());
    let traced = rows.iter().any(|(_, memory)| memory.traced.is_some());
    let mut titles = vec!["subject"];
    titles.extend(own.then_some("by the runtime"));
    titles.extend(traced.then_some("traced"));
    titles.push("process");
    let shown: Vec<(String, Vec<String>)> =
        rows.iter().map(|(name, memory)| (name.clone(), cells(memory, own, traced))).collect();
    columns::write(page, &titles, &shown);
    if rows.iter().any(|(_, memory)| !memory.from_ready) {
        let note = "this kernel can't reset the peak: if loading the source takes more memory than running it, the subject's share is hidden";
        page.prose(0, (Style::Yellow, "note: "), Style::Plain, note);
    }
    comparisons(page, view);
}

/// What the processes of compared variants hold against each other.
fn comparisons(page: &mut Page, view: &RunView) {
    let found = memory_comparisons(view);
    let names = Names::of_comparisons(&view.comparisons);
    let rows: Vec<(String, Vec<String>)> = view
        .comparisons
        .judged()
        .filter_map(|pair| {
            let compared = found.get(&(pair.base.id.as_str(), pair.candidate.id.as_str()))?;
            let name = format!("{} ({} vs {})", names.short(&pair.title), pair.candidate.label, pair.base.label);
            Some((
                one_line(&name),
                vec![Figure::ratio(&compared.ratio).inline(), wording::amount_verdict(compared.verdict).to_owned()],
            ))
        })
        .collect();
    if !rows.is_empty() {
        page.gap();
        columns::write(page, &["process's memory", "verdict"], &rows);
    }
}

/// What the titles of variants share.
pub(super) fn names(variants: &[VariantView]) -> Names {
    let titles: Vec<String> = variants.iter().map(VariantView::title).collect();
    Names::of(titles.iter().map(String::as_str))
}

pub(super) fn name(variant: &VariantView, names: &Names) -> String {
    let label = &variant.variant.label;
    let label = if label.is_empty() { String::new() } else { format!(" ({label})") };
    one_line(&format!("{}{label}", names.short(&variant.title())))
}

fn calls(calls: u64) -> String {
    match calls {
        0 => "one bare call".to_owned(),
        1 => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    }
}

fn cells(memory: &MemoryEstimate, own: bool, traced: bool) -> Vec<String> {
    let peak = match memory.below_resolution {
        true => bytes_bound(memory.peak.high),
        false => bytes(&memory.peak),
    };
    let mut cells = vec![peak];
    if own {
        cells.push(memory.runtime.as_ref().map_or("–".to_owned(), bytes));
    }
    if traced {
        let exact = |value| tare_statistics::Estimate { estimate: value, low: value, high: value };
        cells.push(memory.traced.map_or("–".to_owned(), |value| bytes(&exact(value))));
    }
    cells.push(bytes(&memory.process));
    cells
}
