//! What went into a binary, so that it is known without the go command whether it would be built again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::builds;
use crate::cache::{LARGEST_PROGRAM, fingerprint};
use crate::drivers::links;
use crate::embedded::content_key;

const NAME: &str = "manifest.json";
/// Bytes of the largest one that is read.
const LARGEST: u64 = 256 << 20;
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Before the number of the process in the name of a file with cases.
pub(super) const CASES: &str = "cases-";

/// Files that a package's build may read; others in its folder don't matter.
const SOURCES: [&str; 20] = [
    "go", "s", "S", "sx", "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "f", "F", "for", "f90", "syso",
    "swig", "swigcxx",
];

/// A built package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) identity: String,
    /// The binary's file name; it has the key of its content, so that a measurement under way keeps its own.
    pub(super) binary: String,
    pub(super) goroot: String,
    pub(super) warning: Option<String>,
    pub(super) inputs: Inputs,
}

/// The state of the files that a build reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Inputs {
    /// Path, size in bytes and time of change in nanoseconds; `-1` twice where there is no such file.
    files: Vec<(String, i64, i64)>,
    /// Folder and key of the names of its sources.
    folders: Vec<(String, u64)>,
    /// Folder and key of all names in it.
    listed: Vec<(String, u64)>,
}

impl Inputs {
    /// `folders` are those of packages, `files` are others, and in `listed` any new file may be embedded.
    pub(super) fn of(folders: &BTreeSet<PathBuf>, files: &BTreeSet<PathBuf>, listed: &BTreeSet<PathBuf>) -> Self {
        let mut inputs = Self::default();
        let mut all = files.clone();
        for folder in folders {
            let names = sources(folder);
            inputs.folders.push((text(folder), names_key(&names)));
            all.extend(names.iter().map(|name| folder.join(name)));
        }
        inputs.files = all.iter().map(|path| state(path)).collect();
        inputs.listed = listed.iter().map(|folder| (text(folder), names_key(&names(folder)))).collect();
        inputs
    }

    fn hold(&self) -> bool {
        self.files.iter().all(|file| state(Path::new(&file.0)) == *file)
            && self.folders.iter().all(|(folder, key)| names_key(&sources(Path::new(folder))) == *key)
            && self.listed.iter().all(|(folder, key)| names_key(&names(Path::new(folder))) == *key)
    }
}

impl Manifest {
    /// `None` where there is none, or none of this form, or where somebody else could have written it.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        if !tare_files::is_private(folder) {
            return None;
        }
        let value: Value = serde_json::from_slice(&tare_files::read(&folder.join(NAME), LARGEST).ok()?).ok()?;
        let string = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let files = value
            .get("files")?
            .as_array()?
            .iter()
            .map(|file| Some((file.get(0)?.as_str()?.to_owned(), file.get(1)?.as_i64()?, file.get(2)?.as_i64()?)));
        let keys = |name: &str| -> Option<Vec<(String, u64)>> {
            let folders = value.get(name)?.as_array()?.iter();
            folders.map(|folder| Some((folder.get(0)?.as_str()?.to_owned(), folder.get(1)?.as_u64()?))).collect()
        };
        let binary = string("binary")?;
        // What is executed is what was built, and lies where it was put.
        let content = tare_files::read(&folder.join(Path::new(&binary).file_name()?), LARGEST_PROGRAM).ok()?;
        if string("sha256")? != fingerprint(&content) {
            return None;
        }
        Some(Self {
            identity: string("identity")?,
            binary,
            goroot: string("goroot")?,
            warning: string("warning"),
            inputs: Inputs { files: files.collect::<Option<_>>()?, folders: keys("folders")?, listed: keys("listed")? },
        })
    }

    /// Whether a build would give the same.
    pub(super) fn holds(&self, identity: &str) -> bool {
        self.identity == identity && self.inputs.hold()
    }

    /// Written beside its goal and renamed, like the binary: who looks meanwhile sees the old or the new.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let content = tare_files::read(&folder.join(&self.binary), LARGEST_PROGRAM)?;
        let value = json!({
            "identity": self.identity,
            "binary": self.binary,
            "sha256": fingerprint(&content),
            "goroot": self.goroot,
            "warning": self.warning,
            "files": self.inputs.files,
            "folders": self.inputs.folders,
            "listed": self.inputs.listed,
        });
        let fresh = tempfile::Builder::new().prefix("manifest-").tempfile_in(folder)?;
        fs::write(fresh.path(), value.to_string())?;
        fresh.persist(folder.join(NAME)).map_err(|error| error.error)?;
        Ok(())
    }
}

