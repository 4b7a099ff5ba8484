//! JMH's `-rf json`: scores of iterations by fork.

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Sample, Source};

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    let entries = root.entries().unwrap_or_default();
    entries.iter().any(|entry| entry.get("primaryMetric").is_some() && entry.get("mode").is_some())
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("JMH");
    let json = parse(&source.bytes, &mut reading.notices)?;
    for entry in At::root(&json).entries()? {
        if reading.version.is_empty() {
            reading.version = entry.text_or_empty("jmhVersion");
        }
        let mut case = CaseRead::new("java", entry.text_or_empty("benchmark"));
        let read = one(&entry, &mut case, &mut reading);
        reading.take(case, read);
    }
    reading.checked()
}

fn one(entry: &At<'_>, case: &mut CaseRead, reading: &mut Reading) -> Result<(), Fault> {
    entry.need("benchmark")?.text()?;
    case.runtime_version = entry.text_or_empty("jdkVersion");
    for (fact, member) in [("vm", "vmName"), ("vm-version", "vmVersion")] {
        let value = entry.text_or_empty(member);
        if !value.is_empty() {
            case.facts.insert(fact.to_owned(), value);
        }
    }
    let parameters = entry.get("params").map(|at| at.members()).unwrap_or_default();
    case.parametrise(
        parameters.iter().map(|(name, at)| ((*name).to_owned(), at.printed().unwrap_or_default())).collect(),
    );
    let mode = entry.need("mode")?.text()?.to_owned();
    let metric = entry.need("primaryMetric")?;
    let unit = metric.need("scoreUnit")?;
    let unit = Unit::of(&unit)?;
    case.reported.labels.push(mode.clone());
    let threads = entry.maybe("threads")?.unwrap_or(1.0);
    if threads > 1.0 {
        case.reported.labels.push(format!("{threads} threads"));
    }
    // A single shot is one operation: of as many calls as its batch, whose time is the score.
    let batch = entry.maybe("measurementBatchSize")?.unwrap_or(1.0);
    let batch = count(batch, || entry.place())?.max(1);
    let calls = (mode == "ss").then_some(1);
    let score = metric.need("score")?;
    // But for what JMH does unasked.
    let settings =
        [("mode", mode.clone(), "thrpt"), ("threads", threads.to_string(), "1"), ("batch", batch.to_string(), "1")];
    let other = settings.into_iter().filter(|(_, value, usual)| value != usual);
    case.set(other.map(|(name, value, _)| (name.to_owned(), value)).collect());
    if let Some(score) = case.figure(score.number().map(Some)) {
        case.metric(format!("score, {}", unit.text), score);
    }
    if let Some(raw) = metric.get("rawData") {
        for fork in raw.entries()? {
            let scores = fork.numbers()?.iter();
            let sample = |score: &f64| Ok(Sample { time: unit.time(*score, &fork)?, calls });
            case.launches.push(scores.map(sample).collect::<Result<_, Fault>>()?);
        }
    } else {
        // Of sampled times only a histogram is kept: what scatters in it are calls, and not what their mean is known by.
        reading.notice(format!("{} has no rawData: its samples aren't kept", case.benchmark));
        case.given.mean = Some(unit.time(score.number()?, &score)?);
        case.given.dependent = true;
    }
    if unit.is_throughput {
        reading.notice("throughputs were turned into times: the time is the mean of 1 / score".to_owned());
    }
    if let Some(percentiles) = metric.get("scorePercentiles").filter(|_| mode == "sample") {
        for (name, at) in percentiles.members() {
            if let Some(value) = case.figure(at.number().and_then(|value| unit.time(value, &at)).map(Some)) {
                case.metric(format!("p{name}_ns"), value);
            }
        }
    }
    for (name, secondary) in entry.get("secondaryMetrics").map(|at| at.members()).unwrap_or_default() {
        let shown = format!("{name}, {}", secondary.text_or_empty("scoreUnit"));
        case.metric(shown, secondary.maybe("score").ok().flatten().unwrap_or(f64::NAN));
    }
    Ok(())
}

/// `ns/op`, `ops/s`.
struct Unit {
    text: String,
    nanoseconds: f64,
    is_throughput: bool,
}

impl Unit {
    fn of(at: &At<'_>) -> Result<Self, Fault> {
        let text = at.text()?;
        let (unit, is_throughput) = match (text.strip_suffix("/op"), text.strip_prefix("ops/")) {
            (Some(unit), _) => (unit, false),
            (_, Some(unit)) => (unit, true),
            _ => ("", false),
        };
        let nanoseconds = match unit {
            "ns" => 1.0,
            "us" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" => 60e9,
            "hr" => 3600e9,
            "day" => 86_400e9,
            _ => return Err(at.fault(format!("{text:?} is neither a time a call nor calls a time"))),
        };
        Ok(Self { text: text.to_owned(), nanoseconds, is_throughput })
    }

    fn time(&self, score: f64, at: &At<'_>) -> Result<f64, Fault> {
        if self.is_throughput {
            if !(score > 0.0 && score.is_finite()) {
                return Err(at.fault(format!("{score} operations in a time have no time each")));
            }
            return time(1.0 / score, self.nanoseconds, || at.place());
        }
        time(score, self.nanoseconds, || at.place())
    }
}
