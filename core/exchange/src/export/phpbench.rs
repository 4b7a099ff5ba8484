//! PHPBench's XML: each launch an iteration of as many revolutions as it made calls, in microseconds.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use tare_samples::printable;
use tare_statistics::quantile::{mean, standard_deviation};

use super::{Exported, ExportedVariant, Written, left_out, measured_by};
use crate::fault::Fault;

type Xml = Writer<Vec<u8>>;

pub(super) fn write(exported: &Exported<'_>) -> Result<Written, Fault> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    document(&mut xml, exported).map_err(|error| Fault::of_file(error.to_string()))?;
    let mut bytes = xml.into_inner();
    bytes.push(b'\n');
    Ok(Written { bytes, notices: left_out(exported, "phpbench-xml") })
}

fn document(xml: &mut Xml, exported: &Exported<'_>) -> std::io::Result<()> {
    let origin = &exported.view.origin;
    xml.write_event(Event::Decl(BytesDecl::new("1.0", None, None)))?;
    open(
        xml,
        "phpbench",
        &[("version", measured_by(origin)), ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance".to_owned())],
    )?;
    let tag = origin.tags.first().cloned().unwrap_or_default();
    let suite = [
        ("tag", tag.clone()),
        ("context", tag),
        ("date", origin.started.clone()),
        ("config-path", String::new()),
        ("uuid", origin.id.clone()),
    ];
    open(xml, "suite", &suite)?;
    open(xml, "env", &[])?;
    close(xml, "env")?;
    let mut variants: Vec<&ExportedVariant<'_>> =
        exported.variants.iter().filter(|variant| variant.positive().is_some()).collect();
    // Of one class, and in it of one method, all together.
    variants.sort_by_key(|a| names(a));
    let mut at = variants.as_slice();
    while let Some(first) = at.first() {
        let class = names(first).0;
        let (own, rest) = at.split_at(at.iter().take_while(|variant| names(variant).0 == class).count());
        open(xml, "benchmark", &[("class", class)])?;
        let mut of_class = own;
        while let Some(first) = of_class.first() {
            let subject = names(first).1;
            let (same, others) =
                of_class.split_at(of_class.iter().take_while(|variant| names(variant).1 == subject).count());
            open(xml, "subject", &[("name", subject)])?;
            for (number, variant) in same.iter().enumerate() {
                one(xml, variant, number)?;
            }
            close(xml, "subject")?;
            of_class = others;
        }
        close(xml, "benchmark")?;
        at = rest;
    }
    empty(xml, "result", &[("key", "time".to_owned()), ("class", "PhpBench\\Model\\Result\\TimeResult".to_owned())])?;
    close(xml, "suite")?;
    close(xml, "phpbench")
}

/// Class and method.
fn names(variant: &ExportedVariant<'_>) -> (String, String) {
    let name = &variant.view.variant.case.benchmark;
    let (class, method) = name.rsplit_once("::").unwrap_or(("Tare", name));
    (class.to_owned(), method.to_owned())
}

fn one(xml: &mut Xml, exported: &ExportedVariant<'_>, number: usize) -> std::io::Result<()> {
    let variant = &exported.view.variant;
    let most = (0..exported.times.len()).map(|launch| exported.calls(launch)).max().unwrap_or(1);
    let attributes = [
        ("sleep", "0".to_owned()),
        ("output-time-unit", "microseconds".to_owned()),
        ("output-time-precision", String::new()),
        ("output-mode", "time".to_owned()),
        ("revs", most.to_string()),
        ("warmup", "0".to_owned()),
        ("retry-threshold", String::new()),
    ];
    open(xml, "variant", &attributes)?;
    let set = match (&variant.case.parameters.name, variant.label.as_str()) {
        (Some(set), "") => set.clone(),
        (Some(set), label) => format!("{set}, {label}"),
        (None, "") => number.to_string(),
        (None, label) => label.to_owned(),
    };
    open(xml, "parameter-set", &[("name", set)])?;
    for (name, value) in &variant.case.parameters.values {
        empty(xml, "parameter", &[("name", name.clone()), ("value", value.clone()), ("type", "string".to_owned())])?;
    }
    close(xml, "parameter-set")?;
    let mut averages = Vec::new();
    for (launch, (time, _)) in exported.times.iter().enumerate() {
        let calls = exported.calls(launch);
        let average = time / 1e3;
        averages.push(average);
        // Whole microseconds are what PHPBench keeps.
        let net = (average * calls as f64).round();
        empty(
            xml,
            "iteration",
            &[("time-net", net.to_string()), ("time-revs", calls.to_string()), ("time-avg", average.to_string())],
        )?;
    }
    let (least, most) =
        averages.iter().fold((f64::INFINITY, 0f64), |(least, most), value| (least.min(*value), most.max(*value)));
    let mean = mean(&averages).unwrap_or_default();
    let deviation = standard_deviation(&averages).unwrap_or_default();
    let mut stats = vec![
        ("max", most.to_string()),
        ("mean", mean.to_string()),
        ("min", least.to_string()),
        ("rstdev", (100.0 * deviation / mean).to_string()),
        ("stdev", deviation.to_string()),
        ("sum", averages.iter().sum::<f64>().to_string()),
        ("variance", (deviation * deviation).to_string()),
    ];
    if let Some(typical) = exported.view.summary.as_ref().and_then(|summary| summary.typical) {
        stats.insert(3, ("mode", (typical.estimate / 1e3).to_string()));
    }
    empty(xml, "stats", &stats)?;
    close(xml, "variant")
}

fn start<'a>(name: &'a str, attributes: &'a [(&str, String)]) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (name, value) in attributes {
        start.push_attribute((*name, printable(value).as_str()));
    }
    start
}

fn open(xml: &mut Xml, name: &str, attributes: &[(&str, String)]) -> std::io::Result<()> {
    xml.write_event(Event::Start(start(name, attributes)))
}

fn empty(xml: &mut Xml, name: &str, attributes: &[(&str, String)]) -> std::io::Result<()> {
    xml.write_event(Event::Empty(start(name, attributes)))
}

fn close(xml: &mut Xml, name: &str) -> std::io::Result<()> {
    xml.write_event(Event::End(BytesEnd::new(name)))
}
