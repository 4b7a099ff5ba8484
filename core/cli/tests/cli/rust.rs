//! Benchmarks of Cargo packages: listed, measured, compared, with nothing added to the package. The `criterion` of these is an empty package of that name, so that no
//! registry is needed: Tare's own source takes its place.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::harness::{Dir, assert_failure};

const MANIFEST: &str = "[package]\nname = \"mine\"\nversion = \"0.3.0\"\nedition = \"2021\"\n\n[features]\nextra = []\n\n[dev-dependencies]\ncriterion = { path = \"criterion\" }\n\n\
    [[bench]]\nname = \"sums\"\nharness = false\n";
const SUMS: &str = r#"use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};

fn sums(c: &mut Criterion) {
    let mut group = c.benchmark_group("sum");
    for size in [10u64, 100] {
        group.bench_with_input(BenchmarkId::from_parameter(size), &size, |b, &size| {
            b.iter(|| (0..std::hint::black_box(size)).fold(mine::START, |sum, n| sum * 31 + n))
        });
    }
    group.finish();
}

fn files(c: &mut Criterion) {
    let text = std::fs::read_to_string("data.txt").unwrap();
    c.bench_function("letters", |b| b.iter(|| text.chars().filter(|c| c.is_alphabetic()).count()));
}

criterion_group!(benches, sums, files);
criterion_main!(benches);
"#;

/// A package with three benchmarks; its `Cargo.lock` isn't there.
fn package(dir: &Dir) {
    dir.file("Cargo.toml", MANIFEST)
        .file("src/lib.rs", "pub const START: u64 = 7;\n")
        .file("data.txt", "some text")
        .file("benches/sums.rs", SUMS)
        .file("criterion/Cargo.toml", "[package]\nname = \"criterion\"\nversion = \"0.5.1\"\nedition = \"2018\"\n")
        .file("criterion/src/lib.rs", "compile_error!(\"this source is replaced\");\n");
}

fn is_there() -> bool {
    let there = Command::new("cargo").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: there is no cargo");
    }
    there
}

fn files_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != ".tare").collect();
    names.sort();
    names
}

#[test]
fn a_package_is_measured_as_it_is_and_what_can_not_be_is_told() {
    if !is_there() {
        return;
    }
    let dir = Dir::new();
    package(&dir);
    let more = "\n[[bench]]\nname = \"broken\"\nharness = false\n\n[[bench]]\nname = \"gated\"\nharness = false\nrequired-features = [\"extra\"]\n\n[[bench]]\nname = \"harnessed\"\n";
    dir.file("Cargo.toml", &format!("{MANIFEST}{more}"))
        .file("benches/broken.rs", "fn main() {\n    let n: u64 = \"text\";\n    criterion::Criterion::default();\n}\n")
        .file("benches/gated.rs", SUMS)
        .file("benches/harnessed.rs", "use criterion::*;\ncriterion_group!(benches, a);\nfn a(_: &mut Criterion) {}\n#[allow(dead_code)]\nmod one { fn main() {} }\n// criterion_main! is left out\ncriterion_main!(benches);\n");
    let before = files_of(&dir.path());
    let finished =
        dir.tare(&["run", "benches", "--launches", "1", "--samples", "2", "--calls", "10", "--json"]).finish(4);
    let document = finished.document();
    let ok: Vec<_> =
        document.statuses().into_iter().filter(|(_, status)| *status == "ok").map(|(name, _)| name).collect();
    assert_eq!(ok.len(), 3, "{ok:?}\n{finished}");
    assert_eq!(document.case("letters")["status"], "ok");
    assert_eq!(document.case("letters")["runtime"]["language"], "rust");
    assert_eq!(document.case("letters")["file"], "benches/sums.rs");
    let failures = document.0["failures"].as_array().cloned().unwrap_or_default();
    let of =
        |file: &str| failures.iter().find(|failure| failure["file"].as_str().is_some_and(|path| path.ends_with(file)));
    assert_failure(
        of("broken.rs").unwrap_or(&json!(null)),
        &json!({"kind": "load", "message": "it doesn't build: mismatched types", "line": 2}),
    );
    let harnessed = of("harnessed.rs").cloned().unwrap_or_default();
    assert!(harnessed["message"].as_str().is_some_and(|said| said.ends_with("lacks `harness = false`")), "{harnessed}");
    finished.says_once(&["it is left out: it requires the features `extra`"]);
    assert_eq!(files_of(&dir.path()), before, "nothing is left in the package, Cargo.lock neither");
    dir.assert_no_process_is_left();
}

