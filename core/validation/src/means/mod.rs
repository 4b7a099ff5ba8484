//! Real subjects whose mean cost is another than that of a typical call: collections, growing containers, each so many-th call. What the built
//! `tare` says of them, in turns with means that are measured without it: by `go test`, and by a plain loop in the other languages.

mod pairs;
mod projects;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

pub use pairs::{Language, PAIRS, Pair, Sides};
pub use projects::missing_tool;

use crate::said::{Interval, RunError, access, output};

/// Two subjects, by Tare and without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Mean nanoseconds of a call of base and candidate, measured without Tare: what `go test` says, and CPU time of a plain loop elsewhere.
    pub means: [f64; 2],
    /// CPU time a call of the whole process of `go test`, its end in it: under `GOGC=off` that gives hundreds of megabytes back.
    #[serde(default)]
    pub process_cpu: Option<[f64; 2]>,
    /// `time` of both, where it was told.
    pub times: [Option<f64>; 2],
    /// The ratio that the verdict is about.
    pub ratio: Option<Interval>,
    /// The verdict.
    pub verdict: String,
}

impl Seen {
    /// The ratio of the means.
    pub fn mean_ratio(&self) -> f64 {
        self.means[1] / self.means[0]
    }

    /// By how much each `time` differs from the mean, as fractions.
    pub fn time_errors(&self) -> [Option<f64>; 2] {
        [0, 1].map(|side| self.times[side].map(|time| time / self.means[side] - 1.0))
    }

    /// By how much the ratio differs from that of the means.
    pub fn ratio_error(&self) -> Option<f64> {
        self.ratio.map(|ratio| ratio.estimate / self.mean_ratio() - 1.0)
    }

    /// Whether the ratio's interval holds that of the means.
    pub fn is_held(&self) -> bool {
        self.ratio.is_some_and(|ratio| (ratio.low..=ratio.high).contains(&self.mean_ratio()))
    }
}

/// The projects of all languages and the command.
#[derive(Debug)]
pub struct Means {
    tare: PathBuf,
    folder: PathBuf,
}

impl Means {
    /// Writes the sources of the language below `folder`, and builds what has to be built.
    ///
    /// # Errors
    /// Files that can't be written; a compiler failing.
    pub fn new(language: Language, tare: &Path, folder: &Path) -> Result<Self, RunError> {
        let tare = tare.canonicalize().map_err(access(tare))?;
        std::fs::create_dir_all(folder).map_err(access(folder))?;
        let folder = folder.canonicalize().map_err(access(folder))?;
        projects::write(language, &tare, &folder)?;
        Ok(Self { tare, folder })
    }

    /// Measures a pair: the means without Tare first and last, and Tare in between.
    ///
    /// # Errors
    /// A program failing, or printing something else than expected.
    pub fn measure(&self, pair: &Pair, seed: u64) -> Result<Seen, RunError> {
        let before = self.means(pair)?;
        let printed = output(&mut self.command(pair, seed))?;
        let after = self.means(pair)?;
        let mut seen = parsed(&printed).map_err(|message| RunError::Run {
            command: format!("tare run, {}", pair.meaning),
            status: "success".to_owned(),
            message,
        })?;
        let both = |of: fn(&Mean) -> f64| [0, 1].map(|side| f64::midpoint(of(&before[side]), of(&after[side])));
        seen.means = both(|mean| mean.ns);
        seen.process_cpu = (pair.language == Language::Go).then(|| both(|mean| mean.process_ns));
        Ok(seen)
    }

    fn command(&self, pair: &Pair, seed: u64) -> Command {
        let mut command = Command::new(&self.tare);
        command.args(["run", pair.language.source(), "--json", "--no-store", "--seed", &seed.to_string()]);
        command.current_dir(&self.folder);
        match pair.sides {
            Sides::Subjects { base, candidate } => {
                command.args(["--base", base, "--filter", &format!("(^|[:/])({base}|{candidate})$")]);
                if pair.language == Language::Go {
                    command.args(["--runtime", "one=env GOMAXPROCS=1 go"]);
                }
            }
            Sides::Settings { subject, base, candidate } => {
                command.args(["--filter", &format!("(^|[:/]){subject}$")]);
                command.args(["--runtime", &format!("base=env GOMAXPROCS=1 {base} go")]);
                command.args(["--runtime", &format!("candidate=env GOMAXPROCS=1 {candidate} go")]);
            }
        }
        command
    }

