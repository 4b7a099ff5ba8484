//! `tare ci` in shallow clones as build servers make them, the comment that it leads to, and `tare init`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Dir, Finished, simulated};

/// The longest comment that GitHub takes.
const LIMIT: usize = 65_536;

fn truth(cases: &[(&str, f64)]) -> String {
    let case = |(name, nanoseconds): &(&str, f64)| {
        let name = serde_json::to_string(name).unwrap();
        format!(
            "[[case]]\nname = {name}\ntime-ns = {nanoseconds:?}\nnoise = {{ model = \"gaussian\", spread = 0.002 }}\n"
        )
    };
    cases.iter().map(case).collect()
}

/// What a build server does before a job: a clone of one commit, on no branch.
fn shallow(dir: &Dir, commit: &str) -> PathBuf {
    let clone = dir.path().with_file_name(format!("clone-{commit}"));
    fs::create_dir(&clone).unwrap();
    let git = |arguments: &[&str]| dir.git(&[&["-C", clone.to_str().unwrap()], arguments].concat());
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["remote", "add", "origin", &format!("file://{}", dir.path().with_file_name("origin.git").display())]);
    git(&["fetch", "--quiet", "--depth=1", "origin", commit]);
    git(&["checkout", "--quiet", "--detach", commit]);
    clone
}

/// A bare repository that has all of the project's.
fn publish(dir: &Dir) {
    let bare = dir.path().with_file_name("origin.git");
    let _ = fs::remove_dir_all(&bare);
    dir.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    dir.git(&["-C", bare.to_str().unwrap(), "config", "uploadpack.allowAnySHA1InWant", "true"]);
}

/// Without what a build server that runs this test has set.
fn alone(command: &mut Command) -> &mut Command {
    for name in ["GITHUB_ACTIONS", "GITHUB_BASE_REF", "GITHUB_EVENT_PATH", "GITHUB_STEP_SUMMARY", "TARE_PULL_REQUEST"] {
        command.env_remove(name);
    }
    for name in ["CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_COMMIT_BEFORE_SHA", "CI_MERGE_REQUEST_IID", "TARE_AUTHOR"] {
        command.env_remove(name);
    }
    command.env_remove("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
}

/// `tare ci` of a push on GitHub.
fn pushed(dir: &Dir, clone: &Path, before: &str, more: &[&str], status: i32) -> Finished {
    let event = clone.with_extension("json");
    fs::write(&event, json!({"before": before, "pull_request": null}).to_string()).unwrap();
    let runtime = simulated("");
    let fixed = ["ci", "truth.toml", "--runtime", &runtime, "--seed", "3", "--launches", "8", "--samples", "8"];
    let mut command = dir.tare(&[&fixed[..], &["--comment", "comment.md", "--junit", "tare.xml"], more].concat());
    alone(&mut command.command).current_dir(clone);
    command.command.env("GITHUB_ACTIONS", "true").env("GITHUB_EVENT_PATH", &event);
    command.command.env("GITHUB_STEP_SUMMARY", clone.join("summary.md"));
    command.finish(status)
}

/// GitHub's comments, as far as `ci/comment` asks for them.
#[derive(Default)]
struct Api {
    comments: Vec<Value>,
    /// What is answered before anything else.
    refusals: Vec<u16>,
    asked: Vec<String>,
}

/// Serves on a port of its own until the test's process ends.
fn serve(api: &Arc<Mutex<Api>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let api = Arc::clone(api);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut first, mut length, mut authorised) = (String::new(), 0, false);
            reader.read_line(&mut first).unwrap();
            loop {
                let mut header = String::new();
                reader.read_line(&mut header).unwrap();
                let Some((name, value)) = header.trim_end().split_once(": ") else { break };
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.parse().unwrap(),
                    "authorization" => authorised = value == "Bearer secret",
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let (status, answer) = api.lock().unwrap().answer(&first, authorised, &body);
            let text = answer.to_string();
            let mut stream = stream;
            let _ = write!(
                stream,
                "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            );
        }
    });
    url
}

