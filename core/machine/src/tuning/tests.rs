use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Change, ChangeResult, Plan, TuneError, Undone, Wishes, plan, restore, settle};

/// A machine and a place for its state, as folders.
struct Bench {
    folder: tempfile::TempDir,
}

const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
const TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
const PAGES: &str = "sys/kernel/mm/transparent_hugepage/enabled";

const LAPTOP: &[(&str, &str)] = &[
    (GOVERNOR, "powersave\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors", "performance powersave\n"),
    ("sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "performance\n"),
    (TURBO, "0\n"),
    ("sys/devices/system/cpu/smt/control", "on\n"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "0\n"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "0\n"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "133\n"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state3/disable", "0\n"),
    ("proc/sys/kernel/randomize_va_space", "1\n"),
    ("proc/sys/kernel/perf_event_paranoid", "4\n"),
    ("proc/sys/vm/swappiness", "60\n"),
    ("proc/swaps", "Filename Type Size\n/swapfile file 2097148\n"),
    ("proc/irq/24/smp_affinity_list", "0-3\n"),
    ("proc/irq/25/smp_affinity_list", "3\n"),
    ("proc/irq/26/smp_affinity_list", "0,1\n"),
];

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            bench.write(path, text);
        }
        bench
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap().trim().to_owned()
    }

    fn plan(&self) -> Plan {
        plan(&self.root(), &Wishes::default(), &[3])
    }

    /// Every file and what it holds.
    fn everything(&self) -> Vec<(PathBuf, String)> {
        fn walk(folder: &std::path::Path, all: &mut Vec<(PathBuf, String)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, all);
                } else {
                    all.push((path.clone(), fs::read_to_string(&path).unwrap().trim().to_owned()));
                }
            }
        }
        let mut all = Vec::new();
        walk(&self.root(), &mut all);
        all.sort();
        all
    }
}

#[test]
fn a_plan_names_what_isnt_settled_and_touches_nothing() {
    let bench = Bench::new(LAPTOP);
    let before = bench.everything();
    let wishes = Wishes { smt_off: true, aslr_off: false };
    let plan = plan(&bench.root(), &wishes, &[3]);
    let brief: Vec<(&str, &str, &str)> =
        plan.changes.iter().map(|change| (change.what.as_str(), change.old.as_str(), change.new.as_str())).collect();
    assert_eq!(
        brief,
        [
            ("governor", "powersave", "performance"),
            ("turbo", "0", "1"),
            ("c-states", "0", "1"),
            ("aslr", "1", "2"),
            ("swap", "60", "1"),
            ("perf-events", "4", "2"),
            ("interrupts", "0-3", "0-2"),
            ("smt", "on", "off"),
        ]
    );
    assert!(plan.changes.iter().any(|change| change.path.ends_with("state3/disable")), "the deep state alone");
    assert_eq!(plan.left_alone, []);
    assert_eq!(bench.everything(), before);
    let off = super::plan(&bench.root(), &Wishes { smt_off: false, aslr_off: true }, &[]);
    assert!(off.changes.iter().any(|change| change.what == "aslr" && change.new == "0"));
    assert!(!off.changes.iter().any(|change| change.what == "interrupts" || change.what == "smt"));
}

#[test]
fn what_is_settled_is_put_back_and_no_state_is_left() {
    let bench = Bench::new(LAPTOP);
    let before = bench.everything();
    let settled = settle(&bench.root(), &bench.state(), bench.plan()).unwrap();
    assert!(settled.changes.iter().all(|(_, made)| *made == ChangeResult::Done), "{:?}", settled.changes);
    assert_eq!((bench.read(GOVERNOR).as_str(), bench.read(TURBO).as_str()), ("performance", "1"));
    assert!(bench.state().join("tune.json").is_file());
    let undone = settled.restore(&bench.root()).unwrap();
    assert!(undone.iter().all(|(_, undone)| *undone == Undone::Back), "{undone:?}");
    // What was written last is put back first.
    assert_eq!(undone.last().map(|(change, _)| change.what.as_str()), Some("governor"));
    assert_eq!(bench.everything(), before);
    assert_eq!(fs::read_dir(bench.state()).unwrap().count(), 0);
}

#[test]
fn a_list_of_many_cpus_is_put_back_whole() {
    const AFFINITY: &str = "proc/irq/24/smp_affinity_list";
    let even: Vec<String> = (0..288).step_by(2).map(|cpu: u32| cpu.to_string()).collect();
    let list = even.join(",");
    let bench = Bench::new(&[(AFFINITY, &format!("{list}\n"))]);
    let settled = settle(&bench.root(), &bench.state(), plan(&bench.root(), &Wishes::default(), &[0])).unwrap();
    assert_eq!(bench.read(AFFINITY), even[1..].join(","));
    settled.restore(&bench.root()).unwrap();
    assert_eq!(bench.read(AFFINITY), list);
}

