//! `tare bisect`: the first commit between two revisions in which a case's time changes, or what it executes or holds.
//!
//! Both ends are compared as `tare compare` does. Then versions between them are measured beside both, and [`Search`] says which; what is proven to be unchanged isn't. In the
//! end the commit that was found is compared with its parent, afresh.

mod ends;
mod hunks;
mod kept;
mod readings;
mod steps;
mod versions;

use std::time::Instant;

use tare_definition::Project;
use tare_request::{BisectRequest, Request};
use tare_results::{
    BisectCommit, BisectEnd, BisectHunks, BisectRevision, BisectSkipped, BisectStep, BisectView, LikeliestCommit,
};
use tare_revisions::{Commit, Repository, Revision};
use tare_statistics::Estimate;
use tare_statistics::bisection::{Located, MOST_DOUBTED, MOST_OF_A_STEP, Search, most_steps, pooled};

use crate::error::{Error, Kind};
use crate::event::Event;
use crate::measuring::apart::Reader;
use crate::session::Session;
use ends::{Ends, VersionRatios, located};
use hunks::Hunks;
use kept::{KeptSearch, UnchangedSpan};
use steps::Steps;
use versions::{Looked, Versions};

/// A commit with this probability is worth a proof of its own.
const LIKELY: f64 = 0.05;

/// Searches for the commit with which a case changed.
///
/// # Errors
///
/// What keeps the two revisions from being compared, or a version between them from being measured for another reason than its own.
pub fn bisect(
    request: Request,
    asked: &BisectRequest,
    project: &Project,
    session: &Session<'_>,
    begun: Instant,
) -> Result<BisectView, Error> {
    Reader::check(asked.metric)?;
    let drivers = |driver: &str| request.runtimes.iter().filter(|runtime| runtime.driver == driver).count();
    if request.runtimes.iter().any(|runtime| drivers(&runtime.driver) > 1) || request.settings.calls.len() > 1 {
        return Err(Error::usage(
            "a search measures one variant of a case, and tare.toml names several runtimes or numbers of calls; name one runtime with --runtime, and one number of calls there",
        ));
    }
    let repository = Repository::find(&project.root).map_err(Error::usage)?;
    let [good, bad] = ends(&repository, asked)?;
    let commits = repository.commits_between(&good, &bad, asked.first_parent).map_err(Error::usage)?;
    let mut kept = KeptSearch::open(asked, &commits, &good, project)?;
    let mut versions =
        Versions { request, project, repository: &repository, session, ends: [good, bad], metric: asked.metric };
    let first = match kept.first.clone() {
        Some(first) => {
            if let Some(read) = &first.read {
                versions.request.settings.seed = read.seed;
            }
            versions.check_kept(&first)?;
            first
        }
        None => kept.begin(versions.compare_ends(&asked.case)?),
    };
    let steps = Steps::new(session.listener());
    let quietly = session.told_to(&steps);
    versions.session = &quietly;
    let parents: Vec<Vec<usize>> = commits.iter().map(|commit| commit.parents.clone()).collect();
    let mut bisecting = Bisecting {
        asked,
        session,
        commits: &commits,
        search: Search::new(&parents),
        known: Vec::new(),
        compared: vec![false; commits.len()],
        unchanged: vec![false; commits.len()],
        steps: Vec::new(),
        kept,
        first,
        versions,
        doubted: 0,
        hunks: None,
        course: Vec::new(),
    };
    bisecting.take_kept();
    let (end, confidence) = match bisecting.search_on() {
        Err(error) if error.kind == Kind::Interrupted => (BisectEnd::Interrupted, 0.0),
        ended => {
            let ended = ended?;
            bisecting.kept.remove();
            ended
        }
    };
    Ok(bisecting.view(end, confidence, begun))
}

fn ends(repository: &Repository, asked: &BisectRequest) -> Result<[Revision; 2], Error> {
    let mut found = Vec::new();
    for name in [&asked.good, &asked.bad] {
        if name == "." {
            return Err(Error::usage(
                "`.` is the working tree, and tare bisect searches commits; commit what you have, and name HEAD",
            ));
        }
        found.push(repository.resolve(name).map_err(Error::usage)?);
    }
    let both: [Revision; 2] = found.try_into().map_err(|_| Error::usage("name two revisions"))?;
    if both[0].commit == both[1].commit {
        return Err(Error::usage(format!(
            "{} and {} are the same commit {}, so no commit lies between them; name an older one first",
            asked.good, asked.bad, both[0].short
        )));
    }
    Ok(both)
}

