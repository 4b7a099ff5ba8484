use std::collections::BTreeMap;

use tare_samples::{Outcome, TimeUnit};
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

use super::super::block::Cell;
use crate::figure::{Figure, common_unit};
use crate::names::split;
use crate::order::{Place, ordered};
use crate::rates;
use crate::wording::{self, Detail};
use tare_results::{ComparisonView, GroupMean, RunView, SideView, VariantView};

/// From so many rows on that say that nothing changed, these are folded.
const FOLDED: usize = 20;

/// A case, or a geometric mean.
pub(super) struct Row<'a> {
    pub(super) name: String,
    pub(super) base: Cell,
    pub(super) candidate: Cell,
    pub(super) change: Option<Figure>,
    /// Finite and above 0; what the change was made of.
    pub(super) ratio: Option<Estimate>,
    /// What the candidate processes in a second, where it says how much a call does.
    pub(super) rate: Option<String>,
    /// The pair; `None` for a mean.
    pub(super) pair: Option<&'a ComparisonView>,
    /// The mean; `None` for a pair.
    mean: Option<&'a GroupMean>,
    pub(super) margin: f64,
}

impl Row<'_> {
    pub(super) fn verdict(&self, detail: Detail) -> String {
        let of_mean = || self.mean.map_or_else(String::new, wording::said_of_mean);
        // Why there is no ratio stands in its place.
        let detail = if self.change.is_some() { detail } else { Detail::Bare };
        self.pair.map_or_else(of_mean, |pair| wording::verdict(pair, detail))
    }

    /// The verdict with all that belongs to it, also where there is no ratio.
    pub(super) fn whole_verdict(&self) -> String {
        self.pair.map_or_else(|| self.verdict(Detail::Full), |pair| wording::verdict(pair, Detail::Full))
    }

    pub(super) fn judged(&self) -> Option<Verdict> {
        let of_mean = || self.mean.and_then(|mean| mean.verdict);
        self.pair.map(|pair| pair.comparison.verdict).or_else(of_mean)
    }

    /// What stands in place of times and a change where nothing was measured.
    pub(super) fn proof(&self) -> Option<String> {
        wording::proof(&self.pair?.comparison)
    }

    /// Why there is no change to show.
    pub(super) fn reason(&self) -> Option<String> {
        self.pair.filter(|_| self.change.is_none()).map(|pair| wording::reason(&pair.comparison))
    }
}

/// Rows that stand under one heading.
pub(super) struct Section<'a> {
    pub(super) heading: Option<String>,
    pub(super) rows: Vec<Row<'a>>,
}

/// Pairs that stand in one table.
pub(super) struct Table<'a> {
    /// What the two columns of times are called; empty where each row names its own sides.
    pub(super) base: String,
    pub(super) candidate: String,
    pub(super) sections: Vec<Section<'a>>,
    /// Pairs that have no row: they say that nothing changed, and are many.
    pub(super) folded: Vec<&'a ComparisonView>,
}

/// A table for each pair of labels; where no pair of labels comes twice, one table in which rows name their sides. `all`: nothing is folded.
pub(super) fn tables(view: &RunView, all: bool) -> Vec<Table<'_>> {
    let comparisons = &view.comparisons;
    let pairs: Vec<&ComparisonView> = comparisons.judged().collect();
    let times = Times::of(view);
    let mut sides: Vec<(&str, &str)> = Vec::new();
    for pair in &pairs {
        let labels = labels(pair);
        if !sides.contains(&labels) {
            sides.push(labels);
        }
    }
    if sides.len() > 1 && sides.len() == pairs.len() {
        let named = |pair: &&ComparisonView| {
            (
                Some(pair.title.clone()).filter(|title| !title.is_empty()),
                format!("{} vs {}", pair.candidate.label, pair.base.label),
            )
        };
        let (mut sections, folded) = sections(&pairs, named, &times, all);
        let means: Vec<&GroupMean> = comparisons.geometric_means.iter().collect();
        sections.extend(mean_section(&means, true, &pairs));
        return vec![Table { base: String::new(), candidate: String::new(), sections, folded }];
    }
    sides
        .into_iter()
        .map(|(base, candidate)| {
            let members: Vec<&ComparisonView> =
                pairs.iter().filter(|pair| labels(pair) == (base, candidate)).copied().collect();
            let (mut sections, folded) = sections(&members, |pair| heading_and_name(pair, view), &times, all);
            let means = comparisons.geometric_means.iter();
            let means: Vec<&GroupMean> = means
                .filter(|mean| (mean.base_label.as_str(), mean.candidate_label.as_str()) == (base, candidate))
                .collect();
            sections.extend(mean_section(&means, false, &members));
            Table { base: base.to_owned(), candidate: candidate.to_owned(), sections, folded }
        })
        .collect()
}