#[test]
fn what_a_killed_process_left_is_put_back_by_another() {
    let bench = Bench::new(LAPTOP);
    let before = bench.everything();
    // Letting go without putting back is what a kill does.
    drop(settle(&bench.root(), &bench.state(), bench.plan()).unwrap());
    assert_ne!(bench.everything(), before);
    let error = settle(&bench.root(), &bench.state(), bench.plan()).unwrap_err();
    assert!(matches!(&error, TuneError::Settled { by, .. } if by == "an earlier `tare tune`"), "{error}");
    assert!(error.to_string().contains("tare tune --restore"), "{error}");
    restore(&bench.root(), &bench.state()).unwrap();
    assert_eq!(bench.everything(), before);
    assert!(matches!(restore(&bench.root(), &bench.state()), Err(TuneError::Nothing { .. })));
}

#[test]
fn killed_before_the_first_change_or_between_two_all_is_as_it_was() {
    let bench = Bench::new(LAPTOP);
    let before = bench.everything();
    for made in 0..bench.plan().changes.len() {
        drop(settle(&bench.root(), &bench.state(), bench.plan()).unwrap());
        // As if the process had come only so far.
        for (path, text) in before.iter() {
            fs::write(path, text).unwrap();
        }
        for change in bench.plan().changes.iter().take(made) {
            bench.write(&change.path[1..], &change.new);
        }
        let undone = restore(&bench.root(), &bench.state()).unwrap();
        assert_eq!(undone.iter().filter(|(_, undone)| *undone == Undone::Back).count(), made);
        assert_eq!(undone.iter().filter(|(_, undone)| *undone == Undone::AsItWas).count(), undone.len() - made);
        assert_eq!(bench.everything(), before);
    }
}

#[test]
fn what_another_hand_has_changed_is_told_and_left() {
    let bench = Bench::new(LAPTOP);
    let settled = settle(&bench.root(), &bench.state(), bench.plan()).unwrap();
    bench.write(GOVERNOR, "ondemand\n");
    let undone = settled.restore(&bench.root()).unwrap();
    let foreign: Vec<_> = undone.iter().filter(|(_, undone)| *undone != Undone::Back).collect();
    assert!(
        matches!(foreign[..], [(change, Undone::Foreign(found))] if change.what == "governor" && found == "ondemand")
    );
    assert_eq!((bench.read(GOVERNOR).as_str(), bench.read(TURBO).as_str()), ("ondemand", "0"));
    assert!(!bench.state().join("tune.json").exists());
}

#[test]
fn a_file_that_can_not_be_written_keeps_no_other_from_being_settled() {
    let bench = Bench::new(LAPTOP);
    let plan = bench.plan();
    // As root a test may write any file; a folder in its place it can't.
    fs::remove_file(bench.root().join(TURBO)).unwrap();
    bench.write(&format!("{TURBO}/x"), "");
    let settled = settle(&bench.root(), &bench.state(), plan).unwrap();
    let refused: Vec<_> = settled.changes.iter().filter(|(_, made)| *made != ChangeResult::Done).collect();
    assert!(matches!(refused[..], [(change, ChangeResult::Refused(_))] if change.what == "turbo"), "{refused:?}");
    assert_eq!(bench.read(GOVERNOR), "performance");
    let undone = settled.restore(&bench.root()).unwrap();
    assert_eq!(bench.read(GOVERNOR), "powersave");
    // What can't be read can't be known to be as it was: it is kept.
    assert!(undone.iter().any(|(change, undone)| change.what == "turbo" && matches!(undone, Undone::Refused(_))));
    let left = restore(&bench.root(), &bench.state()).unwrap();
    assert_eq!(left.len(), 1);
    fs::remove_dir_all(bench.root().join(TURBO)).unwrap();
    bench.write(TURBO, "0\n");
    assert!(matches!(restore(&bench.root(), &bench.state()).unwrap()[..], [(_, Undone::AsItWas)]));
    assert!(!bench.state().join("tune.json").exists());
}

#[test]
fn a_file_that_takes_a_value_and_keeps_another_is_refused() {
    // Every write to it succeeds, and nothing is ever read back.
    let bench = Bench::new(LAPTOP);
    let plan = bench.plan();
    fs::remove_file(bench.root().join(TURBO)).unwrap();
    symlink("/dev/null", bench.root().join(TURBO)).unwrap();
    let settled = settle(&bench.root(), &bench.state(), plan).unwrap();
    let turbo = settled.changes.iter().find(|(change, _)| change.what == "turbo").unwrap();
    assert!(matches!(&turbo.1, ChangeResult::Refused(why) if why.contains("took the value")), "{turbo:?}");
}

