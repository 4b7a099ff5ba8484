//! The command that makes a run again, from what was asked for.

use std::path::Path;
use std::time::Duration;

use tare_plan::Settings;
use tare_samples::Calls;

use crate::options::MemoryMode;
use crate::request::Request;
use crate::values::as_percentage;

/// What the next revision is called where both have one name.
const TWICE: &str = " again";

/// `tare run` or `tare compare` with the options that decide what was measured and how it is judged, the seed among them. Paths are relative to
/// where it was asked.
///
/// Left out are files that were written and tags: they decide nothing of what is measured. So is what no option says as a file of the project
/// does; and margin, bound and subject of verdicts where they are the usual ones.
pub fn again(request: &Request) -> String {
    // Each field is named, so that a new one has to be decided.
    let Request {
        folder,
        paths,
        filter,
        exclude,
        group,
        runtime_arguments,
        resolved: _,
        runtimes: _,
        settings,
        sides,
        prepare,
        benchmarks,
        base,
        control,
        measure_all,
        fail_on,
        assertions,
        remarks: _,
        config,
        phpbench_profile,
        reports: _,
        markdown: _,
        junit: _,
        cpus,
        lanes,
        memory,
        instructions,
        isolate,
        part,
        tags: _,
        fingerprints: _,
        named: _,
    } = request;
    let mut words = Words(vec!["tare".into()]);
    match sides.as_slice() {
        sides @ [_, _, ..] => {
            words.0.push("compare".into());
            words.0.extend(sides.iter().map(|side| match side.working_tree {
                true => ".".to_owned(),
                false => side.name.strip_suffix(TWICE).unwrap_or(&side.name).to_owned(),
            }));
        }
        _ => words.0.push("run".into()),
    }
    words.0.extend(paths.iter().map(|path| relative(path, folder)));
    words.each(&[
        ("--filter", filter),
        ("--exclude", exclude),
        ("--group", group),
        ("--runtime", runtime_arguments),
        ("--assert", assertions),
        // A percentage that is stated decides when it is enough.
        ("--fail-on", fail_on),
    ]);
    words.option("--config", config.as_ref().map(|file| relative(file, folder)));
    words.option("--profile", phpbench_profile.clone());
    words.option("--prepare", prepare.as_ref().map(|preparation| preparation.command.clone()));
    words.option("--benchmarks", benchmarks.clone());
    words.option("--measure", measure_all.then(|| "all".to_owned()));
    words.settings(settings);
    words.option("--lanes", lanes.map(|lanes| lanes.to_string()));
    words.option("--shard", part.as_ref().map(|part| part.shard.to_string()));
    let cpus: Vec<String> = cpus.iter().map(ToString::to_string).collect();
    words.option("--cpus", (!cpus.is_empty()).then(|| cpus.join(",")));
    words.option("--base", base.clone());
    let flags = [
        ("--interleave", settings.interleave),
        ("--control", *control),
        ("--memory", *memory == Some(MemoryMode::Weighed)),
        ("--memory=traced", *memory == Some(MemoryMode::Traced)),
        ("--instructions", *instructions),
        ("--isolate", *isolate),
    ];
    words.0.extend(flags.iter().filter(|(_, given)| *given).map(|(name, _)| (*name).to_owned()));
    shell_words::join(words.0)
}

/// `tare profile` of what the request selects, by this tool. Paths are relative to where it was asked; where the files are put isn't said.
pub fn profiled_again(request: &Request, tool: &str) -> String {
    let Request {
        folder, paths, filter, exclude, group, runtime_arguments, config, phpbench_profile, settings, ..
    } = request;
    let mut words = Words(vec!["tare".into(), "profile".into()]);
    words.0.extend(paths.iter().map(|path| relative(path, folder)));
    // A case was added to what is filtered by.
    if let Some((case, filter)) = filter.split_last() {
        words.each(&[("--filter", filter)]);
        words.option("--case", Some(case.clone()));
    }
    words.each(&[("--exclude", exclude), ("--group", group), ("--runtime", runtime_arguments)]);
    words.option("--config", config.as_ref().map(|file| relative(file, folder)));
    words.option("--profile", phpbench_profile.clone());
    words.option("--timeout", settings.timeout_given.then(|| span(settings.timeout)));
    words.option("--tool", Some(tool.to_owned()));
    shell_words::join(words.0)
}

