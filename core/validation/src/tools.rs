//! Other tools on the same work, in the same session. Each is used as its documentation shows it, with default thresholds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::php::{BASE_TURNS, work};

/// A tool, and the benchmarks that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// benchstat on ten PHP processes of each, one after the other.
    BenchstatPhp,
    /// benchstat on `go test -bench -count 10`.
    BenchstatGo,
    /// hyperfine on the two PHP commands.
    Hyperfine,
    /// Criterion against a stored baseline, in Rust.
    Criterion,
}

/// All of them.
pub const TOOLS: [Tool; 4] = [Tool::BenchstatPhp, Tool::BenchstatGo, Tool::Hyperfine, Tool::Criterion];

impl Tool {
    /// As it stands on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::BenchstatPhp => "benchstat, PHP, count 10",
            Self::BenchstatGo => "benchstat, Go, count 10",
            Self::Hyperfine => "hyperfine, PHP commands",
            Self::Criterion => "Criterion, Rust, stored baseline",
        }
    }

    /// What counts as a claim of a difference.
    pub fn claim(self) -> &'static str {
        match self {
            Self::BenchstatPhp | Self::BenchstatGo => "a percentage instead of `~` (Mann-Whitney, p < 0.05)",
            Self::Hyperfine => "a ratio in the summary that is further from 1 than its own ±",
            Self::Criterion => {
                "\"has regressed\" or \"has improved\" (p < 0.05, and beyond its noise threshold of 1 %)"
            }
        }
    }
}

/// What a tool said of one comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The ratio of the candidate to the base that it claims to be different; `None` where it claims none.
    pub difference: Option<f64>,
    /// Both measurements and the verdict, in milliseconds.
    pub took_ms: f64,
}

/// A tool that can't be had or doesn't do what it is known to.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(String);