/// The name of a thread is a file of the kernel that takes more than it keeps, 15 characters.
#[test]
fn what_the_kernel_takes_and_changes_is_put_back_at_once() {
    const NAME: &str = "/proc/thread-self/comm";
    fs::write(NAME, "as-it-was").unwrap();
    let bench = Bench::new(&[(GOVERNOR, "powersave\n")]);
    fs::create_dir_all(bench.root().join(TURBO).parent().unwrap()).unwrap();
    symlink(NAME, bench.root().join(TURBO)).unwrap();
    let change = |path: &str, old: &str, new: &str| Change {
        what: "turbo".to_owned(),
        path: format!("/{path}"),
        old: old.to_owned(),
        new: new.to_owned(),
    };
    let narrowed = change(TURBO, "as-it-was", "more-than-fifteen-characters");
    let plan = Plan { changes: vec![narrowed, change(GOVERNOR, "powersave", "performance")], ..Plan::default() };
    let settled = settle(&bench.root(), &bench.state(), plan).unwrap();
    assert!(
        matches!(&settled.changes[0].1, ChangeResult::Refused(why) if why.contains("more-than-fifte") && why.contains("as-it-was is put back")),
        "{settled:?}"
    );
    assert_eq!(bench.read(TURBO), "as-it-was");
    let undone = settled.restore(&bench.root()).unwrap();
    assert_eq!(undone.iter().map(|(_, undone)| undone).collect::<Vec<_>>(), [&Undone::Back, &Undone::AsItWas]);

    // Where the old value isn't taken either, the state says what there is to put back.
    let stuck = change(TURBO, "more than it ever holds", "and more than fifteen");
    let settled = settle(&bench.root(), &bench.state(), Plan { changes: vec![stuck], ..Plan::default() }).unwrap();
    assert!(
        matches!(&settled.changes[0].1, ChangeResult::Stuck(found, _) if found == "more than it ev"),
        "{settled:?}"
    );
    drop(settled);
    let undone = restore(&bench.root(), &bench.state()).unwrap();
    assert!(matches!(&undone[..], [(_, Undone::Refused(_))]), "{undone:?}");
    assert!(bench.state().join("tune.json").exists());
}

#[test]
fn settings_that_make_no_sense_are_left_alone_and_told() {
    let bench = Bench::new(&[
        ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "\u{1b}[31m\n"),
        ("sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors", "powersave schedutil\n"),
        (TURBO, "many\n"),
        (PAGES, ""),
        ("proc/irq/24/smp_affinity_list", "all\n"),
        ("proc/sys/kernel/perf_event_paranoid", "99999999999999999999999\n"),
    ]);
    let plan = bench.plan();
    assert_eq!(plan.changes, []);
    let told: Vec<&str> = plan.left_alone.iter().map(|(what, _, _)| what.as_str()).collect();
    assert_eq!(told, ["governor", "turbo", "huge-pages", "perf-events", "interrupts"]);
    assert!(plan.left_alone[0].2.contains("powersave schedutil"), "{:?}", plan.left_alone[0]);
    let empty = Bench::new(&[("proc/x", "")]);
    assert_eq!(empty.plan(), Plan::default());
    // Nothing to do leaves nothing behind.
    settle(&empty.root(), &empty.state(), empty.plan()).unwrap().restore(&empty.root()).unwrap();
    assert!(!empty.state().exists());
}

#[test]
fn a_choice_in_brackets_is_changed_and_chosen_again() {
    let bench = Bench::new(&[(PAGES, "[always] madvise never\n")]);
    let plan = bench.plan();
    assert_eq!((plan.changes[0].old.as_str(), plan.changes[0].new.as_str()), ("always", "madvise"));
}

