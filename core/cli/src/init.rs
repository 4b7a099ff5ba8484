//! `tare init`: a `tare.toml` for the project that is here, and what a build server needs. Nothing that exists is written over.

mod lookalikes;
mod needed;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use tare_definition::Project;
use tare_samples::Case;
use tare_session::{Kind, Session, described};

use crate::arguments::{BuildServer, Detail, InitArguments, Selection};
use crate::exit::{Refusal, Status};
use crate::interrupt::{STEP, stop_flag};
use crate::listener::Screen;
use crate::{asked, screen};

/// The action of Tare's release, as `OWNER/REPOSITORY/ci@VERSION`; a release says so when it is built.
const ACTION: Option<&str> = option_env!("TARE_ACTION");
/// Until then a user has to put it there.
const ACTION_PLACE: &str = "TARE_ACTION  # write where Tare's action is: OWNER/REPOSITORY/ci@VERSION";
const GITHUB: &str = include_str!("init/github.yml");
const GITLAB: &str = include_str!("init/gitlab.yml");
/// Benchmarks in C++ are programs, which Tare doesn't look for, compiled against its own header.
const CMAKE: &str = "\
# Benchmarks in C++ are programs that it makes: name them in `paths` (\"build/my_bench\").
# build = 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=\"-I$(tare sdk cpp --include-dir) -I$(tare sdk cpp --include-dir)/tare/google\" && cmake --build build'
";
/// More folders than this are left to discovery.
const MOST_PATHS: usize = 8;

pub(crate) fn init(arguments: &InitArguments) -> Result<Status, Refusal> {
    let folder = asked::folder_here()?;
    let project = asked::project_here()?;
    let settings = folder.join("tare.toml");
    let mut has_none = false;
    if settings.exists() {
        screen::print("tare.toml is here already; Tare leaves it as it is.");
    } else {
        let found = found(&project)?;
        let has_failed = matches!(found, Found::Failed);
        let (cases, refusal) = match found {
            Found::Cases(cases) => (cases, None),
            Found::Failed => {
                screen::print("No benchmark can be measured yet; see above.");
                (Vec::new(), None)
            }
            Found::Refused(why) => (Vec::new(), Some(why)),
            Found::Interrupted => return Ok(Status::Interrupted),
        };
        let seeming = refusal.as_ref().map_or_else(BTreeSet::new, |_| lookalikes::lookalikes(&folder, MOST_PATHS));
        if let Some(why) = refusal.filter(|_| seeming.is_empty()) {
            screen::complain(&why);
        }
        has_none = cases.is_empty() && seeming.is_empty();
        write_new(&settings, &settings_of(&folder, &project, &cases, &seeming))?;
        if !has_failed {
            screen::print(&counted(&cases, &seeming));
        }
        screen::print("Wrote tare.toml.");
        let next = if cases.is_empty() { "tare list" } else { "tare run" };
        screen::print(&format!(
            "Next: `{next}`{}",
            if arguments.ci.is_some() { "" } else { "; `tare init --ci github` (or gitlab) for pull requests" }
        ));
    }
    if let Some(server) = arguments.ci {
        write_workflow(server, &folder)?;
        if has_none {
            screen::complain(
                "there is no benchmark yet that Tare can measure, and until there is one this job fails for each pull request; `tare list` shows what Tare finds",
            );
        }
    }
    Ok(Status::Done)
}

/// What `tare list` finds.
enum Found {
    /// Cases; what failed to load was reported.
    Cases(Vec<Case>),
    /// None, since what there is failed to load; that was reported.
    Failed,
    /// Why nothing can be listed yet. The project gets its file all the same.
    Refused(String),
    Interrupted,
}