#[test]
fn a_revision_is_built_as_its_own_configuration_says_and_not_as_the_working_trees() {
    if !is_there() {
        return;
    }
    let configured = |name: &str| format!("[build]\nrustflags = [\"--cfg\", \"{name}\"]\n");
    let dir = Dir::repository();
    package(&dir);
    let cases = ["base", "head", "here"]
        .map(|name| format!("    #[cfg({name})]\n    c.bench_function(\"of_{name}\", |b| b.iter(|| 1));\n"));
    let sums = SUMS.replacen("(c: &mut Criterion) {\n", &format!("(c: &mut Criterion) {{\n{}", cases.concat()), 1);
    dir.file("benches/sums.rs", &format!("#![allow(unexpected_cfgs)]\n{sums}"));
    for name in ["base", "head"] {
        dir.file(".cargo/config.toml", &configured(name)).commit(name);
    }
    dir.file(".cargo/config.toml", &configured("here"));
    let shown = dir.compare("HEAD~1", "HEAD", &["benches"]).finish(0);
    shown.says_once(&["only in HEAD~1: of_base", "only in HEAD: of_head"]).never_says(&["of_here"]);
    dir.compare("HEAD", ".", &["benches"])
        .finish(0)
        .says_once(&["only in HEAD: of_head", "only in working tree: of_here"]);
    assert!(!dir.git(&["status", "--porcelain"]).contains("Cargo.lock"));
    dir.assert_nothing_is_left();
}

#[test]
fn what_a_commit_does_not_touch_is_unchanged() {
    if !is_there() {
        return;
    }
    let dir = Dir::repository();
    package(&dir);
    dir.commit("one");
    dir.file("README.md", "words")
        .file("src/lib.rs", "//! Words.\n\npub const START: u64 = 7;\n")
        .commit("documentation");
    dir.file("data.txt", "other text").commit("data");
    dir.file("src/lib.rs", "pub const START: u64 = 8;\n").commit("code");
    let found = |base: &str, candidate: &str| {
        let found = crate::unchanged::found(&dir, base, candidate, "benches")?;
        let of = |name: &str| {
            found.iter().filter(|(case, _)| case.starts_with(name)).map(|(_, what)| what.clone()).collect()
        };
        Some([of("letters"), of("sum")] as [Vec<String>; 2])
    };
    let Some(documentation) = found("HEAD~3", "HEAD~2") else { return };
    assert!(documentation.iter().flatten().all(|finding| finding.starts_with("unchanged")), "{documentation:?}");
    assert_eq!(documentation.iter().flatten().count(), 3);
    // Data that one function of a group reads is read before its first case, as Criterion would.
    let [letters, _] = found("HEAD~2", "HEAD~1").unwrap();
    assert_eq!(letters, ["differs"]);
    // Programs differ: the functions that define the cases tell which of them are touched.
    let [letters, sums] = found("HEAD~1", "HEAD").unwrap();
    assert_eq!(sums, ["differs", "differs"]);
    assert!(letters.iter().all(|finding| finding.starts_with("unchanged")), "{letters:?}");
}

