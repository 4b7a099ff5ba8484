//! Versions whose calls are counted, or whose processes are weighed: each by itself, since no machine's state is in such a figure, and beside what was read of both ends.

use tare_plan::Planned;
use tare_request::CaseWanted;
use tare_results::{BisectCase, BisectVerdict};
use tare_revisions::Revision;
use tare_samples::About;
use tare_statistics::Estimate;
use tare_statistics::bisection::confirmed_beyond;
use tare_statistics::comparison::{CONFIDENCE, Verdict};
use tare_statistics::memory::{self, MARGIN};
use tare_statistics::work::{MOST_SEEDS, Work};

use super::ends::{EndReadings, Ends, VersionRatios};
use super::versions::{Versions, most_changed, no_case, only_one_has, places};
use crate::error::Error;
use crate::failures::describe;
use crate::judging::live::title;
use crate::measuring::apart::{Reader, Reading};
use crate::prepare::lock;
use crate::proving::Finding;
use crate::run::{Listed, Wanted, found_before, list, plan, untimed_cpus};

/// Launches of a count that say whether there may be a difference.
const FEWEST_SEEDS: usize = 2;

/// Two readings against each other.
struct Beside {
    ratio: Option<Estimate>,
    /// Of that interval; `None` where it is a bound.
    confidence: Option<f64>,
    verdict: BisectVerdict,
    /// Launches of each.
    launches: u32,
}

impl EndReadings {
    /// Launches of each count: a version between the ends has as many.
    fn seeds(&self) -> usize {
        match &self.good {
            Reading::Work(work) => work.launches.len(),
            Reading::Memory(_) => FEWEST_SEEDS,
        }
    }
}

/// `None` where one of the two has no figure.
fn beside(base: &Reading, candidate: &Reading, margin: f64) -> Option<Beside> {
    match (base, candidate) {
        (Reading::Work(base), Reading::Work(candidate)) => {
            let found = Work::of(base, candidate)?;
            let verdict = BisectVerdict::Work(found.verdict, found.varies);
            let launches = base.launches.len().min(candidate.launches.len()) as u32;
            Some(Beside { ratio: found.ratio, confidence: None, verdict, launches })
        }
        (Reading::Memory(base), Reading::Memory(candidate)) => {
            let found = memory::compared(base, candidate, margin, CONFIDENCE)?;
            let launches = base.subject.len().min(candidate.subject.len()) as u32;
            let (ratio, verdict) = (Some(found.ratio), BisectVerdict::Memory(found.verdict));
            Some(Beside { ratio, confidence: Some(found.confidence), verdict, launches })
        }
        _ => None,
    }
}

