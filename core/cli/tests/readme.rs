//! The pages that tests here name are executed: every line of a `console` block that begins with `$ tare` runs in a copy of
//! examples/01-clock-and-loop and must succeed. Blocks marked `no-run` need what a test has not; they say what.
//! `scripts/check-docs` checks the blocks of all other pages.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of a page, in order.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside && language.trim() == "console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            commands.push(command.trim().to_owned());
        }
    }
    commands
}

fn run_page(page: &str) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let commands = commands(&text);
    assert!(!commands.is_empty(), "{page} has no console block that is run");
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("examples/01-clock-and-loop");
    for entry in std::fs::read_dir(&example).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let tare = Path::new(env!("CARGO_BIN_EXE_tare")).parent().unwrap();
    let path = format!("{}:{}", tare.display(), std::env::var("PATH").unwrap());
    for command in commands {
        assert!(command.starts_with("tare "), "{page}: `{command}` isn't a tare command; mark its block no-run");
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("NO_COLOR", "1")
            // A tare at the reader's desk isn't waited for.
            .env("TARE_LOCK", folder.path().join("measuring.lock"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{page}: `{command}` ended with {}\n{}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn every_command_of_the_readme_works() {
    run_page("README.md");
}

#[test]
fn every_command_of_the_page_on_measuring_works() {
    run_page("docs/guide.md");
}

#[test]
fn every_command_of_the_page_on_comparing_works() {
    run_page("docs/changes.md");
}

#[test]
fn every_command_of_the_page_on_keeping_runs_works() {
    run_page("docs/keep.md");
}

#[test]
fn every_command_of_the_page_on_the_machine_works() {
    run_page("docs/machine.md");
}

#[test]
fn every_command_of_the_first_example_works() {
    run_page("examples/01-clock-and-loop/README.md");
}

/// Two commands set everything up, and make knows both.
#[test]
fn the_readme_sets_up_with_two_commands() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let block = readme.split("```sh no-run: builds Tare\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let commands: Vec<&str> = block.lines().map(|line| line.split('#').next().unwrap_or("").trim()).collect();
    assert_eq!(commands, ["make demo", "make test"]);
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    assert!(makefile.contains("\ndemo:") && makefile.contains("\ntest:"));
}

/// Every page of the project, relative to its root.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap_or_default());
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !["target", "vendor", "node_modules"].contains(&name.as_str()) {
                pages(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The anchors of a page's headings, as sites that show Markdown make them: in lower case, with hyphens for spaces, without other signs.
fn anchors(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        let Some(title) = line.strip_prefix('#').filter(|_| !fenced).map(|rest| rest.trim_start_matches('#')) else {
            continue;
        };
        let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let twins = found.iter().filter(|one| **one == anchor).count();
        found.push(if twins == 0 { anchor } else { format!("{anchor}-{twins}") });
    }
    found
}

/// Links between the pages lead somewhere, to the heading too.
#[test]
fn links_between_pages_lead_somewhere() {
    let mut all = Vec::new();
    pages(&root(), &mut all);
    assert!(all.len() > 100, "{}", all.len());
    let mut bad = Vec::new();
    for page in &all {
        let text = std::fs::read_to_string(page).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        let unquoted: String = prose.split('`').step_by(2).collect();
        for target in unquoted.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let has_anchor =
                || anchors(&std::fs::read_to_string(&path).unwrap_or_default()).iter().any(|one| one == anchor);
            if !path.exists() || !anchor.is_empty() && path.extension().is_some_and(|end| end == "md") && !has_anchor()
            {
                bad.push(format!("{} links to {target}", page.display()));
            }
        }
    }
    assert_eq!(bad, Vec::<String>::new());
}