fn labels(pair: &ComparisonView) -> (&str, &str) {
    (&pair.base.label, &pair.candidate.label)
}

/// What a pair stands under, and its name there. What the user calls cases of several languages is one name; Go benchmarks of several
/// packages stand under theirs.
fn heading_and_name(pair: &ComparisonView, view: &RunView) -> (Option<String>, String) {
    let case = |side: &SideView| view.variants.iter().find(|v| v.variant.id == side.id).map(|v| &v.variant.case);
    let Some((base, candidate)) = case(&pair.base).zip(case(&pair.candidate)) else { return split(&pair.title) };
    if base.language != candidate.language && !pair.title.starts_with(&base.benchmark) {
        return (None, pair.title.clone());
    }
    let place = base.place.as_str();
    let elsewhere = |other: &VariantView| !other.variant.case.place.is_empty() && other.variant.case.place != place;
    if !place.is_empty() && base.language == candidate.language && view.variants.iter().any(elsewhere) {
        let name = pair.title.strip_prefix(&base.prefix).unwrap_or(&pair.title);
        return (Some(place.to_owned()), name.to_owned());
    }
    split(&pair.title)
}

type Named<'a> = Vec<(String, &'a ComparisonView)>;

/// The rows under their headings, and what is folded.
fn sections<'a>(
    pairs: &[&'a ComparisonView],
    named: impl Fn(&&'a ComparisonView) -> (Option<String>, String),
    times: &Times,
    all: bool,
) -> (Vec<Section<'a>>, Vec<&'a ComparisonView>) {
    let placed = ordered(pairs.iter().copied());
    let is_rest = |(place, _): &&(Place, &ComparisonView)| *place == Place::Rest;
    let folds = !all && placed.iter().filter(is_rest).count() >= FOLDED;
    // What failed stands below the table by its cause.
    let fails = !all && pairs.iter().filter(|pair| times.has_failed(pair)).count() >= FOLDED;
    let (kept, folded): (Vec<_>, Vec<_>) = placed.into_iter().partition(|(place, pair)| match *place {
        Place::Rest => !folds || pair.work.is_some_and(|work| work.verdict.is_difference() || work.happens_otherwise()),
        Place::Seeming | Place::Undecided => !fails || !times.has_failed(pair),
        Place::Slower | Place::Faster => true,
    });
    let mut groups: Vec<(Option<String>, Named)> = Vec::new();
    for block in kept.chunk_by(|(a, _), (b, _)| a.block() == b.block()) {
        // The last group may go on.
        let first = groups.len().saturating_sub(1);
        for (_, pair) in block {
            let (heading, name) = named(pair);
            match groups[first..].iter_mut().find(|(known, _)| known.is_some() && *known == heading) {
                Some((_, rows)) => rows.push((name, pair)),
                None => groups.push((heading, vec![(name, pair)])),
            }
        }
    }
    let section = |(heading, rows): (Option<String>, Named<'a>)| {
        let units = times.units(rows.iter().map(|(_, pair)| *pair));
        // A heading over one row is a line wasted, unless the row alone doesn't say what it is about.
        let said = heading.as_ref().is_none_or(|heading| rows[0].1.title.starts_with(heading));
        let alone = rows.len() == 1 && said && rows[0].0.split(" vs ").count() == 1;
        let heading = if alone { None } else { heading };
        let rows = rows.into_iter().zip(units).map(|((name, pair), unit)| Row {
            name: if alone { pair.title.clone() } else { name },
            base: times.cell(&pair.base, unit),
            candidate: times.candidate(pair, unit),
            change: wording::change_of(&pair.comparison),
            ratio: wording::ratio(pair.comparison.shown()),
            rate: times.rate(pair),
            pair: Some(pair),
            mean: None,
            margin: pair.comparison.margin,
        });
        Section { heading, rows: rows.collect() }
    };
    (groups.into_iter().map(section).collect(), folded.into_iter().map(|(_, pair)| pair).collect())
}

/// The margin of all of them, NaN where they differ.
fn margin(pairs: &[&ComparisonView]) -> f64 {
    let first = pairs.first().map_or(f64::NAN, |pair| pair.comparison.margin);
    if pairs.iter().all(|pair| pair.comparison.margin == first) { first } else { f64::NAN }
}

/// benchstat's last rows; `sides` where the columns don't say whose they are. Where it isn't the mean of all `pairs`, the row says of how many.
fn mean_section<'a>(means: &[&'a GroupMean], sides: bool, pairs: &[&ComparisonView]) -> Option<Section<'a>> {
    let margin = margin(pairs);
    let times: Vec<f64> = means.iter().flat_map(|mean| [mean.base, mean.candidate]).flatten().collect();
    let common = common_unit(&times);
    let cell = |time: Option<f64>, ratio: Option<Estimate>| match time {
        Some(time) if time.is_finite() => {
            let unit = common.unwrap_or_else(|| TimeUnit::fitting(time));
            // As many digits as the ratio knows.
            let half = ratio.map_or(0.0, |ratio| time * (ratio.high - ratio.low) / 2.0);
            Cell::Time(Figure::bare(&Estimate { estimate: time, low: time - half, high: time + half }, unit))
        }
        _ => Cell::Missing,
    };
    let row = |mean: &&'a GroupMean| {
        // What is unchanged was left out on purpose.
        let measured = |pair: &&&ComparisonView| pair.comparison.verdict != Verdict::Unchanged;
        let of = pairs.iter().filter(measured).filter(|pair| labels(pair) == (&mean.base_label, &mean.candidate_label));
        let of = of.count();
        let group = match mean.group.as_str() {
            "" if mean.cases < of => format!("{} of {of}", mean.cases),
            "" if of < pairs.len() => "all measured".to_owned(),
            "" => "all".to_owned(),
            group => group.to_owned(),
        };
        let ratio = wording::ratio(mean.ratio);
        Row {
            name: if sides { format!("{group} {} vs {}", mean.candidate_label, mean.base_label) } else { group },
            base: cell(mean.base, ratio),
            candidate: cell(mean.candidate, ratio),
            change: ratio.map(|ratio| Figure::ratio(&ratio)),
            ratio,
            rate: None,
            pair: None,
            mean: Some(mean),
            margin,
        }
    };
    let rows: Vec<Row> = means.iter().map(row).collect();
    (!rows.is_empty()).then(|| Section { heading: Some("geometric mean".into()), rows })
}