#[test]
fn a_state_that_is_no_state_or_somebody_elses_is_refused_and_nothing_written() {
    let bench = Bench::new(LAPTOP);
    let before = bench.everything();
    let path = bench.state().join("tune.json");
    let document = |target: &str| {
        format!(
            "{{\"format\":\"tare.tune\",\"version\":1,\"process\":1,\"root\":\"/\",\"boot\":\"\",\"changes\":[{{\"what\":\"x\",\"path\":\"{target}\",\"old\":\"pwned\",\"new\":\"powersave\"}}]}}"
        )
    };
    let governor = format!("/{GOVERNOR}");
    for text in [
        "",
        "null",
        "{\"format\":\"tare.run\"}",
        &document("/etc/passwd"),
        &document("/sys/devices/system/cpu/../../../../etc/passwd"),
        &document(&governor).replace("\"version\":1", "\"version\":2"),
        &document(&governor).replace("tare.tune", "other"),
    ] {
        fs::create_dir_all(bench.state()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let error = restore(&bench.root(), &bench.state()).unwrap_err();
        assert!(matches!(error, TuneError::Bad { .. }), "{text:?}: {error}");
    }
    fs::write(&path, document(&governor)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(matches!(restore(&bench.root(), &bench.state()), Err(TuneError::Bad { .. })));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(restore(&bench.root(), &bench.state()).is_err());
    fs::remove_dir(&path).unwrap();
    symlink(bench.root().join(GOVERNOR), &path).unwrap();
    assert!(restore(&bench.root(), &bench.state()).is_err());
    assert!(settle(&bench.root(), &bench.state(), bench.plan()).is_err());
    assert_eq!(bench.everything(), before);
}

#[test]
fn after_a_restart_nothing_is_put_back() {
    let bench = Bench::new(LAPTOP);
    bench.write("proc/sys/kernel/random/boot_id", "first\n");
    drop(settle(&bench.root(), &bench.state(), bench.plan()).unwrap());
    bench.write("proc/sys/kernel/random/boot_id", "second\n");
    assert_eq!(restore(&bench.root(), &bench.state()).unwrap(), []);
    assert_eq!(bench.read(GOVERNOR), "performance", "somebody's own choice since");
    assert!(!bench.state().join("tune.json").exists());
}

#[test]
fn where_a_restart_can_not_be_told_everything_is_put_back() {
    const BOOT: &str = "proc/sys/kernel/random/boot_id";
    for (before, after) in [("", "second\n"), ("first\n", ""), ("", "")] {
        let bench = Bench::new(LAPTOP);
        bench.write(BOOT, before);
        drop(settle(&bench.root(), &bench.state(), bench.plan()).unwrap());
        bench.write(BOOT, after);
        assert!(!restore(&bench.root(), &bench.state()).unwrap().is_empty(), "{before:?} {after:?}");
        assert_eq!(bench.read(GOVERNOR), "powersave");
    }
}

#[test]
fn the_state_of_another_root_is_refused_and_kept() {
    let (bench, other) = (Bench::new(LAPTOP), Bench::new(LAPTOP));
    drop(settle(&bench.root(), &bench.state(), bench.plan()).unwrap());
    let before = other.everything();
    let error = restore(&other.root(), &bench.state()).unwrap_err();
    assert!(
        matches!(&error, TuneError::OtherRoot { root, .. } if *root == bench.root().canonicalize().unwrap()),
        "{error}"
    );
    assert_eq!(other.everything(), before);
    restore(&bench.root(), &bench.state()).unwrap();
    assert_eq!(bench.read(GOVERNOR), "powersave");
}

#[test]
fn while_its_process_lives_no_other_puts_it_back() {
    let bench = Bench::new(LAPTOP);
    let settled = settle(&bench.root(), &bench.state(), bench.plan()).unwrap();
    let error = restore(&bench.root(), &bench.state()).unwrap_err();
    assert!(matches!(error, TuneError::InUse { process } if process == std::process::id()), "{error}");
    let error = settle(&bench.root(), &bench.state(), bench.plan()).unwrap_err();
    assert!(error.to_string().contains("still runs"), "{error}");
    settled.restore(&bench.root()).unwrap();
}

#[test]
fn a_state_that_goes_while_another_opens_it_is_nobody_elses() {
    let bench = Bench::new(&[(TURBO, "0\n")]);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..200 {
                settle(&bench.root(), &bench.state(), bench.plan()).unwrap().restore(&bench.root()).unwrap();
            }
            ended.store(true, Ordering::SeqCst);
        });
        while !ended.load(Ordering::SeqCst) {
            let other = restore(&bench.root(), &bench.state());
            assert!(matches!(other, Err(TuneError::Nothing { .. } | TuneError::InUse { .. })), "{other:?}");
        }
    });
}

#[test]
fn a_state_that_can_not_be_written_changes_nothing() {
    let bench = Bench::new(LAPTOP);
    let before = bench.everything();
    fs::write(bench.state(), "a file where the folder should be").unwrap();
    let error = settle(&bench.root(), &bench.state(), bench.plan()).unwrap_err();
    assert!(matches!(error, TuneError::Io { .. }), "{error}");
    assert_eq!(bench.everything(), before);
}
