//! `--noise`: how different identical code looks on this machine.

use std::path::PathBuf;
use std::time::Duration;

use tare_definition::{Language, Project};
use tare_engine::{Observer, Progress, Step};
use tare_plan::{Group, Settings, groups};
use tare_results::{NoiseRow, NoiseView};
use tare_samples::{Calibration, Launch, Outcome, Variant};
use tare_statistics::estimate;
use tare_worker::{Launcher, unpack_php_noise};

use tare_definition::Selection;
use tare_request::Request;

use crate::error::{Error, Kind};
use crate::failures::describe;
use crate::job::begin;
use crate::listing::enumerate::enumerate;
use crate::prepare::lock;
use crate::prepare::placement::place_workers;
use crate::prepare::sides::Sides;
use crate::session::Session;

/// Launch pairs of each interleaved comparison.
const PAIRS: u32 = 12;
/// What each side takes when one is measured after the other.
const ONE_AFTER_THE_OTHER: Duration = Duration::from_millis(600);

/// Measures the noise on PHP; when interrupted meanwhile, what was ready by then; `None` where that is nothing.
pub(crate) fn measured(
    runtimes: &[String],
    folder: PathBuf,
    project: &Project,
    session: &Session<'_>,
) -> Result<Option<NoiseView>, Error> {
    let interrupted = || session.is_stopped();
    let benchmark = unpack_php_noise().map_err(Error::failed)?;
    let selection = Selection { paths: vec![benchmark], runtime: runtimes.to_vec(), ..Selection::default() };
    let mut request = Request::of_selection(&selection, folder, project)?;
    let sources = request.sources()?;
    request.resolve(&sources)?;
    let runs: Vec<bool> = request.runtimes.iter().map(|runtime| request.runs(runtime, Language::Php)).collect();
    let mut runs = runs.into_iter();
    request.runtimes.retain(|_| runs.next().unwrap_or(false));
    let [runtime] = request.runtimes.as_slice() else {
        return Err(Error::usage(format!(
            "the noise is measured on one runtime at a time, and there are {}: choose one with --runtime",
            request.runtimes.len()
        )));
    };
    let mut again = runtime.clone();
    again.name.push_str(" again");
    request.runtimes.push(again);
    request.settings = Settings {
        launches: Some(PAIRS),
        budget: ONE_AFTER_THE_OTHER,
        seed: rand::random::<u64>() >> 32,
        ..Settings::default()
    };
    let mut job = begin(request, project, Sides::default());
    let (mut launcher, _bound) = place_workers(&mut job)?;
    let found = enumerate(&job.request, &sources, (&mut launcher, &[]), session);
    if let Some(failure) = found.failures.first() {
        return Err(Error::new(found.blame().unwrap_or(Kind::Failed), describe(failure)));
    }
    let mut interleaved = groups(&found.enumerated, &[]);
    for pair in interleaved.iter_mut().flat_map(|group| &mut group.pairs) {
        pair.control = true;
    }
    let _lock = match lock::take("`tare doctor --noise`", session) {
        Ok(lock) => lock,
        Err(error) if error.kind == Kind::Interrupted => return Ok(None),
        Err(error) => return Err(error),
    };

    let mut observer = Telling { session, what: "interleaved", told: false };
    let begun_ns = launcher.now_ns();
    let settings = &job.request.settings;
    let live = tare_engine::measure(&interleaved, settings, &mut launcher, &mut observer, Vec::new(), begun_ns);
    let mut times: Vec<Vec<Option<f64>>> = Vec::new();
    for side in 0..2 {
        observer = Telling {
            session,
            what: if side == 0 { "one after the other: the first" } else { "the second" },
            told: false,
        };
        let alone: Vec<Group> = interleaved
            .iter()
            .map(|group| Group {
                case: group.case.clone(),
                variants: vec![group.variants[side].clone()],
                pairs: Vec::new(),
            })
            .collect();
        let settings = Settings { launches: None, budget_given: true, ..settings.clone() };
        let measured = tare_engine::measure(&alone, &settings, &mut launcher, &mut observer, Vec::new(), begun_ns);
        if interrupted() {
            // Half a pass is no time to compare with.
            break;
        }
        times.push(by_group(&measured.measurements, time));
    }
    for measurement in live.measurements.iter().flatten() {
        if let Outcome::Failed(failure) = &measurement.outcome {
            return Err(Error::failed(describe(failure)));
        }
    }
    let of = |number: usize| live.comparisons.iter().find(|compared| compared.group == number);
    let pass = |side: usize, number: usize| times.get(side)?.get(number).copied().flatten();
    let mut rows: Vec<NoiseRow> = Vec::new();
    let mut pairs = PAIRS;
    for (number, group) in interleaved.iter().enumerate() {
        let ratio_of = of(number).and_then(|compared| compared.comparison.shown());
        if interrupted() {
            if ratio_of.is_none() {
                continue;
            }
            pairs = of(number).map_or(pairs, |compared| pairs.min(compared.comparison.pairs));
        }
        rows.push(NoiseRow {
            subject: group.variants[0].variant.case.benchmark.clone(),
            interleaved: ratio_of,
            one_after_the_other: ratio(pass(0, number), pass(1, number)),
        });
    }
    if rows.is_empty() && interrupted() {
        return Ok(None);
    }
    Ok(Some(NoiseView {
        runtime: interleaved.first().map(|group| group.variants[0].variant.runtime.clone()),
        machine: job.origin.machine.clone(),
        pairs,
        rows,
    }))
}

