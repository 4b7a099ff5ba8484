//! What the candidate ran, beside what the base ran: where code decided, both have to run the same units. Names alone miss code that is found in a way that nobody
//! thought of, and a value that leads to other code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tare_reach::{Dependencies, Look, Place, Root};
use tare_units::{Call, Kind, Origin, Unit, Units};

use super::super::Finding;
use super::super::pairs::Pair;
use super::{Interpreted, has_ending};

/// What Python calls a module's own code, wherever its first line is.
const WHOLE_FILE: &str = "<module>";

/// By file: a unit by its name, and by its line where both sides have the file alike.
type Ran = BTreeSet<(String, String, u32)>;

/// What a side executed while it loaded a source.
struct Loaded<'s> {
    root: &'s Root,
    look: &'s Look,
    ran: Ran,
}

impl Interpreted<'_, '_> {
    /// What takes the proof from pairs whose bases were looked at before, where something does; in their order. `again`: the look at the candidates.
    pub(in super::super) fn unlike(&self, pairs: &[&Pair<'_>], again: &Look) -> Vec<Option<Finding>> {
        let [base, candidate] = &self.prover.sides.roots;
        match (self.loaded(self.look, base), self.loaded(again, candidate)) {
            (Ok(base), Ok(candidate)) => {
                pairs.iter().map(|pair| self.unlike_in(&pair.base.variant.case.id(), &base, &candidate).err()).collect()
            }
            (Err(why), _) | (_, Err(why)) => vec![Some(Finding::Unproven(why)); pairs.len()],
        }
    }

    /// # Errors
    ///
    /// What takes the proof from the case.
    fn unlike_in(&self, case: &str, base: &Loaded<'_>, candidate: &Loaded<'_>) -> Result<(), Finding> {
        let unproven = Finding::Unproven;
        let seen =
            candidate.look.cases.get(case).ok_or_else(|| unproven("its candidate wasn't looked at".to_owned()))?;
        let seen = seen.as_ref().map_err(|why| unproven(format!("of its candidate, {why}")))?;
        let facts = [&candidate.look.shared.facts, &seen.facts];
        if let Some(why) = facts.iter().find_map(|facts| facts.incomplete.as_ref()) {
            return Err(unproven(why.clone()));
        }
        if let Some(what) = facts.iter().find_map(|facts| facts.outside.iter().next()) {
            return Err(unproven(format!("its candidate depends on {what}")));
        }
        let Some(Ok(first)) = base.look.cases.get(case) else {
            return Err(unproven("it wasn't looked at".to_owned()));
        };
        let one = self.executed(first, base).map_err(unproven)?;
        let other = self.executed(seen, candidate).map_err(unproven)?;
        let unlike = one.symmetric_difference(&other).next();
        unlike.map_or(Ok(()), |(file, unit, _)| {
            Err(Finding::Differs(format!("one side alone executes `{unit}` of `{file}`")))
        })
    }

    fn loaded<'s>(&self, look: &'s Look, root: &'s Root) -> Result<Loaded<'s>, String> {
        Ok(Loaded { root, look, ran: self.ran(&look.shared, root)? })
    }

    /// What loading and a case executed.
    fn executed(&self, seen: &Dependencies, loaded: &Loaded<'_>) -> Result<Ran, String> {
        let mut ran = self.ran(seen, loaded.root)?;
        ran.extend(loaded.ran.iter().cloned());
        Ok(ran)
    }

    /// Units of the project and of its dependencies that a part of a look executed.
    fn ran(&self, seen: &Dependencies, root: &Root) -> Result<Ran, String> {
        let differing: BTreeSet<String> = self.differing()?.iter().map(Place::shown).collect();
        let project = root.folder();
        // What isn't a source was made by what is.
        let is_source = |file: &str| has_ending(&Place::Inside(file.into()), self.endings);
        let calls: Vec<Call> =
            self.recorded(seen, root)?.calls.into_iter().filter(|call| is_source(&call.file)).collect();
        let moved: BTreeSet<PathBuf> =
            calls.iter().filter(|call| differing.contains(&call.file)).map(|call| project.join(&call.file)).collect();
        self.read_units(moved.iter())?;
        let mut places = self.places();
        project.clone_into(&mut places.project);
        places.runtime = self.prover.known.folders();
        let mut ran = Ran::new();
        for call in calls {
            let path = project.join(&call.file);
            if matches!(places.origin(&path), Origin::Project | Origin::Library) {
                ran.insert(match differing.contains(&call.file) {
                    true => (call.file.clone(), self.named(&path, &call), 0),
                    false => (call.file, call.name, call.line),
                });
            }
        }
        Ok(ran)
    }

    /// The qualified name of what ran, in a file whose lines may have moved.
    fn named(&self, path: &Path, call: &Call) -> String {
        if call.name == WHOLE_FILE {
            return call.name.clone();
        }
        let known = self.prover.known.units(path);
        let Some(Units::Known(units)) = known.as_deref() else { return call.name.clone() };
        let is_it = |unit: &&Unit| unit.simple == call.name && unit.line == call.line;
        let is_around = |unit: &&Unit| {
            unit.kind != Kind::Constant && unit.line <= call.line && call.line <= unit.end && unit.kind != Kind::Module
        };
        let found = units.iter().find(is_it).or_else(|| units.iter().filter(is_around).max_by_key(|unit| unit.line));
        found.map_or_else(|| call.name.clone(), |unit| unit.name.clone())
    }
}
