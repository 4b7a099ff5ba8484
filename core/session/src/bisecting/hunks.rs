//! Within the commit that was found: the smallest part of its difference that has the change. A part is put over the parent, and measured beside parent and commit: a cause by intervention.

use tare_results::{BisectCase, BisectHunk, BisectHunks, HunksEnd};
use tare_revisions::Difference;
use tare_statistics::bisection::{Known, MOST_DOUBTED, Shown, smallest};

use super::ends::Ends;
use super::kept::KeptSearch;
use super::versions::{Looked, Versions};
use crate::error::Error;

/// A part is said to have the change, or not to have it, at odds of 19 to 1; so often is it measured for that.
const DECIDED: f64 = 2.944;
const TIMES: u64 = 3;
/// Parts that are tried at the most: some, and some for each hunk, and never more than the last.
const TRIED: usize = 8;
const TRIED_OF_EACH: usize = 4;
const MOST_TRIED: usize = 60;
/// Hunks that are named in a line.
const NAMED: usize = 3;

/// A commit, between its parent and itself.
pub(super) struct Hunks<'a, 'k> {
    /// Their ends are parent and commit.
    versions: Versions<'a>,
    difference: Difference,
    first: &'k Ends,
    kept: &'k mut KeptSearch,
    left_out: usize,
}

