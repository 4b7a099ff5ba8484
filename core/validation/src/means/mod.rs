//! Real subjects whose mean cost is another than that of a typical call: collections, growing containers, each so many-th call. What the built
//! `tare` says of them, in turns with means that are measured without it: by `go test`, and by a plain loop in the other languages.

mod pairs;
mod projects;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

pub use pairs::{Language, PAIRS, Pair, Sides};
pub use projects::missing_tool;

use tare_statistics::mean_interval::student_interval;

use crate::said::{Interval, RunError, access, output};

/// Two subjects, by Tare and without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeansFigures {
    /// Mean nanoseconds of a call of base and candidate, measured without Tare: what `go test` says, and CPU time of a plain loop elsewhere.
    pub means: [f64; 2],
    /// Half-width of the 99 % interval of the logarithm of their ratio, as their turns scatter.
    #[serde(default)]
    pub mean_ratio_error: Option<f64>,
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

impl MeansFigures {
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

    /// Whether both agree within their errors: the ratio of the means lies no farther from the ratio than both half-widths in quadrature.
    pub fn agrees(&self) -> bool {
        self.ratio.is_some_and(|Interval { estimate, low, high }| {
            let mean = self.mean_ratio();
            let end = if mean < estimate { low } else { high };
            (mean / estimate).ln().abs() <= (end / estimate).ln().hypot(self.mean_ratio_error.unwrap_or(0.0))
        })
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
    pub fn measure(&self, pair: &Pair, seed: u64) -> Result<MeansFigures, RunError> {
        let mut turns = self.turns(pair)?;
        let printed = output(&mut self.command(pair, seed))?;
        turns.extend(self.turns(pair)?);
        let mut seen = parsed(&printed).map_err(|message| RunError::Run {
            command: format!("tare run, {}", pair.meaning),
            status: "success".to_owned(),
            message,
        })?;
        let both = |of: fn(&Mean) -> f64| {
            [0, 1].map(|side| turns.iter().map(|turn| of(&turn[side])).sum::<f64>() / turns.len() as f64)
        };
        seen.means = both(|mean| mean.ns);
        let logarithms: Vec<f64> = turns.iter().map(|[base, candidate]| (candidate.ns / base.ns).ln()).collect();
        let interval = student_interval(&logarithms, CONFIDENCE);
        seen.mean_ratio_error = interval.map(|interval| interval.half_width()).filter(|half| half.is_finite());
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

    /// Both sides without Tare, in processes of their own that take turns: a machine that changes its pace within seconds does so for both, and by how much
    /// turns differ the error of the ratio is known. In one process the one's garbage would lie in the memory that the other gets.
    fn turns(&self, pair: &Pair) -> Result<Vec<[Mean; 2]>, RunError> {
        let of = |side: usize| match pair.sides {
            Sides::Subjects { base, candidate } if pair.language == Language::Go => {
                self.go_test(pair, [base, candidate][side], "GOGC=100")
            }
            Sides::Settings { subject, base, candidate } => self.go_test(pair, subject, [base, candidate][side]),
            Sides::Subjects { base, candidate } => self.plain_loop(pair, [base, candidate][side]),
        };
        let turn = |number: usize| {
            let mut means = [Mean::default(); 2];
            for side in if number.is_multiple_of(2) { [0, 1] } else { [1, 0] } {
                means[side] = of(side)?;
            }
            Ok(means)
        };
        (0..TURNS).map(turn).collect()
    }

    /// A subject, called in a loop by the language's own program in a process of its own: addresses and hash seeds are drawn.
    fn plain_loop(&self, pair: &Pair, benchmark: &str) -> Result<Mean, RunError> {
        let mut command = pair.language.mean_program();
        let turns = pair.turns.div_ceil(FEWER).to_string();
        command.args([pair.language.subject(benchmark), &pair.calls.to_string(), &turns]);
        let printed = output(command.current_dir(&self.folder))?;
        let ns = one_mean(&String::from_utf8_lossy(&printed)).map_err(unreadable(&command))?;
        Ok(Mean { ns, process_ns: f64::NAN })
    }

    /// `go test` of a benchmark in a process of its own, less that of an empty one of as many calls. A second measurement in the same one would begin
    /// with the heap that the first one left.
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
        let (found, empty) = (once(subject)?, once("BenchmarkEmpty")?);
        Ok(Mean { ns: found.ns - empty.ns, process_ns: found.process_ns - empty.process_ns })
    }
}

/// Turns before Tare measures, and after it.
const TURNS: usize = 5;
/// A process of a plain loop makes the pair's turns divided by this.
const FEWER: u64 = 3;
/// Of Student's t, two-sided: the interval of a ratio says 99 %.
const CONFIDENCE: f64 = 0.99;

/// Mean nanoseconds of a call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Mean {
    ns: f64,
    /// CPU time of the whole process; not a number where nobody says.
    process_ns: f64,
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
fn parsed(printed: &[u8]) -> Result<MeansFigures, String> {
    let document: Document = serde_json::from_slice(printed).map_err(|error| error.to_string())?;
    let [comparison] = document.comparisons.as_slice() else {
        return Err(format!("{} comparisons instead of one", document.comparisons.len()));
    };
    let time = |id: &str| {
        let case = document.cases.iter().find(|case| case.id == id);
        case.and_then(|case| case.time.as_ref()).map(|time| time.estimate)
    };
    Ok(MeansFigures {
        means: [0.0; 2],
        mean_ratio_error: None,
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
    use super::{Mean, MeansFigures, of_go_test, one_mean, parsed};
    use crate::said::Interval;

    #[test]
    fn errors_are_against_the_means_without_tare() {
        let ratio = Some(Interval { estimate: 1.9, low: 1.8, high: 2.0 });
        let seen = MeansFigures {
            means: [100.0, 200.0],
            mean_ratio_error: None,
            process_cpu: None,
            times: [Some(101.0), None],
            ratio,
            verdict: "slower".to_owned(),
        };
        assert!((seen.time_errors()[0].unwrap() - 0.01).abs() < 1e-12);
        assert_eq!(seen.time_errors()[1], None);
        assert!((seen.ratio_error().unwrap() + 0.05).abs() < 1e-12);
        assert!(seen.is_held());
        assert!(seen.agrees());
        let other = MeansFigures { means: [100.0, 205.0], ..seen };
        assert!(!other.is_held() && !other.agrees());
        // ln(2.05/1.9) is 0.076, the half of the interval above 1.9 is 0.051: 0.057 more in quadrature reach it.
        assert!(MeansFigures { mean_ratio_error: Some(0.057), ..other.clone() }.agrees());
        assert!(!MeansFigures { mean_ratio_error: Some(0.056), ..other }.agrees());
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
