//! What a load over HTTP gave, as the report shows it: throughput, latencies and warnings of each target.

use std::time::Duration;

use crate::load::checked::Checked;
use tare_load::histogram::{Latencies, PERCENTILES};
use tare_load::http::{Expected, Target, Version, kind};
use tare_load::interval::Interval;
use tare_load::plan::{BlockResult, Outcome, Plan};
use tare_load::schedule::Pace;
use tare_load::series::Series;
use tare_results::{LoadLatency, LoadOperation, LoadSecond, LoadTarget};
use tare_statistics::mean_interval::successive_interval;
use tare_statistics::{Estimate, Warning, WarningCode};

/// Percentiles of the picture.
const CURVE: [f64; 8] = [0.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999];
const CONFIDENCE: f64 = 0.95;
/// A rate is kept where no more than this part of all operations began late, or never: now and then the client itself wakes late.
const KEPT: f64 = 0.01;
/// Of a few operations more than that part may be late by chance: up to so many standard deviations of a Poisson count, or so many
/// operations.
const CHANCE: f64 = 3.0;

/// A target that was under load, as the report shows it.
pub(crate) fn target(
    name: &str,
    number: usize,
    plan: &Plan,
    outcome: &Outcome,
    target: &Target,
    asked: &Checked,
) -> LoadTarget {
    let blocks: Vec<&BlockResult> = outcome.blocks.iter().filter(|result| result.block.target == number).collect();
    let duration_s = time_under_load(&blocks);
    let series = &outcome.series[number];
    let (rate, arrivals) = match plan.pace {
        Pace::Closed => (None, None),
        Pace::Open { rate, arrivals } => (Some(rate), Some(arrivals.name().to_owned())),
    };
    let version = match asked.connections.version {
        Version::OnePointZero => "HTTP/1.0",
        Version::One => "HTTP/1.1",
        Version::Two => "HTTP/2",
    };
    let mut about = if target.is_secure() { format!("{version} over TLS") } else { version.to_owned() };
    if let Some(socket) = &asked.socket {
        about.push_str(&format!(" over {}", socket.display()));
    }
    if asked.requests.len() > 1 {
        about.push_str(&format!(", {} requests in turn", asked.requests.len()));
    }
    if asked.connections.cookies {
        about.push_str(", cookies kept");
    }
    if asked.connections.follow {
        about.push_str(", redirects followed");
    }
    if asked.connections.expected != Expected::default() {
        about.push_str(&format!(", {} expected", asked.connections.expected));
    }
    let mut shown = LoadTarget {
        name: name.to_owned(),
        failure: None,
        duration_s,
        throughput: throughput(&blocks, series),
        connections: Some(plan.connections),
        workers: None,
        rate,
        arrivals,
        operations: vec![operation("request", &series.total)],
        memory: Vec::new(),
        series: seconds(series),
        warnings: warnings(plan, outcome, number),
        about,
        ..LoadTarget::default()
    };
    shown.warnings.extend(gone(&shown).or_else(|| stood_still(&shown)));
    shown
}

/// Seconds under load. Without a block it is 0, where a sum of floating-point numbers would begin with -0.
pub(super) fn time_under_load(blocks: &[&BlockResult]) -> f64 {
    blocks.iter().map(|result| result.window).sum::<Duration>().as_secs_f64()
}

/// It stopped answering, and was never heard of again.
pub(super) fn gone(target: &LoadTarget) -> Option<Warning> {
    let (gone, whole) = (target.seconds_gone()?, target.whole_seconds());
    let succeeded: u64 = target.series.iter().map(|second| second.succeeded).sum();
    let answered = whole - gone;
    Some(Warning {
        code: WarningCode::StoppedAnswering.into(),
        message: format!(
            "it stopped answering in second {answered} of {whole} and didn't come back; it served {:.0} a second until then, and the throughput covers the whole time",
            succeeded as f64 / answered as f64
        ),
        remedy: "find out why it ended; the latencies cover only the time in which it answered".to_owned(),
    })
}

/// Whole seconds in which all failed.
pub(super) fn stood_still(target: &LoadTarget) -> Option<Warning> {
    let (down, seconds) = (target.seconds_down(), target.whole_seconds());
    (down > 0).then(|| Warning {
        code: WarningCode::StoodStill.into(),
        message: format!(
            "every request failed in {down} of {seconds} seconds; the target served nothing in these, even if the failures are few"
        ),
        remedy: "read the failures; throughput covers the whole time, latencies the other seconds".to_owned(),
    })
}

