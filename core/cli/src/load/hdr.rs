//! `tare load hdr`: histogram logs.

use std::collections::BTreeMap;

use anyhow::anyhow;
use tare_load::histogram::PERCENTILES;
use tare_load::log::{Entry, merged, read};
use tare_report::{Layout, load_document, load_report};
use tare_results::{LoadLatency, LoadOperation, LoadTarget, LoadView};

use super::arguments::HdrArguments;
use crate::arguments::Detail;
use crate::exit::{Refusal, Status};
use crate::screen;

/// Larger files aren't logs of histograms.
const LARGEST: u64 = 1 << 30;

pub(crate) fn show(arguments: &HdrArguments) -> Result<Status, Refusal> {
    let shown = arguments.file.display();
    let size = std::fs::metadata(&arguments.file).map(|metadata| metadata.len());
    if size.as_ref().is_ok_and(|size| *size > LARGEST) {
        return Err(Refusal::usage(anyhow!("{shown} is larger than 1 GiB: no histogram log is")));
    }
    let text = std::fs::read(&arguments.file)
        .map_err(|error| Refusal::usage(anyhow!("{shown}: {error}; name a histogram log")))?;
    let entries = read(&text).map_err(|error| Refusal::usage(anyhow!("{shown}: {error}")))?;
    if entries.iter().all(|entry| entry.count() == 0) {
        let intervals = entries.len();
        return Err(Refusal::usage(anyhow!(
            "{shown}: there is nothing in it: {intervals} intervals without a value; name the log of a run of which something succeeded"
        )));
    }
    let mut tags: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &entries {
        tags.entry(entry.tag.as_deref().unwrap_or_default()).or_default().push(entry);
    }
    let targets = tags.iter().filter_map(|(tag, entries)| target(tag, entries)).collect();
    let view = LoadView { targets, ..LoadView::default() };
    if arguments.json {
        screen::print(&load_document(&view, Layout::Pretty));
    } else {
        screen::print(&load_report(&view, &screen::table_options(&Detail::default())));
    }
    Ok(Status::Done)
}

fn target(tag: &str, entries: &[&Entry]) -> Option<LoadTarget> {
    let histogram = merged(entries.iter().copied())?;
    let percentiles = PERCENTILES.map(|(name, at)| (name.to_owned(), histogram.value_at_percentile(at)));
    let latency = (!histogram.is_empty()).then(|| LoadLatency {
        percentiles: percentiles.to_vec(),
        curve: [50.0, 75.0, 90.0, 99.0, 99.9, 99.99].map(|at| (at, histogram.value_at_percentile(at))).to_vec(),
        max: histogram.max(),
        mean: histogram.mean(),
    });
    Some(LoadTarget {
        name: if tag.is_empty() { "(no tag)".to_owned() } else { tag.to_owned() },
        duration_s: entries.iter().map(|entry| entry.duration.as_secs_f64()).sum(),
        operations: vec![LoadOperation {
            name: "logged".to_owned(),
            count: histogram.len(),
            latency,
            ..LoadOperation::default()
        }],
        ..LoadTarget::default()
    })
}
