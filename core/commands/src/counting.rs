//! Executions under callgrind, which counts the instructions of a command and of all that it starts. What they add up to is written as callgrind writes a worker's turns: a file at
//! either end, the last of which says how many instructions lie between.

use std::ffi::{CString, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::suite::program;

/// Executions of a command, counted.
pub(crate) struct Counting {
    /// Before the number of a file, with the number of this process.
    prefix: OsString,
    /// Where callgrind writes what an execution took, a file for each process.
    folder: PathBuf,
    written: u32,
    /// Each execution.
    subject: Vec<Executed>,
    null: Option<Executed>,
}

/// What all processes of an execution took.
#[derive(Default)]
struct Executed {
    instructions: u64,
    system_calls: u64,
    /// As callgrind tells it, by function.
    functions: String,
}

impl Counting {
    /// For the core that asks for counts below `path`.
    ///
    /// # Errors
    /// The folder for callgrind's files can't be made.
    pub(crate) fn below(path: &Path) -> io::Result<Self> {
        let process = std::process::id();
        let mut prefix = path.as_os_str().to_owned();
        prefix.push(format!(".{process}."));
        let folder = path.with_file_name(format!("executions-{process}"));
        fs::create_dir_all(&folder)?;
        Ok(Self { prefix, folder, written: 0, subject: Vec::new(), null: None })
    }

    /// The program, its path and the words that execute `words` under callgrind.
    ///
    /// # Errors
    /// What to tell where there is no valgrind, and what to do.
    pub(crate) fn words(&self, path: &CString, words: &[String]) -> Result<(CString, Vec<String>), (String, String)> {
        let file = self.folder.join("%p").to_string_lossy().into_owned();
        let mut counted: Vec<String> = [
            "valgrind",
            "--tool=callgrind",
            "--quiet",
            "--vgdb=no",
            "--dump-line=no",
            "--collect-systime=yes",
            "--compress-strings=no",
        ]
        .map(str::to_owned)
        .into_iter()
        .chain(["--trace-children=yes".to_owned(), format!("--callgrind-out-file={file}")])
        .collect();
        counted.push(path.to_string_lossy().into_owned());
        counted.extend(words.iter().skip(1).cloned());
        Ok((program("valgrind")?, counted))
    }

    /// Whether more executions are needed for the sum of so many; those that were made stay what they are.
    pub(crate) fn wants_another(&self, calls: u64) -> bool {
        (self.subject.len() as u64) < calls
    }

    /// An execution of the command has ended.
    pub(crate) fn add(&mut self) -> io::Result<()> {
        let executed = self.executed()?;
        self.subject.push(executed);
        Ok(())
    }

    /// An execution of what is taken off.
    pub(crate) fn add_null(&mut self) -> io::Result<()> {
        self.null = Some(self.executed()?);
        Ok(())
    }

    pub(crate) fn has_null(&self) -> bool {
        self.null.is_some()
    }

    /// Tells what so many calls executed.
    pub(crate) fn tell(&mut self, of_null: bool, calls: u64) -> io::Result<()> {
        let (sum, system_calls, functions) = match (of_null, &self.null) {
            (true, Some(null)) => (null.instructions * calls, null.system_calls * calls, String::new()),
            (true, None) => (0, 0, String::new()),
            (false, _) => {
                let made = || self.subject.iter().take(calls as usize);
                let sum = |of: fn(&Executed) -> u64| made().map(of).sum::<u64>();
                let functions = made().map(|one| one.functions.as_str()).collect();
                (sum(|one| one.instructions), sum(|one| one.system_calls), functions)
            }
        };
        for (total, system_calls, functions) in [(0, 0, ""), (sum, system_calls, functions.as_str())] {
            self.written += 1;
            let mut path = self.prefix.clone();
            path.push(self.written.to_string());
            fs::write(path, format!("events: Ir sysCount\n{functions}totals: {total} {system_calls}\n"))?;
        }
        Ok(())
    }

    /// What callgrind has written since the last time, all processes together.
    fn executed(&self) -> io::Result<Executed> {
        let (mut all, mut files) = (Executed::default(), 0);
        let mut paths = fs::read_dir(&self.folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        for path in paths {
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            let totals = text.lines().rev().find_map(|line| line.strip_prefix("totals:")).unwrap_or_default();
            // Noughts at the end are left out.
            let mut totals = totals.split_whitespace().map(|sum| sum.parse::<u64>().unwrap_or(0));
            all.instructions += totals.next().unwrap_or(0);
            all.system_calls += totals.next().unwrap_or(0);
            let of_function = |line: &&str| {
                line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*'))
                    || ["fn=", "cfn=", "calls="].iter().any(|begin| line.starts_with(begin))
            };
            text.lines().filter(of_function).for_each(|line| all.functions.extend([line, "\n"]));
            files += 1;
            fs::remove_file(&path)?;
        }
        match files {
            0 => Err(io::Error::other("callgrind wrote no counts: it can't follow this program")),
            _ => Ok(all),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Counting;

    #[test]
    fn all_processes_of_executions_are_summed_up_and_told_as_turns() {
        let folder = tempfile::tempdir().unwrap();
        let mut counting = Counting::below(&folder.path().join("work")).unwrap();
        let write = |counting: &Counting, name: &str, total: u64| {
            fs::write(counting.folder.join(name), format!("fn=(1)\n0 {total}\ntotals: {total} 3 1\n")).unwrap();
        };
        assert!(counting.add().unwrap_err().to_string().contains("wrote no counts"));
        for totals in [[100, 20], [101, 20]] {
            write(&counting, "7", totals[0]);
            write(&counting, "8", totals[1]);
            counting.add().unwrap();
        }
        assert!(!counting.wants_another(2) && counting.wants_another(3));
        counting.tell(false, 1).unwrap();
        counting.tell(false, 2).unwrap();
        write(&counting, "9", 30);
        counting.add_null().unwrap();
        counting.tell(true, 3).unwrap();
        let process = std::process::id();
        let told = |number: u32| fs::read_to_string(folder.path().join(format!("work.{process}.{number}"))).unwrap();
        assert_eq!(
            told(4),
            "events: Ir sysCount\nfn=(1)\n0 100\nfn=(1)\n0 20\nfn=(1)\n0 101\nfn=(1)\n0 20\ntotals: 241 12\n"
        );
        let totals: Vec<String> = (1..=6).map(|number| told(number).lines().last().unwrap().to_owned()).collect();
        assert_eq!(totals, ["0 0", "120 6", "0 0", "241 12", "0 0", "90 9"].map(|total| format!("totals: {total}")));
    }
}
