//! Packages, targets and dependencies of a workspace, as Cargo tells them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tare_samples::{Failure, FailureKind};

use super::super::text;
use super::harness::Manifest;
use super::invocation::Invocation;
use super::modules;
use super::surroundings;
use super::target::{Kind, Target, kind_of, same};
use crate::building;

/// Packages whose sources Tare has its own of.
const REPLACED: [&str; 4] = ["criterion", "codspeed-criterion-compat-walltime", "divan", "divan-macros"];
/// What these sources need of their dependencies: runtimes of asynchronous code.
const NEEDED: [&str; 4] = ["tokio", "futures", "smol", "async-std"];

/// A workspace.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) root: PathBuf,
    /// `Cargo.toml` of the package in whose folder Cargo was asked.
    manifest: PathBuf,
    packages: Vec<Value>,
}

/// `Cargo.toml` of a source's package.
///
/// # Errors
/// A source that is in no package.
pub(super) fn manifest_of(source: &Path) -> Result<PathBuf, Failure> {
    let mut manifests = source.ancestors().skip(1).map(|folder| folder.join("Cargo.toml"));
    manifests.find(|path| path.is_file()).ok_or_else(|| {
        let failure = Failure::new(
            FailureKind::Load,
            "no folder above this file has a Cargo.toml, so no package has it as a benchmark",
            "write the benchmark as a [[bench]] target of a package",
        );
        failure.at(text(source), 0)
    })
}

impl Workspace {
    /// The one that a package belongs to.
    ///
    /// # Errors
    /// A Cargo that can't be started, manifests that it refuses.
    pub(super) fn of(invocation: &Invocation, manifest: &Path) -> Result<Self, Failure> {
        let folder = manifest.parent().unwrap_or(manifest);
        let facts = metadata(invocation, &["--no-deps"], folder)?;
        let root = facts.get("workspace_root").and_then(Value::as_str).map_or_else(|| folder.to_owned(), PathBuf::from);
        let packages = facts.get("packages").and_then(Value::as_array).cloned().unwrap_or_default();
        Ok(Self { root, manifest: manifest.to_owned(), packages })
    }

    /// Whether Cargo would say the same in the folder of another package: it belongs to the workspace, and neither flags nor files of its own make a difference.
    pub(super) fn serves(&self, invocation: &Invocation, manifest: &Path) -> bool {
        let between = || manifest.ancestors().skip(1).take_while(|folder| **folder != self.root);
        let is_alike = || {
            invocation.flags.is_empty()
                && self.package(manifest).is_some()
                && [manifest, &self.manifest].iter().all(|one| one.starts_with(&self.root))
                && !surroundings::files(between()).any(|(folder, name)| folder.join(name).exists())
        };
        manifest == self.manifest || is_alike()
    }

    fn package(&self, manifest: &Path) -> Option<&Value> {
        let is_it = |package: &&Value| path_in(package, "manifest_path").is_some_and(|path| same(&path, manifest));
        self.packages.iter().find(is_it)
    }

