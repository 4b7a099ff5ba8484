//! Every option with every task: it is refused, or what is asked for differs by it.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches};
use tare_definition::{
    Comparing, Declared, Detail, Keeping, Measuring, Options, Project, Revising, Says, Selection, Settings, Task,
    Telling, name_of,
};
use tare_request::{Request, TypedOptions, again};

/// What is typed for an option that takes a value, by its id: something else than what is usual.
const TYPED: [(&str, &str); 32] = [
    ("paths", "benches"),
    ("filter", "Sort"),
    ("exclude", "Slow"),
    ("group", "fast"),
    ("runtime", "old=php7.4"),
    ("timeout", "3s"),
    ("config", "phpbench.json"),
    ("profile", "ci"),
    ("launches", "7"),
    ("samples", "9"),
    ("calls", "5"),
    ("budget", "7s"),
    ("precision", "7%"),
    ("total", "7m"),
    ("lanes", "3"),
    ("shard", "2/5"),
    ("clock", "microtime"),
    ("cpus", "0,3"),
    ("seed", "77"),
    ("on", "slurm"),
    ("replicate", "3"),
    ("tag", "mine"),
    ("events", "events.jsonl"),
    ("base", "benchOld"),
    ("margin", "2%"),
    ("about", "typical"),
    ("same", "5%"),
    ("fail_on", "slower=4%"),
    ("assert", "mode(variant.time.avg) < 1 ms"),
    ("session", "faster lexer"),
    ("prepare", "make"),
    ("benchmarks", "main"),
];
/// The rest.
const MORE: [(&str, &str); 4] =
    [("measure", "all"), ("why", "Sort"), ("serve", "node server.js {port}"), ("url", "http://127.0.0.1:{port}/")];

/// What is typed for an option and for what it needs. One that stands alone needs no value.
fn typed<O: Options>(option: &Declared) -> Vec<String> {
    let name = name_of::<O>(option.id);
    let command = O::augment_args(Command::new("tare"));
    let argument = command.get_arguments().find(|argument| argument.get_id() == option.id).unwrap();
    let alone = !argument.get_action().takes_values() || argument.is_require_equals_set();
    let needs: &[&str] = match option.id {
        "serve" => &["--url", "http://127.0.0.1/"],
        "url" => &["--serve", "node server.js"],
        "replicate" => &["--on", "slurm"],
        _ => &[],
    };
    let value = TYPED.iter().chain(&MORE).find(|(id, _)| *id == option.id).filter(|_| !alone);
    assert!(alone || value.is_some(), "{}: say here what is typed for it", option.id);
    let words = [Some(name).filter(|name| name.starts_with('-')), value.map(|(_, value)| (*value).to_owned())];
    words.into_iter().flatten().chain(needs.iter().map(|&word| word.to_owned())).collect()
}

fn parsed<O: Args + FromArgMatches>(words: &[String]) -> O {
    let command = O::augment_args(Command::new("tare").no_binary_name(true));
    let matches = command.try_get_matches_from(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    O::from_arg_matches(&matches).unwrap()
}

/// Options that are declared together: what is typed is what is read, is said again as it was typed, and is refused where it doesn't apply.
fn each<O: Options + PartialEq + Debug>(check: impl Fn(&Declared, O)) {
    let mut ids = BTreeSet::new();
    for option in O::DECLARED {
        assert!(ids.insert(option.id) && !option.tasks.is_empty(), "{}", option.id);
        let words = typed::<O>(option);
        let options: O = parsed(&words);
        let given: Vec<String> = options.given().into_iter().flat_map(|given| given.words).collect();
        assert_eq!(parsed::<O>(&given), options, "{}: {given:?} instead of {words:?}", option.id);
        assert_eq!(options.clone().over(&O::default()), options);
        assert_eq!(O::default().over(&options), options, "{}: what is below stands where nothing is typed", option.id);
        for task in Task::ALL {
            let refused = options.refused(task);
            let (applies, name) = (option.tasks.contains(&task), name_of::<O>(option.id));
            // Some need another one, which is then what is refused.
            let refuses =
                refused.as_ref().is_some_and(|refusal| refusal.starts_with("--") || refusal.starts_with(&name));
            assert_eq!(refuses, !applies, "{} with {task:?}: {refused:?}", option.id);
        }
        check(option, options);
    }
}

fn request(asked: &TypedOptions) -> Request {
    let project = Project { root: PathBuf::from("/project"), phpbench: Some(Default::default()), ..Project::default() };
    let measuring = Measuring { seed: asked.measuring.seed.or(Some(1)), ..asked.measuring.clone() };
    // Files of PHPBench's are read, and these don't exist.
    let selection = Selection { config: None, profile: None, ..asked.selection.clone() };
    let asked = TypedOptions { measuring, selection, ..asked.clone() };
    Request::of_run(&asked, &Keeping::default(), &BTreeMap::new(), "/project".into(), &project).unwrap()
}

/// What a request says but for the copy of what was typed.
fn effect(asked: &TypedOptions) -> String {
    format!("{:?}", Request { asked: TypedOptions::default(), ..request(asked) })
}

/// An option of a request changes it, and the command that makes it again.
fn honoured(option: &Declared, asked: &TypedOptions) {
    // Read with what is named, or told by the command line itself.
    let elsewhere = ["config", "profile", "json", "why", "serve", "url"];
    if elsewhere.contains(&option.id) {
        return;
    }
    let nothing = TypedOptions::default();
    assert_ne!(effect(asked), effect(&nothing), "{} changes nothing of a request", option.id);
    let decides = matches!(option.says, Says::Which | Says::How | Says::Judged);
    assert_eq!(again(&request(asked)) != again(&request(&nothing)), decides, "{} and the command again", option.id);
}

#[test]
fn each_option_is_honoured_or_refused() {
    each::<Selection>(|option, selection| honoured(option, &TypedOptions { selection, ..TypedOptions::default() }));
    each::<Measuring>(|option, measuring| honoured(option, &TypedOptions { measuring, ..TypedOptions::default() }));
    each::<Comparing>(|option, comparing| honoured(option, &TypedOptions { comparing, ..TypedOptions::default() }));
    each::<Revising>(|option, revising| honoured(option, &TypedOptions { revising, ..TypedOptions::default() }));
    each::<Keeping>(|_, _| ());
    each::<Telling>(|_, _| ());
    each::<Detail>(|_, _| ());
}

/// A key means in tare.toml what the option means on the command line.
#[test]
fn each_key_is_read_as_its_option_is() {
    fn keys<O: Options + PartialEq>(of: impl Fn(Settings) -> O) {
        for option in O::DECLARED {
            let Some((table, key)) = option.key.and_then(|key| key.split_once('.')) else { continue };
            let words = typed::<O>(option);
            let value = match words.as_slice() {
                [_, value] | [value] if !value.starts_with('-') => format!("'{value}'"),
                _ => "true".to_owned(),
            };
            let text = format!("[{table}]\n{key} = {value}\n");
            let read = Settings::parse("tare.toml".as_ref(), &text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(of(read), parsed::<O>(&words), "{text}");
        }
    }
    keys(|settings| settings.selection);
    keys(|settings| settings.measuring);
    keys(|settings| settings.comparing);
    keys(|settings| settings.revising);
}
