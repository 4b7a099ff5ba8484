//! From a stored run to a file.

use tare_definition::Project;
use tare_exchange::{EXPORTS, Export, Exported, ExportedVariant, Written, samples_of};
use tare_plan::is_control;
use tare_samples::Measurement;
use tare_statistics::quantile::mean;
use tare_statistics::tared_samples;
use tare_store::Access;

use crate::error::Error;
use crate::judging::runs::{of_run, refuse_load};
use crate::project::open_store;

/// The formats that [`exported`] writes, each with what it is for.
pub const EXPORT_FORMATS: &[Export] = EXPORTS;

/// A stored run, by any name that it has, in that format.
///
/// # Errors
///
/// Where the name stands for no run, the store can't be read, or the format has no place for any of its cases.
pub fn exported(run: &str, format: &Export, project: &Project) -> Result<Written, Error> {
    let store = open_store(project, Access::ReadOnly)?;
    let id = store.resolve(run).map_err(Error::usage)?;
    refuse_load(store.as_ref(), &id)?;
    let view = of_run(&*store, store.run(&id).map_err(Error::failed)?).map_err(Error::failed)?;
    let mut variants = Vec::new();
    // The base measured against itself isn't a case.
    for shown in view.variants.iter().filter(|shown| shown.summary.is_some() && !is_control(&shown.variant)) {
        let measurement = store.measurement(&id, &shown.variant.id).map_err(Error::failed)?;
        let times = times_of(&measurement);
        variants.push(ExportedVariant { view: shown, launches: measurement.launches, times });
    }
    (format.write)(&Exported { view: &view, variants }).map_err(|fault| Error::usage(format!("run {id}{fault}")))
}

/// Of each launch its time and its samples.
fn times_of(measurement: &Measurement) -> Vec<(f64, Vec<f64>)> {
    if measurement.variant.is_imported() {
        let launches = samples_of(&measurement.launches).into_iter();
        return launches.filter_map(|samples| Some((mean(&samples)?, samples))).collect();
    }
    let Some(calibration) = &measurement.calibration else { return Vec::new() };
    tared_samples(&measurement.launches, calibration, measurement.variant.runtime.correction)
}
