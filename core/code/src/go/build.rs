//! What a package's test program was built of, as `go list` names it.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde_json::{Deserializer, Value};

use super::unlinked::Unlinked;

/// Arguments for the go command that name the objects of a package's test program; flags of the build and the package's folder go behind them. They have to
/// be the flags, the overlay and the environment with which the program itself was built.
pub const LIST: [&str; 5] = ["list", "-export", "-deps", "-test", FIELDS];

const FIELDS: &str = "-json=ImportPath,Name,Export,Standard,Deps,DefaultGODEBUG,Module";

/// A flag that puts the commit into what a program can read of its build, unless it says `auto`, which it is of test programs anyway, or `false`.
const COMMIT: &str = "buildvcs";
const WITHOUT_COMMIT: [&str; 2] = ["buildvcs=auto", "buildvcs=false"];

/// Flags after which the linker does something else than what is followed here.
const UNFOLLOWED: [&str; 4] = ["buildmode", "linkshared", "compiler", "toolexec"];

/// A package of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Archived {
    /// As the compiler has it: `main` for the program's own.
    pub(super) path: String,
    pub(super) file: PathBuf,
    /// Whether it is Go's own: of its library, or the program's generated beginning, which runs on no benchmark's stack.
    pub(super) standard: bool,
}

/// A package's test program, before its objects are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoBuild {
    /// The path of the package whose benchmarks it has.
    pub(super) tested: String,
    /// The program's own package first, the others in the order of their paths.
    pub(super) packages: Vec<Archived>,
    /// Settings of the runtime that the linker puts in, from go.mod and from directives.
    pub(super) debugging_defaults: String,
    /// The modules that it has packages of, with their versions, as a program can read them of its build; `None` where more than these and the flags may be
    /// in that.
    pub(super) modules: Option<BTreeSet<String>>,
    /// Where the toolchain is.
    pub(super) goroot: PathBuf,
}

impl GoBuild {
    /// Reads what the go command said to [`LIST`]. `flags` are those of the build, the words of `GOFLAGS` included; `goroot` is the toolchain's folder.
    ///
    /// # Errors
    /// Where it names no test program, or one that is linked in a way that isn't followed. See [`Unlinked`].
    pub fn of_list(said: &[u8], flags: &[String], goroot: PathBuf) -> Result<Self, Unlinked> {
        let damaged = || Unlinked::Damaged("what the go command lists");
        for flag in flags {
            let name = flag.trim_start_matches('-').split('=').next().unwrap_or_default();
            if UNFOLLOWED.contains(&name) {
                return Err(Unlinked::Unfollowed(format!("`{flag}` builds another kind of program")));
            }
        }
        let mut listed = HashMap::new();
        for package in Deserializer::from_slice(said).into_iter::<Value>() {
            let package = package.map_err(|_| damaged())?;
            let path = text(&package, "ImportPath").ok_or_else(damaged)?.to_owned();
            listed.insert(path, package);
        }
        let mut programs = listed.iter().filter_map(|(path, package)| {
            let tested = path.strip_suffix(".test")?;
            (text(package, "Name") == Some("main")).then_some((path, tested.to_owned(), package))
        });
        let (program, tested, package) = programs.next().ok_or_else(damaged)?;
        if programs.next().is_some() {
            return Err(Unlinked::Unfollowed("several packages were listed".to_owned()));
        }
        let dependencies =
            package.get("Deps").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let mut packages = Vec::new();
        let mut modules = BTreeSet::new();
        for path in std::iter::once(program.as_str()).chain(dependencies) {
            // These two are the compiler's own, and have no objects.
            if ["unsafe", "C"].contains(&path) {
                continue;
            }
            if path == "plugin" {
                return Err(Unlinked::Unfollowed("the program may load plugins".to_owned()));
            }
            let entry = listed.get(path).ok_or_else(damaged)?;
            let name = path.split(" [").next().unwrap_or(path);
            modules.extend(entry.get("Module").map(module));
            packages.push(Archived {
                path: if path == program { "main".to_owned() } else { name.to_owned() },
                file: text(entry, "Export").filter(|file| !file.is_empty()).ok_or_else(damaged)?.into(),
                standard: path == program || entry.get("Standard").and_then(Value::as_bool).unwrap_or(false),
            });
        }
        packages[1..].sort_by(|one, other| one.path.cmp(&other.path));
        let debugging_defaults = text(package, "DefaultGODEBUG").unwrap_or_default().to_owned();
        let has_commit = flags
            .iter()
            .map(|flag| flag.trim_start_matches('-'))
            .any(|flag| flag.starts_with(COMMIT) && !WITHOUT_COMMIT.contains(&flag));
        let modules = Some(modules).filter(|_| !has_commit);
        Ok(Self { tested, packages, debugging_defaults, modules, goroot })
    }
}

