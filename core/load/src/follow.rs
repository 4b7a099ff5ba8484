//! What a server costs that runs already: the CPU time of its processes as the kernel counts it, and their system calls as strace counts them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

/// strace gets so long to be attached to all processes, and to say what it counted.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// CPU time of processes, and of those that they waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CpuTime {
    /// In programs.
    pub user: Duration,
    /// In the kernel.
    pub system: Duration,
}

/// A process as `/proc/PID/stat` tells of it.
struct Stat {
    parent: u32,
    zombie: bool,
    /// In ticks of the kernel.
    user: u64,
    system: u64,
}

/// A process and all that it has begun and that is still there, `pid` first; empty where that one isn't there. Where this process was begun by it, this one and
/// what it has begun are no part of the server. `root`: of the file system.
pub fn family(root: &Path, pid: u32) -> Vec<u32> {
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    let entries = fs::read_dir(root.join("proc")).into_iter().flatten().flatten();
    for number in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        // One that has ended meanwhile is none of them.
        if let Some(stat) = stat(root, number).filter(|stat| !stat.zombie) {
            parents.insert(number, stat.parent);
        }
    }
    let mut family: Vec<u32> = parents.keys().copied().filter(|number| *number == pid).collect();
    let own = std::process::id();
    let mut at = 0;
    while let Some(&parent) = family.get(at) {
        let begun = |(number, of): &(&u32, &u32)| **of == parent && **number != parent && **number != own;
        family.extend(parents.iter().filter(begun).map(|(number, _)| *number));
        at += 1;
    }
    family
}

/// What a process, those that it has begun and those that ended and were waited for have used; `None` where it isn't there.
pub fn cpu_time(root: &Path, pid: u32) -> Option<CpuTime> {
    let tick = Duration::from_secs(1) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?.max(1);
    let stats: Vec<Stat> = family(root, pid).into_iter().filter_map(|number| stat(root, number)).collect();
    let sum = |of: fn(&Stat) -> u64| tick.mul_f64(stats.iter().map(of).sum::<u64>() as f64);
    (!stats.is_empty()).then(|| CpuTime { user: sum(|stat| stat.user), system: sum(|stat| stat.system) })
}