    /// The target of a package whose root is `source`, or whose root leads to it where it has `#[bench]`: a file may be a part of several, and counts for the first.
    pub(super) fn target(&self, manifest: &Path, source: &Path) -> Option<Target> {
        let package = self.package(manifest)?;
        let of = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let targets = package.get("targets").and_then(Value::as_array)?;
        let declared = Manifest::read(manifest);
        let is_root = |target: &&Value| path_in(target, "src_path").is_some_and(|path| same(&path, source));
        let has_harness =
            |target: &Value, kind: Kind| declared.has_harness(kind, target["name"].as_str().unwrap_or(""));
        let of_bench = |target: &Value| {
            let kind = kind_of(target).filter(|kind| has_harness(target, *kind))?;
            Some((kind, modules::with_bench(&path_in(target, "src_path")?)))
        };
        let benchmarks = || targets.iter().filter(|target| kind_of(target) == Some(Kind::Benchmark));
        let without_harness = benchmarks().filter(is_root).find(|target| !has_harness(target, Kind::Benchmark));
        let (target, kind, files) = match without_harness {
            Some(target) => (target, Kind::Benchmark, Vec::new()),
            None => {
                let leads = |target: &'_ Value| {
                    let (kind, files) = of_bench(target)?;
                    files.iter().any(|file| same(file, source)).then_some((kind, files))
                };
                let (roots, others): (Vec<&Value>, Vec<&Value>) = targets.iter().partition(is_root);
                let found = roots.into_iter().chain(others).find_map(|target| Some((target, leads(target)?)));
                match found {
                    Some((target, (kind, files))) => (target, kind, files),
                    None => (benchmarks().find(is_root)?, Kind::Benchmark, Vec::new()),
                }
            }
        };
        Some(Target {
            name: target.get("name")?.as_str()?.to_owned(),
            kind,
            has_harness: has_harness(target, kind),
            source: source.to_owned(),
            files,
            folder: manifest.parent()?.to_owned(),
            variables: variables(package, &of),
        })
    }
}

/// `CARGO_PKG_…`, which `cargo bench` sets for the program as it does for the compiler; but the name of the readme, with which a commit that adds one would start another process.
fn variables(package: &Value, of: &dyn Fn(&str) -> String) -> Vec<(String, String)> {
    let version = of("version");
    let (numbers, pre) = version.split_once('-').unwrap_or((&version, ""));
    let numbers: Vec<&str> = numbers.split('+').next().unwrap_or_default().split('.').collect();
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default().to_owned();
    let authors: Vec<&str> =
        package.get("authors").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    [
        ("NAME", of("name")),
        ("VERSION", version.clone()),
        ("VERSION_MAJOR", number(0)),
        ("VERSION_MINOR", number(1)),
        ("VERSION_PATCH", number(2)),
        ("VERSION_PRE", pre.split('+').next().unwrap_or_default().to_owned()),
        ("AUTHORS", authors.join(":")),
        ("DESCRIPTION", of("description")),
        ("HOMEPAGE", of("homepage")),
        ("REPOSITORY", of("repository")),
        ("LICENSE", of("license")),
        ("LICENSE_FILE", of("license_file")),
        ("RUST_VERSION", of("rust_version")),
    ]
    .into_iter()
    .map(|(name, value)| (format!("CARGO_PKG_{name}"), value))
    .collect()
}

/// What a workspace depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependencies {
    /// Folders of packages that nothing but a replaced one needs: Tare's source in its place uses none of them, so nothing of theirs has to be compiled. A path a line, in order.
    pub(super) needless: String,
    /// Names of packages that lie in folders of the user's, and not in a registry or a repository.
    pub(super) own: BTreeSet<String>,
    /// Their folders.
    pub(super) folders: BTreeSet<PathBuf>,
}

/// # Errors
/// As Cargo resolves no dependencies.
pub(super) fn dependencies(invocation: &Invocation, workspace: &Workspace) -> Result<Dependencies, Failure> {
    let facts = metadata(invocation, &[], workspace.manifest.parent().unwrap_or(&workspace.root))?;
    let packages = facts.get("packages").and_then(Value::as_array).into_iter().flatten();
    let own: Vec<&Value> = packages.filter(|package| package["source"].is_null()).collect();
    let folder = |package: &&Value| path_in(package, "manifest_path")?.parent().map(Path::to_owned);
    Ok(Dependencies {
        needless: needless_in(&facts),
        own: own.iter().filter_map(|package| package["name"].as_str()).map(str::to_owned).collect(),
        folders: own.iter().filter_map(folder).collect(),
    })
}