/// Why no more parts are tried.
enum Stopped {
    Bound,
    Error(Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl<'a, 'k> Hunks<'a, 'k> {
    /// Of `commit` and its parent, full hashes, which compare as `first` says.
    pub(super) fn of(
        outer: &Versions<'a>,
        [parent, commit]: [&str; 2],
        first: &'k Ends,
        kept: &'k mut KeptSearch,
    ) -> Result<Self, Error> {
        let difference = outer.repository.difference(parent, commit).map_err(Error::failed)?;
        let ends = [outer.version(parent)?.1, outer.version(commit)?.1];
        let Versions { project, repository, session, metric, .. } = *outer;
        let versions = Versions { request: outer.request.clone(), project, repository, session, ends, metric };
        Ok(Self { versions, difference, first, kept, left_out: 0 })
    }

    /// The smallest part that has the change, and how sure that is.
    pub(super) fn smallest(mut self) -> Result<BisectHunks, Error> {
        let of = self.difference.hunks.len();
        let Ends { case: whole, .. } = self.first;
        if of < 2 {
            return Ok(self.told(&Vec::from_iter(0..of), whole, HunksEnd::One));
        }
        let hunks = if of > MOST_TRIED { ", more than can be told apart one by one" } else { "" };
        self.versions.session.notice(format!(
            "{} has {of} hunks{hunks}; the smallest part of them that has the change is searched for",
            self.versions.ends[1].short
        ));
        let mut doubted = 0;
        loop {
            let mut known: Known = self.kept.tried.iter().cloned().collect();
            let (set, is_bound) = match smallest(of, &mut known, |set| self.shows(set)) {
                Ok(set) => (set, false),
                Err((set, Stopped::Bound)) => (set, true),
                Err((_, Stopped::Error(error))) => return Err(error),
            };
            if set.len() == of {
                return Ok(self.told(&set, whole, if is_bound { HunksEnd::Bound } else { HunksEnd::All }));
            }
            let found = self.against_parent(&set)?;
            if self.first.change().is_some_and(|change| found.changes_as(change.log_ratio)) {
                return Ok(self.told(&set, &found.case, if is_bound { HunksEnd::Bound } else { HunksEnd::Found }));
            }
            if doubted == MOST_DOUBTED {
                return Ok(self.told(&set, &found.case, HunksEnd::Unconfirmed));
            }
            doubted += 1;
            self.keep(&set, Shown::Unchanged);
        }
    }

    /// Puts a part over the parent and finds out what it shows.
    fn shows(&mut self, set: &[usize]) -> Result<Shown, Stopped> {
        if self.versions.session.is_stopped() {
            return Err(Error::interrupted().into());
        }
        if self.kept.tried.len() >= most_tried(self.difference.hunks.len()) {
            return Err(Stopped::Bound);
        }
        let (shown, said) = self.shown(set)?;
        let named = self.named(set);
        self.versions.session.notice(format!("{named}: {said}"));
        self.keep(set, shown);
        Ok(shown)
    }

    fn shown(&mut self, set: &[usize]) -> Result<(Shown, String), Error> {
        let made = self.made(set)?;
        let case = &self.first.case.id;
        let commit = self.versions.ends[1].commit.clone().unwrap_or_default();
        for (older, newer, shown) in [(None, &made, Shown::Unchanged), (Some(made.as_str()), &commit, Shown::Changed)] {
            match self.versions.looked(older, newer, case)? {
                Looked::Unchanged if shown == Shown::Changed => return Ok((shown, "the change, by proof".to_owned())),
                Looked::Unchanged => return Ok((shown, "nothing that the case executes or reads".to_owned())),
                Looked::Missing(why) => return Ok(self.unmeasured(&why)),
                Looked::Differs => {}
            }
        }
        let Some(whole) = self.first.change() else {
            return Err(Error::failed("the change of the commit has no interval"));
        };
        let launches = whole.launches_of_a_step(self.first.pairs);
        let mut odds = 0.0;
        for time in 1..=TIMES {
            // Other lots than those of the steps, and of parts before.
            let number = 1000 + TIMES * self.kept.tried.len() as u64 + time;
            let measured = match self.versions.measured(&made, case, launches, self.first, number)? {
                Ok(measured) => measured,
                Err(why) => return Ok(self.unmeasured(&why)),
            };
            let Some(place) = measured.place() else {
                return Ok(self.unmeasured("its measurement has no interval"));
            };
            if let Some(share) = place.share_between() {
                return Ok((Shown::Unresolved, format!("{:.0} % of the change", 100.0 * share)));
            }
            odds += place.log_odds(whole.log_ratio);
            // What was counted once counts the same again.
            if odds.abs() >= DECIDED || self.first.read.is_some() {
                break;
            }
        }
        Ok(match odds {
            odds if odds >= DECIDED => (Shown::Changed, "the change".to_owned()),
            odds if odds <= -DECIDED => (Shown::Unchanged, "no change".to_owned()),
            _ => (Shown::Unresolved, "not told apart from either".to_owned()),
        })
    }

    fn unmeasured(&mut self, why: &str) -> (Shown, String) {
        self.left_out += 1;
        (Shown::Unresolved, format!("can't be measured by themselves: {why}"))
    }

    fn made(&self, set: &[usize]) -> Result<String, Error> {
        let made = self.versions.repository.with_hunks(&self.difference, set).map_err(Error::failed)?;
        made.commit.ok_or_else(|| Error::failed("a part of the commit has no hash"))
    }

    /// How a part compares with the parent, afresh.
    fn against_parent(&self, set: &[usize]) -> Result<Ends, Error> {
        let made = self.made(set)?;
        let parent = self.versions.ends[0].commit.clone().unwrap_or_default();
        let change = self.first.change().map_or(0.0, |change| change.log_ratio);
        self.versions.compare_with_parent([&parent, &made], change, self.first)
    }

    fn keep(&mut self, set: &[usize], shown: Shown) {
        self.kept.tried.push((set.to_vec(), shown));
        self.kept.save();
    }

    /// `2 of 6 hunks (a.php:12, b.php:3)`.
    fn named(&self, set: &[usize]) -> String {
        let all = &self.difference.hunks;
        let name = |at: &usize| match all[*at].line {
            0 => all[*at].file.clone(),
            line => format!("{}:{line}", all[*at].file),
        };
        let mut names: Vec<String> = set.iter().take(NAMED).map(name).collect();
        if set.len() > NAMED {
            names.push("…".to_owned());
        }
        format!("{} of {} hunks ({})", set.len(), all.len(), names.join(", "))
    }

    fn told(self, set: &[usize], case: &BisectCase, end: HunksEnd) -> BisectHunks {
        let hunk = |at: &usize| {
            let hunk = &self.difference.hunks[*at];
            BisectHunk { file: hunk.file.clone(), line: hunk.line, lines: hunk.lines, text: hunk.text.clone() }
        };
        BisectHunks {
            of: self.difference.hunks.len(),
            hunks: set.iter().map(hunk).collect(),
            change: case.change,
            level: case.confidence,
            tried: self.kept.tried.len(),
            left_out: self.left_out,
            end,
        }
    }
}

/// Parts that are tried of so many hunks.
fn most_tried(hunks: usize) -> usize {
    (TRIED + TRIED_OF_EACH * hunks).min(MOST_TRIED)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tare_statistics::bisection::{Known, Shown, smallest};

    use super::most_tried;

    /// docs/bisect.md says these.
    #[test]
    fn one_hunk_of_dozens_and_any_two_of_six_are_found_within_what_is_tried() {
        assert_eq!([2, 6, 13, 4_000].map(most_tried), [16, 32, 60, 60]);
        let asked = |hunks: usize, needed: &[usize]| {
            let mut asked = 0;
            let found = smallest(hunks, &mut Known::new(), |set| {
                asked += 1;
                let has = needed.iter().all(|hunk| set.contains(hunk));
                Ok::<_, Infallible>(if has { Shown::Changed } else { Shown::Unchanged })
            });
            assert_eq!(found.ok().as_deref(), Some(needed));
            asked
        };
        for hunks in [2, 6, 48] {
            (0..hunks).for_each(|one| assert!(asked(hunks, &[one]) <= most_tried(hunks), "{one} of {hunks}"));
        }
        for one in 0..6 {
            (one + 1..6).for_each(|other| assert!(asked(6, &[one, other]) <= most_tried(6), "{one} and {other}"));
        }
    }
}
