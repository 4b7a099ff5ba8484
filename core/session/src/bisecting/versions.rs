//! Versions of the code: compared, looked at and measured beside each other.

use std::time::Instant;

use tare_definition::{LaneCount, Project};
use tare_plan::{Group, Pair};
use tare_request::{CaseWanted, Request};
use tare_results::{BisectCase, BisectVerdict, ComparisonView};
use tare_revisions::{Repository, Revision};
use tare_samples::{About, Metric, Outcome};
use tare_statistics::Estimate;
use tare_statistics::bisection::confirmed_beyond;
use tare_statistics::comparison::Comparison;

use crate::error::{Error, Kind};
use crate::failures::{describe, first_line, none_matches};
use crate::job::{Job, begin};
use crate::planning::planned::Planned;
use crate::prepare::sides::{self, Sides};
use crate::proving::Finding;
use crate::ran::{End, Ran};
use crate::run::{self, Listed, Wanted, found_before, list, only_measured, plan};
use crate::session::Session;

use super::ends::{Ends, VersionRatios};

/// A margin that nothing exceeds: in a step nothing is called different, and so nothing is measured a second time.
const BEYOND_ALL: f64 = 1e6;

/// What is known of two versions before they are measured.
pub(super) enum Looked {
    /// Nothing that the case executes or reads differs, by proof.
    Unchanged,
    /// Something does, or may.
    Differs,
    /// The case can't be measured in one of them; why.
    Missing(String),
}

/// Where versions come from, and how they are measured.
pub(super) struct Versions<'a> {
    pub(super) request: Request,
    pub(super) project: &'a Project,
    pub(super) repository: &'a Repository,
    pub(super) session: &'a Session<'a>,
    pub(super) ends: [Revision; 2],
    pub(super) metric: Metric,
}

