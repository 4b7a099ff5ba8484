//! Work over the runs of a history: how often a step is claimed of identical code, and how often one is found.

use tare_samples::{CountedLaunch, CountedWork};
use tare_statistics::work::{CountedRun, work_points};

use super::source::{Source, runs};

/// Instructions of a call.
const INSTRUCTIONS: f64 = 100_000.0;
/// Runs of a history.
const RUNS: usize = 100;
/// Identical code is counted so far from what it executes, at the most: paths and places of data.
const RUN: f64 = 0.000_3;

/// How launches of one run differ, as fractions of what is executed.
#[derive(Debug, Clone, Copy)]
enum Launches {
    Alike,
    /// By a Gaussian of this standard deviation: places of data.
    Scatter(f64),
    /// In that part of them by so much: a seed by which a table grows once more.
    Sometimes(f64, f64),
}

fn launch(each: f64) -> CountedLaunch {
    let calls = [100, 200, 300];
    let subject = calls.map(|calls| 5000 + ((each + 60.0) * calls as f64) as u64);
    CountedLaunch { calls, subject, null_calls: [100, 300], null: [11_000, 23_000], ..CountedLaunch::default() }
}

/// Runs of code that executes so much, by run.
fn history(levels: &[f64], launches: Launches, source: &mut Source) -> Vec<CountedWork> {
    let mut run = |level: f64| {
        let own = level + RUN * (2.0 * source.uniform() - 1.0);
        let mut one = || {
            own + match launches {
                Launches::Alike => 0.0,
                Launches::Scatter(deviation) => deviation * source.gaussian(),
                Launches::Sometimes(part, more) => {
                    if source.uniform() < part {
                        more
                    } else {
                        0.0
                    }
                }
            }
        };
        let launches = (0..2).map(|_| launch(INSTRUCTIONS * one())).collect();
        CountedWork { launches, ..CountedWork::default() }
    };
    levels.iter().map(|level| run(*level)).collect()
}

/// The runs that are said to begin a level.
fn steps(works: &[CountedWork]) -> Vec<usize> {
    let all: Vec<CountedRun<'_>> = works.iter().map(|work| CountedRun { work, branch: "" }).collect();
    work_points(&all).iter().enumerate().filter_map(|(at, point)| point.step.map(|_| at)).collect()
}

#[test]
fn identical_code_is_seldom_said_to_have_changed() {
    let histories = runs(10_000, 500);
    let kinds = [
        (Launches::Alike, 0),
        (Launches::Scatter(0.000_1), 20),
        (Launches::Scatter(0.001), 20),
        (Launches::Scatter(0.01), 20),
        (Launches::Sometimes(0.5, 0.01), 20),
        (Launches::Sometimes(0.1, 0.01), 20),
        (Launches::Sometimes(0.02, 0.01), 20),
    ];
    for (launches, most_in_a_thousand) in kinds {
        let (mut claimed, mut of_any) = (0, 0);
        for seed in 0..histories {
            let found = steps(&history(&[1.0; RUNS], launches, &mut Source::new(seed as u64)));
            (claimed, of_any) = (claimed + found.len(), of_any + usize::from(!found.is_empty()));
        }
        println!("{launches:?}: {claimed} steps in {} runs, in {of_any} of {histories} histories", histories * RUNS);
        assert!(1000 * of_any <= most_in_a_thousand * histories, "{launches:?}: {of_any} of {histories}");
    }
}

#[test]
fn a_thousandth_more_is_found_with_the_first_run_that_has_it() {
    let histories = runs(10_000, 500);
    for (before, at_least) in [(1, 930), (2, 950), (20, 980)] {
        let (mut found, mut elsewhere) = (0, 0);
        for seed in 0..histories {
            let levels: Vec<f64> = (0..=before).map(|run| if run < before { 1.0 } else { 1.001 }).collect();
            let steps = steps(&history(&levels, Launches::Alike, &mut Source::new(seed as u64)));
            found += usize::from(steps == [before]);
            elsewhere += usize::from(steps.iter().any(|step| *step != before));
        }
        println!("after {before} runs: {found} of {histories} found, {elsewhere} elsewhere");
        assert!(1000 * found >= at_least * histories && elsewhere == 0, "{before}: {found}, {elsewhere}");
    }
}

/// What launches hide is found where it is several times as far as these lie apart.
#[test]
fn work_that_scatters_hides_small_steps_and_no_large_ones() {
    let histories = runs(10_000, 500);
    for (deviation, more, at_least) in [(0.000_1, 0.001, 750), (0.01, 0.1, 950), (0.01, 0.01, 0)] {
        let mut found = 0;
        for seed in 0..histories {
            let levels: Vec<f64> = (0..40).map(|run| if run < 20 { 1.0 } else { 1.0 + more }).collect();
            let steps = steps(&history(&levels, Launches::Scatter(deviation), &mut Source::new(seed as u64)));
            found += usize::from(steps.contains(&20));
        }
        println!("{more} where launches scatter by {deviation}: {found} of {histories} found");
        assert!(1000 * found >= at_least * histories, "{deviation}: {found}");
    }
}