struct Words(Vec<String>);

impl Words {
    fn each(&mut self, options: &[(&str, &[String])]) {
        for (name, values) in options {
            values.iter().for_each(|value| self.option(name, Some(value.clone())));
        }
    }

    fn option(&mut self, name: &str, value: Option<String>) {
        match value {
            // By itself it would be read as an option.
            Some(value) if value.starts_with('-') => self.0.push(format!("{name}={value}")),
            Some(value) => self.0.extend([name.to_owned(), value]),
            None => {}
        }
    }

    fn settings(&mut self, settings: &Settings) {
        let Settings {
            launches,
            samples,
            calls,
            interleave: _,
            budget,
            budget_given,
            precision,
            comparison_budget,
            total,
            margin,
            about,
            same,
            family: _,
            clock,
            seed,
            timeout,
            timeout_given,
        } = settings;
        self.option("--launches", launches.map(|launches| launches.to_string()));
        self.option("--samples", samples.map(|samples| samples.to_string()));
        let calls: Vec<String> = calls.iter().map(|calls| number(*calls)).collect();
        self.option("--calls", (!calls.is_empty()).then(|| calls.join(",")));
        // The option is a comparison's budget, too. Where that is another, tare.toml says both.
        self.option("--budget", (*budget_given && comparison_budget == budget).then(|| span(*budget)));
        self.option("--total", total.map(span));
        self.option("--precision", precision.map(as_percentage));
        self.option("--clock", clock.clone());
        self.option("--timeout", timeout_given.then(|| span(*timeout)));
        let usual = Settings::default();
        self.option("--margin", (*margin != usual.margin).then(|| as_percentage(*margin)));
        self.option("--about", (*about != usual.about).then(|| about.name().to_owned()));
        self.option("--same", (*same != usual.same).then(|| as_percentage(*same)));
        self.option("--seed", Some(seed.to_string()));
    }
}

