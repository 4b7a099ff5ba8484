//! What is said of a comparison, in the same words in every format.

use tare_samples::{About, Proof};
use tare_statistics::comparison::{Comparison, Flag, Verdict};
use tare_statistics::memory::MemoryVerdict;
use tare_statistics::{Estimate, Warning, WarningCode, by_severity};

use crate::figure::{Figure, share};
use tare_results::{ComparisonKind, ComparisonView, ComparisonsView, NoiseFloor};

/// Room for what belongs to a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// `same (mean within ±1.4 %)`, `undecided (differs, perhaps by less than the margin)`
    Full,
    /// `same (mean ±1.4 %)`, `undecided (differs)`, which need a legend.
    Brief,
    /// `same`, `undecided`
    Bare,
}

/// What the reader needs to weigh a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Note {
    /// A second, fresh measurement saw the difference, too.
    SeenTwice,
    /// A difference over so many machines.
    OnMachines(usize),
    /// There was no second measurement.
    NotConfirmed,
    /// The first measurement saw a difference, and the second did not.
    AtFirst(Verdict),
    /// The interval excludes no difference, but not one within the margin.
    Differs,
    /// The interval lies beyond the margin, and a verdict asks for more: an early look is stricter than the confidence that is shown, and calls on
    /// average have their say, too.
    NotCertain,
    /// The smallest difference that would have been called four times in five, a fraction.
    WouldHaveSeen(f64),
}

/// The word that people read for a verdict. Documents for programs call an undecided one `inconclusive`.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Inconclusive => "undecided",
        decided => decided.name(),
    }
}

/// The order in which verdicts are counted and, where they are sorted, shown: what changed first.
pub(crate) const VERDICTS: [Verdict; 5] =
    [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Unchanged, Verdict::Inconclusive];

/// Candidates' times that differ from what their run read by less than this aren't told to be others.
const RESCALED: f64 = 0.001;

/// The ratio where it can be drawn and written: above 0, and no NaN in it.
pub(crate) fn ratio(ratio: Option<Estimate>) -> Option<Estimate> {
    ratio.filter(|r| r.estimate > 0.0 && r.estimate.is_finite() && !r.low.is_nan() && !r.high.is_nan())
}

/// The word for what is said of the memory of two processes.
pub(crate) fn memory(verdict: MemoryVerdict) -> &'static str {
    match verdict {
        MemoryVerdict::Inconclusive => word(Verdict::Inconclusive),
        decided => decided.name(),
    }
}

/// The verdict and what the reader needs to weigh it: `slower, seen twice`, `undecided (would have seen 1.3 %)`.
pub(crate) fn verdict(pair: &ComparisonView, detail: Detail) -> String {
    let word = word(pair.comparison.verdict);
    match detail {
        Detail::Bare => word.to_owned(),
        _ => format!("{word}{}", after_verdict(pair, detail)),
    }
}

/// What follows the word of a verdict: `, seen twice`, ` (would have seen 1.3 %)`.
pub(crate) fn after_verdict(pair: &ComparisonView, detail: Detail) -> String {
    let verdict = pair.comparison.verdict;
    let note = note(pair).map(|note| shown(note, detail));
    let beside = beside(&pair.comparison, detail);
    let (after, within) = if verdict.is_difference() { (note, beside) } else { (None, join(note, beside)) };
    let after = after.map_or_else(String::new, |note| format!(", {note}"));
    let within = within.map_or_else(String::new, |within| format!(" ({within})"));
    format!("{after}{within}")
}

fn join(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}

fn shown(note: Note, detail: Detail) -> String {
    match note {
        Note::SeenTwice => "seen twice".to_owned(),
        Note::OnMachines(count) => format!("over {count} machines"),
        Note::NotConfirmed => "not confirmed".to_owned(),
        Note::AtFirst(first) => format!("{first} at first"),
        Note::Differs if detail == Detail::Full => "differs, perhaps by less than the margin".to_owned(),
        Note::Differs => "differs".to_owned(),
        Note::NotCertain if detail == Detail::Full => "beyond the margin, but not certain".to_owned(),
        Note::NotCertain => "not certain".to_owned(),
        Note::WouldHaveSeen(found) => format!("would have seen {}", effect(found)),
    }
}

