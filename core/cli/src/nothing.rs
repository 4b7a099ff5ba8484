//! Runs in which nothing is measured, and what is said of them.

use std::time::Duration;

use anyhow::anyhow;
use tare_report::{Layout, TableOptions};
use tare_results::{ComparisonsView, RunView};
use tare_samples::Origin;

use crate::enumerate::Found;
use crate::exit::{Refusal, Status};
use crate::failures::describe;
use crate::run::{Job, Wanted};
use crate::{output, screen, views};

/// A revision of a comparison failed, so that no case has a partner: that is reported, and nothing is measured.
pub(crate) fn nothing_compared(
    job: Job,
    found: Found,
    wanted: &Wanted<'_>,
    files: &mut output::Files,
    took: Duration,
) -> Result<Status, Refusal> {
    let status = found.status();
    let view = without_variants(job.origin, found, took);
    output::show(&view, wanted.json, wanted.detail, files)?;
    screen::complain("nothing was compared, and so nothing was measured: a comparison needs both of its sides");
    Ok(status)
}

pub(crate) fn without_variants(origin: Origin, found: Found, took: Duration) -> RunView {
    RunView {
        origin,
        variants: Vec::new(),
        comparisons: ComparisonsView::default(),
        notices: found.notices,
        file_failures: found.failures,
        spent: Some(views::spent(&tare_engine::Spent::default(), took.as_nanos() as u64)),
        stored: false,
    }
}

/// Nothing was found: is that the user's error, or did everything fail?
pub(crate) fn nothing_to_measure(
    job: Job,
    found: Found,
    wanted: &Wanted<'_>,
    files: &mut output::Files,
    took: Duration,
) -> Result<Status, Refusal> {
    let filtered = !job.request.filter.is_empty() || !job.request.group.is_empty();
    if found.failures.is_empty() && !wanted.json {
        let options = screen::table_options(wanted.detail);
        screen::complain_with(&tare_report::notices(&found.notices, &TableOptions { colour: false, ..options }));
    }
    for failure in &found.failures {
        screen::complain(&describe(failure));
    }
    if filtered && !found.failures.is_empty() {
        screen::complain(
            "nothing that could be listed matches --filter and --group; what was asked for may be in what failed",
        );
    }
    let status = (!found.failures.is_empty()).then(|| found.status());
    let view = without_variants(job.origin, found, took);
    if wanted.json {
        screen::print(&tare_report::run_document(&view, Layout::Pretty));
    }
    if status == Some(Status::Failed) {
        files.write(&view)?;
    }
    status.ok_or_else(|| {
        Refusal::usage(if filtered {
            anyhow!("no case matches --filter and --group: a pattern is looked for in `Class::method#parameters` with the namespace, and case matters ((?i) lets it not); `tare list` shows the cases there are")
        } else {
            anyhow!(
                "no benchmark found: the sources have no class with methods that begin with `bench` (PHP), no function `Benchmark…` (Go), none of `bench_…` or a test with \
                 the fixture `benchmark` (Python), no BENCHMARK (C++); operations are for `tare load`; `tare list --verbose` shows what was looked at"
            )
        })
    })
}