fn found(project: &Project) -> Result<Found, Refusal> {
    let listener = Screen::default();
    let session = Session::new(&listener, stop_flag(STEP)?);
    let listed = asked::selected(&Selection::default(), project)
        .and_then(|mut request| session.list(&mut request, project).map_err(Refusal::from));
    match listed {
        Ok(found) => {
            described(&found.failures).iter().for_each(|failure| screen::complain(failure));
            let cases = found.cases();
            if !cases.is_empty() {
                return Ok(Found::Cases(cases));
            }
            // Files that were left out, and why.
            let notices = tare_report::notices(&found.notices, &screen::table_options(&Detail::default()));
            let has_notices = !notices.trim().is_empty();
            if has_notices {
                screen::complain(notices.trim_end());
            }
            Ok(if found.failures.is_empty() && !has_notices { Found::Cases(cases) } else { Found::Failed })
        }
        Err(refusal) if refusal.status == Refusal::status_of(Kind::Interrupted) => Ok(Found::Interrupted),
        Err(refusal) => Ok(Found::Refused(tare_session::with_causes(refusal.cause.as_ref()))),
    }
}

/// How many cases of which languages there are.
fn counted(cases: &[Case], seeming: &BTreeSet<String>) -> String {
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases {
        *languages.entry(&case.language).or_default() += 1;
    }
    if !seeming.is_empty() {
        let names: Vec<&str> = seeming.iter().map(String::as_str).collect();
        return format!("Benchmarks seem to be in {}, which `paths` of tare.toml names.", names.join(", "));
    }
    if languages.is_empty() {
        return "Found no benchmarks yet. Name their files in `paths` of tare.toml; docs/guide.md says what Tare takes for a benchmark.".to_owned();
    }
    let each: Vec<String> = languages.iter().map(|(language, count)| format!("{count} of {language}")).collect();
    format!("Found benchmarks: {} ({}).", cases.len(), each.join(", "))
}

fn settings_of(folder: &Path, project: &Project, cases: &[Case], seeming: &BTreeSet<String>) -> String {
    let has = |name: &str| folder.join(name).exists();
    let mut text =
        "# How Tare measures this project. Every key is optional; docs/settings.md of Tare has all of them.\n\n[run]\n"
            .to_owned();
    let by_phpbench = project.phpbench.as_ref().is_some_and(|phpbench| !phpbench.paths.is_empty());
    let seeming = Some(seeming.clone()).filter(|seeming| !seeming.is_empty());
    match paths(folder, project, cases).or(seeming).filter(|_| !by_phpbench) {
        Some(paths) => {
            let quoted: Vec<String> = paths.iter().map(|path| format!("\"{path}\"")).collect();
            let _ = writeln!(text, "# Files and folders with benchmarks.\npaths = [{}]", quoted.join(", "));
        }
        None => text.push_str(
            "# Files and folders with benchmarks; without this Tare looks for them.\n# paths = [\"benchmarks\"]\n",
        ),
    }
    text.push_str("# A shell command that makes them, run first.\n");
    text.push_str(match has("CMakeLists.txt") {
        true => CMAKE,
        false => "# build = \"make -C build\"\n",
    });
    text.push_str("# The time for each case.\n# budget = \"2s\"\n\n");
    if needed::is_nightly(folder) {
        text.push_str("# Functions with #[bench] are compiled by nightly toolchains alone.\n[runtime.nightly]\ncommand = \"cargo +nightly\"\n\n");
    }
    text.push_str("[compare]\n");
    text.push_str("# A shell command that makes a checkout of a revision ready.\n");
    let (active, prepare) = match () {
        () if has("composer.json") => ("", "composer install --no-interaction --no-progress"),
        () if has("pyproject.toml") => ("# ", "python3 -m venv .venv && .venv/bin/pip install ."),
        () => ("# ", "make"),
    };
    let _ = writeln!(text, "{active}prepare = \"{prepare}\"");
    text.push_str("# The time for each comparison.\n# budget = \"4s\"\n");
    text.push_str("# Counts what a call executes, too, by valgrind: no noise of the machine moves that. Then \"work=1%\" can be a gate.\n# work = true\n");
    text.push_str("# A change fails if a case is slower by more than this; with \"inconclusive\" also if that can't be told.\nfail-on = [\"slower=5%\"]\n");
    text
}

