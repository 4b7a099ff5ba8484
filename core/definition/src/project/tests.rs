use std::fs;
use std::path::{Path, PathBuf};

use tare_samples::Calls;

use super::{PhpbenchChoice, Project};
use crate::Language;

struct Tree(tempfile::TempDir);

impl Tree {
    fn with(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = tree.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(path)
    }

    fn root(&self, start: &str) -> PathBuf {
        Project::find(&self.path(start)).unwrap().root
    }
}

fn commands(project: &Project, arguments: &[&str]) -> Vec<String> {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let runtimes = project.runtimes(&arguments, &[Language::Php]).unwrap();
    runtimes.iter().map(|runtime| format!("{}: {}", runtime.name, runtime.command.join("|"))).collect()
}

#[test]
fn the_root_is_where_the_strongest_mark_is_nearest() {
    let tree = Tree::with(&[
        ("tare.toml", ""),
        ("a/phpbench.json.dist", "{}"),
        ("a/b/.git/HEAD", ""),
        ("a/b/tare.toml/is-a-folder", ""),
        ("a/b/c/composer.json", "{}"),
        ("a/b/c/d/file.php", ""),
    ]);
    assert_eq!(tree.root("a/b/c/d"), tree.path(""));
    fs::remove_file(tree.path("tare.toml")).unwrap();
    assert_eq!(tree.root("a/b/c/d"), tree.path("a"));
    fs::remove_file(tree.path("a/phpbench.json.dist")).unwrap();
    assert_eq!(tree.root("a/b/c/d/file.php"), tree.path("a/b"));
    fs::remove_dir_all(tree.path("a/b/.git")).unwrap();
    assert_eq!(tree.root("a/b/c/d/../d"), tree.path("a/b/c"));
    fs::remove_file(tree.path("a/b/c/composer.json")).unwrap();
    assert_eq!(tree.root("a/b/c/d"), tree.path("a/b/c/d"));
}

#[test]
fn a_worktrees_git_file_marks_a_root() {
    let tree = Tree::with(&[(".git", "gitdir: elsewhere"), ("a/b/x", "")]);
    assert_eq!(tree.root("a/b"), tree.path(""));
}