/// What isn't known to be unchanged is built each time.
pub(super) fn forget(folder: &Path) {
    let _ = fs::remove_file(folder.join(NAME));
}

/// Marks a build as used: its manifest at most once a day, its binary each time, since the measurement that begins needs it even
/// where the package is built anew meanwhile. Then removes what nobody uses any more: a package that doesn't change is never
/// built, but each of its measurements leaves a file.
pub(super) fn keep(folder: &Path, binary: &str) {
    let manifest = folder.join(NAME);
    if age(&manifest).is_some_and(|age| age > DAY) {
        links::touch(&manifest);
    }
    links::touch(&folder.join(binary));
    // Without it the folder could go while it is used, which hasn't hurt before.
    let _ = builds::hold(folder);
    clean(folder, binary);
}

/// Removes what older builds and measurements left in `folder`, and links beside it.
fn clean(folder: &Path, binary: &str) {
    for (path, name) in entries(folder) {
        let past = |time: Duration| age(&path).is_some_and(|age| age > time);
        let left = match measuring(&name) {
            // The hour is for processes of another container, whose numbers mean nothing here.
            Some(process) if !Path::new("/proc").join(process).exists() => past(HOUR),
            Some(_) => past(MONTH),
            None => name != binary && name != NAME && name != builds::USED && past(DAY),
        };
        if left {
            remove(&path);
        }
    }
    for (path, name) in folder.parent().map(entries).unwrap_or_default() {
        if !name.starts_with("build-") || path == folder {
            continue;
        }
        // Many times as large as the rest, and soon made again.
        let unused = |(path, name): &(PathBuf, String)| is_link(name) && age(path).is_some_and(|age| age > DAY);
        entries(&path).iter().filter(|entry| unused(entry)).for_each(|(link, _)| remove(link));
    }
}

/// Whether it is called as what was linked of a build once more.
fn is_link(name: &str) -> bool {
    let number = name.strip_suffix(".test").and_then(|name| name.rsplit_once('-'));
    number.is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

/// The number of the process whose measurement uses a file of this name.
fn measuring(name: &str) -> Option<&str> {
    let (process, _) = name.strip_prefix(CASES)?.split_once('-')?;
    process.parse::<u32>().is_ok().then_some(process)
}

/// A build that was killed leaves a folder.
fn remove(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|file| file.is_dir());
    // What can't be removed now is left to the next time.
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

fn entries(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| (entry.path(), entry.file_name().to_string_lossy().into_owned())).collect()
}

fn age(path: &Path) -> Option<Duration> {
    SystemTime::now().duration_since(fs::metadata(path).ok()?.modified().ok()?).ok()
}

fn sources(folder: &Path) -> BTreeSet<String> {
    entries(folder)
        .into_iter()
        .filter(|(path, name)| {
            name == "default.pgo"
                || path.extension().is_some_and(|ending| SOURCES.iter().any(|source| ending == *source))
        })
        .map(|(_, name)| name)
        .collect()
}

/// Hidden files too: whether a pattern takes them is the go command's to say.
fn names(folder: &Path) -> BTreeSet<String> {
    entries(folder).into_iter().map(|(_, name)| name).collect()
}

fn names_key(names: &BTreeSet<String>) -> u64 {
    // Half of the range: JSON readers agree on no more.
    content_key(names.iter().map(|name| name.as_bytes())) >> 1
}

