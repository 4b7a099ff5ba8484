//! What is built, and what is not built again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tare_samples::FailureKind;
use tare_worker::ready;

use crate::{go, launch, load, package};

#[test]
fn tags_and_other_build_flags_stand_behind_the_command() {
    let ready = ready(&go(&["env", "GOGC=200", "go", "-tags=extra"]), &package("measures"), &mut |_| {}).unwrap();
    assert!(ready.start.environment.contains(&("GOGC".to_owned(), "200".to_owned())));
    let mut conversation = launch(&ready);
    assert!(conversation.hello().facts.contains(&("GOGC".to_owned(), "200".to_owned())));
    assert!(load(&ready, &mut conversation).cases.iter().any(|case| case.benchmark == "BenchmarkTagged"));
    conversation.close();
}

#[test]
fn what_cannot_be_built_says_where() {
    let tell = &mut |_: &str| {};
    let failed = ready(&go(&["go"]), &package("broken"), tell).unwrap_err();
    assert_eq!((failed.kind, failed.line), (FailureKind::Load, 6), "{failed}");
    assert_eq!(failed.file, package("broken/broken_test.go").to_str().unwrap());
    let failed = ready(&go(&["go"]), &package("unparsable"), tell).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Syntax, "{failed}");
    assert!(failed.file.ends_with("unparsable_test.go") && failed.line > 0, "{failed}");
    let failed = ready(&go(&["no-such-go"]), &package("measures"), tell).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Runtime);
    let failed = ready(&go(&["false"]), &package("measures"), tell).unwrap_err();
    assert!(failed.message.contains("doesn't work here as a go command"), "{failed}");
}

#[test]
fn an_unchanged_package_is_not_built_again_and_a_changed_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/changing\n\ngo 1.21\n").unwrap();
    let write = |body: &str| {
        let text = format!("package changing\n\nimport \"testing\"\n\nfunc Benchmark{body}(b *testing.B) {{}}\n");
        fs::write(source.join("changing_test.go"), text).unwrap();
    };
    let mut builds = 0;
    let mut binary = || {
        ready(&go(&["go"]), &source, &mut |_| builds += 1)
            .map(|ready| (ready.start.command[0].clone(), builds))
            .unwrap()
    };
    write("One");
    let (first, count) = binary();
    assert_eq!(count, 1);
    // As if it had been built long ago: the measurement that begins now keeps it.
    let age = |path: &str| {
        let file = fs::File::open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(10 * 24 * 60 * 60)).unwrap();
    };
    age(&first);
    assert_eq!(binary(), (first.clone(), 1));
    write("Other");
    let (second, count) = binary();
    assert_eq!(count, 2);
    assert_ne!(first, second);
    assert!(Path::new(&first).is_file(), "a measurement under way keeps its binary");
    age(&first);
    fs::write(source.join("more.go"), "package changing\n").unwrap();
    assert_eq!(binary().1, 3);
    assert_eq!(binary().1, 3);
    assert!(!Path::new(&first).exists(), "nobody has used it for long");
}

#[test]
fn a_new_file_that_is_embedded_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/embedding\n\ngo 1.21\n").unwrap();
    for (name, package, embedded) in [
        ("own.go", "embedding", "own/*.txt"),
        ("in_test.go", "embedding", "in"),
        ("out_test.go", "embedding_test", "o*/*"),
    ] {
        let text = format!("package {package}\n\nimport \"embed\"\n\n//go:embed {embedded}\nvar Files embed.FS\n");
        fs::write(source.join(name), text.replace("Files", if name == "in_test.go" { "Inner" } else { "Files" }))
            .unwrap();
    }
    for folder in ["own", "in/deep", "out"] {
        fs::create_dir_all(source.join(folder)).unwrap();
        fs::write(source.join(folder).join("first.txt"), "first").unwrap();
    }
    let mut builds = 0;
    let mut count = || {
        ready(&go(&["go"]), &source, &mut |_| builds += 1).unwrap_or_else(|failure| panic!("{failure:?}"));
        builds
    };
    assert_eq!(count(), 1);
    for (i, name) in ["own/second.txt", "in/deep/second.txt", "out/second.txt"].into_iter().enumerate() {
        fs::write(source.join(name), "second").unwrap();
        assert_eq!(count(), i + 2, "{name}");
        assert_eq!(count(), i + 2, "{name}");
    }
}

#[test]
fn what_the_go_command_gives_no_account_of_is_built_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/unlisted\n\ngo 1.21\n").unwrap();
    fs::write(source.join("a_test.go"), "package unlisted\n").unwrap();
    let mut builds = 0;
    for count in 1..3 {
        // `go list` doesn't know this flag of `go test`.
        let ready = ready(&go(&["go", "-cpu=1"]), &source, &mut |_| builds += 1).unwrap();
        assert!(Path::new(&ready.start.command[0]).is_file());
        assert_eq!(builds, count);
    }
}

#[test]
fn a_folder_of_builds_that_others_can_write_to_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/owned\n\ngo 1.21\n").unwrap();
    let text = "package owned\n\nimport \"testing\"\n\nfunc BenchmarkOne(b *testing.B) {}\n";
    fs::write(source.join("owned_test.go"), text).unwrap();
    let mut builds = 0;
    let mut binary = || {
        ready(&go(&["go"]), &source, &mut |_| builds += 1)
            .map(|ready| (ready.start.command[0].clone(), builds))
            .unwrap()
    };
    let (first, _) = binary();
    let built = Path::new(&first).parent().unwrap();
    fs::write(built.join("forged.test"), "not ours").unwrap();
    fs::set_permissions(built, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(binary(), (first.clone(), 2));
    assert_eq!(fs::metadata(built).unwrap().permissions().mode() & 0o7777, 0o700);
    assert!(!built.join("forged.test").exists());
    assert_eq!(binary(), (first.clone(), 2));
}