impl Versions<'_> {
    /// Compares both ends as `tare compare` does.
    pub(super) fn compare_ends(&self, wanted: &CaseWanted) -> Result<Ends, Error> {
        if self.metric != Metric::Time {
            return self.read_ends(wanted);
        }
        let ends = self.ends.each_ref().map(|end| (end.name.clone(), end.clone()));
        let ran = self.compared(self.checked_out(&ends, &wanted.pattern())?)?;
        let mut cases: Vec<(BisectCase, (u32, About))> = ran
            .view
            .comparisons
            .judged()
            .map(|pair| (case_of(pair, &ran), (pair.comparison.pairs, pair.comparison.rests_on)))
            .collect();
        most_changed(&mut cases);
        let mut cases = cases.into_iter();
        let Some((case, (pairs, about))) = cases.next() else { return Err(no_pair(&ran, wanted)) };
        Ok(Ends { case, pairs, about, others: cases.map(|(case, ..)| case).collect(), read: None })
    }

    /// Compares a commit with its parent, full hashes, in the same way, for a change as `first` has. Where nothing of them can be compared that is an error.
    pub(super) fn compare_with_parent(
        &self,
        [parent, commit]: [&str; 2],
        change: f64,
        first: &Ends,
    ) -> Result<Ends, Error> {
        let (sides, case) = ([self.version(parent)?, self.version(commit)?], &first.case.id);
        if let Some(read) = &first.read {
            return self.read_with_parent(&sides, case, change, read);
        }
        let margin = confirmed_beyond(change, self.request.settings.margin);
        let only = format!("^{}$", regex::escape(case));
        let mut job = self.checked_out(&sides, &only)?;
        job.request.settings.margin = margin;
        let ran = self.compared(job)?;
        let Some(pair) = ran.view.comparisons.judged().next() else {
            return Err(no_pair(&ran, &CaseWanted::Matching(only)));
        };
        let (pairs, about) = (pair.comparison.pairs, pair.comparison.rests_on);
        Ok(Ends { case: case_of(pair, &ran), pairs, about, others: Vec::new(), read: None })
    }

    /// A commit under its abbreviated name; in full where an end is called so.
    pub(super) fn version(&self, hash: &str) -> Result<(String, Revision), Error> {
        let revision = self.repository.resolve(hash).map_err(Error::failed)?;
        let is_taken = self.ends.iter().any(|end| end.name == revision.short && end.commit != revision.commit);
        let name = if is_taken { hash.to_owned() } else { revision.short.clone() };
        // What fails is told under this name.
        Ok((name.clone(), Revision { name, ..revision }))
    }

    pub(super) fn end(&self, which: usize) -> (String, Revision) {
        (self.ends[which].name.clone(), self.ends[which].clone())
    }

    fn compared(&self, job: Job) -> Result<Ran, Error> {
        let ran = run::run(job, &Wanted::default(), self.session, Instant::now())?;
        match ran.end {
            End::Interrupted => Err(Error::interrupted()),
            _ if self.session.is_stopped() => Err(Error::interrupted()),
            _ => Ok(ran),
        }
    }

    pub(super) fn checked_out(&self, sides: &[(String, Revision)], pattern: &str) -> Result<Job, Error> {
        let mut job = begin(self.request.clone(), self.project, Sides::default());
        job.request.selection.filter = vec![pattern.to_owned()];
        job.sides = sides::check_out(&mut job.request, self.project, sides, self.repository, self.session)?;
        Ok(job)
    }

    /// Lists what these versions have, and plans the group of the case. `Err` within: why one of them can't be measured.
    pub(super) fn prepared(&self, job: Job, case: &str) -> Result<Result<(Listed, Planned), String>, Error> {
        let told = job.sides.told();
        if !told.is_empty() {
            return Ok(Err(first_line(&told)));
        }
        let sides = job.request.sides.len();
        let wanted = Wanted::default();
        let mut listed = match list(job, &wanted, self.session) {
            Ok(listed) => listed,
            Err(error) if error.kind == Kind::Interrupted => return Err(error),
            // A build that fails, or a source that isn't there, is the version's own.
            Err(error) => return Ok(Err(first_line(&error.message))),
        };
        let mut planned = plan(&mut listed, &wanted, self.session)?;
        planned.groups.retain(|group| group.case == case && group.variants.len() == sides);
        if planned.groups.is_empty() {
            let failure = listed.found.failures.first().map(|failure| first_line(&describe(failure)));
            return Ok(Err(failure.unwrap_or_else(|| "it doesn't have the case".to_owned())));
        }
        Ok(Ok((listed, planned)))
    }

    /// What can be said of two versions, full hashes, without measuring; `older`: GOOD where it is `None`.
    pub(super) fn looked(&self, older: Option<&str>, newer: &str, case: &str) -> Result<Looked, Error> {
        let older = older.map_or_else(|| Ok(self.end(0)), |commit| self.version(commit))?;
        let job = self.checked_out(&[older, self.version(newer)?], &format!("^{}$", regex::escape(case)))?;
        let (listed, planned) = match self.prepared(job, case)? {
            Ok(prepared) => prepared,
            Err(why) => return Ok(Looked::Missing(why)),
        };
        let found = found_before(&listed, &planned.groups, self.session);
        let is_unchanged = found.iter().all(|finding| matches!(finding, Some(Finding::Unchanged(_))));
        Ok(if is_unchanged { Looked::Unchanged } else { Looked::Differs })
    }

    /// Measures a version beside both ends, in the same rounds. `Err` within: why it can't be.
    pub(super) fn measured(
        &self,
        commit: &str,
        case: &str,
        launches: u32,
        first: &Ends,
        number: u64,
    ) -> Result<Result<VersionRatios, String>, Error> {
        if let Some(read) = &first.read {
            return self.read_beside(commit, case, read);
        }
        let sides = [self.end(0), self.version(commit)?, self.end(1)];
        let mut job = self.checked_out(&sides, &format!("^{}$", regex::escape(case)))?;
        let settings = &mut job.request.settings;
        settings.launches = Some(launches);
        (settings.margin, settings.same) = (BEYOND_ALL, BEYOND_ALL);
        // Another order, other links and other addresses in each.
        settings.seed = settings.seed.wrapping_add(number);
        job.request.measuring.lanes = Some(LaneCount::Fixed(1));
        let (mut listed, mut planned) = match self.prepared(job, case)? {
            Ok(prepared) => prepared,
            Err(why) => return Ok(Err(why)),
        };
        let [good, version, bad] = places(&planned.groups[0], &sides)?;
        planned.groups[0].pairs = vec![Pair::new(good, version), Pair::new(version, bad), Pair::new(good, bad)];
        let measured = only_measured(&mut listed, &mut planned, self.session)?;
        if self.session.is_stopped() {
            return Err(Error::interrupted());
        }
        if let Some(failed) = measured.variants.iter().find_map(|view| match &view.outcome {
            Outcome::Failed(failure) => Some(first_line(&failure.message)),
            Outcome::Skipped(why) => Some(format!("it skipped itself: {}", first_line(why))),
            _ => None,
        }) {
            return Ok(Err(failed));
        }
        let ratio = |comparison: &Comparison| match first.about {
            About::Time => comparison.ratio,
            About::Typical => comparison.typical.or(comparison.ratio),
        };
        let found: Vec<&Comparison> = measured.comparisons.iter().map(|compared| &compared.comparison).collect();
        let ratios: Vec<Estimate> = found.iter().filter_map(|comparison| ratio(comparison)).collect();
        let (&[from_good, to_bad, whole], Some(one)) = (ratios.as_slice(), found.first()) else {
            return Ok(Err("its time has no ratio to those of both ends".to_owned()));
        };
        let pairs = found.iter().map(|comparison| comparison.pairs).min().unwrap_or(launches);
        Ok(Ok(VersionRatios { from_good, to_bad, whole, confidence: Some(one.confidence), pairs }))
    }
}