    /// Both sides, measured without Tare.
    fn means(&self, pair: &Pair) -> Result<[Mean; 2], RunError> {
        match pair.sides {
            Sides::Subjects { base, candidate } if pair.language == Language::Go => {
                Ok([self.go_test(pair, base, "GOGC=100")?, self.go_test(pair, candidate, "GOGC=100")?])
            }
            Sides::Settings { subject, base, candidate } => {
                Ok([self.go_test(pair, subject, base)?, self.go_test(pair, subject, candidate)?])
            }
            // Each in a process of its own: where both take turns in one, the one's garbage lies in the memory that the other gets.
            Sides::Subjects { base, candidate } => {
                Ok([self.plain_loop(pair, base)?, self.plain_loop(pair, candidate)?])
            }
        }
    }

    /// A subject, called in a loop by the language's own program, in several processes: addresses and hash seeds make them differ.
    fn plain_loop(&self, pair: &Pair, benchmark: &str) -> Result<Mean, RunError> {
        let turns = pair.turns.div_ceil(PROCESSES);
        let once = || {
            let mut command = pair.language.mean_program();
            command.args([pair.language.subject(benchmark), &pair.calls.to_string(), &turns.to_string()]);
            let printed = output(command.current_dir(&self.folder))?;
            let ns = one_mean(&String::from_utf8_lossy(&printed)).map_err(unreadable(&command))?;
            Ok(Mean { ns, process_ns: f64::NAN })
        };
        Mean::of((0..PROCESSES).map(|_| once()))
    }