struct Bisecting<'a> {
    asked: &'a BisectRequest,
    session: &'a Session<'a>,
    commits: &'a [Commit],
    search: Search,
    /// Versions that are built: measured, or looked at.
    known: Vec<usize>,
    /// By commit: it was compared with its parent by proof.
    compared: Vec<bool>,
    /// By commit: nothing changed with it, by proof.
    unchanged: Vec<bool>,
    steps: Vec<BisectStep>,
    /// By step, the probabilities after it; of kept ones with all that is proven by now.
    course: Vec<Vec<f64>>,
    kept: KeptSearch,
    first: Ends,
    versions: Versions<'a>,
    /// Commits that were found and not confirmed.
    doubted: usize,
    /// What of the commit that was confirmed brings the change.
    hunks: Option<BisectHunks>,
}

impl Bisecting<'_> {
    fn position(&self, hash: &str) -> Option<usize> {
        self.commits.iter().position(|commit| commit.hash == hash)
    }

    /// What an interrupted search has found out.
    fn take_kept(&mut self) {
        for skipped in self.kept.skipped.clone() {
            self.position(&skipped.commit).into_iter().for_each(|at| self.search.skip(at));
        }
        for UnchangedSpan { newer, older } in self.kept.proven.clone() {
            if let Some(newer) = self.position(&newer) {
                self.rule_out(newer, older.and_then(|older| self.position(&older)));
            }
        }
        for step in std::mem::take(&mut self.kept.steps) {
            let Some(at) = self.position(&step.commit) else { continue };
            self.search.observe(at, step.log_odds);
            self.course.push(self.search.probabilities().to_vec());
            self.known.push(at);
            self.steps.push(step);
        }
    }

    /// Goes on until it ends: how, and the probability of what was found.
    fn search_on(&mut self) -> Result<(BisectEnd, f64), Error> {
        let Some(change) = self.first.change() else { return Ok((BisectEnd::NoChange, 0.0)) };
        let most = most_steps(self.commits.len());
        loop {
            if self.session.is_stopped() {
                return Err(Error::interrupted());
            }
            if let Some(found) = self.search.found(self.asked.confidence) {
                let together: f64 = found.iter().map(|&at| self.search.probabilities()[at]).sum();
                let &[only] = found.as_slice() else { return Ok((BisectEnd::OneOf(self.told(&found)), together)) };
                match self.against_parent(only, change)? {
                    Confirmed::Yes(ends, change) => {
                        self.within(only, &ends)?;
                        let level = ends.case.confidence;
                        return Ok((BisectEnd::Found { commit: told(&self.commits[only]), change, level }, together));
                    }
                    Confirmed::No(_, log_odds) if self.doubted < MOST_DOUBTED => {
                        self.doubted += 1;
                        self.search.doubt(only, log_odds);
                        continue;
                    }
                    Confirmed::No(change, _) => {
                        return Ok((BisectEnd::Unconfirmed { likeliest: self.told(&found), change }, together));
                    }
                }
            }
            let next = self.search.next().filter(|_| self.steps.len() < most);
            let Some(version) = next else {
                let likeliest = self.search.likeliest().unwrap_or_default();
                let together = likeliest.iter().map(|&at| self.search.probabilities()[at]).sum();
                return Ok((BisectEnd::Unconfirmed { likeliest: self.told(&likeliest), change: None }, together));
            };
            // What was measured and leaves much open is measured again, unless a proof rules out what it would tell apart.
            let is_settled = if self.known.contains(&version) { self.rule_out_likely()? } else { self.look(version)? };
            if !is_settled {
                self.step(version)?;
            }
        }
    }

    fn told(&self, commits: &[usize]) -> Vec<BisectCommit> {
        commits.iter().map(|&at| told(&self.commits[at])).collect()
    }

    /// Compares a version that is new with its neighbours among those that are known, by proof. Whether that says all there is to say of it: it is one of them, or can't be had.
    fn look(&mut self, version: usize) -> Result<bool, Error> {
        let size = |of: usize| (0..self.commits.len()).filter(|&commit| self.search.has(of, commit)).count();
        let last = self.commits.len() - 1;
        let before =
            self.known.iter().copied().filter(|&one| self.search.has(version, one)).max_by_key(|&one| size(one));
        let after =
            self.known.iter().copied().filter(|&one| self.search.has(one, version)).min_by_key(|&one| size(one));
        let after = after.unwrap_or(last);
        for (older, newer) in [(before, version), (Some(version), after)] {
            let [older_hash, newer_hash] = [older, Some(newer)].map(|at| at.map(|at| self.commits[at].hash.as_str()));
            match self.versions.looked(older_hash, newer_hash.unwrap_or_default(), &self.first.case.id)? {
                Looked::Unchanged => {
                    self.proven(newer, older);
                    self.known.push(version);
                    return Ok(true);
                }
                Looked::Missing(why) => {
                    self.skip(version, why);
                    return Ok(true);
                }
                Looked::Differs => {}
            }
        }
        self.known.push(version);
        Ok(false)
    }

    /// Compares the likeliest commit that wasn't yet with its parent, by proof: a build costs less than a step. Whether nothing changed with it.
    fn rule_out_likely(&mut self) -> Result<bool, Error> {
        let good = self.versions.ends[0].commit.as_deref();
        let probabilities = self.search.probabilities();
        let is_open = |&at: &usize| {
            let commit = &self.commits[at];
            let has_parent = !commit.parents.is_empty() || good == Some(commit.parent.as_str());
            has_parent && !self.compared[at] && probabilities[at] >= LIKELY
        };
        let open = (0..self.commits.len()).filter(is_open);
        let Some(likely) = open.max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b])) else {
            return Ok(false);
        };
        self.compared[likely] = true;
        let parent = self.position(&self.commits[likely].parent);
        let case = &self.first.case.id;
        let older = parent.map(|at| self.commits[at].hash.as_str());
        let looked = self.versions.looked(older, &self.commits[likely].hash, case)?;
        if !matches!(looked, Looked::Unchanged) {
            // The next one, or a step.
            return self.rule_out_likely();
        }
        self.proven(likely, parent);
        Ok(true)
    }

    fn proven(&mut self, newer: usize, older: Option<usize>) {
        let hash = |at: usize| self.commits[at].hash.clone();
        self.kept.proven.push(UnchangedSpan { newer: hash(newer), older: older.map(hash) });
        self.kept.save();
        self.rule_out(newer, older);
    }

    /// Nothing changed between two versions.
    fn rule_out(&mut self, newer: usize, older: Option<usize>) {
        let between: Vec<bool> = (0..self.commits.len())
            .map(|commit| self.search.has(newer, commit) && older.is_none_or(|older| !self.search.has(older, commit)))
            .collect();
        self.search.rule_out(|commit| between[commit]);
        self.unchanged.iter_mut().zip(between).for_each(|(is, between)| *is |= between);
    }

    fn skip(&mut self, version: usize, why: String) {
        let commit = &self.commits[version];
        self.session.notice(format!("{}: skipped, {why}", commit.short));
        self.search.skip(version);
        self.kept.skipped.push(BisectSkipped { commit: commit.hash.clone(), short: commit.short.clone(), why });
        self.kept.save();
    }

    /// Measures a version beside both ends.
    fn step(&mut self, version: usize) -> Result<(), Error> {
        let commit = &self.commits[version];
        let whole = self.whole().ok_or_else(|| Error::failed("the change between the two ends has no interval"))?;
        let launches = whole.launches_of_a_step(self.first.pairs);
        let number = self.steps.len() as u64 + 1;
        let case = &self.first.case.id;
        let measured = match self.versions.measured(&commit.hash, case, launches, &self.first, number)? {
            Ok(measured) => measured,
            Err(why) => {
                self.skip(version, why);
                return Ok(());
            }
        };
        let Some(place) = measured.place() else {
            self.skip(version, "its measurement has no interval".to_owned());
            return Ok(());
        };
        let VersionRatios { from_good, to_bad, whole: ratio, confidence, pairs } = measured;
        let log_odds = place.log_odds(whole.log_ratio);
        self.search.observe(version, log_odds);
        let probabilities = self.search.probabilities();
        let likeliest = (0..probabilities.len()).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
        let named =
            |at: usize| LikeliestCommit { short: self.commits[at].short.clone(), probability: probabilities[at] };
        let likeliest = likeliest.map(named).unwrap_or_default();
        let step = BisectStep {
            commit: commit.hash.clone(),
            short: commit.short.clone(),
            launches: if self.first.read.is_some() { pairs } else { launches },
            from_good,
            to_bad,
            whole: ratio,
            confidence,
            log_odds,
            between: place.share_between(),
            changed: self.search.changed_at(version),
            likeliest,
        };
        self.session.emit(&Event::Bisected {
            number: self.steps.len() + 1,
            step: Box::new(step.clone()),
            good: self.asked.good.clone(),
            bad: self.asked.bad.clone(),
            probabilities: probabilities.to_vec(),
        });
        self.course.push(probabilities.to_vec());
        self.steps.push(step);
        self.kept.steps.clone_from(&self.steps);
        self.kept.save();
        Ok(())
    }

    /// BAD over GOOD, of all that was measured of it.
    fn whole(&self) -> Option<Located> {
        let first = self.first.change()?;
        let of_steps = self.steps.iter().filter_map(|step| located(&step.whole, step.confidence, step.launches));
        let all: Vec<Located> = std::iter::once(first).chain(of_steps).collect();
        let whole = pooled(&all)?;
        // Its own error is that of the first: by it launches are counted.
        Some(Located { standard_error: first.standard_error, freedom: first.freedom, ..whole })
    }

    /// Compares a commit with its parent, afresh.
    fn against_parent(&mut self, commit: usize, change: Located) -> Result<Confirmed, Error> {
        let commit = &self.commits[commit];
        let kept = self.kept.found.take().filter(|(hash, _)| *hash == commit.hash);
        let found = match kept {
            Some((_, found)) => found,
            None => self.versions.compare_with_parent([&commit.parent, &commit.hash], change.log_ratio, &self.first)?,
        };
        Ok(match found.case.change {
            Some(ratio) if found.changes_as(change.log_ratio) => {
                self.kept.found = Some((commit.hash.clone(), found.clone()));
                self.kept.save();
                Confirmed::Yes(Box::new(found), ratio)
            }
            ratio => {
                // Proven to be unchanged, or without a ratio: nothing speaks for it.
                let seen = ratio.and_then(|ratio| located(&ratio, found.case.confidence, found.pairs));
                Confirmed::No(ratio, seen.map_or(-MOST_OF_A_STEP, |seen| seen.log_odds_of(change.log_ratio)))
            }
        })
    }

    /// What of a commit brings the change, where that is asked for.
    fn within(&mut self, commit: usize, ends: &Ends) -> Result<(), Error> {
        if self.asked.hunks {
            let Commit { parent, hash, .. } = &self.commits[commit];
            let hunks = Hunks::of(&self.versions, [parent, hash], ends, &mut self.kept)?;
            self.hunks = Some(hunks.smallest()?);
        }
        Ok(())
    }

    fn view(self, end: BisectEnd, confidence: f64, begun: Instant) -> BisectView {
        let unchanged = self.commits.iter().zip(&self.unchanged).filter(|(_, is)| **is);
        let end_of = |name: &str, end: usize| BisectRevision {
            name: name.to_owned(),
            commit: self.versions.ends[end].commit.clone().unwrap_or_default(),
        };
        BisectView {
            good: end_of(&self.asked.good, 0),
            bad: end_of(&self.asked.bad, 1),
            metric: self.asked.metric,
            history: self.commits.iter().map(told).collect(),
            unchanged: unchanged.map(|(commit, _)| commit.hash.clone()).collect(),
            cases: std::iter::once(self.first.case).chain(self.first.others).collect(),
            steps: self.steps,
            course: self.course,
            skipped: self.kept.skipped.clone(),
            wanted: self.asked.confidence,
            confidence,
            end,
            hunks: self.hunks,
            wall_ns: begun.elapsed().as_nanos() as u64,
        }
    }
}

/// What a commit shows against its parent.
enum Confirmed {
    /// How it compares with its parent, and the change in that.
    Yes(Box<Ends>, Estimate),
    /// None, or another one; and the log-odds that it is the change all the same.
    No(Option<Estimate>, f64),
}

fn told(commit: &Commit) -> BisectCommit {
    BisectCommit {
        commit: commit.hash.clone(),
        short: commit.short.clone(),
        parent: commit.parent.clone(),
        date: commit.date.clone(),
        subject: commit.subject.clone(),
    }
}
