//! What a worker says of its runtime and of a case, as the core keeps it.

use std::collections::BTreeMap;

use tare_frames::{CaseFrame, Hello};
use tare_request::{Request, Sources, relative, text};
use tare_samples::{Case, CaseAssertion, CaseSettings, Correction, Parameters, Runtime, RuntimeCommand, TimeUnit};

use crate::listing::asserted;

/// What the worker said of its runtime.
pub(crate) fn runtime_of(command: &RuntimeCommand, hello: &Hello) -> Runtime {
    Runtime {
        name: command.name.clone(),
        language: hello.language.clone(),
        version: hello.version.clone(),
        command: command.clone(),
        correction: if hello.overlapping { Correction::Overlapping } else { Correction::Serial },
        facts: hello.facts.iter().cloned().collect::<BTreeMap<_, _>>(),
    }
}

pub(super) fn case_of(frame: CaseFrame, language: &str, path: &str) -> Case {
    Case {
        index: frame.case,
        language: language.to_owned(),
        benchmark: frame.benchmark,
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters { name: frame.parameters, values: frame.names.into_iter().zip(frame.values).collect() },
        file: frame.file.unwrap_or_else(|| path.to_owned()),
        line: frame.line.unwrap_or(0),
        groups: frame.groups,
        settings: CaseSettings {
            iterations: frame.iterations,
            samples: frame.samples,
            timeout_ms: frame.timeout_ms,
            unit: frame.unit.as_deref().and_then(TimeUnit::parse),
            skip: frame.skip,
            base: frame.base,
            parallel: frame.parallel,
            assertions: frame.assertions.into_iter().map(|text| CaseAssertion { text, place: String::new() }).collect(),
        },
    }
}

/// What phpbench.json says holds where the source says nothing.
pub(super) fn add_defaults(case: &mut Case, sources: &Sources, request: &Request) {
    asserted::replace(&mut case.settings.assertions, &request.comparing.assert);
    let Some(phpbench) = &sources.project.phpbench else { return };
    let settings = &mut case.settings;
    settings.samples = settings.samples.or_else(|| phpbench.samples.first().copied());
    settings.iterations = settings.iterations.or_else(|| {
        phpbench.iterations.first().map(|calls| match calls {
            tare_samples::Calls::Loop(calls) => *calls,
            _ => 0,
        })
    });
    settings.unit = settings.unit.or(phpbench.time_unit);
    if let (true, Some(place)) = (settings.assertions.is_empty(), &phpbench.assertions_place) {
        let place = format!("{}:{}", relative(&text(&place.file), request), place.line);
        let of = |text: &String| CaseAssertion { text: text.clone(), place: place.clone() };
        settings.assertions = phpbench.assertions.iter().map(of).collect();
    }
}