/// Times of the sides: of the variant where the report has it, for that knows the unit its author asked for and
/// whether it could be resolved.
struct Times<'a>(BTreeMap<&'a str, &'a VariantView>);

impl<'a> Times<'a> {
    fn of(view: &'a RunView) -> Self {
        Self(view.variants.iter().map(|variant| (variant.variant.id.as_str(), variant)).collect())
    }

    fn resolved(&self, side: &SideView) -> Option<f64> {
        let summary = self.0.get(side.id.as_str()).and_then(|variant| variant.summary.as_ref());
        let below = summary.is_some_and(|summary| summary.below_resolution);
        side.time.filter(|time| !below && !time.is_upper_bound() && time.estimate.is_finite()).map(|time| time.estimate)
    }

    /// Both sides failed.
    fn has_failed(&self, pair: &ComparisonView) -> bool {
        let failed = |side: &SideView| {
            self.0.get(side.id.as_str()).is_some_and(|variant| matches!(variant.outcome, Outcome::Failed(_)))
        };
        failed(&pair.base) && failed(&pair.candidate)
    }

    /// A unit for each pair: its author's, else one for all, else its own.
    fn units<'p>(&self, pairs: impl Iterator<Item = &'p ComparisonView>) -> Vec<TimeUnit> {
        let pairs: Vec<&ComparisonView> = pairs.collect();
        let asked = |pair: &ComparisonView| {
            self.0.get(pair.candidate.id.as_str()).and_then(|variant| variant.variant.case.settings.unit)
        };
        let free: Vec<f64> = pairs
            .iter()
            .filter(|pair| asked(pair).is_none())
            .flat_map(|pair| [self.resolved(&pair.base), self.resolved(&pair.candidate)])
            .flatten()
            .collect();
        let common = common_unit(&free);
        let own = |pair: &ComparisonView| self.resolved(&pair.base).or(self.resolved(&pair.candidate)).unwrap_or(0.0);
        pairs.iter().map(|pair| asked(pair).or(common).unwrap_or_else(|| TimeUnit::fitting(own(pair)))).collect()
    }

    /// The candidate's time, of which the quotient with the base's is the change.
    fn candidate(&self, pair: &ComparisonView, unit: TimeUnit) -> Cell {
        match pair.candidate_time() {
            Some(time) if self.resolved(&pair.base).is_some() && self.resolved(&pair.candidate).is_some() => {
                Cell::Time(Figure::bare(&time, unit))
            }
            _ => self.cell(&pair.candidate, unit),
        }
    }

    /// What the candidate processes in a second, by the time that stands in its column.
    fn rate(&self, pair: &ComparisonView) -> Option<String> {
        let scale =
            pair.candidate_time().zip(pair.candidate.time).map_or(1.0, |(shown, own)| own.estimate / shown.estimate);
        rates::throughput(self.0.get(pair.candidate.id.as_str())?, scale)
    }

    fn cell(&self, side: &SideView, unit: TimeUnit) -> Cell {
        match (side.time, self.resolved(side)) {
            (Some(time), Some(_)) => Cell::Time(Figure::bare(&time, unit)),
            (Some(time), None) if time.high.is_finite() => Cell::Time(Figure::below(time.high)),
            _ => Cell::Missing,
        }
    }
}