#[test]
fn settings_are_read_from_the_root_and_the_developers_own_phpbench_file_wins() {
    let tree = Tree::with(&[
        ("tare.toml", "[run]\nlaunches = 7\n[store]\npath = \"kept\""),
        ("phpbench.json", r#"{"runner.revs": 3}"#),
        ("phpbench.json.dist", r#"{"runner.revs": 4}"#),
        ("a/x", ""),
    ]);
    let project = Project::find(&tree.path("a")).unwrap();
    assert_eq!(project.settings.measuring.launches, Some(7));
    assert_eq!(project.settings_file, Some(tree.path("tare.toml")));
    assert_eq!(
        project.phpbench.as_ref().map(|phpbench| phpbench.iterations.clone()),
        Some(vec![tare_samples::Calls::Loop(3)])
    );
    assert_eq!(project.store(), tree.path("kept"));

    let plain = Tree::with(&[("composer.json", "{}")]);
    assert_eq!(Project::find(&plain.path("")).unwrap().store(), plain.path(".tare"));
}

#[test]
fn a_broken_file_is_an_error_and_not_a_project_without_settings() {
    let tree = Tree::with(&[("tare.toml", "[run")]);
    assert!(Project::find(&tree.path("")).unwrap_err().to_string().contains("tare.toml:1: "));
    fs::write(tree.path("tare.toml"), b"\xff").unwrap();
    assert!(
        Project::find(&tree.path("")).unwrap_err().to_string().contains("tare.toml: can't be read: it is not UTF-8")
    );
    let broken = Tree::with(&[("phpbench.json", "{\n")]);
    assert!(Project::find(&broken.path("")).unwrap_err().to_string().contains("phpbench.json:2: "));
}

#[test]
fn runtimes_come_from_the_arguments_else_from_tare_toml_else_from_phpbench() {
    let tree = Tree::with(&[
        ("tare.toml", "[runtime.z]\ncommand = \"php8.2 -n\"\n[runtime.a]\ncommand = \"worker:./sim\"\n"),
        ("phpbench.json", r#"{"runner.php_binary": "/opt/my php", "runner.php_config": {"precision": 17}}"#),
    ]);
    let mut project = Project::find(&tree.path("")).unwrap();
    assert_eq!(commands(&project, &[]), ["z: php8.2|-n|-dprecision=17", "a: ./sim"]);
    assert_eq!(
        commands(&project, &["b=php -dprecision=14", "z"]),
        ["b: php|-dprecision=14", "z: php8.2|-n|-dprecision=17"]
    );
    project.settings.runtimes.clear();
    assert_eq!(commands(&project, &[]), ["php: /opt/my php|-dprecision=17"]);
    if let Some(phpbench) = &mut project.phpbench {
        phpbench.php_disable_ini = true;
    }
    assert_eq!(commands(&project, &["x=php", "y=php -n"]), ["x: php|-n|-dprecision=17", "y: php|-n|-dprecision=17"]);
    assert_eq!(commands(&Project::default(), &[]), ["php: php"]);

    let languages = [Language::Go, Language::Python];
    let told = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Project::default().runtimes(&arguments, &languages).map(|runtimes| {
            let told = runtimes.into_iter().map(|runtime| (runtime.name, runtime.language.map(Language::name)));
            told.collect::<Vec<_>>()
        })
    };
    assert_eq!(told(&[]).unwrap(), [("go".into(), Some("go")), ("python3".into(), Some("python"))]);
    assert_eq!(told(&["new=go1.26"]).unwrap(), [("new".into(), Some("go"))]);
    assert_eq!(
        told(&["x=./interpreter"]).unwrap_err().to_string(),
        "the language of the runtime `x` is unknown from its command; write the language before the command: one of go, python, as in go:COMMAND"
    );

    let twice = project.runtimes(&["x=a".to_owned(), "x=b".to_owned()], &[]).unwrap_err();
    assert_eq!(twice.to_string(), "two runtimes are called `x`; give each a name of its own: NAME=COMMAND");
}

#[test]
fn a_start_that_does_not_exist_still_belongs_to_the_project_above_it() {
    let tree = Tree::with(&[("tare.toml", "")]);
    assert_eq!(Project::find(&tree.path("no/such")).unwrap().root, tree.path(""));
    assert!(Project::find(Path::new("")).is_err());
}

#[test]
fn a_wrapper_and_an_environment_stand_before_the_interpreter() {
    let tree = Tree::with(&[(
        "phpbench.json",
        r#"{"runner.php_wrapper": "nice -n 5", "runner.php_env": {"APP_ENV": "bench", "DEBUG": false}, "runner.php_disable_ini": true}"#,
    )]);
    let project = Project::find(&tree.path("")).unwrap();
    let commands = |arguments: &[String]| project.runtimes(arguments, &[]).unwrap().remove(0).command;
    assert_eq!(commands(&[]), ["env", "APP_ENV=bench", "DEBUG=", "nice", "-n", "5", "php", "-n"]);
    assert_eq!(commands(&["php8.4".to_owned()])[6], "php8.4");
}

#[test]
fn another_configuration_and_a_profile_can_be_chosen() {
    let tree = Tree::with(&[
        ("tare.toml", ""),
        ("phpbench.json", r#"{"runner.revs": 3}"#),
        ("config/other.json", r#"{"runner.path": "bench", "core.profiles": {"long": {"runner.revs": 7}}}"#),
    ]);
    let project = Project::find(&tree.path("")).unwrap();
    let choice = |file: Option<&str>, profile: Option<&str>| PhpbenchChoice {
        file: file.map(|file| tree.path(file)),
        profile: profile.map(str::to_owned),
    };
    let other = project.clone().with(choice(Some("config/other.json"), Some("long"))).unwrap();
    let phpbench = other.phpbench.as_ref().unwrap();
    assert_eq!(phpbench.paths, [tree.path("config/bench")]);
    assert_eq!(phpbench.iterations, [Calls::Loop(7)]);
    let told = |choice| project.clone().with(choice).unwrap_err().to_string();
    assert!(told(choice(Some("config/none.json"), None)).contains("config/none.json: there is no such file"));
    assert!(
        told(choice(None, Some("long")))
            .contains("phpbench.json:1: `core.profiles` has no profile `long`; the file has no profiles")
    );
    // Another revision has its own.
    let old = Tree::with(&[("config/other.json", r#"{"core.profiles": {"long": {"runner.revs": 5}}}"#)]);
    let revision = other.at_revision(&old.path("")).unwrap();
    assert_eq!(revision.phpbench.unwrap().iterations, [Calls::Loop(5)]);
}

/// What `act` says, unless it waits for a FIFO without end; the time is there only so that a failure ends.
fn soon<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(act()));
    told.recv_timeout(std::time::Duration::from_secs(60)).expect("it waits for somebody")
}

#[test]
fn settings_that_are_no_regular_file_are_told_and_neither_waited_for_nor_passed_over() {
    for name in ["tare.toml", "phpbench.json", "phpbench.json.dist"] {
        for target in ["/dev/zero", "FIFO"] {
            let tree = Tree::with(&[("bench/a", "")]);
            let path = tree.path(name);
            match target {
                "FIFO" => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
                device => std::os::unix::fs::symlink(device, &path).unwrap(),
            }
            let start = tree.path("bench");
            let told = soon(move || Project::find(&start).unwrap_err().to_string());
            let what = if target == "FIFO" { "it is a FIFO" } else { "it is a device" };
            assert!(told.contains(name) && told.contains(what), "{told}");
        }
    }
    for name in ["tare.toml", "phpbench.json"] {
        for (target, what) in [(name, "symbolic links"), ("nothing", "No such file")] {
            let tree = Tree::with(&[("bench/a", "")]);
            std::os::unix::fs::symlink(target, tree.path(name)).unwrap();
            let told = Project::find(&tree.path("bench")).unwrap_err().to_string();
            assert!(told.contains(name) && told.contains(what), "{target}: {told}");
        }
    }
    let tree = Tree::with(&[("tare.toml", &" ".repeat(17 << 20))]);
    let told = Project::find(&tree.path("")).unwrap_err().to_string();
    assert!(told.contains("it is larger than 16 MiB"), "{told}");
}

/// Only the administrator can make what belongs to another.
#[test]
fn settings_of_another_user_further_up_are_refused() {
    use std::os::unix::fs::{PermissionsExt, chown};
    const OTHER: Option<u32> = Some(65_534);
    for name in ["tare.toml", "phpbench.json"] {
        let tree = Tree::with(&[(name, ""), ("mine/a", "")]);
        std::fs::write(tree.path(name), if name == "tare.toml" { "" } else { "{}" }).unwrap();
        if chown(tree.path(name), OTHER, None).is_err() {
            return;
        }
        let refused = |start: &str| Project::find(&tree.path(start)).map(drop).map_err(|error| error.to_string());
        let told = refused("mine").unwrap_err();
        assert!(told.contains("belongs to another user (number 65534)") && told.contains("names commands"), "{told}");
        assert_eq!(refused(""), Ok(()), "where one stands is one's own choice");
        std::fs::set_permissions(tree.path(""), std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(refused("").is_err(), "but not where everybody may make files");
        chown(tree.path("mine"), OTHER, None).unwrap();
        assert_eq!(refused("mine"), Ok(()), "the project of the folder's owner");
    }
}
