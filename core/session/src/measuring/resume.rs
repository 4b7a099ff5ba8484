//! Going on with a run that was killed or interrupted.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use tare_definition::Project;
use tare_machine::Topology;
use tare_plan::Group;
use tare_results::VariantView;
use tare_revisions::Repository;
use tare_samples::{Calibration, Launch, Outcome, POLICY, fnv1a};
use tare_store::{Access, RunFilter, RunState};

use crate::error::Error;
use crate::job::Job;
use crate::planning::planned::Planned;
use crate::prepare::sides::{self, Sides};
use crate::project::{open_store, open_to_measure};
use crate::session::Session;
use crate::summaries;
use tare_request::{Request, Sources};

/// Takes up an interrupted run.
pub fn resume(name: &str, project: &Project, session: &Session<'_>) -> Result<Job, Error> {
    // Looking for a run to go on with must not leave a store behind.
    drop(open_store(project, Access::ReadOnly)?);
    let store = open_to_measure(project, session)?;
    let id = if name.is_empty() {
        let killed = store.unfinished().map_err(Error::failed)?;
        let interrupted = store
            .runs(&RunFilter { state: Some(RunState::Interrupted), ..RunFilter::default() })
            .map_err(Error::failed)?
            .into_iter()
            .find(|row| row.load.is_none());
        killed
            .into_iter()
            .chain(interrupted)
            .max_by(|a, b| a.origin.started.cmp(&b.origin.started))
            .map(|row| row.origin.id)
            .ok_or_else(|| Error::usage("no run was interrupted; `tare log` shows the runs there are"))?
    } else {
        store.resolve(name).map_err(Error::usage)?
    };
    let stored = store.run(&id).map_err(Error::failed)?;
    if stored.row.load.is_some() {
        return Err(Error::usage(format!("{id} is a load: `tare load resume {id}` goes on with it")));
    }
    let request: Request = serde_json::from_str(&stored.request).map_err(|error| {
        Error::usage(format!("run {id} was begun by another version of tare and can't be resumed: {error}"))
    })?;
    if stored.row.origin.policy != POLICY {
        return Err(Error::usage(format!(
            "run {id} was measured under correction policy {}, this tare has policy {POLICY}: begin a new run",
            stored.row.origin.policy
        )));
    }
    let mut request = request;
    let mut held = Sides::default();
    if request.sides.is_empty() {
        // Begun before sides were known.
        request.sides = Request::here(project, &request.folder);
    } else if request.sides.len() > 1 {
        let repository = Repository::find(&project.root).map_err(Error::usage)?;
        let revisions = sides::revisions_of(&request, &repository)?;
        held = sides::check_out(&mut request, project, &revisions, &repository, session)?;
    }
    let origin = stored.row.origin;
    let (workers, topology) = (Vec::new(), Topology::default());
    let store_choice = project.store_choice.clone();
    Ok(Job { request, origin, store: Some(store), store_choice, resumed: true, workers, topology, sides: held })
}

/// The files of a package, without what lies below.
fn of_folder(folder: &Path) -> Vec<u8> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let files = files.into_iter().filter(|path| path.is_file());
    files.flat_map(|path| [path.as_os_str().as_encoded_bytes(), &content(&path)].concat()).collect()
}

/// What can't be read is told by who has to load it.
fn content(path: &Path) -> Vec<u8> {
    tare_files::read(path, LARGEST).unwrap_or_default()
}

/// Programs are smaller, bytes.
const LARGEST: u64 = 2 << 30;

/// What the sources hold, by path: a hash of each.
pub(crate) fn fingerprints(files: &[tare_definition::Source]) -> BTreeMap<PathBuf, u64> {
    let hash = |path: &Path| {
        let content = if path.is_dir() { of_folder(path) } else { content(path) };
        fnv1a(content)
    };
    // A path that is no text can't stand in a request that is kept; nothing of such a source is measured.
    let told = files.iter().filter(|source| source.absolute.to_str().is_some());
    told.map(|source| (source.absolute.clone(), hash(&source.absolute))).collect()
}

/// What an interrupted run has of each variant.
pub(crate) struct Earlier {
    pub(crate) calibration: Option<Calibration>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) done: Option<VariantView>,
}

/// Puts groups in the order in which an interrupted run has them: benchmarks that a source finds by going through a map
/// come in another one each time.
pub(crate) fn in_stored_order(groups: &mut [Group], job: &Job) -> Result<(), Error> {
    let (Some(store), true) = (&job.store, job.resumed) else { return Ok(()) };
    let stored = store.run(&job.origin.id).map_err(Error::failed)?.variants;
    let places: HashMap<String, usize> =
        stored.into_iter().enumerate().map(|(place, stored)| (stored.variant.id, place)).collect();
    let place =
        |group: &Group| group.variants.iter().filter_map(|planned| places.get(&planned.variant.id).copied()).min();
    // With a case that the run hasn't got the benchmarks have changed, which is for `earlier` to say.
    if groups.iter().all(|group| place(group).is_some()) {
        groups.sort_by_key(place);
    }
    Ok(())
}

pub(crate) fn earlier(job: &Job, all: &Planned) -> Result<HashMap<String, Earlier>, Error> {
    let mut earlier = HashMap::new();
    let (Some(store), true) = (&job.store, job.resumed) else { return Ok(earlier) };
    let run = &job.origin.id;
    let compared: HashSet<&str> = all
        .groups
        .iter()
        .filter(|group| !group.pairs.is_empty())
        .flat_map(|group| &group.variants)
        .map(|planned| planned.variant.id.as_str())
        .collect();
    let mut planned = all.variants().into_iter();
    for stored in store.run(run).map_err(Error::failed)?.variants {
        let id = stored.variant.id.clone();
        let next = planned.next();
        if next.is_none_or(|(variant, _)| variant.id != id) {
            return Err(Error::usage(format!(
                "run {run} can't be resumed: the benchmarks have changed since it began, {id} is not where it was; undo the change, or begin a new run with `tare run`"
            )));
        }
        // What is unchanged wasn't measured, and isn't now.
        if next.is_some_and(|(_, is_measured)| !is_measured) {
            continue;
        }
        let calibration = stored.calibration.clone();
        let entry = if stored.outcome.as_ref().is_some_and(|outcome| *outcome != Outcome::Interrupted) {
            // What is compared with it may not be done: the pairs need its launches.
            let launches = if compared.contains(id.as_str()) {
                store.launches(run, &id).map_err(Error::failed)?
            } else {
                Vec::new()
            };
            let view = summaries::of_stored(store.as_ref(), run, stored).map_err(Error::failed)?;
            Earlier { calibration, launches, done: Some(view) }
        } else {
            Earlier { calibration, launches: store.launches(run, &id).map_err(Error::failed)?, done: None }
        };
        earlier.insert(id, entry);
    }
    Ok(earlier)
}

/// Of a run that is resumed the sources are those that it began with.
pub(crate) fn check_fingerprints(job: &mut Job, sources: &[Sources]) -> Result<(), Error> {
    let all_files: Vec<_> = sources.iter().flat_map(|side| side.files.iter().cloned()).collect();
    let fingerprinted = fingerprints(&all_files);
    if job.resumed && job.request.fingerprints != fingerprinted {
        return Err(Error::usage(format!(
            "run {} can't be resumed: its sources have changed since, and launches of two versions don't belong together; begin a new run",
            job.origin.id
        )));
    }
    job.request.fingerprints = fingerprinted;
    Ok(())
}