#[test]
fn programs_of_two_revisions_are_linked_in_other_orders_and_each_launch_starts_one() {
    if !is_there() {
        return;
    }
    let dir = Dir::repository();
    package(&dir);
    let list = dir.path().join("started");
    // Each process says what it was started from when it defines its benchmarks.
    let says = format!(
        "fn files(c: &mut Criterion) {{\n    use std::io::Write;\n    let own = std::fs::read_link(\"/proc/self/exe\").unwrap();\n    \
         let mut list = std::fs::OpenOptions::new().create(true).append(true).open({list:?}).unwrap();\n    \
         writeln!(list, \"{{}}\", own.display()).unwrap();\n"
    );
    dir.file("benches/sums.rs", &SUMS.replace("fn files(c: &mut Criterion) {\n", &says)).commit("one");
    dir.file("src/lib.rs", "pub const START: u64 = 8;\n").commit("two");
    let words = ["--filter", "letters", "--json"];
    let compared = dir.compare("HEAD~1", "HEAD", &words).finish(0);
    compared.says_once(&["linking 2 programs"]);
    let document = compared.document().0;
    let warned = document["comparisons"][0]["warnings"].as_array().unwrap().iter().any(|one| one["code"] == "layout");
    assert!(!warned, "what layouts are worth is in the interval: {}", document["comparisons"][0]);
    let started = fs::read_to_string(&list).unwrap();
    let is_link = |path: &&str| path.rsplit('-').next().is_some_and(|number| number.len() < 4);
    let links: std::collections::BTreeSet<&str> = started.lines().filter(is_link).collect();
    // One launch of each side, and the process of the base that is watched.
    let programs_of: std::collections::BTreeSet<&Path> =
        links.iter().filter_map(|path| Path::new(path).parent()).collect();
    assert!(programs_of.len() == 2 && (2..=3).contains(&links.len()), "{links:?}");
    let folder = Path::new(links.first().unwrap()).parent().unwrap();
    let program = |name: &&String| name.starts_with("sums-") && !name.contains('.');
    let contents: std::collections::BTreeSet<Vec<u8>> =
        files_of(folder).iter().filter(program).map(|name| fs::read(folder.join(name)).unwrap()).collect();
    let programs = files_of(folder).iter().filter(program).count();
    assert!(programs > 8 && contents.len() == programs, "each is another program: {programs}, {}", contents.len());
}

#[test]
fn what_a_build_script_makes_is_compared_and_its_folder_is_not() {
    if !is_there() {
        return;
    }
    let dir = Dir::repository();
    package(&dir);
    let script = |level: &str, data: &str| {
        let text = "use std::process::Command;\n\nfn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n    let run = |program: &str, words: &[&str]| assert!(Command::new(program).args(words).status().unwrap().success());\n    \
            let object = format!(\"{out}/sum.o\");\n    run(\"cc\", &[\"-c\", \"-O1\", \"sum.c\", \"-o\", &object]);\n    run(\"ar\", &[\"crs\", &format!(\"{out}/libcsum.a\"), &object]);\n    \
            std::fs::write(format!(\"{out}/data.txt\"), \"DATA\").unwrap();\n    println!(\"cargo:rustc-link-search=native={out}\");\n    println!(\"cargo:rustc-link-lib=static=csum\");\n    println!(\"cargo:rustc-env=LEVEL=VALUE\");\n}\n";
        text.replace("VALUE", level).replace("DATA", data)
    };
    let case = |name: &str, routine: &str| {
        format!("fn {name}(c: &mut Criterion) {{ c.bench_function(\"{name}\", |b| b.iter(|| {routine})); }}\n")
    };
    let benches = [
        "use criterion::{criterion_group, criterion_main, Criterion};\nextern \"C\" { fn csum(n: u64) -> u64; }\n".to_owned(),
        case("foreign", "unsafe { csum(std::hint::black_box(9)) + mine::START }"),
        case("own", "mine::START + std::hint::black_box(9)"),
        case("made", "std::fs::read(std::env::var(\"OUT_DIR\").unwrap() + \"/data.txt\").unwrap().len()"),
        "criterion_group!(a, foreign);\ncriterion_group!(b, own);\ncriterion_group!(c, made);\ncriterion_main!(a, b, c);\n".to_owned(),
    ];
    let sum = "unsigned long csum(unsigned long n) { return n * 31; }\n";
    dir.file("benches/sums.rs", &benches.concat())
        .file("sum.c", sum)
        .file("build.rs", &script("1", "one"))
        .commit("one");
    dir.file("README.md", "words").commit("documentation");
    dir.file("sum.c", &sum.replace("31", "37")).commit("foreign code");
    dir.file("build.rs", &script("1", "two")).commit("what it makes");
    dir.file("build.rs", &script("2", "two")).commit("what it sets");
    let found = |base: &str, candidate: &str| {
        let found = crate::unchanged::found(&dir, base, candidate, "benches")?;
        Some(["foreign", "own", "made"].map(|name| found[name].split(' ').next().unwrap().to_owned()))
    };
    let Some(documentation) = found("HEAD~4", "HEAD~3") else { return };
    // What lies in the folder of the build isn't compared by itself: a case that reads it is measured.
    assert_eq!(documentation, ["unchanged", "unchanged", "unproven"]);
    assert_eq!(found("HEAD~3", "HEAD~2").unwrap(), ["differs", "unchanged", "unproven"]);
    assert_eq!(found("HEAD~2", "HEAD~1").unwrap(), ["unchanged", "unchanged", "unproven"]);
    assert_eq!(found("HEAD~1", "HEAD").unwrap(), ["unproven"; 3]);
}

