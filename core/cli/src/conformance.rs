//! `tare conformance`: does a worker speak the protocol?

use anyhow::anyhow;
use tare_conformance::{Check, KnownFailing, Options, Outcome};

use crate::arguments::ConformanceArguments;
use crate::exit::{Refusal, Status};
use crate::screen;

pub(crate) fn conformance(arguments: &ConformanceArguments) -> Result<Status, Refusal> {
    let known_failing = match &arguments.known_failing {
        Some(path) => {
            let text =
                tare_files::text(path, 1 << 20).map_err(|e| Refusal::usage(anyhow!("{}: {e}", path.display())))?;
            KnownFailing::parse(&text).map_err(|e| Refusal::usage(anyhow!("{}: {e}", path.display())))?
        }
        None => KnownFailing::default(),
    };
    let options = Options { source: arguments.source.clone(), known_failing, ..Options::default() };
    let mut show = |check: &Check| {
        let passed = matches!(check.outcome, Outcome::Passed | Outcome::Skipped(_) | Outcome::KnownFailing { .. });
        if !arguments.json && (arguments.verbose || !passed) {
            screen::print(&tare_report::visible_message(&check.to_string()));
        }
    };
    let report = tare_conformance::run_with(&arguments.worker, &options, &mut show).map_err(Refusal::usage)?;
    if arguments.json {
        let document = report.document(&arguments.worker);
        screen::print(&serde_json::to_string_pretty(&document).map_err(Refusal::failed)?);
    } else {
        for pattern in &report.unmatched {
            screen::print(&format!("the list of known failures has `{pattern}`, which covers no check"));
        }
        screen::print(&report.summary());
    }
    Ok(if report.conforms() { Status::Done } else { Status::Failed })
}
