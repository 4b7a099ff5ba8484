//! From what was measured or stored to what a report takes.

use tare_exchange::samples_of;
use tare_languages::of_name;
use tare_results::VariantView;
use tare_samples::{Measurement, Memory, Outcome};
use tare_statistics::{
    Distribution, GivenFigures, Summary, Warning, WarningCode, distribution, estimate, estimate_sequential, untared,
    untared_distribution,
};
use tare_store::{Store, StoreError, StoredVariant};

/// The figures of a measurement; `None` where there is no launch to take them from. `precision` is what was wished for: that it
/// wasn't reached is said.
pub(crate) fn summarise(measurement: &Measurement, precision: Option<f64>) -> Option<Summary> {
    let calibration = measurement.calibration.as_ref()?;
    if measurement.variant.is_imported() {
        return untared(&samples_of(&measurement.launches), &GivenFigures::default(), calibration.iterations);
    }
    let correction = measurement.variant.runtime.correction;
    let mut summary = match precision {
        // Looked at on the way, from nine launches on.
        Some(_) if measurement.launches.len() >= 9 => {
            estimate_sequential(&measurement.launches, calibration, correction)
        }
        _ => estimate(&measurement.launches, calibration, correction),
    };
    if of_name(&measurement.variant.case.language).calls_are_processes {
        // Launches differ as executions do: a process of its own is what each is.
        summary.warnings.retain(|warning| !warning.is(WarningCode::LaunchSpread));
    }
    if let Some(line) = measurement.printed.lines().find(|line| !line.trim().is_empty()) {
        summary.warnings.push(Warning {
            code: WarningCode::Prints.into(),
            message: format!("the code prints while Tare measures it: {line}"),
            remedy:
                "the time includes the cost of printing; if the output is a warning, repair its cause, else don't print in the subject"
                    .to_owned(),
        });
    }
    let reached = summary.time.half_width() / summary.time.estimate.abs();
    if let Some(wanted) = precision.filter(|&wanted| !summary.below_resolution && reached > wanted) {
        summary.warnings.push(Warning {
            code: WarningCode::PrecisionNotReached.into(),
            message: format!(
                "the interval is ±{:.1} % wide, not ±{:.1} % as asked for",
                100.0 * reached,
                100.0 * wanted
            ),
            remedy: "measure longer (--budget) or on a quieter machine, or accept a wider --precision".to_owned(),
        });
    }
    (summary.launches > 0).then_some(summary)
}

/// A measurement with its figures, which are as its launches give them: what runs differ by is added to the intervals here.
pub(crate) fn of_measurement(measurement: Measurement, summary: Option<Summary>) -> VariantView {
    let memory = measurement.launches.iter().fold(Memory::default(), |most, launch| Memory {
        peak_rss_bytes: most.peak_rss_bytes.max(launch.memory.peak_rss_bytes),
        runtime_peak_bytes: most.runtime_peak_bytes.max(launch.memory.runtime_peak_bytes),
    });
    let distribution = spread_of(&measurement);
    VariantView {
        variant: measurement.variant,
        calibration: measurement.calibration,
        outcome: measurement.outcome,
        summary: summary.map(Summary::with_between_runs),
        memory,
        next_run: None,
        distribution,
    }
}

/// Where the samples and launches of a measurement lie; `None` without launches.
pub(crate) fn spread_of(measurement: &Measurement) -> Option<Distribution> {
    let calibration = measurement.calibration.as_ref()?;
    let found = match measurement.variant.is_imported() {
        true => untared_distribution(&samples_of(&measurement.launches)),
        false => distribution(&measurement.launches, calibration, measurement.variant.runtime.correction),
    };
    (!found.launches.is_empty()).then_some(found)
}

/// A stored variant. Figures that an interruption, or another version, has left out are computed from the samples.
pub(crate) fn of_stored(store: &dyn Store, run: &str, stored: StoredVariant) -> Result<VariantView, StoreError> {
    let outcome = stored.outcome.clone().unwrap_or(Outcome::Interrupted);
    let summary = match stored.summary {
        Some(summary) => Some(summary),
        None if stored.launch_count > 0 => summarise(&store.measurement(run, &stored.variant.id)?, None),
        None => None,
    };
    Ok(VariantView {
        variant: stored.variant,
        calibration: stored.calibration,
        outcome,
        summary: summary.map(Summary::with_between_runs),
        memory: stored.memory,
        next_run: None,
        distribution: None,
    })
}
