//! The command that makes a run again, from what was asked for.

use tare_definition::{Given, Options, Says};

use crate::request::{Request, TypedOptions};

/// What the next revision is called where both have one name.
const TWICE: &str = " again";

/// `tare run` or `tare compare` with what was typed for it, and the seed. What a file of the project says is not repeated.
///
/// Left out are files that were written and tags: they decide nothing of what is measured.
pub fn again(request: &Request) -> String {
    let TypedOptions { selection, measuring, comparing, revising } = &request.asked;
    let mut words = vec!["tare".to_owned()];
    match request.sides.as_slice() {
        sides @ [_, _, ..] => {
            words.push("compare".to_owned());
            words.extend(sides.iter().map(|side| match side.working_tree {
                true => ".".to_owned(),
                false => side.name.strip_suffix(TWICE).unwrap_or(&side.name).to_owned(),
            }));
        }
        _ => words.push("run".to_owned()),
    }
    let drawn = tare_definition::Measuring { seed: Some(request.settings.seed), ..measuring.clone() };
    for given in [selection.given(), revising.given(), drawn.given(), comparing.given()].into_iter().flatten() {
        words.extend(decides(&given).then_some(given.words).into_iter().flatten());
    }
    shell_words::join(words)
}

/// Whether it decides what is measured, or what is made of it.
fn decides(given: &Given) -> bool {
    matches!(given.option.says, Says::Which | Says::How | Says::Judged)
}

/// `tare profile` of what the request selects, by this tool. Where the files are put isn't said.
pub fn profiled_again(request: &Request, tool: &str) -> String {
    let mut selection = request.asked.selection.clone();
    // A case was added to what is filtered by.
    let case = selection.filter.pop();
    let mut words = vec!["tare".to_owned(), "profile".to_owned()];
    words.extend(selection.given().into_iter().filter(decides).flat_map(|given| given.words));
    words.extend(case.into_iter().flat_map(|case| match case.starts_with('-') {
        true => vec![format!("--case={case}")],
        false => vec!["--case".to_owned(), case],
    }));
    words.extend(["--tool".to_owned(), tool.to_owned()]);
    shell_words::join(words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;
    use std::time::Duration;

    use tare_definition::{
        Comparing, Cpus, Keeping, LaneCount, Measuring, MemoryMode, Project, Revising, Selection, Settings, Shard,
    };
    use tare_samples::{About, Calls};

    use super::{again, profiled_again};
    use crate::request::{Request, TypedOptions};
    use crate::side::Side;

    fn request(asked: &TypedOptions, settings: Settings) -> Request {
        let project = Project { root: PathBuf::from("/project"), settings, ..Project::default() };
        let measuring = Measuring { seed: Some(7), ..asked.measuring.clone() };
        let (asked, folder) = (TypedOptions { measuring, ..asked.clone() }, PathBuf::from("/project"));
        let keeping = Keeping { tag: vec!["mine".into()], ..Keeping::default() };
        Request::of_run(&asked, &keeping, &BTreeMap::new(), folder, &project).unwrap()
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn all_that_decides_what_was_measured_is_said() {
        let selection = Selection {
            paths: vec![PathBuf::from("benches/a.php")],
            filter: words(&["Sort"]),
            exclude: words(&["-slow"]),
            group: words(&["fast ones"]),
            runtime: words(&["old=php7.4"]),
            timeout: Some(Duration::from_secs(3)),
            config: None,
            profile: None,
            json: true,
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
            cpus: Some(Cpus(vec![0, 2, 3])),
            seed: None,
            memory: Some(MemoryMode::Traced),
            work: true,
            isolate: true,
            on: None,
            replicate: None,
        };
        let comparing = Comparing {
            base: Some("benchOld".into()),
            margin: Some(0.02),
            about: Some(About::Typical),
            same: Some(0.05),
            control: true,
            fail_on: Vec::new(),
            assert: words(&["mode(variant.time.avg) < 1 ms"]),
            session: Some("faster lexer".into()),
        };
        let revising = Revising { prepare: Some("composer install".into()), ..Revising::default() };
        let mut request = request(&TypedOptions { selection, measuring, comparing, revising }, Settings::default());
        let side = |name: &str, working_tree| Side { name: name.into(), working_tree, ..Side::default() };
        request.sides = vec![side("main", false), side("work", true)];
        let expected = [
            "tare compare main . benches/a.php --filter Sort --exclude=-slow --group 'fast ones' --runtime 'old=php7.4'",
            "--timeout 3000ms --prepare 'composer install'",
            "--launches 8 --samples 20 --calls auto --calls 0 --calls 100 --interleave --budget 1500000ns --precision 1% --total 60000ms",
            "--lanes auto --shard 2/5 --clock microtime --cpus 0,2,3 --seed 7 --memory=traced --work --isolate",
            "--base benchOld --margin 2% --about typical --same 5% --control --assert 'mode(variant.time.avg) < 1 ms' --session 'faster lexer'",
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
        let request = request(&TypedOptions { selection, ..TypedOptions::default() }, Settings::default());
        let expected =
            "tare profile benches/a.php --filter Sort --runtime 'old=php7.4' --case 'quick sort$' --tool excimer";
        let split = |text: &str| shell_words::split(text).unwrap();
        assert_eq!(split(&profiled_again(&request, "excimer")), split(expected));
    }

    /// What is asked for here goes before it.
    #[test]
    fn phpbenchs_threshold_is_the_precision() {
        let phpbench = tare_definition::Phpbench { retry_threshold: Some(0.05), ..Default::default() };
        let project = Project { root: PathBuf::from("/project"), phpbench: Some(phpbench), ..Project::default() };
        let precision = |precision: Option<f64>| {
            let asked =
                TypedOptions { measuring: Measuring { precision, ..Measuring::default() }, ..TypedOptions::default() };
            let folder = PathBuf::from("/project");
            let request = Request::of_run(&asked, &Keeping::default(), &BTreeMap::new(), folder, &project).unwrap();
            request.settings.precision
        };
        assert_eq!((precision(None), precision(Some(0.01))), (Some(0.05), Some(0.01)));
    }

    #[test]
    fn what_nobody_typed_is_not_said() {
        let mut file = Settings::default();
        file.measuring.launches = Some(9);
        file.comparing.margin = Some(0.02);
        let request = request(&TypedOptions::default(), file);
        assert_eq!((request.settings.launches, request.settings.margin), (Some(9), 0.02));
        assert_eq!(again(&request), "tare run --seed 7");
    }

    #[test]
    fn a_file_s_budget_is_not_made_one_of_comparisons() {
        let mut file = Settings::default();
        file.measuring.budget = Some(Duration::from_secs(3));
        let of_file = request(&TypedOptions::default(), file.clone());
        assert_eq!(of_file.settings.comparison_budget, Duration::from_secs(6));
        assert_eq!(again(&of_file), "tare run --seed 7");
        let measuring = Measuring { budget: Some(Duration::from_secs(2)), ..Measuring::default() };
        let typed = request(&TypedOptions { measuring, ..TypedOptions::default() }, file);
        assert_eq!(typed.settings.comparison_budget, Duration::from_secs(2));
        assert_eq!(again(&typed), "tare run --budget 2000ms --seed 7");
    }
}
