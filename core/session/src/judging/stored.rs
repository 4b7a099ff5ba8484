//! Comparisons with stored runs: by the reference kernels of the same launches and the spread between runs.

use tare_definition::{Comparing, Filter, Options, Project, Says, Selection};
use tare_plan::is_control;
use tare_results::{ComparisonKind, ComparisonView, ComparisonsView, RunView, SideView, UnpairedView, VariantView};
use tare_samples::{Case, Measurement, Origin, Variant};
use tare_statistics::comparison::{Comparison, Rule, RunPoints, StoredCase, compare_stored_suite};
use tare_statistics::{Warning, WarningCode};
use tare_store::{Access, Store};

use crate::error::Error;
use crate::judging::assertion;
use crate::judging::comparable_runs::{are_comparable, newest_runs};
use crate::judging::gate::{Concluded, Gates};
use crate::judging::imported::{foreign, given};
use crate::judging::live;
use crate::judging::sides::{Side, meet, points};
use crate::listing::asserted;
use crate::project::open_store;

/// A stored run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedRun {
    /// Its id.
    pub id: String,
    /// As the user named it.
    pub name: String,
}

/// Two stored runs, and which of their cases are compared.
#[derive(Debug, Clone, Default)]
pub struct StoredRequest {
    /// The base.
    pub base: NamedRun,
    /// What is judged.
    pub candidate: NamedRun,
    /// Which of their cases.
    pub selection: Selection,
    /// What to make of them, where it isn't as tare.toml says.
    pub comparing: Comparing,
}

impl StoredRequest {
    /// `tare compare` with what decides what is compared, and how.
    fn command(&self) -> String {
        let mut words =
            vec!["tare".to_owned(), "compare".to_owned(), self.base.name.clone(), self.candidate.name.clone()];
        let given = self.selection.given().into_iter().chain(self.comparing.given());
        words.extend(given.filter(|given| given.option.says != Says::Told).flat_map(|given| given.words));
        shell_words::join(words)
    }
}

/// Compares two stored runs.
///
/// # Errors
///
/// Where the gates or patterns are wrong, neither run has a case that matches, or the store can't be read.
pub fn compare_stored(request: &StoredRequest, project: &Project) -> Result<(RunView, Concluded), Error> {
    let StoredRequest { selection, comparing, .. } = request;
    let filter =
        Filter::new(&selection.filter, &selection.group).and_then(|filter| filter.excluding(&selection.exclude));
    let filter = filter.map_err(Error::usage)?;
    let gates = Gates::new(&comparing.fail_on, project)?;
    let store = open_store(project, Access::ReadOnly)?;
    let shown = |name: &str| name.strip_prefix("run:").unwrap_or(name).to_owned();
    let (base_name, mut candidate_name) = (shown(&request.base.name), shown(&request.candidate.name));
    if base_name == candidate_name {
        candidate_name.push_str(" again");
    }
    let mut base = Side::of(store.as_ref(), &request.base.id, base_name)?;
    let mut candidate = Side::of(store.as_ref(), &request.candidate.id, candidate_name)?;
    for side in [&mut base, &mut candidate] {
        side.variants.retain(|(view, _)| filter.matches(&view.variant.case));
        for (view, _) in &mut side.variants {
            asserted::replace(&mut view.variant.case.settings.assertions, &comparing.assert);
        }
    }
    let notices = meet(&mut base, &mut candidate);
    let cases: Vec<&Case> = candidate.variants.iter().map(|(view, _)| &view.variant.case).collect();
    assertion::check(&cases)?;
    if base.variants.is_empty() && candidate.variants.is_empty() {
        return Err(Error::usage(
            "neither run has a case that matches --filter and --group and isn't left out by --exclude",
        ));
    }
    let (usual, asked) = (Rule::default(), comparing.clone().over(&project.settings.comparing));
    let rule = Rule::new(
        asked.about.unwrap_or_default(),
        asked.margin.unwrap_or(usual.margin),
        asked.same.unwrap_or(usual.same),
    );
    let mut comparisons = judge(store.as_ref(), &base, &candidate, &rule)?;
    for pair in &mut comparisons.pairs {
        pair.candidate.id = renamed(&pair.candidate.id, &candidate.name);
    }
    let mut variants = Vec::new();
    for side in [base, candidate.clone()] {
        for (mut view, _) in side.variants {
            view.variant.id = renamed(&view.variant.id, &side.name);
            view.variant.label.clone_from(&side.name);
            variants.push(view);
        }
    }
    let mut view = RunView {
        ended: None,
        profiles: Vec::new(),
        origin: candidate.origin,
        variants,
        comparisons,
        notices,
        file_failures: Vec::new(),
        spent: None,
        stored: true,
        again: Some(request.command()),
    };
    gates.judge(&mut view);
    let concluded = gates.conclude(&mut view);
    Ok((view, concluded))
}

