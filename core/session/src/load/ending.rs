//! How a load ended.

use tare_results::{LoadTarget, LoadView};
use tare_statistics::WarningCode;

use crate::judging::gate::{Concluded, Ending};
use crate::load::asked::{LoadEnd, LoadRan};

/// `failed`: something else of it failed than what the view shows.
pub(crate) fn ended(view: LoadView, gated: Concluded, failed: bool) -> LoadRan {
    let nothing = |target: &LoadTarget| {
        let gone = target.warnings.iter().any(|warning| warning.is(WarningCode::StoppedAnswering));
        gone || target.has_failed() || target.operations.iter().all(|operation| operation.latency.is_none())
    };
    let end = if view.interrupted {
        LoadEnd::Interrupted
    } else if gated.ending == Ending::Tripped {
        LoadEnd::Judged(gated)
    } else if failed || view.targets.iter().any(nothing) {
        LoadEnd::Failed
    } else {
        LoadEnd::Judged(gated)
    };
    LoadRan { view, end, can_resume: false }
}