fn state(path: &Path) -> (String, i64, i64) {
    let known = fs::metadata(path).ok().and_then(|file| {
        let time = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((i64::try_from(file.len()).ok()?, i64::try_from(time.as_nanos()).ok()?))
    });
    let (size, time) = known.unwrap_or((-1, -1));
    (text(path), size, time)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process;
    use std::time::{Duration, SystemTime};

    use super::{DAY, HOUR, Inputs, MONTH, Manifest, NAME, keep};
    use crate::builds::USED;

    #[test]
    fn what_is_left_behind_goes_and_what_is_in_use_stays() {
        let base = tempfile::tempdir().unwrap();
        let own = base.path().join("build-own");
        let age = |path: &Path, age: Duration| {
            fs::File::open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        };
        let file = |name: &str, since: Duration| {
            let path = base.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            age(&path, since);
        };
        let running = process::id();
        // Beyond the highest number that Linux gives.
        let gone = 1 << 30;
        file(&format!("build-own/{NAME}"), 2 * MONTH);
        file("build-own/now.test", 2 * MONTH);
        file("build-own/before.test", DAY / 2);
        file("build-own/old.test", 2 * DAY);
        file(&format!("build-own/cases-{running}-1-0"), 2 * DAY);
        file(&format!("build-own/cases-{gone}-2-0"), 2 * HOUR);
        file(&format!("build-own/cases-{gone}-2-0.77"), 2 * HOUR);
        file(&format!("build-own/cases-{gone}-3-0"), HOUR / 2);
        file(&format!("build-own/{USED}"), 2 * DAY);
        file("build-own/building-killed/package.test", Duration::ZERO);
        age(&own.join("building-killed"), 2 * DAY);
        file("build-own/building-now/package.test", Duration::ZERO);
        file(&format!("build-other/{NAME}"), 2 * DAY);
        for (name, since) in
            [("k-1.test".into(), 2 * DAY), ("k-2.test".to_owned(), DAY / 2), ("k.test".into(), 2 * DAY)]
        {
            file(&format!("build-other/{name}"), since);
        }
        keep(&own, "now.test");

        let names = |folder: &Path| {
            let entries = fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>()
        };
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let cases = [format!("cases-{running}-1-0"), format!("cases-{gone}-3-0")];
        let stays = [NAME, USED, "now.test", "before.test", "building-now", cases[0].as_str(), cases[1].as_str()];
        assert_eq!(names(&own), set(&stays));
        assert_eq!(names(base.path()), set(&["build-own", "build-other"]));
        assert_eq!(names(&base.path().join("build-other")), set(&[NAME, "k.test", "k-2.test"]));
    }

    #[test]
    fn a_manifest_holds_until_a_source_changes_comes_or_goes() {
        let base = tempfile::tempdir().unwrap();
        let package = base.path().join("package");
        let built = base.path().join("built");
        let data = package.join("data");
        fs::create_dir_all(&data).unwrap();
        fs::create_dir_all(&built).unwrap();
        fs::write(package.join("a_test.go"), "package a").unwrap();
        fs::write(built.join("x.test"), "binary").unwrap();
        let later = base.path().join("go.work");
        let inputs = || {
            Inputs::of(
                &BTreeSet::from([package.clone()]),
                &BTreeSet::from([later.clone()]),
                &BTreeSet::from([data.clone()]),
            )
        };
        let manifest = || Manifest {
            identity: "i".into(),
            binary: "x.test".into(),
            goroot: "/go".into(),
            warning: None,
            inputs: inputs(),
        };
        let kept = manifest();
        kept.write(&built).unwrap();
        let read = Manifest::read(&built).unwrap();
        assert_eq!(read, kept);
        assert!(read.holds("i"));
        assert!(!read.holds("j"));

        fs::write(package.join("notes.txt"), "no source").unwrap();
        assert!(read.holds("i"));
        fs::write(package.join("b.go"), "package a").unwrap();
        assert!(!read.holds("i"), "a file came");
        fs::remove_file(package.join("b.go")).unwrap();
        assert!(read.holds("i"));
        fs::write(data.join("a.txt"), "embedded").unwrap();
        assert!(!read.holds("i"), "a file came that is embedded");
        fs::remove_file(data.join("a.txt")).unwrap();
        assert!(read.holds("i"));
        fs::write(&later, "go 1.21").unwrap();
        assert!(!read.holds("i"), "a workspace came");
        fs::remove_file(&later).unwrap();
        fs::write(package.join("a_test.go"), "package b ").unwrap();
        assert!(!read.holds("i"), "a file changed");

        // Of the same length: only a look at what it holds tells.
        fs::write(built.join("x.test"), "forged").unwrap();
        assert_eq!(Manifest::read(&built), None, "the binary isn't what was built");
        kept.write(&built).unwrap();
        assert_eq!(Manifest::read(&built).as_ref(), Some(&kept));
        // Who can write to the folder can put there a binary and the manifest that goes with it.
        fs::set_permissions(&built, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(Manifest::read(&built), None, "others can write to its folder");
    }
}
