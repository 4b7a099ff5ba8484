//! Which stored runs a variant is seen beside.

use tare_samples::{Origin, Variant};
use tare_store::{SeriesRun, Store, StoreError};

/// How many earlier runs of a case are looked at.
const HISTORY: usize = 100;

/// And no more runs than this are looked through for them, where those of several Go packages have one name.
const MOST: usize = 16 * HISTORY;

/// The newest runs of a variant's case, [`HISTORY`] at most, oldest first: of its own Go package, and those that were stored before packages were told apart, of which nobody
/// knows.
pub(crate) fn newest_runs(store: &dyn Store, variant: &Variant) -> Result<Vec<SeriesRun>, StoreError> {
    let mut most = HISTORY;
    loop {
        let mut series = store.series(&variant.case.id(), variant.runtime.series(), Some(most))?;
        let looked_through = series.len();
        series.retain(|run| run.place.is_empty() || run.place == variant.case.place);
        // Namesakes in other packages may have been measured far more often.
        if looked_through < most || series.len() >= HISTORY || most >= MOST {
            series.drain(..series.len().saturating_sub(HISTORY));
            return Ok(series);
        }
        most *= 4;
    }
}

/// Whether a run was corrected and measured as those of that origin are.
pub(crate) fn are_comparable(run: &SeriesRun, origin: &Origin) -> bool {
    run.policy == origin.policy && tare_machine::class(&run.machine) == tare_machine::class(&origin.machine)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tare_samples::{
        Calls, Case, CaseSettings, Correction, Origin, Outcome, POLICY, Parameters, Runtime, RuntimeCommand, Variant,
    };
    use tare_store::{Access, RunState, SqliteStore, Store};

    use super::newest_runs;

    fn of_package(place: &str) -> Variant {
        let case = Case {
            index: 0,
            language: "go".to_owned(),
            benchmark: "BenchmarkSort".to_owned(),
            prefix: String::new(),
            place: place.to_owned(),
            parameters: Parameters::default(),
            file: place.to_owned(),
            line: 1,
            groups: Vec::new(),
            settings: CaseSettings::default(),
        };
        let runtime = Runtime {
            name: "go".to_owned(),
            language: "go".to_owned(),
            version: "1".to_owned(),
            command: RuntimeCommand::default(),
            correction: Correction::Overlapping,
            facts: BTreeMap::new(),
        };
        Variant { id: case.id(), case, runtime, calls: Calls::Pilot, label: String::new() }
    }

    #[test]
    fn runs_of_a_package_are_found_behind_many_of_its_namesakes() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(folder.path().join("tare.db"), Access::ReadWrite).unwrap();
        for number in 0..124 {
            let variant = of_package(if number < 4 { "rare" } else { "often" });
            let started = format!("2026-01-01T00:{:02}:{:02}Z", number / 60, number % 60);
            let origin = Origin {
                id: format!("20260101-{number:06}-abcd"),
                started,
                tags: Vec::new(),
                machine: BTreeMap::new(),
                findings: Vec::new(),
                git: BTreeMap::new(),
                imported: None,
                policy: POLICY,
                seed: 1,
                tare: "0.1.0".to_owned(),
            };
            store.begin_run(&origin, "").unwrap();
            store.put_variant(&origin.id, 0, &variant).unwrap();
            store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, None).unwrap();
            store.finish_run(&origin.id, RunState::Complete).unwrap();
        }
        let found = |place| newest_runs(&store, &of_package(place)).unwrap();
        let rare: Vec<String> = found("rare").into_iter().map(|run| run.run).collect();
        assert_eq!(rare, [0, 1, 2, 3].map(|number| format!("20260101-{number:06}-abcd")));
        let often = found("often");
        assert_eq!((often.len(), often[0].run.as_str()), (100, "20260101-000024-abcd"), "the newest hundred");
    }
}