fn run(command: &mut Command) -> Result<String, ToolError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| ToolError(format!("{name}: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.trim().lines().last().unwrap_or("nothing").to_owned();
        return Err(ToolError(format!("{name} ended with {}: {last}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn write(path: &Path, text: &str) -> Result<(), ToolError> {
    let failed = |error: std::io::Error| ToolError(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

/// A tool that is there, with its files in a folder of its own.
#[derive(Debug)]
pub struct Ready {
    tool: Tool,
    program: PathBuf,
    folder: PathBuf,
    /// As the tool says, or as it was asked for.
    pub version: String,
}

impl Ready {
    /// Finds the tool on the PATH or below `folder`, or installs it there, and builds its benchmarks.
    pub fn new(tool: Tool, folder: &Path) -> Result<Self, ToolError> {
        std::fs::create_dir_all(folder).map_err(|error| ToolError(format!("{}: {error}", folder.display())))?;
        let folder = folder.canonicalize().map_err(|error| ToolError(format!("{}: {error}", folder.display())))?;
        let bin = folder.join("bin");
        let (program, version) = match tool {
            Tool::BenchstatPhp | Tool::BenchstatGo => {
                let program = bin.join("benchstat");
                if !program.exists() {
                    run(Command::new("go")
                        .args(["install", "golang.org/x/perf/cmd/benchstat@latest"])
                        .env("GOBIN", &bin))?;
                }
                let facts = run(Command::new("go").arg("version").arg("-m").arg(&program))?;
                let version =
                    facts.lines().find_map(|line| line.trim().strip_prefix("mod")).unwrap_or("").trim().to_owned();
                (program, version.split_whitespace().nth(1).unwrap_or("unknown").to_owned())
            }
            Tool::Hyperfine => {
                let installed = bin.join("hyperfine");
                let found = run(Command::new("hyperfine").arg("--version"));
                let program = if found.is_ok() { PathBuf::from("hyperfine") } else { installed };
                if found.is_err() && !program.exists() {
                    // The newest one for the Rust version of this workspace.
                    let install = ["install", "--quiet", "--locked", "hyperfine@1.20.0", "--root"];
                    run(Command::new("cargo")
                        .args(install)
                        .arg(&folder)
                        .env("CARGO_TARGET_DIR", folder.join("build")))?;
                }
                let version = run(Command::new(&program).arg("--version"))?;
                (program, version.trim().to_owned())
            }
            Tool::Criterion => (PathBuf::from("cargo"), String::new()),
        };
        let mut ready = Self { tool, program, folder, version };
        match tool {
            Tool::BenchstatPhp | Tool::Hyperfine => ready.write_php()?,
            Tool::BenchstatGo => ready.build_go()?,
            Tool::Criterion => ready.build_criterion()?,
        }
        Ok(ready)
    }

    /// Measures the base and then a candidate of `turns`, and reads what the tool says.
    pub fn compare(&self, turns: u32) -> Result<Claim, ToolError> {
        let begun = Instant::now();
        let difference = match self.tool {
            Tool::BenchstatPhp => self.benchstat(|turns| self.php_lines(turns), turns)?,
            Tool::BenchstatGo => self.benchstat(|turns| self.go_lines(turns), turns)?,
            Tool::Hyperfine => self.hyperfine(turns)?,
            Tool::Criterion => self.criterion(turns)?,
        };
        Ok(Claim { difference, took_ms: begun.elapsed().as_secs_f64() * 1e3 })
    }

    /// One process: calls of the work for 50 ms after as many to warm up; says the mean of a call as a Go benchmark would.
    fn write_php(&self) -> Result<(), ToolError> {
        let body = work(BASE_TURNS).replace(&BASE_TURNS.to_string(), "$turns");
        write(
            &self.folder.join("work.php"),
            &format!(
                "<?php\nfunction work(int $turns): void {{ {body} }}\n\
                 $turns = (int) $argv[1];\n$calls = (int) ($argv[2] ?? 500);\n\
                 for ($call = 0; $call < $calls; ++$call) {{ work($turns); }}\n\
                 $begun = hrtime(true);\nfor ($call = 0; $call < $calls; ++$call) {{ work($turns); }}\n\
                 printf(\"BenchmarkWork %d %.1f ns/op\\n\", $calls, (hrtime(true) - $begun) / $calls);\n"
            ),
        )
    }

    fn php_lines(&self, turns: u32) -> Result<String, ToolError> {
        (0..10).map(|_| run(Command::new("php").arg(self.folder.join("work.php")).arg(turns.to_string()))).collect()
    }

    fn build_go(&self) -> Result<(), ToolError> {
        let folder = self.folder.join("go");
        write(&folder.join("go.mod"), "module loop\n\ngo 1.21\n")?;
        write(
            &folder.join("work_test.go"),
            "package work\n\nimport (\n\t\"os\"\n\t\"strconv\"\n\t\"testing\"\n)\n\nvar sink int\n\n\
             func BenchmarkWork(b *testing.B) {\n\tturns, _ := strconv.Atoi(os.Getenv(\"TURNS\"))\n\
             \tfor n := 0; n < b.N; n++ {\n\t\tx := 1\n\t\tfor i := 0; i < turns; i++ {\n\t\t\tx = (x*31 + i) & 0xffff\n\t\t}\n\
             \t\tsink = x\n\t}\n}\n",
        )?;
        run(Command::new("go").args(["test", "-c", "-o", "work.test"]).current_dir(&folder)).map(drop)
    }

    fn go_lines(&self, turns: u32) -> Result<String, ToolError> {
        let folder = self.folder.join("go");
        run(Command::new(folder.join("work.test"))
            .args(["-test.run", "^$", "-test.bench", ".", "-test.count", "10", "-test.benchtime", "100ms"])
            .env("TURNS", turns.to_string())
            .current_dir(&folder))
    }

    fn benchstat(
        &self,
        lines: impl Fn(u32) -> Result<String, ToolError>,
        turns: u32,
    ) -> Result<Option<f64>, ToolError> {
        let (base, candidate) = (self.folder.join("base.txt"), self.folder.join("candidate.txt"));
        write(&base, &lines(BASE_TURNS)?)?;
        write(&candidate, &lines(turns)?)?;
        read_benchstat(&run(Command::new(&self.program).args(["-format", "csv"]).args([&base, &candidate]))?)
    }

    fn hyperfine(&self, turns: u32) -> Result<Option<f64>, ToolError> {
        let json = self.folder.join("hyperfine.json");
        let script = self.folder.join("work.php");
        let command = |turns: u32| format!("php '{}' {turns} 250", script.display());
        run(Command::new(&self.program)
            .args(["-N", "--warmup", "3", "--style", "none", "--export-json"])
            .arg(&json)
            .args([command(BASE_TURNS), command(turns)]))?;
        let text = std::fs::read_to_string(&json).map_err(|error| ToolError(format!("{}: {error}", json.display())))?;
        read_hyperfine(&text)
    }

    fn build_criterion(&mut self) -> Result<(), ToolError> {
        let folder = self.folder.join("criterion");
        write(
            &folder.join("Cargo.toml"),
            "[package]\nname = \"turns\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dev-dependencies]\n\
             criterion = { version = \"0.8\", default-features = false, features = [\"cargo_bench_support\"] }\n\n\
             [[bench]]\nname = \"turns\"\nharness = false\n",
        )?;
        write(&folder.join("src/lib.rs"), "")?;
        write(
            &folder.join("benches/turns.rs"),
            "use criterion::{black_box, criterion_group, criterion_main, Criterion};\n\n\
             fn work(turns: u32) -> u32 {\n    let mut x = 1u32;\n    for i in 0..turns {\n        \
             x = black_box(x.wrapping_mul(31).wrapping_add(i) & 0xffff);\n    }\n    x\n}\n\n\
             fn bench(c: &mut Criterion) {\n    let turns: u32 = std::env::var(\"TURNS\").unwrap().parse().unwrap();\n    \
             c.bench_function(\"turns\", |b| b.iter(|| work(black_box(turns))));\n}\n\n\
             criterion_group!(benches, bench);\ncriterion_main!(benches);\n",
        )?;
        self.bench(&["--no-run"], BASE_TURNS)?;
        let lock = std::fs::read_to_string(folder.join("Cargo.lock")).unwrap_or_default();
        let after = lock.split("name = \"criterion\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
        self.version = after.unwrap_or("unknown").to_owned();
        Ok(())
    }

    fn bench(&self, arguments: &[&str], turns: u32) -> Result<String, ToolError> {
        let folder = self.folder.join("criterion");
        run(Command::new("cargo")
            .args(["bench", "--quiet", "--bench", "turns"])
            .args(arguments)
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .env("TURNS", turns.to_string()))
    }

    fn criterion(&self, turns: u32) -> Result<Option<f64>, ToolError> {
        self.bench(&["--", "--noplot", "--save-baseline", "base"], BASE_TURNS)?;
        let said = self.bench(&["--", "--noplot", "--baseline", "base"], turns)?;
        let path = self.folder.join("criterion/target/criterion/turns/change/estimates.json");
        let text = std::fs::read_to_string(&path).map_err(|error| ToolError(format!("{}: {error}", path.display())))?;
        read_criterion(&said, &text)
    }
}

/// The change of the first row of `benchstat -format csv`.
fn read_benchstat(csv: &str) -> Result<Option<f64>, ToolError> {
    let mut column = None;
    for line in csv.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        if let Some(found) = cells.iter().position(|cell| *cell == "vs base") {
            column = Some(found);
        } else if let (Some(column), true) = (column, cells[0].starts_with("Work")) {
            let change = cells.get(column).copied().unwrap_or_default();
            if change == "~" {
                return Ok(None);
            }
            let percent = change.strip_suffix('%').and_then(|percent| percent.parse::<f64>().ok());
            return percent
                .map(|percent| Some(1.0 + percent / 100.0))
                .ok_or_else(|| ToolError(format!("benchstat says `{change}` of the change")));
        }
    }
    Err(ToolError("benchstat's table has no row of the benchmark".to_owned()))
}

/// The ratio of the two means with the error that hyperfine gives it in its summary: relative errors added in squares.
fn read_hyperfine(json: &str) -> Result<Option<f64>, ToolError> {
    #[derive(Deserialize)]
    struct Document {
        results: Vec<Timing>,
    }
    #[derive(Deserialize)]
    struct Timing {
        mean: f64,
        stddev: Option<f64>,
    }
    let document: Document =
        serde_json::from_str(json).map_err(|error| ToolError(format!("hyperfine's document: {error}")))?;
    let [base, candidate] = document.results.as_slice() else {
        return Err(ToolError("hyperfine's document hasn't two results".to_owned()));
    };
    let ratio = candidate.mean / base.mean;
    let relative = |timing: &Timing| timing.stddev.unwrap_or(0.0) / timing.mean;
    let error = ratio * relative(base).hypot(relative(candidate));
    Ok(((ratio - 1.0).abs() > error).then_some(ratio))
}

fn read_criterion(said: &str, estimates: &str) -> Result<Option<f64>, ToolError> {
    #[derive(Deserialize)]
    struct Document {
        mean: Mean,
    }
    #[derive(Deserialize)]
    struct Mean {
        point_estimate: f64,
    }
    let document: Document =
        serde_json::from_str(estimates).map_err(|error| ToolError(format!("Criterion's estimates: {error}")))?;
    let known = ["No change in performance detected", "Change within noise threshold"];
    if said.contains("Performance has regressed") || said.contains("Performance has improved") {
        Ok(Some(1.0 + document.mean.point_estimate))
    } else if known.iter().any(|verdict| said.contains(verdict)) {
        Ok(None)
    } else {
        Err(ToolError("Criterion gave no verdict".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{read_benchstat, read_criterion, read_hyperfine};

    #[test]
    fn benchstat_claims_where_it_gives_a_percentage() {
        let table = |change: &str| {
            format!(
                ",base.txt,,candidate.txt\n,sec/op,CI,sec/op,CI,vs base,P\nWork,3.1e-05,1%,3.2e-05,2%,{change},p=0.001 n=10\n"
            )
        };
        assert_eq!(read_benchstat(&table("~")).unwrap(), None);
        assert!((read_benchstat(&table("+1.25%")).unwrap().unwrap() - 1.0125).abs() < 1e-12);
        assert!((read_benchstat(&table("-2.00%")).unwrap().unwrap() - 0.98).abs() < 1e-12);
        assert!(read_benchstat(&table("?")).is_err());
        assert!(read_benchstat("").is_err());
    }

    #[test]
    fn hyperfine_claims_beyond_its_own_error() {
        let document = |mean: f64| {
            format!("{{\"results\":[{{\"mean\":1.0,\"stddev\":0.03}},{{\"mean\":{mean},\"stddev\":0.04}}]}}")
        };
        assert_eq!(read_hyperfine(&document(1.04)).unwrap(), None);
        assert_eq!(read_hyperfine(&document(1.06)).unwrap(), Some(1.06));
        assert!(read_hyperfine("{\"results\":[]}").is_err());
    }

    #[test]
    fn criterion_claims_by_its_words() {
        let estimates = "{\"mean\":{\"point_estimate\":0.02}}";
        assert_eq!(read_criterion("  Performance has regressed.", estimates).unwrap(), Some(1.02));
        assert_eq!(read_criterion("  Change within noise threshold.", estimates).unwrap(), None);
        assert!(read_criterion("", estimates).is_err());
    }
}
