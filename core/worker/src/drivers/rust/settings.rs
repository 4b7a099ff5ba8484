//! `[env]` of Cargo's configuration, which `cargo bench` gives to the program.

use std::fs;
use std::path::Path;

/// Variables by the files that Cargo reads for a workspace, those farther up first. A variable that the environment has already stays, unless it is forced.
pub(super) fn of_the_environment(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut above: Vec<&Path> = folder.ancestors().collect();
    above.reverse();
    let home = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let named = above.iter().map(|folder| (folder.join(".cargo"), *folder));
    let own = home.as_deref().map(|home| (home.to_owned(), home.parent().unwrap_or(root)));
    let mut variables: Vec<(String, String)> = Vec::new();
    for (folder, base) in own.into_iter().chain(named) {
        let texts = ["config.toml", "config"].map(|name| fs::read_to_string(folder.join(name)));
        let Some(Ok(text)) = texts.into_iter().find(Result::is_ok) else { continue };
        let Ok(table) = text.parse::<toml::Table>() else { continue };
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::of_the_environment;

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
}
