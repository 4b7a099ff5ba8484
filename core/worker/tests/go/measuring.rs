//! Samples, what they count, and how they fail.

use std::fs;
use std::time::Duration;

use rustix::thread::CpuSet;
use tare_samples::{Failure, FailureKind};
use tare_worker::{Conversation, Finished, Launcher, ProcessLauncher, ProcessPlacement, Ready};

use crate::{PATIENCE, built, launch, load, package};

/// For what never comes.
const SHORT: Duration = Duration::from_millis(300);

/// A fresh process of `name` with `benchmark` prepared.
fn prepared(name: &str, benchmark: &str) -> (Conversation, bool) {
    let ready = built(name);
    let mut conversation = launch(&ready);
    let pauses = prepare(&ready, &mut conversation, benchmark);
    (conversation, pauses)
}

/// Whether the benchmark stops its timer.
fn prepare(ready: &Ready, conversation: &mut Conversation, benchmark: &str) -> bool {
    prepare_all(ready, conversation, benchmark).pauses
}

fn prepare_all(ready: &Ready, conversation: &mut Conversation, benchmark: &str) -> tare_worker::Prepared {
    let found = load(ready, conversation);
    let number = found.cases.iter().position(|case| case.benchmark == benchmark).unwrap();
    conversation.prepare(number as u64, benchmark, "", None, PATIENCE).unwrap()
}

#[test]
fn what_is_done_outside_the_time_is_told() {
    let ready = built("measures");
    for (benchmark, hooks) in [
        ("BenchmarkCounts", false),
        ("BenchmarkPauses", true),
        ("BenchmarkResets", true),
        ("BenchmarkResetsLate", true),
        ("BenchmarkNeverStarts", true),
        // What stands before b.Loop, and after it, isn't in the time.
        ("BenchmarkLoops", true),
    ] {
        let mut conversation = launch(&ready);
        assert_eq!(prepare_all(&ready, &mut conversation, benchmark).hooks, Some(hooks), "{benchmark}");
        conversation.close();
    }
}

fn run(conversation: &mut Conversation, subject: &str, iterations: &[u64]) -> Result<tare_frames::Samples, Failure> {
    conversation.run(subject, 0, iterations, PATIENCE)
}

fn finish(mut conversation: Conversation) -> Finished {
    let finished = conversation.finish(PATIENCE).unwrap();
    conversation.close();
    finished
}

fn metric(finished: &Finished, name: &str) -> String {
    finished.reported.metrics.iter().find(|(metric, _)| metric == name).unwrap().1.clone()
}

#[test]
fn a_sample_is_the_number_of_calls_that_was_asked_for() {
    for benchmark in ["BenchmarkCounts", "BenchmarkLoops"] {
        for calls in [1, 2, 3, 1000] {
            let (mut conversation, pauses) = prepared("measures", benchmark);
            assert!(!pauses);
            assert_eq!(run(&mut conversation, "case", &[7, calls]).unwrap().elapsed.len(), 2);
            // The scale has the loop of the case, and leaves its figures alone.
            run(&mut conversation, "null", &[5]).unwrap();
            run(&mut conversation, "kernel/text", &[5]).unwrap();
            assert_eq!(metric(&finish(conversation), "calls"), calls.to_string(), "{benchmark}");
        }
    }
}

#[test]
fn stopped_timers_are_counted_in_case_and_scale() {
    for benchmark in ["BenchmarkPauses", "BenchmarkLoopPauses"] {
        let (mut conversation, pauses) = prepared("measures", benchmark);
        assert!(pauses);
        assert_eq!(run(&mut conversation, "case", &[1, 10, 100]).unwrap().pauses, [1, 10, 100], "{benchmark}");
        assert_eq!(run(&mut conversation, "pause", &[1, 10, 100]).unwrap().pauses, [1, 10, 100]);
        assert_eq!(run(&mut conversation, "null", &[10]).unwrap().pauses, Vec::<u64>::new());
        conversation.close();
    }
}

#[test]
fn pairs_before_a_reset_are_not_in_the_time() {
    for benchmark in ["BenchmarkResets", "BenchmarkResetsLate", "BenchmarkNeverStarts"] {
        let (mut conversation, pauses) = prepared("measures", benchmark);
        assert!(!pauses, "{benchmark}");
        let samples = run(&mut conversation, "case", &[100, 100]).unwrap();
        assert_eq!(samples.pauses, [0, 0], "{benchmark}");
        if benchmark == "BenchmarkNeverStarts" {
            assert_eq!(samples.elapsed, [0, 0]);
            assert_eq!(metric(&finish(conversation), "elapsed"), "0");
        } else {
            conversation.close();
        }
    }
}