/// A length of time as options take it, exactly.
fn span(duration: Duration) -> String {
    match duration.subsec_nanos() % 1_000_000 {
        0 => format!("{}ms", duration.as_millis()),
        _ => format!("{}ns", duration.as_nanos()),
    }
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use tare_definition::{PhpbenchChoice, Project, Settings};
    use tare_samples::{About, Calls};

    use super::{again, profiled_again};
    use crate::options::{Comparing, LaneCount, Measuring, MemoryMode, Selection};
    use crate::part::Shard;
    use crate::request::Request;
    use crate::side::{Preparation, Side};

    fn asked(selection: &Selection, measuring: Measuring, comparing: &Comparing, settings: Settings) -> Request {
        let project = Project { root: PathBuf::from("/project"), settings, ..Project::default() };
        let measuring = Measuring { seed: Some(7), ..measuring };
        Request::of_run(selection, &measuring, comparing, PathBuf::from("/project"), &project).unwrap()
    }

    #[test]
    fn all_that_decides_what_was_measured_is_said() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let selection = Selection {
            paths: vec![PathBuf::from("benches/a.php")],
            filter: words(&["Sort"]),
            exclude: words(&["-slow"]),
            group: words(&["fast ones"]),
            runtime: words(&["old=php7.4"]),
            timeout: Some(Duration::from_secs(3)),
            phpbench: PhpbenchChoice::default(),
        };
        let measuring = Measuring {
            launches: Some(8),
            samples: Some(20),
            calls: vec![Calls::Pilot, Calls::Bare, Calls::Loop(100)],
            interleave: true,
            budget: Some(Duration::from_micros(1_500)),
            total: Some(Duration::from_secs(60)),
            lanes: Some(LaneCount::Auto),
            shard: Some(Shard { number: 2, of: 5 }),
            precision: Some(0.01),
            clock: Some("microtime".into()),
            cpus: Some(vec![0, 2, 3]),
            seed: None,
            tags: words(&["mine"]),
            memory: Some(MemoryMode::Traced),
            instructions: true,
            isolate: true,
        };
        let comparing = Comparing {
            base: Some("benchOld".into()),
            margin: Some(0.02),
            about: Some(About::Typical),
            same: Some(0.05),
            control: true,
            assertions: words(&["mode(variant.time.avg) < 1 ms"]),
            ..Comparing::default()
        };
        let mut request = asked(&selection, measuring, &comparing, Settings::default());
        request.config = Some(PathBuf::from("/project/ci/phpbench.json"));
        request.phpbench_profile = Some("ci".into());
        let side = |name: &str, working_tree| Side { name: name.into(), working_tree, ..Side::default() };
        request.sides = vec![side("main", false), side("work", true)];
        request.prepare = Some(Preparation { command: "composer install".into(), limit_ms: 1 });
        let expected = [
            "tare compare main . benches/a.php --filter Sort --exclude=-slow --group 'fast ones' --runtime 'old=php7.4'",
            "--assert 'mode(variant.time.avg) < 1 ms' --config ci/phpbench.json --profile ci --prepare 'composer install'",
            "--launches 8 --samples 20 --calls auto,0,100 --budget 1500000ns --total 60000ms --precision 1% --clock microtime",
            "--timeout 3000ms --margin 2% --about typical --same 5% --seed 7 --lanes auto --shard 2/5 --cpus 0,2,3",
            "--base benchOld --interleave --control --memory=traced --instructions --isolate",
        ];
        let split = |text: &str| shell_words::split(text).unwrap();
        assert_eq!(split(&again(&request)), split(&expected.join(" ")));
    }

    #[test]
    fn a_profile_is_made_again_of_the_case_that_was_named() {
        let selection = Selection {
            paths: vec![PathBuf::from("benches/a.php")],
            filter: vec!["Sort".into(), "quick sort$".into()],
            runtime: vec!["old=php7.4".into()],
            ..Selection::default()
        };
        let request = asked(&selection, Measuring::default(), &Comparing::default(), Settings::default());
        let expected =
            "tare profile benches/a.php --filter Sort --case 'quick sort$' --runtime 'old=php7.4' --tool excimer";
        let split = |text: &str| shell_words::split(text).unwrap();
        assert_eq!(split(&profiled_again(&request, "excimer")), split(expected));
    }

    /// What is asked for here goes before it.
    #[test]
    fn phpbenchs_threshold_is_the_precision() {
        let phpbench = tare_definition::Phpbench { retry_threshold: Some(0.05), ..Default::default() };
        let project = Project { root: PathBuf::from("/project"), phpbench: Some(phpbench), ..Project::default() };
        let precision = |precision: Option<f64>| {
            let measuring = Measuring { seed: Some(7), precision, ..Measuring::default() };
            let (selection, folder) = (Selection::default(), PathBuf::from("/project"));
            Request::of_run(&selection, &measuring, &Comparing::default(), folder, &project).unwrap().settings.precision
        };
        assert_eq!((precision(None), precision(Some(0.01))), (Some(0.05), Some(0.01)));
    }

    #[test]
    fn what_nobody_said_is_not_said() {
        let request = asked(&Selection::default(), Measuring::default(), &Comparing::default(), Settings::default());
        assert_eq!(again(&request), "tare run --seed 7");
    }

    #[test]
    fn a_file_s_budget_is_not_made_one_of_comparisons() {
        let mut file = Settings::default();
        file.run.budget = Some(Duration::from_secs(3));
        let request = asked(&Selection::default(), Measuring::default(), &Comparing::default(), file.clone());
        assert_eq!(request.settings.comparison_budget, Duration::from_secs(6));
        assert_eq!(again(&request), "tare run --seed 7");
        let given = Measuring { budget: Some(Duration::from_secs(2)), ..Measuring::default() };
        let request = asked(&Selection::default(), given, &Comparing::default(), file);
        assert_eq!(again(&request), "tare run --budget 2000ms --seed 7");
    }
}