/// Successes over time of all blocks together, with an interval of blocks, or of whole seconds where there is one block. Its ends are
/// infinite where there are fewer than three.
pub(super) fn throughput(blocks: &[&BlockResult], series: &Series) -> Option<Estimate> {
    let seconds: f64 = blocks.iter().map(|result| result.window.as_secs_f64()).sum();
    let succeeded: f64 = blocks.iter().map(|result| result.in_window).sum();
    if seconds <= 0.0 {
        return None;
    }
    let estimate = succeeded / seconds;
    let rates: Vec<f64> = match blocks {
        // The last second of a run isn't a whole one.
        [only] => {
            let whole = only.window.as_secs() as u32;
            series.succeeded_by_second(whole).into_iter().map(|count| count as f64).collect()
        }
        blocks => blocks.iter().map(|result| result.throughput()).collect(),
    };
    let half = successive_interval(&rates, CONFIDENCE).map_or(f64::INFINITY, |interval| interval.half_width());
    // A rate isn't below 0; an end that isn't known at all stays so.
    let low = if half.is_finite() { (estimate - half).max(0.0) } else { f64::NEG_INFINITY };
    Some(Estimate { estimate, low, high: estimate + half })
}

/// What became of one operation.
pub(crate) fn operation(name: &str, total: &Interval) -> LoadOperation {
    LoadOperation {
        name: name.to_owned(),
        count: total.succeeded() + total.failures.total(),
        failures: total.failures.iter().map(|(kind, count)| (kind.to_owned(), count)).collect(),
        statuses: total.statuses.iter().collect(),
        late: total.late,
        dropped: total.dropped,
        bytes: total.bytes,
        connects: total.connects,
        latency: latency(&total.latencies),
    }
}

/// Percentiles of a histogram; of those beyond which no value lies, only the maximum.
pub(crate) fn latency(latencies: &Latencies) -> Option<LoadLatency> {
    let known = |percentile: f64| latencies.count() as f64 * (1.0 - percentile / 100.0) >= 1.0;
    let at = |percentile: f64| latencies.percentile(percentile);
    Some(LoadLatency {
        percentiles: PERCENTILES
            .iter()
            .filter_map(|(name, percentile)| Some(((*name).to_owned(), at(*percentile)?)))
            .collect(),
        curve: CURVE.iter().filter(|percentile| known(**percentile)).filter_map(|p| Some((*p, at(*p)?))).collect(),
        max: latencies.max()?,
        mean: latencies.mean()?,
    })
}

/// A series as a report shows it, with the seconds in which nothing ended.
pub(crate) fn seconds(series: &Series) -> Vec<LoadSecond> {
    let Some(last) = series.seconds.keys().next_back() else { return Vec::new() };
    let nothing = tare_load::series::Stretch::default();
    let second = |second: u32| {
        let seen = series.seconds.get(&second).unwrap_or(&nothing);
        let some = |percentile: f64| seen.latencies.percentile(percentile).filter(|_| seen.latencies.count() > 0);
        LoadSecond {
            second,
            succeeded: seen.latencies.count(),
            failed: seen.failed,
            p50: some(50.0),
            p99: some(99.0),
            max: some(100.0),
        }
    };
    (0..=*last).map(second).collect()
}

/// What to do where a rate wasn't kept, given what there may be more of.
pub(super) fn rate_remedy(more: &str) -> String {
    format!(
        "latencies include their wait, except for those that never began; lower the rate, or {more}; if some were idle, \
         this machine was too busy to wake them in time"
    )
}

/// Says so where more than a few of `what` began late, or never: then `by` couldn't keep up with the rate (1/s).
pub(super) fn rate_not_kept(total: &Interval, rate: f64, what: &str, by: &str) -> Option<String> {
    let due = (total.succeeded() + total.failures.total() + total.dropped) as f64;
    let expected = KEPT * due;
    ((total.late + total.dropped) as f64 > expected + CHANCE * expected.sqrt().max(1.0)).then(|| {
        format!(
            "{} of {due} {what} began more than {} ms after they were due, {} never began: {rate} a second weren't kept up with {by}",
            total.late,
            tare_load::LATE.as_millis(),
            total.dropped
        )
    })
}

/// When it was, by the time that the target had been under load.
fn moment(at: Duration) -> String {
    if at.is_zero() {
        "before the start".to_owned()
    } else {
        format!("anew after {:.1} s under load", at.as_secs_f64())
    }
}

