//! What is said of a comparison, in the same words in every format.

use tare_samples::{About, Proof};
use tare_statistics::comparison::{Comparison, Flag, Verdict};
use tare_statistics::metric::AmountVerdict;
use tare_statistics::{Estimate, Warning, WarningCode, by_severity};

use crate::effect;
use crate::figure::{Figure, share};
use crate::page_text::shortened;
use crate::text::one_line;
use tare_results::{ComparisonKind, ComparisonView, ComparisonsView, Differing, GroupMean, NoiseFloor, SessionView};

/// Room for what belongs to a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// `slower, not confirmed`, `undecided (its code has only moved)`
    Full,
    /// `slower`, `undecided`
    Bare,
}

/// What the reader needs to weigh a verdict.
#[derive(Debug, Clone, PartialEq)]
enum Note {
    /// A difference over so many machines.
    OnMachines(usize),
    /// There was no second measurement.
    NotConfirmed,
    /// The first measurement saw a difference, and the second did not.
    AtFirst(Verdict),
    /// The first measurement saw a difference, and there was no time for a second.
    NotAgain(Verdict),
    /// The interval excludes no difference, and a verdict asks for more: it may be within the margin, chance makes some of many look so, an early look is
    /// stricter than the confidence that is shown, and calls on average have their say, too.
    NotCertain(Verdict),
    /// Why it isn't the interval that keeps it open.
    Because(String),
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

/// What is said of a comparison that has no ratio.
pub(crate) const INCOMPARABLE: &str = "can't be compared";

/// Candidates' times that differ from what their run read by less than this aren't told to be others.
const RESCALED: f64 = 0.001;

/// The ratio where it can be drawn and written with its interval: above 0, and no NaN in it.
pub(crate) fn ratio(ratio: Option<Estimate>) -> Option<Estimate> {
    ratio.filter(|r| r.estimate > 0.0 && r.estimate.is_finite() && r.low > f64::NEG_INFINITY && !r.high.is_nan())
}

/// The change of a pair; alone where nothing says how far it may be off, as of files without samples.
pub(crate) fn change_of(comparison: &Comparison) -> Option<Figure> {
    let shown = comparison.shown()?;
    let is_alone = shown.low == f64::NEG_INFINITY;
    let shown = if is_alone { Estimate { low: shown.estimate, high: shown.estimate, ..shown } } else { shown };
    ratio(Some(shown)).map(|r| if is_alone { Figure::ratio(&r).alone() } else { Figure::ratio(&r) })
}

/// The word for what is said of an amount of two sides.
pub(crate) fn amount_verdict(verdict: AmountVerdict) -> &'static str {
    match verdict {
        AmountVerdict::Inconclusive => word(Verdict::Inconclusive),
        decided => decided.name(),
    }
}

/// The verdict and what the reader needs to weigh it: `slower, not confirmed`, `same within 1.9 %`, `undecided (slower at first)`.
pub(crate) fn verdict(pair: &ComparisonView, detail: Detail) -> String {
    let said = said(&pair.comparison);
    match detail {
        Detail::Bare => said,
        Detail::Full => said + &after_verdict(pair),
    }
}

/// The verdict with the figure that is a part of it.
pub(crate) fn said(comparison: &Comparison) -> String {
    match comparison.verdict {
        Verdict::Same => said_of(Verdict::Same, comparison.within),
        // The sentence in front counts what has no ratio apart, in these words.
        Verdict::Inconclusive if change_of(comparison).is_none() => INCOMPARABLE.to_owned(),
        verdict => word(verdict).to_owned(),
    }
}

/// The same of a mean; empty where nothing is said of it.
pub(crate) fn said_of_mean(mean: &GroupMean) -> String {
    mean.verdict.map_or_else(String::new, |verdict| said_of(verdict, mean.within))
}

/// `same within 1.9 %`, and any other verdict as a word.
pub(crate) fn said_of(verdict: Verdict, within: Option<f64>) -> String {
    match within.filter(|within| verdict == Verdict::Same && within.is_finite()) {
        Some(within) => format!("same within {}", share(within)),
        None => word(verdict).to_owned(),
    }
}