impl Api {
    fn answer(&mut self, first: &str, authorised: bool, body: &[u8]) -> (u16, Value) {
        let (method, path) = first.trim_end().split_once(' ').unwrap();
        let path = path.trim_end_matches(" HTTP/1.1");
        self.asked.push(format!("{method} {path}"));
        if !self.refusals.is_empty() {
            return (self.refusals.remove(0), json!({}));
        }
        if !authorised {
            return (401, json!({}));
        }
        let text = || {
            let body: Value = serde_json::from_slice(body).unwrap();
            let text = body["body"].as_str().unwrap().to_owned();
            assert!(text.starts_with("<!-- tare -->\n") && text.chars().count() < LIMIT, "{text}");
            text
        };
        if method == "GET" && path == "/repos/us/ours/issues/7/comments?per_page=100&page=1" {
            return (200, Value::Array(self.comments.clone()));
        }
        if method == "POST" && path == "/repos/us/ours/issues/7/comments" {
            let id = self.comments.len();
            self.comments.push(json!({"id": id, "body": text(), "user": {"type": "Bot"}}));
            return (201, json!({"id": id}));
        }
        let id = path.strip_prefix("/repos/us/ours/issues/comments/").and_then(|id| id.parse::<usize>().ok());
        match (method, id) {
            ("PATCH", Some(id)) if id < self.comments.len() => {
                self.comments[id]["body"] = text().into();
                (200, json!({}))
            }
            _ => (422, json!({})),
        }
    }
}

/// `ci/comment` with that file.
fn comment(url: &str, file: &Path, token: &str) -> (bool, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/comment");
    let mut command = Command::new("python3");
    alone(command.arg(script).arg(file))
        .envs([("GITHUB_API_URL", url), ("GITHUB_REPOSITORY", "us/ours"), ("GITHUB_TOKEN", token)])
        .envs([("TARE_PULL_REQUEST", "7"), ("TARE_PAUSE", "0"), ("no_proxy", "127.0.0.1")]);
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    (done.status.success(), said)
}

#[test]
fn five_commits_get_a_comment_that_is_written_anew() {
    let dir = Dir::repository();
    let cases = |sum: f64| vec![("Sum", sum), ("Other", 500.0)];
    dir.file("truth.toml", &truth(&cases(1000.0)));
    let mut commits = vec![dir.commit("the first")];
    commits.push(dir.file("README.md", "About.").commit("documentation"));
    commits.push(dir.commit("nothing"));
    commits.push(dir.file("truth.toml", &truth(&cases(1050.0))).commit("slower"));
    commits.push(dir.file("truth.toml", &truth(&cases(1000.0))).commit("faster"));
    let more = [cases(1000.0), vec![("New", 100.0)]].concat();
    commits.push(dir.file("truth.toml", &truth(&more)).commit("a new benchmark"));
    publish(&dir);
    // A comment of a user's that begins alike stays the user's.
    let users = json!({"id": 0, "body": "<!-- tare -->\nmine", "user": {"type": "User"}});
    let api = Arc::new(Mutex::new(Api { comments: vec![users.clone()], ..Api::default() }));
    let url = serve(&api);
    let said_of = [
        (0, "", ""),
        (0, "", ""),
        (1, "got slower, `Sum`, by", "::warning file=truth.toml,"),
        (0, "got faster, `Sum`, by", ""),
        (0, "Only in `HEAD`: `New`", ""),
    ];
    for (number, (status, in_comment, annotation)) in said_of.into_iter().enumerate() {
        let clone = shallow(&dir, &commits[number + 1]);
        fs::write(clone.join("summary.md"), "before\n").unwrap();
        let shown = pushed(&dir, &clone, &commits[number], &["--fail-on", "slower=2%"], status);
        let text = fs::read_to_string(clone.join("comment.md")).unwrap();
        assert!(text.starts_with("<!-- tare -->\n### ") && text.contains(in_comment), "{number}: {text}");
        assert!(text.contains(&commits[number + 1][..7]) && text.contains(&commits[number][..7]), "{number}: {text}");
        assert_eq!(fs::read_to_string(clone.join("summary.md")).unwrap(), format!("before\n{text}"));
        assert!(fs::read_to_string(clone.join("tare.xml")).unwrap().contains("<testsuite"));
        assert_eq!(shown.stdout.contains("\n::warning "), !annotation.is_empty(), "{number}: {shown}");
        assert!(shown.stdout.contains(annotation), "{number}: {shown}");
        let (done, said) = comment(&url, &clone.join("comment.md"), "secret");
        assert!(done && said.contains(if number == 0 { "posted" } else { "anew" }), "{said}");
        let api = api.lock().unwrap();
        assert_eq!(api.comments.len(), 2, "{:?}", api.asked);
        assert_eq!((&api.comments[0], &api.comments[1]["body"]), (&users, &text.into()));
    }
}