fn warnings(plan: &Plan, outcome: &Outcome, number: usize) -> Vec<Warning> {
    let total = &outcome.series[number].total;
    let mut told = Vec::new();
    let mut tell = |code: WarningCode, message: String, remedy: &str| {
        told.push(Warning::new(code, message, remedy));
    };
    let failed = total.failures.total();
    let count = total.succeeded() + failed;
    if failed > 0 && total.succeeded() > 0 {
        let remedy = match total.failures.iter().any(|(kind, _)| kind == kind::STATUS_3XX) {
            true => "follow redirects with --follow, or take them for answers: --expect 2xx,3xx",
            false => "repair these failures first; failed requests are often faster or slower than successful ones",
        };
        let message =
            format!("{failed} of {count} requests failed; throughput and latencies cover the successful ones alone");
        tell(WarningCode::Failures, message, remedy);
    }
    if let Pace::Open { rate, .. } = plan.pace
        && let Some(message) = rate_not_kept(total, rate, "requests", &format!("{} connections", plan.connections))
    {
        tell(WarningCode::RateNotKept, message, &rate_remedy("give it more connections (-c)"));
    }
    if let Some((at, failure)) = &outcome.unprepared[number] {
        tell(
            WarningCode::Connections,
            format!("not all connections could be made {}: {} {}", moment(*at), failure.kind, failure.detail),
            "see how many the server takes at once, and how many descriptors this process may have (ulimit -n)",
        );
    }
    told
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_load::interval::Interval;
    use tare_load::plan::{Block, BlockResult};
    use tare_load::series::{Series, Stretch};

    use super::{rate_not_kept, throughput};

    fn result(in_window: u64, seconds: u64) -> BlockResult {
        let block = Block {
            target: 0,
            round: 0,
            length: None,
            operations: None,
            settling: Duration::ZERO,
            measured: true,
            renewed: false,
        };
        let total = Stretch::default();
        BlockResult { block, total, in_window: in_window as f64, window: Duration::from_secs(seconds) }
    }

    /// What succeeded in each second.
    fn series(counts: &[u64]) -> Series {
        let mut series = Series::default();
        for (second, count) in (0..).zip(counts) {
            let mut interval = Interval { second, ..Interval::default() };
            (0..*count).for_each(|_| interval.latencies.record(1));
            series.add(&interval);
        }
        series
    }

    #[test]
    fn a_failure_to_connect_names_its_moment() {
        assert_eq!(super::moment(Duration::ZERO), "before the start");
        assert_eq!(super::moment(Duration::from_millis(4250)), "anew after 4.2 s under load");
    }

    #[test]
    fn no_time_under_load_is_no_negative_zero() {
        assert!(super::time_under_load(&[]).is_sign_positive());
    }

    #[test]
    fn a_few_late_wakings_are_no_rate_that_was_not_kept() {
        let warned = |count: u64, late: u64, dropped: u64| {
            let mut total = Interval { late, dropped, ..Interval::default() };
            (0..count - dropped).for_each(|_| total.latencies.record(1));
            rate_not_kept(&total, 1.0, "requests", "4 connections").is_some()
        };
        // Ten requests at one a second, of which the client woke late for one, or three.
        assert!(!warned(10, 1, 0) && !warned(10, 3, 0) && !warned(1000, 15, 0));
        assert!(warned(10, 4, 0) && warned(10, 0, 9) && warned(1000, 25, 0) && warned(1000, 5, 20));
    }

    #[test]
    fn two_seconds_or_blocks_say_nothing_of_the_error() {
        let found = throughput(&[&result(30, 2)], &series(&[10, 20])).unwrap();
        assert_eq!((found.estimate, found.high), (15.0, f64::INFINITY));
        let found = throughput(&[&result(10, 1), &result(30, 1)], &series(&[])).unwrap();
        assert_eq!((found.estimate, found.low), (20.0, f64::NEG_INFINITY));
        // Student's t at two degrees of freedom: 4.303 · 10/√3.
        let found = throughput(&[&result(60, 3)], &series(&[20, 10, 30])).unwrap();
        assert!((found.high - 44.84).abs() < 0.01, "{found:?}");
        assert_eq!(found.low, 0.0, "a rate isn't below 0");
        assert_eq!(throughput(&[], &series(&[])), None);
    }
}