/// A module and its version, and those of what stands in its place.
fn module(described: &Value) -> String {
    let words = ["Path", "Version", "Sum"].map(|key| text(described, key).unwrap_or_default());
    let replaced = described.get("Replace").map(|other| format!(" => {}", module(other)));
    words.join(" ") + &replaced.unwrap_or_default()
}

fn text<'a>(package: &'a Value, key: &str) -> Option<&'a str> {
    package.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::GoBuild;

    const SAID: &str = r#"{"ImportPath":"unsafe","Standard":true}
        {"ImportPath":"fmt","Export":"/c/fmt","Standard":true}
        {"ImportPath":"m","Name":"m","Export":"/c/m"}
        {"ImportPath":"m [m.test]","Name":"m","Export":"/c/mt"}
        {"ImportPath":"m.test","Name":"main","Export":"/c/main","Deps":["unsafe","fmt","m [m.test]"],"DefaultGODEBUG":"a=1"}"#;

    #[test]
    fn a_program_has_the_packages_that_are_linked() {
        let build = GoBuild::of_list(SAID.as_bytes(), &[], "/go".into()).unwrap();
        let packages: Vec<_> = build.packages.iter().map(|it| (it.path.as_str(), it.file.to_str().unwrap())).collect();
        assert_eq!(packages, [("main", "/c/main"), ("fmt", "/c/fmt"), ("m", "/c/mt")]);
        assert_eq!((build.tested.as_str(), build.debugging_defaults.as_str()), ("m", "a=1"));
    }

    #[test]
    fn modules_are_told_by_their_versions_and_not_by_where_they_lie() {
        let modules = |version: &str, folder: &str, flags: &[&str]| {
            let module = format!(
                r#""Module":{{"Path":"x","Version":"{version}","Dir":"{folder}","Replace":{{"Path":"../y","Dir":"{folder}/y"}}}}"#
            );
            let said = SAID.replace(r#""Export":"/c/mt""#, &format!(r#""Export":"/c/mt",{module}"#));
            let flags: Vec<_> = flags.iter().map(|flag| (*flag).to_owned()).collect();
            GoBuild::of_list(said.as_bytes(), &flags, "/go".into()).unwrap().modules
        };
        assert_eq!(modules("v1", "/one", &[]), modules("v1", "/other", &["-tags=a", "-buildvcs=false"]));
        assert_ne!(modules("v1", "/one", &[]), modules("v2", "/one", &[]));
        assert_eq!(modules("v1", "/one", &["--buildvcs=true"]), None, "the commit is in it, too");
    }

    #[test]
    fn other_kinds_of_programs_are_refused() {
        let build = |said: &str, flags: &[&str]| {
            let flags: Vec<_> = flags.iter().map(|flag| (*flag).to_owned()).collect();
            GoBuild::of_list(said.as_bytes(), &flags, "/go".into()).map_err(|error| error.to_string())
        };
        assert!(build(SAID, &["-race", "--buildmode=pie"]).unwrap_err().contains("another kind"));
        assert!(build(&SAID.replace("\"fmt\"", "\"plugin\""), &[]).unwrap_err().contains("plugins"));
        assert!(build(&SAID.replace("\"/c/fmt\"", "\"\""), &[]).is_err());
        assert!(build("{", &[]).is_err());
        assert!(build("", &[]).is_err());
    }
}