/// Where each version is in a group.
pub(super) fn places<const N: usize>(group: &Group, sides: &[(String, Revision); N]) -> Result<[usize; N], Error> {
    let at = |(name, side): &(String, Revision)| {
        let found =
            group.variants.iter().position(|planned| planned.variant.runtime.revision() == side.commit.as_deref());
        found.ok_or_else(|| Error::failed(format!("{name} is missing among what is measured")))
    };
    let found: Vec<usize> = sides.iter().map(at).collect::<Result<_, _>>()?;
    found.try_into().map_err(|_| Error::failed("sides are missing among what is measured"))
}

fn case_of(pair: &ComparisonView, ran: &Ran) -> BisectCase {
    let variant = ran.view.variants.iter().find(|view| view.variant.id == pair.base.id);
    BisectCase {
        id: variant.map_or_else(|| pair.title.clone(), |view| view.variant.case.id()),
        title: pair.title.clone(),
        change: pair.comparison.shown(),
        confidence: Some(pair.comparison.confidence),
        verdict: BisectVerdict::Time(pair.comparison.verdict),
    }
}

/// Why two versions have nothing that is compared.
fn no_pair(ran: &Ran, wanted: &CaseWanted) -> Error {
    if let Some(failure) = ran.view.file_failures.first() {
        return Error::failed(describe(failure));
    }
    if let Some(failure) = ran.view.variants.iter().find_map(|view| match &view.outcome {
        Outcome::Failed(failure) => Some(failure),
        _ => None,
    }) {
        return Error::failed(describe(failure));
    }
    match &ran.view.comparisons.unpaired[..] {
        [] => no_case(wanted),
        [one, ..] => only_one_has(wanted, &one.side, &one.title),
    }
}

pub(super) fn no_case(wanted: &CaseWanted) -> Error {
    match wanted {
        CaseWanted::Matching(_) => none_matches(&wanted.to_string()),
        CaseWanted::Command(_) => Error::usage(format!(
            "{wanted}: no [[command]] of tare.toml has exactly this name; `tare list tare.toml` shows their names"
        )),
    }
}

pub(super) fn only_one_has(wanted: &CaseWanted, side: &str, title: &str) -> Error {
    Error::usage(format!("{wanted}: only {side} has {title}; both ends need the case, so name an end that has it"))
}

/// Of several cases that one that changed most comes first.
pub(super) fn most_changed<T>(cases: &mut [(BisectCase, T)]) {
    let by = |case: &BisectCase| {
        let change = case.change.map_or(0.0, |ratio| ratio.estimate.ln().abs());
        if case.verdict.is_difference() { change } else { -1.0 / (1.0 + change) }
    };
    cases.sort_by(|(a, _), (b, _)| by(b).total_cmp(&by(a)));
}