/// What the change of the row doesn't show: how far expected costs may lie apart, or typical calls where they differ from them.
pub(crate) fn beside(comparison: &Comparison, detail: Detail) -> Option<String> {
    if let Some(typical) = comparison.differing_typical() {
        return Some(match comparison.rests_on {
            About::Time => format!("typical {}", change(typical)),
            About::Typical => format!("mean {}", change(comparison.ratio?)),
        });
    }
    let within = comparison.within.filter(|within| within.is_finite())?;
    let lead = if detail == Detail::Full { "within " } else { "" };
    Some(format!("{lead}±{}", share(within)))
}

/// `+2.1 %`, `2.4×`.
fn change(ratio: Estimate) -> String {
    Figure::ratio(&ratio).alone().inline()
}

/// The size of a difference: `1.4 %`; from twice the time on `2.2×`, since 120 % might be taken for a fifth more.
pub(crate) fn effect(fraction: f64) -> String {
    if fraction < 1.0 { share(fraction) } else { format!("{:.1}×", 1.0 + fraction) }
}

/// What belongs to the verdict of a pair.
pub(crate) fn note(pair: &ComparisonView) -> Option<Note> {
    let comparison = &pair.comparison;
    if comparison.verdict.is_difference() {
        return match (comparison.confirmed, pair.kind) {
            (true, _) => Some(match &pair.machines {
                Some(machines) => Note::OnMachines(machines.each.len()),
                None => Note::SeenTwice,
            }),
            // Stored runs can't be measured a second time.
            (false, ComparisonKind::Stored) => None,
            (false, _) => Some(Note::NotConfirmed),
        };
    }
    if let Some(flag) = unconfirmed(comparison) {
        return Some(Note::AtFirst(flag.first));
    }
    if comparison.verdict != Verdict::Inconclusive {
        return None;
    }
    let open = ratio(comparison.shown()).and_then(|ratio| open_difference(&ratio, comparison.margin));
    if open.is_some() {
        return open;
    }
    comparison.minimum_detectable_effect.filter(|effect| effect.is_finite()).map(Note::WouldHaveSeen)
}

/// What an open interval says by itself, where it excludes no difference.
fn open_difference(ratio: &Estimate, margin: f64) -> Option<Note> {
    let (slower, faster) = (1.0 + margin, 1.0 / (1.0 + margin));
    if ratio.low > slower || ratio.high < faster {
        return Some(Note::NotCertain);
    }
    (ratio.low > 1.0 && ratio.high > slower || ratio.high < 1.0 && ratio.low < faster).then_some(Note::Differs)
}

/// A difference that the first measurement saw and the second did not.
pub(crate) fn unconfirmed(comparison: &Comparison) -> Option<&Flag> {
    comparison.flag.as_ref().filter(|flag| !comparison.confirmed && comparison.verdict != flag.first)
}

/// Why there is no ratio.
pub(crate) fn reason(comparison: &Comparison) -> String {
    let has = |code: WarningCode| comparison.warnings.iter().any(|warning| warning.is(code));
    let known = [
        (WarningCode::BaseBelowResolution, "base below resolution"),
        (WarningCode::CandidateBelowResolution, "candidate below resolution"),
        (WarningCode::BaseSkipped, "base skipped itself"),
        (WarningCode::CandidateSkipped, "candidate skipped itself"),
        (WarningCode::FewPairs, "too few pairs"),
        (WarningCode::FewMachines, "too few machines"),
        (WarningCode::Heterogeneous, "kinds of machines differ"),
        (WarningCode::Interrupted, "interrupted"),
        (WarningCode::MachinesDiffer, "machines differ"),
        (WarningCode::PoliciesDiffer, "policies differ"),
    ];
    let found = known.iter().find(|(code, _)| has(*code)).map(|(_, words)| (*words).to_owned());
    found
        .or_else(|| comparison.warnings.first().map(|warning| warning.code.clone()))
        .unwrap_or_else(|| "no pairs".into())
}

/// `2 slower`, `37 same`, …: the verdicts there are.
pub(crate) fn counts(view: &ComparisonsView) -> Vec<(Verdict, String)> {
    VERDICTS
        .iter()
        .map(|verdict| (*verdict, view.count(*verdict)))
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| (verdict, format!("{count} {}", word(verdict))))
        .collect()
}

/// `margin 0.5 %, 99 % intervals`.
pub(crate) fn settings(view: &ComparisonsView) -> String {
    let (margins, confidences) = (margins(view), confidences(view));
    format!("margin {margins}, {confidences} intervals")
}

