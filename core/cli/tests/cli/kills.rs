//! `kill -9` at random moments: at most the launch in progress is lost, and `--resume` makes what is missing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::harness::{Dir, PATIENCE, TRUTH, simulated};

/// SplitMix64: the moments are the same in every run of the test, as far as a machine's speed lets them be.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut state = self.0;
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (state ^ (state >> 31)) % below
    }
}

/// When a run is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// So long after its start.
    After(Duration),
    /// Once so many launches are stored, and then a little later.
    Stored(usize, Duration),
}

/// Kills a run at the moment, goes on with it, and says how many launches the kill had left.
fn kill_and_resume(arguments: &[&str], launches: usize, moment: Moment) -> usize {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    dir.php("SortBench", "    public function benchSort(): void { $a = [3, 1, 2]; sort($a); }");
    let count = launches.to_string();
    let all = [&["run", "--seed", "7", "--samples", "3", "--launches", count.as_str()], arguments].concat();
    let mut running = dir.tare(&all).start();
    match moment {
        Moment::After(time) => std::thread::sleep(time),
        Moment::Stored(count, time) => {
            let until = Instant::now() + PATIENCE;
            while dir.launches().len() < count && !running.has_ended() {
                assert!(Instant::now() < until, "nothing is stored");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(time);
        }
    }
    running.kill();
    dir.assert_no_process_is_left();
    for left in dir.temporary_files() {
        // Nobody was there to remove it.
        std::fs::remove_dir_all(left).unwrap();
    }

    let stored = dir.launches();
    if !dir.has_tables() {
        // Killed before the store was made, or while: the next run makes it.
        dir.tare(&all).finish(0);
        return 0;
    }
    let log = dir.tare(&["log", "--json"]).finish(0).document();
    let runs = log.0["runs"].as_array().unwrap().clone();
    match runs.as_slice() {
        [] => {
            dir.tare(&["run", "--resume"]).finish(2).says_once(&["no run was interrupted"]);
            return 0;
        }
        [run] if run["state"] == "complete" => {
            dir.tare(&["run", "--resume"]).finish(2).says_once(&["no run was interrupted"]);
        }
        [_] => {
            let resumed = dir.tare(&["run", "--resume", "--json"]).finish(0).document();
            assert_eq!(resumed.0["id"], runs[0]["id"], "{moment:?}");
            assert!(resumed.cases().iter().all(|case| case["status"] == "ok"), "{moment:?} {:#}", resumed.0);
        }
        several => panic!("{moment:?}: one run became {several:?}"),
    }
    let log = dir.tare(&["log", "--json"]).finish(0).document();
    assert_eq!(log.0["runs"].as_array().unwrap().len(), 1);
    assert_eq!(log.0["runs"][0]["state"], "complete", "{moment:?}");

    let whole = dir.launches();
    for launch in &stored {
        assert!(whole.contains(launch), "{moment:?}: launch {} of {} was lost or changed", launch.1, launch.0);
    }
    let mut ordinals: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (variant, ordinal, ..) in &whole {
        ordinals.entry(variant).or_default().push(*ordinal);
    }
    for (variant, ordinals) in &ordinals {
        let made: Vec<i64> = (0..ordinals.len() as i64).collect();
        assert_eq!(*ordinals, made, "{moment:?}: launches of {variant}");
        // The launches of partners are kept together: no kill leaves one of them a launch ahead.
        assert_eq!(ordinals.len(), launches, "{moment:?}: {variant} has {ordinals:?}");
    }
    let shown = dir.stored();
    assert_eq!(shown.cases().len(), ordinals.len());
    stored.len()
}

#[test]
fn a_kill_at_any_moment_loses_at_most_the_launch_in_progress() {
    let runtime = simulated("");
    let single = ["truth.toml", "--runtime", runtime.as_str()];
    let paired = ["truth.toml", "--calls", "10,auto", "--runtime", runtime.as_str()];
    let mut moments = Moments(20_261_121);
    let mut hit = 0;
    for number in 0..32 {
        let (arguments, variants): (&[&str], usize) = if number % 2 == 0 { (&single, 2) } else { (&paired, 4) };
        let little = Duration::from_micros(moments.next(30_000));
        let moment = match number {
            0..8 => Moment::After(Duration::from_micros(moments.next(120_000))),
            _ => Moment::Stored(moments.next(8 * variants as u64 - 1) as usize, little),
        };
        let left = kill_and_resume(arguments, 8, moment);
        hit += usize::from(left > 0 && left < 8 * variants);
    }
    eprintln!("{hit} of 32 kills came in the middle of a run");
    assert!(hit > 0, "no kill came in the middle of a run");
}

#[test]
fn a_kill_while_php_is_measured_loses_no_more() {
    let mut moments = Moments(8);
    for number in 0..6 {
        let little = Duration::from_micros(moments.next(60_000));
        let moment = match number {
            0 => Moment::After(little),
            _ => Moment::Stored(moments.next(5) as usize, little),
        };
        kill_and_resume(&["SortBench.php"], 5, moment);
    }
}

#[test]
fn a_kill_takes_a_subject_in_an_endless_loop_with_it() {
    let dir = Dir::new();
    dir.php("EndlessBench", "    public function benchEndless(): void { touch(__DIR__ . '/begun'); while (true) { } }");
    let running = dir.tare(&["run", "EndlessBench.php"]).start();
    let until = Instant::now() + PATIENCE;
    while !dir.path().join("begun").exists() {
        assert!(Instant::now() < until, "the subject never ran");
        std::thread::sleep(Duration::from_millis(5));
    }
    running.kill();
    dir.assert_no_process_is_left();
}

/// A run of OldBench.php that was killed when something was stored.
fn killed(dir: &Dir, methods: &str) {
    dir.php("OldBench", methods);
    let running = dir.tare(&["run", "OldBench.php", "--launches", "50", "--samples", "3"]).start();
    let until = Instant::now() + PATIENCE;
    while dir.launches().is_empty() {
        assert!(Instant::now() < until, "nothing is stored");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.kill();
    dir.assert_no_process_is_left();
    for left in dir.temporary_files() {
        std::fs::remove_dir_all(left).unwrap();
    }
}

#[test]
fn a_run_whose_sources_changed_is_not_gone_on_with() {
    let dir = Dir::new();
    killed(&dir, "    public function benchOld(): void { $a = [3, 1, 2]; sort($a); }");
    let stored = dir.launches();
    dir.php("OldBench", "    public function benchOld(): void { $a = [3, 1, 2, 4]; sort($a); }");
    let shown = dir.tare(&["run", "--resume"]).finish(2);
    shown.says_once(&["can't be resumed: its sources have changed since"]);
    assert_eq!(dir.launches(), stored);
}

#[test]
fn a_run_whose_cases_changed_is_not_gone_on_with() {
    let dir = Dir::new();
    dir.file("sets.txt", "one\ntwo\n");
    killed(
        &dir,
        "    public function sets() { foreach (file(__DIR__ . '/sets.txt', FILE_IGNORE_NEW_LINES) as $set) { yield $set => [$set]; } }
    /** @ParamProviders(\"sets\") */
    public function benchOld($params): void { md5($params[0]); }",
    );
    let stored = dir.launches();
    dir.file("sets.txt", "zero\none\ntwo\n");
    let shown = dir.tare(&["run", "--resume"]).finish(2);
    shown.says_once(&["can't be resumed: the benchmarks have changed since it began, php/OldBench::benchOld#one"]);
    assert_eq!(dir.launches(), stored);
}