#[test]
fn benchmarks_of_one_name_in_several_programs_are_known_by_their_files() {
    if !is_there() {
        return;
    }
    let dir = Dir::repository();
    package(&dir);
    let second = "\n[[bench]]\nname = \"more\"\nharness = false\n";
    dir.file("Cargo.toml", &format!("{MANIFEST}{second}")).file("benches/more.rs", SUMS).commit("one");
    dir.file("src/lib.rs", "pub const START: u64 = 8;\n").commit("two");
    let shown = dir.compare("HEAD~1", "HEAD", &["benches", "--json"]).finish(0);
    let document = shown.document().0;
    let pairs = document["comparisons"].as_array().unwrap().iter();
    let mut names: Vec<&str> = pairs.map(|pair| pair["candidate"].as_str().unwrap()).collect();
    names.sort_unstable();
    let of = |file: &str| ["letters", "sum#100", "sum#10"].map(|name| format!("rust/{file}::{name}@HEAD"));
    assert_eq!(names, [of("more"), of("sums")].concat(), "{document:#}");
    assert!(document["unpaired"].as_array().is_none_or(Vec::is_empty), "{document:#}");
}

#[test]
fn cargo_lock_is_as_it_was_where_cargo_fails_after_it_wrote_it() {
    if !is_there() {
        return;
    }
    let dir = Dir::new();
    package(&dir);
    // As Cargo does where a crate can't be downloaded.
    dir.file("cargo", "#!/bin/sh\ncase \"$*\" in metadata*--no-deps*) exec cargo \"$@\";; esac\necho resolved > Cargo.lock\necho 'error: failed to download' >&2\nexit 101\n");
    let command = dir.path().join("cargo");
    fs::set_permissions(&command, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let runtime = format!("cargo={}", command.display());
    dir.tare(&["list", ".", "--runtime", &runtime]).finish(4).says_once(&["error: failed to download"]);
    assert!(!dir.path().join("Cargo.lock").exists());
}

#[test]
fn cargo_is_asked_once_for_all_benchmarks_of_a_workspace() {
    if !is_there() {
        return;
    }
    let dir = Dir::new();
    package(&dir);
    let member = MANIFEST.replace("mine", "other").replace("path = \"criterion\"", "path = \"../criterion\"");
    dir.file(
        "Cargo.toml",
        &format!("{MANIFEST}\n[[bench]]\nname = \"more\"\nharness = false\n\n[workspace]\nmembers = [\"other\"]\n"),
    )
    .file("benches/more.rs", SUMS)
    .file("other/Cargo.toml", &member)
    .file("other/src/lib.rs", "pub const START: u64 = 7;\n")
    .file("other/data.txt", "some text")
    .file("other/benches/sums.rs", &SUMS.replace("mine", "other"))
    .file("cargo", "#!/bin/sh\necho \"$1\" >> \"${0%/*}/asked\"\nexec cargo \"$@\"\n");
    let command = dir.path().join("cargo");
    fs::set_permissions(&command, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let runtime = format!("cargo={}", command.display());
    let listed = |arguments: &[&str]| {
        let _ = fs::remove_file(dir.path().join("asked"));
        let all = [&["list", ".", "--runtime", &runtime], arguments].concat();
        let shown = dir.tare(&all).finish(0);
        let asked = fs::read_to_string(dir.path().join("asked")).unwrap();
        let times = |what: &str| asked.lines().filter(|line| *line == what).count();
        (shown, [times("metadata"), times("bench")])
    };
    let (shown, asked) = listed(&[]);
    assert_eq!(asked, [2, 3], "{shown}");
    shown.says_once(&["9 cases"]);
    // Two files have one name, so paths tell them apart.
    for front in ["benches/more", "benches/sums", "other/benches/sums"] {
        assert!(shown.stdout.lines().any(|line| line == front), "{shown}");
    }
    // In a folder with settings of its own Cargo may say something else.
    dir.file("other/.cargo/config.toml", "[env]\nX = \"1\"\n");
    assert_eq!(listed(&[]).1, [4, 3]);
}

#[test]
fn functions_with_bench_are_listed_once_where_a_toolchain_compiles_them() {
    if !is_there() {
        return;
    }
    let function = |name: &str| format!("#[bench]\nfn {name}(b: &mut test::Bencher) {{\n    b.iter(|| 1);\n}}\n");
    let dir = Dir::new();
    dir.file("Cargo.toml", "[package]\nname = \"mine\"\nversion = \"0.3.0\"\nedition = \"2021\"\n")
        .file(
            "src/lib.rs",
            &format!("#![cfg_attr(test, feature(test))]\n#[cfg(test)]\nextern crate test;\n#[cfg(test)]\nmod inner;\n#[cfg(test)]\n{}", function("own")),
        )
        .file("src/inner.rs", &function("one"))
        .file("src/forgotten.rs", &function("unused"))
        .file("src/left.rs", &function("unused"))
        .file("src/main.rs", &format!("#![cfg_attr(test, feature(test))]\n#[cfg(test)]\nextern crate test;\nfn main() {{}}\n#[cfg(test)]\n{}", function("of_the_program")))
        .file("benches/harnessed.rs", &format!("#![feature(test)]\nextern crate test;\n{}", function("own")));
    let before = files_of(&dir.path());
    let stable = dir.tare(&["list", ".", "--runtime", "env RUSTC_BOOTSTRAP=-1 cargo"]).finish(2);
    stable.says_once(&["src/inner.rs: it is left out: #[bench] is compiled by nightly toolchains alone"]);
    let listed = dir.tare(&["list", ".", "--runtime", "env RUSTC_BOOTSTRAP=1 cargo", "--json"]).finish(0);
    let document = listed.document();
    let mut found: Vec<[&str; 2]> = document.0["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| ["benchmark", "file"].map(|key| case[key].as_str().unwrap()))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ["harnessed::own", "benches/harnessed.rs"],
            ["inner::one", "src/inner.rs"],
            ["lib::own", "src/lib.rs"],
            ["of_the_program", "src/main.rs"],
        ]
    );
    let left_out = |notice: &&serde_json::Value| notice["message"].as_str().unwrap().starts_with("it is left out");
    let notices = document.0["notices"].as_array().unwrap().iter().filter(left_out);
    let files: Vec<&str> = notices.map(|notice| notice["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["src/forgotten.rs", "src/left.rs"]);
    assert_eq!(files_of(&dir.path()), before);
    dir.assert_no_process_is_left();
}

#[test]
fn a_function_with_bench_is_unchanged_where_only_lines_move() {
    if !is_there() {
        return;
    }
    let dir = Dir::repository();
    let text = "#![cfg_attr(test, feature(test))]\npub fn three(n: u64) -> u64 {\n    n * 3\n}\n#[cfg(test)]\nmod benches {\n    extern crate test;\n    \
        #[bench]\n    fn of_three(b: &mut test::Bencher) {\n        b.iter(|| crate::three(test::black_box(7)));\n    }\n    \
        #[bench]\n    fn alone(b: &mut test::Bencher) {\n        b.iter(|| test::black_box(7) + 1);\n    }\n}\n";
    // As a project has it that doesn't ask for a nightly toolchain.
    dir.file(".cargo/config.toml", "[env]\nRUSTC_BOOTSTRAP = \"1\"\n")
        .file("Cargo.toml", "[package]\nname = \"mine\"\nversion = \"0.3.0\"\nedition = \"2021\"\n")
        .file("src/lib.rs", text)
        .commit("one");
    dir.file("src/lib.rs", &format!("//! Words.\n\n{text}")).commit("documentation");
    dir.file("src/lib.rs", &format!("//! Words.\n\n{}", text.replace("n * 3", "n * 5 + 1"))).commit("code");
    let Some(documentation) = crate::unchanged::found(&dir, "HEAD~2", "HEAD~1", "src") else { return };
    assert_eq!(documentation.len(), 2);
    assert!(documentation.values().all(|finding| finding.starts_with("unchanged")), "{documentation:?}");
    let code = crate::unchanged::found(&dir, "HEAD~1", "HEAD", "src").unwrap();
    assert_eq!((code["of_three"].as_str(), code["alone"].starts_with("unchanged")), ("differs", true), "{code:?}");
}