/// proc_pid_stat(5): the name in brackets may hold anything, so fields are counted from its end.
fn stat(root: &Path, pid: u32) -> Option<Stat> {
    let bytes = fs::read(root.join("proc").join(pid.to_string()).join("stat")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let figure = |number: usize| fields.get(number)?.parse::<u64>().ok();
    // State, parent, …; utime, stime, cutime, cstime are the 14th to 17th of all.
    Some(Stat {
        parent: u32::try_from(figure(1)?).ok()?,
        zombie: fields.first() == Some(&"Z"),
        user: figure(11)? + figure(13)?,
        system: figure(12)? + figure(14)?,
    })
}

/// strace, attached to the processes of a server.
#[derive(Debug)]
pub struct Trace {
    strace: Child,
    counted: NamedTempFile,
}

impl Trace {
    /// Attaches strace to a process and to all that it has begun.
    ///
    /// # Errors
    /// Why it can't be, in words.
    pub fn attach(pid: u32) -> Result<Self, String> {
        let family = family(Path::new("/"), pid);
        let counted = NamedTempFile::new()
            .map_err(|error| format!("a temporary file for the counts of strace can't be made: {error}"))?;
        let said = tempfile::tempfile()
            .map_err(|error| format!("a temporary file for the counts of strace can't be made: {error}"))?;
        let told = said.try_clone().map_err(|error| error.to_string())?;
        let mut command = Command::new("strace");
        command.args(["-f", "-c", "-o"]).arg(counted.path());
        for number in &family {
            command.args(["-p", &number.to_string()]);
        }
        let strace = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(told).spawn();
        let strace = strace.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "strace is missing, and Tare counts system calls with it; install it".to_owned()
            }
            _ => format!("strace can't be started: {error}"),
        })?;
        let mut trace = Self { strace, counted };
        let begun = Instant::now();
        while !family.iter().all(|number| is_traced(*number)) {
            let ended = trace.strace.try_wait().is_ok_and(|status| status.is_some());
            if ended || begun.elapsed() > PATIENCE {
                let why = last_line(said);
                return Err(format!("strace can't be attached to process {pid}: {why}"));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(trace)
    }

    /// Detaches it, and gives the calls by name.
    ///
    /// # Errors
    /// What it counted can't be had.
    pub fn detach(mut self) -> Result<Vec<(String, u64)>, String> {
        self.end();
        let text = fs::read_to_string(self.counted.path())
            .map_err(|error| format!("the counts that strace wrote can't be read: {error}"))?;
        let calls = calls(&text);
        if calls.is_empty() { Err("strace counted nothing".to_owned()) } else { Ok(calls) }
    }

    /// It detaches and writes what it counted when it is interrupted.
    fn end(&mut self) {
        if let Some(pid) = Pid::from_raw(self.strace.id().cast_signed()) {
            let _ = kill_process(pid, Signal::INT);
        }
        let begun = Instant::now();
        while matches!(self.strace.try_wait(), Ok(None)) {
            if begun.elapsed() > PATIENCE {
                let _ = self.strace.kill();
                let _ = self.strace.wait();
                return;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether somebody traces the process, or it is gone.
fn is_traced(pid: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return true };
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|tracer| tracer.trim() != "0")
}

fn last_line(mut file: fs::File) -> String {
    use std::io::{Read, Seek};
    let mut text = String::new();
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(|| "it doesn't say why".to_owned(), |line| line.trim_start_matches("strace: ").to_owned())
}

/// The table of `strace -c`: share, seconds, microseconds a call, calls, errors where there were some, name.
fn calls(text: &str) -> Vec<(String, u64)> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let name = fields.last().filter(|name| fields.len() >= 5 && **name != "total")?;
        Some(((*name).to_owned(), fields[3].parse::<u64>().ok()?))
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::{CpuTime, calls, cpu_time, family};

    #[test]
    fn a_process_is_followed_with_all_that_it_has_begun() {
        let folder = tempfile::tempdir().unwrap();
        let put = |pid: u32, text: &str| {
            let place = folder.path().join("proc").join(pid.to_string());
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("stat"), text).unwrap();
        };
        // Names may hold brackets and blanks.
        put(10, "10 (a) S 1) S 1 10 10 0 -1 0 0 0 0 0 100 20 3 4 20 0 1 0 5 0 0");
        put(11, "11 (worker) R 10 10 10 0 -1 0 0 0 0 0 50 30 0 0 20 0 1 0 5 0 0");
        put(12, "12 (worker) S 11 10 10 0 -1 0 0 0 0 0 7 0 0 0 20 0 1 0 5 0 0");
        put(13, "13 (gone) Z 10 10 10 0 -1 0 0 0 0 0 900 900 0 0 20 0 1 0 5 0 0");
        put(20, "20 (another) S 1 10 10 0 -1 0 0 0 0 0 900 900 0 0 20 0 1 0 5 0 0");
        put(21, "no such line");
        assert_eq!(family(folder.path(), 10), [10, 11, 12]);
        assert_eq!(family(folder.path(), 99), [0; 0]);
        let tick = Duration::from_secs(1) / rustix::param::clock_ticks_per_second() as u32;
        let expected = CpuTime { user: 160 * tick, system: 54 * tick };
        assert_eq!(cpu_time(folder.path(), 10), Some(expected));
        assert_eq!(cpu_time(folder.path(), 99), None);
    }

    #[test]
    fn this_process_uses_cpu_time() {
        let mut value = 0u64;
        while cpu_time(Path::new("/"), std::process::id()).is_some_and(|time| time.user.is_zero()) {
            (0..1_000_000u64).for_each(|step| value = std::hint::black_box(value.wrapping_mul(31) + step));
        }
        assert!(cpu_time(Path::new("/"), std::process::id()).is_some());
    }

    #[test]
    fn the_table_of_strace_is_read() {
        let text = "% time     seconds  usecs/call     calls    errors syscall\n\
                    ------ ----------- ----------- --------- --------- ----------------\n \
                    60.00    0.000012           1        12         3 read\n \
                    40.00    0.000008           1         8           write\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                    100.00    0.000020                    20         3 total\n";
        assert_eq!(calls(text), [("read".to_owned(), 12), ("write".to_owned(), 8)]);
        assert_eq!(calls("strace: nothing\n"), []);
    }
}