fn needless_in(facts: &Value) -> String {
    let array = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let id = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: HashMap<String, Value> =
        array(facts, "packages").into_iter().map(|package| (id(&package["id"]), package)).collect();
    let name = |package: &str| packages.get(package).map(|package| id(&package["name"])).unwrap_or_default();
    let nodes: HashMap<String, Vec<String>> = array(&facts["resolve"], "nodes")
        .iter()
        .map(|node| (id(&node["id"]), array(node, "deps").iter().map(|dependency| id(&dependency["pkg"])).collect()))
        .collect();
    let mut needed = BTreeSet::new();
    let mut left: Vec<String> = array(facts, "workspace_members").iter().map(id).collect();
    while let Some(node) = left.pop() {
        let is_replaced = REPLACED.contains(&name(&node).as_str());
        let all = nodes.get(&node).cloned().unwrap_or_default();
        if needed.insert(node) {
            left.extend(all.into_iter().filter(|next| !is_replaced || NEEDED.contains(&name(next).as_str())));
        }
    }
    let folder = |node: &String| {
        let manifest = path_in(packages.get(node)?, "manifest_path")?;
        Some(text(manifest.parent()?))
    };
    let unneeded: BTreeSet<String> = nodes.keys().filter(|node| !needed.contains(*node)).filter_map(folder).collect();
    unneeded.into_iter().map(|folder| folder + "\n").collect()
}

fn metadata(invocation: &Invocation, more: &[&str], folder: &Path) -> Result<Value, Failure> {
    let mut arguments = vec!["metadata", "--format-version=1"];
    arguments.extend(more);
    arguments.extend(invocation.flags_of_the_graph());
    let output = building::output(&mut invocation.command(&arguments, folder));
    let output = output.map_err(|error| not_started(invocation, &error))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let answered = String::from_utf8_lossy(&output.stdout);
    let refused = || {
        let first = said.lines().find_map(|line| line.trim().strip_prefix("error: ")).or_else(|| said.lines().next());
        let why = match (first, answered.lines().next()) {
            (Some(first), _) => first.to_owned(),
            // A script in its place, or a Cargo older than what it is asked.
            (None, Some(line)) => format!("it answers `{}`", line.chars().take(80).collect::<String>()),
            (None, None) => "it doesn't say why".to_owned(),
        };
        let message = format!("Cargo can't read the package: {why}");
        let failure = Failure::new(
            FailureKind::Load,
            message,
            "repair that; `cargo metadata` in this folder shows the same error",
        );
        Failure { stderr: said.clone(), ..failure.at(text(&folder.join("Cargo.toml")), 0) }
    };
    if !output.status.success() {
        return Err(refused());
    }
    serde_json::from_slice(&output.stdout).map_err(|_| refused())
}

pub(super) fn not_started(invocation: &Invocation, error: &std::io::Error) -> Failure {
    Failure::new(
        FailureKind::Runtime,
        format!("{} can't be started: {error}", invocation.named()),
        "install Rust, or name another Cargo with --runtime NAME=COMMAND",
    )
}

fn path_in(value: &Value, key: &str) -> Option<PathBuf> {
    value.get(key)?.as_str().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::needless_in;

    #[test]
    fn what_only_a_replaced_package_needs_is_left_empty() {
        let package = |name: &str| json!({"id": name, "name": name, "manifest_path": format!("/r/{name}/Cargo.toml")});
        let node = |name: &str, needs: &[&str]| {
            let deps: Vec<_> = needs.iter().map(|need| json!({"pkg": need})).collect();
            json!({"id": name, "deps": deps})
        };
        let names = ["own", "criterion", "plotters", "serde", "tokio", "mio"];
        let facts = json!({
            "packages": names.map(package),
            "workspace_members": ["own"],
            "resolve": {"nodes": [
                node("own", &["criterion", "serde"]), node("criterion", &["plotters", "serde", "tokio"]),
                node("plotters", &[]), node("serde", &[]), node("tokio", &["mio"]), node("mio", &[]),
            ]},
        });
        assert_eq!(needless_in(&facts), "/r/plotters\n");
    }
}
