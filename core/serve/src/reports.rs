//! A stored run as its report shows it.

use tare_definition::Project;
use tare_session::{Shown, stored_report, stored_shown};

use crate::data::Lack;

/// The page of a stored run or load, which stands alone.
pub(crate) fn shown(project: &Project, id: &str) -> Result<String, Lack> {
    let failed = |error: tare_session::Error| Lack::Store(error.to_string());
    let names = [id.to_owned()];
    Ok(match stored_shown(&names, project).map_err(failed)?.pop() {
        Some((_, Shown::Load(view))) => tare_report::load_page(&view),
        _ => tare_report::html_page(&stored_report(&names, project).map_err(failed)?),
    })
}