    /// `go test` of a benchmark in several processes, less that of an empty one of as many calls. Processes of their own: a second measurement in
    /// one would begin with the heap that the first one left.
    fn go_test(&self, pair: &Pair, subject: &str, setting: &str) -> Result<Mean, RunError> {
        let calls = pair.calls * pair.turns;
        let once = |name: &str| {
            let pattern: Vec<String> = name.split('/').map(|part| format!("^{part}$")).collect();
            let mut command = Command::new("bash");
            // The shell's clock tells what all of the process's threads took.
            command.args(["-c", r#"TIMEFORMAT="cpu %U %S"; { time "$@"; } 2>&1"#, "--"]);
            command.args(["env", "GOMAXPROCS=1", setting, "./means.test", "-test.run", "^$"]);
            command.args(["-test.bench", &pattern.join("/"), "-test.benchtime", &format!("{calls}x")]);
            let printed = output(command.current_dir(&self.folder))?;
            of_go_test(&String::from_utf8_lossy(&printed), calls).map_err(unreadable(&command))
        };
        let run = |name: &str| Mean::of((0..PROCESSES).map(|_| once(name)));
        let (found, empty) = (run(subject)?, run("BenchmarkEmpty")?);
        Ok(Mean { ns: found.ns - empty.ns, process_ns: found.process_ns - empty.process_ns })
    }
}

/// Processes that a mean is measured in each time.
const PROCESSES: u64 = 3;

/// Mean nanoseconds of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mean {
    ns: f64,
    /// CPU time of the whole process; not a number where nobody says.
    process_ns: f64,
}

impl Mean {
    /// That of several processes.
    fn of(processes: impl Iterator<Item = Result<Self, RunError>>) -> Result<Self, RunError> {
        let means = processes.collect::<Result<Vec<Self>, RunError>>()?;
        let mean = |of: fn(&Self) -> f64| means.iter().map(of).sum::<f64>() / means.len() as f64;
        Ok(Self { ns: mean(|mean| mean.ns), process_ns: mean(|mean| mean.process_ns) })
    }
}

fn unreadable(command: &Command) -> impl FnOnce(String) -> RunError {
    let command = format!("{command:?}");
    move |message| RunError::Run { command, status: "success".to_owned(), message }
}

#[derive(Deserialize)]
struct Document {
    cases: Vec<Case>,
    comparisons: Vec<Comparison>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    time: Option<Time>,
}

#[derive(Deserialize)]
struct Time {
    estimate: f64,
}

#[derive(Deserialize)]
struct Comparison {
    base: String,
    candidate: String,
    verdict: String,
    ratio: Option<Interval>,
}

/// What a run with one comparison says; the means are left at 0.
fn parsed(printed: &[u8]) -> Result<Seen, String> {
    let document: Document = serde_json::from_slice(printed).map_err(|error| error.to_string())?;
    let [comparison] = document.comparisons.as_slice() else {
        return Err(format!("{} comparisons instead of one", document.comparisons.len()));
    };
    let time = |id: &str| {
        let case = document.cases.iter().find(|case| case.id == id);
        case.and_then(|case| case.time.as_ref()).map(|time| time.estimate)
    };
    Ok(Seen {
        means: [0.0; 2],
        process_cpu: None,
        times: [time(&comparison.base), time(&comparison.candidate)],
        ratio: comparison.ratio,
        verdict: comparison.verdict.clone(),
    })
}

/// The number that a language's program prints.
fn one_mean(printed: &str) -> Result<f64, String> {
    printed.trim().parse().map_err(|_| format!("a number was expected, not {printed:?}"))
}

/// The mean over the lines `BenchmarkX  N  T ns/op`, and the line `cpu USER SYSTEM` in seconds over all calls.
fn of_go_test(printed: &str, calls: u64) -> Result<Mean, String> {
    let wall = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let unit = words.iter().position(|&word| word == "ns/op").filter(|_| line.starts_with("Benchmark"))?;
        words.get(unit.checked_sub(1)?)?.parse::<f64>().ok()
    };
    let walls: Vec<f64> = printed.lines().filter_map(wall).collect();
    let seconds: Option<Vec<f64>> = printed
        .lines()
        .find_map(|line| line.strip_prefix("cpu "))
        .map(|times| times.split_whitespace().filter_map(|time| time.parse().ok()).collect());
    match seconds.as_deref() {
        Some(&[user, system]) if !walls.is_empty() => Ok(Mean {
            ns: walls.iter().sum::<f64>() / walls.len() as f64,
            process_ns: 1e9 * (user + system) / calls as f64,
        }),
        _ => Err(format!("no figures in {printed:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Mean, Seen, of_go_test, one_mean, parsed};
    use crate::said::Interval;

    #[test]
    fn errors_are_against_the_means_without_tare() {
        let ratio = Some(Interval { estimate: 1.9, low: 1.8, high: 2.0 });
        let seen = Seen {
            means: [100.0, 200.0],
            process_cpu: None,
            times: [Some(101.0), None],
            ratio,
            verdict: "slower".to_owned(),
        };
        assert!((seen.time_errors()[0].unwrap() - 0.01).abs() < 1e-12);
        assert_eq!(seen.time_errors()[1], None);
        assert!((seen.ratio_error().unwrap() + 0.05).abs() < 1e-12);
        assert!(seen.is_held());
        assert!(!Seen { means: [100.0, 205.0], ..seen }.is_held());
    }

    #[test]
    fn both_sides_of_a_run_are_read() {
        let run = br#"{"cases":[{"id":"b","time":{"estimate":2.0}},{"id":"a","time":{"estimate":1.0}},{"id":"c"}],
            "comparisons":[{"base":"a","candidate":"b","verdict":"slower","ratio":null}]}"#;
        let seen = parsed(run).unwrap();
        assert_eq!((seen.times, seen.verdict.as_str()), ([Some(1.0), Some(2.0)], "slower"));
        assert!(parsed(br#"{"cases":[],"comparisons":[]}"#).unwrap_err().contains("0 comparisons"));
    }

    #[test]
    fn means_are_read_from_what_the_programs_print() {
        let printed = "goos: linux\nBenchmarkMake256 \t   20000\t     16900 ns/op\nBenchmarkMake256 \t   20000\t     17100 ns/op\nPASS\n";
        let timed = format!("{printed}cpu 0.600 0.040\n");
        assert_eq!(of_go_test(&timed, 40_000), Ok(Mean { ns: 17_000.0, process_ns: 16_000.0 }));
        assert!(of_go_test(printed, 40_000).is_err() && of_go_test("cpu 0.600 0.040\n", 40_000).is_err());
        assert_eq!(one_mean("1.5\n"), Ok(1.5));
        assert!(one_mean("1.5\n2.5\n").is_err());
        assert!(one_mean("").is_err());
    }
}