/// What follows a verdict: `, not confirmed`, ` (its code has only moved)`.
pub(crate) fn after_verdict(pair: &ComparisonView) -> String {
    let note = note(pair).map(shown);
    let beside = beside(&pair.comparison);
    let (after, within) = match pair.comparison.verdict.is_difference() {
        true => (note, beside),
        false => (None, join(note, beside)),
    };
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

fn shown(note: Note) -> String {
    match note {
        Note::OnMachines(count) => format!("over {count} machines"),
        Note::NotConfirmed => "not confirmed".to_owned(),
        Note::AtFirst(first) => format!("{first} at first"),
        Note::NotAgain(first) => format!("{first}, not measured again"),
        Note::NotCertain(side) => format!("{side}?"),
        Note::Because(why) => why,
    }
}

/// The figure that the change of the row doesn't show: that of typical calls or of the mean, where they differ or a verdict waits for both.
fn beside(comparison: &Comparison) -> Option<String> {
    let both = [WarningCode::MeansDiffer, WarningCode::MeanUncertain];
    let told = || both.iter().any(|code| comparison.warnings.iter().any(|warning| warning.is(*code)));
    let typical = comparison.differing_typical().or_else(|| comparison.typical.filter(|_| told()))?;
    Some(match comparison.rests_on {
        About::Time => format!("typical {}", change(typical)),
        About::Typical => format!("mean {}", change(comparison.ratio?)),
    })
}

/// `+2.1 %`, `2.4×`.
fn change(ratio: Estimate) -> String {
    Figure::ratio(&ratio).alone().inline()
}

/// What belongs to the verdict of a pair.
fn note(pair: &ComparisonView) -> Option<Note> {
    let comparison = &pair.comparison;
    if comparison.verdict.is_difference() {
        return match (comparison.confirmed, pair.kind, &pair.machines) {
            (true, _, Some(machines)) => Some(Note::OnMachines(machines.each.len())),
            // Stored runs can't be measured a second time.
            (true, _, None) | (false, ComparisonKind::Stored, _) => None,
            (false, ..) => Some(Note::NotConfirmed),
        };
    }
    if comparison.verdict != Verdict::Inconclusive {
        return None;
    }
    let Some(ratio) = ratio(comparison.shown()) else { return Some(Note::Because(reason(comparison))) };
    if let Some(why) = hidden_reason(comparison) {
        return Some(Note::Because(why.to_owned()));
    }
    if let Some(flag) = unconfirmed(comparison) {
        return Some(if flag.pairs > 0 { Note::AtFirst(flag.first) } else { Note::NotAgain(flag.first) });
    }
    side(&ratio).map(Note::NotCertain)
}

/// Where an interval lies that excludes no difference.
fn side(ratio: &Estimate) -> Option<Verdict> {
    match () {
        () if ratio.low > 1.0 => Some(Verdict::Slower),
        () if ratio.high < 1.0 => Some(Verdict::Faster),
        () => None,
    }
}

/// Why a verdict stays open that the interval might give.
fn hidden_reason(comparison: &Comparison) -> Option<&'static str> {
    let reasons = [
        (WarningCode::ControlDiffers, "the base differs from itself too"),
        (WarningCode::CodeMoved, "its code has only moved"),
        (WarningCode::MeansDiffer, "mean and typical calls disagree"),
        (WarningCode::MeanUncertain, "the mean is too uncertain"),
        (WarningCode::SamplesDiffer, "samples of other sizes"),
        (WarningCode::Imported, "another tool measured it"),
    ];
    let has = |code: WarningCode| comparison.warnings.iter().any(|warning| warning.is(code));
    let found = reasons.into_iter().find(|(code, _)| comparison.verdict == Verdict::Inconclusive && has(*code));
    found.map(|(_, why)| why)
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
        (WarningCode::NoInterval, "no interval"),
        (WarningCode::NotMeasured, "not measured"),
        (WarningCode::NoLaunches, "not measured"),
        (WarningCode::NoKernels, "no reference kernels in common"),
        (WarningCode::ToolsDiffer, "tools differ"),
    ];
    let found = known.iter().find(|(code, _)| has(*code)).map(|(_, words)| (*words).to_owned());
    found
        .or_else(|| comparison.warnings.first().map(|warning| warning.code.clone()))
        .unwrap_or_else(|| "no pairs".into())
}