/// The time of each group's only variant: one that fails in a pass leaves its place empty.
fn by_group<M>(measurements: &[Vec<M>], time: impl Fn(&M) -> Option<f64>) -> Vec<Option<f64>> {
    measurements.iter().map(|of_group| time(of_group.first()?)).collect()
}

/// A time that can't be told from nothing has no ratio.
fn ratio(first: Option<f64>, second: Option<f64>) -> Option<f64> {
    let (first, second) = (first.filter(|time| *time > 0.0)?, second.filter(|time| *time > 0.0)?);
    Some(second / first)
}

fn time(measurement: &tare_samples::Measurement) -> Option<f64> {
    if matches!(measurement.outcome, Outcome::Failed(_)) {
        return None;
    }
    let calibration = measurement.calibration.as_ref()?;
    Some(estimate(&measurement.launches, calibration, measurement.variant.runtime.correction).time.estimate)
}

/// Tells each part once.
struct Telling<'a> {
    session: &'a Session<'a>,
    what: &'static str,
    told: bool,
}

impl Observer for Telling<'_> {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}

    fn launched(&mut self, _: &[(&Variant, &Launch)]) {}

    fn ended(&mut self, _: &Variant, _: &Outcome) {}

    fn progress(&mut self, progress: &Progress) {
        if !self.told && matches!(progress.step, Step::Pilot) {
            self.told = true;
            self.session.notice(format!("measuring identical code, {}", self.what));
        }
    }

    fn interrupted(&self) -> bool {
        self.session.is_stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::{by_group, ratio};

    #[test]
    fn what_fails_in_one_pass_moves_no_other_row() {
        let positive = |time: &f64| Some(*time).filter(|time| *time > 0.0);
        let (first, second) = (
            by_group(&[vec![-1.0], vec![2.0], vec![], vec![5.0]], positive),
            by_group(&[vec![3.0], vec![4.0], vec![7.0], vec![5.0]], positive),
        );
        let ratios: Vec<_> = first.iter().zip(&second).map(|(first, second)| ratio(*first, *second)).collect();
        assert_eq!(ratios, [None, Some(2.0), None, Some(1.0)]);
    }

    #[test]
    fn a_time_below_nothing_makes_no_ratio() {
        for (first, second) in [(1.0, 0.0), (1.0, -1.0), (0.0, 1.0), (-1.0, -1.0)] {
            assert_eq!(ratio(Some(first), Some(second)), None, "{first} {second}");
        }
    }
}