/// Adds to a run that was just measured its comparison with a stored one.
pub(crate) fn add_against(
    view: &mut RunView,
    against: &NamedRun,
    measured: &[Measurement],
    project: &Project,
    rule: &Rule,
) -> Result<(), Error> {
    let store = open_store(project, Access::ReadOnly)?;
    let mut base = Side::of(store.as_ref(), &against.id, against.name.clone())?;
    let mut candidate = Side {
        judged: None,
        name: "now".to_owned(),
        origin: view.origin.clone(),
        variants: view
            .variants
            .iter()
            .filter_map(|variant| {
                let measurement = measured.iter().find(|m| m.variant.id == variant.variant.id)?;
                Some((variant.clone(), points(measurement, &view.origin.git)))
            })
            .collect(),
    };
    view.notices.extend(meet(&mut base, &mut candidate));
    let added = judge(store.as_ref(), &base, &candidate, rule)?;
    let of_base = base.variants.into_iter().map(|(mut variant, _)| {
        variant.variant.id = renamed(&variant.variant.id, &base.name);
        variant.variant.label.clone_from(&base.name);
        variant
    });
    let compared: Vec<VariantView> =
        of_base.filter(|variant| added.pairs.iter().any(|pair| pair.base.id == variant.variant.id)).collect();
    view.variants.extend(compared);
    let mut pairs = std::mem::take(&mut view.comparisons.pairs);
    pairs.extend(added.pairs);
    let unpaired = std::mem::take(&mut view.comparisons.unpaired);
    view.comparisons = live::with_means(pairs);
    view.comparisons.unpaired = unpaired.into_iter().chain(added.unpaired).collect();
    Ok(())
}

/// The id of a variant beside another run's of the same name.
fn renamed(id: &str, run: &str) -> String {
    format!("{id}@{run}")
}

fn judge(store: &dyn Store, base: &Side, candidate: &Side, rule: &Rule) -> Result<ComparisonsView, Error> {
    let refusal = refusal(&base.origin, &candidate.origin);
    let mut couples = Vec::new();
    let mut unpaired = Vec::new();
    let lone = |view: &VariantView, side: &Side, other: &Side| {
        // Measured with other calls, or on another runtime, it isn't missing over there.
        let there = other.variants.iter().any(|(known, _)| known.title() == view.title());
        let Variant { runtime, calls, .. } = &view.variant;
        let title = if there { format!("{} ({}, {calls})", view.title(), runtime.name) } else { view.title() };
        UnpairedView { title, side: side.name.clone() }
    };
    for (view, points) in &candidate.variants {
        match base.partner(&view.variant, candidate) {
            Some((of_base, _)) if live::are_left_out([&of_base.outcome, &view.outcome]) => {}
            Some(partner) => couples.push((partner, (view, points))),
            None => unpaired.push(lone(view, candidate, base)),
        }
    }
    for (view, _) in &base.variants {
        if candidate.partner(&view.variant, base).is_none() {
            unpaired.push(lone(view, base, candidate));
        }
    }
    let comparisons: Vec<Comparison> = match &refusal {
        Some(warning) => couples.iter().map(|_| Comparison::without_ratio(rule, vec![warning.clone()])).collect(),
        None if base.origin.imported.is_some() => {
            couples.iter().map(|((base, _), (candidate, _))| given(base, candidate, rule)).collect()
        }
        None => {
            let mut histories = Vec::new();
            for ((view, _), _) in &couples {
                histories.push(history(store, &view.variant, &candidate.origin)?);
            }
            let cases: Vec<StoredCase<'_>> = couples
                .iter()
                .zip(&histories)
                .map(|(((of_base, base), (of_candidate, candidate)), history)| {
                    let doubt = unlike_samples(of_base, of_candidate);
                    StoredCase { base, candidate, history, doubt }
                })
                .collect();
            compare_stored_suite(&cases, rule)
        }
    };
    let side = |view: &VariantView, id: String, label: &str| SideView {
        id,
        label: label.to_owned(),
        time: view.summary.as_ref().map(|summary| summary.time),
    };
    let pairs = couples.into_iter().zip(comparisons).map(|(((of_base, _), (of_candidate, _)), comparison)| {
        let several = candidate.variants.iter().filter(|(view, _)| view.title() == of_candidate.title()).count() > 1;
        let title = match several {
            true => format!("{} ({})", of_candidate.title(), of_candidate.variant.label),
            false => of_candidate.title(),
        };
        let mut pair = ComparisonView {
            title,
            base: side(of_base, renamed(&of_base.variant.id, &base.name), &base.name),
            candidate: side(of_candidate, of_candidate.variant.id.clone(), &candidate.name),
            kind: ComparisonKind::Stored,
            comparison,
            machine_code: None,
            machines: None,
            work: None,
            work_by: Vec::new(),
        };
        live::mark_skipped(&mut pair, [&of_base.outcome, &of_candidate.outcome]);
        pair
    });
    let mut view = live::with_means(pairs.collect());
    view.unpaired = unpaired;
    Ok(view)
}