#[test]
fn what_set_ups_leave_is_collected_between_turns_where_calls_leave_nothing() {
    for (package, benchmark, each_turn) in [
        ("measures", "BenchmarkLitters", true),
        ("measures", "BenchmarkLittersInCalls", false),
        ("measures", "BenchmarkLeavesNothing", false),
        ("heavy", "BenchmarkLitters", false),
    ] {
        let (mut conversation, _) = prepared(package, benchmark);
        for turn in 0..6 {
            // A look at single calls, as a pilot begins, is no turn.
            let samples: &[u64] = if turn == 0 { &[1] } else { &[100, 100] };
            run(&mut conversation, "case", samples).unwrap();
        }
        let forced: f64 = metric(&finish(conversation), "forced").parse().unwrap();
        // One before the first turn, and one before each of the five.
        assert_eq!(forced >= 5.0, each_turn, "{package} {benchmark}: {forced}");
        assert!(forced <= 7.0, "{package} {benchmark}: {forced}");
    }
}

#[test]
fn parents_live_while_their_leaf_is_measured() {
    let (mut conversation, _) = prepared("measures", "BenchmarkSubs/size=2/same#01");
    run(&mut conversation, "case", &[100]).unwrap();
    let finished = finish(conversation);
    assert_eq!(metric(&finished, "state"), "7", "the parent's deferred function hasn't run");
    assert_eq!(metric(&finished, "size"), "2");
}

#[test]
fn what_a_benchmark_reports_is_passed_on() {
    let (mut conversation, pauses) = prepared("measures", "BenchmarkReports");
    assert!(pauses);
    run(&mut conversation, "case", &[10]).unwrap();
    let counted = run(&mut conversation, "allocations", &[10, 1000]).unwrap();
    // 64 bytes a call; what is allocated while the timer is stopped doesn't count. The runtime may begin threads meanwhile, of 6
    // objects and 5 KB each; a thousand of the others would be 1,000 and 512 KB.
    for (i, calls) in [10, 1000].into_iter().enumerate() {
        assert!((calls..calls + 40).contains(&counted.allocations[i]), "{counted:?}");
        assert!((calls * 64..calls * 64 + 32_768).contains(&counted.allocated_bytes[i]), "{counted:?}");
    }
    let finished = finish(conversation);
    assert_eq!(finished.reported.bytes, Some(4096));
    assert_eq!(metric(&finished, "widgets/op"), "2.5");
    assert_eq!(metric(&finished, "much"), "1e+300");
}

#[test]
fn figures_that_the_core_would_refuse_are_left_out() {
    let (mut conversation, _) = prepared("measures", "BenchmarkReportsTooMuch");
    run(&mut conversation, "case", &[10]).unwrap();
    let finished = finish(conversation);
    assert_eq!(finished.reported.bytes, None);
    assert_eq!(finished.reported.metrics, [("sane".to_owned(), "1".to_owned())]);
}

#[test]
fn parallel_and_leaking_benchmarks_are_labelled() {
    let (mut conversation, _) = prepared("measures", "BenchmarkParallel");
    run(&mut conversation, "case", &[1, 500]).unwrap();
    let finished = finish(conversation);
    assert_eq!(metric(&finished, "calls"), "500");
    assert!(finished.reported.labels.contains(&"parallel".to_owned()));
    let processors = finished.reported.labels.iter().find(|label| label.starts_with("GOMAXPROCS=")).unwrap();
    assert_eq!(processors.ends_with("(more with --cpus)"), processors.starts_with("GOMAXPROCS=1 "), "{processors}");
    assert!(!finished.reported.labels.iter().any(|label| label.contains("left")));

    let (mut conversation, _) = prepared("measures", "BenchmarkLeaks");
    run(&mut conversation, "case", &[1, 1]).unwrap();
    // One in the first run that every benchmark has, and one a sample.
    assert!(finish(conversation).reported.labels.contains(&"left 3 goroutines running".to_owned()));
}

#[test]
fn goroutines_are_handed_out_calls_in_portions_from_the_first_sample_on() {
    let (mut conversation, _) = prepared("measures", "BenchmarkPortions");
    run(&mut conversation, "case", &[1_000_000]).unwrap();
    // One at a time they would contend for a counter. A portion takes 100 µs, and a call some nanoseconds.
    let portion: f64 = metric(&finish(conversation), "portion").parse().unwrap();
    assert!(portion > 100.0, "{portion}");
}

#[test]
fn each_sample_has_its_own_clean_up() {
    let (mut conversation, _) = prepared("measures", "BenchmarkCleans");
    run(&mut conversation, "case", &[3, 3, 3]).unwrap();
    assert_eq!(metric(&finish(conversation), "open"), "1");
}

