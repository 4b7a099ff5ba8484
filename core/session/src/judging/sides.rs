//! A stored run as a side of a comparison with another one. A run that is a comparison of revisions has two sides of its own.

use std::collections::{BTreeMap, BTreeSet};

use tare_exchange::samples_of;
use tare_plan::is_control;
use tare_results::{ComparisonKind, NoticeLevel, NoticeView, VariantView};
use tare_samples::{Measurement, Origin, Variant, git_at};
use tare_statistics::comparison::RunPoints;
use tare_store::{Store, StoredRun};

use crate::error::Error;
use crate::summaries;

/// One side: a run, and the figures of its variants.
#[derive(Clone)]
pub(super) struct Side {
    /// As the user named it.
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) variants: Vec<(VariantView, RunPoints)>,
    /// Of a comparison of revisions what was judged in it.
    pub(super) judged: Option<Judged>,
}

/// What the run's launches say of a variant, at its commit.
pub(super) fn points(measurement: &Measurement, git: &BTreeMap<String, String>) -> RunPoints {
    let points = match &measurement.calibration {
        _ if measurement.variant.is_imported() => RunPoints::untared(&samples_of(&measurement.launches)),
        Some(calibration) => RunPoints::of(&measurement.launches, calibration, measurement.variant.runtime.correction),
        None => RunPoints::default(),
    };
    points.at_commit(code_of(git))
}

/// The code that a run measured, as far as version control tells: its commit, and whether the working tree differed from it. Two
/// working trees that differ from one commit may differ from each other, too, but nothing says that they do.
pub(crate) fn code_of(git: &BTreeMap<String, String>) -> Option<String> {
    let commit = git.get("commit").filter(|commit| !commit.is_empty())?;
    let is_dirty = git.get("dirty").is_some_and(|dirty| dirty == "true");
    Some(format!("{commit}{}", if is_dirty { " and changes" } else { "" }))
}

/// The candidate of a comparison of revisions; of several the last one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    /// As it was called: `HEAD`.
    label: String,
    /// Names of its runtimes, which hold the revision's.
    runtimes: BTreeSet<String>,
}

impl Judged {
    fn of(stored: &StoredRun) -> Option<Self> {
        let variant = |id: &str| stored.variants.iter().map(|one| &one.variant).find(|one| one.id == id);
        let mut live = stored.comparisons.iter().filter(|pair| pair.kind == ComparisonKind::Live.name());
        let last = live.rfind(|pair| variant(&pair.candidate).is_some_and(|one| one.runtime.revision().is_some()))?;
        let label = last.candidate_label.clone();
        let candidates = stored.comparisons.iter().filter(|pair| pair.candidate_label == label);
        let runtimes = candidates.filter_map(|pair| Some(variant(&pair.candidate)?.runtime.name.clone())).collect();
        Some(Self { label, runtimes })
    }
}

impl Side {
    /// The run of that id, under this name, without its controls.
    pub(super) fn of(store: &dyn Store, run: &str, name: String) -> Result<Self, Error> {
        let stored = store.run(run).map_err(Error::failed)?;
        let (origin, judged) = (stored.row.origin.clone(), Judged::of(&stored));
        let mut variants = Vec::new();
        for variant in stored.variants {
            if is_control(&variant.variant) {
                continue;
            }
            let measurement = store.measurement(run, &variant.variant.id).map_err(Error::failed)?;
            let git = git_at(&origin.git, variant.variant.runtime.revision());
            let mut view = summaries::of_stored(store, run, variant).map_err(Error::failed)?;
            view.distribution = summaries::spread_of(&measurement);
            variants.push((view, points(&measurement, &git)));
        }
        Ok(Self { name, origin, variants, judged })
    }

    /// The variant that is the same as one of `other`: same case, runtime and calls. Another tool chose its calls itself, so the label decides there,
    /// except where each side has only one variant of the case. Of several it is the one that is called the same.
    pub(super) fn partner(&self, variant: &Variant, other: &Side) -> Option<&(VariantView, RunPoints)> {
        let of_case = |own: &Variant| {
            own.case.is_same(&variant.case)
                && own.runtime.name == variant.runtime.name
                && (own.calls == variant.calls || own.is_imported())
        };
        let all = |side: &Side| side.variants.iter().filter(|(view, _)| of_case(&view.variant)).count();
        let is_alone = variant.is_imported() && all(self) == 1 && all(other) == 1;
        let same = self.variants.iter().filter(|(view, _)| {
            let own = &view.variant;
            of_case(own) && (own.label == variant.label || !own.is_imported() || is_alone)
        });
        same.min_by_key(|(view, _)| view.variant.case.id() != variant.case.id())
    }

    /// Leaves what was judged, on the runtime without its revision, and says so.
    fn narrow(&mut self) -> Option<NoticeView> {
        let judged = self.judged.take()?;
        self.variants.retain(|(view, _)| judged.runtimes.contains(&view.variant.runtime.name));
        for (view, _) in &mut self.variants {
            let runtime = &mut view.variant.runtime;
            runtime.name = runtime.series().to_owned();
        }
        let name = std::mem::take(&mut self.name);
        self.name = format!("{name} ({})", judged.label);
        Some(NoticeView {
            level: NoticeLevel::Warning,
            message: format!(
                "{name} is itself a comparison of revisions; of its sides {}, which was judged in it, is compared here. The report of that run compares its sides with each other.",
                judged.label
            ),
            file: String::new(),
            line: 0,
            remedy: String::new(),
        })
    }
}

/// Makes two runs comparable of which one is a comparison of revisions: its runtimes are called after the revisions, so that no case is on one runtime in both. Where some
/// are, as in two comparisons of the same names, nothing changes.
pub(super) fn meet(base: &mut Side, candidate: &mut Side) -> Vec<NoticeView> {
    if candidate.variants.iter().any(|(view, _)| base.partner(&view.variant, candidate).is_some()) {
        return Vec::new();
    }
    [base, candidate].into_iter().filter_map(Side::narrow).collect()
}
