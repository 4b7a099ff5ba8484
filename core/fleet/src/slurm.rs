//! Slurm's own programs: what they are asked, and what they answer.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tare_session::Error;

/// What the queue says of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    /// `PENDING`, `RUNNING`, …
    pub(crate) state: String,
    /// Why it waits, in Slurm's word: `Resources`, `Priority`, …
    pub(crate) reason: String,
    /// Where it is.
    pub(crate) node: String,
}

impl Task {
    /// It has been told to end, or is through, and its node isn't free yet.
    pub(crate) fn is_ending(&self) -> bool {
        self.state == "COMPLETING"
    }

    /// It will still do something.
    pub(crate) fn is_alive(&self) -> bool {
        const ALIVE: [&str; 10] = [
            "PENDING",
            "RUNNING",
            "CONFIGURING",
            "COMPLETING",
            "SUSPENDED",
            "STOPPED",
            "REQUEUED",
            "REQUEUE_HOLD",
            "RESIZING",
            "STAGE_OUT",
        ];
        ALIVE.contains(&self.state.as_str())
    }
}

fn call(program: &str, arguments: &[String]) -> Result<Output, Error> {
    answer(Command::new(program).args(arguments))
}

/// What a program of Slurm's answers. One that can't be started isn't asked anything else: what it says to that would be taken for the answer.
fn answer(command: &mut Command) -> Result<Output, Error> {
    command.stdin(Stdio::null()).output().map_err(|error| {
        let program = command.get_program().to_string_lossy();
        match error.kind() {
            ErrorKind::NotFound => Error::usage(format!(
                "--on slurm: there is no {program} here; ask on a machine that submits to a cluster (Debian: apt-get install slurm-client), or measure here without --on"
            )),
            _ => Error::failed(format!("{program} can't be started: {error}")),
        }
    })
}

fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().map(|line| line.trim().trim_start_matches("sbatch: ").trim_start_matches("error: "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Submits the script in `place` for these parts; Slurm's number of it. `store`: where its tasks keep runs, in their environment, which others don't see.
pub(crate) fn submit(place: &Path, options: &[String], parts: &str, store: Option<&str>) -> Result<String, Error> {
    let all: Vec<String> = [format!("--array={parts}")].iter().chain(options).cloned().collect();
    submit_script(&place.join("task.sh"), &all, store)
}

/// Submits a script; Slurm's number of it.
pub(crate) fn submit_script(script: &Path, options: &[String], store: Option<&str>) -> Result<String, Error> {
    let script = script.display().to_string();
    let all: Vec<String> = ["--parsable".to_owned()].iter().chain(options).cloned().chain([script]).collect();
    let mut command = Command::new("sbatch");
    command.args(&all);
    match store {
        Some(store) => command.env("TARE_STORE", store),
        None => command.env_remove("TARE_STORE"),
    };
    let output = answer(&mut command)?;
    let number = String::from_utf8_lossy(&output.stdout);
    let number = number.trim().split(';').next().unwrap_or_default().to_owned();
    if output.status.success() && !number.is_empty() {
        return Ok(number);
    }
    let why = complaint(&output);
    let remedy = if why.contains("partition") {
        "`sinfo` shows all partitions; name one by `partition` under [fleet] in tare.toml"
    } else if why.contains("feature") || why.contains("onstraint") || why.contains("node configuration") {
        "`sinfo -o '%f %N'` shows the features of nodes; name one by `constraint` under [fleet] in tare.toml"
    } else {
        "see [fleet] in tare.toml, and whether `sinfo` answers"
    };
    Err(Error::usage(format!("--on slurm: sbatch refused it: {why}; {remedy}")))
}

/// What the queue knows of the tasks of these jobs, by part; of a part that was submitted again the newest. `None` where it doesn't answer.
pub(crate) fn tasks(jobs: &[String]) -> Result<Option<BTreeMap<u32, Task>>, Error> {
    let mut all = BTreeMap::new();
    for job in jobs {
        let words = ["-h", "-r", "-t", "all", "-o", "%K|%T|%r|%N", "-j", job].map(str::to_owned);
        let output = call("squeue", &words)?;
        if !output.status.success() {
            // One that ended some minutes ago isn't known any more.
            if complaint(&output).contains("Invalid job id") {
                continue;
            }
            return Ok(None);
        }
        all.extend(String::from_utf8_lossy(&output.stdout).lines().filter_map(task));
    }
    Ok(Some(all))
}

/// What the queue knows of a job that isn't an array; one that it has forgotten has no state. `None` where it doesn't answer.
pub(crate) fn job(number: &str) -> Result<Option<Task>, Error> {
    let words = ["-h", "-t", "all", "-o", "0|%T|%r|%N", "-j", number].map(str::to_owned);
    let output = call("squeue", &words)?;
    if !output.status.success() && !complaint(&output).contains("Invalid job id") {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let gone = || Task { state: "gone".to_owned(), reason: String::new(), node: String::new() };
    Ok(Some(text.lines().find_map(task).map_or_else(gone, |(_, task)| task)))
}

fn task(line: &str) -> Option<(u32, Task)> {
    let mut words = line.split('|').map(|word| word.trim().to_owned());
    let part = words.next()?.parse().ok()?;
    Some((part, Task { state: words.next()?, reason: words.next()?, node: words.next()? }))
}

/// Takes all tasks back.
pub(crate) fn cancel(jobs: &[String]) -> Result<(), Error> {
    let output = call("scancel", jobs)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::failed(format!("scancel {}: {}", jobs.join(" "), complaint(&output)))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use tare_session::Kind;

    use super::{Task, answer, submit, task};

    #[test]
    fn a_line_of_the_queue_is_read() {
        let of = |state: &str, reason: &str, node: &str| Task {
            state: state.into(),
            reason: reason.into(),
            node: node.into(),
        };
        assert_eq!(task("2|PENDING|Resources|"), Some((2, of("PENDING", "Resources", ""))));
        assert_eq!(task("1|RUNNING|None|n1"), Some((1, of("RUNNING", "None", "n1"))));
        assert!(of("PENDING", "", "").is_alive() && !of("CANCELLED", "", "").is_alive());
        for line in ["", "N/A|PENDING|x|", "1-4|PENDING"] {
            assert_eq!(task(line), None, "{line}");
        }
    }

    #[test]
    fn a_program_that_can_not_be_started_has_no_answer() {
        let missing = answer(&mut Command::new("/nowhere/squeue")).unwrap_err();
        assert!(
            missing.kind == Kind::Usage && missing.message.contains("there is no /nowhere/squeue here"),
            "{missing}"
        );
        // A NUL keeps any program from being started, as a want of memory or processes does.
        let refused = submit(Path::new("/"), &["--partition=a\0b".to_owned()], "1", None).unwrap_err();
        assert!(refused.kind == Kind::Failed && refused.message.starts_with("sbatch can't be started: "), "{refused}");
    }
}