#[test]
fn a_test_main_frames_the_worker() {
    let ended = tempfile::NamedTempFile::new().unwrap();
    let mut ready = built("starts");
    ready.start.environment.push(("STARTS_ENDED".to_owned(), ended.path().to_str().unwrap().to_owned()));
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    let names: Vec<_> = found.cases.iter().map(|case| case.benchmark.as_str()).collect();
    assert_eq!(names, ["BenchmarkState", "BenchmarkReadsInput", "BenchmarkStartsItself", "BenchmarkFolder"]);
    assert!(found.notices.is_empty(), "{:?}", found.notices);
    conversation.prepare(1, "BenchmarkReadsInput", "", None, PATIENCE).unwrap();
    // The request after it is there although the benchmark reads all of standard input.
    run(&mut conversation, "case", &[1, 1]).unwrap();
    assert_eq!(metric(&finish(conversation), "bytes"), "0");
    assert_eq!(fs::read_to_string(ended.path()).unwrap(), "ended", "the end of TestMain has run");
}

#[test]
fn a_sample_that_fails_is_a_fault_and_the_worker_goes_on() {
    for (benchmark, message, line) in [
        ("BenchmarkFatalLater", "BenchmarkFatalLater: no 13", 33),
        ("BenchmarkErrorLater", "BenchmarkErrorLater: wrong", 39),
        ("BenchmarkSkipLater", "BenchmarkSkipLater skipped itself: enough", 45),
        ("BenchmarkPanicLater", "BenchmarkPanicLater: panic: broken at 13", 55),
        ("BenchmarkOddPanicLater", "BenchmarkOddPanicLater: panic: a value that can't be printed", 61),
    ] {
        let (mut conversation, _) = prepared("fails", benchmark);
        for _ in 0..2 {
            run(&mut conversation, "case", &[12]).unwrap();
            let failed = run(&mut conversation, "case", &[1, 13, 1]).unwrap_err();
            assert_eq!((failed.kind, failed.message.as_str(), failed.line), (FailureKind::Exception, message, line));
            assert_eq!(failed.file, package("fails/fails_test.go").to_str().unwrap());
            assert_eq!(failed.trace.contains("fails.Benchmark"), benchmark.contains("Panic"), "{}", failed.trace);
        }
        run(&mut conversation, "null", &[12]).unwrap();
        conversation.close();
    }
}

#[test]
fn a_timer_that_is_reset_in_the_loop_is_told_where_it_belongs() {
    let (mut conversation, _) = prepared("fails", "BenchmarkResetsInLoop");
    run(&mut conversation, "case", &[1]).unwrap();
    let failed = run(&mut conversation, "case", &[100]).unwrap_err();
    assert_eq!((failed.kind, failed.line), (FailureKind::Load, 5), "{failed}");
    assert!(failed.message.contains("b.ResetTimer in its loop, which drops the time of every call"), "{failed}");
    assert!(failed.remedy.contains("once, before the loop"), "{failed:?}");
    conversation.close();
    let (mut conversation, _) = prepared("fails", "BenchmarkResetsBefore");
    run(&mut conversation, "case", &[1, 2, 3, 100]).unwrap();
    conversation.close();
}

#[test]
fn one_that_fails_and_then_skips_has_failed() {
    let ready = built("fails");
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    let name = "BenchmarkErrorThenSkip";
    let number = found.cases.iter().position(|case| case.benchmark == name).unwrap();
    let failed = conversation.prepare(number as u64, name, "", None, PATIENCE).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Exception, "{failed}");
    // What it failed for stands first, and has the place.
    assert_eq!((failed.message.as_str(), failed.line), ("BenchmarkErrorThenSkip: wrong\nno use in going on", 10));
    conversation.close();
}

#[test]
fn a_process_that_ends_says_what_it_said() {
    for (benchmark, said) in [
        ("BenchmarkPanicElsewhereLater", "in a goroutine of its own"),
        ("BenchmarkExitLater", "leaving"),
        ("BenchmarkDeadlockLater", "deadlock"),
    ] {
        let (mut conversation, _) = prepared("fails", benchmark);
        let failed = run(&mut conversation, "case", &[13]).unwrap_err();
        assert_eq!(failed.kind, FailureKind::Exit, "{failed}");
        assert!(format!("{}{}", failed.stdout, failed.stderr).contains(said), "{failed:?}");
    }
    let (mut conversation, _) = prepared("fails", "BenchmarkHangsLater");
    let failed = conversation.run("case", 0, &[13], SHORT).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Timeout);
}