/// `0.5 %`.
pub(crate) fn margins(view: &ComparisonsView) -> String {
    extent(view.judged().map(|pair| pair.comparison.margin), share)
}

/// `99 %`.
pub(crate) fn confidences(view: &ComparisonsView) -> String {
    extent(view.judged().map(|pair| pair.comparison.confidence), percentage)
}

/// A confidence: 0.95 is `95 %`, 0.999 is `99.9 %`.
fn percentage(confidence: f64) -> String {
    let text = format!("{:.2}", confidence * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

fn extent(values: impl Iterator<Item = f64>, shown: fn(f64) -> String) -> String {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match (values.first(), values.last()) {
        (Some(first), Some(last)) if shown(*first) == shown(*last) => shown(*first),
        (Some(first), Some(last)) => format!("{} to {}", shown(*first), shown(*last)),
        _ => "unknown".to_owned(),
    }
}

/// No verdict, although the interval excludes 1: the difference wasn't seen twice, may be within the margin, or is one of many.
pub(crate) fn seems_to_differ(comparison: &Comparison) -> bool {
    comparison.verdict == Verdict::Inconclusive
        && ratio(comparison.shown()).is_some_and(|ratio| ratio.low > 1.0 || ratio.high < 1.0)
}

/// What proofs cover: `41 files and 12 functions are equal`.
pub(crate) fn proven<'a>(proofs: impl Iterator<Item = &'a Proof>) -> Option<String> {
    proofs.last().map(|proof| format!("{} files and {} functions are equal", proof.files, proof.units))
}

/// What the controls found.
pub(crate) fn noise(floor: &NoiseFloor) -> [String; 2] {
    let controls = if floor.controls == 1 { "1 control".to_owned() } else { format!("{} controls", floor.controls) };
    [
        format!("identical code read within ±{} ({controls})", share(floor.error)),
        format!("its intervals reach to {}", reach(floor.reach)),
    ]
}

/// How far from no difference the end of an interval lies: `±2.4 %`; from twice the time on `2.2×`, since ±120 % would be less than nothing on one side.
fn reach(fraction: f64) -> String {
    if fraction < 1.0 { format!("±{}", share(fraction)) } else { effect(fraction) }
}

/// Warnings of all comparisons, each with the titles that it is about; what is said of many is said once.
pub(crate) struct SharedWarning<'a> {
    pub(crate) warning: &'a Warning,
    pub(crate) titles: Vec<&'a str>,
    /// Whether the message is the same for all.
    pub(crate) alike: bool,
}

/// Warnings by code and remedy: the worst first, and otherwise in the order of their first appearance.
pub(crate) fn warnings(view: &ComparisonsView) -> Vec<SharedWarning<'_>> {
    let mut told: Vec<SharedWarning> = Vec::new();
    for pair in view.judged() {
        for warning in &pair.comparison.warnings {
            let same = |t: &&mut SharedWarning| t.warning.code == warning.code && t.warning.remedy == warning.remedy;
            match told.iter_mut().find(same) {
                Some(entry) => {
                    entry.alike &= entry.warning.message == warning.message;
                    if !entry.titles.contains(&pair.title.as_str()) {
                        entry.titles.push(&pair.title);
                    }
                }
                None => told.push(SharedWarning { warning, titles: vec![&pair.title], alike: true }),
            }
        }
    }
    by_severity(&mut told, |entry| entry.warning);
    told
}

/// Cases without a partner, by the side that has them.
pub(crate) fn unpaired(view: &ComparisonsView) -> Vec<(&str, Vec<&str>)> {
    let mut sides: Vec<(&str, Vec<&str>)> = Vec::new();
    for case in &view.unpaired {
        match sides.iter_mut().find(|(side, _)| *side == case.side) {
            Some((_, titles)) => titles.push(&case.title),
            None => sides.push((&case.side, vec![&case.title])),
        }
    }
    sides
}

/// That candidates' times aren't those that their run read, where stored runs are compared and it shows.
pub(crate) fn rescaled(comparisons: &ComparisonsView) -> Option<String> {
    let most = comparisons.judged().filter_map(ComparisonView::rescaled).fold(0.0, f64::max);
    (most >= RESCALED).then(|| {
        format!(
            "the candidate's times are put to the machine's state in the base's run (the base's time, times the change); as measured they differ from \
             these by up to {}: see `tare show`, or `cases` of --json",
            share(most)
        )
    })
}
