//! `--benchmarks`: one side's benchmark files, measured against the code of both.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use tare_definition::{Project, Source};
use tare_request::Request;
use tare_revisions::{Repository, Revision, RevisionError, Step};

use crate::error::{Error, Kind};
use crate::prepare::sides::{announce, open, prepare_command, side};
use crate::session::Session;

/// Folders whose name begins so hold benchmarks, and what these need.
const BENCH: &str = "bench";

/// Gives the other side the benchmark files of the one that the request names. The answer is whether the sides' own differ. Where the request names no side, that is
/// looked at in a session alone: there a changed benchmark could pass for a gain.
pub(crate) fn share(
    request: &Request,
    project: &Project,
    revisions: &mut [(String, Revision)],
    repository: &Repository,
    session: &Session<'_>,
) -> Result<bool, Error> {
    let Some(name) = &request.revising.benchmarks else {
        return Ok(request.comparing.session.is_some() && differ(request, project, revisions, repository, session)?);
    };
    let Some(giver) = revisions.iter().rposition(|(_, revision)| revision.name == *name) else {
        let names: Vec<String> =
            revisions.iter().map(|(_, revision)| format!("--benchmarks {}", revision.name)).collect();
        return Err(Error::usage(format!(
            "--benchmarks {name}: name the side whose benchmark files Tare measures on both: {}",
            names.join(" or ")
        )));
    };
    if revisions.iter().enumerate().any(|(number, (_, of))| number != giver && of.is_working_tree()) {
        return Err(Error::usage(format!(
            "--benchmarks {name}: the working tree is measured in place, so it has its own benchmark files; commit it, and name the commit"
        )));
    }
    let given = revisions[giver].clone();
    let specs = files_of(request, project, &given, repository, session)?;
    let mut differ = false;
    for (number, (_, other)) in revisions.iter_mut().enumerate() {
        if number != giver {
            let lent = repository.with_files_of(other, &given.1, &specs).map_err(Error::failed)?;
            differ |= lent.commit != other.commit;
            *other = lent;
        }
    }
    Ok(differ)
}

/// Whether the benchmark files of the sides differ, where each side keeps its own. A revision that can't be checked out is reported later, when it is to be measured.
fn differ(
    request: &Request,
    project: &Project,
    revisions: &[(String, Revision)],
    repository: &Repository,
    session: &Session<'_>,
) -> Result<bool, Error> {
    let [(_, base), candidate] = revisions else { return Ok(false) };
    let specs = match files_of(request, project, candidate, repository, session) {
        Err(error) if error.kind == Kind::Interrupted => return Err(error),
        Err(_) => return Ok(false),
        Ok(specs) => specs,
    };
    let lent = repository.with_files_of(base, &candidate.1, &specs).map_err(Error::failed)?;
    Ok(lent.commit != base.commit)
}

/// What git calls the benchmark files of a revision.
fn files_of(
    request: &Request,
    project: &Project,
    (label, revision): &(String, Revision),
    repository: &Repository,
    session: &Session<'_>,
) -> Result<Vec<OsString>, Error> {
    let worktrees = open(project, repository)?;
    let prepare = prepare_command(request);
    let mut observe = |step: Step<'_>| announce(session, label, &step);
    // Held until its files are known.
    let checkout = match worktrees.checkout(revision, prepare.as_ref(), &mut observe, &|| session.is_stopped()) {
        Ok(checkout) => checkout,
        Err(RevisionError::Interrupted) => return Err(Error::interrupted()),
        Err(error) => return Err(Error::failed(error)),
    };
    let side = side(label, revision, checkout.root.clone(), (request, project));
    let root = side.root.clone();
    let mut alone = request.clone();
    alone.sides = vec![side];
    let sources = alone.sources().map_err(Error::usage)?;
    Ok(pathspecs(&root, repository.subfolder(), sources.iter().flat_map(|side| &side.files)))
}

/// What git calls the benchmark files below `root`, which is `subfolder` of the repository: the sources themselves, each folder around one that is called `bench…`, those at the root that are,
/// what pytest loads beside sources, and of a package all its tests and their data.
fn pathspecs<'s>(root: &Path, subfolder: &Path, sources: impl Iterator<Item = &'s Source>) -> Vec<OsString> {
    let mut specs: BTreeSet<(bool, PathBuf)> = BTreeSet::new();
    let is_bench = |name: &OsStr| name.to_string_lossy().to_lowercase().starts_with(BENCH);
    let at_root = std::fs::read_dir(root).into_iter().flatten().flatten();
    specs.extend(
        at_root
            .filter(|entry| is_bench(&entry.file_name()) && entry.path().is_dir())
            .map(|entry| (false, entry.file_name().into())),
    );
    for source in sources {
        // Of what isn't below the root each side has the same file.
        let Ok(relative) = source.absolute.strip_prefix(root) else { continue };
        if source.absolute.is_dir() {
            // A package, with all its tests and their data.
            specs.insert((true, escaped(relative).join("*_test.*")));
            specs.insert((false, relative.join("testdata")));
            continue;
        }
        let folders: Vec<&Path> =
            relative.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
        let bench = folders.iter().rfind(|folder| folder.file_name().is_some_and(is_bench));
        specs.insert((false, bench.map_or(relative, |folder| folder).to_owned()));
        specs.extend(relative.ancestors().skip(1).map(|folder| (false, folder.join("conftest.py"))));
    }
    let magic = |is_glob: bool| if is_glob { ":(glob)" } else { ":(literal)" };
    let spec = |(is_glob, path): (bool, PathBuf)| {
        let whole: PathBuf = if is_glob { escaped(subfolder).join(path) } else { subfolder.join(path) };
        let mut spec = OsString::from(magic(is_glob));
        spec.push(whole);
        spec
    };
    specs.into_iter().map(spec).collect()
}

/// A path in which nothing is a pattern.
fn escaped(path: &Path) -> PathBuf {
    let component = |component: Component<'_>| {
        let name = component.as_os_str().to_string_lossy();
        name.chars()
            .flat_map(|char| r"*?[\".contains(char).then_some('\\').into_iter().chain([char]))
            .collect::<String>()
    };
    path.components().map(component).collect()
}