#[test]
fn an_api_that_refuses_or_is_away_is_told() {
    let dir = Dir::new();
    let file = dir.path().join("comment.md");
    dir.file("comment.md", "<!-- tare -->\n### nothing changed\n");
    let api = Arc::new(Mutex::new(Api::default()));
    let url = serve(&api);
    let refusing = |refusals: &[u16]| api.lock().unwrap().refusals = refusals.to_vec();
    let (done, said) = comment(&url, &file, "of a fork");
    assert!(done && said.contains("the token may not comment") && said.lines().count() == 1, "{said}");
    refusing(&[403]);
    let (done, said) = comment(&url, &file, "secret");
    assert!(done && said.contains("the token may not comment"), "{said}");
    refusing(&[429, 502]);
    assert_eq!(comment(&url, &file, "secret"), (true, "tare: posted the comment\n".to_owned()));
    refusing(&[502; 8]);
    let (done, said) = comment(&url, &file, "secret");
    assert!(!done && said.contains("answered 502 in 4 tries; run the job again"), "{said}");
    refusing(&[]);
    assert_eq!(api.lock().unwrap().comments.len(), 1);
    dir.file("other.md", "not ours");
    assert!(!comment(&url, &dir.path().join("other.md"), "secret").0);
    let (done, said) = comment(&url, &dir.path().join("none.md"), "secret");
    assert!(done && said.contains("isn't there"), "{said}");
}

#[test]
fn hostile_names_command_nothing() {
    let long = "x".repeat(4000);
    let names =
        ["`a` | b", "<img src=x onerror=alert(1)>", "c\n::error::d", "::error::e", "@everyone #1 %0A::error::f", &long];
    let at = |nanoseconds: f64| truth(&names.map(|name| (name, nanoseconds)));
    let dir = Dir::repository();
    let before = dir.file("truth.toml", &at(1000.0)).commit("one");
    let after = dir.file("truth.toml", &at(1200.0)).commit("two");
    publish(&dir);
    let clone = shallow(&dir, &after);
    let shown = pushed(&dir, &clone, &before, &[], 0);
    let mut lines = shown.stdout.lines();
    let word = lines.next().unwrap().strip_prefix("::stop-commands::").unwrap().to_owned();
    let (mut hushed, mut marks) = (true, 0);
    for line in lines {
        if line == format!("::{word}::") {
            hushed = false;
        } else if line == format!("::stop-commands::{word}") {
            hushed = true;
        } else if !hushed {
            assert!(line.starts_with("::warning file=truth.toml,"), "{line}");
            assert!(line.chars().count() < 300, "{line}");
            marks += 1;
        }
    }
    assert!(!hushed && marks == names.len(), "{shown}");
    let text = fs::read_to_string(clone.join("comment.md")).unwrap();
    assert!(!text.contains("\n::") && !text.contains(&"x".repeat(200)), "{text}");
    for line in text.lines().filter(|line| line.contains("<img")) {
        let spans: String = line.split('`').step_by(2).collect();
        assert!(!spans.contains("<img"), "outside of a code span: {line}");
    }
}