/// What proofs cover: `41 files and 12 functions are equal`; of several that differ in it from the least to the most.
pub(crate) fn proven<'a>(proofs: impl Iterator<Item = &'a Proof>) -> Option<String> {
    let (files, units): (Vec<usize>, Vec<usize>) = proofs.map(|proof| (proof.files, proof.units)).unzip();
    let counted = |counts: &[usize], one: &str| {
        let (least, most) = (counts.iter().min().copied()?, counts.iter().max().copied()?);
        let noun = if most == 1 { one.to_owned() } else { format!("{one}s") };
        let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
        (most > 0).then(|| format!("{range} {noun}"))
    };
    let differ = [&files, &units].into_iter().any(|counts| counts.iter().any(|count| *count != counts[0]));
    let all = [counted(&files, "file"), counted(&units, "function")];
    let parts: Vec<String> = all.into_iter().flatten().collect();
    let are = if parts.len() == 1 && parts[0].starts_with("1 ") { "is" } else { "are" };
    let each = if differ { " each" } else { "" };
    match parts.is_empty() {
        false => Some(format!("{}{each} {are} equal", parts.join(" and "))),
        true => (!files.is_empty()).then(|| "nothing that it executes or reads differs".to_owned()),
    }
}

/// What the proof of one comparison covers.
pub(crate) fn proof(comparison: &Comparison) -> Option<String> {
    proven(comparison.proof.iter())
}

/// So many differences are named; the others are counted.
const DIFFERING: usize = 3;
/// Columns of each.
const DIFFERENCE: usize = 160;

/// What error a comparison within a session may make.
pub(crate) fn of_session(view: &ComparisonsView) -> Option<String> {
    let SessionView { name, number, level, error, left } = view.session.as_ref()?;
    let [level, error, left] = [level, error, left].map(|share| two_digits(100.0 * share));
    Some(format!(
        "Comparison {number} of session `{}`: it may call a difference in vain with {level} %, all comparisons \
         of the session together with {error} %; {left} % of that is left.",
        one_line(name)
    ))
}

/// A percentage above 0 with two significant digits, and no zeros behind them.
fn two_digits(percent: f64) -> String {
    let digits = (1.0 - percent.log10().floor()).clamp(0.0, 20.0) as usize;
    let text = format!("{percent:.digits$}");
    if digits > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Why cases were measured: what is known to differ that they execute or read, with names in backticks. `None` where nothing is known to.
pub(crate) fn why_measured(view: &ComparisonsView) -> Option<String> {
    let all = &view.differing;
    let of_cases = |one: &Differing| match one.cases {
        1 => String::new(),
        cases => format!(" ({cases} cases)"),
    };
    let told = all.iter().take(DIFFERING);
    let mut told: Vec<String> = told.map(|one| shortened(&one.what, DIFFERENCE) + &of_cases(one)).collect();
    match all.len().saturating_sub(DIFFERING) {
        0 => {}
        1 => told.push("one thing more differs".to_owned()),
        more => told.push(format!("{more} things more differ")),
    }
    let measured = view.judged().filter(|pair| pair.comparison.verdict != Verdict::Unchanged).count();
    let others = match measured.saturating_sub(all.iter().map(|one| one.cases).sum()) {
        0 => String::new(),
        1 => "; 1 case for another reason (`--why` says which)".to_owned(),
        others => format!("; {others} cases for other reasons (`--why` says which)"),
    };
    (!told.is_empty()).then(|| format!("Measured because {}{others}.", told.join("; ")))
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
    comparison.verdict == Verdict::Inconclusive && ratio(comparison.shown()).is_some_and(|ratio| side(&ratio).is_some())
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
    if fraction < 1.0 { format!("±{}", share(fraction)) } else { effect::size(fraction) }
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
            "the second time is the first one with the change applied, since the machine's speed differed; the candidate's own run read up to {} more or \
             less: `tare show` has it, and `cases` in --json",
            share(most)
        )
    })
}
