//! The command that makes a run again, from what was asked for.

use std::path::Path;

use tare_samples::Calls;

use crate::options::MemoryMode;
use crate::request::Request;

/// What the next revision is called where both have one name.
const TWICE: &str = " again";

/// `tare run` or `tare compare` with the options that decide what was measured, the seed among them. Paths are relative to where it was asked;
/// files that were written and tags are left out.
pub fn again(request: &Request) -> String {
    let mut words: Vec<String> = vec!["tare".into()];
    match request.sides.as_slice() {
        sides @ [_, _, ..] => {
            words.push("compare".into());
            words.extend(sides.iter().map(|side| match side.working_tree {
                true => ".".to_owned(),
                false => side.name.strip_suffix(TWICE).unwrap_or(&side.name).to_owned(),
            }));
        }
        _ => words.push("run".into()),
    }
    words.extend(request.paths.iter().map(|path| relative(path, &request.folder)));
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.push(name.to_owned());
            words.push(value);
        }
    };
    for (name, values) in
        [("--filter", &request.filter), ("--group", &request.group), ("--runtime", &request.runtime_arguments)]
    {
        for value in values {
            option(name, Some(value.clone()));
        }
    }
    let settings = &request.settings;
    option("--launches", settings.launches.map(|launches| launches.to_string()));
    option("--samples", settings.samples.map(|samples| samples.to_string()));
    let calls: Vec<String> = settings.calls.iter().map(|calls| number(*calls)).collect();
    option("--calls", (!calls.is_empty()).then(|| calls.join(",")));
    option("--budget", settings.budget_given.then(|| format!("{}ms", settings.budget.as_millis())));
    option("--precision", settings.precision.map(|part| format!("{}%", part * 100.0)));
    option("--clock", settings.clock.clone());
    option("--base", request.base.clone());
    option("--seed", Some(settings.seed.to_string()));
    let flags = [
        ("--interleave", settings.interleave),
        ("--control", request.control),
        ("--memory", request.memory == Some(MemoryMode::Weighed)),
        ("--memory=traced", request.memory == Some(MemoryMode::Traced)),
        ("--instructions", request.instructions),
    ];
    words.extend(flags.iter().filter(|(_, given)| *given).map(|(name, _)| (*name).to_owned()));
    shell_words::join(words)
}

fn relative(path: &Path, folder: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
        Ok(rest) => rest.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

fn number(calls: Calls) -> String {
    match calls {
        Calls::Pilot => "auto".to_owned(),
        Calls::Loop(calls) => calls.to_string(),
        Calls::Bare => "0".to_owned(),
    }
}