#[test]
fn a_base_that_cannot_be_had_is_told_with_what_to_do() {
    let dir = Dir::two_commits();
    publish(&dir);
    let head = dir.git(&["rev-parse", "HEAD"]);
    let clone = shallow(&dir, &head);
    let ci = |variables: &[(&str, &str)], more: &[&str], folder: &Path, status| {
        let mut command = dir.tare(&[&["ci"], more].concat());
        alone(&mut command.command).envs(variables.iter().copied()).current_dir(folder);
        command.finish(status)
    };
    let gone = "1234567890123456789012345678901234567890";
    ci(&[("CI_MERGE_REQUEST_DIFF_BASE_SHA", gone)], &[], &clone, 2).says_once(&["force-push", "--base"]);
    ci(&[("GITHUB_BASE_REF", "renamed")], &[], &clone, 2).says_once(&["force-push", "--base"]);
    ci(&[], &["--base", "nonsense"], &clone, 2).says_once(&["there is no revision `nonsense`"]);
    ci(&[], &["--base", "HEAD~1", "--why"], &clone, 2).says_once(&["--why isn't for `tare ci`"]);
    ci(&[("GITHUB_EVENT_PATH", "/nowhere/event.json")], &[], &clone, 2).says_once(&["/nowhere/event.json", "--base"]);
    let plain = Dir::new();
    plain.good();
    let mut command = plain.tare(&["ci"]);
    alone(&mut command.command);
    command.finish(2).says_once(&["not in a git repository"]);
    // Without a git to run.
    let mut command = dir.tare(&["ci"]);
    alone(&mut command.command).env("PATH", dir.path());
    command.finish(2).says_once(&["git can't be started"]);
}

#[test]
fn what_init_writes_is_read_back() {
    let dir = Dir::repository();
    fs::remove_file(dir.path().join("tare.toml")).unwrap();
    dir.file("composer.json", "{}").file(
        "benchmarks/GoodBench.php",
        "<?php\nfinal class GoodBench { public function benchGood(): void { md5('x'); } }\n",
    );
    let shown = dir.tare(&["init", "--ci", "github"]).finish(0);
    shown.says_once(&["Found benchmarks: 1 (1 of php).", "Wrote tare.toml.", "Wrote .github/workflows/tare.yml."]);
    let text = fs::read_to_string(dir.path().join("tare.toml")).unwrap();
    assert!(text.contains("paths = [\"benchmarks\"]") && text.contains("\nprepare = \"composer install"), "{text}");
    let job = dir.tare(&["init", "--ci", "gitlab"]).finish(0);
    job.says_once(&["Wrote .gitlab-ci.yml."]);
    let job = fs::read_to_string(dir.path().join(".gitlab-ci.yml")).unwrap();
    assert!(job.contains(" git python3 composer php-cli ") && !job.contains('{'), "{job}");
    let workflow = fs::read_to_string(dir.path().join(".github/workflows/tare.yml")).unwrap();
    assert!(!workflow.contains("{steps}") && !workflow.contains("setup-go"), "{workflow}");
    let listed = dir.tare(&["list"]).finish(0);
    assert!(listed.stdout.contains("benchGood") && listed.stderr.is_empty(), "{listed}");
    // Each key that is commented out is one that Tare reads.
    let all: String = text
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|key| key.contains(" = ")).unwrap_or(line))
        .map(|line| format!("{line}\n"))
        .collect();
    let all = all.replace("build = \"make -C build\"\n", "");
    dir.file("tare.toml", &all);
    assert!(dir.tare(&["list"]).finish(0).stderr.is_empty());
    // What is there stays.
    let again = dir.tare(&["init", "--ci", "github"]).finish(0);
    again.says_once(&["tare.toml is here already", ".github/workflows/tare.yml is there already"]);
    assert_eq!(fs::read_to_string(dir.path().join("tare.toml")).unwrap(), all);
    dir.file(".gitlab-ci.yml", "mine: {}\n");
    dir.tare(&["init", "--ci", "gitlab"]).finish(0).says_once(&[".gitlab-ci.yml is there already. Add to it:"]);
    assert_eq!(fs::read_to_string(dir.path().join(".gitlab-ci.yml")).unwrap(), "mine: {}\n");
    // The file of an empty folder is one, too.
    let empty = Dir::new();
    fs::remove_file(empty.path().join("tare.toml")).unwrap();
    empty.tare(&["init"]).finish(0).says_once(&["Found no benchmarks yet", "Wrote tare.toml."]);
    empty.tare(&["init", "--ci", "github"]).finish(2).says_once(&["not in a git repository"]);
    assert!(!empty.path().join(".github").exists());
}