/// The folders of the cases, as `[run] paths` has them; `None` where discovery does better than a list.
fn paths(folder: &Path, project: &Project, cases: &[Case]) -> Option<BTreeSet<String>> {
    // Packages come and go.
    if tare_definition::is_workspace(folder) {
        return None;
    }
    let mut folders = BTreeSet::new();
    for case in cases {
        let file = project.root.join(&case.file);
        let below = file.strip_prefix(folder).ok()?.parent()?.to_str()?.to_owned();
        if below.is_empty() || !is_plain(&below) {
            return None;
        }
        folders.insert(below);
    }
    let is_inner = |path: &String| folders.iter().any(|other| other != path && Path::new(path).starts_with(other));
    let outer: BTreeSet<String> = folders.iter().filter(|path| !is_inner(path)).cloned().collect();
    (1..=MOST_PATHS).contains(&outer.len()).then_some(outer)
}

/// Names are other people's text: only those that mean nothing to TOML or a shell are written.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
}

fn write_workflow(server: BuildServer, folder: &Path) -> Result<(), Refusal> {
    let Some(top) = folder.ancestors().find(|above| above.join(".git").exists()) else {
        return Err(Refusal::usage(anyhow!(
            "{}: not in a git repository, so no build server has it; run `git init`, then `tare init --ci` again",
            folder.display()
        )));
    };
    let below = folder.strip_prefix(top).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    if below.chars().any(|c| c.is_control() || "\"\\$`".contains(c)) {
        return Err(Refusal::usage(anyhow!(
            "the folder's name has characters that a workflow can't hold; rename the folder, or write the workflow by hand (docs/ci.md)"
        )));
    }
    let place = if below.is_empty() { "." } else { &below };
    let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
    let enter = if below.is_empty() { String::new() } else { format!("    - cd \"./{below}\"\n") };
    let needed = needed::needed(folder, &prefix);
    let packages: String = needed.packages.iter().map(|name| format!(" {name}")).collect();
    let commands: String = needed.commands.iter().map(|line| format!("    - {line}\n")).collect();
    let text = |template: &str| {
        template
            .replace("{steps}", &needed.steps)
            .replace("{packages}", &packages)
            .replace("{commands}", &commands)
            .replace("{action}", ACTION.unwrap_or(ACTION_PLACE))
            .replace("{folder}", place)
            .replace("{enter}", &enter)
            .replace("{below}", &prefix)
    };
    let (file, text) = match server {
        BuildServer::Github => (PathBuf::from(".github/workflows/tare.yml"), text(GITHUB)),
        BuildServer::Gitlab => (PathBuf::from(".gitlab-ci.yml"), text(GITLAB)),
    };
    let path = top.join(&file);
    if path.exists() {
        match server {
            BuildServer::Github => {
                screen::print(&format!("{} is there already; Tare leaves it as it is.", file.display()))
            }
            BuildServer::Gitlab => {
                screen::print(&format!("{} is there already. Add to it:\n\n{text}", file.display()));
            }
        }
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error))?;
    }
    write_new(&path, &text)?;
    let next = match server {
        BuildServer::Github if ACTION.is_none() => {
            "Write in it where Tare's action is, which this build of Tare doesn't know, and where its archive is with its checksum; then commit."
        }
        BuildServer::Github => "Write in it where Tare's archive is, and its checksum; then commit.",
        BuildServer::Gitlab => {
            "Set the variables TARE_URL and TARE_SHA256 of the project to an archive of Tare, and TARE_TOKEN for the comment (docs/ci.md), then commit."
        }
    };
    screen::print(&format!("Wrote {}. {next}", file.display()));
    Ok(())
}

/// Writes a file that isn't there.
fn write_new(path: &Path, text: &str) -> Result<(), Refusal> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Refusal::usage(anyhow!("{}: it is there already; Tare leaves it as it is", path.display())))
        }
        Err(error) => Err(unwritable(path, &error)),
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::failed(anyhow!("{}: can't be written: {error}; go to a folder where you may write", path.display()))
}
