//! PHPBench's `--dump-file` and `--store` in XML.

use crate::fault::Fault;
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Sample, Source};
use crate::when;
use crate::xml::{Element, parse};

pub(super) fn is(text: &str) -> bool {
    text.contains("<phpbench")
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let root = parse(&source.bytes)?;
    if root.name != "phpbench" {
        return Err(root.fault(format!("<{}> isn't the root of PHPBench's XML, <phpbench>", root.name)));
    }
    let mut reading = Reading::of("PHPBench");
    reading.version = root.attribute("version").unwrap_or_default().to_owned();
    let suites: Vec<&Element> = root.all("suite").collect();
    if suites.len() > 1 {
        return Err(
            Fault::of_file(format!("{} suites in one file", suites.len())).with_remedy("write one suite a file")
        );
    }
    let Some(suite) = suites.first() else { return reading.checked() };
    reading.started = suite.attribute("date").and_then(when::parsed);
    let mut php = String::new();
    let mut facts = Vec::new();
    if let Some(environment) = suite.first("env") {
        for information in &environment.children {
            for (name, value) in values(information) {
                match (information.name.as_str(), name.as_str()) {
                    ("php", "version") => php = value,
                    ("php", "xdebug") => facts.push(("xdebug", on_or_off(&value))),
                    ("opcache", "enabled") => facts.push(("opcache", on_or_off(&value))),
                    ("opcache", "jit") => facts.push(("jit", on_or_off(&value))),
                    ("uname", "os") => reading.fact("os", value),
                    ("uname", "machine") => reading.fact("arch", value),
                    ("uname", "host") => reading.fact("host", value),
                    ("vcs", "branch") => drop(reading.git.insert("branch".to_owned(), value)),
                    ("vcs", "version") => drop(reading.git.insert("commit".to_owned(), value)),
                    _ => {}
                }
            }
        }
    }
    for benchmark in suite.all("benchmark") {
        let class = benchmark.attribute("class").unwrap_or_default().trim_start_matches('\\');
        for subject in benchmark.all("subject") {
            let own = subject.attribute("name").unwrap_or_default();
            let name = if class.is_empty() || own.is_empty() { String::new() } else { format!("{class}::{own}") };
            for variant in subject.all("variant") {
                let mut case = CaseRead::new("php", name.as_str());
                let read = one(variant, &mut case, &mut reading);
                if subject.first("executor").and_then(|executor| executor.attribute("name")) == Some("local") {
                    // All in PHPBench's own process.
                    case.launches = vec![case.launches.concat()];
                }
                case.runtime_version.clone_from(&php);
                case.facts.extend(facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
                case.groups =
                    subject.all("group").filter_map(|group| group.attribute("name")).map(str::to_owned).collect();
                reading.take(case, read);
            }
        }
    }
    // `@Revs({1, 1000})` makes a variant of each.
    reading.tell_apart_by_facts(&["revs"]);
    reading.checked()
}

/// What an information says, as newer versions write it, each value an element; and as older ones did, each an attribute.
fn values(information: &Element) -> Vec<(String, String)> {
    let elements =
        information.all("value").filter_map(|value| Some((value.attribute("name")?.to_owned(), value.text.clone())));
    let attributes = information.attributes.iter().map(|(name, value)| (name.clone(), value.clone()));
    elements.chain(attributes).collect()
}

fn on_or_off(value: &str) -> String {
    if matches!(value, "" | "0" | "false") { "off" } else { "on" }.to_owned()
}

fn one(variant: &Element, case: &mut CaseRead, reading: &mut Reading) -> Result<(), Fault> {
    if let Some(set) = variant.first("parameter-set") {
        let given = set.attribute("name").unwrap_or_default();
        let values: Vec<(String, String)> = set.all("parameter").map(parameter).collect();
        case.parameters.name = (!values.is_empty() || !matches!(given, "" | "0")).then(|| given.to_owned());
        case.parameters.values = values;
    }
    if let Some(errors) = variant.first("errors") {
        let messages: Vec<&str> = errors.all("error").map(|error| error.text.trim()).collect();
        case.failed = Some(messages.join("; "));
        return Ok(());
    }
    let revs = match variant.number("revs")? {
        Some(revs) => count(revs, || variant.place())?.max(1),
        None => 1,
    };
    case.facts.insert("revs".to_owned(), revs.to_string());
    let mut most = None::<f64>;
    let mut samples = Vec::new();
    for iteration in variant.all("iteration") {
        let own = iteration.number("time-revs")?.or(iteration.number("revs")?);
        let calls = own.map_or(Ok(revs), |own| count(own, || iteration.place()))?.max(1);
        // The whole iteration, in microseconds.
        let Some(net) = iteration.number("time-net")?.or(iteration.number("net-time")?) else {
            return Err(iteration
                .fault("an <iteration> without time-net")
                .with_remedy("import results of an executor that measures time"));
        };
        samples.push(Sample { time: time(net, 1e3, || iteration.place())? / calls as f64, calls: Some(calls) });
        let memory = case.figure(iteration.number("mem-peak"));
        most = most.into_iter().chain(memory).reduce(f64::max);
    }
    // Each iteration runs in a process of its own.
    case.launches = samples.into_iter().map(|sample| vec![sample]).collect();
    if let Some(bytes) = most {
        case.metric("mem_peak_bytes", bytes);
    }
    if let Some(stats) = variant.first("stats") {
        let figure = |name: &str| -> Result<Option<f64>, Fault> {
            stats.number(name)?.map(|value| time(value, 1e3, || stats.place())).transpose()
        };
        case.given.mean = case.figure(figure("mean"));
        case.given.stddev = case.figure(figure("stdev"));
        case.given.min = case.figure(figure("min"));
        case.given.max = case.figure(figure("max"));
        if let Some(mode) = case.figure(figure("mode")) {
            case.metric("mode_ns", mode);
        }
    }
    if variant.first("failures").is_some() {
        reading.notice("failures of assertions aren't taken over".to_owned());
    }
    Ok(())
}

fn parameter(parameter: &Element) -> (String, String) {
    let name = parameter.attribute("name").unwrap_or_default().to_owned();
    let value = match parameter.attribute("value") {
        Some(value) => value.to_owned(),
        None if parameter.attribute("type") == Some("collection") => {
            let parts: Vec<String> = parameter
                .all("parameter")
                .map(self::parameter)
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            format!("[{}]", parts.join(", "))
        }
        None => parameter.text.trim().to_owned(),
    };
    (name, value)
}
