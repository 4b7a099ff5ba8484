use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use tare_samples::Case;

use super::error::{BaseError, shown};

/// What the user calls a base: the end of a benchmark's name, a parameter set, or both (`benchOld`, `HashBench::benchOld`,
/// `#md5`, `benchHash#md5`, `HashBench::benchHash#md5`). Names are compared whole and with their case; those in front may
/// be left out, from the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePattern {
    benchmark: Option<String>,
    set: Option<String>,
}

/// What stands before a name's last part, in one language or another. `::` ends in one of them.
const BOUNDARIES: [char; 4] = ['\\', '/', '.', ':'];

impl FromStr for BasePattern {
    type Err = BaseError;

    /// The name of a set begins after the first `#`, and may hold further ones.
    fn from_str(text: &str) -> Result<Self, BaseError> {
        let bad = |reason| Err(BaseError::BadPattern { text: text.to_owned(), reason });
        let (benchmark, set) = match text.split_once('#') {
            Some((_, "")) => return bad("the name of the parameter set is missing after the `#`"),
            Some((benchmark, set)) => (benchmark.trim(), Some(set.to_owned())),
            None => (text.trim(), None),
        };
        // PHP's absolute name of a class.
        let benchmark = benchmark.strip_prefix('\\').unwrap_or(benchmark);
        if benchmark.is_empty() && set.is_none() {
            return bad("it is empty");
        }
        if benchmark.ends_with(BOUNDARIES) {
            return bad("the name of the method is missing at its end");
        }
        if benchmark.starts_with(BOUNDARIES) {
            return bad("a name is missing at its beginning");
        }
        Ok(Self { benchmark: Some(benchmark.to_owned()).filter(|name| !name.is_empty()), set })
    }
}

impl BasePattern {
    /// Whether the base is a parameter set, and not a method.
    pub fn is_set(&self) -> bool {
        self.set.is_some()
    }

    /// Whether it means this case.
    pub fn matches(&self, case: &Case) -> bool {
        let set = self.set.is_none() || self.set == case.parameters.name;
        set && self.matches_benchmark(case)
    }

    fn matches_benchmark(&self, case: &Case) -> bool {
        let Some(wanted) = &self.benchmark else { return true };
        let full = format!("{}/{}", case.language, case.benchmark);
        let rest = full.strip_suffix(wanted.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(BOUNDARIES))
    }

    /// What to write instead: names of `cases` that may have been meant, in the form of this one.
    pub(super) fn nearest<'a>(&self, cases: impl Iterator<Item = &'a Case>) -> String {
        let cases: Vec<&Case> = cases.collect();
        let known = match &self.set {
            None => cases.iter().map(|case| self.in_form(case)).collect(),
            // Where there is such a benchmark it is the set that is wrong.
            Some(_) => match self.with_sets(cases.iter().filter(|case| self.matches_benchmark(case))) {
                none if none.is_empty() => self.with_sets(cases.iter()),
                sets => sets,
            },
        };
        if known.is_empty() {
            let without = "no case has parameter sets; name a method, such as benchOld";
            return if self.is_set() && !cases.is_empty() { without } else { "there is no case to be one" }.to_owned();
        }
        let own = self.to_string();
        let mut near: Vec<(usize, &String)> = known
            .iter()
            .map(|name| (distance(&own, name), name))
            .filter(|&(distance, _)| distance <= (own.chars().count() / 3).max(1))
            .collect();
        near.sort();
        let nearest = near.first().map_or(0, |&(distance, _)| distance);
        near.retain(|&(distance, _)| distance <= nearest + 1);
        const LISTED: usize = 3;
        match near.is_empty() {
            false => {
                let names: Vec<String> =
                    near.iter().take(LISTED).map(|(_, name)| format!("`{}`", shown(name))).collect();
                format!("did you mean {}?", names.join(" or "))
            }
            true => {
                let mut names: Vec<String> =
                    known.iter().take(2 * LISTED).map(|name| format!("`{}`", shown(name))).collect();
                if known.len() > names.len() {
                    names.push("…".to_owned());
                }
                format!("there are {}", names.join(", "))
            }
        }
    }

    fn with_sets<'a>(&self, cases: impl Iterator<Item = &'a &'a Case>) -> BTreeSet<String> {
        let with_set = |case: &&Case| {
            let set = case.parameters.name.as_ref()?;
            let benchmark = self.benchmark.as_ref().map(|_| self.in_form(case)).unwrap_or_default();
            Some(format!("{benchmark}#{set}"))
        };
        cases.filter_map(with_set).collect()
    }

    /// The benchmark's name with as much of it as the pattern has.
    fn in_form(&self, case: &Case) -> String {
        let Some((class, method)) = case.benchmark.rsplit_once("::") else { return case.benchmark.clone() };
        match self.benchmark.as_ref().is_some_and(|name| name.contains("::")) {
            true => format!("{}::{method}", class.rsplit('\\').next().unwrap_or(class)),
            false => method.to_owned(),
        }
    }
}

impl fmt::Display for BasePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.benchmark.as_deref().unwrap_or_default())?;
        match &self.set {
            Some(set) => write!(f, "#{set}"),
            None => Ok(()),
        }
    }
}

/// Names come from users, so the quadratic time has its limit.
fn distance(one: &str, other: &str) -> usize {
    let cut = |text: &str| text.chars().take(100).collect::<String>();
    strsim::damerau_levenshtein(&cut(one), &cut(other))
}