impl Versions<'_> {
    /// Reads both ends, each case that matches.
    pub(super) fn read_ends(&self, wanted_case: &CaseWanted) -> Result<Ends, Error> {
        let ends = self.ends.each_ref().map(|end| (end.name.clone(), end.clone()));
        let job = self.checked_out(&ends, &wanted_case.pattern())?;
        let told = job.sides.told();
        if !told.is_empty() {
            return Err(Error::failed(told));
        }
        let wanted = Wanted::default();
        let mut listed = list(job, &wanted, self.session)?;
        let groups = plan(&mut listed, &wanted, self.session)?.groups;
        let findings = found_before(&listed, &groups, self.session);
        let (mut cases, mut failed, mut alone) = (Vec::new(), None, None);
        for (group, finding) in groups.iter().zip(findings) {
            let Ok([good, bad]) = places(group, &ends) else {
                let one = group.variants.first().map(|planned| &planned.variant);
                alone = alone.or(one.map(|one| (one.runtime.name.clone(), title(&one.case, &one.case))));
                continue;
            };
            let sides = [good, bad].map(|at| &group.variants[at]);
            let name = case_named(sides[0]);
            if matches!(finding, Some(Finding::Unchanged(_))) {
                let verdict = BisectVerdict::Time(Verdict::Unchanged);
                cases.push((BisectCase { change: None, confidence: None, verdict, ..name }, None));
                continue;
            }
            match self.read_pair(&listed, sides)? {
                Ok(read) => match beside(&read.good, &read.bad, MARGIN) {
                    Some(Beside { ratio, confidence, verdict, launches }) => {
                        let case = BisectCase { change: ratio, confidence, verdict, ..name };
                        cases.push((case, Some((launches, read))));
                    }
                    None => failed = failed.or(Some(format!("{}: it has no such figure", name.title))),
                },
                Err(why) => failed = failed.or(Some(format!("{}: {why}", name.title))),
            }
        }
        most_changed(&mut cases);
        let mut cases = cases.into_iter();
        let Some((case, read)) = cases.next() else {
            return Err(match (failed, listed.found.failures.first(), alone) {
                (Some(why), ..) => Error::failed(why),
                (_, Some(failure), _) => Error::failed(describe(failure)),
                (.., Some((side, title))) => only_one_has(wanted_case, &side, &title),
                _ => no_case(wanted_case),
            });
        };
        let (pairs, read) = read.map_or((0, None), |(launches, read)| (launches, Some(read)));
        Ok(Ends { case, pairs, about: About::Time, others: cases.map(|(case, _)| case).collect(), read })
    }

    fn read_pair(&self, listed: &Listed, [good, bad]: [&Planned; 2]) -> Result<Result<EndReadings, String>, Error> {
        let _held = self.held(listed)?;
        let reader = self.reader(listed);
        let call_ns = match (reader.call_ns(good), reader.call_ns(bad)) {
            _ if self.session.is_stopped() => return Err(Error::interrupted()),
            (Ok(good), Ok(bad)) => good.max(bad),
            (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
        };
        let mut read = reader.read(&[good, bad], call_ns, FEWEST_SEEDS)?;
        if let [Ok(Reading::Work(good_work)), Ok(Reading::Work(bad_work))] = read.as_slice()
            && Work::asks_for_another_seed(good_work, bad_work)
        {
            read = reader.read(&[good, bad], call_ns, MOST_SEEDS)?;
        }
        let seed = self.request.settings.seed;
        Ok(pair(read).map(|[good, bad]| EndReadings { seed, call_ns, good, bad }))
    }

    /// Reads a commit and its parent afresh.
    pub(super) fn read_with_parent(
        &self,
        sides: &[(String, Revision); 2],
        case: &str,
        change: f64,
        read: &EndReadings,
    ) -> Result<Ends, Error> {
        let job = self.checked_out(sides, &format!("^{}$", regex::escape(case)))?;
        let (listed, planned) = self.prepared(job, case)?.map_err(Error::failed)?;
        let [parent, commit] = places(&planned.groups[0], sides)?.map(|at| &planned.groups[0].variants[at]);
        let name = case_named(parent);
        let findings = found_before(&listed, &planned.groups, self.session);
        if matches!(findings.first(), Some(Some(Finding::Unchanged(_)))) {
            let verdict = BisectVerdict::Time(Verdict::Unchanged);
            let case = BisectCase { change: None, confidence: None, verdict, ..name };
            return Ok(Ends { case, pairs: 0, about: About::Time, others: Vec::new(), read: None });
        }
        let _held = self.held(&listed)?;
        // They may differ by less than the ends.
        let found = self.reader(&listed).read(&[parent, commit], read.call_ns, MOST_SEEDS)?;
        let [good, bad] = pair(found).map_err(Error::failed)?;
        let found = beside(&good, &bad, confirmed_beyond(change, MARGIN));
        let Beside { ratio, confidence, verdict, launches } =
            found.ok_or_else(|| Error::failed("it has no such figure"))?;
        let case = BisectCase { change: ratio, confidence, verdict, ..name };
        let read = Some(EndReadings { good, bad, ..*read });
        Ok(Ends { case, pairs: launches, about: About::Time, others: Vec::new(), read })
    }

    /// Reads a version. `Err` within: why it can't be.
    pub(super) fn read_beside(
        &self,
        commit: &str,
        case: &str,
        read: &EndReadings,
    ) -> Result<Result<VersionRatios, String>, Error> {
        let found = match self.read_version(self.version(commit)?, case, read)? {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let ratio = |base, candidate| {
            let beside = beside(base, candidate, MARGIN)?;
            Some((beside.ratio?, beside.confidence, beside.launches))
        };
        let all = (ratio(&read.good, &found), ratio(&found, &read.bad), ratio(&read.good, &read.bad));
        let (Some((from_good, confidence, pairs)), Some((to_bad, ..)), Some((whole, ..))) = all else {
            return Ok(Err("its figure has no ratio to those of both ends".to_owned()));
        };
        Ok(Ok(VersionRatios { from_good, to_bad, whole, confidence, pairs }))
    }

    fn read_version(
        &self,
        version: (String, Revision),
        case: &str,
        read: &EndReadings,
    ) -> Result<Result<Reading, String>, Error> {
        // The other side is that which a proof looked at: its cases are known.
        let is_good = version.1.commit == self.ends[0].commit;
        let sides = if is_good { vec![version] } else { vec![self.end(0), version] };
        let job = self.checked_out(&sides, &format!("^{}$", regex::escape(case)))?;
        let (listed, planned) = match self.prepared(job, case)? {
            Ok(prepared) => prepared,
            Err(why) => return Ok(Err(why)),
        };
        let of = sides.last().and_then(|(_, revision)| revision.commit.as_deref());
        let variants = &planned.groups[0].variants;
        let Some(planned) = variants.iter().find(|planned| planned.variant.runtime.revision() == of) else {
            return Ok(Err("it doesn't have the case".to_owned()));
        };
        let _held = self.held(&listed)?;
        let mut found = self.reader(&listed).read(&[planned], read.call_ns, read.seeds())?;
        Ok(found.pop().unwrap_or_else(|| Err("nothing came of it".to_owned())))
    }

    /// Whether GOOD reads as it did when an interrupted search began: with another runtime, or on another machine, it doesn't.
    ///
    /// # Errors
    /// Where it doesn't, or can't be read.
    pub(super) fn check_kept(&self, first: &Ends) -> Result<(), Error> {
        let Some(read) = &first.read else { return Ok(()) };
        let now = self.read_version(self.end(0), &first.case.id, read)?.map_err(Error::failed)?;
        match beside(&read.good, &now, MARGIN).is_some_and(|found| !found.verdict.is_difference()) {
            true => Ok(()),
            false => Err(Error::usage(format!(
                "{} reads otherwise than when the interrupted search began, so the runtime or the machine is another one; leave --resume out to begin a new search",
                self.ends[0].name
            ))),
        }
    }

    fn reader<'l>(&'l self, listed: &'l Listed) -> Reader<'l> {
        let cpus = untimed_cpus(&listed.job);
        let settings = &listed.job.request.settings;
        Reader { metric: self.metric, settings, launcher: &listed.launcher, cpus, session: self.session }
    }

    /// Nothing is timed; but what another process times would be disturbed.
    fn held(&self, listed: &Listed) -> Result<tare_machine::MeasuringLock, Error> {
        lock::take(&format!("`tare bisect` in {}", listed.job.request.folder.display()), self.session)
    }
}

/// A case without what is said of it.
fn case_named(planned: &Planned) -> BisectCase {
    let case = &planned.variant.case;
    let verdict = BisectVerdict::Time(Verdict::Inconclusive);
    BisectCase { id: case.id(), title: title(case, case), change: None, confidence: None, verdict }
}

fn pair(read: Vec<Result<Reading, String>>) -> Result<[Reading; 2], String> {
    let both: Vec<Reading> = read.into_iter().collect::<Result<_, _>>()?;
    both.try_into().map_err(|_| "nothing came of it".to_owned())
}

#[cfg(test)]
mod tests {
    use tare_results::BisectVerdict;
    use tare_samples::{CountedLaunch, CountedWork, Memory, WeighedMemory};
    use tare_statistics::memory::MARGIN;
    use tare_statistics::metric::AmountVerdict;
    use tare_statistics::work::{WorkVaries, WorkVerdict};

    use super::{Reading, beside};

    fn counted(each: [u64; 2]) -> Reading {
        let launch = |each: u64| {
            let calls = [10, 20, 30];
            let subject = calls.map(|calls| 1000 + (each + 50) * calls);
            CountedLaunch { calls, subject, null_calls: [100, 300], null: [6000, 16_000], ..CountedLaunch::default() }
        };
        Reading::Work(CountedWork { launches: each.map(launch).to_vec(), ..CountedWork::default() })
    }

    fn weighed(megabytes: [u64; 5]) -> Reading {
        let memory = |megabytes: u64| Memory { peak_rss_bytes: Some(megabytes << 20), runtime_peak_bytes: None };
        let subject = megabytes.map(memory).to_vec();
        Reading::Memory(WeighedMemory { calls: 10, from_ready: true, null: subject.clone(), subject, traced: None })
    }

    #[test]
    fn counts_have_a_bound_and_no_confidence() {
        let of = |base, candidate| beside(&counted(base), &counted(candidate), MARGIN).unwrap();
        let more = of([100_000, 100_000], [103_000, 103_000]);
        assert_eq!(
            (more.verdict, more.confidence, more.launches),
            (BisectVerdict::Work(WorkVerdict::More, None), None, 2)
        );
        assert!(more.ratio.is_some_and(|ratio| ratio.low > 1.0295 && ratio.high < 1.0305), "{:?}", more.ratio);
        assert_eq!(of([100_000; 2], [100_010; 2]).verdict, BisectVerdict::Work(WorkVerdict::Equal, None));
        let varies = of([100_000, 104_000], [103_000, 101_000]).verdict;
        assert_eq!(varies, BisectVerdict::Work(WorkVerdict::Varies, Some(WorkVaries::Launches)));
    }

    #[test]
    fn memory_has_an_interval_and_is_no_count() {
        let more = beside(&weighed([40; 5]), &weighed([48, 48, 49, 48, 48]), MARGIN).unwrap();
        assert_eq!((more.verdict, more.launches), (BisectVerdict::Memory(AmountVerdict::More), 5));
        assert_eq!(more.confidence, Some(0.99));
        let same = beside(&weighed([40; 5]), &weighed([40; 5]), MARGIN).unwrap();
        assert!(!same.verdict.is_difference(), "{:?}", same.verdict);
        assert!(beside(&weighed([40; 5]), &counted([1, 1]), MARGIN).is_none());
    }
}