/// Longer samples are interrupted more often by what else the machine does, and the reference kernels don't show that. So between runs whose samples have very different numbers of
/// calls no difference is called.
fn unlike_samples(base: &VariantView, candidate: &VariantView) -> Option<Warning> {
    let calls = |view: &VariantView| view.calibration.as_ref().map_or(1, |calibration| calibration.iterations.max(1));
    let (of_base, of_candidate) = (calls(base), calls(candidate));
    (of_base.max(of_candidate) > 2 * of_base.min(of_candidate)).then(|| Warning {
        code: WarningCode::SamplesDiffer.into(),
        message: format!("the runs made {of_base} and {of_candidate} calls a sample: something disturbed the pilot of one, or the code has changed much"),
        remedy: "compare the two live (`tare compare` of two revisions), or fix the calls with --calls".to_owned(),
    })
}

/// All runs of a variant that are comparable with one of that origin, oldest first.
fn history(store: &dyn Store, variant: &Variant, origin: &Origin) -> Result<Vec<RunPoints>, Error> {
    let mut history = Vec::new();
    for run in newest_runs(store, variant).map_err(Error::failed)? {
        if !are_comparable(&run, origin) {
            continue;
        }
        let measurement = store.measurement(&run.run, &run.variant).map_err(Error::failed)?;
        let own = &measurement.variant;
        // A side of a live comparison is no run of its own: both sides are of one moment.
        let alike = own.runtime.name == variant.runtime.name && own.calls == variant.calls && !is_control(own);
        if own.case.is_same(&variant.case) && alike {
            history.push(points(&measurement, &run.git));
        }
    }
    Ok(history)
}

/// Why two runs can't be compared.
fn refusal(base: &Origin, candidate: &Origin) -> Option<Warning> {
    if base.imported.is_some() || candidate.imported.is_some() {
        return foreign(base, candidate);
    }
    if base.policy != candidate.policy {
        return Some(Warning {
            code: WarningCode::PoliciesDiffer.into(),
            message: format!(
                "the runs were measured under the correction policies {} and {}, which subtract the overhead differently",
                base.policy, candidate.policy
            ),
            remedy: "measure both with one version of tare, best with `tare compare` of two revisions".to_owned(),
        });
    }
    let [of_base, of_candidate] = [base, candidate].map(|origin| tare_machine::class(&origin.machine));
    (of_base != of_candidate).then(|| Warning {
        code: WarningCode::MachinesDiffer.into(),
        message: format!("the runs come from machines of different classes: {of_base}, and {of_candidate}"),
        remedy: "measure both on one machine, best with `tare compare` of two revisions".to_owned(),
    })
}
