//! A Go test program, read from the objects that it is linked of.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use serde_json::Deserializer;

use super::archive::{self, Archive};
use super::build::GoBuild;
use super::initialisers;
use super::link::{Id, Linked, Package};
use super::names::{escaped, shown};
use super::numbers::Numbers;
use super::reach::Reach;
use super::unlinked::Unlinked;

/// Objects that Go didn't make: package, name, content.
type Foreign = Vec<(String, String, Vec<u8>)>;

/// Variables of the program's own package that name all that it could run.
const LISTS: [&str; 4] = ["main.tests", "main.benchmarks", "main.fuzzTargets", "main.examples"];
/// What the linker keeps and nothing needs to refer to.
const KEPT: [&str; 2] = ["runtime.unreachableMethod", "runtime.mapinitnoop"];

/// A test program of one side of a comparison. It is read once for all benchmarks of a package.
#[derive(Debug)]
pub struct GoProgram {
    pub(super) linked: Linked,
    tested: String,
    pub(super) target: String,
    pub(super) debugging_defaults: String,
    /// See [`GoBuild`].
    pub(super) modules: Option<BTreeSet<String>>,
    pub(super) foreign: Foreign,
    /// What cgo tells the linker, by package.
    pub(super) directives: Vec<(String, Vec<u8>)>,
    /// The same of every benchmark, by a name that tells them apart.
    pub(super) roots: Vec<(String, Id)>,
}

impl GoProgram {
    /// Reads the objects of a build.
    ///
    /// # Errors
    /// See [`Unlinked`]: then nothing is known of any benchmark of the package.
    pub fn read(build: &GoBuild) -> Result<Self, Unlinked> {
        let mut archives = HashMap::new();
        let mut target = String::new();
        for package in &build.packages {
            let archive = archive::read(&package.file)?;
            if !archive.target.is_empty() && target.is_empty() {
                target.clone_from(&archive.target);
            }
            if !archive.target.is_empty() && archive.target != target {
                return Err(Unlinked::Unfollowed(format!("{} was compiled for something else", package.path)));
            }
            archives.insert(package.path.clone(), (archive, package.standard));
        }
        let version = target.split(' ').nth(2).unwrap_or_default().to_owned();
        let numbers = Numbers::read(&build.goroot, &version)?;
        let packages = in_order(build, archives);
        let mut program = Self {
            linked: Linked::default(),
            tested: build.tested.clone(),
            target,
            debugging_defaults: build.debugging_defaults.clone(),
            modules: build.modules.clone(),
            foreign: Vec::new(),
            directives: Vec::new(),
            roots: Vec::new(),
        };
        let mut exported = Vec::new();
        let mut taken = Vec::new();
        for mut package in packages {
            if !package.archive.directives.is_empty() {
                exported.extend(directed(&package)?);
                program.directives.push((package.path.clone(), std::mem::take(&mut package.archive.directives)));
            }
            for (name, content) in std::mem::take(&mut package.archive.foreign) {
                program.foreign.push((package.path.clone(), name, content));
            }
            taken.push(package);
        }
        program.linked = Linked::new(taken, numbers)?;
        program.roots = program.common_roots(&exported)?;
        Ok(program)
    }

    fn common_roots(&self, exported: &[String]) -> Result<Vec<(String, Id)>, Unlinked> {
        let linked = &self.linked;
        let mut words = self.target.split(' ');
        let (system, processor) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let defined =
            |name: &str, abi: u16| linked.find(name.as_bytes(), abi).filter(|id| linked.definition(*id).is_some());
        let needed = |name: &str, abi: u16| defined(name, abi).ok_or(Unlinked::Damaged("a program without its entry"));
        let entry = format!("_rt0_{processor}_{system}");
        let mut roots = vec![(entry.clone(), needed(&entry, 0)?)];
        roots.push(("main.main".to_owned(), needed("main.main", 1)?));
        // With a linker of C this is where the system enters.
        let others = ["main"].into_iter().chain(KEPT).chain(exported.iter().map(String::as_str));
        for name in others {
            for abi in [0, 1] {
                roots.extend(defined(name, abi).map(|id| (format!("{name}<{abi}>"), id)));
            }
        }
        for first in ["runtime..inittask", "main..inittask"] {
            let Some(first) = defined(first, 0) else { continue };
            let records = initialisers::order(linked, first)?.into_iter();
            roots.extend(records.map(|record| (shown(linked.name(record)), record)));
        }
        Ok(roots)
    }

    /// What follows references from no root yet. Lists of all benchmarks and tests aren't followed.
    pub(super) fn reach(&self) -> Reach<'_> {
        let ends = LISTS.iter().filter_map(|list| self.linked.find(list.as_bytes(), 0)).collect::<HashSet<_>>();
        Reach::new(&self.linked, ends)
    }

    /// The functions of that name in the package and its external tests, with what tells them apart.
    pub(super) fn functions(&self, name: &str) -> Vec<(&'static str, Id)> {
        let mut found = Vec::new();
        for suffix in ["", "_test"] {
            let package = format!("{}{suffix}", self.tested);
            let names = [escaped(&package), package.into_bytes()];
            let id = names.iter().find_map(|package| {
                let name = [package.as_slice(), b".", name.as_bytes()].concat();
                self.linked.find(&name, 1).filter(|id| self.linked.definition(*id).is_some())
            });
            found.extend(id.map(|id| (suffix, id)));
        }
        found
    }
}

/// The packages in the order in which the linker loads them: it takes the first of definitions that may stand in several.
fn in_order(build: &GoBuild, mut archives: HashMap<String, (Archive, bool)>) -> Vec<Package> {
    let mut ordered = Vec::new();
    let mut waiting: VecDeque<String> = VecDeque::from(["main".to_owned()]);
    let rest = build.packages.iter().map(|package| package.path.clone());
    let mut rest = ["runtime".to_owned()].into_iter().chain(rest);
    while let Some(path) = waiting.pop_front().or_else(|| rest.next()) {
        let Some((archive, standard)) = archives.remove(&path) else { continue };
        for object in &archive.objects {
            waiting.extend(object.imports().map(|import| String::from_utf8_lossy(import).into_owned()));
        }
        ordered.push(Package { path, standard, archive });
    }
    ordered
}

/// The names of functions and variables that cgo lets C code use.
///
/// # Errors
/// Where the package asks for a library beside those of the system: it may be linked into the program, and is in no object.
fn directed(package: &Package) -> Result<Vec<String>, Unlinked> {
    let mut found = Vec::new();
    for list in Deserializer::from_slice(&package.archive.directives).into_iter::<Vec<Vec<String>>>() {
        for directive in list.map_err(|_| Unlinked::Damaged("what cgo tells the linker"))? {
            match directive.as_slice() {
                [word, name, ..] if word.starts_with("cgo_export_") => found.push(name.clone()),
                [word, flag] if word == "cgo_ldflag" && !package.standard && !is_of_system(flag) => {
                    return Err(Unlinked::Unfollowed(format!("{} is linked with `{flag}`", package.path)));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Whether a flag for the linker of C adds no code but that of libraries which the system loads.
fn is_of_system(flag: &str) -> bool {
    let libraries = ["-lc", "-lm", "-lpthread", "-ldl", "-lrt", "-lresolv", "-lstdc++"];
    libraries.contains(&flag) || flag == "-g" || flag.strip_prefix("-O").is_some_and(|level| level.len() <= 4)
}