/// The lowest CPU that we may use, to put what only watches on, and the highest, to measure on.
fn two_cpus() -> Option<(usize, usize)> {
    let cpus = numbers(&rustix::thread::sched_getaffinity(None).unwrap());
    let [aside, .., here] = cpus[..] else { return None };
    Some((aside, here))
}

/// A worker measured on `here`, that begins there, or on `aside` as every second launch does (`among` 1).
fn beside(ready: &Ready, (aside, here): (usize, usize), among: usize) -> Conversation {
    let place = ProcessPlacement { among, ..ProcessPlacement::default() };
    ProcessLauncher::new(vec![here], &[aside], PATIENCE).start(&ready.start, 1, place).unwrap().open().unwrap()
}

#[test]
fn what_only_watches_is_kept_off_the_cpu_that_is_measured_on() {
    let Some((aside, here)) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let ready = built("measures");
    for among in [0, 1] {
        let mut conversation = beside(&ready, (aside, here), among);
        prepare(&ready, &mut conversation, "BenchmarkBlocks");
        run(&mut conversation, "case", &[1]).unwrap();
        let before = cpus_of_threads(&conversation);
        assert_eq!(before[1], [aside], "{before:?}");
        // Some of the threads for these are begun by the one that watches.
        run(&mut conversation, "case", &[12]).unwrap();
        run(&mut conversation, "null", &[1]).unwrap();
        let threads = cpus_of_threads(&conversation);
        assert!(threads.len() > before.len(), "{threads:?}");
        assert_eq!(elsewhere(&threads, here), [1], "{threads:?}");
        conversation.close();
    }
}

#[test]
fn threads_in_place_of_others_are_put_back_where_it_is_measured() {
    let Some((aside, here)) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let ready = built("measures");
    let mut conversation = beside(&ready, (aside, here), 0);
    prepare(&ready, &mut conversation, "BenchmarkBlocksAndEnds");
    // Which of the threads end is chance.
    for turn in 0..20 {
        run(&mut conversation, "case", &[12]).unwrap();
        run(&mut conversation, "null", &[1]).unwrap();
        let threads = cpus_of_threads(&conversation);
        assert_eq!(elsewhere(&threads, here), [1], "turn {turn}: {threads:?}");
    }
    conversation.close();
}

#[test]
fn a_thread_that_the_user_has_bound_is_left_alone_and_no_measure_for_others() {
    let Some((aside, here)) = two_cpus() else {
        eprintln!("skipped: there is one CPU only");
        return;
    };
    let ready = built("measures");
    let mut conversation = beside(&ready, (aside, here), 0);
    prepare(&ready, &mut conversation, "BenchmarkBindsItself/blocks");
    for turn in 0..5 {
        run(&mut conversation, "case", &[12]).unwrap();
        run(&mut conversation, "null", &[1]).unwrap();
        let threads = cpus_of_threads(&conversation);
        assert_eq!(threads[1], [aside], "turn {turn}: {threads:?}");
        let others = elsewhere(&threads, here);
        assert!(others.len() == 2 && threads[others[1]].len() > 1, "turn {turn}: {threads:?}");
    }
    conversation.close();
}

#[test]
fn where_nothing_is_put_aside_no_cpu_for_it_is_handed_on() {
    let mut ready = built("measures");
    ready.start.environment.push(("TARE_ASIDE".to_owned(), "0".to_owned()));
    let conversation = launch(&ready);
    let environment = fs::read_to_string(format!("/proc/{}/environ", conversation.pid().unwrap())).unwrap();
    let told: Vec<_> = environment.split('\0').filter(|entry| entry.starts_with("TARE_ASIDE")).collect();
    assert_eq!(told, ["TARE_ASIDE="]);
    conversation.close();
}

/// CPUs of each thread, the oldest first.
fn cpus_of_threads(conversation: &Conversation) -> Vec<Vec<usize>> {
    let mut threads: Vec<i32> = fs::read_dir(format!("/proc/{}/task", conversation.pid().unwrap()))
        .unwrap()
        .map(|thread| thread.unwrap().file_name().to_str().unwrap().parse().unwrap())
        .collect();
    threads.sort_unstable();
    let of = |thread| rustix::thread::sched_getaffinity(rustix::process::Pid::from_raw(thread)).unwrap();
    threads.into_iter().map(of).map(|set| numbers(&set)).collect()
}

/// Which of the threads may run on other CPUs.
fn elsewhere(threads: &[Vec<usize>], here: usize) -> Vec<usize> {
    (0..threads.len()).filter(|&thread| threads[thread] != [here]).collect()
}

fn numbers(set: &CpuSet) -> Vec<usize> {
    (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect()
}
