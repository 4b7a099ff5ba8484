//! The command that makes a run again, from what was asked for.

use std::path::Path;

use tare_plan::Settings;
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
    for (name, values) in [
        ("--filter", &request.filter),
        ("--exclude", &request.exclude),
        ("--group", &request.group),
        ("--runtime", &request.runtime_arguments),
        ("--assert", &request.assertions),
    ] {
        for value in values {
            option(name, Some(value.clone()));
        }
    }
    let choice = request.choice();
    option("--config", choice.file.map(|file| relative(&file, &request.folder)));
    option("--profile", choice.profile);
    let settings = &request.settings;
    option("--launches", settings.launches.map(|launches| launches.to_string()));
    option("--samples", settings.samples.map(|samples| samples.to_string()));
    let calls: Vec<String> = settings.calls.iter().map(|calls| number(*calls)).collect();
    option("--calls", (!calls.is_empty()).then(|| calls.join(",")));
    option("--budget", settings.budget_given.then(|| format!("{}ms", settings.budget.as_millis())));
    option("--total", settings.total.map(|total| format!("{}ms", total.as_millis())));
    option("--lanes", request.lanes.map(|lanes| lanes.to_string()));
    option("--shard", request.part.as_ref().map(|part| part.shard.to_string()));
    option("--precision", settings.precision.map(as_percentage));
    option("--clock", settings.clock.clone());
    option("--base", request.base.clone());
    let usual = Settings::default();
    option("--margin", (settings.margin != usual.margin).then(|| as_percentage(settings.margin)));
    option("--about", (settings.about != usual.about).then(|| settings.about.name().to_owned()));
    option("--mean-bound", (settings.mean_bound != usual.mean_bound).then(|| as_percentage(settings.mean_bound)));
    option("--seed", Some(settings.seed.to_string()));
    let flags = [
        ("--interleave", settings.interleave),
        ("--control", request.control),
        ("--memory", request.memory == Some(MemoryMode::Weighed)),
        ("--memory=traced", request.memory == Some(MemoryMode::Traced)),
        ("--instructions", request.instructions),
        ("--isolate", request.isolate),
    ];
    words.extend(flags.iter().filter(|(_, given)| *given).map(|(name, _)| (*name).to_owned()));
    shell_words::join(words)
}

/// A fraction as options take it: 0.03 is `3%`, whatever its binary expansion.
pub fn as_percentage(fraction: f64) -> String {
    let text = format!("{:.6}", fraction * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
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
