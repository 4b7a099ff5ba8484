//! Cargo's configuration: `[env]`, which `cargo bench` gives to the program, and the target that it builds for.

use std::fs;
use std::path::{Path, PathBuf};

use tare_samples::{Failure, FailureKind};

use super::super::text;
use super::invocation::Invocation;

/// A file of configuration.
struct Configuration {
    path: PathBuf,
    /// Where its relative paths count from.
    base: PathBuf,
    text: String,
    table: toml::Table,
}

/// Those that Cargo reads in `folder`, farther ones first.
fn configurations(root: &Path, folder: &Path) -> Vec<Configuration> {
    let mut above: Vec<&Path> = folder.ancestors().collect();
    above.reverse();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let named = above.iter().map(|folder| (folder.join(".cargo"), folder.to_path_buf()));
    let own = home.map(|home| (home.clone(), home.parent().unwrap_or(root).to_owned()));
    let read = |(folder, base): (PathBuf, PathBuf)| {
        let path = ["config", "config.toml"].map(|name| folder.join(name)).into_iter().find(|path| path.is_file())?;
        let text = fs::read_to_string(&path).ok()?;
        let table = text.parse().ok()?;
        Some(Configuration { path, base, text, table })
    };
    own.into_iter().chain(named).filter_map(read).collect()
}

/// Variables by the files that Cargo reads for a workspace, those farther up first. A variable that the environment has already stays, unless it is forced.
pub(super) fn of_the_environment(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    for Configuration { base, table, .. } in configurations(root, folder) {
        for (name, value) in table.get("env").and_then(toml::Value::as_table).into_iter().flatten() {
            let is = |key: &str| value.get(key).and_then(toml::Value::as_bool).unwrap_or(false);
            let Some(text) = value.as_str().or_else(|| value.get("value")?.as_str()) else { continue };
            let text = if is("relative") { base.join(text).to_string_lossy().into_owned() } else { text.to_owned() };
            if is("force") || std::env::var_os(name).is_none() {
                variables.retain(|(known, _)| known != name);
                variables.push((name.clone(), text));
            }
        }
    }
    variables
}

/// Refuses a target whose programs don't run on this machine.
///
/// # Errors
/// A failure of kind `load` at the place of the setting.
pub(super) fn check_target(invocation: &Invocation, root: &Path, folder: &Path) -> Result<(), Failure> {
    let refused = |target: &str, by: &str| {
        Failure::new(
            FailureKind::Load,
            format!("Cargo builds for {target} here, by {by}, and Tare measures programs of this machine"),
            "name a target of this machine: --runtime \"env CARGO_BUILD_TARGET=TRIPLE cargo\", with the triple that `rustc -vV` shows as `host`",
        )
    };
    if let Some(target) = invocation.variable("CARGO_BUILD_TARGET") {
        return if is_foreign(&target) { Err(refused(&target, "CARGO_BUILD_TARGET")) } else { Ok(()) };
    }
    let all = configurations(root, folder);
    let settings = all.iter().rev().find_map(|file| Some((file, file.table.get("build")?.get("target")?)));
    let Some((file, value)) = settings else { return Ok(()) };
    let several = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let Some(target) = several.iter().filter_map(toml::Value::as_str).find(|target| is_foreign(target)) else {
        return Ok(());
    };
    let line = file.text.lines().position(|line| line.contains(target) && !line.trim_start().starts_with('#'));
    let line = line.map_or(0, |before| before as u64 + 1);
    Err(refused(target, "`build.target` of Cargo's configuration").at(text(&file.path), line))
}

/// Whether a target's name says that it is another machine's. A file with a description (`mine.json`) says nothing by its name.
fn is_foreign(target: &str) -> bool {
    let (own, system) = (std::env::consts::ARCH, std::env::consts::OS);
    let architecture = target.split('-').next().unwrap_or_default();
    let of_32_bits = own == "x86_64" && matches!(architecture, "i386" | "i486" | "i586" | "i686");
    let is_own = architecture.starts_with(own) || of_32_bits;
    let system = if system == "macos" { "darwin" } else { system };
    !(target == "host-tuple" || target.ends_with(".json") || (is_own && target.contains(system)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tare_samples::RuntimeCommand;

    use super::super::invocation::Invocation;
    use super::{check_target, of_the_environment};

    #[test]
    fn the_nearest_configuration_counts() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("inner");
        for (folder, text) in [
            (top.path(), "[env]\nTARE_TEST_A = \"far\"\nTARE_TEST_B = { value = \"data\", relative = true }\n"),
            (&inner, "[env]\nTARE_TEST_A = \"near\"\nPATH = \"x\"\n"),
        ] {
            fs::create_dir_all(folder.join(".cargo")).unwrap();
            fs::write(folder.join(".cargo/config.toml"), text).unwrap();
        }
        let found = of_the_environment(top.path(), &inner);
        let of = |name: &str| found.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!(of("TARE_TEST_A"), Some("near"));
        assert_eq!(of("TARE_TEST_B"), top.path().join("data").to_str());
        assert_eq!(of("PATH"), None, "the environment has one");
    }

    #[test]
    fn a_target_of_another_machine_is_refused_with_its_place() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join(".cargo/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let own = format!("{}-unknown-{}-gnu", std::env::consts::ARCH, std::env::consts::OS);
        let checked = |text: &str, command: &[&str]| {
            fs::write(&file, text).unwrap();
            let command = command.iter().map(|word| (*word).to_owned()).collect();
            let runtime = RuntimeCommand { name: "r".to_owned(), command, ..RuntimeCommand::default() };
            check_target(&Invocation::of(&runtime).unwrap(), top.path(), top.path())
        };
        let failure = checked("[build]\njobs = 1\ntarget = \"sparc64-unknown-linux-gnu\"\n", &["cargo"]).unwrap_err();
        assert_eq!((failure.file.as_str(), failure.line), (file.to_str().unwrap(), 3));
        assert!(failure.message.contains("sparc64-unknown-linux-gnu"), "{failure}");
        assert!(checked("build.target = [\"wasm32-wasip1\"]\n", &["cargo"]).unwrap_err().line == 1);
        for target in [&own, "host-tuple", "mine.json"] {
            checked(&format!("[build]\ntarget = \"{target}\"\n"), &["cargo"]).unwrap();
        }
        let variable = |target: &str| format!("CARGO_BUILD_TARGET={target}");
        // The variable counts before the files.
        let text = "[build]\ntarget = \"sparc64-unknown-linux-gnu\"\n";
        checked(text, &["env", &variable(&own), "cargo"]).unwrap();
        let failure = checked("", &["env", &variable("sparc64-unknown-linux-gnu"), "cargo"]).unwrap_err();
        assert!(failure.message.contains("CARGO_BUILD_TARGET"), "{failure}");
    }
}
